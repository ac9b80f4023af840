"""The marksmen: a spin of the wheel, and its two rifles (3.8)."""

from referee.game import Event
from referee.games.vengeance.components import GANGS
from referee.games.vengeance.contents import BLASTS, HOSTAGES, REMOVALS, SHOTS
from referee.games.vengeance.position import Position


def spin(position: Position, hirer: int, events: list[Event]) -> None:
    """Spin the wheel for a gang; R11: the first rifle shoots first."""
    board = position.board
    stop = position.chance.below("wheel", board.size)
    position.spun.append(stop)
    cells = [stop, board.opposite(stop)]
    events.append(Event({"event": "spun", "gang": GANGS[hirer], "stop": stop, "cells": cells}, None, True))
    for cell in cells:
        _shoot(position, hirer, cell, events)


def _shoot(position: Position, hirer: int, cell: int, events: list[Event]) -> None:
    """Shoot at one cell, as the position stands now."""
    kind = position.board.kinds[cell]
    if kind == "safe":
        return
    victims = (BLASTS if kind == "danger" else SHOTS)[hirer][position.cells[cell]]
    for victim in victims:
        if position.ended is not None:
            return
        content = position.cells[cell]
        position.put(cell, REMOVALS[victim][content])
        hostage = HOSTAGES[content]
        position.kill(victim, cell, "wheel", None if hostage == victim else hostage, events)
