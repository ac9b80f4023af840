"""The hub beside its yardsticks: decisions per second, and what they cost."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from statistics import median
from typing import Literal

from benchmarks.echo import PipeEcho, SocketEcho, pipe_echo, socket_echo
from benchmarks.meter import Cost, Medians
from benchmarks.play import Cast, arena
from benchmarks.rules import bare_us
from benchmarks.samples import traffic
from benchmarks.sheet import Cell, Goal, Sheet, Size
from protocol.codec import Encoding

Costs = dict[tuple[str, int], list[Cost]]

Way = Literal["zmq", "stdio"]
Language = Literal["Python", "C"]
SPOKEN: dict[Way, str] = {"zmq": "ZeroMQ", "stdio": "stdin/stdout"}
LANGUAGES: tuple[Language, ...] = ("Python", "C")

FASTCHESS_RATE, DEALER_US = 29_000, 13
"""Decisions per second of fastchess with 8 games at once, and CPU of ACPC's dealer with 16 matches at once.

Recorded on two cores in November 2026: no package registry has them.
"""

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
    """Return who plays: many bots of each kind, then one a side, which plays all matches."""
    return (*many(bots), *(Cast(_one_a_side(way), way, 2) for way in SPOKEN))


def many(bots: int) -> tuple[Cast, ...]:
    """Return the casts of many bots."""
    return tuple(
        Cast(_title(bots, language, way), way, bots, language) for language in LANGUAGES for way in SPOKEN
    )


def measure(size: Size) -> Sequence[Sheet]:
    """Measure hub and yardsticks in turns, so that noise hits all alike."""
    costs: Costs = {}
    with ExitStack() as stack:
        yardsticks = Yardsticks(stack, size.bots)
        for _ in range(size.repetitions):
            for cast in casts(size.bots):
                # Only one hub at a time: the supervisors of idle bots do cost a little.
                with arena(cast) as stage:
                    for at_once in size.matches:
                        costs.setdefault((cast.title, at_once), []).append(
                            stage.measure(at_once, size.decisions)
                        )
                        for title, cost in yardsticks.measure(at_once, 5 * size.decisions):
                            costs.setdefault((title, at_once), []).append(cost)
                    if cast in many(size.bots):
                        costs.setdefault((cast.title, size.crowded), []).append(
                            stage.measure(size.crowded, size.decisions)
                        )
    rows: list[tuple[Cell, ...]] = []
    for (title, at_once), taken in costs.items():
        middle = Medians.of(taken)
        rows.append((title, at_once, round(middle.rate), middle.own_us, middle.referee_us, middle.all_us))
    rows.sort(key=lambda row: str(row[0]), reverse=True)
    columns = (
        "what",
        "at once",
        "decisions /s",
        "CPU µs, this process",
        "CPU µs, with its gates and supervisors",
        "CPU µs, all processes",
    )
    title = "Decisions of the hub, and round trips of an echo of the same bytes"
    return [
        Sheet(
            "hub",
            title,
            columns,
            rows,
            [*_goals(costs, size), *_echo_goals(costs, size)],
            _remarks(costs, size),
        )
    ]


def _title(bots: int, language: Language, way: Way) -> str:
    return f"hub: {bots} {language} bots, {SPOKEN[way]}"


def _one_a_side(way: Way) -> str:
    return f"hub: one {SPOKEN[way]} bot a side"


def _goals(costs: Costs, size: Size) -> list[Goal]:
    """Return what was promised beside others, for ZeroMQ beside stdin/stdout, and for very many matches."""
    most, least = max(size.matches), min(size.matches)

    def hub(language: Language, way: Way, at_once: int) -> Medians:
        return Medians.of(costs[_title(size.bots, language, way), at_once])

    best = hub("C", "stdio", most)
    bots = f"{size.bots} C bots, stdin/stdout, {most} matches"
    goals = [
        Goal(f"{bots}: decisions/s / fastchess (recorded)", best.rate / FASTCHESS_RATE, "at least", 2),
        Goal(f"{bots}: CPU of the hub / ACPC dealer (recorded)", best.own_us / DEALER_US, "at most", 1.5),
    ]
    for language in LANGUAGES:
        bots = f"{size.bots} {language} bots"
        zmq, stdio = (hub(language, way, most).referee_us for way in SPOKEN)
        figure = f"{bots}, {most} matches: CPU of hub and gates, ZeroMQ / stdin/stdout"
        goals.append(Goal(figure, zmq / stdio, "at most", 1.25))
        alone, piped = (hub(language, way, least).rate for way in SPOKEN)
        figure = f"{bots}, {least} at a time: decisions/s, ZeroMQ / stdin/stdout"
        goals.append(Goal(figure, alone / piped, "at least", 0.7))
        for way, name in SPOKEN.items():
            full = hub(language, way, size.crowded).referee_us / hub(language, way, most).referee_us
            figure = f"{bots}, {name}: CPU of hub and gates, {size.crowded} matches / {most}"
            goals.append(Goal(figure, full, "at most", 1.1))
    return goals


def _echo_goals(costs: Costs, size: Size) -> list[Goal]:
    """Return what was promised beside the echoes."""
    most, least = max(size.matches), min(size.matches)
    zmq, stdio = (Medians.of(costs[_title(size.bots, "Python", way), most]) for way in SPOKEN)
    one = Medians.of(costs[_one_a_side("stdio"), most]).own_us
    echo = Medians.of(costs[ROUTER, most])
    bots = f"{size.bots} Python bots, {most} matches"
    lone = f"one stdin/stdout bot a side, {most} matches: CPU of the hub / pipe echo"
    pipe, pipes = (Medians.of(costs[PIPE, at_once]).own_us for at_once in (least, most))
    return [
        Goal(f"ZeroMQ, {bots}: CPU of the hub / ROUTER echo", zmq.own_us / echo.own_us, "at most", 1.5),
        Goal(f"ZeroMQ, {bots}: decisions/s / ROUTER echo", zmq.rate / echo.rate, "at least", 0.5),
        Goal(f"stdin/stdout, {bots}: decisions/s / ROUTER echo", stdio.rate / echo.rate, "at least", 0.8),
        Goal(f"{lone}, {least} at a time", one / pipe, "at most", 4),
        Goal(f"{lone}, {most} in flight", one / pipes, "at most", 4),
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
    for cast in casts(size.bots):
        if cast.language == "C":
            continue  # Its messages are smaller than those of the echoes.
        pipe = PIPES if cast in many(size.bots) else PIPE
        echo = ROUTER if cast.transport == "zmq" else pipe
        least_us = Medians.of(costs[echo, most]).own_us + rules_us
        share = Medians.of(costs[cast.title, most]).own_us / least_us
        shares.append(f"{cast.title.removeprefix('hub: ')} {share:.2f}")
    return [
        f"mean bytes of a request and of an answer: {sizes}",
        f"the rules alone take {rules_us:.1f} µs of a decision (to_act, legal, view, apply, outcome)",
        f"CPU of the hub / (echo + rules), {most} matches: {', '.join(shares)}",
    ]
