"""Searches everything that was written, sent or shown for what its reader must not know."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from protocol.codec import from_referee
from protocol.messages import Ask, End, Start, Tell
from referee.replay import playback
from referee.replay.dossier import DOSSIER_SUFFIX, read_dossier
from referee.replay.format import Replay
from referee.replay.narration import BoardChoice, Watcher, text_of
from tests.campaigns.leak_search.truth import Truth, disguises

NONCE = re.compile(rb"zq[0-9a-f]{16}qz")


class Leak(NamedTuple):
    """Something that a reader could read and must not know."""

    match: str
    reader: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"match {self.match}: {self.reader} can read {self.what} in {self.where}"


class Search:
    """Knows the truth about some matches, and looks for it where it must not be."""

    def __init__(self, truths: Iterable[Truth], seed: str) -> None:
        self.truths: Mapping[str, Truth] = {truth.match: truth for truth in truths}
        self._of: dict[str, list[Truth]] = {}
        """By card: the matches it was dealt in; several, if they are of one deal."""
        for truth in self.truths.values():
            for nonce in truth.nonces:
                self._of.setdefault(nonce, []).append(truth)
        self._seed = seed.encode()
        self.bytes = 0
        """How much was searched."""

    # What every reader's bytes are searched for.

    def _cards(self, data: bytes) -> set[str]:
        self.bytes += len(data)
        return {found.decode() for found in NONCE.findall(data)}

    def unknown_to_bot(self, bot: str, data: bytes, where: str) -> Iterator[Leak]:
        """Search what a bot, or its owner, reads after its matches."""
        for nonce in self._cards(data):
            truths = self._of.get(nonce, [])
            if not any(bot in truth.bots and nonce in truth.at_the_end(bot) for truth in truths):
                yield Leak(_named(truths), bot, where, "a card it never saw")

    def unknown_to_public(self, data: bytes, where: str, *, any_card: bool = False) -> Iterator[Leak]:
        """Search public text; with `any_card`, no card at all may be in it."""
        for nonce in self._cards(data):
            truths = self._of.get(nonce, [])
            if any_card or not any(nonce in truth.public for truth in truths):
                yield Leak(_named(truths), "the public", where, "a card nobody showed")
        for truth in self.truths.values():
            if truth.key in data or truth.key.hex().encode() in data:
                yield Leak(truth.match, "the public", where, "the key")
        if self._seed in data:
            yield Leak("?", "the public", where, "the seed")

    # What bots were sent.

    def diary(self, bot: str, path: Path) -> Iterator[Leak]:
        """Search everything a bot was sent, message by message, and everything else it saw."""
        told: dict[str, int] = {}
        seats: dict[str, int] = {}
        heard: dict[str, list[bytes]] = {}
        for kind, data in entries(path):
            if kind == b"S":
                yield from self.unknown_to_public(data, f"the surroundings of {bot}", any_card=True)
            elif kind == b"F":
                running, name, _ = (part.decode("utf-8", "replace") for part in data.split(b"\0", 2))
                yield Leak(running, bot, f"the file {name}", "about a match that runs")
            else:
                yield from self._message(bot, data, told, seats, heard)
        for match, messages in heard.items():
            yield from self._disguised(bot, self.truths[match], b"\n".join(messages))

    def _message(
        self,
        bot: str,
        data: bytes,
        told: dict[str, int],
        seats: dict[str, int],
        heard: dict[str, list[bytes]],
    ) -> Iterator[Leak]:
        message: Any = from_referee(data)
        truth = self.truths.get(getattr(message, "match", None) or "")
        if self._seed in data:
            yield Leak(truth.match if truth else "?", bot, "a message", "the seed")
        if truth is None:
            if self._cards(data):
                yield Leak("?", bot, "a message about no match", "a card")
            return
        match = truth.match
        if isinstance(message, Start):
            seats[match] = message.seat
        if isinstance(message, Ask | Tell | End):
            told[match] = told.get(match, 0) + len(message.events)
        if not (isinstance(message, End) and truth.reveal):
            heard.setdefault(match, []).append(data)
        known = truth.known_by(seats[match], told.get(match, 0))
        for _ in self._cards(data) - known:
            yield Leak(
                match, bot, f"a message ({type(message).__name__.lower()})", "a card it may not know yet"
            )

    def _disguised(self, bot: str, truth: Truth, data: bytes) -> Iterator[Leak]:
        """Search for the key and for cards in other forms than their own."""
        for form in disguises(truth.key):
            if form in data:
                yield Leak(truth.match, bot, "its messages", "the key")
        for nonce in truth.nonces - truth.at_the_end(bot):
            core = bytes.fromhex(nonce[2:-2])
            if any(form in data for form in disguises(core)):
                yield Leak(truth.match, bot, "its messages", "a card in disguise")

    # What is on file and shown.

    def public_feed(self, replay: Replay) -> Iterator[Leak]:
        """Search what the public sees, step by step, and the narrations for each point of view."""
        truth = self.truths[replay.header.match]
        for known, step in zip(truth.course, playback.replay_events(replay), strict=True):
            seen = [event.seen_by(None) for event in step.events]
            data = msgspec.json.encode([seen, step.state.view(None)])
            if self._cards(data) - known.public:
                yield Leak(truth.match, "the public", "its view", "a card nobody showed")
        for watcher in (None, *range(len(truth.bots))):
            text = "\n".join(text_of(replay, Watcher(watcher), BoardChoice.EVERY)).encode()
            if watcher is None:
                yield from self.unknown_to_public(text, "the replay as the public sees it")
            else:
                yield from self.unknown_to_bot(truth.bots[watcher], text, "the replay as its seat saw it")

    def dossier(self, path: Path) -> Iterator[Leak]:
        """Search what is kept for those who ask why: each seat's part is for its owner."""
        dossier = read_dossier(path)
        truth = self.truths[dossier.match]
        for seat, part in enumerate(dossier.seats):
            data = msgspec.json.encode(part)
            yield from self.unknown_to_bot(truth.bots[seat], data, "its part of the dossier")
            if not truth.reveal and truth.key.hex().encode() in data:
                yield Leak(truth.match, truth.bots[seat], "its part of the dossier", "the key")

    def names(self, folder: Path) -> Iterator[Leak]:
        """Search the names of all files."""
        for path in folder.rglob("*"):
            yield from self.unknown_to_public(path.name.encode(), f"the file name {path.name}", any_card=True)


def _named(truths: list[Truth]) -> str:
    return " or ".join(truth.match for truth in truths) or "?"


def entries(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """Yield the entries of a diary."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        length = int.from_bytes(data[at + 1 : at + 5], "big")
        yield data[at : at + 1], data[at + 5 : at + 5 + length]
        at += 5 + length


def dossiers(folder: Path) -> Iterator[Path]:
    """Yield the dossiers of a folder."""
    yield from sorted(folder.glob(f"*{DOSSIER_SUFFIX}"))
