"""Coins: a toy with a little of everything: secrets, luck, choices made at once, a private look, leaving."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from referee.chance import Chance, KeyedChance, picked
from referee.errors import IllegalActionError
from referee.game import Event, Game, GameInfo, Option, Options, Outcome, State, View

CARDS = range(1, 25)


class CoinsState(State):
    """A position of Coins."""

    def __init__(self, chance: Chance, options: Options, seats: int) -> None:
        self.chance, self.options, self.seats = chance, options, seats
        self.deck: list[int] = []
        self.discard: list[int] = []
        self.hands: list[list[int]] = [[] for _ in range(seats)]
        self.known: dict[int, dict[int, list[int]]] = {seat: {} for seat in range(seats)}
        self.chosen: dict[int, int] = {}
        self.coins = [0] * seats
        self.out: list[int] = []
        self.phase, self.round, self.winner = "show", 1, -1

    def staying(self) -> list[int]:
        """Return the seats that have not left."""
        return [seat for seat in range(self.seats) if seat not in self.out]

    def to_act(self) -> Sequence[int]:
        if self.phase == "show":
            return [seat for seat in self.staying() if seat not in self.chosen]
        return [self.winner] if self.phase == "peek" else []

    def legal(self, seat: int) -> list[str]:
        if seat not in self.to_act():
            return []
        if self.phase == "show":
            return [f"show {card}" for card in self.hands[seat]]
        others = [other for other in self.staying() if other != seat and self._unknown(seat, other)]
        return ["pass"] + [f"peek {other}" for other in others]

    def _unknown(self, seat: int, other: int) -> list[int]:
        return [card for card in self.hands[other] if card not in self.known[seat].get(other, ())]

    def apply(self, seat: int, action: str) -> list[Event]:
        if action not in self.legal(seat):
            raise IllegalActionError(seat, action, "not one of the legal actions")
        verb, _, number = action.partition(" ")
        if verb == "show":
            self.chosen[seat] = int(number)
            return [] if self.to_act() else self._turn_up()
        event = Event({"event": "passed", "seat": seat}) if verb == "pass" else self._peek(seat, int(number))
        self.phase, self.round = "show", self.round + 1
        return [event]

    def _peek(self, seat: int, other: int) -> Event:
        card = picked(self.chance, "peek", self._unknown(seat, other))
        self.known[seat][other] = sorted({*self.known[seat].get(other, ()), card})
        return Event({"event": "peeked", "seat": seat, "at": other}, {seat: {"card": card}}, news=True)

    def _lose(self, seat: int, cards: Iterable[int]) -> None:
        for card in list(cards):
            self.hands[seat].remove(card)
            self.discard = sorted([*self.discard, card])
            for known in self.known.values():
                known[seat] = [other for other in known.get(seat, ()) if other != card]

    def _turn_up(self) -> list[Event]:
        cards, self.chosen = self.chosen, {}
        self.winner = max(cards, key=lambda seat: cards[seat])
        self.coins[self.winner] += 1
        for seat, card in cards.items():
            self._lose(seat, [card])
        shown = [cards.get(seat, 0) for seat in range(self.seats)]
        events = [Event({"event": "shown", "cards": shown, "winner": self.winner}, news=True)]
        events += [self._draw(seat) for seat in self.staying()]
        self.phase = "peek"
        if self.round == self.options["rounds"]:
            events.append(self._end())
        elif self.options["peek"] == "no":
            self.phase, self.round = "show", self.round + 1
        return events

    def _end(self) -> Event:
        self.phase = "over"
        ended = self.outcome()
        assert ended is not None
        result = {"reason": ended.reason, "ranking": list(ended.ranks), "scores": list(ended.scores)}
        return Event({"event": "ended", **result})

    def _draw(self, seat: int) -> Event:
        shuffled = not self.deck
        if shuffled:
            self.deck, self.discard = self.discard, []
            self.chance.shuffle("deck", self.deck)
        card = self.deck.pop()
        self.hands[seat] = sorted([*self.hands[seat], card])
        return Event(
            {"event": "drawn", "seat": seat, "shuffled": shuffled}, {seat: {"card": card}}, news=True
        )

    def view(self, seat: int | None) -> View:
        ended = self.outcome()
        view: View = {"you": seat, "seats": self.seats, "options": dict(self.options), "turn": self.round}
        view |= {"phase": self.phase, "active": self.winner if self.phase == "peek" else None}
        view |= {"to_act": _asked(self.phase, self.staying(), self.winner)}
        view |= {"ranking": ended and list(ended.ranks), "reason": ended and ended.reason}
        view |= {"winner": self.winner, "coins": list(self.coins), "out": list(self.out)}
        view |= {"counts": [len(hand) for hand in self.hands], "deck": len(self.deck)}
        view["discard"] = list(self.discard)
        if seat is not None:
            known = {str(other): list(cards) for other, cards in sorted(self.known[seat].items()) if cards}
            view |= {"hand": list(self.hands[seat]), "known": known}
        return view

    def reveal(self) -> View:
        return self.view(None) | {"hands": [list(hand) for hand in self.hands], "order": list(self.deck)}

    def outcome(self) -> Outcome | None:
        if self.phase != "over":
            return None
        scores = [-1 if seat in self.out else coins for seat, coins in enumerate(self.coins)]
        ranks = tuple(1 + sum(other > score for other in scores) for score in scores)
        return Outcome(ranks, tuple(scores), "most coins" if len(self.staying()) > 1 else "one seat left")

    def withdraw(self, seat: int) -> list[Event] | None:
        if seat in self.out or self.phase == "over":
            return None
        events = [Event({"event": "withdrawn", "seat": seat, "cards": list(self.hands[seat])}, news=True)]
        self.out = sorted([*self.out, seat])
        self.chosen.pop(seat, None)
        self._lose(seat, self.hands[seat])
        if len(self.staying()) == 1:
            events.append(self._end())
        elif self.phase == "peek" and seat == self.winner:
            self.phase, self.round = "show", self.round + 1
        elif self.phase == "show" and not self.to_act():
            events += self._turn_up()
        return events

    def clone(self) -> "CoinsState":
        copy = CoinsState(self.chance.clone(), self.options, self.seats)
        copy.deck, copy.discard, copy.chosen = list(self.deck), list(self.discard), dict(self.chosen)
        copy.hands = [list(hand) for hand in self.hands]
        copy.known = {seat: dict(known) for seat, known in self.known.items()}
        copy.coins, copy.out = list(self.coins), list(self.out)
        copy.phase, copy.round, copy.winner = self.phase, self.round, self.winner
        return copy


def _asked(phase: str, staying: Sequence[int], winner: int) -> list[int]:
    """Return the seats that are asked for an action."""
    return {"show": list(staying), "peek": [winner], "over": []}[phase]


def _learn(view: View, event: Mapping[str, Any]) -> None:
    """Bring a view up to date with one event, as its seat saw it."""
    kind, seat = event["event"], event.get("seat", -1)
    if kind == "shown":
        view["winner"] = event["winner"]
        view["coins"][view["winner"]] += 1
        for other, card in enumerate(event["cards"]):
            _gone(view, other, [card] if card else [])
        view["phase"] = "peek" if view["options"]["peek"] == "yes" else "show"
        view["turn"] += view["phase"] == "show" and view["turn"] < view["options"]["rounds"]
    elif kind == "drawn":
        if event["shuffled"]:
            view["deck"], view["discard"] = len(view["discard"]), []
        view["deck"] -= 1
        view["counts"][seat] += 1
        if "card" in event:
            view["hand"] = sorted([*view["hand"], event["card"]])
    elif kind == "withdrawn":
        view["out"] = sorted([*view["out"], seat])
        _gone(view, seat, event["cards"])
    elif kind == "ended":
        view |= {"phase": "over", "ranking": list(event["ranking"]), "reason": event["reason"]}
    elif "card" in event:
        known = view["known"]
        known[str(event["at"])] = sorted({*known.get(str(event["at"]), ()), event["card"]})
    staying = [other for other in range(view["seats"]) if other not in view["out"]]
    left = kind == "withdrawn" and view["phase"] == "peek" and seat == view["winner"] and len(staying) > 1
    if left or kind in ("passed", "peeked"):
        view["phase"], view["turn"] = "show", view["turn"] + 1
    view["active"] = view["winner"] if view["phase"] == "peek" else None
    view["to_act"] = _asked(view["phase"], staying, view["winner"])


def _gone(view: View, seat: int, cards: Sequence[int]) -> None:
    """Take cards out of a hand, as a view shows it."""
    view["counts"][seat] -= len(cards)
    view["discard"] = sorted([*view["discard"], *cards])
    if seat == view["you"]:
        view["hand"] = [card for card in view["hand"] if card not in cards]
    known = view.get("known", {})
    left = [card for card in known.pop(str(seat), ()) if card not in cards]
    known.update({str(seat): left} if left else {})


class Coins(Game):
    """The rules of Coins."""

    info = GameInfo(
        "coins",
        "Coins",
        "Show the highest card, win a coin, peek at a rival's hand.",
        2,
        4,
        (
            Option("hand", 3, "cards in a hand", low=1, high=4),
            Option("rounds", 4, "rounds of a match", low=1, high=6),
            Option("peek", "yes", "whether the winner of a round may peek", choices=("yes", "no")),
        ),
        {"short": {"rounds": 2}},
        simultaneous=True,
    )

    def new(
        self, seats: int, chance: Chance, options: Mapping[str, str | int] | None = None
    ) -> tuple[CoinsState, list[Event]]:
        chosen = self.resolve(options, seats)
        state = CoinsState(chance, chosen, seats)
        state.deck = list(CARDS)
        chance.shuffle("deck", state.deck)
        for hand in state.hands:
            hand.extend(sorted(state.deck.pop() for _ in range(int(chosen["hand"]))))
        deal = {"event": "started", "seats": seats, "options": dict(chosen)}
        return state, [Event(deal, {seat: {"hand": list(hand)} for seat, hand in enumerate(state.hands)})]

    def imagine(self, view: View, chance: Chance) -> CoinsState:
        state = CoinsState(chance, dict(view["options"]), view["seats"])
        known = {int(other): list(cards) for other, cards in view.get("known", {}).items()}
        hands = known | ({view["you"]: list(view["hand"])} if "hand" in view else {})
        unseen = sorted(set(CARDS).difference(view["discard"], *hands.values()))
        chance.shuffle("deck", unseen)
        for seat, count in enumerate(view["counts"]):
            held = hands.get(seat, [])
            state.hands[seat] = sorted(held + [unseen.pop() for _ in range(count - len(held))])
        state.deck, state.discard, state.coins = unseen, list(view["discard"]), list(view["coins"])
        state.phase, state.round, state.winner = view["phase"], view["turn"], view["winner"]
        state.out = list(view["out"])
        if "hand" in view:
            state.known[view["you"]] = known
        return state

    def follow(self, seat: int | None, events: Iterable[Mapping[str, Any]]) -> View:
        deal, *rest = events
        state = CoinsState(KeyedChance(bytes(32)), dict(deal["options"]), deal["seats"])
        view = state.view(seat)
        hand = view["options"]["hand"]
        view |= {"counts": [hand] * state.seats, "deck": len(CARDS) - hand * state.seats}
        view |= {"hand": list(deal["hand"])} if seat is not None else {}
        for event in rest:
            _learn(view, event)
        return view

    def longest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        return int(self.resolve(options, seats)["rounds"]) * (seats + 1)

    def widest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        return max(int(self.resolve(options, seats)["hand"]), seats)

    def draw(self, view: View) -> str:
        return "\n".join(f"{name:8}{value}" for name, value in view.items())

    def pieces(self, revealed: View) -> Iterable[str]:
        return map(str, chain(revealed["order"], revealed["discard"], *revealed["hands"]))

    def describe(self, event: Mapping[str, Any], names: Sequence[str]) -> str:
        who = names[event["seat"]] if "seat" in event else "all"
        return f"{who}: {event['event']}" + (f" {event['card']}" if "card" in event else "")


GAME = Coins()
