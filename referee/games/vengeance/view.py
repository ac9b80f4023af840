"""What everybody may know: the whole table (section 7 of RULES.md)."""

from typing import Any

from referee.game import View
from referee.games.vengeance.components import GANGS, GONE, HOODS, HQ
from referee.games.vengeance.contents import CONTENTS, Content
from referee.games.vengeance.position import Position


def view_of(table: Position, seat: int | None) -> View:
    """Return the view of a seat, or of the public; they differ in `you` alone."""
    ended, moved, board = table.ended, table.moved, table.board
    return {
        "you": seat,
        "seats": table.seats,
        "options": dict(table.rules.options),
        "board": board.name,
        "phase": table.phase,
        "active": table.active,
        "due": [GANGS[gang] for gang in table.due],
        "turn": table.turn,
        "round": table.round,
        "first": table.rules.seat_of[table.rules.places[table.first][0]],
        "roll": list(table.roll),
        "dice": list(table.dice),
        "moved": None if moved is None else {"gang": GANGS[moved[0]], "cell": moved[1]},
        "boss_moved": table.boss_moved,
        "hires": [GANGS[gang] for gang in table.hires],
        "luck": {"dice": list(map(list, table.rolled)), "wheel": table.spun[:]},
        "cells": {_NUMBERS[cell]: _shown(content) for cell, content in enumerate(table.cells) if content},
        "gangs": {
            GANGS[gang]: _gang(table, gang, owner)
            for gang, owner in enumerate(table.rules.seat_of)
            if owner >= 0
        },
        "out": [{"gang": GANGS[gang], "cause": cause} for gang, cause in table.departed],
        "ranking": None if ended is None else list(ended.ranks),
        "reason": None if ended is None else ended.reason,
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


def _gang(table: Position, gang: int, owner: int) -> dict[str, Any]:
    boss, pool = table.bosses[gang], table.pool[gang]
    where = None if boss == GONE else boss if 0 <= boss < table.board.size else "hq"
    alone = table.rules.alone
    return {
        "seat": owner,
        "boss": where,
        "progress": table.board.progress(gang, boss),
        "hq": table.hq[gang],
        "pool": pool,
        "falls": table.falls[gang],
        "locked": table.locked[gang],
        "state": standing(boss == GONE, boss == HQ, pool, alone),
    }


def standing(out: bool, in_hq: bool, pool: int, alone: bool) -> str:
    """Return the state of a gang in a word (5.1); `alone`: a boss may leave his HQ without company."""
    if out:
        return "out"
    if pool < HOODS:
        return "active"
    if not in_hq:
        return "stranded"
    return "active" if alone else "ruined"
