"""All that can be fuzzed, by name."""

from collections.abc import Mapping
from typing import Final

from tests.fuzz.codecs import CODEC, KIT
from tests.fuzz.engine import Target
from tests.fuzz.gates import GATE
from tests.fuzz.hubs import HUB
from tests.fuzz.matches import MATCH
from tests.fuzz.plans import PLAN
from tests.fuzz.replays import DOSSIER, REPLAY

TARGETS: Final[Mapping[str, Target]] = {
    target.name: target for target in (CODEC, KIT, GATE, MATCH, HUB, REPLAY, DOSSIER, PLAN)
}
