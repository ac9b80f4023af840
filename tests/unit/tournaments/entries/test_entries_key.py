"""The key `entries`, written into tournament files as people write them."""

import tomllib
from pathlib import Path

import pytest

from tournaments.config.mistakes import PlanError
from tournaments.config.new_file import EXAMPLES, write_new
from tournaments.config.plan import read_event
from tournaments.entries.entries_key import ensure_key

HEAD = 'game = "coins"\nseed = "s"\nseats = 2\n'
BOTS = '[[bots]]\nname = "a"\nsample = "first"\n[[bots]]\nname = "b"\nsample = "first"\n'


@pytest.mark.parametrize("like", EXAMPLES)
def test_the_key_is_added_to_every_example_and_nothing_else_changes(tmp_path: Path, like: str) -> None:
    file = tmp_path / "spring.toml"
    write_new(file, like, None)
    before = file.read_text().splitlines()
    assert ensure_key(file)
    after = file.read_text().splitlines()
    added = [line for line in after if line.startswith("entries =")]
    assert len(added) == 1
    assert [line for line in after if line and line not in added] == [line for line in before if line]
    assert read_event(file).entries == tmp_path / "spring-entries"
    assert not ensure_key(file)
    assert file.read_text().splitlines() == after


@pytest.mark.parametrize(
    "text",
    [
        HEAD,
        HEAD.rstrip("\n"),
        HEAD + BOTS,
        HEAD + "\n# The bots.\n# All of them.\n" + BOTS,
        (HEAD + BOTS).replace("\n", "\r\n"),
        'accept_gaps = [\n  "memory",\n]\n' + HEAD + BOTS,
    ],
)
def test_the_line_goes_above_the_first_table(tmp_path: Path, text: str) -> None:
    file = tmp_path / 'my "spring".toml'
    file.write_bytes(text.encode())
    file.chmod(0o640)
    ensure_key(file)
    written = file.read_bytes().decode()
    assert tomllib.loads(written) == tomllib.loads(text) | {"entries": 'my "spring"-entries'}
    assert written.count("\r\n") == (written.count("\n") if "\r\n" in text else 0)
    assert file.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    "text", ["game = ", HEAD + "blocks = 'many'\n" + BOTS, 'luck = [\n  ["a"],\n]\n' + HEAD + BOTS]
)
def test_a_file_with_mistakes_stays_as_it_is(tmp_path: Path, text: str) -> None:
    file = tmp_path / "spring.toml"
    file.write_text(text)
    with pytest.raises(PlanError, match=r"spring\.toml"):
        ensure_key(file)
    assert file.read_text() == text


def test_a_list_of_lists_is_no_table(tmp_path: Path) -> None:
    file = tmp_path / "spring.toml"
    file.write_text(HEAD + "options = { a = [\n[1],\n] }\n" + BOTS)
    with pytest.raises(PlanError, match="add this line above the first line in"):
        ensure_key(file)
