"""The forecast of a tournament: how many matches, how even, and about how long."""

from hashlib import sha256
from itertools import combinations
from math import comb

import msgspec
from msgspec import Struct

from referee import registry
from referee.chance import KeyedChance, picked
from referee.game import Game, Options
from referee.process.spec import starts_fresh
from referee.wording import plural
from tournaments.config.cautions import memory_caution, seed_caution
from tournaments.config.host_share import division_of
from tournaments.config.plan import Plan
from tournaments.pairing.schedule import Balance, balance, expected, fixtures, pools_of

BETTER_SEED = "`referee tournament new` writes a good one"

_SAMPLES = 3
"""Matches that are played at random, to measure how long one is."""

OVERHEAD_MS = 0.2
"""About what a decision costs beside the time that the bot takes for it."""

_FOR_INTERVALS = 30
"""Blocks that a bot must play before its rating has an interval."""


class Outlook(Struct, frozen=True):
    """The forecast of a tournament."""

    matches: int
    """Of a knockout: without those that break ties."""
    decisions: int
    """Of one match, if all play at random."""
    only_winners: bool
    """Whether the game leaves the seats behind a winner without an order."""
    quick_s: float
    """If bots take a millisecond for a decision."""
    slow_s: float
    """If they take 100."""
    longest_s: float
    """If they take all the time they have."""
    evenness: Balance | None
    """Of one deal in each group; None if it depends on results."""
    notes: tuple[str, ...]
    """What the operator should think about."""


def outlook(plan: Plan) -> Outlook:
    """Return the forecast. A few matches are played at random, without bots, to measure how long they are."""
    matches = expected(plan)
    decisions, only_winners = random_matches(registry.game(plan.game), plan.seats, plan.options)
    clock = plan.profile.clock
    all_ms = plan.seats * (clock.ready_ms + clock.first_ms + clock.bank_ms) + decisions * clock.move_ms

    def lasts_s(match_ms: float) -> float:
        return round(matches * match_ms / 1_000 / min(division_of(plan).jobs, matches), 1)

    return Outlook(
        matches=matches,
        decisions=decisions,
        only_winners=only_winners,
        quick_s=lasts_s(decisions * (1 + OVERHEAD_MS)),
        slow_s=lasts_s(decisions * (100 + OVERHEAD_MS)),
        longest_s=lasts_s(all_ms),
        evenness=_evenness(plan),
        notes=tuple(_notes(plan)),
    )


def _evenness(plan: Plan) -> Balance | None:
    if plan.format in ("swiss", "knockout"):
        return None
    # How often bots meet does not depend on the luck, which may not be drawn yet.
    found = balance(fixtures(msgspec.structs.replace(plan, blocks=1, seed="any", luck=None)))
    if plan.pools == 1:
        return found
    meet = {pair for pool in pools_of(plan) for pair in combinations(sorted(pool), 2)}
    return msgspec.structs.replace(
        found, pairs={pair: count for pair, count in found.pairs.items() if pair in meet}
    )


def random_matches(game: Game, seats: int, options: Options) -> tuple[int, bool]:
    """Play a few matches at random.

    Return how many decisions one takes on average, and whether any left the seats behind its winner without
    an order.
    """
    taken, only_winners = 0, False
    for number in range(_SAMPLES):
        chance = KeyedChance(sha256(f"outlook:{number}".encode()).digest())
        state, _ = game.new(seats, chance.clone(), options)
        while (outcome := state.outcome()) is None:
            seat = state.to_act()[0]
            state.apply(seat, picked(chance, "choices", state.legal(seat)))
            taken += 1
        only_winners = only_winners or outcome.ties == "unordered"
    return max(1, round(taken / _SAMPLES)), only_winners


def _notes(plan: Plan) -> list[str]:
    notes = [*filter(None, [seed_caution(plan.operator_seed, BETTER_SEED)])]
    if (blocks := _blocks_of_a_bot(plan)) < _FOR_INTERVALS:
        notes.append(
            f"a bot plays {plural(blocks, 'block')}: ratings have no error bars below {_FOR_INTERVALS}, "
            "raise `blocks`"
        )
    notes += filter(None, [_repeats(plan), memory_of_bots(plan)])
    return notes


def _repeats(plan: Plan) -> str:
    """Return the note that bots of a Swiss tournament will meet again, or ''."""
    if plan.format != "swiss":
        return ""
    # Imported late, with NumPy: `play` starts in half the time without it.
    from tournaments.pairing.swiss import most_repeats, rests_again

    bots, rounds = len(plan.bots), plan.rounds
    most = most_repeats(bots, plan.seats, rounds)
    meetings, pairs = rounds * (bots // plan.seats) * comb(plan.seats, 2), comb(bots, 2)
    if most == 0:
        return ""
    if meetings > pairs:
        return (
            f"bots meet again: {rounds} rounds have {meetings} meetings, and there are {pairs} pairs of bots"
        )
    if most is None:
        return f"bots may meet again: {rounds} rounds of {bots} bots are too many to plan them together"
    up_to = "about" if rests_again(bots, plan.seats, rounds) else "up to"
    return f"bots meet again: {up_to} {most} of the {meetings} meetings in {rounds} rounds are repeated"


def memory_of_bots(plan: Plan) -> str:
    """Return the warning that bots can remember the deals of a tournament, or ''."""
    fresh = starts_fresh(plan.level, plan.fresh)
    return memory_caution(plan.level, fresh, only_samples=plan.has_only_samples, in_file=True)


def cautions(plan: Plan) -> list[str]:
    """Return the warnings about a tournament that is played; our own samples neither guess nor remember."""
    guessable = "" if plan.has_only_samples else seed_caution(plan.operator_seed, BETTER_SEED)
    return [*filter(None, [guessable, memory_of_bots(plan)])]


def _blocks_of_a_bot(plan: Plan) -> int:
    """Return the number of deals of the bot with the fewest matches."""
    if plan.format == "knockout":
        return plan.blocks
    if plan.format == "swiss":
        return plan.blocks * (plan.rounds - (1 if len(plan.bots) % plan.seats else 0))
    even = _evenness(plan)
    assert even is not None
    return plan.blocks * min(sum(counts) for counts in even.seats.values()) // plan.seats
