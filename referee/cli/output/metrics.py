"""`--metrics`: the state of a hub, for Prometheus at `/metrics` and for supervisors at `/healthz`.

Threads of their own answer. They only read what the hub counts anyway; names of bots are not shown. A slow
client delays no other: every connection ends after two seconds.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from http import HTTPStatus
from itertools import accumulate
from socket import AF_INET, AF_INET6, SHUT_RDWR, socket
from socketserver import ThreadingMixIn
from threading import BoundedSemaphore, Thread, Timer
from typing import TYPE_CHECKING, Any, Self, TypeVar
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import click

from referee.errors import AddressError, ConfigError
from referee.hub.counters import BOUNDS_US, Counters
from referee.hub.hub import Hub
from referee.match.clock import MS
from referee.server.addresses import check_address, is_local

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from prometheus_client.metrics_core import Metric

Command = TypeVar("Command", bound=Callable[..., Any])

_BEAT_NS = 1_000 * MS
_MOST_SILENCE_NS = 10_000 * MS
"""A hub whose loop has not turned for so long is stuck."""

_CONNECTION_S = 2.0
"""How long a connection may last."""

_MOST_CONNECTIONS = 64
"""How many connections there may be at once; more are closed, because the hub needs descriptors for bots."""


def metrics_option(command: Command) -> Command:
    """Give a command the option `--metrics ADDRESS`."""
    return click.option(
        "--metrics",
        metavar="ADDRESS",
        help="Answer /metrics and /healthz there: a port of this host, or host:port.",
    )(command)


class Metrics:
    """Answers between `__enter__` and `__exit__`. Without an address it does nothing."""

    def __init__(self, address: str | None, clock: Callable[[], int] = time.monotonic_ns) -> None:
        """Listen at once, so that a wrong address is reported before the hub starts.

        Raises AddressError if the address cannot be bound, and ConfigError if Prometheus' library is missing.
        """
        self._hub: Hub | None = None
        self._clock = clock
        self._beat_ns = 0
        self._late_ns = 0
        self._server: _Server | None = None
        if address is None:
            return
        answer = _application(self)
        host, port = _host_and_port(address)
        try:
            self._server = _Server(host, port, answer)
        except OSError as error:
            raise AddressError(f"--metrics: cannot listen at {address}: {error.strerror}") from error
        self._thread = Thread(target=self._server.serve_forever, name="metrics", daemon=True)

    @property
    def address(self) -> str:
        """The URL at which it answers; '' if it does not."""
        return "" if self._server is None else self._server.url

    def __enter__(self) -> Self:
        if self._server is not None:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()

    def watch(self, hub: Hub) -> None:
        """Report the state of this hub from now on. Called in its thread."""
        if self._server is not None:
            self._hub = hub
            self._beat(self._clock())

    def _beat(self, due_ns: int) -> None:
        """Note that the hub's loop turns, and how late it is."""
        assert self._hub is not None
        self._beat_ns = self._clock()
        self._late_ns = self._beat_ns - due_ns
        next_ns = self._beat_ns + _BEAT_NS
        self._hub.loop.at(next_ns, lambda: self._beat(next_ns))

    def health(self) -> tuple[bool, dict[str, object]]:
        """Return whether the hub is well, and its state."""
        hub = self._hub
        if hub is None:
            return False, {"status": "starting"}
        silent_ns = self._clock() - self._beat_ns
        well = silent_ns < _MOST_SILENCE_NS
        status = ("draining" if hub.draining else "ok") if well else "stuck"
        return well, {"status": status, "running": len(hub.in_play), "silent_s": round(silent_ns / 1e9, 1)}

    def collect(self) -> "Iterator[Metric]":
        """Return all metrics; Prometheus' library calls this for every request."""
        if self._hub is not None:
            yield from _families(self._hub, self._late_ns)


class _Collector:
    """The metrics of a hub at one moment."""

    def __init__(self, hub: Hub, late_ns: int) -> None:
        self._hub = hub
        self._late_ns = late_ns

    def collect(self) -> "Iterator[Metric]":
        yield from _families(self._hub, self._late_ns)


def metrics_text(hub: Hub, late_ns: int = 0) -> str:
    """Return the metrics of a hub in the text format of Prometheus; '' without its library."""
    try:
        from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
    except ImportError:
        return ""
    registry = CollectorRegistry()
    registry.register(_Collector(hub, late_ns))
    ProcessCollector(registry=registry)
    return generate_latest(registry).decode()


def _families(hub: Hub, late_ns: int) -> "Iterator[Metric]":
    yield from _counters(hub.counts)
    yield from _gauges(hub, late_ns)
    yield _times(hub.counts)


def _counters(counts: Counters) -> "Iterator[Metric]":
    from prometheus_client.core import CounterMetricFamily

    for name, value, help_text in (
        ("matches_begun", counts.begun, "Matches begun."),
        ("matches_finished", counts.finished, "Matches on disk and reported, void ones included."),
        ("matches_void", counts.void, "Matches without a verdict, through no fault of a bot."),
        ("decisions", counts.decisions, "Decisions taken in matches that are reported."),
        (
            "charged_seconds",
            counts.times.charged_us / 1e6,
            "Time charged to the clocks of bots, after grace.",
        ),
    ):
        yield CounterMetricFamily(f"referee_{name}", help_text, value=value)
    faults = CounterMetricFamily("referee_faults", "Matches lost by a fault.", labels=["code"])
    for code, count in counts.faults.items():
        faults.add_metric([code], count)
    yield faults


def _gauges(hub: Hub, late_ns: int) -> "Iterator[Metric]":
    from prometheus_client.core import GaugeMetricFamily

    counts = hub.counts
    waiting = 0 if hub.draining else max(0, counts.submitted - counts.begun)
    for name, value, help_text in (
        ("bots", hub.connected, "Bots that are connected or being started."),
        ("matches_running", len(hub.in_play), "Matches that are being played."),
        ("matches_waiting", waiting, "Matches in the queue."),
        ("archive_backlog", counts.ended - counts.finished, "Matches over but not reported yet."),
        ("draining", int(hub.draining), "1 when no more matches are begun."),
        ("loop_late_seconds", late_ns / 1e9, "How late the loop was at its last beat."),
    ):
        yield GaugeMetricFamily(f"referee_{name}", help_text, value=value)


def _times(counts: Counters) -> "Metric":
    from prometheus_client.core import HistogramMetricFamily

    bounds = [*(f"{us / 1e6:g}" for us in BOUNDS_US), "+Inf"]
    buckets = list(zip(bounds, accumulate(counts.times.took), strict=True))
    help_text = "Time that bots' decisions really took, in matches that are over."
    total = counts.times.took_us / 1e6
    return HistogramMetricFamily("referee_decision_seconds", help_text, buckets, sum_value=total)


def _application(metrics: Metrics) -> "WSGIApplication":
    """Return the application that answers requests."""
    try:
        # An extra: imported only where it is wanted.
        from prometheus_client import CollectorRegistry, ProcessCollector, make_wsgi_app
    except ImportError as error:
        raise ConfigError(
            "--metrics needs Prometheus' library: pip install 'chicago-referee[metrics]'"
        ) from error
    registry = CollectorRegistry()
    registry.register(metrics)
    ProcessCollector(registry=registry)
    prometheus = make_wsgi_app(registry)

    def answer(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]]) -> None:
            # Otherwise wsgiref names itself and the version of Python.
            start_response(status, [*headers, ("Server", "referee")])

        if environ["PATH_INFO"] == "/metrics":
            page: Iterable[bytes] = prometheus(environ, start)
            return page
        if environ["PATH_INFO"] == "/healthz":
            well, state = metrics.health()
            status = HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE
            kind, body = "application/json", json.dumps(state).encode() + b"\n"
        else:
            status, kind, body = HTTPStatus.NOT_FOUND, "text/plain", b"/metrics and /healthz are here\n"
        start(f"{status.value} {status.phrase}", [("Content-Type", kind)])
        return [body]

    return answer


def _host_and_port(address: str) -> tuple[str, int]:
    full = check_address(address)
    if not full.startswith("tcp://"):
        raise AddressError(f"--metrics: {address!r} is no port, and no host:port")
    if not is_local(full):
        click.echo(f"Warning: every host that reaches {address} can read the metrics.", err=True)
    host, _, port = full.removeprefix("tcp://").rpartition(":")
    return host.strip("[]"), int(port)


class _Server(ThreadingMixIn, WSGIServer):
    """Answers every request in a thread of its own.

    Not `prometheus_client.start_http_server`: that one limits neither connections nor their time.
    """

    daemon_threads = True

    def __init__(self, host: str, port: int, application: "WSGIApplication") -> None:
        self.address_family = AF_INET6 if ":" in host else AF_INET
        self._free = BoundedSemaphore(_MOST_CONNECTIONS)
        super().__init__((host, port), _Request)
        self.set_app(application)
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{self.server_address[1]}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer, unless there are too many connections."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and close the connection when its time is over, even in the middle of an answer."""
        end = Timer(_CONNECTION_S, _close, (request,))
        end.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            end.cancel()
            self._free.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a connection that broke."""


def _close(connection: socket) -> None:
    with suppress(OSError):
        connection.shutdown(SHUT_RDWR)


class _Request(WSGIRequestHandler):
    """One request."""

    server_version = "referee"
    sys_version = ""

    def log_message(self, format: str, *args: object) -> None:
        """Keep no log of requests."""
