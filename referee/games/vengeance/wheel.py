"""The marksmen: a spin of the wheel, and its two rifles (3.8)."""

from referee.game import Event
from referee.games.vengeance.components import GANGS
from referee.games.vengeance.contents import BLASTS, HOSTAGES, REMOVALS, SHOTS
from referee.games.vengeance.position import Position


def spin(table: Position, hirer: int, events: list[Event]) -> None:
    """Spin the wheel for a gang; R11: the first rifle shoots first."""
    board = table.board
    stop = table.chance.below("wheel", board.size)
    table.spun.append(stop)
    cells = [stop, board.opposite(stop)]
    events.append(Event({"event": "spin", "gang": GANGS[hirer], "stop": stop, "cells": cells}, None, True))
    for cell in cells:
        _shoot(table, hirer, cell, events)


def _shoot(table: Position, hirer: int, cell: int, events: list[Event]) -> None:
    """Shoot at one cell, as the table stands now."""
    kind = table.board.kinds[cell]
    if kind == "safe":
        return
    victims = (BLASTS if kind == "danger" else SHOTS)[hirer][table.cells[cell]]
    for victim in victims:
        if table.ended is not None:
            return
        content = table.cells[cell]
        table.put(cell, REMOVALS[victim][content])
        hostage = HOSTAGES[content]
        table.kill(victim, cell, "wheel", None if hostage == victim else hostage, events)
