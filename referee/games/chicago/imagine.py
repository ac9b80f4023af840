"""A whole state that fits a view. Nothing is hidden but the luck to come, so there is only one."""

from collections.abc import Mapping
from typing import Any

from referee.game import Event, View
from referee.gamelib.turns import OVER
from referee.games.chicago.components import GANGS, NOBODY, PARTS, PAWN_NUMBERS, PAWNS
from referee.games.chicago.ending import finish, goals_of
from referee.games.chicago.state import State


def fill(state: State, view: View) -> None:
    """Take over what the view shows."""
    state.enter_part(PARTS.index(view["part"]))
    state.round = view["round"]
    state.points, state.bank = view["points"], view["ring_bank"]
    if view["due"]:
        state.gang = GANGS.index(view["due"][0])
        state.cursor = state.order.index(state.gang)
    state.deeds = dict(view["owner"])
    state.owner = [NOBODY if gang is None else GANGS.index(gang) for gang in state.deeds.values()]
    for gang in range(state.gangs):
        _copy_gang(state, gang, view["gangs"][GANGS[gang]])
    if view["duel"] is not None:
        _copy_duel(state, view["duel"])
    if state.phase == OVER:
        unseen: list[Event] = []
        finish(state, [goals_of(state, seat) for seat in range(state.seats)], unseen)


def _copy_gang(state: State, gang: int, seen: Mapping[str, Any]) -> None:
    state.cash[gang], state.reserve[gang] = seen["cash"], seen["reserve"]
    state.tokens[gang], state.bought[gang] = seen["tokens"], list(seen["bought"])
    state.members[gang] = [PAWN_NUMBERS[name] for name, _, _ in seen["members"]]
    state.rings[gang * PAWNS] = 0  # the founder may be dead
    for name, rings, at in seen["members"]:
        pawn = PAWN_NUMBERS[name]
        state.rings[pawn] = rings
        if at is not None:
            state.put(pawn, state.board.numbers[at])
        state.show(pawn)


def _copy_duel(state: State, duel: Mapping[str, Any]) -> None:
    """Leave the square to the defenders, where the attackers stand as well."""
    state.attackers = [PAWN_NUMBERS[name] for name in duel["attackers"]]
    state.chooser = GANGS.index(duel["picks"])
    state.holder[state.place[state.attackers[0]]] = PAWN_NUMBERS[duel["defenders"][0]] // PAWNS
