"""The hub beside its yardsticks: decisions per second, and what they cost."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from statistics import median

from benchmarks.echo import PipeEcho, SocketEcho, pipe_echo, socket_echo
from benchmarks.meter import Cost, Medians
from benchmarks.play import Cast, arena
from benchmarks.rules import bare_us
from benchmarks.samples import traffic
from benchmarks.sheet import Cell, Goal, Sheet, Size
from protocol.codec import Encoding

Costs = dict[tuple[str, int], list[Cost]]

ROUTER = "echo: ROUTER, many DEALERs"
PIPES = "echo: pipes, many processes"
PIPE = "echo: pipe, one process"
GATHERED = "echo: pipe, one process, writes gathered"


class Yardsticks:
    """All echoes, there for the whole run: idle they cost nothing."""

    def __init__(self, stack: ExitStack, bots: int) -> None:
        said = traffic()
        ask, act = said.request_bytes, said.answer_bytes
        pipe = ask[Encoding.JSON], act[Encoding.JSON]
        self.router: SocketEcho = stack.enter_context(
            socket_echo(bots, ask[Encoding.MSGPACK], act[Encoding.MSGPACK])
        )
        self.pipes: PipeEcho = stack.enter_context(pipe_echo(bots, *pipe))
        self.pipe: PipeEcho = stack.enter_context(pipe_echo(1, *pipe))

    def measure(self, in_flight: int, count: int) -> Iterator[tuple[str, Cost]]:
        """Measure each."""
        yield ROUTER, self.router.measure(in_flight, count)
        yield PIPES, self.pipes.measure(in_flight, count)
        yield PIPE, self.pipe.measure(in_flight, count)
        yield GATHERED, self.pipe.measure(in_flight, count, gathered=True)


def casts(bots: int) -> tuple[Cast, ...]:
    """Return who plays."""
    return (
        Cast(f"hub: {bots} ZeroMQ bots", "zmq", bots),
        Cast(f"hub: {bots} stdin/stdout bots", "stdio", bots),
        Cast("hub: one stdin/stdout bot a side", "stdio", 2),
        Cast("hub: one ZeroMQ bot a side", "zmq", 2),
    )


def measure(size: Size) -> Sequence[Sheet]:
    """Measure hub and yardsticks in turns, so that noise hits all alike."""
    costs: Costs = {}
    troupe = casts(size.bots)
    with ExitStack() as stack:
        yardsticks = Yardsticks(stack, size.bots)
        for _ in range(size.repetitions):
            for cast in troupe:
                # Only one hub at a time: the supervisors of idle bots do cost a little.
                with arena(cast) as stage:
                    for at_once in size.matches:
                        costs.setdefault((cast.title, at_once), []).append(
                            stage.measure(at_once, size.decisions)
                        )
                        for title, cost in yardsticks.measure(at_once, 5 * size.decisions):
                            costs.setdefault((title, at_once), []).append(cost)
    rows: list[tuple[Cell, ...]] = []
    for (title, at_once), taken in costs.items():
        middle = Medians.of(taken)
        rows.append((title, at_once, round(middle.rate), middle.own_us, middle.all_us))
    rows.sort(key=lambda row: str(row[0]), reverse=True)
    columns = ("what", "at once", "decisions /s", "CPU µs, this process", "CPU µs, all processes")
    title = "Decisions of the hub, and round trips of an echo of the same bytes"
    return [Sheet("hub", title, columns, rows, _goals(costs, size), _remarks(costs, size))]


def _goals(costs: Costs, size: Size) -> list[Goal]:
    most = max(size.matches)
    many_zmq, many_stdio, one_stdio, _ = (cast.title for cast in casts(size.bots))
    echo = Medians.of(costs[ROUTER, most])

    def hub(title: str) -> Medians:
        return Medians.of(costs[title, most])

    where = f"{size.bots} bots, {most} matches"
    one = hub(one_stdio).own_us
    return [
        Goal(
            f"ZeroMQ, {where}: CPU of the hub / ROUTER echo",
            hub(many_zmq).own_us / echo.own_us,
            "at most",
            1.5,
        ),
        Goal(f"ZeroMQ, {where}: decisions/s / ROUTER echo", hub(many_zmq).rate / echo.rate, "at least", 0.5),
        Goal(
            f"stdin/stdout, {where}: decisions/s / ROUTER echo",
            hub(many_stdio).rate / echo.rate,
            "at least",
            0.8,
        ),
        Goal(
            f"one stdin/stdout bot, {most} matches: CPU of the hub / pipe echo, one at a time",
            one / Medians.of(costs[PIPE, min(size.matches)]).own_us,
            "at most",
            4,
        ),
        Goal(
            f"one stdin/stdout bot, {most} matches: CPU of the hub / pipe echo, {most} in flight",
            one / Medians.of(costs[PIPE, most]).own_us,
            "at most",
            4,
        ),
    ]


def _remarks(costs: Costs, size: Size) -> list[str]:
    said = traffic()
    most = max(size.matches)
    rules_us = median(bare_us(size.steps) for _ in range(size.repetitions))
    sizes = ", ".join(
        f"{encoding.value} {said.request_bytes[encoding]} and {said.answer_bytes[encoding]}"
        for encoding in Encoding
    )
    shares: list[str] = []
    for cast, echo in zip(casts(size.bots), (ROUTER, PIPES, PIPE, ROUTER), strict=True):
        least_us = Medians.of(costs[echo, most]).own_us + rules_us
        share = Medians.of(costs[cast.title, most]).own_us / least_us
        shares.append(f"{cast.title.removeprefix('hub: ')} {share:.2f}")
    return [
        f"mean bytes of a request and of an answer: {sizes}",
        f"the rules alone take {rules_us:.1f} µs of a decision (to_act, legal, view, apply, outcome)",
        f"CPU of the hub / (echo + rules), {most} matches: {', '.join(shares)}",
    ]
