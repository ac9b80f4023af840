"""The Elo scale: where its centre is, and how many points one unit of log odds has."""

from math import log
from typing import Final

CENTRE: Final = 1500.0
"""The mean of every group, or the rating of the anchor."""
SCALE: Final = 400 / log(10)
"""Elo points for one unit of log odds."""
