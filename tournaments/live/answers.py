"""What all routes of the site use to read requests and to answer them."""

import gzip
import hashlib
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

Body = TypeVar("Body")

_WORTH_BYTES: Final = 1_000
_WORTH_SHARE: Final = 0.9
_KEPT: Final = "no-cache"
"""A browser keeps an answer, but asks each time whether it is still the same."""


_PIECE_BYTES: Final = 65_536


class Refusal(Exception):  # noqa: N818 - an answer, not an error of ours
    """A request that is refused: the status, and a sentence for the visitor."""

    def __init__(self, status: int, why: str, **headers: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class Content:
    """Bytes that are the same for every visitor, and the mark by which browsers know them again.

    They are compressed once, where that pays; no secret of a visitor is in them.
    """

    __slots__ = ("data", "etag", "kind", "packed")

    def __init__(self, data: bytes, kind: str) -> None:
        self.data = data
        self.kind = kind
        self.etag = f'W/"{hashlib.sha256(data).hexdigest()[:24]}"'
        packed = gzip.compress(data, 5, mtime=0) if len(data) > _WORTH_BYTES else b""
        self.packed = packed if len(packed) < _WORTH_SHARE * len(data) else b""


class _InPieces(Response):
    """An answer that is written as fast as its reader reads: only a piece of it waits for a slow one."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        for at in range(0, len(self.body), _PIECE_BYTES):
            piece = bytes(self.body[at : at + _PIECE_BYTES])
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body"})


def answer(request: Request, content: Content) -> Response:
    """Answer with content, or that the browser has it already."""
    headers = {"ETag": content.etag, "Cache-Control": _KEPT, "Vary": "Accept-Encoding"}
    if content.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if content.packed and "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return _InPieces(content.packed, media_type=content.kind, headers=headers)
    return _InPieces(content.data, media_type=content.kind, headers=headers)


def json_answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Answer with JSON that is not to be kept."""
    data = msgspec.json.encode(value)
    return Response(data, status, {"Cache-Control": "no-store", **(headers or {})}, "application/json")


async def read_body(request: Request, kind: type[Body]) -> Body:
    """Return the JSON of a request as this type. Raises Refusal for anything else.

    A form of another site can send no JSON, so the type of the content is part of the protection.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refusal(415, "send application/json")
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except msgspec.DecodeError as error:
        raise Refusal(400, f"the JSON of the request is not as documented: {error}") from error


def bearer_of(request: Request) -> str:
    """Return the token of a request; '' if it has none. Tokens are never in addresses, which are logged."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
