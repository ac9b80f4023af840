"""Luck that can be verified: a key, named streams, and nothing else.

Every random choice of a match is drawn from a stream named by what it decides (`deck`, `dice`, …), so that
the number of draws from one never shifts another. `protocol/SPEC.md` gives the algorithm byte for byte:

* subkey of a stream = HMAC-SHA256(key, name in UTF-8)
* block i of a stream = SHA-256(subkey + i as 8 bytes, big endian), i from 0; eight 32-bit words, big endian
* below(n): the next word w with w < 2**32 - 2**32 % n gives w % n; other words are thrown away
* shuffle: for i from the last index down to 1, swap items i and below(i + 1)

Where a public source has a part in the luck of a tournament, the seed is made here too (`Beacon`).

The key never shows: a Chance has no useful repr and refuses to be pickled.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from hmac import digest
from struct import Struct
from typing import Any, NoReturn, Protocol, TypeVar

import msgspec

T = TypeVar("T")
KEY_BYTES = 32

_words = Struct(">8I").unpack


class Chance(Protocol):
    """Where a game takes its luck from."""

    def below(self, stream: str, n: int) -> int:
        """Return a whole number from 0 to n - 1, each as likely as any other."""

    def shuffle(self, stream: str, items: list[Any]) -> None:
        """Put the items into a random order, each as likely as any other."""

    def clone(self) -> "Chance":
        """Return an independent copy that will draw the same."""


class _Stream:
    """One named stream: its subkey, the number of blocks used, and the words left of the last one."""

    __slots__ = ("_subkey", "blocks", "words")

    def __init__(self, subkey: bytes, blocks: int = 0, words: Sequence[int] = ()) -> None:
        self._subkey = subkey
        self.blocks = blocks
        self.words = list(words)

    def below(self, n: int) -> int:
        bound = 2**32 - 2**32 % n
        while True:
            if not self.words:
                self._refill()
            drawn = self.words.pop()
            if drawn < bound:
                return drawn % n

    def _refill(self) -> None:
        block = sha256(self._subkey + self.blocks.to_bytes(8, "big")).digest()
        self.blocks += 1
        self.words = list(_words(block))
        self.words.reverse()

    def clone(self) -> "_Stream":
        return _Stream(self._subkey, self.blocks, self.words)


class KeyedChance:
    """The luck of a match: a pure function of its key."""

    __slots__ = ("__key", "_streams")

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise ValueError(f"a key has {KEY_BYTES} bytes, not {len(key)}")
        self.__key = key
        self._streams: dict[str, _Stream] = {}

    def _stream(self, name: str) -> _Stream:
        stream = self._streams.get(name)
        if stream is None:
            stream = self._streams[name] = _Stream(digest(self.__key, name.encode(), "sha256"))
        return stream

    def below(self, stream: str, n: int) -> int:
        """Return a whole number from 0 to n - 1, each as likely as any other."""
        return (self._streams.get(stream) or self._stream(stream)).below(n)

    def shuffle(self, stream: str, items: list[Any]) -> None:
        """Put the items into a random order, each as likely as any other."""
        below = self._stream(stream).below
        for i in range(len(items) - 1, 0, -1):
            j = below(i + 1)
            items[i], items[j] = items[j], items[i]

    def clone(self) -> "KeyedChance":
        """Return an independent copy that will draw the same."""
        copy = KeyedChance(self.__key)
        copy._streams = {name: stream.clone() for name, stream in self._streams.items()}
        return copy

    def __repr__(self) -> str:
        return "<KeyedChance>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("luck is not to be copied out of the process")


class ScriptedChance:
    """Luck laid down in advance, for tests: what each stream gives, in order.

    A shuffle takes the whole next entry of its stream as the new order (it must hold the same items); `below`
    takes the next number. A stream with no script left, or none at all, falls back to `fallback`.
    """

    def __init__(self, fallback: Chance, **script: Sequence[Any]) -> None:
        self._fallback = fallback
        self._script = {stream: list(entries) for stream, entries in script.items()}

    def below(self, stream: str, n: int) -> int:
        """Return the next scripted number."""
        if not self._script.get(stream):
            return self._fallback.below(stream, n)
        number = int(self._script[stream].pop(0))
        if not 0 <= number < n:
            raise ValueError(f"scripted {stream!r} gives {number}, which is not below {n}")
        return number

    def shuffle(self, stream: str, items: list[Any]) -> None:
        """Put the items into the next scripted order."""
        if not self._script.get(stream):
            self._fallback.shuffle(stream, items)
            return
        order = list(self._script[stream].pop(0))
        if sorted(map(str, order)) != sorted(map(str, items)):
            raise ValueError(f"scripted {stream!r} does not hold the items to be shuffled")
        items[:] = order

    def clone(self) -> "ScriptedChance":
        """Return an independent copy that will draw the same."""
        return ScriptedChance(self._fallback.clone(), **self._script)


class Beacon(msgspec.Struct, frozen=True):
    """What a public source gave for the luck of a tournament, and the plan that was published before."""

    source: str
    """The name of the source, as the tournament file has it."""
    value: str
    """What the source gave, once it was known."""
    plan: str
    """The hash of the plan (`plan_hash`)."""

    def seed(self, operator_seed: str) -> str:
        """Return the seed of all deals: without the operator's seed it cannot be computed.

        Each text has its length before it, so that no two choices of texts give the same bytes.
        """
        texts = [text.encode() for text in (self.plan, self.source, self.value)]
        message = b"luck:" + b"".join(len(text).to_bytes(8, "big") + text for text in texts)
        return digest(operator_seed.encode(), message, "sha256").hex()


def seed_hash(seed: str) -> str:
    """Return a hash that binds to a seed without revealing one that cannot be guessed."""
    return sha256(b"seed:" + seed.encode()).hexdigest()


def plan_hash(plan: bytes) -> str:
    """Return the hash of the plan of a tournament, given as JSON text."""
    return sha256(b"plan:" + plan).hexdigest()


def tournament_commitment(hash_of_seed: str, hash_of_plan: str) -> str:
    """Return the one hash that binds to the operator's seed and to the plan."""
    return sha256(f"tournament:{hash_of_seed}{hash_of_plan}".encode()).hexdigest()


def deal_key(seed: str, deal: str) -> bytes:
    """Return the key of one deal under a seed. Matches of the same deal have the same luck."""
    return digest(seed.encode(), f"deal:{deal}".encode(), "sha256")


def commitment(key: bytes, match: str) -> str:
    """Return a hash that binds the referee to a key before the match without revealing it."""
    return sha256(b"commit:" + key + match.encode()).hexdigest()


def picked(chance: Chance, stream: str, items: Mapping[T, Any] | Sequence[T]) -> T:
    """Return one of the items, each as likely as any other."""
    return list(items)[chance.below(stream, len(items))]
