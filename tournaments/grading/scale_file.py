"""The file of a scale, `grade.toml`: how many points there are for what. `docs/grades.md` explains it."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from referee.errors import nearest
from tournaments.config.mistakes import Mistakes, Where
from tournaments.config.plan import Plan
from tournaments.config.toml_files import read_keys
from tournaments.rating.clustered import LEAST_DEALS

Measure = Literal["estimate", "low"]
"""The number that the scale is applied to: the win rate itself, or the lower end of its interval."""
Between = Literal["steps", "linear"]
"""The points between two thresholds: those of the lower one, or evenly more."""
Visibility = Literal["visible", "hidden", "after_due_date", "after_published"]
"""When a student sees a test; the words are Gradescope's. Other platforms hide all but `visible`."""

MOST_POINTS: Final = 1_000_000

_Line = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=100,
        pattern=r"^\S([^\x00-\x1f\x7f-\x9f]*\S)?\Z",
        description="a text of 1 to 100 characters without spaces at its ends",
    ),
]
_Points = Annotated[float, Meta(ge=0, le=MOST_POINTS, description=f"a number from 0 to {MOST_POINTS}")]
_Thresholds = Annotated[
    list[tuple[Annotated[float, Meta(ge=0, le=100)], Annotated[float, Meta(ge=0, le=MOST_POINTS)]],],
    Meta(min_length=1, description="a list of pairs [percent, points], such as [[50, 10], [80, 30]]"),
]


class CheckPoints(Struct, frozen=True):
    """The keys of `[checks]`: points for what is no match."""

    submitted: _Points = 0
    starts: _Points = 0
    conformance: _Points = 0
    no_faults: _Points = 0
    each_fault: _Points | None = None

    @property
    def total(self) -> float:
        """The points of all checks."""
        return self.submitted + self.starts + self.conformance + self.no_faults


class ScaleEntry(Struct, frozen=True):
    """One entry of `[[scale]]`: points for a win rate."""

    at: _Thresholds
    name: _Line | None = None
    against: _Line | None = None
    game: _Line | None = None
    measure: Measure | None = None
    between: Between | None = None
    visibility: Visibility | None = None


class ScaleFile(Struct, frozen=True):
    """All keys, with the defaults of those that may be left out."""

    title: _Line | None = None
    max: _Points | None = None
    measure: Measure = "estimate"
    between: Between = "steps"
    visibility: Visibility = "visible"
    stderr: bool = True
    checks: CheckPoints = CheckPoints()
    scale: tuple[ScaleEntry, ...] = ()


class RateTest(Struct, frozen=True):
    """Points for a win rate, checked, with defaults filled in."""

    name: str
    against: str | None
    """A bot of the staff; None: all of them together."""
    game: str | None
    """None: all games of the staff's file together."""
    at: tuple[tuple[float, float], ...]
    """Percent and points, both ascending."""
    measure: Measure
    between: Between
    visibility: Visibility

    @property
    def most(self) -> float:
        """The points of the highest threshold."""
        return self.at[-1][1]

    def points(self, percent: float) -> float:
        """Return the points for a win rate.

        >>> RateTest("", None, None, ((50, 10), (90, 30)), "estimate", "linear", "visible").points(70)
        20.0
        """
        below = [pair for pair in self.at if pair[0] <= percent]
        if not below:
            return 0.0
        reached, points = below[-1]
        above = self.at[len(below) :]
        if self.between == "steps" or not above:
            return points
        return points + (above[0][1] - points) * (percent - reached) / (above[0][0] - reached)


class Scale(Struct, frozen=True):
    """A scale: the tests of a grade and their points."""

    title: str
    most: float
    """Never more points than this are given; the tests may add up to more."""
    checks: CheckPoints
    tests: tuple[RateTest, ...]
    shows_stderr: bool = True
    """Whether a student sees what the bot wrote to stderr."""


def load_scale(path: Path, staff: Sequence[Plan]) -> Scale:
    """Read a scale for these staff bots; raises PlanError, which lists every mistake with its line."""
    file, mistakes = read_keys(path, ScaleFile, "scale")
    tests = [_test(file, entry) for entry in file.scale]
    for index, (test, entry) in enumerate(zip(tests, file.scale, strict=True)):
        _look_at_subject(test, ("scale", index), staff, mistakes)
        _look_at_thresholds(entry, ("scale", index, "at"), mistakes)
    _look_at_names([test.name for test in tests], mistakes)
    _look_at_sum(file, tests, mistakes)
    mistakes.raise_any()
    total = file.checks.total + sum(test.most for test in tests)
    return Scale(
        title=file.title or path.stem,
        most=total if file.max is None else file.max,
        checks=file.checks,
        tests=tuple(tests),
        shows_stderr=file.stderr,
    )


CHECK_NAMES: Final = {
    "submitted": "Submitted",
    "starts": "Starts and says hello",
    "conformance": "Follows the protocol",
    "no_faults": "Loses no match by a fault",
}
"""The names of the checks as a student reads them."""


def _test(file: ScaleFile, entry: ScaleEntry) -> RateTest:
    words = f"Against {entry.against or 'all staff bots'}{f' in {entry.game}' if entry.game else ''}"
    return RateTest(
        name=entry.name or words,
        against=entry.against,
        game=entry.game,
        at=tuple(entry.at),
        measure=entry.measure or file.measure,
        between=entry.between or file.between,
        visibility=entry.visibility or file.visibility,
    )


def concerned(test: RateTest, staff: Iterable[Plan]) -> list[tuple[Plan, str]]:
    """Return the staff bots that a test is about, each with its game's plan."""
    return [
        (plan, bot)
        for plan in staff
        for bot in plan.names
        if test.game in (None, plan.game) and test.against in (None, bot)
    ]


def _look_at_subject(test: RateTest, where: Where, staff: Sequence[Plan], mistakes: Mistakes) -> None:
    """Note a test about a bot or a game that the staff's file does not have, or about too few deals."""
    games = list(dict.fromkeys(plan.game for plan in staff))
    names = list(dict.fromkeys(name for plan in staff for name in plan.names))
    if test.game is not None and test.game not in games:
        mistakes.add((*where, "game"), f"the staff does not play {test.game!r}: {nearest(test.game, games)}")
        return
    if test.against is not None and test.against not in names:
        hint = nearest(test.against, names)
        mistakes.add((*where, "against"), f"no staff bot is called {test.against!r}: {hint}")
        return
    deals = sum(plan.blocks for plan, _ in concerned(test, staff))
    if test.measure == "low" and deals < LEAST_DEALS:
        mistakes.add(
            (*where, "measure"),
            f'"low" needs an interval, and that at least {LEAST_DEALS} deals, not {deals}: raise blocks in '
            f'{staff[0].file.name}, or write measure = "estimate"',
        )


def _look_at_thresholds(entry: ScaleEntry, where: Where, mistakes: Mistakes) -> None:
    if any(after[0] <= before[0] or after[1] <= before[1] for before, after in pairwise(entry.at)):
        mistakes.add(
            where, "must ascend: in each pair [percent, points] both are higher than in the one before"
        )
    highest = entry.at[-1][0]
    if 0 < highest <= 1:
        mistakes.add(where, f"has percentages from 0 to 100: write {100 * highest:g}, not {highest:g}")


def _look_at_names(names: Sequence[str], mistakes: Mistakes) -> None:
    taken = set(CHECK_NAMES.values())
    for index, name in enumerate(names):
        if name in taken:
            mistakes.add(("scale", index), f'another test is called {name!r}: add name = "..."')
        taken.add(name)


def _look_at_sum(file: ScaleFile, tests: Sequence[RateTest], mistakes: Mistakes) -> None:
    total = file.checks.total + sum(test.most for test in tests)
    if not total:
        mistakes.add(("scale",), "there is nothing to be graded: add points in [checks], or a [[scale]]")
    elif file.max is not None and file.max > total:
        mistakes.add(("max",), f"can never be reached: the tests add up to {total:g}, not to {file.max:g}")
    elif file.max == 0:
        mistakes.add(("max",), "is 0: leave it out, and it is what the tests add up to")
    if file.checks.each_fault is not None and not file.checks.no_faults:
        mistakes.add(("checks", "each_fault"), "is taken off no_faults, which is missing: add no_faults = 10")
