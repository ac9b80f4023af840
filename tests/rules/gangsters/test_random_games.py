"""What must hold in every game, with any options: tiles, masks, order, secrecy of the piles, luck."""

from collections import Counter
from random import Random

import pytest

from referee.chance import KeyedChance
from referee.games.gangsters import GAME
from referee.games.gangsters.components import COPIES, DEAD, EMPTY, GANGS, NAMES, TILES
from referee.games.gangsters.grid import CELL_NAMES, LINE_CELLS, steps
from referee.games.gangsters.spelling import LAYING
from referee.games.gangsters.state import State
from tests.rules.random_games import by_verb, games

NUMBERS: dict[str, list[str | int]] = {
    "piles": [1, 2, 3, 4],
    "cartridges": [0, 1, 2, 3],
    "quiet_per_seat": [1, 4],
    "ply_cap": [60, 1000],
    "target": [8, 17, 200],
    "first": ["0", "1", "lot"],
}
VERBS = ["own", "common", "draw", "blind", "put", "move", "shoot", "first"]


def every_tile(state: State) -> Counter[int]:
    tiles = Counter(entry % DEAD for entry in state.board if entry != EMPTY)
    tiles.update(3 * state.gangs[s] + fi - 1 for s, fis in enumerate(state.reserves) for fi in fis)
    tiles.update([*state.common, *state.removed, *([state.drawn] if state.drawn >= 0 else [])])
    tiles.update(kind for pile in state.piles for kind in pile)
    return tiles


def canonical(action: str) -> tuple[object, ...]:
    """Return where an action belongs in a legal list, found in another way than the list is made."""
    verb, *words = action.split(" ")
    if verb == "move":
        start, end = words
        across, down = ord(end[0]) - ord(start[0]), int(end[1]) - int(start[1])
        far = abs(across + down)
        way = [(0, -1), (0, 1), (-1, 0), (1, 0)].index((across // far, down // far))
        return (VERBS.index(verb), CELL_NAMES.index(words[0]), way, far)
    if verb == "first":
        return (VERBS.index(verb), not words[0].isdigit())
    places = [CELL_NAMES.index(word) if word in CELL_NAMES else -1 for word in words]
    tile = (GANGS.index(words[0][0]), words[0][1]) if verb == "common" else words[0]
    return (VERBS.index(verb), "" if verb in ("put", "shoot") else tile, max(places), words[-1])


@pytest.mark.case("V3")
@pytest.mark.parametrize("seed", range(12))
def test_tiles_are_conserved_and_bounds_kept(seed: int) -> None:
    for state, (seats, options, random) in games(GAME.new, GAME.info, seed, **NUMBERS):
        longest, widest = GAME.longest(seats, options), GAME.widest(seats, options)
        actions = 0
        while state.to_act():
            (seat,) = state.to_act()
            legal = state.legal(seat)
            assert 0 < len(legal) == len(set(legal)) <= widest
            assert legal == sorted(legal, key=canonical)
            assert state.fallback(seat) == legal[0]
            state.apply(seat, by_verb(random, legal))
            actions += 1
            assert every_tile(state) == Counter(dict.fromkeys(range(len(NAMES)), COPIES))
            lying = sum(entry != EMPTY for entry in state.board)
            assert state.left == TILES - lying - len(state.removed)
            if actions % 40 == 0 and seats - len(state.withdrawn) > 2:
                state.withdraw(random.randrange(seats))
        assert actions <= longest
        outcome = state.outcome()
        assert outcome is not None
        assert min(outcome.ranks) == 1
        if outcome.reason == "full":
            assert len(state.complete) == len(LINE_CELLS)


@pytest.mark.parametrize("seed", range(6))
def test_masks_and_lists_of_actions_agree_with_the_board(seed: int) -> None:
    for state, (_, _, random) in games(GAME.new, GAME.info, 500 + seed, **NUMBERS):
        while state.to_act():
            state.apply(state.active, by_verb(random, state.legal(state.active)))
            entries = list(enumerate(state.board))
            assert state.free == sum(1 << cell for cell, entry in entries if entry == EMPTY)
            assert [bool(flag) for flag in state.vacant] == [entry == EMPTY for entry in state.board]
            assert state.live == sum(1 << cell for cell, entry in entries if entry < DEAD)
            for gang in range(len(GANGS)):
                mine = sum(1 << cell for cell, entry in entries if entry < DEAD and entry // 3 == gang)
                assert state.alive[gang] == mine
            full = {n for n, cells in enumerate(LINE_CELLS) if all(state.board[c] != EMPTY for c in cells)}
            assert set(state.complete) == full
            assert state.frozen == sum(1 << c for c in {c for line in full for c in LINE_CELLS[line]})
            for cell, texts in enumerate(state.steps):
                free = [to for to in steps(cell) if state.board[to] == EMPTY]
                moves = tuple(f"move {CELL_NAMES[cell]} {CELL_NAMES[to]}" for to in free)
                assert texts == (moves if (state.live & ~state.frozen) >> cell & 1 else None)
            for source, found in state.rows.items():
                assert found == [LAYING[source][cell] for cell, entry in entries if entry == EMPTY]


@pytest.mark.case("V1")
def test_no_view_shows_what_lies_in_the_piles() -> None:
    looked = 0
    for seed in range(200):
        seats = 2 + seed % 3
        random = Random(seed)
        state, _ = GAME.new(seats, KeyedChance(random.randbytes(32)))
        while state.to_act():
            views = [state.view(seat) for seat in (*range(seats), None)]
            for view, seat in zip(views, (*range(seats), None), strict=True):
                assert view.pop("you") == seat
            assert all(view == views[0] for view in views[1:])
            assert sum(views[0]["unseen"].values()) == sum(views[0]["piles"])
            hidden = Counter(NAMES[kind] for pile in state.piles for kind in pile)
            assert Counter(views[0]["unseen"]) == hidden
            if hidden:
                # The same position with every pile turned over looks the same.
                turned = state.clone()
                turned.piles = [pile[::-1] for pile in turned.piles]
                assert turned.view(None) == state.view(None)
                looked += turned.reveal() != state.reveal()
            state.apply(state.active, by_verb(random, state.legal(state.active)))
    assert looked > 1000


@pytest.mark.case("V2")
def test_equal_luck_and_actions_give_equal_events_and_other_luck_shows_at_the_first_reveal() -> None:
    for seed in range(10):
        random = Random(seed)
        key = random.randbytes(32)
        state, events = GAME.new(3, KeyedChance(key))
        twin, others = GAME.new(3, KeyedChance(key))
        stranger = GAME.imagine(state.view(None), KeyedChance(random.randbytes(32)))
        assert others == events
        parted = False
        while state.to_act():
            action = by_verb(random, state.legal(state.active))
            events = state.apply(state.active, action)
            assert twin.apply(twin.active, action) == events
            if not parted:
                told = stranger.apply(stranger.active, action)
                revealed = [event for event in events if event.kind in ("drawn", "refilled")]
                parted = told != events
                assert not parted or revealed
                assert parted or stranger.view(1) == state.view(1)
        assert parted


@pytest.mark.case("V6")
def test_a_recorded_game_replays_to_the_same_end() -> None:
    for seats in (2, 3, 4):
        random = Random(seats)
        key = random.randbytes(32)
        state, _ = GAME.new(seats, KeyedChance(key))
        taken = []
        while state.to_act():
            taken.append((state.active, by_verb(random, state.legal(state.active))))
            state.apply(*taken[-1])
        again, _ = GAME.new(seats, KeyedChance(key))
        for seat, action in taken:
            again.apply(seat, action)
        assert (again.reveal(), again.outcome()) == (state.reveal(), state.outcome())


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_any_tile_is_equally_likely_to_be_drawn(seats: int) -> None:
    """Chi-square of the first drawn tile against its exact probability, from fixed keys."""
    deals = 3000
    state, _ = GAME.new(seats, KeyedChance(bytes(32)))
    rest = [COPIES - (gang in state.gangs) for gang in range(len(GANGS)) for _ in range(3)]
    drawn: Counter[str] = Counter()
    for deal in range(deals):
        state, _ = GAME.new(seats, KeyedChance(deal.to_bytes(32, "big")))
        drawn[state.apply(0, f"draw {1 + deal % 2}")[0].public["tile"]] += 1
    square = 0.0
    for name, copies in zip(NAMES, rest, strict=True):
        expected = deals * copies / sum(rest)
        square += (drawn[name] - expected) ** 2 / expected
    assert square < 31.3  # 11 degrees of freedom: one in a thousand is above
