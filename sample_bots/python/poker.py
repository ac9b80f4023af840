"""A bot that plays Chicago Poker sensibly, and a model to learn from.

Its strategy in short: collect cards until some business can be won with the hand, then lay that row down
without delay. At every decision it looks at each business for the best row it can make there (an `Aim`), and
then asks its rules of thumb in order (RULES, at the end); the first that has an answer decides. It looks at
nothing but its view, the legal actions and the events, uses neither luck nor clock, and so does the same
again in the same position.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import combinations
from typing import NamedTuple

from protocol.client import Bot, run
from protocol.messages import Seen, Start, View
from referee.games.chicago_poker.components import CARDS, FACING, FULL, HAND_LIMIT, NAMES, VALUES
from sample_bots.python.poker_position import Business, Memory, Position
from sample_bots.python.poker_value import Cards, chance, expected, outlook, strength

# A chance at which a row is worth completing with a special card.
SURE = 0.8
# A chance at which it is no use to look at hidden cards first.
CERTAIN = 0.9
# What one action is worth, on the scale of tile_worth; the cards still missing cost several draws each.
ACTION = 0.01
DRAWS = 4
# How much a special card must add to the chance of a business to be spent.
EFFECT = 0.2
# What a row loses in strength by a limousine, as a chance: it can be built up again.
LEFT_BEHIND = 0.1


class Patience(NamedTuple):
    """When a row is laid down, and when another card is drawn instead."""

    sure: float
    """The chance it takes while I can still draw better cards; more than 1 if none will do."""
    content: float
    """The chance it takes with a full hand."""
    full: int
    """With so many cards a hand is full."""


# Lays down what is likely to win, without delay. With one or two rivals it is stronger to wait, as the search
# bot does.
EAGER = Patience(sure=SURE, content=0.5, full=HAND_LIMIT)


class Aim(NamedTuple):
    """A row I could make: these cards of my hand added to my row at a business."""

    score: float
    business: Business
    cards: Cards
    """To be played, from my hand."""
    missing: int
    """To be drawn first."""
    chance: float
    """Of winning the shootout."""


class Decision:
    """What a rule of thumb may look at: the position, the legal actions, and my aims, the best first."""

    def __init__(self, position: Position, legal: list[str], patience: Patience) -> None:
        self.position = position
        self.legal = legal
        self.full = position.held >= patience.full
        self._patience = patience

    # Aims take time to find, and many decisions need few of them, or none.

    @cached_property
    def aims(self) -> list[Aim]:
        """All rows I could make, the best first."""
        aims = (
            aim for business in self.position.businesses.values() for aim in aims_at(business, self.position)
        )
        return sorted(aims, key=lambda aim: aim.score, reverse=True)

    @cached_property
    def ready(self) -> Aim | None:
        """The aim to lay down now, if there is one."""
        last = self.full or "draw" not in self.legal
        return self._best_ready(self._patience.content if last else self._patience.sure)

    @cached_property
    def acceptable(self) -> Aim | None:
        """The aim to lay down if there were no more cards to draw, if there is one."""
        return self._best_ready(self._patience.content)

    def _best_ready(self, enough: float) -> Aim | None:
        position = self.position
        possible = [business for business in position.businesses.values() if business.urgent or enough <= 1]
        aims = (aim for business in possible for aim in complete_aims(business, position))
        return max((aim for aim in aims if is_ready(aim, enough)), key=lambda aim: aim.score, default=None)

    def with_verb(self, verb: str) -> Iterator[list[str]]:
        """Yield the words after the verb of each legal action with this verb that has a target."""
        for action in self.legal:
            first, *words = action.split(" ")
            if first == verb and words != ["-"]:
                yield words


def is_ready(aim: Aim, enough: float) -> bool:
    """Return whether an aim for which no card is missing should be pursued at once."""
    return aim.score > 0 if aim.business.urgent else aim.chance >= enough


def aims_at(business: Business, position: Position) -> Iterator[Aim]:
    """Yield the best rows I could make at a business, one for each number of cards it takes."""
    yield from complete_aims(business, position)
    if not business.urgent:
        fewest = max(0, business.room - len(position.hand))
        for missing in range(max(fewest, 1), min(fewest + 2, business.room + 1)):
            yield aim_with(business, position, missing)


def complete_aims(business: Business, position: Position) -> Iterator[Aim]:
    """Yield those of the rows I could make for which I have all cards."""
    if business.urgent:
        yield from urgent_aims(business, position)
    elif 0 < business.room <= len(position.hand):
        yield aim_with(business, position, 0)


def urgent_aims(business: Business, position: Position) -> Iterator[Aim]:
    """Yield rows for a shootout that comes before my next turn: any number of cards may win."""
    rivals = business.outlooks()
    already = chance(outlook(business.mine, 0), rivals)
    for count in range(1, min(business.room, position.left, len(position.hand)) + 1):
        cards = best_addition(business.mine, position.hand, count)
        odds = chance(outlook(together(business.mine, cards), 0), rivals)
        score = business.worth * (odds - already) - ACTION * count
        yield Aim(score, business, cards, 0, odds)


def aim_with(business: Business, position: Position, missing: int) -> Aim:
    """Return the best row of five, for which so many cards are missing."""
    count = business.room - missing
    cards = best_addition(business.mine, position.hand, count, missing)
    odds = chance(outlook(together(business.mine, cards), missing), business.outlooks())
    score = business.worth * odds - ACTION * (count + DRAWS * missing)
    return Aim(score, business, cards, missing, odds)


@lru_cache(maxsize=1 << 14)
def best_addition(row: Cards, hand: Cards, count: int, missing: int = 0) -> Cards:
    """Return those cards of a hand that make the best row, with so many cards to come."""
    if missing:
        return max(
            combinations(hand, count), key=lambda cards: expected(outlook(together(row, cards), missing))
        )
    return max(combinations(hand, count), key=lambda cards: strength(together(row, cards)))


def together(row: Cards, cards: Cards) -> Cards:
    """Return a row with more cards, in the order of numbers."""
    return tuple(sorted(row + cards))


# The rules of thumb. Each returns an action, or None if it has nothing to say.


def ride(decision: Decision) -> str | None:
    """Limousine: bring cards from one of my rows to another, if that makes five that win."""
    position = decision.position
    best, found = EFFECT, None
    seen: set[tuple[str, Cards]] = set()
    for way, *names in decision.with_verb("limo"):
        source, target = position.businesses[int(way[0])], position.businesses[int(way[2])]
        riders = tuple(CARDS[name] for name in names)
        row = together(target.mine, riders)
        if len(row) < FULL or (way, row) in seen:  # of all orders of the same cards the first will do
            continue
        seen.add((way, row))
        odds = chance(outlook(row, 0), target.outlooks())
        stay = tuple(card for card in source.mine if card not in riders)
        gain = odds - LEFT_BEHIND * (strength(source.mine) - strength(stay))
        if odds >= SURE and gain > best:
            best, found = gain, f"limo {way} {' '.join(names)}"
    return found


def liquidate(decision: Decision) -> str | None:
    """Liquidation: take the last card of a rival, where it turns the shootout in my favour."""
    position = decision.position
    best, found = ACTION, None
    for number, target in decision.with_verb("liquidate"):
        business = position.businesses[int(number)]
        mine = outlook(hoped_for(business, decision), 0)
        before = chance(mine, business.outlooks())
        rows = [rival.without_last() if rival.seat == int(target[1:]) else rival for rival in business.rivals]
        after = chance(mine, replace(business, rivals=rows).outlooks())
        gain = business.worth * (after - before - EFFECT)
        if gain > best:
            best, found = gain, f"liquidate {number} {target}"
    return found


def hoped_for(business: Business, decision: Decision) -> Cards:
    """Return the row I can bring to a shootout at a business with the cards I have."""
    aims = [aim for aim in decision.aims if aim.business is business and not aim.missing]
    return together(business.mine, aims[0].cards) if aims else business.mine


def raid(decision: Decision) -> str | None:
    """Police raid: look at hidden cards before a row is finished against them."""
    if not any(decision.with_verb("raid")):
        return None
    aim = decision.acceptable
    if aim is None or aim.chance > CERTAIN or len(aim.cards) >= decision.position.left:
        return None
    rivals = [rival for rival in aim.business.rivals if None in rival.entries]
    if not rivals:
        return None
    most = max(rivals, key=lambda rival: (rival.entries.count(None), expected(rival.outlook(0))))
    return f"raid {aim.business.slot} @{most.seat}"


def shoot_more(decision: Decision) -> str | None:
    """Revolver: two more actions, when there are cards to lay down or no room in my hand."""
    if "revolver" not in decision.legal:
        return None
    aim = decision.ready
    if decision.full or (aim is not None and len(aim.cards) >= decision.position.left):
        return "revolver"
    return None


def pursue(decision: Decision) -> str | None:
    """Lay down the next card of the row I have decided upon."""
    aim = decision.ready
    if aim is None:
        return None
    business = aim.business
    row = together(business.mine, aim.cards)

    def weight(card: int) -> float:
        """Return what the row loses without this card."""
        return strength(row) - strength(tuple(other for other in row if other != card))

    # Where the next place is face up, the cards that show least come first; face down, those that matter.
    hidden = FACING[business.kind][len(business.mine)]
    card = max(aim.cards, key=weight) if hidden or business.urgent else min(aim.cards, key=weight)
    return f"play {NAMES[card]} {business.slot}"


def bribe(decision: Decision) -> str | None:
    """Bribery: fetch the card from the discard that completes my best row."""
    best, found = 0.0, None
    if not any(decision.with_verb("bribe")):
        return None
    for aim in decision.aims:
        if aim.missing != 1:
            continue
        row = together(aim.business.mine, aim.cards)
        card = max(decision.position.discard, key=lambda card: strength(together(row, (card,))), default=None)
        if card is None:
            continue
        odds = chance(outlook(together(row, (card,)), 0), aim.business.outlooks())
        score = aim.business.worth * odds
        if odds >= SURE and score > best:
            best, found = score, f"bribe {NAMES[card]}"
    return found


def draw(decision: Decision) -> str | None:
    """Draw while there is room in my hand."""
    return None if decision.full else "draw"


def stop(decision: Decision) -> str | None:
    """Pass, if every card I could play would do harm."""
    return "pass" if least_evil(decision)[0] < 0 else None


def shed(decision: Decision) -> str | None:
    """Play a card because my hand is full, or the deck is empty."""
    return least_evil(decision)[1]


def least_evil(decision: Decision) -> tuple[float, str | None]:
    """Return the card that promises most without spoiling my best aim, as an action, and its score."""
    position = decision.position
    aim = decision.aims[0] if decision.aims else None
    best, found = float("-inf"), None
    for name, number in decision.with_verb("play"):
        business, card = position.businesses[int(number)], CARDS[name]
        row = together(business.mine, (card,))
        odds = chance(outlook(row, FULL - len(row)), business.outlooks())
        score = business.worth * odds
        if len(row) == FULL and odds < 1 / 2:
            score -= business.worth  # it would start a shootout that I expect to lose
        if aim and card in aim.cards and business is not aim.business:
            score -= aim.business.worth * aim.chance
        if score > best:
            best, found = score, f"play {name} {number}"
    return best, found


RULES: tuple[Callable[[Decision], str | None], ...] = (
    ride,
    liquidate,
    raid,
    shoot_more,
    pursue,
    bribe,
    draw,
    stop,
    shed,
)


def choose_action(position: Position, legal: list[str], patience: Patience) -> str:
    """Return the answer of the first rule of thumb that has a legal one, or else the first legal action."""
    if len(legal) == 1:
        return legal[0]
    decision = Decision(position, legal, patience)
    answers = (rule(decision) for rule in RULES)
    return next((answer for answer in answers if answer in legal), legal[0])


def choose_shootout(position: Position, legal: list[str]) -> str:
    """Return the shootout to hold first: one that may win the game, then the surest."""

    def promise(action: str) -> tuple[float, float]:
        business = position.businesses[int(action.split(" ")[1])]
        odds = chance(outlook(business.mine, 0), [rival.outlook(0) for rival in business.rivals])
        return odds * business.decisive, odds * business.worth

    return max(legal, key=promise)


def choose_reinforcement(view: View, legal: list[str]) -> str:
    """Return the gangster to send: the highest, or the lowest if no other tied seat has a card at all."""
    gangsters = [action for action in legal if action != "send none"]
    if not gangsters:
        return legal[0]
    empty = all(view["hands"][seat] == 0 for seat in view["fight"]["tied"] if seat != view["you"])
    pick = min if empty else max
    return pick(gangsters, key=lambda action: CARDS[action.split(" ")[1]] % VALUES)


def choose(view: View, legal: list[str], memory: Memory, patience: Patience = EAGER) -> str:
    """Return the action for one decision."""
    if view["phase"] == "reinforce":
        return choose_reinforcement(view, legal)
    position = Position(view, memory)
    if view["phase"] == "order":
        return choose_shootout(position, legal)
    return choose_action(position, legal, patience)


class PokerBot(Bot):
    """One match of the poker bot."""

    def start(self, start: Start) -> None:
        """Begin with an empty memory."""
        del start
        self._memory = Memory()

    def see(self, events: list[Seen]) -> None:
        """Remember what the view will not show."""
        for event in events:
            self._memory.note(event)

    def choose(self, view: View, legal: list[str]) -> str:
        """Return the action for one decision."""
        return choose(view, legal, self._memory)


def main() -> None:
    """Play until the referee says goodbye."""
    run(PokerBot, name="poker", games=["chicago-poker"], capacity=64)


if __name__ == "__main__":
    main()
