"""Gathers what is fed back about a bot: from the public event, and from files of its own seat."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

import referee
from protocol.messages import TimeControl
from referee.errors import RefereeError
from referee.match.faults import Fault
from referee.player.frames import frames
from referee.replay.dossier import SeatDossier
from referee.replay.files import read
from referee.replay.format import Replay
from referee.replay.ledger import ledger
from referee.replay.offence import offences, quote_lines
from referee.replay.seat_file import SEAT_SUFFIX, seat_file_bytes
from referee.replay.stray_print import stray_print
from referee.wording import plural
from tournaments.feedback.choosing import Choice, a_fault, closest_loss, worst_blunder
from tournaments.feedback.events import NO_WHOLE, PlayedPart
from tournaments.feedback.model import (
    BotFeedback,
    BotStanding,
    FaultNote,
    OtherSeat,
    Outcome,
    OwnMatch,
    PartFeedback,
    Suggestion,
    SuggestionKind,
    ThinkingTime,
)
from tournaments.feedback.repeating import ask_again, repeat_match
from tournaments.feedback.starts import start_note
from tournaments.feedback.swings import worst_swing
from tournaments.host_paths import hider
from tournaments.report.words import pool_place_text
from tournaments.results import Played
from tournaments.site.addresses import is_match_id
from tournaments.site.model import SiteEvent
from tournaments.site.reasons import advice_for, dossiers_of, fault_lines
from tournaments.site.replay_scripts import with_names

_LAST_DECISIONS: Final = 10

_STDERR: Final = (
    "What a bot writes to stderr is kept for matches in which a bot made a fault, and of each only the end."
)
_FROZEN: Final = (
    "The table is frozen: later results are not in it, nor here, until the organiser reveals them."
)


class OwnReplay(Struct, frozen=True):
    """A replay of the bot's own seat."""

    seat: int
    clock: TimeControl
    strikes: int
    document: dict[str, Any]
    """The frames of its seat: no other track is in it."""

    def file(self) -> bytes:
        """Return the file of its seat."""
        return seat_file_bytes(self.seat, self.clock, self.strikes, self.document, referee.version())

    def step_of(self, decision: int) -> int | None:
        """Return the step of the player in which the bot had to decide; None if there is none."""
        for at, step in enumerate(self._track()):
            did = step.get("did", {})
            if did.get("seat") == self.seat and did.get("decision") == decision:
                return at - 1
        return None

    def fault_steps(self) -> list[int]:
        """Return the steps of the player in which the bot made a fault."""
        return [
            at
            for at, step in enumerate(self._track())
            if "fault" in (did := step.get("did", {})) and did.get("seat") == self.seat
        ]

    def _track(self) -> list[dict[str, Any]]:
        track: list[dict[str, Any]] = self.document["tracks"][str(self.seat)]
        return track


class Gathered(Struct, frozen=True):
    """What is fed back about a bot, and the replays that go with it, by file."""

    feedback: BotFeedback
    replays: dict[str, OwnReplay]


def gather(
    parts: Sequence[PlayedPart],
    bot: str,
    done: Callable[[], None] = lambda: None,
    whole: Mapping[str, str] = NO_WHOLE,
) -> Gathered:
    """Return what is fed back about a bot; `done` is called after each of its matches.

    `whole` has by public name what bots came to in the whole event, in words.
    """
    replays: dict[str, OwnReplay] = {}
    found = [
        _part(part, bot, _folder(number, len(parts)), replays, done)
        for number, part in enumerate(parts, 1)
        if part.public_name(bot) in part.event.by_bot
    ]
    starts = tuple(note for part in parts if (note := start_note(part, bot)) is not None)
    words = whole.get(parts[0].public_name(bot), "") if parts else ""
    return Gathered(BotFeedback(bot, referee.version(), tuple(found), words, starts), replays)


def matches_of(parts: Sequence[PlayedPart], bot: str) -> int:
    """Return how many matches a bot has in all parts of an event."""
    return sum(len(part.event.by_bot.get(part.public_name(bot), ())) for part in parts)


def _folder(number: int, parts: int) -> str:
    return "replays" if parts == 1 else f"replays/{number}"


def _part(
    part: PlayedPart, bot: str, folder: str, replays: dict[str, OwnReplay], done: Callable[[], None]
) -> PartFeedback:
    event, name = part.event, part.public_name(bot)
    matches: list[OwnMatch] = []
    for match in event.played:
        if name in match.bots:
            matches.append(_own_match(part, match, name, folder, replays))
            done()
    return PartFeedback(
        event=event.name,
        game=event.game,
        title=event.title,
        facts=_facts(event, name),
        final=event.state.complete and not event.hidden,
        time=_times(event, name),
        matches=tuple(matches),
        worth=tuple(_suggestions(part, bot, matches, replays)),
        notes=(*_notes(event, matches, name if name != bot else ""), *_variables(part, bot)),
    )


def _variables(part: PlayedPart, bot: str) -> Iterator[str]:
    """Name the variables that the organiser gives a bot; their values may be the organiser's affair."""
    entrant = part.entrant(bot)
    if entrant is not None and entrant.env:
        names = ", ".join(sorted(entrant.env))
        yield f"The organiser starts it with these variables, which the commands do not set: {names}."


def _facts(event: SiteEvent, bot: str) -> BotStanding:
    standings = event.standings
    line = next(line for line in standings.table if line.name == bot)
    return BotStanding(
        matches=line.matches,
        wins=line.wins,
        draws=line.draws,
        losses=line.losses,
        points=line.points,
        percent=line.percent,
        elo=line.elo,
        interval=line.interval,
        place=line.place,
        place_text=pool_place_text(line),
        places=len(standings.table if bot in standings.earlier else standings.shown),
        faults=line.faults,
    )


def _times(event: SiteEvent, bot: str) -> ThinkingTime:
    time = event.times[bot]
    return ThinkingTime(time.took_us, time.charged_ms * 1_000, time.median_us, time.slowest_us)


def _own_match(
    part: PlayedPart, match: Played, bot: str, folder: str, replays: dict[str, OwnReplay]
) -> OwnMatch:
    seat = match.bots.index(bot)
    own = match.result.seats[seat]
    known = OwnMatch(
        match=match.match,
        seat=seat,
        outcome=_outcome(match, seat),
        rank=own.rank,
        score=own.score,
        others=tuple(
            OtherSeat(name, other.rank, other.score, other.fault)
            for number, (name, other) in enumerate(match.seats())
            if number != seat
        ),
        reason=match.result.public_reason,
        fault=own.fault,
        time=ThinkingTime(own.took_us, own.charged_ms * 1_000, own.median_us, own.slowest_us),
        withheld=part.event.is_withheld(match),
    )
    if known.withheld:
        return known
    try:
        replay = _read(part.event, match)
        document = frames(with_names(replay, match.bots, part.event.masks), [str(seat)])
    except RefereeError:
        return replace(known, trouble="Its replay is missing, or does not verify.")
    file = f"{folder}/{match.match}{SEAT_SUFFIX}"
    header = replay.header
    replays[file] = OwnReplay(seat, header.clock_of(seat), header.strikes, document)
    return _with_replay(part, known, match, replay, file, replays[file])


def _read(event: SiteEvent, match: Played) -> Replay:
    if event.replays is None or not match.replay or not is_match_id(match.match):
        raise RefereeError("there is no replay")
    return read(event.replays / Path(match.replay).name)


def _with_replay(
    part: PlayedPart, known: OwnMatch, match: Played, replay: Replay, file: str, own: OwnReplay
) -> OwnMatch:
    dossier = dossiers_of(match, part.event.replays).get(known.seat)
    lines = ledger(replay, known.seat)
    event = part.plan.file.parent if part.plan is not None else None
    hide = hider(event, dossier.folder if dossier is not None else "")
    return replace(
        known,
        file=file,
        decisions=len(lines),
        faults=tuple(_faults(replay, known.seat, dossier, own, hide)),
        clock=tuple(lines[-_LAST_DECISIONS:]),
        swing=worst_swing(replay, known.seat),
        exit=hide(dossier.exit) if dossier is not None else "",
        stderr=hide(dossier.stderr) if dossier is not None else "",
        stderr_dropped=dossier.dropped_bytes if dossier is not None else 0,
    )


def _outcome(match: Played, seat: int) -> Outcome:
    ranks = match.result.ranks
    if ranks[seat] != 1:
        return "lost"
    return "won" if ranks.count(1) == 1 else "drawn"


def _faults(
    replay: Replay, seat: int, dossier: SeatDossier | None, own: OwnReplay, hide: Callable[[str], str]
) -> Iterator[FaultNote]:
    faults = [entry for entry in replay.entries if isinstance(entry, Fault) and entry.seat == seat]
    sent = offences(faults, dossier.messages) if dossier is not None else {}
    for number, (fault, line, step) in enumerate(
        zip(faults, fault_lines(replay, seat), own.fault_steps(), strict=True)
    ):
        said = sent.get(number)
        command = dossier.command if dossier is not None else ""
        yield FaultNote(
            code=line.code,
            meaning=line.meaning,
            when=line.when,
            verdict=line.verdict,
            why=hide(line.why),
            decision=fault.decision,
            step=step,
            final=fault.final,
            sent=tuple(map(hide, quote_lines(said))) if said is not None else (),
            sent_bytes=said.bytes if said is not None else 0,
            printed=hide(stray_print([said], command)) if said is not None else "",
            advice=advice_for(line.code),
        )


def _suggestions(
    part: PlayedPart, bot: str, matches: Sequence[OwnMatch], replays: dict[str, OwnReplay]
) -> Iterator[Suggestion]:
    chosen: tuple[tuple[SuggestionKind, Choice | None], ...] = (
        ("closest loss", closest_loss(matches)),
        ("worst blunder", worst_blunder(matches)),
        ("fault", a_fault(matches)),
    )
    for kind, choice in chosen:
        if choice is not None:
            own = replays[choice.match.file]
            yield Suggestion(
                kind=kind,
                match=choice.match.match,
                about=choice.about,
                decision=choice.decision,
                step=own.step_of(choice.decision),
                commands=tuple(_commands(part, bot, choice, own)),
            )


def _commands(part: PlayedPart, bot: str, choice: Choice, own: OwnReplay) -> Iterator[str]:
    entrant = part.entrant(bot)
    yield repeat_match(choice.match.file, entrant)
    if choice.decision and own.step_of(choice.decision) is not None:
        yield ask_again(choice.match.file, choice.decision, entrant)


def _notes(event: SiteEvent, matches: Sequence[OwnMatch], pseudonym: str) -> Iterator[str]:
    if pseudonym:
        yield f"In this event it is called {pseudonym}, and the other names are pseudonyms too."
    if not event.state.complete:
        yield (
            "The event is not over: places can change."
            if event.kind != "ladder"
            else ("A ladder has no end: places change with every match.")
        )
    if event.hidden:
        yield _FROZEN
    if withheld := sum(match.withheld for match in matches):
        yield (
            f"{plural(withheld, 'match')} of deals that other bots are still to play: only the results are "
            "here. The rest is fed back when the last match of the deal is over."
        )
    yield _STDERR
