"""`--metrics`: how a hub is doing, for Prometheus at `/metrics` and for supervisors at `/healthz`.

Threads of their own answer. They read what the hub counts anyway and change nothing; names of bots are not
told. Nobody who asks can keep others waiting: each has two seconds in all, however he spends them.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import accumulate
from socket import AF_INET, AF_INET6, SHUT_RDWR, socket
from threading import BoundedSemaphore, Thread, Timer
from typing import TYPE_CHECKING, Any, Self, TypeVar

import click

from referee.errors import AddressError, ConfigError
from referee.hub.counters import BOUNDS_US, Counters
from referee.hub.hub import Hub
from referee.match.clock import MS
from referee.server.daemon import check_address, is_local

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import Metric

Command = TypeVar("Command", bound=Callable[..., Any])

_BEAT_NS = 1_000 * MS
_MOST_SILENCE_NS = 10_000 * MS
"""A hub that has not turned for so long is not well."""

_PATIENCE_S = 2.0
"""How long somebody who asks may take for it, from coming to going."""

_MOST_ASKING = 64
"""How many may ask at the same time; others are hung up upon: the hub needs its descriptors for bots."""


def metrics_option(command: Command) -> Command:
    """Give a command the option `--metrics ADDRESS`."""
    return click.option(
        "--metrics",
        metavar="ADDRESS",
        help="Answer /metrics and /healthz there: a port of this host, or host:port.",
    )(command)


class Metrics:
    """Answers as long as it is entered. Without an address it does nothing."""

    def __init__(self, address: str | None) -> None:
        """Listen at once, so that a wrong address is known in good time.

        Raises AddressError if nobody can listen there, and ConfigError if Prometheus' library is missing.
        """
        self._hub: Hub | None = None
        self._beat_ns = 0
        self._late_ns = 0
        self._server: _Server | None = None
        if address is None:
            return
        registry = _registry(self)
        host, port = _host_and_port(address)
        try:
            self._server = _Server(host, port, registry, self)
        except OSError as error:
            raise AddressError(f"--metrics: cannot listen at {address}: {error.strerror}") from error
        self._thread = Thread(target=self._server.serve_forever, name="metrics", daemon=True)

    @property
    def address(self) -> str:
        """Where it answers, for people; '' if it does not."""
        return "" if self._server is None else f"http://{self._server.told}"

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
        """Tell of this hub from now on. Called in its thread."""
        if self._server is not None:
            self._hub = hub
            self._beat(time.monotonic_ns())

    def _beat(self, due_ns: int) -> None:
        """Note that the hub's loop turns, and how late it is."""
        assert self._hub is not None
        self._beat_ns = time.monotonic_ns()
        self._late_ns = self._beat_ns - due_ns
        next_ns = self._beat_ns + _BEAT_NS
        self._hub.loop.at(next_ns, lambda: self._beat(next_ns))

    def health(self) -> tuple[bool, dict[str, object]]:
        """Say whether the hub is well, and how it is doing."""
        hub = self._hub
        if hub is None:
            return False, {"status": "starting"}
        silent_ns = time.monotonic_ns() - self._beat_ns
        well = silent_ns < _MOST_SILENCE_NS
        status = ("draining" if hub.draining else "ok") if well else "stuck"
        return well, {"status": status, "running": len(hub.tables), "silent_s": round(silent_ns / 1e9, 1)}

    def collect(self) -> "Iterator[Metric]":
        """Return everything there is to tell; called by Prometheus' library when somebody asks."""
        if self._hub is not None:
            yield from _counters(self._hub.counts)
            yield from _gauges(self._hub, self._late_ns)
            yield _times(self._hub.counts)


def _counters(counts: Counters) -> "Iterator[Metric]":
    from prometheus_client.core import CounterMetricFamily

    for name, value, told in (
        ("matches_begun", counts.begun, "Matches begun."),
        ("matches_finished", counts.finished, "Matches on disk and reported, void ones included."),
        ("matches_void", counts.void, "Matches without a verdict, through no fault of a bot."),
        ("decisions", counts.decisions, "Decisions taken in matches that are reported."),
    ):
        yield CounterMetricFamily(f"referee_{name}", told, value=value)
    faults = CounterMetricFamily("referee_faults", "Matches lost by a fault.", labels=["code"])
    for code, count in counts.faults.items():
        faults.add_metric([code], count)
    yield faults


def _gauges(hub: Hub, late_ns: int) -> "Iterator[Metric]":
    from prometheus_client.core import GaugeMetricFamily

    counts = hub.counts
    waiting = 0 if hub.draining else max(0, counts.submitted - counts.begun)
    for name, value, told in (
        ("bots", len(hub.sessions), "Bots that are connected or being started."),
        ("matches_running", len(hub.tables), "Matches that are being played."),
        ("matches_waiting", waiting, "Matches in the queue."),
        ("archive_backlog", counts.ended - counts.finished, "Matches over but not reported yet."),
        ("draining", int(hub.draining), "1 when no more matches are begun."),
        ("loop_late_seconds", late_ns / 1e9, "How late the loop was at its last beat."),
    ):
        yield GaugeMetricFamily(f"referee_{name}", told, value=value)


def _times(counts: Counters) -> "Metric":
    from prometheus_client.core import HistogramMetricFamily

    bounds = [*(f"{us / 1e6:g}" for us in BOUNDS_US), "+Inf"]
    buckets = list(zip(bounds, accumulate(counts.thought), strict=True))
    told = "Time of bots' decisions that counted on their clocks, in matches that are over."
    return HistogramMetricFamily("referee_decision_seconds", told, buckets, sum_value=counts.thought_us / 1e6)


def _registry(metrics: Metrics) -> "CollectorRegistry":
    try:
        # An extra, and so imported only where it is wanted.
        from prometheus_client import CollectorRegistry, ProcessCollector
    except ImportError as error:
        raise ConfigError(
            "--metrics needs Prometheus' library: pip install 'chicago-referee[metrics]'"
        ) from error
    registry = CollectorRegistry()
    registry.register(metrics)
    ProcessCollector(registry=registry)
    return registry


def _host_and_port(address: str) -> tuple[str, int]:
    full = check_address(address)
    if not full.startswith("tcp://"):
        raise AddressError(f"--metrics: {address!r} is no port, and no host:port")
    if not is_local(full):
        click.echo(f"Warning: anybody who reaches {address} can read the metrics.", err=True)
    host, _, port = full.removeprefix("tcp://").rpartition(":")
    return host.strip("[]"), int(port)


class _Server(ThreadingHTTPServer):
    """Answers every question in a thread of its own."""

    def __init__(self, host: str, port: int, registry: "CollectorRegistry", metrics: Metrics) -> None:
        self.address_family = AF_INET6 if ":" in host else AF_INET
        self.registry = registry
        self.metrics = metrics
        self._places = BoundedSemaphore(_MOST_ASKING)
        super().__init__((host, port), _Answer)
        shown = f"[{host}]" if ":" in host else host
        self.told = f"{shown}:{self.server_address[1]}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer, if there is a place for somebody who asks."""
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and hang up when the time is over, even in the middle of a word."""
        end = Timer(_PATIENCE_S, _hang_up, (request,))
        end.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            end.cancel()
            self._places.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of somebody who hung up."""


def _hang_up(caller: socket) -> None:
    with suppress(OSError):
        caller.shutdown(SHUT_RDWR)


class _Answer(BaseHTTPRequestHandler):
    """One question."""

    server: _Server
    server_version = "referee"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer."""
        if self.path == "/healthz":
            well, told = self.server.metrics.health()
            self._say(200 if well else 503, "application/json", json.dumps(told).encode() + b"\n")
        elif self.path == "/metrics":
            from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

            self._say(200, CONTENT_TYPE_LATEST, generate_latest(self.server.registry))
        else:
            self._say(404, "text/plain", b"/metrics and /healthz are here\n")

    def _say(self, code: int, kind: str, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep no log of questions."""
