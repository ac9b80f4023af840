"""Pseudonyms of bots: two words for each, which follow from the seed and the name. Pure.

A reader without the seed cannot compute them, nor try out names. A bot that is added at the end of the file
changes no pseudonym of the others.
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Final

_FIRST: Final = """
Amber Azure Bold Brave Brisk Bronze Calm Clever Coral Cosmic Crimson Daring Deft Dusty Eager Early Emerald
Fabled Fancy Fleet Frosty Gentle Gilded Golden Grand Happy Hidden Humble Indigo Ivory Jade Jolly Keen Kind
Lively Lucky Lunar Merry Mellow Mighty Misty Noble Nimble Ochre Olive Patient Pearl Plucky Proud Quick Quiet
Rapid Royal Ruby Rustic Scarlet Silent Silver Solar Steady Sunny Swift Velvet Witty
"""
_SECOND: Final = """
Albatross Antelope Badger Beaver Bison Bobcat Buffalo Camel Caribou Cheetah Condor Cormorant Cougar Coyote
Crane Dolphin Eagle Egret Elk Falcon Ferret Finch Fox Gazelle Gecko Gibbon Goose Hare Hawk Hedgehog Heron
Hornet Ibex Ibis Jackal Jaguar Kestrel Koala Lemur Leopard Lynx Magpie Marmot Marten Moose Newt Ocelot Osprey
Otter Owl Panther Pelican Penguin Puffin Python Raven Salmon Seal Sparrow Stork Tapir Tern Walrus Wolf
"""
FIRST: Final = tuple(_FIRST.split())
SECOND: Final = tuple(_SECOND.split())


def pseudonyms(seed: str, names: Iterable[str]) -> dict[str, str]:
    """Return a pseudonym for every name, no two the same, and none that is a name itself."""
    wanted = list(names)
    taken = {name.casefold() for name in wanted}
    found: dict[str, str] = {}
    for name in wanted:
        chosen = next(one for one in _candidates(seed, name) if one.casefold() not in taken)
        taken.add(chosen.casefold())
        found[name] = chosen
    return found


def _candidates(seed: str, name: str) -> Iterator[str]:
    for number in count():
        drawn = hmac.digest(seed.encode(), f"pseudonym:{number}:{name}".encode(), hashlib.sha256)
        at = int.from_bytes(drawn[:8], "big")
        yield f"{FIRST[at % len(FIRST)]} {SECOND[at // len(FIRST) % len(SECOND)]}"
