"""Matches of the examined bot in which the kit plays all other seats, the same way every time."""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple

from protocol.messages import Act, Ask, End, Error, Message, Ready, Start, TimeControl
from referee.chance import KeyedChance, deal_key
from referee.conformance.conversation import Conversation
from referee.conformance.findings import UnmetError
from referee.game import Event, Game, State
from referee.match.faults import Profile
from referee.match.match import Match, Sends
from referee.match.seat import SeatConfig

THINK_MS = 50
"""The time for a decision in the clock of an ask, so that a bot that uses all its time is examined quickly.
The kit waits longer: the rest of its timeout is sent as grace."""

_SEED = "conformance"


class Crowded(NamedTuple):
    """The position with the longest list of legal actions in a match of chance."""

    state: State
    events: list[Event]
    seat: int
    legal: int


def pick(legal: Sequence[str], *about: object) -> str:
    """Return the action the house takes: one of any verb, but always the same."""
    digest = sha256(repr(about).encode()).digest()
    verbs = sorted({action.split()[0] for action in legal})
    verb = verbs[int.from_bytes(digest[:8], "big") % len(verbs)]
    same = [action for action in legal if action.split()[0] == verb]
    return same[int.from_bytes(digest[8:16], "big") % len(same)]


@cache
def crowded(game: Game, seats: int) -> Crowded:
    """Return the most crowded position of one match of this many seats."""
    state, opening = game.new(seats, KeyedChance(deal_key(_SEED, game.info.crowded)))
    events = list(opening)
    widest: Crowded | None = None
    step = 0
    while state.outcome() is None:
        turn = tuple(state.to_act())
        for seat in turn:
            legal = state.legal(seat)
            if widest is None or len(legal) > widest.legal:
                widest = Crowded(state.clone(), list(events), seat, len(legal))
            events += state.apply(seat, pick(legal, step, seat))
            step += 1
    assert widest is not None
    return widest


class ScriptedMatch:
    """One match against the house: `begin` it, then `ask` and `hear` until it is over, or `close` it."""

    def __init__(
        self,
        conversation: Conversation,
        match: str,
        game: Game,
        seats: int,
        seat: int = 0,
        *,
        names: Sequence[str] = (),
        opening: tuple[State, list[Event]] | None = None,
    ) -> None:
        assert conversation.hello is not None
        self._conversation = conversation
        self.game = game
        self.seat = seat
        wait_ms = int(conversation.patience.answer_s * 1_000)
        clock = TimeControl(wait_ms, THINK_MS, THINK_MS, 0, wait_ms)
        names = names or [f"house-{other}" for other in range(seats)]
        house = frozenset({"legal"})
        wants = frozenset(conversation.hello.wants)
        configs = [SeatConfig(name, wants if n == seat else house) for n, name in enumerate(names)]
        self.match = Match(
            match,
            game,
            configs,
            deal_key(_SEED, f"{game.info.id}:{seats}"),
            Profile("conformance", strikes=1, clock=clock),
            opening=opening,
        )
        self._queue: list[Message] = []
        """What the bot is to be sent."""
        self._asked: Ask | None = None
        self.decisions = 0

    @property
    def is_over(self) -> bool:
        """Whether the match is over for the bot, too."""
        return self.match.result is not None and not self._queue

    @property
    def asked(self) -> Ask:
        """The last ask."""
        assert self._asked is not None
        return self._asked

    def _feed(self, sends: Sends) -> None:
        """Put aside what is for the bot, and decide for the house, until the bot is to decide."""
        todo = list(sends)
        while todo:
            seat, message = todo.pop(0)
            if seat == self.seat:
                self._queue.append(message)
            elif isinstance(message, Ask):
                action = pick(message.legal or [], self.match.id, seat, message.id)
                todo += self.match.act(seat, message.id, [action], 0, 0)

    def start(self) -> Start:
        """Return the start of the match."""
        self._feed(self.match.begin(0))
        start = self._queue.pop()
        assert isinstance(start, Start)
        for other in range(len(self.match.configs)):
            if other != self.seat:
                self._feed(self.match.ready(other, 0))
        return start

    def expect_ready(self) -> None:
        """See that the bot says it is ready."""
        match = self.match.id
        self._conversation.expect(
            Ready, f"a ready with match {match!r}", "6.3", lambda ready: ready.match == match
        )
        self.readied()

    def readied(self) -> None:
        """Take note that the bot is ready."""
        self._feed(self.match.ready(self.seat, 0))

    def begin(self) -> None:
        """Send the start and see that the bot is ready."""
        self._conversation.say(self.start())
        self.expect_ready()

    def prepare(self) -> Ask | None:
        """Send all that is due but an ask, which is returned."""
        ask = None
        for message in self._queue:
            if isinstance(message, Ask):
                self._asked = ask = message
            else:
                self._conversation.say(message)
        self._queue.clear()
        return ask

    def ask(self, **changes: Any) -> bool:
        """Send what is due, `changes` in the ask; say whether there was one."""
        ask = self.prepare()
        if ask is not None:
            self._conversation.say(ask, **changes)
        return ask is not None

    def hear(self) -> Act:
        """Return the bot's answer to the open ask."""
        asked = self.asked
        return self._conversation.next_act(f"an act with match {asked.match!r} and id {asked.id}")

    def take(self, act: Act) -> None:
        """Rule on an answer and let the house play on."""
        legal = self.match.state.legal(self.seat)
        self._feed(self.match.act(self.seat, act.id, act.actions or [act.action or ""], 0, 0))
        self.decisions += 1
        for message in self._queue:
            if isinstance(message, Error):
                raise _illegal(act, legal, message.why)

    def decide(self, **changes: Any) -> bool:
        """Ask, hear and take one decision; False if the match is over instead."""
        if not self.ask(**changes):
            return False
        self.take(self.hear())
        return True

    def close(self) -> None:
        """End the match if it is not over."""
        if self.match.result is None:
            self._queue.clear()
            self._feed(self.match.abandon("the step is over"))
        self._queue = [message for message in self._queue if isinstance(message, End)]
        self.prepare()


def _illegal(act: Act, legal: Sequence[str], why: str) -> UnmetError:
    """Return what is wrong with an answer that the rules do not allow."""
    some = " | ".join(legal[:8]) + (f" | ... ({len(legal)} in all)" if len(legal) > 8 else "")
    if act.actions and len(act.actions) > 1 and act.actions[0] in legal:
        return UnmetError("a plan whose actions are legal where they are reached", why, "6.8", "plan")
    return UnmetError(f"one of the legal actions: {some}", why, "4.3")
