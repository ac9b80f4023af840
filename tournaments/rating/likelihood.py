"""The likelihood that one bot is really stronger than another, given a fit and its errors.

Bots of a part are taken for a sample of a field: before any result, their strengths are normally distributed
around a common mean with a common width. Neither is known. The mean may be anything; the width is estimated
from the results themselves, and every width counts by how well it explains them. So where all bots do equally
well, a small lead is likely luck, and where they differ widely, the same lead is likely real.
"""

from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np

from tournaments.rating.columns import Array, Ints

_NARROWEST, _WIDEST, _WIDTHS = 0.02, 8.0, 25
"""Widths of a field in log odds that are tried, in equal ratios: from 3.5 to 1,400 points."""
_USUAL: Final = 0.575
"""Before any result a width is as likely below this, 100 points, as above it (half a Cauchy distribution)."""
_NO_WEIGHT: Final = 1e-9
"""A width that is less likely than this changes no digit that is printed."""


def superiority(theta: Array, covariance: Array, deals: Ints) -> Array:
    """Return for every two bots of a part the likelihood that the first is the stronger one.

    `deals` is by bot, of which the errors in `covariance` are estimated. They are Student's, therefore.
    """
    size = len(theta)
    centre = np.eye(size) - 1 / size
    variances, axes = np.linalg.eigh(centre @ covariance @ centre)
    # The first axis is the common mean, of which nothing is asked.
    variances, axes = np.maximum(variances[1:], 1e-12), axes[:, 1:]
    along = axes.T @ theta
    freedom = _freedom(deals)
    widths = np.geomspace(_NARROWEST, _WIDEST, _WIDTHS)
    whole = np.zeros((size, size))
    for width, weight in zip(widths, _weights(along, variances, widths), strict=True):
        if weight < _NO_WEIGHT:
            continue
        kept = width**2 / (width**2 + variances)
        mean = axes @ (kept * along)
        spread = (axes * (kept * variances)) @ axes.T
        whole += weight * student((mean[:, None] - mean[None, :]) / np.sqrt(_square(spread)), freedom)
    return whole


def far_apart(theta: Array, covariance: Array, deals: Ints, swept: Ints) -> Array:
    """Return the likelihoods between bots of different parts: one side took every point between the parts.

    The distance is unknown then, but not the sign: were two bots equal, each deal that one of them took whole
    would have gone that way with probability one half. Nothing is said against the fit.
    """
    lead = theta[:, None] - theta[None, :]
    stated = student(lead / np.sqrt(_square(covariance)), _freedom(deals))
    sure = 1 - 0.5**swept
    return np.asarray(np.where(lead > 0, np.maximum(stated, sure), np.minimum(stated, 1 - sure.T)))


def _freedom(deals: Ints) -> Array:
    """Return the degrees of freedom of every two bots: those of the one with fewer deals."""
    return np.maximum(np.minimum(deals[:, None], deals[None, :]) - 1.0, 1.0)


def _square(covariance: Array) -> Array:
    """Return the squared error of every difference."""
    own = np.diag(covariance)
    return np.asarray(np.maximum(own[:, None] + own[None, :] - 2 * covariance, 1e-300), dtype=np.float64)


def _weights(along: Array, variances: Array, widths: Array) -> Array:
    """Return how likely every width is, given how far the bots are apart along each axis."""
    square = widths[:, None] ** 2 + variances[None, :]
    # In equal ratios, wider steps stand for more of the widths between them.
    before = np.log(widths / (1 + (widths / _USUAL) ** 2))
    fits = before - 0.5 * (np.log(square) + along**2 / square).sum(axis=1)
    weights = np.exp(fits - fits.max())
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def student(t: Array, freedom: Array) -> Array:
    """Return Student's distribution at many places, to four digits or better (Wallace's formula)."""
    z = np.sign(t) * (8 * freedom + 1) / (8 * freedom + 3) * np.sqrt(freedom * np.log1p(t * t / freedom))
    places, values = _normal()
    return np.asarray(np.interp(z, places, values), dtype=np.float64)


@lru_cache(maxsize=1)
def _normal() -> tuple[Array, Array]:
    """Return the normal distribution as a table that is good to seven digits between its places."""
    places = np.linspace(-8, 8, 8_193)
    return places, np.array([NormalDist().cdf(place) for place in places])
