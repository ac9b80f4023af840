"""From standings to ranks, and back to who won."""

from collections.abc import Sequence


def ranks_of(standings: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the rank of each seat: 1 is best, a larger standing is better, equal ones share a rank.

    >>> ranks_of([(5,), (9,), (5,), (1,)])
    (2, 1, 2, 4)
    """
    return tuple(1 + sum(other > standing for other in standings) for standing in standings)


def winners(ranking: Sequence[int]) -> list[int]:
    """Return the seats that are first."""
    return [seat for seat, rank in enumerate(ranking) if rank == 1]
