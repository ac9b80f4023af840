"""What a simulation measures of a claim, and the bounds within which the claim holds."""

from math import inf, sqrt
from typing import NamedTuple


class Claim(NamedTuple):
    """One figure of one simulated world."""

    title: str
    figure: float
    least: float = -inf
    most: float = inf
    noise: float = 0.0
    """The standard error of the figure: it may miss its bounds by three of these."""

    @property
    def holds(self) -> bool:
        """Whether the figure is within its bounds, as far as so many simulations can show it."""
        return self.least - 3 * self.noise <= self.figure <= self.most + 3 * self.noise

    def __str__(self) -> str:
        bounds = f"{self.least:.4g} to {self.most:.4g}" if self.most < inf else f"at least {self.least:.4g}"
        if self.least == -inf:
            bounds = f"at most {self.most:.4g}" if self.most < inf else "no bound"
        verdict = "" if self.holds else "   FAILED"
        return f"{self.title}: {self.figure:.4g} ± {self.noise:.2g} ({bounds}){verdict}"


def share(
    title: str, count: float, of: float, least: float = 0.0, most: float = 1.0, *, independent: float = 0
) -> Claim:
    """Return the claim that something happens this often.

    `independent` is the number of independent trials, if it is smaller than `of`: bots of one simulated event
    are not independent.
    """
    figure = count / of
    noise = sqrt(max(figure * (1 - figure), 0.25 / of) / (independent or of))
    return Claim(title, figure, least, most, noise)
