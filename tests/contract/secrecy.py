"""Hidden information as a theorem: what a watcher is sent is a function of what it may know.

`imagine` makes worlds that look the same to one watcher. In all of them it must be sent the same bytes until
something is revealed to it, and then its view must show what.
"""

from collections.abc import Iterable, Sequence

from referee.chance import KeyedChance
from referee.game import Event, Game, State
from tests.contract.checks import encoded, refusal, watcher_name, wrong_texts
from tests.contract.walk import Deal, Picks, Run, Watcher, walk

WORLDS = 12
"""Enough that two of them often have the same card on top of the deck, and all else different."""

STEPS = 8


def keeps_secrets(game: Game, deal: Deal, picks: Picks) -> None:
    """Worlds that look the same to a watcher stay so until something new is revealed to it."""
    for run in walk(game, deal, picks):
        if not picks.looks(len(run.taken)):
            continue
        for watcher in picks.some(deal.watchers(), 2):
            look_the_same(run, watcher, picks)
            if run.state.to_act() and not run.held:
                tell_no_more_than_views(run, watcher, picks)
                stay_in_step(run, watcher, picks)


def imagined(game: Game, state: State, watcher: Watcher, picks: Picks) -> State:
    """Return another world that fits what a watcher sees of this one."""
    key = bytes(picks.below(256) for _ in range(32))
    other = game.imagine(state.view(watcher), KeyedChance(key))
    mine, theirs = encoded(state.view(watcher)), encoded(other.view(watcher))
    assert mine == theirs, f"view: {watcher_name(watcher)} sees what it may not know: {mine!r} {theirs!r}"
    return other


def look_the_same(run: Run, watcher: Watcher, picks: Picks) -> None:
    """Compare all that a watcher can see, or find out by asking, in two worlds."""
    state = run.state
    other = imagined(run.game, state, watcher, picks)
    who = watcher_name(watcher)
    assert other.outcome() == state.outcome(), f"outcome: it depends on what {who} does not see"
    if not run.held:
        assert list(other.to_act()) == list(state.to_act()), f"to_act: it depends on what {who} does not see"
    if watcher is None or watcher in run.held:
        return
    legal = state.legal(watcher)
    assert other.legal(watcher) == legal, f"legal: it depends on what {who} does not see"
    texts = wrong_texts(run, watcher, picks)
    for seat in range(run.deal.seats):
        texts += picks.some(other.legal(seat), 3)
    for text in texts:
        if text not in legal:
            reasons = refusal(state, watcher, text), refusal(other, watcher, text)
            assert reasons[0] == reasons[1], f"refusal: its reason tells {who} what it does not see"


def tell_no_more_than_views(run: Run, watcher: Watcher, picks: Picks) -> None:
    """Compare one decision in many worlds: where a watcher's views are equal after it, so are its events."""
    choices = _choices(run.state, picks)
    acting = [seat for seat, _ in choices]
    told: dict[bytes, bytes] = {}
    for at in range(WORLDS):
        world = imagined(run.game, run.state, watcher, picks) if at else run.state.clone()
        if all(action in world.legal(seat) for seat, action in choices):
            events = _apply(world, choices)
            lasting = _lasting(run.game, events, watcher)
            first = told.setdefault(encoded(world.view(watcher)), lasting)
            assert first == lasting, f"events: {watcher_name(watcher)} is told more than its view shows"
            if acting == [watcher] and not any(event.news for event in events):
                assert len(told) == 1, f"news: {watcher_name(watcher)} learned something of its own action"


def stay_in_step(run: Run, watcher: Watcher, picks: Picks) -> None:
    """Play two worlds on with the same actions; begin anew when something was revealed."""
    real = run.state.clone()
    other = imagined(run.game, real, watcher, picks)
    for _ in range(STEPS):
        if not real.to_act():
            return
        choices = _choices(real, picks)
        mirrored = _mirrored(real, other, watcher, choices)
        acting = [seat for seat, _ in choices]
        events = _apply(real, choices)
        if mirrored is None:
            other = imagined(run.game, real, watcher, picks)
            continue
        others = _apply(other, mirrored)
        same = seen(events, watcher) == seen(others, watcher)
        if acting == [watcher] and not any(event.news for event in events):
            assert same, f"news: {watcher_name(watcher)} learned something of its own action"
        alike = encoded(real.view(watcher)) == encoded(other.view(watcher))
        assert alike or not same, f"view: that of {watcher_name(watcher)} changed without an event"
        lasting = [_lasting(run.game, some, watcher) for some in (events, others)]
        assert lasting[0] == lasting[1] or not alike, (
            f"events: {watcher_name(watcher)} is told more than its view shows"
        )
        if same:
            _compare(real, other, watcher)
        else:
            other = imagined(run.game, real, watcher, picks)


def _compare(real: State, other: State, watcher: Watcher) -> None:
    who = watcher_name(watcher)
    assert list(other.to_act()) == list(real.to_act()), f"to_act: it depends on what {who} does not see"
    assert other.outcome() == real.outcome(), f"outcome: it depends on what {who} does not see"
    if watcher is not None:
        same = other.legal(watcher) == real.legal(watcher)
        assert same, f"legal: it depends on what {who} does not see"


def _choices(state: State, picks: Picks) -> list[tuple[int, str]]:
    """Return what every seat that is to act will do, in seat order."""
    return [(seat, picks.action(state.legal(seat))) for seat in state.to_act()]


def _apply(state: State, choices: Iterable[tuple[int, str]]) -> list[Event]:
    return [event for seat, action in choices for event in state.apply(seat, action)]


def seen(events: Sequence[Event], watcher: Watcher) -> bytes:
    """Return the bytes of events as a watcher sees them."""
    return encoded([event.seen_by(watcher) for event in events])


def _lasting(game: Game, events: Sequence[Event], watcher: Watcher) -> bytes:
    """Return the bytes of events as a watcher sees them, without what its view is not meant to keep."""
    told = [event.seen_by(watcher) for event in events]
    kept = [game.lasting(event, watcher) for event in told]
    return encoded([event for event in kept if event is not None])


def _mirrored(
    real: State, other: State, watcher: Watcher, choices: list[tuple[int, str]]
) -> list[tuple[int, str]] | None:
    """Return the same choices for the other world, or ones that look the same to the watcher."""
    if all(action in other.legal(seat) for seat, action in choices):
        return choices
    if len(choices) > 1 or choices[0][0] == watcher:
        return None
    (seat, action), verb = choices[0], choices[0][1].partition(" ")[0]
    sight = seen(real.clone().apply(seat, action), watcher)
    like = [text for text in other.legal(seat) if text.partition(" ")[0] == verb]
    # The nearest first: they differ in the hidden card alone.
    for text in sorted(like, key=lambda text: _distance(text, action))[:8]:
        if seen(other.clone().apply(seat, text), watcher) == sight:
            return [(seat, text)]
    return None


def _distance(text: str, action: str) -> int:
    """Return how many words differ."""
    words, others = text.split(" "), action.split(" ")
    return abs(len(words) - len(others)) + sum(a != b for a, b in zip(words, others, strict=False))
