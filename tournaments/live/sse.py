"""Server-sent events as an answer to a request."""

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from tournaments.live.watchers import StreamWatcher, Watchers

KIND = "text/event-stream"


def stream(request: Request, watchers: Watchers, topic: str, *first: bytes) -> Response:
    """Answer with the messages of a topic, the present state first. Raises Refusal if there are too many."""
    if request.method == "HEAD":
        return Response(media_type=KIND)
    address = request.client.host if request.client else ""
    watcher = watchers.open(topic, address)
    for data in first:
        watcher.put(data)
    return _EventStream(watchers, watcher, address)


class _EventStream(StreamingResponse):
    """The messages of one watcher, which is forgotten at the end of the answer, however it ends."""

    def __init__(self, watchers: Watchers, watcher: StreamWatcher, address: str) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(watcher.messages(), media_type=KIND, headers=headers)
        self._watchers = watchers
        self._watcher = watcher
        self._address = address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._watchers.close(self._watcher, self._address)
