"""Bytes to messages and back: what the hub encodes and a gate decodes."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Any

from benchmarks.samples import traffic
from benchmarks.sheet import Cell, Sheet, Size
from protocol.codec import Encoding, encode, from_referee
from protocol.untrusted import from_bot


def measure(size: Size) -> Sequence[Sheet]:
    """Measure both directions in both encodings, with real messages."""
    said = traffic()
    rows: list[tuple[Cell, ...]] = []
    for encoding in Encoding:
        asks = [exchange.ask for exchange in said.exchanges]
        acts = [exchange.act for exchange in said.exchanges]
        encoded = [encode(act, encoding) for act in acts]
        requests = [encode(ask, encoding) for ask in asks]
        figures = [
            _us(partial(encode, encoding=encoding), asks, size),
            _us(from_bot, encoded, size),
            _us(from_referee, requests, size),
            _us(partial(encode, encoding=encoding), acts, size),
        ]
        rows.append(
            (encoding.value, said.request_bytes[encoding], said.answer_bytes[encoding], *map(float, figures))
        )
    columns = (
        "encoding",
        "ask bytes",
        "act bytes",
        "referee encodes ask µs",
        "referee decodes act µs",
        "kit decodes ask µs",
        "kit encodes act µs",
    )
    return [Sheet("codec", "Codec, one message", columns, rows)]


def _us(work: Callable[[Any], object], items: Sequence[object], size: Size) -> float:
    rounds = max(1, size.steps // len(items))
    taken: list[float] = []
    for _ in range(size.repetitions):
        began = time.process_time()
        for _ in range(rounds):
            for item in items:
                work(item)
        taken.append((time.process_time() - began) / (rounds * len(items)) * 1e6)
    return median(taken)
