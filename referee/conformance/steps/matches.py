"""Steps of whole matches: every game and number of seats, and several at once."""

from protocol.messages import Ready
from referee.conformance.examinee import Examinee
from referee.conformance.findings import Finding, SkipError
from referee.conformance.step import StepNote, step

AT_ONCE = 16
"""Matches at once, if the bot claims so many."""

DECISIONS = 40
"""Decisions of the bot in a match, but in those of the fewest seats, which are played to their end."""


@step(
    "capacity",
    "Plays as many matches at once as it claims (16 of them at most are tried), interleaved.",
    "6.5",
    needs=["next-match"],
)
def capacity(examinee: Examinee, _case: str) -> StepNote | None:
    """Start all, then ask all, twice, before any answer is looked at; the last ends first."""
    assert examinee.hello is not None
    count = min(examinee.hello.capacity, AT_ONCE)
    if count == 1:
        raise SkipError(Finding.NOT_APPLICABLE, "it claims to play one match at a time")
    conversation = examinee.bot()
    setups = examinee.setups()
    begun = [examinee.match(setups[n % len(setups)]) for n in range(count)]
    matches = {match.match.id: match for match in begun}
    for match in matches.values():
        conversation.say(match.start())
    waiting = set(matches)
    while waiting:
        expected = f"a ready for each of {count} matches; still to come: {', '.join(sorted(waiting)[:4])}"
        ready = conversation.expect(Ready, expected, "6.5", lambda ready: ready.match in waiting)
        waiting.discard(ready.match)
        matches[ready.match].readied()
    for _ in range(2):
        asked = [match for match in matches.values() if match.ask()]
        for _ in asked:
            act = conversation.next_act(
                f"an act for each of {len(asked)} open asks, with their matches and ids"
            )
            matches[act.match].take(act)
    for match in reversed(matches.values()):
        match.close()
    return None


def _setups(examinee: Examinee) -> list[str]:
    return [f"{game.info.id}, {seats} seats" for game, seats in examinee.setups()]


@step(
    "whole-match",
    "Plays a match of each game and number of seats it claims, without a fault.",
    "6.4",
    needs=["next-match"],
    cases=_setups,
)
def whole_match(examinee: Examinee, case: str) -> StepNote | None:
    """Play against the house."""
    number = _setups(examinee).index(case)
    game, seats = examinee.setups()[number]
    match = examinee.begun((game, seats), number % seats)
    most = examinee.decisions or (None if seats == game.info.least_seats else DECISIONS)
    while match.decide() and match.decisions != most:
        pass
    match.close()
    return None


MATCHES = (capacity, whole_match)
