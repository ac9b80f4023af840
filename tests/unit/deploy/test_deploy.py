"""The files in `deploy/` are what they should be: they parse, and their commands are commands of ours."""

import json
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import click
import pytest

from referee.cli import main
from referee.errors import UnknownGameError
from tests.lacking import lacking

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
INSTALLED = "/opt/referee/bin/referee"


def accept(words: list[str]) -> click.Context:
    """Let the command line be parsed, and no more."""
    command: click.Command = main
    context = click.Context(main, info_name="referee")
    while isinstance(command, click.Group):
        found = command.get_command(context, words[0])
        assert found is not None, f"no command {words[0]}"
        command, words = found, words[1:]
    return command.make_context(command.name, list(words), parent=context)


def settings(unit: Path) -> dict[str, list[str]]:
    """Return what a unit says by name, in order."""
    found: dict[str, list[str]] = {}
    for line in unit.read_text().splitlines():
        if line and line[0] not in "#[":
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the container file."""
    text = re.sub(r"\\\n", " ", (DEPLOY / "Containerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def said(word: str) -> list[str]:
    return [rest for found, rest in instructions() if found == word]


# Units.


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_systemd_finds_nothing_wrong_with_a_unit(unit: Path, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        lacking("systemd-analyze is not installed (Debian: systemd)")
    # Nothing is installed where the unit will find it.
    (tmp_path / unit.name).write_text(unit.read_text().replace(INSTALLED, "/bin/true"))
    found = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / unit.name)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stdout + found.stderr) == (0, "")


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_the_command_of_a_unit_is_one_of_ours(unit: Path) -> None:
    (line,) = settings(unit)["ExecStart"]
    program, *words = shlex.split(line.replace("%i", "spring"))
    assert program == INSTALLED
    accept(words)


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_a_unit_keeps_what_was_promised(unit: Path) -> None:
    found = settings(unit)
    assert found["Delegate"] == ["memory pids cpu"]
    assert found["StateDirectoryMode"] == ["0700"]
    assert found["ProtectSystem"] == ["strict"]
    assert found["KillSignal"] == ["SIGTERM"]
    assert found["User"] == ["referee"]
    assert int(found["LimitNOFILE"][0]) >= 65_536
    assert "2" in found["RestartPreventExitStatus"][0].split()
    # Stopped by a signal is a normal end.
    assert found["SuccessExitStatus"] == ["130"]
    # Longer than a daemon gives running matches.
    assert int(found["TimeoutStopSec"][0]) > 30


def test_the_final_is_made_by_a_command_of_ours_and_comes_every_night() -> None:
    _, line = settings(DEPLOY / "referee-final@.service")["ExecStartPre"]
    program, *words = shlex.split(line.replace("%i", "ladder"))
    assert program == INSTALLED
    # Where the ladder and the bots are is seen when it is run.
    command = [*words[:3], *(word if word[0] != "/" else "." for word in words[3:])]
    assert accept(command).params["best"] == 8
    assert settings(DEPLOY / "referee-final@.timer")["OnCalendar"] == ["*-*-* 03:00:00"]


def test_a_reload_of_the_ladder_is_the_signal_that_restarts_it() -> None:
    found = settings(DEPLOY / "referee.service")
    assert found["ExecReload"] == ["/bin/kill -HUP $MAINPID"]
    assert "--back-in 15" in found["ExecStart"][0]


def test_the_unit_of_tournaments_forbids_nothing_that_boxes_are_made_of() -> None:
    forbidding = {"ProtectHostname", "RestrictNamespaces", "ProtectKernelTunables", "ProtectKernelLogs"}
    forbidding |= {"ProtectProc", "ProcSubset", "ProtectControlGroups", "SystemCallFilter", "PrivateUsers"}
    assert forbidding.isdisjoint(settings(DEPLOY / "referee-tournament@.service"))


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("serve nonsense", UnknownGameError),
        ("serve coins --folders x", click.NoSuchOption),
        ("serve coins --jobs many", click.BadParameter),
        ("tournament verify", click.MissingParameter),
        ("tournament walk x", AssertionError),
    ],
)
def test_a_wrong_command_line_would_be_noticed(line: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        accept(line.split())


# The container.


def test_the_command_of_the_container_is_one_of_ours() -> None:
    assert json.loads(*said("ENTRYPOINT")) == ["referee"]
    context = accept(json.loads(*said("CMD")))
    assert f"http://{context.params['metrics']}/healthz" in "".join(said("HEALTHCHECK"))
    # Podman's own format of images has no room for it.
    assert "podman build --format docker " in (DEPLOY / "Containerfile").read_text()


def test_the_container_has_all_packages_and_no_root() -> None:
    copied = {source for line in said("COPY") for source in line.split()[:-1]}
    assert all((ROOT / source).exists() for source in copied)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) <= copied
    assert project["project"]["readme"] in copied
    (user,) = said("USER")
    assert user == "referee"
    order = [word for word, _ in instructions()]
    assert order[0] == "FROM"
    assert "RUN" not in order[order.index("USER") :]
    assert "bubblewrap" in " ".join(said("RUN"))


# The document.


def test_the_document_lists_exactly_the_metrics_that_exist() -> None:
    text = (ROOT / "docs" / "monitoring.md").read_text()
    source = (ROOT / "referee" / "cli" / "output" / "metrics.py").read_text()
    site = (ROOT / "tournaments" / "live" / "public_api.py").read_text()
    listed = set(re.findall(r"`referee_(\w+?)(?:_total)?[`{]", text))
    names = set(re.findall(r'^        \(\s*"(\w+)",\s', source, re.MULTILINE))
    names |= set(re.findall(r'"referee_(\w+)"', source)) | set(re.findall(r"TYPE referee_(\w+)", site))
    assert listed == names
