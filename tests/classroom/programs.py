"""Programs of a class: small bots that speak the protocol on stdin and stdout, whole or broken in one way."""

PYTHON = """\
import json, os, sys

def say(**message):
    print(json.dumps(message), flush=True)

say(type="hello", protocol=[1], name="student", wants=["legal"], token=os.environ.get("REFEREE_TOKEN", ""))
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "start":
        say(type="ready", match=message["match"])
    elif kind == "ask":
        say(type="act", match=message["match"], id=message["id"], action=message["legal"][0])
    elif kind == "ping":
        say(type="pong", n=message.get("n", 0))
    elif kind in ("bye", "refuse"):
        break
"""
"""An honest bot: it takes the first legal action."""

KIT = """\
from protocol.client import run

run(lambda view, legal: legal[-1], name="kit")
"""
"""An honest bot with the Python kit."""

SYNTAX_ERROR = PYTHON.replace("for line in sys.stdin:", "for line in sys.stdin")
LOOP_AT_START = "while True:\n    pass\n"
LOOP_IN_A_MOVE = PYTHON.replace(
    '        say(type="act"', '        while message["id"] > 1:\n            pass\n        say(type="act"'
)
DEBUG_PRINT = PYTHON.replace(
    '    elif kind == "ask":\n',
    '    elif kind == "ask":\n        print("thinking about", len(message["legal"]))\n',
)
CRASH = PYTHON.replace(
    '    elif kind == "ask":\n',
    '    elif kind == "ask":\n        if message["id"] > 2:\n            [][1]\n',
)
ILLEGAL = PYTHON.replace('action=message["legal"][0]', 'action="win the game"')
MEMORY_HOG = PYTHON.replace("import json, os, sys\n", "import json, os, sys\n\nhoard = bytearray(3 << 30)\n")
MISSING_PACKAGE = "import tensorflow_for_poker\n" + PYTHON
QUITTER = "import sys\nsys.exit(3)\n"


def later(mark: str, trouble: str, when: str = "True") -> str:
    """Return a bot that is honest in its smoke test, whose clock is short, and not in matches of an event.

    It writes its mark to stderr in either case; `when` is about the `message` that starts a match.
    """
    start = '    if kind == "start":\n'
    ask = '    elif kind == "ask":\n'
    armed = f'        armed = message["clock"]["move_ms"] > 50 and {when}\n'
    noted = f'        print("{mark}", file=sys.stderr, flush=True)\n'
    body = "".join(f"            {line}\n" for line in trouble.splitlines())
    act = f'{noted}        if armed and message["id"] > 1:\n{body}'
    return PYTHON.replace(start, start + armed).replace(ask, ask + act)


SELDOM = 'message["game"] == "gangsters" and message["seat"] == 0'
"""When a bot makes a class wait: in one game of four, and in one seat."""

LATER_LOOP = later("MARK-OF-LOOP", "while True:\n    pass", SELDOM)
LATER_PRINT = later("MARK-OF-PRINT", 'print("thinking about", len(message["legal"]))')
LATER_CRASH = later("MARK-OF-CRASH", "[][1]")
LATER_ILLEGAL = later("MARK-OF-ILLEGAL", 'message["legal"] = ["win the game"]')
LATER_MEMORY = later("MARK-OF-MEMORY", 'hoard = []\nwhile True:\n    hoard.append(b"x" * (32 << 20))')

JAVASCRIPT = """\
const say = message => process.stdout.write(JSON.stringify(message) + "\\n");
let rest = "";
say({ type: "hello", protocol: [1], name: "js", wants: ["legal"], token: process.env.REFEREE_TOKEN || "" });
process.stdin.on("end", () => process.exit(0));
process.stdin.on("data", data => {
  const lines = (rest + data).split("\\n");
  rest = lines.pop();
  for (const line of lines.filter(Boolean)) {
    const message = JSON.parse(line);
    if (message.type === "start") say({ type: "ready", match: message.match });
    const { match, id, legal } = message;
    if (message.type === "ask") say({ type: "act", match, id, action: legal[0] });
    if (message.type === "ping") say({ type: "pong", n: message.n || 0 });
    if (message.type === "bye" || message.type === "refuse") process.exit(0);
  }
});
"""

C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1 << 21];

/* Copy the text or number after "key": to a buffer, as it stands in the line. */
static int field(const char *key, char *to, size_t most) {
  char wanted[64];
  snprintf(wanted, sizeof wanted, "\"%s\":", key);
  char *at = strstr(line, wanted);
  if (!at) return 0;
  at += strlen(wanted);
  while (*at == ' ' || *at == '[') at++;
  size_t length = 0;
  int quoted = *at == '"';
  do {
    if (length + 2 < most) to[length++] = *at;
    at++;
  } while (quoted ? (at[-1] != '"' || length == 1) : (*at && !strchr(",}] \n", *at)));
  to[length] = 0;
  return 1;
}

int main(void) {
  char match[512], id[64], action[4096];
  const char *token = getenv("REFEREE_TOKEN");
  printf("{\"type\":\"hello\",\"protocol\":[1],\"name\":\"c\",\"wants\":[\"legal\"],");
  printf("\"token\":\"%s\"}\n", token ? token : "");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    if (strstr(line, "\"type\":\"start\"") && field("match", match, sizeof match))
      printf("{\"type\":\"ready\",\"match\":%s}\n", match);
    else if (strstr(line, "\"type\":\"ask\"") && field("match", match, sizeof match)
             && field("id", id, sizeof id) && field("legal", action, sizeof action))
      printf("{\"type\":\"act\",\"match\":%s,\"id\":%s,\"action\":%s}\n", match, id, action);
    else if (strstr(line, "\"type\":\"ping\"") && field("n", id, sizeof id))
      printf("{\"type\":\"pong\",\"n\":%s}\n", id);
    else if (strstr(line, "\"type\":\"bye\"") || strstr(line, "\"type\":\"refuse\""))
      return 0;
    fflush(stdout);
  }
  return 0;
}
"""

MAKEFILE = "bot: bot.c\n\tcc -O1 -o bot bot.c\n"
C_ERROR = "int main(void) { return undeclared; }\n"
NETWORK_BUILD = (
    'command = "./bot"\nbuild = "curl --silent --show-error --max-time 5 -o bot https://example.org/bot"\n'
)
