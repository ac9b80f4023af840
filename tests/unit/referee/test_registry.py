"""Games are found by themselves, from inside and outside, and what is wrong with one is said in a line."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import referee.games
from referee import registry
from referee.errors import RefereeError, UnknownGameError
from tests.lacking import unmeasured


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder on the path in which games can be installed, and forget them afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    registry.forget()
    yield tmp_path
    registry.forget()


def install(folder: Path, id: str, target: str, **modules: str) -> None:
    """Lay down a distribution that offers one game, with its modules."""
    info = folder / f"some_{id}-2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: some-{id}\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text(f"[referee.games]\n{id} = {target}\n")
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)


def test_a_game_from_outside_is_found_by_its_entry_point() -> None:
    coins = registry.game("coins")
    assert coins.info.title == "Coins"
    assert registry.games()["coins"] is coins
    assert type(coins).__module__ == "coins"


def test_a_subprocess_finds_it_too_and_only_while_it_is_installed() -> None:
    command = [sys.executable, "-c", "from referee import registry; print(registry.ids())"]
    root = Path(referee.__file__).parents[1]
    found = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    alone = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True, env={})
    assert "coins" in found.stdout
    assert "coins" not in alone.stdout


def test_no_file_of_the_product_knows_the_game_from_outside() -> None:
    root = Path(referee.__file__).parent
    assert not [path for path in root.rglob("*.py") if "import coins" in path.read_text("utf-8")]
    assert not (root / "games" / "coins").exists()


def test_every_folder_of_games_is_found_under_its_own_name() -> None:
    folder = Path(referee.games.__file__).parent
    names = {path.parent.name.replace("_", "-") for path in folder.glob("*/__init__.py")}
    assert names <= set(registry.ids())
    assert set(registry.ids()) - names == {"coins"}


def test_games_are_sorted_and_loaded_once() -> None:
    games = registry.games()
    assert list(games) == sorted(games) == registry.ids()
    assert all(registry.game(id) is game for id, game in games.items())
    assert all(id == game.info.id for id, game in games.items())


def test_an_unknown_game_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownGameError, match="there is no game 'coin': did you mean coins"):
        registry.game("coin")
    with pytest.raises(UnknownGameError, match=r"choose one of: .*coins"):
        registry.game("xyzzy")


def test_two_games_of_one_id_are_refused_with_both_places(outside: Path) -> None:
    install(outside, "coins", "other_coins:GAME")
    both = r"two games are called coins: entry point other_coins:GAME of some-coins 2.0 and .*coins:GAME"
    with pytest.raises(RefereeError, match=both):
        registry.games()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import no_such_module", "No module named 'no_such_module'"),
        ("", "has no attribute 'GAME'"),
        ("GAME = 7", "is no Game but int"),
        ("from coins import GAME", "calls itself coins"),
    ],
)
def test_a_broken_game_is_named_with_its_reason_and_hurts_no_other(
    outside: Path, monkeypatch: pytest.MonkeyPatch, text: str, reason: str
) -> None:
    install(outside, "broken", "broken_game:GAME", broken_game=text)
    monkeypatch.delitem(sys.modules, "broken_game", raising=False)
    report = rf"the game broken \(entry point broken_game:GAME of some-broken 2.0\).*{reason}"
    with pytest.raises(RefereeError, match=report):
        registry.games()
    with pytest.raises(RefereeError, match=report):
        registry.game("broken")
    assert registry.game("coins").info.id == "coins"
    sys.modules.pop("broken_game", None)


def test_asking_for_a_list_loads_no_game(outside: Path) -> None:
    install(outside, "broken", "broken_game:GAME", broken_game="1 / 0")
    assert "broken" in registry.ids()


def test_rules_are_read_beside_the_code() -> None:
    assert registry.rules(registry.game("coins")).startswith("# Coins\n")


def test_a_game_without_rules_is_reported(outside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "from coins import Coins\nclass Bare(Coins): pass\nGAME = Bare()\n"
    install(outside, "bare", "bare_game:GAME", bare_game=text)
    bare = __import__("bare_game").GAME
    with pytest.raises(RefereeError, match=r"has no RULES\.md beside bare_game"):
        registry.rules(bare)
    sys.modules.pop("bare_game")


def test_finding_games_imports_nothing_heavy() -> None:
    heavy = {"asyncio", "click", "msgpack", "rich", "sqlite3", "zmq"}
    code = f"import sys; from referee import registry; registry.ids(); print(*{heavy} & set(sys.modules))"
    root = Path(referee.__file__).parents[1]
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=root, env=unmeasured(), capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
