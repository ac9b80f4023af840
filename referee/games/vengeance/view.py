"""What every seat may know: the whole position (section 7 of RULES.md)."""

from typing import Any

from referee.game import View
from referee.games.vengeance.components import GANGS, GONE, HQ
from referee.games.vengeance.contents import CONTENTS, Content
from referee.games.vengeance.position import Position


def view_of(position: Position, seat: int | None) -> View:
    """Return the view of a seat, or of the public; they differ in `you` alone."""
    moved = position.moved
    return {
        **position.head(seat),
        "board": position.board.name,
        "due": [GANGS[gang] for gang in position.due],
        "round": position.round,
        "first": position.rules.seat_of[position.rules.places[position.first][0]],
        "roll": list(position.roll),
        "dice": list(position.dice),
        "moved": None if moved is None else {"gang": GANGS[moved[0]], "cell": moved[1]},
        "boss_moved": position.boss_moved,
        "hires": [GANGS[gang] for gang in position.hires],
        "luck": {"dice": list(map(list, position.rolled)), "wheel": position.spun[:]},
        "cells": {_NUMBERS[cell]: _shown(content) for cell, content in enumerate(position.cells) if content},
        "gangs": {
            GANGS[gang]: _gang(position, gang, owner)
            for gang, owner in enumerate(position.rules.seat_of)
            if owner >= 0
        },
        "out": [{"gang": GANGS[gang], "cause": cause} for gang, cause in position.departed],
    }


_NUMBERS = tuple(map(str, range(100)))


def _template(content: Content | None) -> dict[str, Any]:
    if content is None:
        return {}
    held = content.hostage
    hostage = None if held is None else {"gang": GANGS[held >> 1], "boss": bool(held & 1)}
    return {"gang": GANGS[content.gang], "hoods": content.hoods, "boss": content.boss, "hostage": hostage}


_TEMPLATES = tuple(map(_template, CONTENTS))


def _shown(content: int) -> dict[str, Any]:
    shown = _TEMPLATES[content].copy()
    if shown["hostage"] is not None:
        shown["hostage"] = shown["hostage"].copy()
    return shown


def _gang(position: Position, gang: int, owner: int) -> dict[str, Any]:
    boss = position.bosses[gang]
    where = None if boss == GONE else boss if 0 <= boss < position.board.size else "hq"
    alone = position.rules.alone
    return {
        "seat": owner,
        "boss": where,
        "progress": position.board.progress(gang, boss),
        "hq": position.hq[gang],
        "pool": position.pool[gang],
        "falls": position.falls[gang],
        "locked": position.locked[gang],
        "state": standing(boss == GONE, boss == HQ, position.in_play(gang), alone),
    }


def standing(out: bool, in_hq: bool, hoods: int, alone: bool) -> str:
    """Return the state of a gang in a word (5.1): `hoods` are those in play.

    `alone`: a boss may leave his HQ without company.
    """
    if out:
        return "out"
    if hoods:
        return "active"
    if not in_hq:
        return "stranded"
    return "active" if alone else "ruined"
