"""Likelihoods of superiority: whether they are as often true as they say."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm
from scipy.stats import t as student_t

from tests.campaigns.statistics.likelihoods import Field, gathered
from tournaments.rating.likelihood import student, superiority


@pytest.mark.parametrize("freedom", [1, 5, 29, 200, 10_000])
def test_students_distribution_at_many_places_is_the_one_of_the_tables(freedom: int) -> None:
    t = np.linspace(-6, 6, 49)
    close = 2e-2 if freedom == 1 else 2e-3 if freedom == 5 else 1e-4
    assert student(t, np.full(49, float(freedom))) == pytest.approx(student_t.cdf(t, freedom), abs=close)


def test_a_likelihood_is_the_integral_over_all_widths_of_the_field() -> None:
    lead, error, usual = 0.3, 0.2, 0.575

    def weight(width: float, of_better: bool) -> float:
        # A lead is the sum of two normal numbers, of which the first is the true one.
        square = 2 * width**2
        whole = norm.pdf(lead, 0, np.sqrt(square + error**2)) / (1 + (width / usual) ** 2)
        better = norm.cdf(lead / error * np.sqrt(square / (square + error**2)))
        return float(whole * (better if of_better else 1))

    better, whole = (quad(weight, 0.02, 8, args=(of,))[0] for of in (True, False))
    variance = error**2 / 2
    found = superiority(np.array([lead, 0.0]), np.diag([variance, variance]), np.array([10**6] * 2))
    assert found[0, 1] == pytest.approx(better / whole, abs=0.004)
    assert found[0, 1] + found[1, 0] == pytest.approx(1)


def test_the_same_lead_is_less_likely_real_in_a_field_of_equals() -> None:
    errors, deals = np.eye(8) * 0.02, np.full(8, 500)
    narrow = superiority(np.array([0.2, 0, 0, 0, 0, 0, 0, 0]), errors, deals)
    wide = superiority(np.array([0.2, 0, -2, -1, 1, 2, 3, -3]), errors, deals)
    assert 0.5 < narrow[0, 1] < wide[0, 1] < 1


def test_likelihoods_are_true_as_often_as_they_say() -> None:
    # So few events show gross errors: without regard to the field, 0.77 was stated and 0.67 true at width 20.
    gap, noise, _ = gathered([Field(4, 15, width) for width in (20, 50, 100)], 40).gap()
    assert abs(gap) < 0.03 + 3 * noise
    equals = gathered([Field(4, 15, 0)], 60)
    assert (equals.stated >= 0.95).mean() < 0.06
