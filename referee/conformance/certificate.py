"""The certificate: which program was examined by which kit, and what came of every step."""

import hashlib
import os
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

import referee
from protocol.limits import VERSION
from protocol.messages import Hello
from referee.conformance.findings import Finding, StepResult
from referee.conformance.runner import Examination
from referee.errors import RefereeError
from referee.process import bundle
from referee.process.spec import Program

FORMAT = 1
"""The version of the certificate's own fields."""


class CertifiedFile(Struct, frozen=True):
    """A file of the program, as it was at the examination."""

    path: str
    sha256: str


class Certificate(Struct, frozen=True):
    """What an examination found, to be kept."""

    certificate: int
    kit: str
    """The version of the referee whose kit it was."""
    protocol: int
    time: str
    """In UTC, by ISO 8601."""
    passed: bool
    whole: bool
    """Whether nothing was left out by the operator's choice of steps, games, seats or transport."""
    command: str
    """How the bot was started; or the address at which it was waited for."""
    sha256: str
    """Of the digests of all files, one after the other; '' without files."""
    interpreter: str
    """What runs the files, and is none of them; '' if the first of them runs by itself."""
    files: list[CertifiedFile]
    bot: Hello | None
    """What the bot said of itself, without its token."""
    transports: list[str]
    steps: list[StepResult]


def certify(examination: Examination, program: Program | None, address: str = "") -> Certificate:
    """Return the certificate of an examination that is over."""
    interpreter = _interpreter(program) if program else ""
    files = list(program_files(program)) if program else []
    digests = "".join(file.sha256 for file in files).encode()
    verdicts = examination.verdicts
    hello = examination.hello
    return Certificate(
        certificate=FORMAT,
        kit=referee.version(),
        protocol=VERSION,
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        passed=examination.passed,
        whole=examination.plan.is_whole,
        command=program.command_line() if program else address,
        sha256=hashlib.sha256(digests).hexdigest() if files else "",
        interpreter=interpreter,
        files=files,
        bot=hello
        and Hello(hello.protocol, hello.name, hello.games, hello.wants, hello.capacity, kit=hello.kit),
        transports=sorted({verdict.transport for verdict in verdicts if verdict.finding == Finding.PASSED}),
        steps=verdicts,
    )


def write(certificate: Certificate, path: Path) -> None:
    """Write a certificate as JSON; raises RefereeError if it cannot be written."""
    try:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(certificate)) + b"\n")
    except OSError as error:
        raise RefereeError(f"cannot write {path}: {error.strerror}") from error


def program_files(program: Program) -> Iterable[CertifiedFile]:
    """Return the files that the command line names: the program, scripts, and the module behind `-m`.

    An interpreter is none of them: the bot is the same bot after an update of the system. Raises LaunchError
    for a file in the bot's folder that is none, or a link out of it.
    """
    folder = Path(program.folder)
    for word in dict.fromkeys(_words(program)):
        if word == _interpreter(program):
            continue
        path = Path(os.path.normpath(folder / word))
        # A word may be anything, also too long for a name, and a file may be unreadable.
        if os.path.isfile(path) and (digest := bundle.named_digest(path, folder)):
            yield CertifiedFile(word, digest)


def _interpreter(program: Program) -> str:
    """Return the program if it only runs what the other words name: it is one that this host has anyway."""
    first = program.argv[0]
    folders = program.env.get("PATH", "").split(os.pathsep)
    is_of_the_host = first == sys.executable or {
        os.path.dirname(first),
        os.path.dirname(os.path.realpath(first)),
    } & {*folders}
    others = [word for word in _words(program) if word != first]
    is_given_files = any(os.path.isfile(os.path.join(program.folder, word)) for word in others)
    return first if is_of_the_host and is_given_files else ""


def _words(program: Program) -> Iterable[str]:
    for before, word in zip(["", *program.argv], program.argv, strict=False):
        if before == "-m":
            roots = [program.folder, *program.env.get("PYTHONPATH", "").split(":")]
            inside = word.replace(".", "/")
            for root in filter(None, roots):
                yield from (f"{root}/{inside}.py", f"{root}/{inside}/__main__.py")
        else:
            yield word
