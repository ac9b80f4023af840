"""What to play: deals, each with the seats rotated. Pure: the same inputs give the same plan.

A block is one deal played once for every rotation of the seats, so that nobody owes a lead to the cards or to
the seat. More bots than seats make several tables: all combinations in the order the bots are named. Tables
take turns, and every block has a deal of its own, numbered from 1 through all tables.
"""

import hashlib
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from referee.chance import deal_key

_TAG_LENGTH = 6


class Contest(msgspec.Struct, frozen=True):
    """What a plan is made from, but for its length."""

    game: str
    bots: tuple[str, ...]
    """Names, all different."""
    seats: int
    seed: str
    options: Mapping[str, str | int] = {}
    """All of the game's, with their values."""
    mirrored: bool = True
    """Whether a deal is played in all rotations; otherwise once, and the seats rotate from deal to deal."""

    def __repr__(self) -> str:
        return f"<Contest of {self.game}: {', '.join(self.bots)}>"


class Planned(msgspec.Struct, frozen=True):
    """A match to be played: who sits where, and with which luck."""

    match: str
    deal: str
    bots: tuple[str, ...]
    """Names by seat."""
    key: bytes
    again: bool
    """Whether other matches have the same deal, so that its key must stay secret."""

    def __repr__(self) -> str:
        return f"<Planned {self.match}: {' - '.join(self.bots)}>"


def tables(bots: Sequence[str], seats: int) -> list[tuple[str, ...]]:
    """Return who meets whom: every combination, in the order of the bots."""
    return list(itertools.combinations(bots, seats))


def blocks(contest: Contest) -> Iterator[list[Planned]]:
    """Return the blocks of a contest, without end: the tables in turn, and then again."""
    groups = tables(contest.bots, contest.seats)
    for number in itertools.count():
        turn, group = divmod(number, len(groups))
        table = groups[group]
        rotations = range(contest.seats) if contest.mirrored else [turn % contest.seats]
        deal = deal_label(number + 1)
        yield [_planned(contest, rotated(table, by), deal, len(rotations) > 1) for by in rotations]


def plan(contest: Contest, *, deals: int | None = None, matches: int | None = None) -> list[Planned]:
    """Return what to play: so many blocks, or so many matches (the last block may then be incomplete).

    With neither, every table plays one block.
    """
    if matches is not None:
        return list(itertools.islice(itertools.chain.from_iterable(blocks(contest)), matches))
    if deals is None:
        deals = len(tables(contest.bots, contest.seats))
    return list(itertools.chain.from_iterable(itertools.islice(blocks(contest), deals)))


def single(contest: Contest, deal: str) -> list[Planned]:
    """Return the one match of this deal in which the bots sit in the order they are named."""
    label = deal_label(int(deal)) if deal.isdecimal() else deal
    return [_planned(contest, contest.bots, label, contest.mirrored)]


def rotated(table: Sequence[str], by: int) -> tuple[str, ...]:
    """Move everybody so many seats on.

    >>> rotated(("a", "b", "c"), 1)
    ('c', 'a', 'b')
    """
    return (*table[len(table) - by :], *table[: len(table) - by])


def deal_label(number: int) -> str:
    """Return the name of a deal.

    >>> deal_label(3)
    '0003'
    """
    return f"{number:04}"


def match_id(contest: Contest, table: Sequence[str], deal: str) -> str:
    """Return the id of a match: readable, safe as a file name, and the same whenever it is played again.

    The tag stands for seed, options and bots. It is a hash, because bots read the id, and whoever knows the
    seed knows all cards. Behind the `r` stands the seat of the bot that comes first by name.
    """
    source = [contest.seed, contest.game, sorted(contest.options.items()), sorted(table)]
    tag = hashlib.sha256(b"match:" + json.dumps(source).encode()).hexdigest()[:_TAG_LENGTH]
    return f"{_safe(contest.game)}-{tag}-{_safe(deal)}-r{table.index(min(table))}"


def _planned(contest: Contest, table: tuple[str, ...], deal: str, again: bool) -> Planned:
    return Planned(match_id(contest, table, deal), deal, table, deal_key(contest.seed, deal), again)


def _safe(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", text)[:40]
