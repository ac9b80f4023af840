"""The seats of people at browsers: what their pages are sent, and what people do there.

A page is sent the whole state of its seat whenever it changes, so a page that is loaded again, or on another
machine, goes on where the last one was. All pages of one seat show the same, and the first answer counts.
Every route needs the secret of a link: of a seat, or of the lobby.
"""

import asyncio
import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from referee import registry
from referee.hub.feed_messages import PersonCame, SeatsOffered, SeatTaken
from tournaments.live import seat_pages
from tournaments.live.answers import Refusal, bearer_of, json_answer, read_body
from tournaments.live.guard import RateLimit
from tournaments.live.live_site import LiveSite
from tournaments.live.seat_lobby import Lobby
from tournaments.live.seat_pipes import PersonSeat, now_ms
from tournaments.live.seat_session import VERSION, NotNowError
from tournaments.live.settings import SiteLimits
from tournaments.live.sse import stream
from tournaments.live.watchers import Watchers, sse

_LOBBY = "lobby"
_STATE = "state"


def routes(site: LiveSite) -> list[Route]:
    """Return the routes of people's seats; without a hub there are none but the rules."""
    link = site.link
    if link is None:
        return seat_pages.rules_routes()
    seats = PersonSeats(site.watchers, site.settings.limits, link.send)
    link.on(SeatsOffered, lambda message, _: seats.offer(message))
    link.on(PersonCame, seats.came)
    site.at_end(seats.close)
    return [*seats.routes(), *seat_pages.rules_routes()]


class _Decision(msgspec.Struct, frozen=True):
    """A request about a match: its question, and the answer."""

    match: str
    ask: int = 0
    action: str = ""


class _Wish(msgspec.Struct, frozen=True):
    """A person's wish for a seat."""

    name: str
    seat: str = ""


class PersonSeats:
    """All seats of people at browsers, and the routes of their pages."""

    def __init__(
        self, watchers: Watchers, limits: SiteLimits, report: Callable[[SeatTaken], object] = lambda _: None
    ) -> None:
        """Begin without seats; `report` is called when a person has taken a seat, or given it back."""
        self._watchers = watchers
        self._tries = RateLimit(limits.tries / 60, limits.tries)
        self._report = report
        self._lobby = Lobby("", "", {})
        self._seats: dict[str, PersonSeat] = {}
        self._game = ""

    # The side of the hub.

    def offer(self, message: SeatsOffered) -> None:
        """Take note of the seats there are."""
        self._game = message.game
        title = registry.game(message.game).info.title
        self._lobby = Lobby(title, message.lobby, dict(message.links))
        self._seats = {
            name: PersonSeat(name, timed=message.timed, changed=self._show) for name in dict(message.links)
        }

    def came(self, message: PersonCame, descriptors: Sequence[int]) -> None:
        """Be the bot of a seat that the hub has started: stdin, stdout and the supervisor's socket."""
        stdin, stdout, supervisor = descriptors
        self._seats[message.name].connect(stdin, stdout, supervisor)

    def close(self) -> None:
        """Close all seats; the hub notices their end."""
        for seat in self._seats.values():
            seat.close()

    # What is sent to the pages.

    def _show(self, seat: PersonSeat) -> None:
        """Send the state of a seat to its pages, and to the lobby what has changed of it there."""
        topics = {_topic(secret) for secret in self._lobby.secrets_of(seat.session.name)}
        watched = topics & set(self._watchers.topics)
        if watched:
            data = self._state(seat)
            for topic in watched:
                self._watchers.publish(topic, data, _STATE)
        self._show_lobby()

    def _show_lobby(self) -> None:
        if _LOBBY in self._watchers.topics:
            self._watchers.publish(_LOBBY, self._lobby_state(), _STATE)

    def _state(self, seat: PersonSeat) -> bytes:
        return sse(_STATE, seat.session.state(self._lobby.called, now_ms()))

    def _lobby_state(self) -> bytes:
        playing = [name for name, seat in self._seats.items() if seat.session.is_playing]
        return sse(_STATE, self._lobby.document(playing))

    # What the pages ask for.

    def routes(self) -> list[Route]:
        """Return the routes of the seats and of the lobby."""
        return [
            *seat_pages.page_routes(lambda: self._game),
            Route("/seat/events", self._events, methods=["GET"]),
            Route("/seat/log", self._log, methods=["GET"]),
            Route("/seat/begin", self._begin, methods=["POST"]),
            Route("/seat/act", self._act, methods=["POST"]),
            Route("/seat/hint", self._hint, methods=["POST"]),
            Route("/seat/resign", self._resign, methods=["POST"]),
            Route("/seat/leave", self._leave, methods=["POST"]),
            Route("/lobby/events", self._lobby_events, methods=["GET"]),
            Route("/lobby/take", self._take, methods=["POST"]),
        ]

    async def _events(self, request: Request) -> Response:
        seat = self._seat(request)
        self._lobby.use(bearer_of(request))
        self._show_lobby()
        return stream(request, self._watchers, _topic(bearer_of(request)), self._state(seat))

    async def _log(self, request: Request) -> Response:
        seat = self._seat(request)
        with _refusals():
            return json_answer(seat.session.log(request.query_params.get("match", ""), self._lobby.called))

    async def _begin(self, request: Request) -> Response:
        seat, wish = self._seat(request), await read_body(request, _Decision)
        with _refusals():
            seat.say(seat.session.begin(wish.match))
        return Response(status_code=204)

    async def _act(self, request: Request) -> Response:
        seat, wish = self._seat(request), await read_body(request, _Decision)
        with _refusals():
            seat.say(seat.session.act(wish.match, wish.ask, wish.action))
        return Response(status_code=204)

    async def _hint(self, request: Request) -> Response:
        seat, wish = self._seat(request), await read_body(request, _Decision)
        with _refusals():
            # In a thread: a sample bot may think for a while, and others wait for their pages.
            return json_answer(await asyncio.to_thread(seat.session.hint, wish.match, wish.ask))

    async def _resign(self, request: Request) -> Response:
        seat, wish = self._seat(request), await read_body(request, _Decision)
        with _refusals():
            seat.say(seat.session.resign(wish.match))
        return Response(status_code=204)

    async def _leave(self, request: Request) -> Response:
        name = self._seat(request).session.name
        for secret in self._lobby.secrets_of(name):
            self._watchers.publish(
                _topic(secret), sse(_STATE, {"version": VERSION, "given_back": True}), _STATE
            )
        self._lobby.give_back(name)
        self._rename(name)
        return Response(status_code=204)

    async def _lobby_events(self, request: Request) -> Response:
        self._check_lobby(request)
        return stream(request, self._watchers, _LOBBY, self._lobby_state())

    async def _take(self, request: Request) -> Response:
        self._check_lobby(request)
        wish = await read_body(request, _Wish)
        others = {name for seat in self._seats.values() for name in seat.session.names_seen}
        with _refusals():
            name, secret = self._lobby.take(wish.seat, wish.name, others)
        self._rename(name)
        return json_answer({"token": secret})

    def _rename(self, name: str) -> None:
        """Show all people what a person calls itself now, and report it to the hub."""
        self._report(SeatTaken(name, self._lobby.called.get(name, "")))
        for other, seat in self._seats.items():
            if other != name or name in self._lobby.called:
                self._show(seat)
        self._show_lobby()

    def _seat(self, request: Request) -> PersonSeat:
        name = self._lobby.seat_of(bearer_of(request))
        if name is None:
            raise self._unknown(request)
        return self._seats[name]

    def _check_lobby(self, request: Request) -> None:
        if not self._lobby.admits(bearer_of(request)):
            raise self._unknown(request)

    def _unknown(self, request: Request) -> Refusal:
        """Return the answer to a wrong secret; an address that tries many has to wait."""
        address = request.client.host if request.client else ""
        if not self._tries.allows(address):
            return Refusal(429, "too many wrong links; try again in a minute", Retry_After="60")
        return Refusal(401, "it is unknown here, or the seat was given back", WWW_Authenticate="Bearer")


def _topic(secret: str) -> str:
    """Return the topic of the pages of one link. Those of a link that is no longer valid are sent nothing."""
    return f"seat {hashlib.sha256(secret.encode()).hexdigest()}"


@contextlib.contextmanager
def _refusals() -> Iterator[None]:
    """Answer what does not fit the moment with a conflict, in words for people."""
    try:
        yield
    except NotNowError as error:
        raise Refusal(409, str(error)) from error
