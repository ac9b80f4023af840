"""All that can be fuzzed, by name."""

from collections.abc import Mapping
from typing import Final

from tests.campaigns.fuzz.codecs import CODEC, KIT
from tests.campaigns.fuzz.engine import Target
from tests.campaigns.fuzz.gates import GATE
from tests.campaigns.fuzz.hubs import HUB
from tests.campaigns.fuzz.luck_files import LUCK
from tests.campaigns.fuzz.matches import MATCH
from tests.campaigns.fuzz.plans import PLAN
from tests.campaigns.fuzz.replays import DOSSIER, REPLAY

TARGETS: Final[Mapping[str, Target]] = {
    target.name: target for target in (CODEC, KIT, GATE, MATCH, HUB, REPLAY, DOSSIER, PLAN, LUCK)
}
