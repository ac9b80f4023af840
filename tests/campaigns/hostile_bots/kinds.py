"""The table of kinds: every hostile program, how it is run, and what the referee must make of it.

Numbers are those of the list of hostile kinds every release is held to, 1 to 48; 0 is a bot that is bad in a
way the list does not name. A kind may have several rows. `tests/campaigns/hostile_bots/arena.py` runs them.
"""

from functools import partial
from typing import Literal

from msgspec import Struct

from referee.process.spec import Level, ResourceLimits, Transport

HARMLESS = ""
"""What is expected of a kind that is contained: it plays on without a fault, and has got nowhere."""


File = Literal[
    "bad_bots/bad.py",
    "campaigns/hostile_bots/wire.py",
    "campaigns/hostile_bots/host.py",
    "campaigns/hostile_bots/gate.py",
]


class Kind(Struct, frozen=True):
    """A hostile program."""

    number: int
    name: str
    does: str
    file: File
    words: tuple[str, ...]
    """Its arguments: which of the file's bots to be."""
    fault: str
    """The code of the fault that loses it the match, or HARMLESS."""
    cap: str
    """What bounds it where nothing holds it, besides the caps all programs share."""
    transports: tuple[Transport, ...] = ("stdio",)
    level: Level = "trusted"
    limits: ResourceLimits = ResourceLimits()
    hasty: bool = False
    """Whether it plays against a short clock, since it is meant to be late."""
    reports: bool = False
    """Whether it writes to its log what it reached; it must have reached nothing."""
    both_seats: bool = False
    keyed: bool = False
    """Whether it comes to a gate with keys; where that is of use to it, with a key that is on the list."""


STDIO: tuple[Transport, ...] = ("stdio",)
ZMQ: tuple[Transport, ...] = ("zmq",)
BOTH: tuple[Transport, ...] = ("stdio", "zmq")


def _kind(
    file: File,
    number: int,
    name: str,
    does: str,
    fault: str,
    cap: str,
    transports: tuple[Transport, ...] = STDIO,
    *,
    message: bool = False,
    level: Level = "trusted",
    hasty: bool = False,
    reports: bool = False,
    both_seats: bool = False,
    keyed: bool = False,
    **limits: int,
) -> Kind:
    words = ("one_bad_message", name) if message else (name.replace("-", "_"),)
    bounds = ResourceLimits(**limits)
    flags = (hasty, reports, both_seats, keyed)
    return Kind(number, name, does, file, words, fault, cap, transports, level, bounds, *flags)


_bad = partial(_kind, "bad_bots/bad.py")
_wire = partial(_kind, "campaigns/hostile_bots/wire.py")
_message = partial(_kind, "campaigns/hostile_bots/wire.py", cap="one message", message=True)
_host = partial(_kind, "campaigns/hostile_bots/host.py", level="contest")
_gate = partial(_kind, "campaigns/hostile_bots/gate.py", fault=HARMLESS, transports=ZMQ, reports=True)
_keyed = partial(_gate, keyed=True)


KINDS: tuple[Kind, ...] = (
    # Coming, going and time.
    _bad(1, "silent", "says nothing at launch", "no-hello", "no message", BOTH),
    _bad(2, "never-ready", "says hello, then nothing", "not-ready", "one message", BOTH),
    _wire(3, "exits-with-zero", "ends at once, with exit code 0", "crashed", "nothing", BOTH),
    _bad(4, "segfaults", "is ended by a signal in turn 3", "crashed", "itself only", BOTH),
    _wire(5, "sleeps", "sleeps past each deadline", "late", "120 s", BOTH, hasty=True),
    _wire(6, "a-millisecond-late", "answers 1 ms late", "late", "one message", BOTH, hasty=True),
    _wire(7, "drips", "sends its answer a byte a second", "late", "120 s", BOTH, hasty=True),
    # Messages.
    _bad(8, "illegal", "sends an action that no seat ever has", "illegal", "one message", BOTH),
    _wire(9, "of-another-seat", "sends an action that another seat may have", "illegal", "one message", BOTH),
    _message(10, "huge-action", "sends an action of 64 KiB", "too-large", transports=BOTH),
    _message(11, "empty", "sends an empty frame", "malformed", transports=ZMQ),
    _wire(
        11,
        "blank-lines",
        "sends blank lines before every answer",
        HARMLESS,
        "two lines an answer",
        reports=True,
    ),
    _message(12, "random-bytes", "sends random bytes", "malformed", transports=BOTH),
    _message(13, "deep", "sends lists 30,000 deep", "malformed", transports=BOTH),
    _message(14, "claims-text", "claims a text of 4 GiB", "malformed", transports=ZMQ),
    _message(14, "claims-bytes", "claims bytes of 4 GiB", "malformed", transports=ZMQ),
    _message(14, "claims-list", "claims a list of 4 G entries", "malformed", transports=ZMQ),
    _message(14, "claims-map", "claims a map of 4 G entries", "malformed", transports=ZMQ),
    _message(15, "map-bomb", "sends 12,000 maps in one message", "malformed", transports=BOTH),
    _message(16, "nan", "sends NaN for an id", "malformed", transports=BOTH),
    _message(16, "bool", "sends true for an id", "malformed", transports=BOTH),
    _message(16, "huge-number", "sends 2^64 - 1 for an id", "malformed", transports=BOTH),
    _message(17, "twice", "sends a key twice", "malformed", transports=BOTH),
    _message(18, "not-utf8", "sends text that is not UTF-8", "malformed", transports=BOTH),
    _message(19, "escape", "sends ESC and a line feed in an action", "malformed", transports=BOTH),
    _message(20, "ext", "sends an ext type of msgpack", "malformed", transports=ZMQ),
    _wire(21, "two-parts", "sends its answer in two frames", "malformed", "one message", ZMQ),
    _wire(
        22,
        "endless-parts",
        "sends frames of one message without end",
        "too-large",
        "24 M frames, 48 MiB",
        ZMQ,
    ),
    _bad(23, "too-large", "sends 100,000 bytes", "too-large", "one message", BOTH),
    _message(
        23,
        "oversize-by-far",
        "sends 1 MiB, which is not read",
        "too-large",
        transports=ZMQ,
    ),
    # How many, and for whom.
    _bad(24, "flood", "sends 500 stale answers", "flood", "500 messages", BOTH),
    _bad(24, "hellos", "says hello without end", "flood", "120 s", BOTH),
    _keyed(24, "clamours", "sends 2,000 messages and no hello, with a key", cap="2,000 messages"),
    _bad(24, "newlines", "sends blank lines without end", "flood", "120 s"),
    _wire(25, "replies-twice", "sends every answer twice", HARMLESS, "two an ask", BOTH, reports=True),
    _bad(
        26, "stale-then-good", "replays an old answer before each", HARMLESS, "two an ask", BOTH, reports=True
    ),
    _wire(27, "other-match", "answers for other matches", HARMLESS, "five an ask", BOTH, reports=True),
    _wire(
        28, "squats", "announces its gate's next routing ids", HARMLESS, "40 connections", ZMQ, reports=True
    ),
    _gate(28, "squats", "announces the gate's next routing ids", cap="40 connections"),
    _keyed(28, "squats-in-turn", "announces the gate's next routing ids, with a key", cap="40 connections"),
    _wire(
        29, "other-seat", "says hello at other seats' gates", HARMLESS, "16 connections", ZMQ, reports=True
    ),
    _gate(
        29, "other-account", "comes to the gate under another's name and guesses sessions", cap="20 hellos"
    ),
    _keyed(
        29, "other-account", "comes under another's name and guesses sessions, with a key", cap="20 hellos"
    ),
    _gate(30, "garbage", "sends HTTP, ZMTP 1.0 and noise", cap="60 connections of 4 KiB"),
    _keyed(30, "garbage", "sends the same to a gate with keys", cap="60 connections of 4 KiB"),
    _gate(31, "slow-loris", "begins 500 handshakes and ends none", cap="500 connections, 30 s"),
    _keyed(31, "slow-loris", "begins 500 handshakes at a gate with keys", cap="500 connections, 30 s"),
    _wire(
        32, "never-reads", "has 60 answers sent to it and reads none", "late", "60 messages", BOTH, hasty=True
    ),
    # Its host: processes and shares.
    _host(33, "stops", "sends itself SIGSTOP", "late", "itself only", BOTH, hasty=True),
    _bad(34, "ignores-sigterm", "does not go when told to", HARMLESS, "120 s", level="contest"),
    _host(35, "fork-bomb", "forks, and its children fork", "crashed", "32 processes, 30 s", processes=8),
    _bad(35, "forks", "starts 20 processes", "crashed", "20 processes, 60 s", processes=8),
    _bad(36, "leaves-a-daemon", "leaves a daemon behind", HARMLESS, "one process", level="contest"),
    _bad(37, "eats-memory", "takes 256 MiB", "memory", "256 MiB", level="contest", memory_mib=64),
    _host(38, "six-hogs", "takes 24 MiB in each of six processes", "memory", "144 MiB, 30 s", memory_mib=96),
    _host(38, "hoards", "takes memory of the kernel", HARMLESS, "4,096 timers, 1 MiB", reports=True),
    _host(
        39, "fills", "fills its temporary folder", HARMLESS, "40 MiB, 6,000 files", reports=True, file_mib=4
    ),
    _host(
        39,
        "keeps-writing",
        "makes files until it is ended, and longer",
        "crashed",
        "400 folders at a time, 30 s",
        BOTH,
        level="trusted",
    ),
    _host(40, "floods-log", "writes to its log without pause", HARMLESS, "24 MiB", BOTH),
    _bad(40, "chatters", "writes to stderr at each decision", HARMLESS, "14 kB a decision", level="contest"),
    _bad(41, "spins", "spins in its own time", "cpu", "60 s of processor time", level="contest", cpu_s=1),
    _host(
        41,
        "spins-between",
        "spins in two processes while others decide",
        HARMLESS,
        "2 times 3 s",
        reports=True,
        cpu_s=1,
    ),
    _host(41, "spins-in-six", "spins in six processes in its own time", "cpu", "6 times 40 s", cpu_s=1),
    # Its host: what is none of its business.
    _host(
        42, "kills", "kills and traces its parent and peers", HARMLESS, "decoys, its own parent", reports=True
    ),
    _host(43, "reads", "reads processes, environment and files of others", HARMLESS, "decoys", reports=True),
    _host(
        44,
        "network",
        "looks for the network and local sockets",
        HARMLESS,
        "decoys on the loopback",
        BOTH,
        reports=True,
    ),
    _host(
        45,
        "courier",
        "leaves letters for a partner in the other seat",
        HARMLESS,
        "six letters, taken back",
        BOTH,
        reports=True,
        both_seats=True,
    ),
    _host(45, "leaves-marks", "leaves marks for its next process", HARMLESS, "ten calls", reports=True),
    _host(
        46,
        "guesses-seeds",
        "tries likely seeds against the commitment",
        HARMLESS,
        "20,000 guesses",
        reports=True,
    ),
    _host(
        47,
        "escapes",
        "tries setuid, namespaces, mounts and rare system calls",
        HARMLESS,
        "calls that undo themselves",
        reports=True,
    ),
    _gate(48, "storm", "connects, says hello and goes, again and again", cap="150 connections"),
    _keyed(48, "storm", "the same with a key, until it is kept out", cap="150 connections"),
    # Besides the list; the first is the yardstick.
    _wire(0, "honest", "does nothing wrong", HARMLESS, "nothing", BOTH),
    _bad(0, "other-version", "speaks other versions", "version", "one message", BOTH),
    _bad(0, "exits-at-once", "ends before its hello", "crashed", "nothing"),
    _bad(0, "exits", "ends in mid-match", "crashed", "nothing"),
    _wire(0, "exits-while-answered", "ends while it is sent messages", "crashed", "40 messages", BOTH),
    _bad(0, "thinks-for-ever", "never answers one ask", "late", "120 s", hasty=True),
    _bad(0, "malformed-json", "sends half a message", "malformed", "one message"),
    _bad(0, "wrong-type", "sends an id that is a text", "malformed", "one message"),
    _bad(0, "real-time-signal", "is ended by a signal that has no name", "crashed", "itself only"),
    _bad(0, "says-a-long-bye", "leaves with 1,000 words", "disconnected", "one message"),
    _bad(0, "says-bye", "leaves in mid-match", "disconnected", "one message"),
    _bad(0, "closes-stdout", "closes its stdout and lives on", "disconnected", "120 s"),
    _bad(0, "writes-a-lot", "writes a file larger than it may", "crashed", "2 MiB", file_mib=1),
    _bad(0, "opens-a-lot", "opens more files than it may", "crashed", "20 files", open_files=16),
)
"""All of them."""

AT_THE_GATE = tuple(kind for kind in KINDS if kind.file == "campaigns/hostile_bots/gate.py")
"""Those that come from elsewhere."""

STARTED = tuple(kind for kind in KINDS if kind not in AT_THE_GATE)
"""Those that the referee starts."""
