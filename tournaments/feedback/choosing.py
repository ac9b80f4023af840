"""Which matches are worth a look: the closest loss, the worst blunder, a fault.

The closest loss is the match without a fault of the bot in which it was not first, and its score was the
least behind the best other one. The worst blunder is the decision after which its lead in score fell most
until it had to decide again (`tournaments.feedback.swings`); where the game shows no scores before its end,
it is the match that it lost by the largest score. The fault is the last one that lost a match, or else the
last strike. Of equal matches the earlier one is taken. Matches that are withheld are not chosen.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from referee.match.faults import FaultCode
from referee.wording import plural
from tournaments.feedback.model import FaultNote, OwnMatch


class Choice:
    """A match worth a look, and the decision in it."""

    def __init__(self, match: OwnMatch, about: str, decision: int = 0) -> None:
        self.match = match
        self.about = about
        self.decision = decision


def closest_loss(matches: Sequence[OwnMatch]) -> Choice | None:
    """Return the match that was lost by the least."""
    lost = [match for match in _shown(matches) if match.outcome == "lost" and not match.fault]
    if not lost:
        return None
    match = max(lost, key=lambda each: each.margin)
    best = max(match.others, key=lambda other: (-other.rank, other.score))
    scores = f"{match.score} to {max(other.score for other in match.others)}"
    about = f"Lost with {scores}, {_behind(match.margin)}; {best.name} was first."
    return Choice(match, about, match.decisions)


def _behind(margin: int) -> str:
    """Return in words how far a bot that lost was behind in score."""
    if margin < 0:
        return f"{plural(-margin, 'point')} behind"
    # Some games end at once when a bot reaches a goal, or have a rule for equal scores.
    return "level in score" if not margin else "though ahead in score"


def worst_blunder(matches: Sequence[OwnMatch]) -> Choice | None:
    """Return the decision after which the bot fell back most, or the match it lost by most."""
    swings = [(match, match.swing) for match in _shown(matches) if match.swing is not None]
    if swings:
        match, swing = max(swings, key=lambda pair: pair[1].drop)
        about = (
            f"After decision {swing.decision} its lead went from {swing.before:+} to {swing.after:+} until "
            "it had to decide again. That is what followed, not only what it caused."
        )
        return Choice(match, about, swing.decision)
    lost = [match for match in _shown(matches) if match.outcome == "lost" and not match.fault]
    behind = [match for match in lost if match.margin < 0]
    if not behind:
        return None
    worst = min(behind, key=lambda each: each.margin)
    return Choice(worst, f"Its largest defeat by score: {plural(-worst.margin, 'point')} behind.", 1)


def a_fault(matches: Sequence[OwnMatch]) -> Choice | None:
    """Return the last fault that lost a match, or the last strike."""
    guilty = [match for match in _shown(matches) if match.faults]
    lost = [match for match in guilty if match.fault]
    match = next(reversed(lost or guilty), None)
    if match is None:
        return None
    fault = match.faults[-1]
    return Choice(match, f"It {fault.meaning} {fault.when}. {fault.verdict}", fault.decision)


def _shown(matches: Sequence[OwnMatch]) -> Iterator[OwnMatch]:
    return (match for match in matches if match.file)


FaultKinds = list[tuple[OwnMatch, list[OwnMatch]]]
"""A match for each kind of fault, and the others in which the same happened."""


def kinds_of_faults(matches: Sequence[OwnMatch]) -> FaultKinds:
    """Return a match for each kind of fault, the last one, and the others in which the same happened.

    They are of one kind if the same causes had the same end: a bot that crashes does so in every match.
    """
    kinds: dict[tuple[frozenset[tuple[str, str]], bool], list[OwnMatch]] = {}
    for match in matches:
        if match.faults:
            is_final = any(fault.final for fault in match.faults)
            kinds.setdefault((frozenset(map(_cause, match.faults)), is_final), []).append(match)
    return [(same[-1], same[:-1]) for same in kinds.values()]


def _cause(fault: FaultNote) -> tuple[str, str]:
    """Return what a bot did wrong, without what differs each time it does so."""
    # The words of a print, and the rest of a bank, are hardly ever the same twice.
    if fault.printed:
        return (fault.code, "print")
    return (fault.code, "" if fault.code == FaultCode.LATE else fault.why)


def with_advice_once(kinds: FaultKinds) -> FaultKinds:
    """Return the same kinds of faults, each advice only where it is given first."""
    given: set[str] = set()

    def once(fault: FaultNote) -> FaultNote:
        advice = fault.printed or fault.advice
        if advice in given:
            return replace(fault, printed="", advice="")
        given.add(advice)
        return fault

    return [(replace(match, faults=tuple(map(once, match.faults))), others) for match, others in kinds]
