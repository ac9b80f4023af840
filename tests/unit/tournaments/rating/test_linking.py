"""Which bots results link, and the gauge that follows from it."""

import numpy as np
import pytest

from tests.campaigns.statistics.gauge import FIELD, OUTLIERS, seen
from tournaments.rating.columns import Array
from tournaments.rating.linking import gauge, link


def results(bots: int, *won: tuple[int, int]) -> tuple[Array, Array]:
    """Return weights and points of single matches, better bot first."""
    points = np.zeros((bots, bots))
    for better, other in won:
        points[better, other] += 1
    return points + points.T, points


BOTH_WAYS = ((0, 1), (1, 0), (1, 2), (2, 1))


def test_points_in_both_directions_link_a_part_and_comparisons_a_group() -> None:
    linked = link(*results(6, *BOTH_WAYS, (0, 3), (4, 5)))
    assert linked.groups == [[0, 1, 2, 3], [4, 5]]
    assert linked.parts == [[0, 1, 2], [3], [4], [5]]
    assert linked.cores == [[0, 1, 2], [4, 5]]


def test_a_circle_of_wins_links_and_a_chain_does_not() -> None:
    assert link(*results(3, (0, 1), (1, 2), (2, 0))).parts == [[0, 1, 2]]
    assert link(*results(3, (0, 1), (1, 2))).parts == [[0], [1], [2]]


def test_of_equal_parts_the_one_with_more_results_is_the_core_and_then_the_first() -> None:
    equal = ((0, 1), (1, 0), (2, 3), (3, 2), (0, 2))
    assert link(*results(4, *equal)).cores == [[0, 1]]
    assert link(*results(4, *equal, (3, 2))).cores == [[2, 3]]


def test_the_gauge_is_the_mean_of_the_core_in_which_a_little_known_bot_weighs_little() -> None:
    linked = link(*results(4, *BOTH_WAYS, (0, 3)))
    theta = np.array([1.0, 2.0, 6.0, -9.0])
    assert gauge(linked, np.array([5.0, 4.0, 3.0, 0.1])) @ theta == pytest.approx([-2, -1, 3, -12])
    assert (gauge(linked, np.array([5.0, 5.0, 1e-9, 0.1])) @ theta)[:2] == pytest.approx([-0.5, 0.5])
    assert gauge(linked, np.ones(4), anchor=3) @ theta == pytest.approx([10, 11, 15, 0])


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("outlier", OUTLIERS)
def test_a_bot_far_from_the_field_does_not_blur_it(outlier: str, seats: int) -> None:
    times, blocks = 30, 20 if seats == 2 else 36
    alone = seen(FIELD, blocks, seats, times)
    more = seen((*FIELD, OUTLIERS[outlier]), blocks if seats == 2 else blocks // 3, seats, times)
    assert more.reach < 1.15 * alone.reach
    assert more.covered > 0.95 - 4 * np.sqrt(0.95 * 0.05 / times)
