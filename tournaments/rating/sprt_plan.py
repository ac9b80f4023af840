"""How long a comparison of two versions will take: `referee sprt --plan`. Pure."""

from collections.abc import Iterator
from math import inf

from msgspec import Struct

from referee.errors import ConfigError
from tournaments.rating.basis import Basis
from tournaments.rating.power import (
    blocks_for_power,
    blocks_for_precision,
    elo_error,
    length_of_test,
    worst_score,
)
from tournaments.rating.sprt import Sprt, Unit


class PlanLine(Struct, frozen=True):
    """How much one way to an answer takes."""

    what: str
    blocks: int
    """On average, of a test that ends by itself."""
    within: int | None
    """19 of 20 such tests end within so many blocks; None of a fixed number."""
    matches: int
    seconds: float | None
    """None if it is not known how long a match takes."""


class SprtPlan(Struct, frozen=True):
    """What a comparison takes, before it is played."""

    elo0: float
    elo1: float
    unit: Unit
    alpha: float
    beta: float
    power: float
    seats: int
    basis: Basis
    lines: tuple[PlanLine, ...]
    reach: float
    """Half the interval of a difference after one block, in Elo; after n blocks divided by the root of n."""


def check_wishes(power: float, precision: float | None) -> None:
    """Refuse wishes that no number of blocks fulfils."""
    if not 0.5 <= power < 1:
        raise ConfigError(f"--power is a probability of at least 0.5 and below 1, not {power:g}")
    if precision is not None and not 0 < precision < inf:
        raise ConfigError(f"--precision is a number of Elo points above 0, not {precision:g}")


def plan_of(test: Sprt, basis: Basis, power: float, precision: float | None) -> SprtPlan:
    """Return what the test takes, and what a fixed number of blocks would have to be instead."""
    return SprtPlan(
        elo0=test.elo0,
        elo1=test.elo1,
        unit=test.unit,
        alpha=test.alpha,
        beta=test.beta,
        power=power,
        seats=test.seats,
        basis=basis,
        lines=tuple(_lines(test, basis, power, precision)),
        reach=round(elo_error(basis.sd), 2),
    )


def _lines(test: Sprt, basis: Basis, power: float, precision: float | None) -> Iterator[PlanLine]:
    between = test.hypotheses(basis.sd)
    middle = (between.low + between.high) / 2
    cases = [
        (f"test, if NEW is {test.elo0:+g} {test.unit}", between.low),
        (f"test, if NEW is {(test.elo0 + test.elo1) / 2:+g} {test.unit}", middle),
        (f"test, if NEW is {test.elo1:+g} {test.unit}", between.high),
        ("test, at the worst", worst_score(basis.sd, between)),
    ]
    if basis.score is not None:
        cases.append(("test, if NEW is as in the pilot", basis.score))
    for what, score in cases:
        length = length_of_test(score, basis.sd, between)
        yield _line(what, length.mean, length.within, test.seats, basis)
    fixed = blocks_for_power(between.low, between.high, basis.sd, test.alpha, power)
    yield _line(f"fixed number, power {power:g}", fixed, None, test.seats, basis)
    if precision is not None:
        enough = blocks_for_precision(precision, basis.sd)
        yield _line(f"fixed number, ± {precision:g} Elo", enough, None, test.seats, basis)


def _line(what: str, blocks: float, within: float | None, seats: int, basis: Basis) -> PlanLine:
    count = max(1, round(blocks))
    seconds = None if basis.time is None else round(count * seats * basis.time.seconds, 1)
    return PlanLine(what, count, None if within is None else round(within), count * seats, seconds)
