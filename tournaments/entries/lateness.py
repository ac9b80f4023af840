"""Whether a submission is too late, and what its author reads then."""

from collections.abc import Sequence
from contextlib import suppress

from referee.errors import RefereeError
from tournaments.config.late import too_late
from tournaments.config.plan import Plan
from tournaments.config.store_address import Address
from tournaments.entries.submissions import Submitted
from tournaments.store.store import Store


def waits_for(plans: Sequence[Plan], submitted: Submitted, bot: str) -> str:
    """Return why a submission waits for the organiser; '' if it is in time."""
    plan = plans[0]
    if closed := closed_to(plans, bot):
        return closed
    deadline = plan.deadline
    if deadline is not None and submitted.is_stamped:
        if submitted.received <= deadline:
            return ""
        came = submitted.received.astimezone(deadline.tzinfo)
        return f"it came at {came:%Y-%m-%d %H:%M}, after the deadline of {deadline:%Y-%m-%d %H:%M}"
    return "the learning platform calls it late" if submitted.is_late else ""


def closed_to(plans: Sequence[Plan], bot: str) -> str:
    """Return why an event takes this bot no more, also if its organiser wanted to; '' if it does."""
    for plan in plans:
        if plan.luck is not None and plan.luck.commitment and bot not in plan.names:
            return (
                f"the luck of {plan.name} is committed with the names of its bots, so no other can be added"
            )
        if (why := too_late(plan)) and has_begun(plan.store):
            return why
    return ""


def has_begun(store: Address) -> bool:
    """Return whether an event has results."""
    with suppress(RefereeError), Store(store, write=False) as opened:
        return bool(opened.played())
    return False
