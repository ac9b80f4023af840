"""The rounds of a Swiss tournament: neighbours in the standings meet, and meetings are not repeated. Pure.

A round that suits the standings best may leave no way to play the later ones without repeated meetings. So
where that can happen, all rounds that are left are planned together before each round: as few repeated
meetings as possible in all of them, and then a next round near the standings. The plan of the round before is
kept unless a better one is found; so results never cause more repeated meetings than the first plan has.
"""

from collections.abc import Sequence
from hashlib import sha256
from math import comb

from referee.chance import KeyedChance
from tournaments.pairing.design import Round
from tournaments.pairing.exchange import Exchange, History, Weights
from tournaments.pairing.matching import most_pairs

_LARGEST = 64_000
"""Rounds times the square of the number of bots, up to which rounds are planned together."""

_EFFORT = 6_000_000
"""How many exchanges one search looks at, in all rounds of a tournament together."""

_STEPS = (40, 600)
"""The least and the most steps of a search; in each it looks at all exchanges."""

_PATIENCE = 2_000
"""Steps times bots without a better round, after which the search for a single round ends."""

_PLANS = 8
"""How often a first plan is begun; each time it gets twice the steps of a search."""

_KEPT = 4_096
"""How many rounds are kept that need not be searched for again."""


def is_free(bots: int, seats: int, rounds: int) -> bool:
    """Say whether every choice of the rounds before leaves a last round without repeated meetings.

    With two seats that is Dirac's theorem, with more the theorem of Hajnal and Szemerédi, for the bots that
    have not met.
    """
    return seats * ((rounds - 1) * (seats - 1) + 1) <= bots - bots % seats


def least_repeats(bots: int, seats: int, rounds: int) -> int:
    """Return a number of repeated meetings below which no schedule is, counted as `History.repeats` does.

    Meetings are at best spread evenly over all pairs. And the bots of a group are at best spread evenly over
    the groups of each other round.
    """
    groups, resting = divmod(bots, seats)
    in_all = _spread(rounds * groups * comb(seats, 2), comb(bots, 2))
    between_two = _spread(groups * seats - resting, groups * groups)
    return max(in_all, comb(rounds, 2) * between_two)


def _spread(things: int, places: int) -> int:
    """Return how many pairs of things share a place if they are spread evenly."""
    each, more = divmod(things, places)
    return more * comb(each + 1, 2) + (places - more) * comb(each, 2)


def most_repeats(bots: int, seats: int, rounds: int) -> int | None:
    """Return how many meetings are repeated at most, with any results; None if that is not planned.

    They are counted as `History.repeats` does. With three seats and more, if bots rest more than once
    (`rests_again`), fair rests come first and may cost a few more.
    """
    if is_free(bots, seats, rounds):
        return 0
    span = _span(bots, seats, rounds)
    if span * bots**2 > _LARGEST:
        return None
    if span < rounds:
        # All cycles but the last are complete.
        return least_repeats(bots, seats, rounds)
    return History(bots, seats, _outline(History(bots, seats), span)).repeats


def rests_again(bots: int, seats: int, rounds: int) -> bool:
    """Say whether some bots rest more than once."""
    return rounds * (bots % seats) > bots


def _span(bots: int, seats: int, left: int) -> int:
    """Return how many of the rounds that are left are planned together.

    With two seats all have met, and rested, once after a cycle of rounds; then the next one begins.
    """
    return min(left, bots - 1 + bots % 2) if seats == 2 else left


class Course:
    """The rounds of one tournament, as they become known. Bots have numbers from 0."""

    def __init__(self, bots: int, seats: int, rounds: int) -> None:
        self._rounds = self._left = rounds
        self._before = History(bots, seats)
        self._ahead: tuple[Round, ...] = ()
        self._key = sha256(f"{bots} {seats} {rounds}".encode()).digest()

    def next(self, order: Sequence[int]) -> Round:
        """Return the next round, given the standings before it, the best bot first."""
        self._key = sha256(self._key + repr(list(order)).encode()).digest()
        plan = _known.get(self._key)
        if plan is None:
            plan = self._plan(order)
            _keep(self._key, plan)
        self._ahead = plan[1:]
        self._left -= 1
        self._before.add(plan[0])
        return plan[0]

    def _plan(self, order: Sequence[int]) -> tuple[Round, ...]:
        """Return the next round and, if they are planned together, those after it."""
        bots, seats = self._before.bots, self._before.seats
        weights = Weights(self._before, order)
        nearest = _nearest(weights, order)
        if not self._ahead:
            span = _span(bots, seats, self._left)
            if is_free(bots, seats, self._rounds) or span * bots**2 > _LARGEST:
                return (nearest,)
            self._ahead = _outline(self._before, span)
        return _foreseen(weights, nearest, self._ahead, _steps(bots, len(self._ahead), self._rounds))


_known: dict[bytes, tuple[Round, ...]] = {}
"""Plans by what they follow from: a run asks for the same rounds again and again."""


def _keep(key: bytes, plan: tuple[Round, ...]) -> None:
    if len(_known) >= _KEPT:
        _known.pop(next(iter(_known)))
    _known[key] = plan


def _nearest(weights: Weights, order: Sequence[int]) -> Round:
    """Return a round that repeats few meetings and is near the standings, without a look at later ones."""
    bots, seats = weights.before.bots, weights.before.seats
    place = {bot: number for number, bot in enumerate(order)}
    by_rest = sorted(order, key=lambda bot: (weights.before.rests[bot], -place[bot]))
    seated = sorted(by_rest[bots % seats :], key=place.__getitem__)
    if seats == 2:
        seated = _paired(seated, weights.before)
    search = Exchange(weights, [_cut(seated, seats)])
    search.search(4 * bots, patience=_PATIENCE // bots)
    return search.rounds[0]


def _cut(seated: Sequence[int], seats: int) -> Round:
    return tuple(tuple(seated[at : at + seats]) for at in range(0, len(seated), seats))


def _paired(seated: Sequence[int], before: History) -> list[int]:
    """Return the bots pair by pair: as many pairs as possible have not met, and are near the standings."""
    met = before.met[seated][:, seated] > 0
    partners = [
        sorted(
            (other for other in range(len(seated)) if other != place and not met[place, other]),
            key=lambda other: (abs(other - place), -other),
        )
        for place in range(len(seated))
    ]
    mates = most_pairs(partners)
    alone = [place for place, mate in enumerate(mates) if mate < 0]
    pairs = [(place, mate) for place, mate in enumerate(mates) if place < mate]
    pairs += zip(alone[::2], alone[1::2], strict=True)
    return [seated[place] for pair in pairs for place in pair]


def _outline(before: History, span: int) -> tuple[Round, ...]:
    """Return a plan of so many rounds with few repeated meetings; standings do not count yet."""
    bots, seats = before.bots, before.seats
    weights = Weights(before)
    goal = _least(weights, span)
    searches: list[Exchange] = []
    for key in range(_PLANS):
        begun = _turned(bots, span) if seats == 2 else _shuffled(bots, seats, span, key)
        searches.append(Exchange(weights, begun, key=key))
        if searches[-1].search(2 * _steps(bots, span, span), goal=goal):
            break
    return min(searches, key=lambda one: one.weight).rounds


def _least(weights: Weights, span: int) -> int:
    """Return the least that a plan could weigh."""
    before = weights.before
    bots, seats = before.bots, before.seats
    meetings = int(before.met.sum()) // 2 + span * (bots // seats) * comb(seats, 2)
    rests = int(before.rests.sum()) + span * (bots % seats)
    repeats = max(_spread(meetings, comb(bots, 2)), least_repeats(bots, seats, span))
    return weights.repeat * repeats + weights.rest * _spread(rests, bots)


def _turned(bots: int, span: int) -> tuple[Round, ...]:
    """Return rounds of pairs in which all meet once: one bot, or the rest, in the middle of a circle."""
    around = bots - 1 + bots % 2
    rounds = []
    for turn in range(span):
        pairs = [((turn - by) % around, (turn + by) % around) for by in range(1, around // 2 + 1)]
        if bots % 2 == 0:
            pairs.append((turn % around, bots - 1))
        rounds.append(tuple(pairs))
    return tuple(rounds)


def _shuffled(bots: int, seats: int, span: int, key: int) -> list[Round]:
    chance = KeyedChance(key.to_bytes(32, "big"))
    everyone = list(range(bots))
    rounds = []
    for _ in range(span):
        rounds.append(_cut(everyone[: bots - bots % seats], seats))
        chance.shuffle("rounds", everyone)
    return rounds


def _steps(bots: int, ahead: int, rounds: int) -> int:
    """Return how many steps a search in the rounds ahead may take, in a tournament of so many rounds."""
    least, most = _STEPS
    return max(least, min(most, _EFFORT // (rounds * ahead * bots**2)))


def _foreseen(weights: Weights, nearest: Round, ahead: Sequence[Round], steps: int) -> tuple[Round, ...]:
    """Return the best plan: the next round and those after it.

    First the nearest round is tried, and the others are searched for; then all are changed together. The
    plan that there was, with any of its rounds first, is never made worse.
    """
    plans = [(one, *(other for other in ahead if other is not one)) for one in ahead]
    kept = min(plans, key=weights.of)
    # The nearest round costs what it costs now; all together may repeat no more than the plan that there was.
    goal = weights.of(kept) - weights.first(kept[0]) + weights.first(nearest)
    search = Exchange(weights, (nearest, *kept[1:]))
    if search.search(steps, goal=goal, fixed=1):
        return search.rounds
    search.search(steps)
    other = Exchange(weights, kept)
    other.search(steps)
    return min([search, other], key=lambda one: one.weight).rounds
