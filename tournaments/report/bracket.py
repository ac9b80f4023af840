"""The bracket of a knockout: rounds as columns, ordered so that a match stands between its two feeders.

Pairings follow from the results of the round before, so only the rounds that are known are there. With three
seats and more a group may come from several, and the columns are no tree.
"""

from collections.abc import Sequence

from msgspec import Struct

from referee.wording import plural
from tournaments.pairing.knockout import THIRD_PLACE
from tournaments.pairing.rounds import Round, RoundGroup


class Slot(Struct, frozen=True):
    """A place in a column: a group, or a bot that rests."""

    bots: tuple[str, ...]
    group: RoundGroup | None = None
    number: int = 0
    """The round."""


class Column(Struct, frozen=True):
    """A round of the bracket."""

    title: str
    slots: tuple[Slot, ...]


class Bracket(Struct, frozen=True):
    """The columns of a knockout, and the match for third place, if there is one."""

    columns: tuple[Column, ...]
    third: Slot | None
    is_tree: bool
    """Whether every slot has two feeders in the column before."""

    @property
    def winner(self) -> str:
        """The winner, or '' as long as there is none."""
        last = self.columns[-1].slots[0].group
        return last.through[0] if last is not None and last.title and last.through else ""


def bracket_of(rounds: Sequence[Round]) -> Bracket | None:
    """Return the bracket of the rounds of a knockout; None if there are none."""
    if not rounds:
        return None
    slots = [_slots(one) for one in rounds]
    is_tree = all(len(group.bots) == 2 for one in rounds for group in one.groups)
    for at in range(len(slots) - 2, -1, -1) if is_tree else ():
        feeder = {bot: slot for slot in slots[at] for bot in slot.bots}
        slots[at] = [feeder[bot] for slot in slots[at + 1] for bot in slot.bots]
    columns = tuple(Column(one.title, tuple(own)) for one, own in zip(rounds, slots, strict=True))
    third = [Slot(group.bots, group, rounds[-1].number) for group in rounds[-1].groups if _is_third(group)]
    return Bracket(columns, third[0] if third else None, is_tree)


def _is_third(group: RoundGroup) -> bool:
    return group.title == THIRD_PLACE


def _slots(one: Round) -> list[Slot]:
    resting = [Slot((bot,), None, one.number) for bot in one.resting]
    return resting + [Slot(group.bots, group, one.number) for group in one.groups if not _is_third(group)]


def decision_text(group: RoundGroup) -> str:
    """Return how a tie was broken, or ''."""
    if group.decided == "lot":
        return f"decided by lot after {plural(group.further, 'further deal')}"
    if group.decided == "further deals":
        return f"decided by {plural(group.further, 'further deal')}"
    return f"tied: {plural(group.further, 'further deal')} so far" if group.further else ""
