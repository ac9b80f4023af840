"""The staff bots, from a tournament file: `referee grade` plays a bot against each of them."""

from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.hub.fixture import Fixture, Planner, deal_name
from tournaments.config.mistakes import Mistakes
from tournaments.config.plan import Plan
from tournaments.event_file import event_at

STUDENT: Final = "student"
"""The name of the graded bot in all matches: ids and deals do not depend on what it is called."""


def staff_plans(file: Path) -> list[Plan]:
    """Return the staff bots with their terms, a plan for each game; raises PlanError.

    One bot is enough: copies of it fill a match.
    """
    plans = event_at(file, is_staff=True).plans
    mistakes = Mistakes(file, file.read_text("utf-8"))
    if any(plan.format != "round-robin" for plan in plans):
        mistakes.add(
            ("format",), "has no meaning here: a graded bot meets each staff bot; leave the line out"
        )
    if any(plan.luck is not None for plan in plans):
        mistakes.add(("beacon",), "has no meaning here: the cards are the same for all; leave the line out")
    names = plans[0].names
    if STUDENT in names:
        where = ("bots", names.index(STUDENT), "name")
        mistakes.add(where, f"is the name of the graded bot: call a staff bot other than {STUDENT}")
    mistakes.raise_any()
    return plans


def planner_of(plan: Plan) -> Planner:
    """Return what names the matches and deals. Ids show nothing, and replays do not hold the seed."""
    return Planner(
        plan.game, plan.seed, plan.options, numbered_deals=True, opaque_ids=True, writes_seed=False
    )


class StaffFixture(Struct, frozen=True):
    """A match of the graded bot against copies of one staff bot."""

    fixture: Fixture
    against: str

    @property
    def programs(self) -> tuple[str, ...]:
        """The programs by seat: the copies of the staff bot are one program."""
        return tuple(STUDENT if name == STUDENT else self.against for name in self.fixture.bots)


def meeting_fixtures(plan: Plan) -> list[StaffFixture]:
    """Return all matches: each deal in all rotations against one staff bot, then against the next.

    The name of a deal has the staff bot and a number in it, and no name of a student: the cards are the same
    for all. A deal is completed before the next one is begun: the time may be over at any moment.
    """
    planner = planner_of(plan)
    return [
        StaffFixture(fixture, name)
        for number in range(1, plan.blocks + 1)
        for name in plan.names
        for fixture in planner.block(_seated(plan, name), f"{name}-{deal_name(number)}")
    ]


def _seated(plan: Plan, staff_bot: str) -> tuple[str, ...]:
    """Return the bots of a match: the graded one, and a staff bot and its copies in all other seats."""
    copies = (f"{staff_bot} ({number})" for number in range(2, plan.seats))
    return (STUDENT, staff_bot, *copies)
