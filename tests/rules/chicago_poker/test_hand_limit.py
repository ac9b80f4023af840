"""The limit of seven cards (R3), read a second time: every way to end a turn is tried out."""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import pytest

from referee.chance import KeyedChance
from referee.games.chicago_poker import GAME
from referee.games.chicago_poker.components import CARDS, GANGSTERS, NAMES, SPECIALS
from referee.games.chicago_poker.state import State
from tests.rules.acting import play, refusal
from tests.rules.chicago_poker.build import position
from tests.rules.random_games import by_verb

SIX = "R1 R2 R3 R4 R5 R6"
FIVE = "Y1 Y2 Y3 Y4 Y6"
FULL_ROW = {(1, 0): FIVE}
UNKNOWN = "?"


class Turn(NamedTuple):
    """What the rest of a turn depends on. `?` is a card that was drawn: it cannot be relied on."""

    hand: tuple[str, ...]
    actions: int
    room: int
    targets: frozenset[str]
    """The specials of Liquidation, Police Raid and Limousine that have something to act on."""
    blank: bool
    revolvers: int
    discard: tuple[str, ...]


def can_end(turn: Turn) -> bool:
    """Try everything that does not draw, until the hand has seven cards or the actions are used up."""
    if len(turn.hand) <= 7:
        return True
    return turn.actions > 0 and any(map(can_end, followers(turn)))


def followers(turn: Turn) -> Iterator[Turn]:
    """Yield the turn after each action but a draw."""
    for place, card in enumerate(turn.hand):
        rest = turn.hand[:place] + turn.hand[place + 1 :]
        after = turn._replace(hand=rest, actions=turn.actions - 1, discard=(*turn.discard, card))
        if card == "RV":
            if turn.revolvers:
                yield after._replace(actions=turn.actions + 1, revolvers=turn.revolvers - 1)
        elif card == "BR":
            for fetched in turn.discard:
                yield after._replace(hand=(*rest, fetched), discard=("BR",))
            if turn.blank and not turn.discard:
                yield after
        elif card in {"LQ", "PR", "LM"}:
            if turn.blank or card in turn.targets:
                yield after
        elif card != UNKNOWN and turn.room:
            yield after._replace(room=turn.room - 1, discard=turn.discard)


def read(state: State) -> Turn:
    """Read the turn of the active seat from its view."""
    view = state.view(state.active)
    seat, slots, options = view["you"], view["slots"], view["options"]
    mine = [slot["rows"][seat] for slot in slots if slot["kind"] is not None]
    open_rows = [
        (slot, other)
        for slot in slots
        for other, row in enumerate(slot["rows"])
        if row and other != seat and slot["kind"] is not None
    ]
    targets = {"PR"} if open_rows else set()
    if any(other not in slot["marks"] for slot, other in open_rows):
        targets.add("LQ")
    leaving = [slot for slot in slots if slot["rows"][seat] and seat not in slot["marks"]]
    if any(
        other is not slot and other["kind"] is not None and len(other["rows"][seat]) < 5
        for slot in leaving
        for other in slots
    ):
        targets.add("LM")
    return Turn(
        tuple(view["hand"]),
        view["must"] + view["may"],
        sum(5 - len(row) for row in mine),
        frozenset(targets),
        options["blank"] == "yes",
        (options["revolvers"] or 500) - view["revolvers"],
        tuple(view["discard"]),
    )


def may_draw(state: State) -> bool:
    """Return whether a draw leaves a certain way to end the turn with seven cards."""
    turn, deck = read(state), state.view(None)["deck"]
    if not deck and not turn.discard:
        return False
    drawn = turn._replace(hand=(*turn.hand, UNKNOWN), actions=turn.actions - 1)
    return can_end(drawn if deck else drawn._replace(discard=()))


def some_position(random: Random) -> State:
    """Return a position with a hand about full and hardly any room, as play at random seldom reaches it."""
    held = random.choice((7, 7, 8, 9))
    left = random.randint(1, 10 - held)
    gangsters = [name for name in NAMES[:GANGSTERS] if name[0] in "RGB"]
    specials = [NAMES[card] for card in SPECIALS]
    random.shuffle(gangsters)
    random.shuffle(specials)
    chosen = random.randint(0, min(4, held))
    thrown = random.choice((0, 0, 1, 2))
    hand = specials[:chosen] + gangsters[: held - chosen]
    discard = specials[chosen : chosen + thrown] + gangsters[20 : 20 + random.choice((0, 2))]
    rows = {(1, 0): " ".join(FIVE.split()[: random.choice((4, 5, 5, 5))])}
    if random.random() < 0.6:
        rows[1, 1] = " ".join(["P1", "P2", "P3", "P4", "P6"][: random.choice((1, 5))])
    state = position(
        kinds=random.choice(("D-", "D-", "DS")),
        rows=rows,
        hands=[" ".join(hand)],
        discard=" ".join(discard),
        deck=random.choice((None, "")),
        left=left,
        options={"blank": random.choice(("no", "yes")), "revolvers": random.choice((0, 1, 2))},
    )
    state.revolvers = random.choice((0, 0, 1))
    if random.random() < 0.3:
        state.marks[0] &= ~1
    return state


@pytest.mark.parametrize("seed", range(4))
def test_r3_exactly_those_actions_are_legal_that_leave_a_way_to_end_with_seven(seed: int) -> None:
    random, draws, refused = Random(seed), 0, 0
    for _ in range(500):
        state = some_position(random)
        if not can_end(read(state)):
            continue  # no turn comes to this
        legal = state.legal(0)
        assert ("draw" in legal) == may_draw(state)
        draws += "draw" in legal
        refused += "draw" not in legal
        naive = set(map(_key, filter(can_end, followers(read(state)))))
        for action in legal:
            if action not in {"draw", "pass"}:
                after = state.clone()
                after.apply(0, action)
                assert len(after.hands[0]) <= 7 or after.active == 0
                assert after.active == 1 or can_end(read(after)), action
        bribes = {action.removeprefix("bribe ") for action in legal if action.startswith("bribe ")} - {"-"}
        fetched = {card for card in state.view(0)["discard"] if _key_of_bribe(state, card) in naive}
        assert bribes == (fetched if "BR" in state.view(0)["hand"] else set())
    assert draws > 50 < refused


def _key(turn: Turn) -> tuple[tuple[str, ...], int]:
    return tuple(sorted(turn.hand)), turn.actions


def _key_of_bribe(state: State, card: str) -> tuple[tuple[str, ...], int]:
    turn = read(state)
    hand = list(turn.hand)
    if "BR" in hand:
        hand.remove("BR")
    return tuple(sorted([*hand, card])), turn.actions - 1


@pytest.mark.parametrize("seats", [2, 5])
@pytest.mark.parametrize("specials", ["yes", "no"])
def test_r3_in_whole_games_a_draw_is_legal_exactly_if_the_turn_can_end_with_seven(
    seats: int, specials: str
) -> None:
    random = Random(seats)
    for _ in range(6):
        options = {"specials": specials, "blank": random.choice(("no", "yes"))}
        state, _ = GAME.new(seats, KeyedChance(random.randbytes(32)), options)
        while state.to_act():
            seat = random.choice(state.to_act())
            legal = state.legal(seat)
            if state.phase == "action":
                assert ("draw" in legal) == may_draw(state)
            action = "draw" if "draw" in legal and random.random() < 0.6 else by_verb(random, legal)
            state.apply(seat, action)
            assert all(len(hand) <= 7 for other, hand in enumerate(state.hands) if other != state.active)


@pytest.mark.case("L21")
@pytest.mark.parametrize("special", ["LQ", "PR", "RV"])
def test_r3_without_room_a_special_that_can_be_played_permits_a_draw(special: str) -> None:
    rows = {**FULL_ROW, (1, 1): "G9"}
    state = position(kinds="D-", rows=rows, hands=[f"{SIX} {special}"], left=2)
    assert "draw" in state.legal(0)
    play(state, "draw")
    assert len(state.hands[0]) == 8
    assert not any(action.startswith(("draw", "play", "pass")) for action in state.legal(0))


@pytest.mark.case("L22")
@pytest.mark.parametrize("special", ["LQ", "PR", "LM", "BR"])
def test_r3_without_room_a_special_with_nothing_to_act_on_permits_none_unless_blank(special: str) -> None:
    drawn = {}
    for blank in ("no", "yes"):
        state = position(
            kinds="D-", rows=FULL_ROW, hands=[f"{SIX} {special}"], left=2, options={"blank": blank}
        )
        drawn[blank] = "draw" in state.legal(0)
    assert drawn == {"no": False, "yes": True}


@pytest.mark.case("L23")
def test_r3_without_room_a_special_that_can_be_fetched_in_time_permits_a_draw() -> None:
    rows = {**FULL_ROW, (1, 1): "G9"}
    state = position(kinds="D-", rows=rows, hands=[f"{SIX} BR"], discard="G1 PR", deck="G2 G3", left=3)
    assert "draw" in state.legal(0)
    play(state, "draw")
    assert [action for action in state.legal(0) if action.startswith("bribe")] == ["bribe PR"]
    late = position(kinds="D-", rows=rows, hands=[f"{SIX} BR"], discard="G1 PR", left=2)
    assert "draw" not in late.legal(0)


@pytest.mark.case("L24")
def test_r3_with_the_revolver_an_eighth_card_may_be_followed_by_a_ninth() -> None:
    state = position(hands=[f"{SIX} R7 RV"], left=2)
    assert "draw" in state.legal(0)
    play(state, "draw")
    assert len(state.hands[0]) == 9
    assert state.legal(0) == ["revolver"]
    assert "play the Revolver" in refusal(state, "play R1 1")
    play(state, "revolver")
    assert (len(state.hands[0]), state.must, state.may) == (8, 0, 2)
    assert not {"draw", "pass"} & set(state.legal(0))
    play(state, "play R1 1")
    assert "pass" in state.legal(0)


def test_r3_a_revolver_that_may_not_be_played_any_more_permits_no_ninth_card() -> None:
    state = position(hands=[f"{SIX} R7 RV"], left=2)
    state.revolvers = 2
    assert "draw" not in state.legal(0)


@pytest.mark.case("L25")
@pytest.mark.parametrize("watcher", [1, None])
def test_r3_nine_cards_are_imagined_with_the_revolver_among_them(watcher: int | None) -> None:
    state = position(hands=[f"{SIX} R7 R8 RV", "G1 G2"], left=1)
    for number in range(40):
        other = GAME.imagine(state.view(watcher), KeyedChance(bytes([number] * 32)))
        assert other.view(watcher) == state.view(watcher)
        assert CARDS["RV"] in other.hands[0]
        play(other, "revolver")


@pytest.mark.case("L25")
@pytest.mark.parametrize("held", [f"{SIX} R7 PR", f"{SIX} R7 PR RV"])
def test_r3_without_room_a_full_hand_is_imagined_with_a_way_to_end_the_turn(held: str) -> None:
    rows = {**FULL_ROW, (1, 1): "G9"}
    state = position(kinds="D-", rows=rows, hands=[held, "G1 G2"], left=10 - len(held.split()))
    for number in range(40):
        other = GAME.imagine(state.view(1), KeyedChance(bytes([number] * 32)))
        assert can_end(read(other)), other.hands[0]
