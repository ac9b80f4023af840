"""What all results of a store share: game, terms and seed. Results of two experiments do not mix.

A store notes it with its first run. The seed itself does not show.
"""

import hashlib
from typing import Final

import msgspec

from tournaments.config.plan import Plan

NOTE: Final = "experiment"
"""The name of the store's note."""


def text_of(plan: Plan) -> str:
    """Return the experiment of a plan, as it is noted."""
    return msgspec.json.encode(_terms(plan)).decode()


def differences(plan: Plan, noted: str) -> list[str]:
    """Return in what a plan differs from the experiment that was noted."""
    try:
        before = msgspec.json.decode(noted, type=dict[str, str])
    except ValueError:
        # Not written by us, so nothing in it is the same.
        before = {}
    return sorted(name for name, term in _terms(plan).items() if before.get(name) != term)


def _terms(plan: Plan) -> dict[str, str]:
    """Return what all matches must share, each as a text."""
    shared: dict[str, object] = {
        "game": plan.game,
        "format": plan.format,
        "seats": plan.seats,
        "options": plan.options,
        "profile or clock": plan.profile,
        "setting of common_deals": plan.common_deals,
        "setting of aliases": plan.aliases,
    }
    if plan.format in ("swiss", "knockout"):
        # Who meets whom follows from all that came before: with other bots it would be another tournament.
        shared |= {"list of bots": [bot.name for bot in plan.bots], "number of blocks": plan.blocks}
    texts = {name: msgspec.json.encode(value, order="sorted").decode() for name, value in shared.items()}
    return texts | {"seed": hashlib.sha256(b"seed:" + plan.seed.encode()).hexdigest()}
