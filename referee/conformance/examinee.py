"""Where a bot is examined over one transport: the bot at hand, and what it claims to play."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from protocol.messages import Act, Hello
from referee.conformance.conversation import Conversation
from referee.conformance.findings import SkipError
from referee.conformance.launcher import Launcher
from referee.conformance.scripted_match import ScriptedMatch
from referee.errors import ConfigError
from referee.game import Game


class Stray(NamedTuple):
    """A bot whose connection was lost after an answer: the match, the answer, and when."""

    contact: Conversation
    match: ScriptedMatch
    act: Act
    lost_s: float


class Examinee:
    """The bot over one transport. A step that fails spoils it for the next one, which gets a fresh one."""

    def __init__(self, source: Launcher, games: Sequence[Game], seats: Sequence[int]) -> None:
        self.source = source
        self._known = games
        self._seats = seats
        self.contact: Conversation | None = None
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
        return self.source.transport

    # The bot.

    def arrive(self) -> Conversation:
        """Return the bot at hand, whose hello may not have been heard."""
        if self.contact is None:
            self.contact = self.source.fresh()
        return self.contact

    def bot(self) -> Conversation:
        """Return the bot at hand, admitted."""
        contact = self.arrive()
        if contact.hello is None:
            contact.greet()
        if not self._admitted:
            contact.welcome()
            self._admitted = True
        return contact

    def drop(self) -> None:
        """Be done with the bot at hand: the next step gets a fresh one."""
        if self.contact is not None:
            self.planned = self.planned or bool(self.contact.plans)
            self.source.release(self.contact)
        self.contact = self.opened = None
        self._admitted = False

    def warm_up(self, count: int) -> None:
        """Start bots that later steps need, so that these do not wait for the start."""
        if self.source.local:
            self._spares += [self.source.fresh() for _ in range(count)]

    def another(self) -> Conversation:
        """Return a bot of its own for one step, before its hello; it is the bot at hand from now on."""
        if not self.source.local:
            raise SkipError("not applicable", "the kit did not start this bot, and cannot see its process")
        self.drop()
        self.contact = self._spares.pop() if self._spares else self.source.fresh()
        return self.contact

    def close(self) -> None:
        """End all bots of this room."""
        stray = self.stray.contact if self.stray else None
        for contact in (self.contact, stray, *self._spares):
            if contact is not None:
                contact.bid_farewell()
        self.contact = self.stray = None
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

    def tables(self) -> list[tuple[Game, int]]:
        """Return all games with all their numbers of seats."""
        return [(game, seats) for game in self.games() for seats in self.seats_of(game)]

    def match(self, table: tuple[Game, int] | None = None, seat: int = 0, **settings: Any) -> ScriptedMatch:
        """Return a match of the bot at hand, not begun; without `table` one of its first game."""
        self._matches += 1
        match = settings.pop("match", f"check-{self._matches}")
        return ScriptedMatch(self.bot(), match, *(table or self.tables()[0]), seat, **settings)

    def begun(self, table: tuple[Game, int] | None = None, seat: int = 0, **settings: Any) -> ScriptedMatch:
        """Return a match for which the bot has said that it is ready."""
        match = self.match(table, seat, **settings)
        match.begin()
        return match

    def check_claims(self) -> None:
        """Raise ConfigError for a bot that plays nothing of what it is to be examined by."""
        if not self.tables():
            claimed = ", ".join(self.hello.games) if self.hello and self.hello.games else "every game"
            known = ", ".join(game.info.id for game in self._known)
            seats = f" with {' or '.join(map(str, self._seats))} seats" if self._seats else ""
            raise ConfigError(f"nothing to play: the bot claims {claimed}; to be examined is {known}{seats}")
