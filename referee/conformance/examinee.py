"""Where a bot is examined over one transport: the bot at hand, and what it claims to play."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from protocol.messages import Act, Hello
from referee.conformance.conversation import Conversation
from referee.conformance.findings import Finding, SkipError
from referee.conformance.launcher import Launcher
from referee.conformance.scripted_match import ScriptedMatch
from referee.errors import ConfigError
from referee.game import Game


class Stray(NamedTuple):
    """A bot whose connection was lost after an answer: the match, the answer, and when."""

    conversation: Conversation
    match: ScriptedMatch
    act: Act
    lost_s: float


class Examinee:
    """The bot over one transport. A step that fails spoils it for the next one, which gets a fresh one."""

    def __init__(
        self, launcher: Launcher, games: Sequence[Game], seats: Sequence[int], decisions: int | None = None
    ) -> None:
        self.launcher = launcher
        self.decisions = decisions
        """The most decisions of the bot in a match; None: a few matches are played to their end."""
        self._known = games
        self._seats = seats
        self.conversation: Conversation | None = None
        """The bot at hand."""
        self.hello: Hello | None = None
        """What the bot first said of itself."""
        self.opened: ScriptedMatch | None = None
        """A match of the bot at hand that has begun and no more."""
        self.planned = False
        """Whether it has ever sent a plan."""
        self.stray: Stray | None = None
        """The bot whose connection was lost, to see whether it comes back."""
        self._admitted = False
        self._spares: list[Conversation] = []
        self._matches = 0

    @property
    def transport(self) -> str:
        """The transport."""
        return self.launcher.transport

    # The bot.

    def arrive(self) -> Conversation:
        """Return the bot at hand, whose hello may not have been heard."""
        if self.conversation is None:
            self.conversation = self.launcher.fresh()
        return self.conversation

    def bot(self) -> Conversation:
        """Return the bot at hand, admitted."""
        conversation = self.arrive()
        if conversation.hello is None:
            conversation.greet()
        if not self._admitted:
            conversation.welcome()
            self._admitted = True
        return conversation

    def drop(self) -> None:
        """Be done with the bot at hand: the next step gets a fresh one."""
        if self.conversation is not None:
            self.planned = self.planned or bool(self.conversation.plans)
            self.launcher.release(self.conversation)
        self.conversation = self.opened = None
        self._admitted = False

    def warm_up(self, count: int) -> None:
        """Start bots that later steps need, so that these do not wait for the start."""
        if self.launcher.local:
            self._spares += [self.launcher.fresh() for _ in range(count)]

    def another(self) -> Conversation:
        """Return a bot of its own for one step, before its hello; it is the bot at hand from now on."""
        if not self.launcher.local:
            raise SkipError(
                Finding.NOT_APPLICABLE, "the kit did not start this bot, and cannot see its process"
            )
        self.drop()
        self.conversation = self._spares.pop() if self._spares else self.launcher.fresh()
        return self.conversation

    def close(self) -> None:
        """End all bots of this examinee."""
        stray = self.stray.conversation if self.stray else None
        for conversation in (self.conversation, stray, *self._spares):
            if conversation is not None:
                conversation.bid_farewell()
        self.conversation = self.stray = None
        self._spares.clear()

    # What it plays.

    def games(self) -> list[Game]:
        """Return the games that the bot claims, as far as they are known here and asked for."""
        claimed = self.hello.games if self.hello else []
        return [game for game in self._known if not claimed or game.info.id in claimed]

    def seats_of(self, game: Game) -> list[int]:
        """Return the numbers of seats that the game is played with here."""
        every = range(game.info.least_seats, game.info.most_seats + 1)
        return [seats for seats in every if not self._seats or seats in self._seats]

    def setups(self) -> list[tuple[Game, int]]:
        """Return all games with all their numbers of seats."""
        return [(game, seats) for game in self.games() for seats in self.seats_of(game)]

    def match(self, setup: tuple[Game, int] | None = None, seat: int = 0, **settings: Any) -> ScriptedMatch:
        """Return a match of the bot at hand, not begun; without `setup` one of its first game."""
        self._matches += 1
        match = settings.pop("match", f"check-{self._matches}")
        return ScriptedMatch(self.bot(), match, *(setup or self.setups()[0]), seat, **settings)

    def begun(self, setup: tuple[Game, int] | None = None, seat: int = 0, **settings: Any) -> ScriptedMatch:
        """Return a match for which the bot has said that it is ready."""
        match = self.match(setup, seat, **settings)
        match.begin()
        return match

    def check_claims(self) -> None:
        """Raise ConfigError for a bot that plays nothing of what it is to be examined by."""
        if not self.setups():
            claimed = ", ".join(self.hello.games) if self.hello and self.hello.games else "every game"
            known = ", ".join(game.info.id for game in self._known)
            seats = f" with {' or '.join(map(str, self._seats))} seats" if self._seats else ""
            raise ConfigError(f"nothing to play: the bot claims {claimed}; to be examined is {known}{seats}")
