"""How a match ended, in words: the order of the seats, and the result in a sentence."""

from protocol.messages import End
from referee.gamelib.wording import listed
from referee.match.faults import MEANING, FaultCode
from referee.wording import plural


def standing(end: End, names: list[str], ending: str = "") -> list[str]:
    """Describe how a match ended, the best seat first; `ending` is the end in the words of the game."""
    if end.void:
        return ["The match was abandoned and does not count."]
    lines = [f"The match is over: {end.reason.replace('_', ' ')}. {ending}".rstrip()]
    for seat in sorted(range(len(names)), key=lambda seat: end.ranks[seat]):
        fault = f", {_meaning(end.faults[seat])}" if end.faults[seat] else ""
        lines.append(f"  {end.ranks[seat]}. {names[seat]} (@{seat}), {_points(end.scores[seat])}{fault}")
    return lines


def verdict(end: End, names: list[str], you: int | None) -> str:
    """Describe the result in a sentence: the seats that won, the score of each, and the place of a person."""
    if end.void:
        return ""
    order = sorted(range(len(names)), key=lambda seat: end.ranks[seat])
    best = [seat for seat in order if end.ranks[seat] == 1]
    rest = [_compared(end, names, seat, you) for seat in order if end.ranks[seat] > 1]
    sentence = "; ".join(filter(None, [_first(end, names, best, you), ", ".join(rest)])) + "."
    is_between = you is not None and end.ranks[you] > 1 and len(names) > 2
    place = f" You are number {end.ranks[you]} of {len(names)}." if you is not None and is_between else ""
    return sentence[0].upper() + sentence[1:] + place


def _first(end: End, names: list[str], best: list[int], you: int | None) -> str:
    """Describe the seats in the first place."""
    called = listed(["you" if seat == you else names[seat] for seat in best])
    is_draw = len(best) > 1 and end.ties == "draw"
    verb = "have" if is_draw else "win" if len(best) > 1 or best == [you] else "wins"
    # After a forfeit the score of a seat that won is no reason for it.
    score = "" if any(end.faults) and not is_draw else _points(end.scores[best[0]])
    if is_draw:
        return f"a draw: {called} {verb} {score}"
    return f"{called} {verb} with {score}" if score else f"{called} {verb}"


def _compared(end: End, names: list[str], seat: int, you: int | None) -> str:
    """Describe a seat behind the first place."""
    if seat == you:
        fault = f"are out by a fault ({end.faults[seat]})" if end.faults[seat] else ""
        return f"you {fault or f'have {end.scores[seat]}'}"
    return f"{names[seat]} {_meaning(end.faults[seat]) if end.faults[seat] else f'has {end.scores[seat]}'}"


def _meaning(fault: str) -> str:
    return f"{MEANING[FaultCode(fault)]} ({fault})"


def _points(score: int) -> str:
    return plural(score, "point")
