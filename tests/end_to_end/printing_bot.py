"""A bot of the tests that writes its messages itself, and once a line to stdout that is none of them."""

_SOURCE = """
import json, os, sys
def send(**message):
    print(json.dumps(message), flush=True)
token = os.environ.get("REFEREE_TOKEN")
send(type="hello", protocol=[1], name="NAME", wants=["legal"], capacity=1, token=token)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        send(type="ready", match=message["match"])
    elif message["type"] == "ask":
        if message["id"] == PRINTS_AT:
            print("LINE", flush=True)
        send(type="act", match=message["match"], id=message["id"], action=message["legal"][0])
    elif message["type"] == "ping":
        send(type="pong", n=message.get("n", 0))
    elif message["type"] == "bye":
        break
"""


def printing_bot(name: str, line: str, *, at: int = 2) -> str:
    """Return the source of a bot that takes the first legal action, and prints this line at one decision.

    With 0 for the decision it never does.
    """
    return _SOURCE.replace("NAME", name).replace("PRINTS_AT", str(at)).replace("LINE", line)
