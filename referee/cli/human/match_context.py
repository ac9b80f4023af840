"""One person in one match: the other seats, the events so far, and their description."""

from textwrap import wrap

from protocol.messages import Ask, End, Seen, Start
from referee import registry
from referee.cli.human.hints import Adviser
from referee.cli.human.rulebook import Rulebook
from referee.gamelib.wording import listed
from referee.match.faults import MEANING, FaultCode
from referee.wording import clean, plural

_WHAT_TO_TYPE = (
    "Your seat is marked (you). Take an action by its number; `rules` prints the rules, `hint` what a sample "
    "bot would do, `help` everything else you can type. An action cannot be undone."
)


class MatchContext:
    """What a person knows about a match."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.game = registry.game(start.game)
        self.seat = start.seat
        self.names = [clean(name) for name in start.names]
        self.rulebook = Rulebook(registry.rules(self.game))
        self.adviser = Adviser(start)
        self.decisions = 0
        self._events: list[Seen] = []
        self._told = 0

    @property
    def name(self) -> str:
        """The person's name in this match."""
        return self.names[self.seat]

    def see(self, events: list[Seen]) -> None:
        """Store new events, and pass them on to the adviser."""
        self._events += events
        self.adviser.see(events)

    def news(self) -> list[str]:
        """Describe the events since the last call."""
        told, self._told = self._told, len(self._events)
        return self.told(told)

    def told(self, since: int = 0) -> list[str]:
        """Describe all events from this one on."""
        return [self.game.describe(event, self.names) for event in self._events[since:]]

    def introduction(self, width: int) -> list[str]:
        """Return the introduction: the game, the seats, and what to type."""
        info = self.game.info
        others = [f"{name} is @{seat}" for seat, name in enumerate(self.names)]
        paragraphs = (
            f"{info.title}: {self.rulebook.introduction or info.summary}",
            f"{plural(self.start.seats, 'seat')}, by their marks on the board: {', '.join(others)}.",
            _WHAT_TO_TYPE,
        )
        first, *rest = ([*wrap(text, width)] for text in paragraphs)
        return [*first, "", *(line for lines in rest for line in lines)]

    def ending(self) -> str:
        """Describe the end of the game in the game's own words; '' if the game did not come to its end."""
        ended = [event for event in self._events[-1:] if event["event"] == "ended"]
        return self.game.describe(ended[0], self.names) if ended else ""

    def final_board(self) -> str:
        """Draw the end as the person saw it."""
        return self.game.draw(self.game.follow(self.seat, self._events))


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


def time_left(ask: Ask) -> str:
    """Describe the time for a decision; '' if it is more than a day, as it is without --timed."""
    clock = ask.clock
    total_s = (clock.move_ms + clock.bank_ms) / 1_000
    if total_s > 86_400:
        return ""
    return f"You have {clock.move_ms / 1_000:g} s, and {clock.bank_ms / 1_000:g} s in the bank."
