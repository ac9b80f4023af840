"""Versions of the bots of a ladder: which results belong together."""

from pathlib import Path

from protocol.codec import Encoding
from referee.gate.records import Greeted
from tournaments.store.ladder_versions import MOST_VERSIONS, VersionRegister, ladder_versions_of
from tournaments.store.store import Store


def hello(version: str = "", program: str = "", kit: str = "kit 1") -> Greeted:
    return Greeted(1, [1], "x", [], ["view"], 1, None, kit, Encoding.JSON, version=version, program=program)


def kept(folder: Path, *hellos: Greeted, bot: str = "alice") -> list[str]:
    """Return under which names these hellos are kept, each by a daemon of its own."""
    names = []
    for one in hellos:
        with Store(folder / "ladder.db") as store, VersionRegister(store) as register:
            names.append(register.identify(bot, one))
    return names


def test_a_bot_without_versions_keeps_its_name(tmp_path: Path) -> None:
    assert kept(tmp_path, hello(), hello(), hello(kit="kit 2")) == ["alice", "alice", "alice"]
    with Store(tmp_path / "ladder.db", write=False) as store:
        noted = [one for _, one in ladder_versions_of(store)]
    assert [one.kit for one in noted] == ["kit 1", "kit 2"], "another library is noted, once"
    assert [one.program for one in noted] == ["", ""], "its program is not known"


def test_another_program_is_another_version_and_the_first_one_goes_on_when_it_comes_back(
    tmp_path: Path,
) -> None:
    programs = [hello(program=name) for name in ("p1", "p2", "p1", "p3", "p2")]
    assert kept(tmp_path, *programs) == ["alice", "alice@2", "alice", "alice@3", "alice@2"]


def test_a_version_has_its_name_and_another_program_under_it_is_noticed(tmp_path: Path) -> None:
    hellos = [hello("1.4", "p1"), hello("1.5", "p2"), hello("1.4", "p1"), hello("1.5", "p3")]
    assert kept(tmp_path, *hellos) == ["alice@1.4", "alice@1.5", "alice@1.4", "alice@1.5-2"]


def test_a_known_program_that_comes_back_without_its_version_goes_on_with_its_rating(tmp_path: Path) -> None:
    hellos = [hello("1.4", "p1"), hello("1.5", "p2"), hello("", "p1"), hello("", "p3"), hello("", "p2")]
    assert kept(tmp_path, *hellos) == ["alice@1.4", "alice@1.5", "alice@1.4", "alice@2", "alice@1.5"]


def test_where_no_program_is_known_the_word_of_the_author_counts(tmp_path: Path) -> None:
    hellos = [hello("1"), hello("1", "p1"), hello("1", "p2"), hello("2"), hello()]
    assert kept(tmp_path, *hellos) == ["alice@1", "alice@1", "alice@1-2", "alice@2", "alice@2"]


def test_no_bot_can_take_the_name_of_a_version_of_another(tmp_path: Path) -> None:
    assert kept(tmp_path, hello("1.4")) == ["alice@1.4"]
    assert kept(tmp_path, hello(), bot="alice@1.4") == ["alice@1.4@2"]


def test_an_account_has_a_bounded_number_of_versions(tmp_path: Path) -> None:
    with Store(tmp_path / "ladder.db") as store, VersionRegister(store) as register:
        names = {register.identify("alice", hello(str(n))) for n in range(2 * MOST_VERSIONS)}
        assert len(names) == MOST_VERSIONS
        assert register.identify("bob", hello("1")) == "bob@1"
