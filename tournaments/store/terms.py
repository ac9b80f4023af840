"""The terms of a tournament: what all results of its store share. Results of other terms do not mix.

A store notes the terms with its first run; of the seed only a hash is noted. Where a beacon has a part in the
luck, the commitment and the value of the beacon are terms too.
"""

from typing import Final

import msgspec

from referee.chance import seed_hash
from tournaments.config.luck import BeaconReveal, Commitment
from tournaments.config.plan import Plan
from tournaments.pairing import design

NOTE: Final = "terms"
"""The name of the store's note."""

_COMMITMENT: Final = "commitment"
_VALUE: Final = "value of the beacon"

_BOTS: Final = "list of bots"
_ROUNDS: Final = "number of rounds"

_SWISS: Final = "rule of Swiss pairing"
_FEW: Final = "choice of few groups"
_RULES: Final = {_SWISS: "rounds planned together", _FEW: "listed where turning is uneven"}
"""Rules that were others in earlier versions. All are noted; those that apply are compared."""


_USUAL: Final = {"number of pools": "1", "setting of third_place": "false"}
"""Terms that stores of earlier versions do not have, with what they were then."""


def text_of(plan: Plan) -> str:
    """Return the terms of a plan, as they are noted."""
    return msgspec.json.encode(_terms(plan) | _RULES).decode()


def differences(plan: Plan, noted: str) -> list[str]:
    """Return the names of the terms of a plan that differ from those that were noted."""
    before = _USUAL | _read(noted)
    return sorted(name for name, term in (_terms(plan) | _rules(plan)).items() if before.get(name) != term)


def outdated(plan: Plan, noted: str) -> list[str]:
    """Return the names of the rules of this program by which the noted tournament was not planned."""
    before = _read(noted)
    return sorted(name for name, rule in _rules(plan).items() if before.get(name) != rule)


def bots_of(noted: str) -> list[str] | None:
    """Return the bots with which the noted tournament began; None if its format lets others come."""
    text = _read(noted).get(_BOTS)
    return None if text is None else msgspec.json.decode(text, type=list[str])


def rounds_of(noted: str) -> int | None:
    """Return the rounds of the noted tournament, if it is a Swiss one."""
    text = _read(noted).get(_ROUNDS)
    return None if text is None else msgspec.json.decode(text, type=int)


def has_luck(noted: str, luck: Commitment | BeaconReveal) -> bool:
    """Return whether the noted tournament had the luck of a document that is published."""
    before = _read(noted)
    is_same_value = isinstance(luck, Commitment) or before.get(_VALUE) == luck.value
    return is_same_value and before.get(_COMMITMENT) == luck.commitment


def _read(noted: str) -> dict[str, str]:
    try:
        return msgspec.json.decode(noted, type=dict[str, str])
    except ValueError:
        # Not a text that a store notes, so no term in it is the same.
        return {}


def _rules(plan: Plan) -> dict[str, str]:
    """Return the rules that apply to a plan."""
    names = [_SWISS] if plan.format == "swiss" else []
    others = int(plan.format == "gauntlet")
    if plan.groups == "few" and design.is_listed(len(plan.bots) - others, plan.seats - others):
        names.append(_FEW)
    return {name: _RULES[name] for name in names}


def _terms(plan: Plan) -> dict[str, str]:
    """Return what all matches must share, each as a text."""
    shared: dict[str, object] = {
        "game": plan.game,
        "format": plan.format,
        "seats": plan.seats,
        "options": plan.options,
        "profile or clock": plan.profile,
        "setting of common_deals": plan.common_deals,
        # Until version 0.2 ids and seats of a tournament with aliases were others.
        "setting of aliases": "opaque ids" if plan.aliases else False,
        "number of pools": plan.pools,
        "setting of third_place": plan.third_place,
    }
    if plan.pseudonyms:
        # Replays and logs have the names that bots saw. Names may be disclosed later, never hidden later.
        shared["setting of pseudonyms"] = True
    if plan.format in ("swiss", "knockout"):
        # The pairings follow from all earlier results: with other bots it would be another tournament.
        shared |= {_BOTS: [bot.name for bot in plan.bots], "number of blocks": plan.blocks}
    if plan.format == "swiss":
        # Rounds are planned together.
        shared[_ROUNDS] = plan.rounds
    texts = {name: msgspec.json.encode(value, order="sorted").decode() for name, value in shared.items()}
    if plan.luck is not None and plan.luck.beacon is not None:
        beacon = plan.luck.beacon
        texts |= {
            _COMMITMENT: plan.luck.commitment,
            "beacon": beacon.source,
            _VALUE: beacon.value,
        }
    return texts | {"seed": seed_hash(plan.seed)}
