"""A planned match and its id: one scheme for single matches, sequential tests, tournaments and ladders. Pure.

An id reads `GAME-DEAL-TAG-rN`, for example `chicago-poker-0003-5b1d32a0c1d2-r1`: the name of the deal, a hash
of everything that makes the match what it is, and the number of the rotation. It is safe as a file name, and
the same whenever the match is played again. Bots read it, so it holds nothing a bot could use: the tag is a
hash with the seed in it, and rotations are counted from a bot that the hash selects, not from a name.

Where bots are not shown names, an id reads `GAME-HASH`: two ids do not show whether their matches have the
same deal or the same bots, nor in which seats.

The module lies below the daemon and below the tournaments, because both name their matches.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from msgspec import Struct

from protocol.messages import TimeControl
from referee.chance import Beacon, deal_key
from referee.game import Game
from referee.hub.pairing import Pairing
from referee.match.faults import Profile

_TAG_LENGTH = 12
"""Hexadecimal digits: in a tournament of the largest size two groups practically never share a tag."""

_OPAQUE_LENGTH = 16
"""Hexadecimal digits: in a tournament of the largest size two matches practically never share an id."""

_UNRATED: Final = "unrated-"
"""How the names of deals begin whose matches are not rated."""

_NUMBERED = re.compile(r"(?:.*-)?(\d{4,9})-[0-9a-f]{12}(?:-r\d+)?", re.DOTALL)


class Fixture(Struct, frozen=True, gc=False):
    """A match to be played. It holds no secret: the key of its deal follows from the seed."""

    match: str
    """Its id."""
    bots: tuple[str, ...]
    """Names by seat."""
    deal: str
    """The name of the deal, from which its key is made."""
    block: str
    """Matches of one block have the same deal and the same bots, in rotated seats."""
    round: int = 1
    """Counted from 1; formats without rounds have one."""
    shared: bool = False
    """Whether other matches have the same deal, so that its key must stay secret."""


class Planner(Struct, frozen=True):
    """What all matches of a run share. Ids, deals and keys of the matches follow from it."""

    game: str
    seed: str
    """What ids, lots and deals are made from."""
    options: Mapping[str, str | int] = {}
    """All of the game's, with their values."""
    run: str = ""
    """A random text where matches never repeat (a ladder): another run gets other ids and other deals."""
    numbered_deals: bool = False
    """Whether a deal is known by its number alone; otherwise every block has a deal of its own."""
    opaque_ids: bool = False
    """Whether the id of a match shows neither its deal nor its block nor its rotation."""
    writes_seed: bool = True
    """Whether replays hold the seed: not while deals to come are made from it."""
    operator_seed: str = ""
    """What replays hold in place of the seed, if that was made with a beacon; otherwise empty."""
    beacon: Beacon | None = None
    versions: Mapping[str, int] = {}
    """The version of each bot that is not its first: other versions have other ids and other deals."""

    def __repr__(self) -> str:
        return f"<Planner of {self.game}>"

    def block(
        self,
        order: Sequence[str],
        name: str,
        *,
        round: int = 1,
        rotations: Iterable[int] | None = None,
        shared: bool = True,
    ) -> list[Fixture]:
        """Return the matches of one deal: the bots in this cyclic order, in all rotations or some."""
        start = _cycle(order)
        digest = self._digest(start, name)
        block = f"{_safe(name)}-{digest[:_TAG_LENGTH]}"
        # Counted from the first by name, the rotation would disclose an order of names that are hidden.
        first = start[int(digest, 16) % len(start)]
        fixtures = []
        for by in range(len(order)) if rotations is None else rotations:
            bots = rotated(order, by)
            fixtures.append(
                Fixture(
                    match=self._id(digest, block, bots.index(first)),
                    bots=bots,
                    deal=name if self.numbered_deals else block,
                    block=block,
                    round=round,
                    shared=shared,
                )
            )
        return fixtures

    def pairing(
        self,
        fixture: Fixture,
        game: Game,
        profile: Profile,
        *,
        bots: tuple[str, ...] = (),
        names: tuple[str, ...] = (),
        clocks: Mapping[str, TimeControl] | None = None,
        replays: Path | None = None,
    ) -> Pairing:
        """Return what the hub plays.

        `bots` are the programs by seat where they are not called like the fixture's bots, `names` what the
        bots are called in the match; `replays` is the folder of its replay, if it is not the hub's.
        """
        return Pairing(
            match=fixture.match,
            game=game,
            bots=bots or fixture.bots,
            key=deal_key(self.seed, fixture.deal),
            profile=profile,
            options=dict(self.options),
            names=names,
            # Rotations of a deal run at the same time: no match may reveal the key that others still use.
            reveal=not fixture.shared,
            seed=(self.operator_seed or self.seed) if self.writes_seed else "",
            beacon=self.beacon,
            deal=fixture.deal,
            clocks=dict(clocks or {}),
            replays=replays,
        )

    def _id(self, digest: str, block: str, rotation: int) -> str:
        if self.opaque_ids:
            hidden = hashlib.sha256(f"id:{digest}:{rotation}".encode()).hexdigest()
            return f"{_safe(self.game)}-{hidden[:_OPAQUE_LENGTH]}"
        return f"{_safe(self.game)}-{block}-r{rotation}"

    def _digest(self, cycle: Sequence[str], name: str) -> str:
        """Return a hash of the terms, the bots and the deal, from which no name can be guessed."""
        # One list as JSON: of large events most of it is known already.
        terms = _json(self.seed, self.run, self.game, tuple(sorted(self.options.items())))
        source = f"{terms[:-1]}, [{', '.join(map(_json_text, cycle))}], {_json_text(name)}]"
        later = [(bot, self.versions[bot]) for bot in cycle if self.versions.get(bot, 1) > 1]
        if later:
            source = f"{source[:-1]}, {json.dumps(sorted(later))}]"
        return hashlib.sha256(f"match:{source}".encode()).hexdigest()


@lru_cache(maxsize=16)
def _json(*values: object) -> str:
    return json.dumps(values)


# The names of bots and deals: every block has some of them.
@lru_cache(maxsize=4_096)
def _json_text(text: str) -> str:
    return json.dumps(text)


def number_of(name: str) -> int | None:
    """Return the number of the deal in the id of a match or the name of a block; None if it has none.

    >>> number_of("coins-0012-5b1d32a0c1d2-r1"), number_of("0012-5b1d32a0c1d2")
    (12, 12)
    """
    found = _NUMBERED.fullmatch(name)
    return None if found is None else int(found[1])


def deal_name(number: int) -> str:
    """Return the name of a deal, counted from 1.

    >>> deal_name(3)
    '0003'
    """
    return f"{number:04}"


def unrated_name(name: str) -> str:
    """Return the name of a deal whose match is not rated: ids and replays show it.

    >>> unrated_name(deal_name(3))
    'unrated-0003'
    """
    return f"{_UNRATED}{name}"


def is_rated(deal: str) -> bool:
    """Return whether the matches of a deal are rated, by its name."""
    return not deal.startswith(_UNRATED)


def rotated(order: Sequence[str], by: int) -> tuple[str, ...]:
    """Move every bot so many seats on.

    >>> rotated(("a", "b", "c"), 1)
    ('c', 'a', 'b')
    """
    return (*order[len(order) - by :], *order[: len(order) - by])


def _cycle(order: Sequence[str]) -> tuple[str, ...]:
    """Return the order from the first bot by name on: the same for all rotations."""
    at = order.index(min(order))
    return (*order[at:], *order[:at])


@lru_cache(maxsize=1_024)
def _safe(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", text)[:40]
