"""The search is not blind: every leak that is planted in the real system is found."""

import base64
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import sealed  # type: ignore[import-not-found]
from msgspec.structs import replace

from referee.chance import KeyedChance
from referee.cli.output import run_report
from referee.game import Event
from referee.gate.records import Answered
from referee.hub.hub import Hub
from referee.hub.running_match import RunningMatch
from referee.hub.session import Session
from referee.match.match import Match
from referee.replay.dossier import SeatDossier
from tests.campaigns.leak_search import scene

State = sealed.SealedState
Plant = Callable[[], Any]
MATCHES = 9


def _hidden(state: Any) -> str:
    """Return a card that no seat holds."""
    return str(state.nonces[state.inner.deck[0]] if state.inner.deck else "zq0123456789abcdefqz")


def _view(change: Callable[[Any, int | None], Mapping[str, Any]]) -> Any:
    honest = State.view
    return mock.patch.object(State, "view", lambda self, seat: honest(self, seat) | change(self, seat))


def _events(change: Callable[[Any, Event], Event]) -> Any:
    honest = State.seal_event
    return mock.patch.object(State, "seal_event", lambda self, event: change(self, honest(self, event)))


def _others(state: Any, seat: int | None) -> Mapping[str, Any]:
    rival = (0 if seat is None else seat + 1) % state.inner.seats
    return {"rival": [state.nonces[card] for card in state.inner.hands[rival]]}


def _chosen(state: Any, seat: int | None) -> Mapping[str, Any]:
    return {"next": [state.nonces[hand[-1]] for hand in state.inner.hands if hand] if seat == 0 else []}


def _to_the_public(state: Any, seat: int | None) -> Mapping[str, Any]:
    return {"top": _hidden(state)} if seat is None else {}


def _disguised(state: Any, seat: int | None) -> Mapping[str, Any]:
    core = bytes.fromhex(_hidden(state)[2:-2])
    return {"etag": base64.b64encode(core).decode()}


def _published(state: Any, event: Event) -> Event:
    extra = {name: value for fields in (event.private or {}).values() for name, value in fields.items()}
    return replace(event, public=event.public | extra)


def _misdirected(state: Any, event: Event) -> Event:
    seats, private = state.inner.seats, event.private or {}
    return replace(event, private=private | {(seat + 1) % seats: extra for seat, extra in private.items()})


def _legal() -> Any:
    honest = State.legal
    return mock.patch.object(
        State, "legal", lambda self, seat: [*honest(self, seat), f"show {_hidden(self)}"]
    )


def _refusal() -> Any:
    honest = State.apply

    def apply(state: Any, seat: int, action: str) -> Any:
        try:
            return honest(state, seat, action)
        except sealed.IllegalActionError as error:
            error.reason = f"the deck has {_hidden(state)} on top"
            raise

    return mock.patch.object(State, "apply", apply)


def _with_pairing(**changes: Callable[[Any, str], Any]) -> Any:
    honest = scene.pairing

    def pairing(seed: str, number: int) -> Any:
        made = honest(seed, number)
        return replace(made, **{name: change(made, seed) for name, change in changes.items()})

    return mock.patch.object(scene, "pairing", pairing)


def _card_of(pairing: Any) -> str:
    state, _ = pairing.game.new(3, KeyedChance(pairing.key), None)
    return _hidden(state)


def _key_in_the_start() -> Any:
    honest = Match._start

    def start(match: Match, own: Any) -> Any:
        return replace(honest(match, own), commit=match.key.hex())

    return mock.patch.object(Match, "_start", start)


def _key_at_every_end() -> Any:
    honest = Match._end

    def end(match: Match, own: Any, result: Any) -> Any:
        return replace(honest(match, own, result), reveal=match.key.hex())

    return mock.patch.object(Match, "_end", end)


def _dossier_in_mid_match() -> Any:
    honest = Hub.answered

    def answered(hub: Hub, session: Session, answer: Answered) -> None:
        running = session.matches.get(answer.match)
        if running is not None and hub.replays is not None:
            others = "".join(
                other.stderr.since(0) for other in running.seats if other and other is not session
            )
            (hub.replays / f"{answer.match}.log").write_text(others)
        honest(hub, session, answer)

    return mock.patch.object(Hub, "answered", answered)


def _stderr_of_another() -> Any:
    honest = RunningMatch.seat_dossier

    def part(running: RunningMatch, result: Any, seat: int) -> SeatDossier:
        other = running.seats[(seat + 1) % len(running.seats)]
        return replace(honest(running, result, seat), stderr=other.stderr.since(0) if other else "")

    return mock.patch.object(RunningMatch, "seat_dossier", part)


@contextmanager
def _log_line() -> Iterator[None]:
    honest_told, honest_pairing = run_report.result_line, scene.pairing
    cards: dict[str, str] = {}

    def pairing(seed: str, number: int) -> Any:
        made = honest_pairing(seed, number)
        cards[made.match] = _card_of(made)
        return made

    def told(result: Any) -> str:
        return f"{honest_told(result)}, with {cards[result.match]} left"

    with mock.patch.object(scene, "pairing", pairing), mock.patch.object(run_report, "result_line", told):
        yield


def _seed_in_the_environment() -> Any:
    honest_play, honest_specs = scene.play, scene.specs
    seeds: list[str] = []

    def play(folder: Path, seed: str, *rest: Any) -> Any:
        seeds.append(seed)
        return honest_play(folder, seed, *rest)

    def specs(folder: Path) -> Any:
        return [
            replace(spec, program=replace(spec.program, env=spec.program.env | {"SEED": seeds[-1]}))
            for spec in honest_specs(folder)
        ]

    return mock.patch.multiple(scene, play=play, specs=specs)


PLANTS: dict[str, tuple[Plant, str]] = {
    "a rival's hand in a view": (lambda: _view(_others), "a message (ask)"),
    "a card that will be shown, before it is": (lambda: _view(_chosen), "a message (ask)"),
    "a card in base64 in a view": (lambda: _view(_disguised), "a card in disguise"),
    "a card in the view of the public": (lambda: _view(_to_the_public), "its view"),
    "a secret in a public event": (lambda: _events(_published), "a message"),
    "a secret told to the wrong seat": (lambda: _events(_misdirected), "a message"),
    "a card among the legal actions": (_legal, "a message (ask)"),
    "a card in the text of an error": (_refusal, "a message (error)"),
    "the key in the start": (_key_in_the_start, "the key in its messages"),
    "the key at an end that must not reveal it": (_key_at_every_end, "the key in its messages"),
    "the seed among the names": (
        lambda: _with_pairing(names=lambda made, seed: (*made.bots[:2], seed)),
        "the seed in a message",
    ),
    "a card in the name of a file": (
        lambda: _with_pairing(match=lambda made, _: f"{made.match}-{_card_of(made)}"),
        "the file name",
    ),
    "a dossier with others' stderr in mid-match": (_dossier_in_mid_match, "about a match that runs"),
    "the stderr of another in a dossier": (_stderr_of_another, "its part of the dossier"),
    "a card in a line of the log": (_log_line, "the log"),
    "the seed in the environment of a bot": (_seed_in_the_environment, "the surroundings"),
}
"""By name: how it is planted, and words of what must be found."""


@contextmanager
def planted(name: str) -> Iterator[str]:
    """Plant a leak; give words of what must be found."""
    plant, words = PLANTS[name]
    with plant():
        yield words


def main() -> int:
    """Plant every leak in turn."""
    missed = 0
    for name in PLANTS:
        with planted(name) as words:
            leaks = [str(leak) for leak in scene.play_and_search(MATCHES, jobs=2).leaks]
        # What a leak at an honest own would look like: what it reads, in what.
        found = [leak for leak in leaks if words in leak or words in _turned(leak)]
        missed += not found
        sys.stdout.write(f"{'found' if found else 'MISSED'}: {name}{os.linesep}")
        sys.stdout.flush()
    sys.stdout.write(f"{len(PLANTS)} planted, {missed} missed\n")
    return 1 if missed else 0


def _turned(leak: str) -> str:
    return leak.partition(" can read ")[2]
