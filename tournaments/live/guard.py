"""The guard in front of all routes: which requests get in, how long they take, and headers of security.

A page of another site can make a browser send requests here. It cannot read the answers, and it cannot send a
token, because there is no cookie; but what changes something is refused to it all the same. A name of another
site that leads to this host (DNS rebinding) is refused where only this host can reach the site.
"""

import asyncio
import re
import time
from collections.abc import Callable, Iterable
from html import escape
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tournaments.live.answers import Refusal, json_answer
from tournaments.live.settings import SiteLimits

METHODS: Final = ("GET", "HEAD", "POST")

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'"
)
_FRAMED: Final = re.compile(r"(?:/e/[\w-]+)?/embed/[\w-]+\.html")
"""Pages that other sites may show in a frame: they have nothing to click that changes anything."""

_UPLOAD: Final = re.compile(r"(?:/e/[\w-]+)?/api/v1/entry/[^/]+")
"""Where authors upload submissions: these may be larger, and take longer."""

_MOST_ADDRESSES: Final = 10_000
_MOST_PATH: Final = 2_000
_MOST_HEAD: Final = 16_384


class RateLimit:
    """Allows each address so many requests a second, with so many at once: a bucket of tokens for each."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def allows(self, address: str, cost: float = 1.0) -> bool:
        """Return whether one more request is allowed, and count it."""
        left = self.left(address)
        if left < cost:
            return False
        if len(self._buckets) > _MOST_ADDRESSES:
            # Those who came long ago have full buckets again; the newest is among those that are kept.
            self._buckets = dict(list(self._buckets.items())[_MOST_ADDRESSES // 2 :])
        self._buckets.pop(address, None)
        self._buckets[address] = left - cost, self._clock()
        return True

    def left(self, address: str) -> float:
        """Return how many requests of an address are allowed at once now."""
        if address not in self._buckets:
            return self._burst
        tokens, at = self._buckets[address]
        return min(self._burst, tokens + (self._clock() - at) * self._rate)


class Guard:
    """Lets requests in to the application, and its answers out."""

    def __init__(
        self,
        app: ASGIApp,
        limits: SiteLimits,
        *,
        hosts: Iterable[str] | None,
        trouble: Callable[[Exception], None],
    ) -> None:
        """Guard an application. `hosts` are the names under which it may be asked for; None: any.

        `trouble` gets an error of ours.
        """
        self._app = app
        self._limits = limits
        self._hosts = None if hosts is None else frozenset(hosts)
        self._trouble = trouble
        self._rate = RateLimit(limits.rate, limits.burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        answered = _Answered(scope, send)
        try:
            is_upload = scope["method"] == "POST" and bool(_UPLOAD.fullmatch(scope["path"]))
            most = self._limits.upload_bytes if is_upload else self._limits.body_bytes
            seconds = self._limits.upload_s if is_upload else self._limits.request_s
            async with asyncio.timeout(seconds) as patience:
                answered.patience = patience
                self._check(scope, most)
                await self._app(scope, _Body(receive, most).receive, answered.send)
        except Refusal as refusal:
            await answered.instead(refused(scope, refusal), receive)
        except TimeoutError:
            await answered.instead(PlainTextResponse("this took too long\n", 503), receive)
        except Exception as error:  # noqa: BLE001 - an error of ours ends one request and no other
            self._trouble(error)
            await answered.instead(PlainTextResponse("an error of the site\n", 500), receive)

    def _check(self, scope: Scope, most: int) -> None:
        headers = Headers(scope=scope)
        if scope["method"] not in METHODS:
            raise Refusal(405, "only GET, HEAD and POST are answered", Allow=", ".join(METHODS))
        if len(scope["raw_path"]) + len(scope["query_string"]) > _MOST_PATH:
            raise Refusal(414, "the address is too long")
        if sum(len(name) + len(value) for name, value in scope["headers"]) > _MOST_HEAD:
            raise Refusal(431, "the head of the request is too large")
        if "transfer-encoding" in headers and "content-length" in headers:
            # A proxy in front could see the end of the request in another place.
            raise Refusal(400, "the request has two lengths", Connection="close")
        if self._hosts is not None and _host_name(headers.get("host", "")) not in self._hosts:
            raise Refusal(421, "this site is not called by that name")
        address = scope["client"][0] if scope.get("client") else ""
        if not self._rate.allows(address):
            raise Refusal(429, "too many requests; try again in a few seconds", Retry_After="5")
        if scope["method"] == "POST":
            self._check_origin(headers)
        if int(headers.get("content-length", "0")) > most:
            raise Refusal(413, _too_large(most))

    @staticmethod
    def _check_origin(headers: Headers) -> None:
        """Refuse what a page of another site has sent; programs send neither of these headers."""
        asked_by, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if asked_by is not None:
            # The browser itself says so. Behind a proxy the host of the origin can be another one than ours.
            is_own = asked_by in ("same-origin", "none")
        else:
            is_own = origin is None or urlsplit(origin).netloc == headers.get("host")
        if not is_own:
            raise Refusal(403, "this was sent by a page of another site")


class _Body:
    """The body of a request, up to its largest length."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._most = self._left = most

    async def receive(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise Refusal(413, _too_large(self._most))
        return message


class _Answered:
    """The answer on its way out: gets the headers of security.

    Once it has begun it may last: a stream is open for long, and a large page takes long on a slow network. A
    reader that stands still is dropped with its connection.
    """

    def __init__(self, scope: Scope, send: Send) -> None:
        self.patience: asyncio.Timeout | None = None
        self._scope = scope
        self._send = send
        self._started = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._started = True
            headers = MutableHeaders(scope=message)
            secure(headers, self._scope["path"])
            if self.patience is not None:
                self.patience.reschedule(None)
        await self._send(message)

    async def instead(self, response: Response, receive: Receive) -> None:
        """Send another answer, if none has begun."""
        self.patience = None
        if not self._started:
            await response(self._scope, receive, self.send)


def _too_large(most: int) -> str:
    return f"the request is too large: at most {most >> 10:,} KiB are taken"


def secure(headers: MutableHeaders, path: str) -> None:
    """Add the headers of security to an answer."""
    ancestors = "*" if _FRAMED.fullmatch(path) else "'none'"
    headers["Content-Security-Policy"] = f"{_POLICY}; frame-ancestors {ancestors}"
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "no-referrer"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "cross-origin" if ancestors == "*" else "same-origin"
    headers["Permissions-Policy"] = "camera=(), geolocation=(), microphone=()"


def refused(scope: Scope, refusal: Refusal) -> Response:
    """Return the answer to a request that is refused: JSON for programs, a sentence for people."""
    path = scope["path"]
    if "/api/" in path:
        return json_answer({"error": refusal.why}, refusal.status, refusal.headers)
    if path.endswith((".html", "/")):
        return HTMLResponse(_refusal_page(path, refusal.why), refusal.status, refusal.headers)
    return PlainTextResponse(refusal.why + "\n", refusal.status, refusal.headers)


def _refusal_page(path: str, why: str) -> str:
    """Return a small page that says why a request is refused, with the way to the front page."""
    front = "../" * (path.count("/") - 1) or "./"
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Not shown</title>'
        f'<p>{escape(why[0].upper() + why[1:])}.</p><p><a href="{front}">To the front page</a></p></html>\n'
    )


def _host_name(host: str) -> str:
    """Return the name in a Host header, without its port.

    >>> _host_name("localhost:8000"), _host_name("[::1]:8000")
    ('localhost', '::1')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()
