"""The order of a knockout: how far each bot came, and how far it may still come."""

from collections import Counter
from collections.abc import Sequence

from tournaments.pairing.knockout import THIRD_PLACE
from tournaments.pairing.rounds import Round, RoundGroup
from tournaments.placing.places import OfficialOrder, Place, ranked

BY = ("round reached", "points in the final")

_Range = tuple[int, int]


def knockout_order(rounds: Sequence[Round], seeds: Sequence[str]) -> OfficialOrder:
    """Return the places of all bots. Bots that leave in the same round share theirs.

    As long as a bot is in, its places are those that it may still reach. Bots with the same places stand in
    the order of the seeds.
    """
    reach: dict[str, _Range] = dict.fromkeys(seeds, (1, len(seeds)))
    left: dict[str, int] = {}
    drawn: set[str] = set()
    for one in rounds:
        reach |= _after(one)
        left = {bot: one.number for group in _main(one) for bot in group.losers} | left
        # What a bot did in its last group decides its place.
        drawn -= {bot for group in one.groups for bot in group.bots}
        drawn |= {bot for group in one.groups for bot in _drawn_in(group)}
    rests = Counter(bot for one in rounds for bot in one.resting)
    number = {name: at for at, name in enumerate(seeds)}
    order = sorted(seeds, key=lambda name: (*reversed(reach[name]), number[name]))
    places = {
        name: Place(
            place=reach[name][0],
            place_to=reach[name][1],
            rests=rests[name],
            out_in=left.get(name),
            by_lot=name in drawn,
        )
        for name in order
    }
    return OfficialOrder(
        places, BY, f"Ordered by the round that a bot reached. {_news(rounds)}", follows_rounds=True
    )


def _main(one: Round) -> list[RoundGroup]:
    """Return the groups of a round but for the match for third place."""
    return [group for group in one.groups if group.title != THIRD_PLACE]


def _after(one: Round) -> dict[str, _Range]:
    """Return the places that bots may still reach after a round, as far as it is played."""
    before = len(one.resting) + sum(len(group.bots) for group in _main(one))
    after = len(one.resting) + sum(group.goes_on for group in _main(one))
    reach: dict[str, _Range] = dict.fromkeys(one.resting, (1, after))
    for group in one.groups:
        if group.title:
            # The final and the match for third place leave no place open but those of equal points.
            reach |= _decided_in(group, 1 if group.title != THIRD_PLACE else before + 1)
        elif group.through:
            reach |= dict.fromkeys(group.through, (1, after))
            reach |= dict.fromkeys(group.losers, (after + 1, before))
    return reach


def _decided_in(group: RoundGroup, best: int) -> dict[str, _Range]:
    """Return the places of the bots of a last match; the first of them is that of its winner."""
    if not group.through:
        return dict.fromkeys(group.bots, (best, best + len(group.bots) - 1))
    gained = dict(group.scores)
    others = ranked(group.losers, lambda name: -gained[name], group.bots.index)
    behind = {name: (best + first, best + last) for name, first, last in others}
    return dict.fromkeys(group.through, (best, best)) | behind


def _drawn_in(group: RoundGroup) -> set[str]:
    """Return the bots of a group whose places only the lot decided: not those that go on to another round."""
    if group.decided != "lot":
        return set()
    gained = dict(group.scores)
    least = min(gained[bot] for bot in group.through)
    ending = group.bots if group.title else group.losers
    return {bot for bot in ending if gained[bot] == least}


def _news(rounds: Sequence[Round]) -> str:
    """Return which bot has won, or how far the knockout is."""
    if not rounds:
        return "It has not begun."
    final = rounds[-1].groups[0]
    if final.title and final.through:
        return f"{final.through[0]} has won."
    return f"{rounds[-1].title}: {rounds[-1].played} of {rounds[-1].matches} matches are over."
