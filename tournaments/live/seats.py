"""The seats of people at browsers: the pipes to the hub on one side, pages on the other.

The hub's process hands over the two pipes and the supervisor's socket of a bot; from then on this process is
that bot. A page is sent the whole state of its seat whenever it changes, so a page that is loaded again, or on
another machine, goes on where the last one was. All pages of one seat show the same, and the first answer counts.
"""

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from protocol.errors import ProtocolError
from referee.hub.feed_messages import PersonCame, SeatsOffered, SeatTaken
from tournaments.live.seat_lobby import Lobby
from tournaments.live.seat_session import NotNowError, SeatSession

_STREAMS = 8
"""Pages of one seat, or of the lobby by one address, that are open at once; a newer one closes the oldest."""

_LOBBY_STREAMS = 200
_BEAT_S = 15.0
"""After this time without news a page is sent a comment, so that a lost connection is noticed."""

_BODY_BYTES = 4_096
_CHUNK = 1 << 20


class Streams:
    """Pages that wait for news. Each gets the newest state; what it was too slow for is left out."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: dict[asyncio.Event, bool] = {}
        """Of each page whether it is still welcome."""

    def __len__(self) -> int:
        return sum(self._waiting.values())

    def wake(self) -> None:
        """Send all pages the new state."""
        for event in self._waiting:
            event.set()

    def end(self) -> None:
        """Close all pages' streams."""
        for event in self._waiting:
            self._waiting[event] = False
        self.wake()

    async def follow(self, state: Callable[[], Any]) -> AsyncIterator[bytes]:
        """Return the state as server-sent events: now, and whenever it has changed."""
        event = asyncio.Event()
        if len(self) >= self._most:
            oldest = next(each for each, is_open in self._waiting.items() if is_open)
            self._waiting[oldest] = False
            oldest.set()
        self._waiting[event] = True
        try:
            while self._waiting[event]:
                event.clear()
                yield b"data: " + msgspec.json.encode(state()) + b"\n\n"
                while not event.is_set():
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(event.wait(), _BEAT_S)
                        break
                    yield b": still here\n\n"
            yield b"event: replaced\ndata: {}\n\n"
        finally:
            del self._waiting[event]


class PersonSeat:
    """One seat: its session, its pipes while the hub plays with it, and the pages that show it."""

    def __init__(self, name: str, *, timed: bool) -> None:
        self.session = SeatSession(name, timed=timed)
        self.streams = Streams(_STREAMS)
        self._pipes: tuple[int, int] | None = None
        self._supervisor: socket.socket | None = None
        self._inbox = b""

    def connect(self, stdin: int, stdout: int, supervisor: int) -> None:
        """Be a bot of the hub on these descriptors."""
        self.close()
        self._pipes, self._supervisor = (stdin, stdout), socket.socket(fileno=supervisor)
        os.set_blocking(stdin, False)
        self._supervisor.setblocking(False)
        loop = asyncio.get_running_loop()
        loop.add_reader(stdin, self._read)
        loop.add_reader(self._supervisor, self.close)
        self.say(self.session.greet())
        self.streams.wake()

    def say(self, line: bytes) -> None:
        """Write a line to the hub; what is changed by it is shown."""
        if line and self._pipes is not None:
            with contextlib.suppress(OSError):
                os.write(self._pipes[1], line)
        self.streams.wake()

    def _read(self) -> None:
        assert self._pipes is not None
        try:
            chunk = os.read(self._pipes[0], _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self.close()
            return
        *lines, self._inbox = (self._inbox + chunk).split(b"\n")
        for line in lines:
            # A line that is no message can only be an error of ours: the match goes on.
            with contextlib.suppress(ProtocolError):
                self.say(self.session.hear(line, now_ms()))

    def close(self) -> None:
        """Close the pipes and the socket; the hub notices their end."""
        if self._pipes is None or self._supervisor is None:
            return
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._pipes[0])
        loop.remove_reader(self._supervisor)
        for end in self._pipes:
            os.close(end)
        self._supervisor.close()
        self._pipes, self._supervisor, self._inbox = None, None, b""
        self.session.leave()
        self.streams.wake()


def now_ms() -> int:
    """Return the time on a clock that is never set."""
    return time.monotonic_ns() // 1_000_000


class _Decision(msgspec.Struct, frozen=True):
    """A request about a match: its question, and the answer."""

    match: str
    ask: int = 0
    action: str = ""


class _Wish(msgspec.Struct, frozen=True):
    """A person's wish for a seat."""

    name: str
    seat: str = ""


_T = TypeVar("_T")


class Seats:
    """All seats of people at browsers, and the routes of their pages."""

    def __init__(self, report: Callable[[SeatTaken], None] = lambda _: None) -> None:
        """Begin without seats; `report` is called when a person has taken a seat, or given it back."""
        self._report = report
        self._lobby = Lobby("", "", {})
        self._seats: dict[str, PersonSeat] = {}
        self._lobby_streams = Streams(_LOBBY_STREAMS)

    # The side of the hub.

    def offer(self, message: SeatsOffered) -> None:
        """Take note of the seats there are."""
        self._lobby = Lobby(message.title, message.lobby, dict(message.links))
        self._seats = {name: PersonSeat(name, timed=message.timed) for name in dict(message.links)}

    def came(self, message: PersonCame, descriptors: Sequence[int]) -> None:
        """Be the bot of a seat that the hub has started: stdin, stdout and the supervisor's socket."""
        stdin, stdout, supervisor = descriptors
        self._seats[message.name].connect(stdin, stdout, supervisor)
        self._lobby_streams.wake()

    def close(self) -> None:
        """Close all seats and end all streams, so that the server can end."""
        for seat in self._seats.values():
            seat.close()
            seat.streams.end()
        self._lobby_streams.end()

    # The side of the pages.

    def routes(self) -> list[Route]:
        """Return the routes of the seats; every one needs the secret of a link."""
        return [
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
        self._lobby.use(_secret(request))
        self._lobby_streams.wake()
        return _stream(seat.streams, partial(self._state, seat, _secret(request)))

    def _state(self, seat: PersonSeat, secret: str) -> dict[str, Any]:
        """Return the state of a seat for the page of a secret; nothing once the seat was given back."""
        if self._lobby.seat_of(secret) != seat.session.name:
            return {"version": 1, "given_back": True}
        return seat.session.state(self._lobby.called, now_ms())

    async def _log(self, request: Request) -> Response:
        seat = self._seat(request)
        with _refusals():
            return JSONResponse(seat.session.log(request.query_params.get("match", ""), self._lobby.called))

    async def _begin(self, request: Request) -> Response:
        seat, wish = self._seat(request), await _body(request, _Decision)
        with _refusals():
            seat.say(seat.session.begin(wish.match))
        return Response(status_code=204)

    async def _act(self, request: Request) -> Response:
        seat, wish = self._seat(request), await _body(request, _Decision)
        with _refusals():
            seat.say(seat.session.act(wish.match, wish.ask, wish.action))
        return Response(status_code=204)

    async def _hint(self, request: Request) -> Response:
        seat, wish = self._seat(request), await _body(request, _Decision)
        with _refusals():
            # In a thread: a sample bot may think for a while, and others wait for their pages.
            return JSONResponse(await asyncio.to_thread(seat.session.hint, wish.match, wish.ask))

    async def _resign(self, request: Request) -> Response:
        seat, wish = self._seat(request), await _body(request, _Decision)
        with _refusals():
            seat.say(seat.session.resign(wish.match))
        return Response(status_code=204)

    async def _leave(self, request: Request) -> Response:
        seat = self._seat(request)
        self._lobby.give_back(seat.session.name)
        self._changed(seat.session.name)
        return Response(status_code=204)

    async def _lobby_events(self, request: Request) -> Response:
        self._check_lobby(request)
        return _stream(self._lobby_streams, self._lobby_state)

    def _lobby_state(self) -> dict[str, Any]:
        return self._lobby.document(name for name, seat in self._seats.items() if seat.session.is_playing)

    async def _take(self, request: Request) -> Response:
        self._check_lobby(request)
        wish = await _body(request, _Wish)
        others = {name for seat in self._seats.values() for name in seat.session.names_seen}
        with _refusals():
            token = self._lobby.take(wish.seat, wish.name, others)
        self._changed(self._lobby.seat_of(token) or "")
        return JSONResponse({"token": token})

    def _changed(self, name: str) -> None:
        """Show all people what a person calls itself now, and report it to the hub."""
        self._report(SeatTaken(name, self._lobby.called.get(name, "")))
        self._lobby_streams.wake()
        for seat in self._seats.values():
            seat.streams.wake()

    def _seat(self, request: Request) -> PersonSeat:
        name = self._lobby.seat_of(_secret(request))
        if name is None:
            raise HTTPException(401, "this link is not valid, or the seat was given back")
        return self._seats[name]

    def _check_lobby(self, request: Request) -> None:
        if not self._lobby.admits(_secret(request)):
            raise HTTPException(401, "this link is not valid")


def _secret(request: Request) -> str:
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else ""


def _stream(streams: Streams, state: Callable[[], Any]) -> Response:
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(streams.follow(state), media_type="text/event-stream", headers=headers)


async def _body(request: Request, kind: type[_T]) -> _T:
    """Return the body of a request; refuse one that is too long, or not of this kind."""
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > _BODY_BYTES:
            raise HTTPException(413, "the request is too long")
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as error:
        raise HTTPException(400, "the request is not of the form that this address takes") from error


@contextlib.contextmanager
def _refusals() -> Iterator[None]:
    """Answer what does not fit the moment with a conflict, in words for people."""
    try:
        yield
    except NotNowError as error:
        raise HTTPException(409, str(error)) from error
