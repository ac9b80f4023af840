"""How far graded bots are confined: what was asked for, and what this host can keep."""

from collections.abc import Sequence

from msgspec import Struct

from referee.errors import ConfigError
from referee.process.sandbox.levels import BUBBLEWRAP, GAPS, gaps, insist, notes
from referee.process.spec import Level


class Confinement(Struct, frozen=True):
    """The level at which bots run, and what is missing there."""

    asked: Level
    level: Level
    """`trusted` if the host can make no sandbox and the teacher has accepted that."""
    gaps: tuple[str, ...] = ()
    """What the host lacks of the level that was asked for, in words."""
    notes: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Return what holds and what does not, for the teacher."""
        if self.level == self.asked and not self.gaps:
            holds = {
                "trusted": "bots are not confined: a bot can read the staff's files and write the result",
                "class": "each bot runs in a sandbox; `referee doctor --level class` shows what it holds",
                "contest": "each bot runs in a sandbox, and nothing is missing",
            }
            return [f"level {self.level}: {holds[self.level]}", *self.notes]
        fallen = "" if self.level == self.asked else f", so bots run at level {self.level}, not confined"
        return [f"level {self.asked} is not kept here{fallen}", *self.gaps, *self.notes]


def confine(asked: Level, accepted: Sequence[str]) -> Confinement:
    """Find out what this host can keep; raises ConfigError for a gap that the teacher has not accepted.

    Where no sandbox can be made, the gap `bubblewrap` can be accepted here: bots then run at level trusted.
    """
    others = [name for name in accepted if name != BUBBLEWRAP]
    found = gaps(asked)
    if BUBBLEWRAP in (gap.name for gap in found) and BUBBLEWRAP in accepted:
        return Confinement(asked, "trusted", tuple(map(str, found)))
    try:
        insist(asked, others)
    except ConfigError as error:
        if BUBBLEWRAP not in (gap.name for gap in found):
            raise
        raise ConfigError(
            f"{error}\nTo grade without a sandbox ({GAPS[BUBBLEWRAP]}, so a bot can read the staff's files): "
            f"--accept-gap {BUBBLEWRAP}"
        ) from error
    return Confinement(asked, asked, tuple(map(str, found)), tuple(notes(asked)))
