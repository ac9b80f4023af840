"""The JavaScript kit, installed as a bot's author would: real processes, pipes, sockets, and tsc."""

import json
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import zmq

from protocol.codec import Encoding, encode
from protocol.messages import Act, Ask, Bye, Error, Hello, Ping, Pong, Ready, Refuse, Tell, Welcome
from protocol.untrusted import from_bot
from tests.end_to_end.commands import workspace_in
from tests.end_to_end.workshop import may_build
from tests.unit.protocol.referees import (
    PATIENCE_S,
    ROOT,
    WELCOME,
    PipeReferee,
    Process,
    RouterReferee,
    ask,
    end,
    start,
)

KIT = ROOT / "protocol" / "javascript"
TYPESCRIPT = ROOT / "sample_bots" / "typescript"
MISSING = [tool for tool in ("node", "npm") if shutil.which(tool) is None]
UNREACHABLE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ENETUNREACH", "ETIMEDOUT", "ECONNRESET")

pytestmark = [may_build, pytest.mark.skipif(bool(MISSING), reason=f"missing: {' and '.join(MISSING)}")]

FIRST = """
import { run } from "referee-kit";

run((view, legal) => {
  console.log("choosing at", view.ask);
  return legal[0];
});
"""

DIARY = """
import { Bot, run } from "referee-kit";

class Diary extends Bot {
  seen = [];
  start(start) {
    this.match = start.match;
    console.error("start", start.match, start.seat);
  }
  see(events) {
    this.seen.push(...events.map((event) => event.event));
  }
  async choose(view, legal) {
    console.error("choose", this.match, this.clock.bank_ms, ...this.seen);
    return legal.length > 2 ? legal : legal.at(-1);
  }
  end(end) {
    console.error("end", end.match, ...end.ranks, ...this.seen);
  }
}

run(Diary, { name: "diary", games: ["toy"], capacity: 3 });
"""


def npm(folder: Path, *words: str) -> None:
    """Run npm, or say that its registry is out of reach."""
    done = subprocess.run(["npm", *words], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode and any(code in done.stderr for code in UNREACHABLE):
        pytest.skip(f"npm cannot reach its registry: {done.stderr}")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bot's project that depends on the kit, and on the compiler of the sample."""
    folder = tmp_path_factory.mktemp("project")
    tools = json.loads((TYPESCRIPT / "package.json").read_text())["devDependencies"]
    needs = {"referee-kit": f"file:{KIT}"}
    (folder / "package.json").write_text(json.dumps({"dependencies": needs, "devDependencies": tools}))
    shutil.copy(TYPESCRIPT / ".npmrc", folder)
    npm(folder, "install", "--prefer-offline")
    return folder


@pytest.fixture
def script(project: Path) -> Path:
    return project / "my_bot.mjs"


@pytest.fixture
def router(tmp_path: Path) -> Iterator[RouterReferee]:
    with RouterReferee(f"ipc://{tmp_path}/r") as referee:
        yield referee


def node() -> str:
    return shutil.which("node") or "node"


def pipes(script: Path, code: str, **environment: str) -> PipeReferee:
    script.write_text(code, encoding="utf-8")
    return PipeReferee([node(), str(script)], **environment)


def connected(script: Path, code: str, router: RouterReferee, **environment: str) -> Process:
    script.write_text(code, encoding="utf-8")
    return Process([node(), str(script)], REFEREE_ADDRESS=router.address, **environment)


def test_a_function_makes_a_bot_and_what_it_prints_goes_to_its_log(script: Path) -> None:
    with pipes(script, FIRST, REFEREE_TOKEN="sesame") as referee:
        hello = referee.begin()
        assert hello == Hello([1], "my_bot", wants=["view", "legal"], token="sesame", kit="javascript-kit 1")
        referee.say(ask(1, ["draw", "pass"]))
        assert referee.hear() == Act("m1", 1, "draw")
        referee.say(end(), Bye())
        assert referee.leave() == (0, "choosing at 1\n")


def test_a_class_receives_everything_and_has_one_object_for_each_match(script: Path) -> None:
    with pipes(script, DIARY) as referee:
        hello = referee.begin()
        assert (hello.name, hello.games, hello.capacity) == ("diary", ["toy"], 3)
        assert hello.wants == ["view", "legal", "events"]
        referee.say(start("m2", seat=1), ask(1, events=[{"event": "deal"}]))
        assert referee.hear() == Ready("m2")
        assert referee.hear() == Act("m1", 1, "pass")
        referee.say(ask(1, match="m2"), Tell("m1", [{"event": "storm"}]), ask(2, events=[{"event": "calm"}]))
        assert referee.hear() == Act("m2", 1, "pass")
        assert referee.hear() == Act("m1", 2, "pass")
        referee.say(end(events=[{"event": "last"}]), end("m2"), Bye())
        assert referee.leave() == (
            0,
            "start m1 0\nstart m2 1\nchoose m1 2000 deal\nchoose m2 2000\nchoose m1 2000 deal storm calm\n"
            "end m1 1 2 deal storm calm last\nend m2 1 2\n",
        )


def test_a_list_is_a_plan_and_pings_are_answered(script: Path) -> None:
    with pipes(script, DIARY) as referee:
        referee.begin()
        referee.say(ask(1, ["a", "b", "c"]), Ping(42), Pong())
        assert referee.hear() == Act("m1", 1, actions=["a", "b", "c"])
        assert referee.hear() == Pong(42)


def test_after_an_illegal_action_the_bot_gets_an_error_and_tries_again(script: Path) -> None:
    with pipes(script, FIRST) as referee:
        referee.begin()
        referee.say(ask(1))
        assert referee.hear() == Act("m1", 1, "draw")
        referee.say(Error("illegal", "no cards left", match="m1", id=1), ask(1, ["pass"]))
        assert referee.hear() == Act("m1", 1, "pass")
        referee.say(Bye())
        status, log = referee.leave()
        assert status == 0
        assert "referee: error: illegal: no cards left (match m1)\n" in log


@pytest.mark.parametrize("error", [Error("malformed", ""), Error("stale", "", match="m1", id=1)])
def test_what_comes_again_is_answered_as_before(script: Path, error: Error) -> None:
    with pipes(script, DIARY) as referee:
        referee.begin()
        referee.say(start())
        assert referee.hear() == Ready("m1")
        question = ask(1, events=[{"event": "deal"}])
        referee.say(question, error, question, Bye())
        assert [referee.hear(), referee.hear()] == [Act("m1", 1, "pass")] * 2
        assert referee.leave()[1].count("choose") == 1


@pytest.mark.parametrize(
    ("bot", "complaint"),
    [
        ("() => { throw new Error('I am lost'); }", "Error: I am lost"),
        ("() => {}", "TypeError: choose returned undefined, which is neither"),
        ("() => []", "TypeError: choose returned [], which is neither"),
        ("class Mute extends Bot {}", "Error: Mute has no method choose(view, legal)"),
    ],
)
def test_a_bug_in_the_bot_ends_it_with_a_trace(script: Path, bot: str, complaint: str) -> None:
    with pipes(script, f'import {{ Bot, run }} from "referee-kit";\nrun({bot});\n') as referee:
        assert referee.begin().wants == ["view", "legal"]
        referee.say(ask(1))
        status, log = referee.leave()
        assert status == 1
        assert complaint in log
        assert "    at " in log


def test_a_class_that_is_no_bot_is_refused_at_once(script: Path) -> None:
    with pipes(script, 'import { run } from "referee-kit";\nrun(class Stranger {});\n') as referee:
        status, log = referee.leave()
        assert status == 1
        assert "Stranger is neither a function nor a subclass of Bot" in log


def test_a_refused_bot_says_why_and_exits_with_2(script: Path) -> None:
    with pipes(script, FIRST) as referee:
        referee.hear()
        referee.say(Refuse("version", "this referee speaks version 9"), Bye())
        assert referee.leave() == (2, "referee: refused: version: this referee speaks version 9\n")


def test_the_end_of_stdin_ends_the_bot(script: Path) -> None:
    with pipes(script, FIRST) as referee:
        referee.begin()
        assert referee.leave() == (0, "")


def test_a_closed_pipe_ends_the_bot(script: Path) -> None:
    with pipes(script, FIRST) as referee:
        referee.begin()
        assert referee.process.stdout
        referee.process.stdout.close()
        referee.process.stdout = None
        referee.say(Ping())
        assert referee.leave() == (0, "")


def test_sigterm_ends_the_bot_in_peace(script: Path) -> None:
    with pipes(script, FIRST) as referee:
        referee.begin()
        referee.process.send_signal(signal.SIGTERM)
        assert referee.process.wait(PATIENCE_S) == 0


def test_a_bot_on_pipes_does_without_the_libraries_of_zeromq(tmp_path: Path) -> None:
    shutil.copytree(KIT, tmp_path / "kit", ignore=shutil.ignore_patterns("node_modules"))
    code = FIRST.replace("referee-kit", "./kit/index.js")
    with pipes(tmp_path / "my_bot.mjs", code) as referee:
        referee.begin()
        referee.say(ask(1))
        assert referee.hear() == Act("m1", 1, "draw")


@pytest.mark.parametrize("encoding", Encoding)
def test_over_zeromq_a_bot_speaks_msgpack_or_json(
    script: Path, router: RouterReferee, encoding: Encoding
) -> None:
    with connected(script, FIRST, router, REFEREE_ENCODING=encoding.value, REFEREE_TOKEN="t") as bot:
        hello = router.hear()
        assert hello == Hello([1], "my_bot", wants=["view", "legal"], token="t", kit="javascript-kit 1")
        assert router.encoding is encoding
        router.say(WELCOME, start(), ask(1), ask(2), end(), Bye())
        assert [router.hear() for _ in range(3)] == [Ready("m1"), Act("m1", 1, "draw"), Act("m1", 2, "draw")]
        assert bot.leave()[0] == 0


def test_a_bot_with_keys_speaks_to_the_referee_whose_key_it_knows(script: Path, tmp_path: Path) -> None:
    ours, theirs = zmq.curve_keypair(), zmq.curve_keypair()
    keys = tmp_path / "bot.key"
    keys.touch(mode=0o600)
    keys.write_text(f'# mine\npublic = "{theirs[0].decode()}"\nsecret = "{theirs[1].decode()}"\n')
    script.write_text(FIRST, encoding="utf-8")
    with zmq.Context() as context, context.socket(zmq.ROUTER) as router:
        router.curve_server = True
        router.curve_secretkey = ours[1]
        router.bind(f"ipc://{tmp_path}/gate")
        given = {"REFEREE_KEY": str(keys), "REFEREE_SERVER_KEY": ours[0].decode()}
        with Process([node(), str(script)], REFEREE_ADDRESS=f"ipc://{tmp_path}/gate", **given) as bot:
            assert router.poll(60_000)
            route, frame = router.recv_multipart()
            assert isinstance(from_bot(frame), Hello)
            router.send_multipart([route, encode(Bye(), Encoding.MSGPACK)])
            assert bot.leave()[0] == 0


@pytest.mark.parametrize(
    ("text", "mode", "server", "complaint"),
    [
        ("", 0o600, "", "REFEREE_KEY (a file) and REFEREE_SERVER_KEY (40 characters) go together"),
        ("", 0o644, "x" * 40, "so that others can reach it: chmod 600"),
        ('public = "short"', 0o600, "x" * 40, "is no key file: it needs lines public"),
    ],
)
def test_keys_that_are_no_good_end_the_bot_with_the_reason(
    script: Path, tmp_path: Path, router: RouterReferee, text: str, mode: int, server: str, complaint: str
) -> None:
    keys = tmp_path / "bot.key"
    keys.write_text(text)
    keys.chmod(mode)
    with connected(script, FIRST, router, REFEREE_KEY=str(keys), REFEREE_SERVER_KEY=server) as bot:
        status, log = bot.leave()
        assert status == 1
        assert complaint in log


@pytest.mark.parametrize("message", [ask(1, match="other"), Tell("other", [{"event": "storm"}])])
def test_a_match_that_was_not_started_is_named(script: Path, message: Ask | Tell) -> None:
    with pipes(script, DIARY) as referee:
        referee.begin()
        referee.say(message)
        status, log = referee.leave()
        assert status == 1
        assert "the referee speaks of match other, which it has not started here" in log


def test_a_bot_that_is_not_known_any_more_says_hello_with_its_session(
    script: Path, router: RouterReferee
) -> None:
    with connected(script, DIARY, router) as bot:
        hello = router.hear()
        assert isinstance(hello, Hello)
        assert hello.session is None
        router.say(WELCOME, start())
        assert router.hear() == Ready("m1")
        # Two complaints, because two messages were sent; one hello is enough.
        router.say(Error("no-session", "who are you?"), Error("no-session", "who are you?"))
        again = router.hear()
        assert isinstance(again, Hello)
        assert again.session == "session-1"
        router.say(Welcome(1, "session-1", WELCOME.limits, resumed=True), ask(1), Bye())
        assert router.hear() == Act("m1", 1, "pass")
        assert bot.leave() == (0, "start m1 0\nchoose m1 2000\n")


def test_a_bot_finds_a_referee_that_was_restarted(script: Path, router: RouterReferee) -> None:
    with connected(script, FIRST, router) as bot:
        assert isinstance(router.hear(), Hello)
        router.say(WELCOME, start())
        assert router.hear() == Ready("m1")
        router.close()
        router.open()
        # After a silence the bot sends a ping.
        assert router.hear(pings=True) == Ping()
        router.say(Error("no-session", "who are you?"))
        heard = router.hear()
        assert isinstance(heard, Hello)
        assert heard.session == "session-1"
        router.say(Welcome(1, "session-2", WELCOME.limits), start("m2"), Bye())
        assert router.hear() == Ready("m2")
        assert bot.leave()[0] == 0


@pytest.mark.parametrize("transport", ["zmq", "stdio"])
def test_a_bot_plays_a_match(script: Path, tmp_path: Path, transport: str) -> None:
    code = 'import { run } from "referee-kit";\nrun((view, legal) => legal[0], { capacity: 8 });\n'
    script.write_text(code, encoding="utf-8")
    with workspace_in(tmp_path) as workspace:
        words = ("play", "coins", "--bot", f"mine=node {script}", "--bot", "first", "--seed", "7")
        played = workspace.run(*words, "--transport", transport, "--json")
        assert played.code == 0, played.err
        ours = [match["play"] for match in json.loads(played.out)["matches"]]
        assert [match["faults"] for match in json.loads(played.out)["matches"]] == [["", ""]] * len(ours)
        first = workspace.run(
            "play", "coins", "--bot", "mine=first", "--bot", "first", "--seed", "7", "--json"
        )
        assert ours == [match["play"] for match in json.loads(first.out)["matches"]]


MISTAKES = [
    ("run((view, legal) => legal.length);", "TS2345"),
    ('run((view, legal) => "draw", { wants: ["veiw"] });', '"veiw"'),
    ("run(class Mute {});", "TS2345"),
    ("class Late extends Bot { choose() { return this.clock.soon_ms; } }", "'soon_ms'"),
    ("class Odd extends Bot { start(start: Start) { return start.seat.length; } }", "'length'"),
]


def test_the_bots_of_the_readme_are_typed_and_the_types_find_a_mistake(project: Path) -> None:
    blocks = re.findall(r"```[jt]s\n(.*?)```", (KIT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 2
    # All files at once: most of the time is the start of the compiler.
    sources = {f"readme{number}.mts": block for number, block in enumerate(blocks)}
    for number, (code, _) in enumerate(MISTAKES):
        sources[f"mistake{number}.mts"] = f'import {{ Bot, run, type Start }} from "referee-kit";\n{code}\n'
    for name, code in sources.items():
        (project / name).write_text(code, encoding="utf-8")
    options = ["--noEmit", "--strict", "--pretty", "false", "--module", "nodenext", "--target", "es2022"]
    command = [node(), "node_modules/typescript/bin/tsc", *options, *sources]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    named = re.findall(r"^([^\s(]+)\(", done.stdout, re.MULTILINE)
    assert set(named) == {name for name in sources if name.startswith("mistake")}, done.stdout
    for number, (code, complaint) in enumerate(MISTAKES):
        of_it = [line for line in done.stdout.splitlines() if line.startswith(f"mistake{number}.mts(")]
        assert any(complaint in line for line in of_it), (code, done.stdout)
