"""Prints what a scale grades."""

from collections.abc import Sequence
from typing import Any

import click

from referee.cli.output.printer import show_facts, show_json, show_table
from referee.wording import plural
from tournaments.config.plan import Plan
from tournaments.grading.scale_file import CHECK_NAMES, RateTest, Scale


def show_scale(plans: Sequence[Plan], scale: Scale, *, as_json: bool) -> None:
    """Print what is graded, and how much is played for it."""
    checks = {CHECK_NAMES[key]: getattr(scale.checks, key) for key in CHECK_NAMES}
    rows = [(name, points, "") for name, points in checks.items() if points]
    rows += [(test.name, test.most, _thresholds(test)) for test in scale.tests]
    matches = sum(plan.blocks * plan.seats * len(plan.bots) for plan in plans)
    if as_json:
        show_json(_document(plans, scale, matches))
        return
    facts = [
        ("title", scale.title),
        ("points", f"{scale.most:g}"),
        ("games", ", ".join(dict.fromkeys(plan.game for plan in plans))),
        ("staff bots", ", ".join(dict.fromkeys(name for plan in plans for name in plan.names))),
        ("matches", f"{plural(matches, 'match')}, each deal in all rotations"),
        ("level", plans[0].level),
    ]
    show_facts(facts)
    click.echo()
    cells = [(name, f"{points:g}", how) for name, points, how in rows]
    show_table(("test", "points", "for"), cells, numbers=("points",), aligned_in_pipes=True)


def _thresholds(test: RateTest) -> str:
    """Return the thresholds of a test in words."""
    steps = ", ".join(f"{points:g} from {percent:g} %" for percent, points in test.at)
    rest = [
        "of the lower end" if test.measure == "low" else "",
        "evenly between" if test.between == "linear" else "",
        test.visibility if test.visibility != "visible" else "",
    ]
    return "; ".join(filter(None, [steps, *rest]))


def _document(plans: Sequence[Plan], scale: Scale, matches: int) -> dict[str, Any]:
    return {
        "title": scale.title,
        "max": scale.most,
        "games": [plan.game for plan in plans],
        "staff": [name for plan in plans for name in plan.names],
        "matches": matches,
        "checks": scale.checks,
        "tests": scale.tests,
    }
