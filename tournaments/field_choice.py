"""Decides who takes part: what becomes of bots that do not start, and which versions of bots come into force.

The decision is noted in the store with all that belongs to it in one transaction, so readers never see a half
of it (`tournaments.store.field`).
"""

import shlex
from collections.abc import Iterable, Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee.errors import LaunchError
from referee.wording import plural
from tournaments.bot_trial import Candidate, Failures, failure_lines
from tournaments.config.file_keys import Broken
from tournaments.config.late import takes_late, too_late
from tournaments.config.plan import Plan
from tournaments.store import provenance
from tournaments.store.errors import StoreError
from tournaments.store.field import FieldNote, field_note, fixed_bots, noted_field
from tournaments.store.provenance import BotProvenance, Provenance
from tournaments.store.store import Store
from tournaments.store.versions import Identity, VersionNote, Versions, version_note, versions_of

Notes = list[tuple[str, str]]
"""Notes of a store: names and texts."""


class Division(Struct, frozen=True):
    """What becomes of the bots that do not start."""

    left_out: Failures
    """The event is played without them."""
    forfeits: Failures
    """They stay in the field, and lose their matches."""
    is_fixed: bool
    """Whether the field is that of the first match: a bot that breaks later is no other version."""

    def report(self, bots: int) -> list[str]:
        """Return the lines for the operator: all failures, with the stderr of each."""
        failures = self.left_out or self.forfeits
        if not failures:
            return []
        is_one = len(failures) == 1
        if self.left_out:
            fate = "does not start and is left out" if is_one else "do not start and are left out"
        else:
            fate = "does not start and loses its matches" if is_one else "do not start and lose their matches"
        return [f"{len(failures)} of {plural(bots, 'bot')} {fate}:", *failure_lines(failures)]


def divide(plan: Plan, store: Store, failures: Failures, broken: Broken) -> Division:
    """Return what becomes of the bots that do not start; raises LaunchError if nothing can be played.

    A tournament in rounds that has begun goes on with all its bots: those that do not start lose.
    """
    able = [name for name in plan.names if name not in failures]
    is_fixed = fixed_bots(plan, store) is not None
    stays = broken == "forfeit" or is_fixed
    if failures and broken == "stop":
        raise _refusal('broken = "stop" lets nothing be played', plan, failures)
    if not able:
        raise _refusal("nothing can be played", plan, failures)
    if not stays and plan.hero in failures:
        raise _refusal(f"{plan.hero} is the bot that meets all others: nothing can be played", plan, failures)
    if not stays and len(able) < plan.seats:
        raise _refusal(f"a match has {plan.seats} seats: nothing can be played", plan, failures)
    return Division({}, failures, is_fixed) if stays else Division(failures, {}, is_fixed)


def _refusal(why: str, plan: Plan, failures: Failures) -> LaunchError:
    count = f"{len(failures)} of {plural(len(plan.bots), 'bot')} {'does' if len(failures) == 1 else 'do'}"
    return LaunchError("\n".join([f"{count} not start, and {why}:", *failure_lines(failures)]))


def check_removed(plan: Plan, store: Store) -> None:
    """Refuse to go on with a tournament in rounds without a bot with which it has begun.

    A bot that the organiser has left out stays in the field, and loses its matches.
    """
    began_with = fixed_bots(plan, store) or []
    known = {*plan.names, *plan.withdrawn}
    lacking = [name for name in began_with if name not in known]
    if not lacking:
        return
    ends = f"a {plan.format} is played to its end by the bots with which it began"
    are, them = ("is", "it") if len(lacking) == 1 else ("are", "them")
    came = [name for name in plan.names if name not in began_with]
    if came and all(name in plan.masks for name in lacking):
        # They are in the file still: of the stage before, others are the best now.
        command = f"referee entries leave-out {shlex.quote(plan.file.name)} {shlex.join(came)}"
        raise StoreError(
            f"{plan.file}: by what was added or changed in the stage before, {', '.join(came)} would go on, "
            f"not {', '.join(lacking)}; but {plan.name} has begun, and {ends}: restore what was changed, "
            f"and leave out what was added (`{command}`)"
        )
    raise StoreError(
        f"{plan.file}: {', '.join(lacking)} {are} missing, but {ends}: put {them} back (a bot that must not "
        f"play on loses its matches after `referee entries leave-out {plan.file.name} BOT`)"
    )


class VersionChoice(Struct, frozen=True):
    """Which versions of bots come into force."""

    notes: Notes
    """Of all versions that the store does not have in force."""
    changed: dict[str, int]
    """Bots that are other programs than before, with the numbers of their versions."""
    returned: frozenset[str] = frozenset()
    """Those of them whose programs were there before."""


def choose_versions(
    plan: Plan, store: Store, candidates: Mapping[str, Candidate], without: Iterable[str] = ()
) -> VersionChoice:
    """Return which versions come into force with these programs; bots `without` one lose all their matches.

    Raises StoreError if a tournament in rounds would go on with another program of a bot.
    """
    versions, notes = _with_first_versions(store, candidates)
    changed: dict[str, int] = {}
    returned = set()
    identities = {name: candidate.identity for name, candidate in candidates.items()}
    for name, identity in (identities | dict.fromkeys(without, Identity())).items():
        before, number = versions.in_force.get(name), versions.number(name, identity)
        if number != before:
            notes.append(version_note(name, number, identity))
        if before is not None and number != before:
            changed[name] = number
            if any(note.version == number for _, note in versions.of(name)):
                returned.add(name)
    if changed and not takes_late(plan.format) and store.head().results:
        _refuse_changed(plan, list(changed))
    return VersionChoice(notes, changed, frozenset(returned))


def _refuse_changed(plan: Plan, names: list[str]) -> None:
    are = f"{'bot' if len(names) == 1 else 'bots'} {', '.join(names)} {'has' if len(names) == 1 else 'have'}"
    raise StoreError(
        f"{are} changed since the first match of this {plan.format}, and results of two programs are not "
        f"mixed: restore the files as they were, or the submission that was entered first. The new version "
        f"is too late: {too_late(plan)}"
    )


def _with_first_versions(store: Store, candidates: Mapping[str, Candidate]) -> tuple[Versions, Notes]:
    """Return the versions of a store, and the notes it lacks: until 0.5.0 a store noted only provenance."""
    versions, runs, results = versions_of(store), store.noted(provenance.NOTE), store.head().results
    if not runs or not results:
        return versions, []
    before = {bot.name: bot for bot in msgspec.json.decode(runs[-1], type=Provenance).bots}
    first = [
        VersionNote(name, 1, one.identity if _is_unchanged(before[name], one) else _as_it_was(before[name]))
        for name, one in candidates.items()
        if name in before and not versions.of(name)
    ]
    notes = [version_note(note.bot, note.version, note.identity) for note in first]
    return Versions([*versions.noted, *((results, note) for note in first)]), notes


def _is_unchanged(before: BotProvenance, now: Candidate) -> bool:
    """Return whether a bot is the program that a run without versions played with, as far as it is known."""
    if now.identity.command.startswith("sample "):
        return True
    if shlex.split(before.command)[1:] != now.spec.program.argv[1:]:
        return False
    if before.program and now.program.program:
        return before.program == now.program.program
    shared = before.files.keys() & now.program.files.keys() - {now.spec.program.argv[0]}
    return all(before.files[path] == now.program.files[path] for path in shared)


def _as_it_was(before: BotProvenance) -> Identity:
    return Identity(command=before.command, digest=before.program)


def choose_field(plan: Plan, store: Store, division: Division) -> Notes:
    """Return the note about who takes part, if that is news. A bot with results stays in the table."""
    with_results = {bot for row in store.played() for bot in row.bots}
    field = FieldNote(
        bots=tuple(name for name in plan.names if name not in division.left_out or name in with_results),
        left_out=_reasons(division.left_out),
        forfeits=_reasons(division.forfeits),
    )
    if fixed_bots(plan, store) is not None:
        # The bots that were left out before the first match stay out.
        field = replace(field, left_out=noted_field(store).left_out)
    return [] if field == noted_field(store) else [field_note(field)]


def _reasons(failures: Failures) -> dict[str, str]:
    return {name: f"does not start: {failure.public}" for name, failure in failures.items()}


def version_lines(plan: Plan, choice: VersionChoice) -> Iterable[str]:
    """Return what the operator reads about bots that have changed."""
    for name, number in choice.changed.items():
        if name in choice.returned:
            yield f"bot {name} is version {number} again: its results of then count, and no later ones"
            continue
        yield f"bot {name} has changed: it is version {number}, and plays its matches anew"
        if plan.common_deals:
            yield f"with common_deals version {number} of {name} gets deals that its author may have seen"
