"""One match of a person in the browser, without I/O: what its seat was sent, as the page shows it."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

from protocol.messages import Ask, End, Error, Seen, Start
from referee.game import View
from referee.match.faults import MEANING, FaultCode
from referee.people.explain import meanings
from referee.people.match_context import MatchContext
from referee.people.verdict import verdict
from referee.player.linker import board_source
from referee.wording import clean

Phase = Literal["ready", "others", "decide", "sent", "out", "over"]
"""What a page waits for: its person to begin, the others, a decision, the referee, the end; or nothing."""

_LATEST = 60
"""How many sentences a page gets with every state; the whole log is sent when it is asked for."""

_DAY_MS = 24 * 3_600 * 1_000
"""More time than this for one decision is no clock that a person watches."""


class SeatMatch:
    """What the page of one seat shows of one match. All of it comes from the messages to that seat."""

    def __init__(self, start: Start, *, waits: bool) -> None:
        """Begin with the first message; `waits`: the clock is real, so the person says when to begin."""
        self.context = MatchContext(start)
        self.phase: Phase = "ready" if waits else "others"
        self.ask: Ask | None = None
        self._asked_ms = 0
        self._view: View | None = None
        self._followed = 0
        """How many events the view holds."""
        self._mark = 0
        """How many events there were when the person acted last."""
        self._before: View | None = None
        """The view at that moment."""
        self._fault: dict[str, str] | None = None
        self._end: End | None = None
        self._resigned = False
        self._words: tuple[Any, ...] = ()
        """What the sentences below were made of."""
        self._said: list[str] = []
        self._legal: list[list[str]] = []

    # What happens.

    def see(self, events: list[Seen]) -> None:
        """Take events; after an answer they show that it was taken."""
        self.context.see(events)
        if events and self.phase == "sent":
            self.phase = "others"

    def decide(self, ask: Ask, now_ms: int) -> None:
        """Take a question: the person is to decide."""
        self.see(ask.events)
        self.ask, self.phase, self._asked_ms = ask, "decide", now_ms
        if ask.view is not None:
            self._view, self._followed = ask.view, len(self.context.events)

    def acted(self) -> None:
        """Take note that the person has decided."""
        self._before, self._mark = self.view(), len(self.context.events)
        self.phase = "sent"

    def told_fault(self, error: Error) -> None:
        """Take note of a fault of the person. If the match goes on for it, another question follows."""
        self._fault = {
            "code": error.code,
            "meaning": MEANING[FaultCode(error.code)],
            "why": clean(error.why),
        }
        self.ask, self.phase = None, "out"

    def resigned(self) -> None:
        """Take note that the person has given up: nothing more of this match is sent to it."""
        self._resigned = True
        self.ask, self.phase = None, "over"

    def ended(self, end: End) -> None:
        """Take the end."""
        self.see(end.events)
        self.ask, self.phase, self._end = None, "over", end

    # What is shown.

    def view(self) -> View | None:
        """Return what the seat may know of the position; None before anything was sent of it."""
        events = self.context.events
        if len(events) > self._followed:
            # An error in a game of a third party must not cost a person the match: the next ask has a view.
            with suppress(Exception):
                self._view = self.context.followed_view()
            self._followed = len(events)
        return self._view

    def names(self, called: Mapping[str, str]) -> list[str]:
        """Return the names of the seats, as their people call themselves."""
        return [called.get(name, name) for name in self.context.names]

    def sentences(self, called: Mapping[str, str]) -> list[str]:
        """Describe everything that the seat saw."""
        self._speak(self.names(called))
        return self._said

    def document(self, called: Mapping[str, str], now_ms: int) -> dict[str, Any]:
        """Return the state of the match, for the page; `called` are the people by name of their bot."""
        context, names = self.context, self.names(called)
        self._speak(names)
        first = max(0, len(self._said) - _LATEST)
        return {
            "match": context.start.match,
            "game": context.start.game,
            "title": context.game.info.title,
            "seat": context.seat,
            "names": names,
            "phase": self.phase,
            "view": self._drawn(self.view()),
            "before": self._drawn(self._before),
            "events": context.events[self._mark :],
            "said": self._said[first:],
            "said_before": first,
            "news": max(0, self._mark - first),
            "ask": self._question(now_ms),
            "fault": self._fault,
            "result": self._result(names),
        }

    def _drawn(self, view: View | None) -> View | None:
        """Return a view as boards take it: a game without a drawing has its text board in it."""
        if view is None or board_source(self.context.game) is not None:
            return view
        return view | {"text": self.context.game.draw(view)}

    def _speak(self, names: Sequence[str]) -> None:
        """Make the sentences, unless they are made of the same names and messages."""
        context, ask = self.context, self.ask
        basis = (tuple(names), len(context.events), ask and ask.id)
        if basis == self._words:
            return
        self._words = basis
        self._said = [clean(context.game.describe(event, names)) for event in context.events]
        self._legal = []
        view, legal = self.view(), ask.legal if ask is not None else None
        if legal is not None:
            known: dict[str, str] = {}
            if view is not None:
                # Without words for them, actions can still be taken.
                with suppress(Exception):
                    known = meanings(context.game, view, context.seat, legal, names)
            self._legal = [[action, clean(known.get(action, ""))] for action in legal]

    def _question(self, now_ms: int) -> dict[str, Any] | None:
        if self.ask is None or self.phase != "decide":
            return None
        clock = self.ask.clock
        is_timed = clock.move_ms + clock.bank_ms < _DAY_MS
        return {
            "id": self.ask.id,
            "legal": self._legal,
            "clock": {
                "move_ms": clock.move_ms,
                "bank_ms": clock.bank_ms,
                "grace_ms": clock.grace_ms,
                "elapsed_ms": max(0, now_ms - self._asked_ms),
            }
            if is_timed
            else None,
        }

    def _result(self, names: list[str]) -> dict[str, Any] | None:
        end = self._end
        if self._resigned:
            return _plain_result("You have resigned. The match is lost.")
        if end is None:
            return None
        if end.void:
            return _plain_result("The match was abandoned and does not count.")
        order = sorted(range(len(names)), key=lambda seat: end.ranks[seat])
        return {
            "verdict": verdict(end, names, self.context.seat),
            "reason": f"{clean(end.reason).replace('_', ' ')}. {clean(self._ending(names))}".strip(),
            "rows": [
                {
                    "seat": seat,
                    "rank": end.ranks[seat],
                    "score": end.scores[seat],
                    "fault": MEANING[FaultCode(end.faults[seat])] if end.faults[seat] else "",
                }
                for seat in order
            ],
        }

    def _ending(self, names: Sequence[str]) -> str:
        """Describe the end of the game in its own words; '' if it did not come to its end."""
        last = self.context.events[-1:]
        return self.context.game.describe(last[0], names) if last and last[0]["event"] == "ended" else ""


def _plain_result(sentence: str) -> dict[str, Any]:
    return {"verdict": sentence, "reason": "", "rows": []}
