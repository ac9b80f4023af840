"""What every game promises, as functions that raise AssertionError; the first word names the promise.

Each takes a game, a deal and the picks that drive the match. `test_contract.py` runs them on every
registered game, `test_leaks.py` on games that break one promise each.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgpack  # type: ignore[import-untyped]
import msgspec

from protocol import limits
from referee.chance import KeyedChance
from referee.errors import IllegalActionError
from referee.game import Event, Game, Outcome, State, View
from tests.contract.walk import Deal, Picks, Run, Watcher, walk


def encoded(value: Any) -> bytes:
    """Return the bytes a bot would be sent: the order of keys counts."""
    return msgspec.json.encode(value)


def shown(state: State, seats: int) -> bytes:
    """Return all that can be seen of a state from outside, in one piece."""
    everywhere = [*range(seats), None]
    acting = list(state.to_act())
    return encoded(
        {
            "reveal": state.reveal(),
            "views": [state.view(watcher) for watcher in everywhere],
            "legal": [state.legal(seat) for seat in range(seats)],
            "to_act": acting,
            "fallback": [state.fallback(seat) for seat in acting],
            "outcome": state.outcome(),
        }
    )


def wrong_texts(run: Run, seat: int, picks: Picks) -> list[str]:
    """Return texts that are no legal action of the seat now, though some come close."""
    legal = run.state.legal(seat)
    texts = ["", " ", "none", "0", "-1", "draw", "pass", "x" * 256, "\x00", "é", "show 99", "[]", "legal"]
    for other in range(run.deal.seats):
        texts += picks.some(run.state.legal(other), 4)
    for action in picks.some(legal, 3) if legal else []:
        at = picks.below(len(action))
        texts += [action[:at] + action[at + 1 :], action[:at] + "7" + action[at:], action.swapcase()]
        texts += [f"{action} ", f" {action}", action.replace(" ", "  "), f"{action} {action}", f"{action}\n"]
    return [text for text in dict.fromkeys(texts) if text not in legal]


def refusal(state: State, seat: int, text: str) -> str:
    """Return the reason for which an action is refused."""
    try:
        state.apply(seat, text)
    except IllegalActionError as error:
        refused = error
    else:
        raise AssertionError(f"refusal: {text!r} of seat {seat} is not listed, yet it applies")
    assert (refused.seat, refused.action) == (seat, text), "refusal: it names another seat or action"
    return refused.reason


def ends_in_time(game: Game, deal: Deal, picks: Picks) -> None:
    """A match ends within `longest`; its outcome ranks all seats, and is None until then."""
    for run in walk(game, deal, picks):
        outcome = run.state.outcome()
        assert (outcome is None) == bool(run.state.to_act()), "outcome: exactly while nobody is to act"
        if outcome is not None:
            _check_outcome(outcome, deal.seats)
            shown = game.scores_so_far(run.state.view(None))
            assert shown is None or tuple(shown) == outcome.scores, "scores: at the end those of the outcome"


def _check_outcome(outcome: Outcome, seats: int) -> None:
    ranks = outcome.ranks
    assert len(ranks) == len(outcome.scores) == seats, "outcome: one rank and one score by seat"
    assert all(type(number) is int for number in (*ranks, *outcome.scores)), "outcome: whole numbers only"
    assert 1 in ranks, "outcome: somebody is first"
    assert list(ranks) == [1 + sum(other < rank for other in ranks) for rank in ranks], "outcome: 1, 2, 2, 4"
    assert outcome.reason, "outcome: it has a reason"


def lists_legal_actions(game: Game, deal: Deal, picks: Picks) -> None:
    """Seats that are to act have legal actions, within `widest`, and no other seat has any."""
    widest = game.widest(deal.seats, deal.options)
    for run in walk(game, deal, picks):
        acting = list(run.state.to_act())
        assert acting == sorted(set(acting)), "to_act: in seat order, each once"
        assert set(acting) <= set(range(deal.seats)), "to_act: seats of this match"
        for seat in range(deal.seats):
            legal = run.state.legal(seat)
            assert bool(legal) == (seat in acting), f"legal: seat {seat} has {legal}, to act are {acting}"
            assert len(legal) <= widest, f"widest: {len(legal)} actions where {widest} are promised"
            assert len(set(legal)) == len(legal), "legal: the same action twice"
            for action in legal:
                assert 1 <= len(action) <= limits.ACTION_LENGTH, f"legal: {action!r} has a bad length"
                printable = all(" " <= letter <= "~" for letter in action)
                assert printable, f"legal: {action!r} is not printable ASCII"


def conserves_pieces(game: Game, deal: Deal, picks: Picks) -> None:
    """No card, tile or marker is ever lost or made, nor in a state that was imagined."""
    if type(game).pieces is Game.pieces:
        return  # it declares none
    pieces = game.pieces
    whole = None
    for run in walk(game, deal, picks):
        now = sorted(pieces(run.state.reveal()))
        whole = whole or now
        assert now, "pieces: there are some"
        assert now == whole, f"pieces: after {run.taken[-1:]} they are not those of the beginning"
        if picks.looks(len(run.taken)):
            other = game.imagine(run.state.view(picks.of(deal.watchers())), KeyedChance(_fresh(picks)))
            assert sorted(pieces(other.reveal())) == whole, "pieces: those of an imagined state are others"


def applies_every_listed_action(game: Game, deal: Deal, picks: Picks) -> None:
    """Every listed action applies."""
    for run in walk(game, deal, picks):
        thorough = len(run.taken) % 7 == 0
        for seat in run.state.to_act():
            legal = run.state.legal(seat)
            for action in legal if thorough else picks.some(legal, 6):
                _try_action(run, seat, action)


def _try_action(run: Run, seat: int, action: str) -> None:
    try:
        run.state.clone().apply(seat, action)
    except IllegalActionError as error:
        raise AssertionError(f"legal: {action!r} of seat {seat} is listed, but: {error.reason}") from error


def refuses_everything_else(game: Game, deal: Deal, picks: Picks) -> None:
    """Any other text is refused and changes nothing, neither now nor later."""
    twin, opening = deal.new(game)
    assert encoded(opening) == encoded(deal.new(game)[1]), "determinism: the opening"
    earlier: list[str] = []
    for run in walk(game, deal, picks):
        for seat, action in run.taken[-1:]:
            events = twin.apply(seat, action)
            assert events == run.events[-1], "refusal: a refused action changed what happened later"
        before = shown(run.state, deal.seats)
        assert before == shown(twin, deal.seats), "refusal: a refused action changed the state"
        for seat in range(deal.seats):
            legal = run.state.legal(seat)
            for text in [*wrong_texts(run, seat, picks), *(text for text in earlier if text not in legal)]:
                reason = refusal(run.state, seat, text)
                assert reason, "refusal: it has a reason"
        # What was legal just now comes closest to what is.
        earlier = [text for seat in range(deal.seats) for text in run.state.legal(seat)]
        assert shown(run.state, deal.seats) == before, "refusal: a refused action changed the state"


def repeats_itself(game: Game, deal: Deal, picks: Picks) -> None:
    """The same key and actions give the same events, and a clone lives a life of its own."""
    clones: list[tuple[int, State]] = []
    run = None
    for run in walk(game, deal, picks):
        if picks.looks(len(run.taken)):
            before = shown(run.state, deal.seats)
            clones.append((len(run.taken), run.state.clone()))
            assert shown(clones[-1][1], deal.seats) == before, "clone: it differs"
            _play_out(game, deal, run.state.clone(), picks, most=10)
            assert shown(run.state, deal.seats) == before, "clone: its play changed the original"
    assert run is not None
    again, opening = deal.new(game)
    assert opening == run.events[0], "determinism: the opening"
    for start, state in [(0, again), *clones]:
        for (seat, action), events in zip(run.taken[start:], run.events[start + 1 :], strict=True):
            assert state.apply(seat, action) == events, f"determinism: {action!r} of seat {seat}"
        assert shown(state, deal.seats) == shown(run.state, deal.seats), "determinism: the end"


def leaves_views_alone(game: Game, deal: Deal, picks: Picks) -> None:
    """A view that was given stays as it is while the match goes on, though it may share parts with others."""
    given: list[tuple[list[View], bytes]] = []
    for run in walk(game, deal, picks):
        for views, sent in given:
            assert encoded(views) == sent, "view: it changed after it was given"
        views = [run.state.view(watcher) for watcher in deal.watchers()] + [run.state.reveal()]
        given = [*given[-1:], (views, encoded(views))]


def _play_out(game: Game, deal: Deal, state: State, picks: Picks, most: int) -> list[Event]:
    events: list[Event] = []
    while (acting := state.to_act()) and most:
        seat, most = picks.of(acting), most - 1
        events += state.apply(seat, picks.action(state.legal(seat)))
    return events


def declares_who_chooses_at_once(game: Game, matches: Iterable[tuple[Deal, Picks]]) -> None:
    """A game says whether several seats may be to act at the same time: they never are, or now and then."""
    most = max(len(run.state.to_act()) for deal, picks in matches for run in walk(game, deal, picks))
    declared = game.info.simultaneous
    assert declared or most <= 1, f"simultaneous: {most} seats chose at once, but that is not declared"
    assert not declared or most > 1, "simultaneous: declared, but no two seats ever chose at once"


def holds_simultaneous_choices(game: Game, deal: Deal, picks: Picks) -> None:
    """Choices made at once are held until complete, no seat sees which have chosen, and order is nothing."""
    for run in walk(game, deal, picks):
        acting = list(run.state.to_act())
        if len(acting) < 2 or run.held:
            continue
        choices = {seat: picks.action(run.state.legal(seat)) for seat in acting}
        ends = set()
        for order in _orders(acting, picks):
            state = run.state.clone()
            ends.add(_apply_held(state, deal, [(seat, choices[seat]) for seat in order]))
        assert len(ends) == 1, "order: the order of arrival of choices made at once matters"


def _orders(acting: list[int], picks: Picks) -> list[list[int]]:
    at = picks.below(len(acting))
    return [acting, acting[::-1], acting[at:] + acting[:at]]


def _apply_held(state: State, deal: Deal, choices: Sequence[tuple[int, str]]) -> bytes:
    """Apply choices in this order and return all that follows from them."""
    views = encoded([state.view(watcher) for watcher in deal.watchers()])
    legal = [state.legal(seat) for seat in range(deal.seats)]
    for seat, action in choices[:-1]:
        assert state.apply(seat, action) == [], "held: a choice was told before all have chosen"
        now = encoded([state.view(watcher) for watcher in deal.watchers()])
        assert now == views, "held: a view shows who has chosen"
        legal[seat] = []
        assert [state.legal(other) for other in range(deal.seats)] == legal, "held: it changed what is legal"
        assert state.outcome() is None, "held: the game ended before all have chosen"
    seat, action = choices[-1]
    events = state.apply(seat, action)
    return encoded([event.seen_by_all() for event in events]) + shown(state, deal.seats)


def rebuilds_views_from_events(game: Game, deal: Deal, picks: Picks) -> None:
    """`follow` makes of the events a watcher saw the very view it is sent."""
    for run in walk(game, deal, picks):
        over = not run.state.to_act()
        for watcher in deal.watchers() if over or picks.looks(len(run.taken)) else ():
            followed = game.follow(watcher, run.told[watcher])
            assert followed == run.state.view(watcher), f"follow: {watcher} cannot rebuild its view"


def speaks_json(game: Game, deal: Deal, picks: Picks) -> None:
    """Views and events hold JSON types only, no floats, and survive both encodings."""
    names = [f"bot{seat}" for seat in range(deal.seats)]
    checked = 0
    for run in walk(game, deal, picks):
        fresh = sum(len(events) for events in run.events) - checked
        for watcher in deal.watchers():
            view = run.state.view(watcher)
            check_json(view, "view", depth=2)
            told = run.told[watcher][len(run.told[watcher]) - fresh :]
            check_json(told, "events", depth=2)
            drawing = game.draw(view)
            assert drawing == game.draw(msgspec.json.decode(encoded(view))), "draw: after JSON it differs"
            assert drawing.strip(), "draw: it is empty"
            for event in told:
                assert isinstance(event["event"], str), "events: each names its kind"
                sentence = game.describe(event, names)
                assert sentence.strip(), f"describe: nothing to say of {event}"
                assert sentence.isprintable(), f"describe: {sentence!r} is not one line"
        check_json(run.state.reveal(), "reveal", depth=2)
        checked += fresh


def uses_the_common_words(game: Game, deal: Deal, picks: Picks) -> None:
    """Views of all games have the same keys for the same things, and the first and last event one name."""
    turn = 0
    for run in walk(game, deal, picks):
        state, outcome = run.state, run.state.outcome()
        for watcher in deal.watchers():
            view = state.view(watcher)
            assert view["you"] == watcher, "words: `you` is not the seat of the view"
            assert view["seats"] == deal.seats, "words: `seats` is another number"
            assert view["options"] == game.resolve(deal.options, deal.seats), "words: `options` differ"
            assert isinstance(view["phase"], str), "words: `phase` is no word"
            _check_asked(view, run)
            shown = None if outcome is None else (list(outcome.ranks), outcome.reason)
            assert (view["ranking"], view["reason"]) == (shown or (None, None)), "words: the end is wrong"
            assert (view["phase"] == "over") == (outcome is not None), "words: over is the phase of the end"
        assert state.view(None)["turn"] >= turn, "words: `turn` goes back"
        turn = state.view(None)["turn"]
        if outcome is not None:
            _check_ends(run)


def _check_asked(view: View, run: Run) -> None:
    asked, owing = view["to_act"], set(run.state.to_act())
    assert asked == sorted(owing | set(run.held)), f"words: {asked} are asked, {owing} are to act"
    active = view["active"]
    assert active is None or (type(active) is int and owing), "words: `active` is no seat, or none is"


def _check_ends(run: Run) -> None:
    events = [event.public for some in run.events for event in some]
    if run.deal.start is None:
        first = events[0]
        assert first["event"] == "started", "words: the first event is `started`"
        assert (first["seats"], first["options"]) == (run.deal.seats, run.state.view(None)["options"])
    last, outcome = events[-1], run.state.outcome()
    assert outcome is not None
    assert last["event"] == "ended", "words: the last event is `ended`"
    ended = last["reason"], last["ranking"], last["scores"]
    assert ended == (outcome.reason, list(outcome.ranks), list(outcome.scores)), "words: `ended` is wrong"
    for event in events:
        if event["event"] == "turn_began":
            assert type(event["seat"]) is type(event["turn"]) is int, "words: `turn_began` has seat and turn"


def check_json(value: Any, path: str, depth: int) -> None:
    """Check a value that goes on the wire: its types, its depth, and both round trips."""
    _check_types(value, path, depth)
    assert msgspec.json.decode(encoded(value)) == value, f"json: {path} does not survive"
    assert msgpack.unpackb(msgpack.packb(value)) == value, f"msgpack: {path} does not survive"


def _check_types(value: Any, path: str, depth: int) -> None:
    assert depth <= limits.DEPTH, f"json: {path} lies deeper than {limits.DEPTH}"
    assert type(value) in (dict, list, str, int, bool, type(None)), (
        f"json: {path} is a {type(value).__name__}"
    )
    if type(value) is int:
        assert abs(value) <= limits.INTEGER, f"json: {path} is too large"
    if type(value) is dict:
        for key, inner in value.items():
            assert type(key) is str, f"json: the key {key!r} of {path} is no string"
            _check_types(inner, f"{path}.{key}", depth + 1)
    if type(value) is list:
        for at, inner in enumerate(value):
            _check_types(inner, f"{path}[{at}]", depth + 1)


def falls_back_on_what_the_seat_knows(game: Game, deal: Deal, picks: Picks) -> None:
    """The house plays a legal action that is a function of the seat's view."""
    for run in walk(game, deal, picks):
        for seat in run.state.to_act():
            action = run.state.fallback(seat)
            assert action in run.state.legal(seat), f"fallback: {action!r} is not legal"
            if picks.below(3) == 0:
                other = game.imagine(run.state.view(seat), KeyedChance(_fresh(picks)))
                assert other.fallback(seat) == action, "fallback: it depends on what the seat does not see"


def _fresh(picks: Picks) -> bytes:
    return bytes(picks.below(256) for _ in range(32))


def lets_seats_leave(game: Game, deal: Deal, picks: Picks) -> None:
    """A seat that withdraws by the game's own rule leaves a match that goes on as it should."""
    for run in walk(game, deal, picks):
        if not picks.looks(len(run.taken)) or run.held or not run.state.to_act():
            continue
        state, seat = run.state.clone(), picks.below(deal.seats)
        before = shown(state, deal.seats)
        events = state.withdraw(seat)
        if events is None:
            assert shown(state, deal.seats) == before, "withdraw: None, yet something changed"
            continue
        assert seat not in state.to_act(), "withdraw: a seat that left is to act"
        events = events + _play_out(game, deal, state, picks, most=12)
        _check_followed(run, state, events)


def _check_followed(run: Run, state: State, events: Sequence[Event]) -> None:
    assert (state.outcome() is None) == bool(state.to_act()), "outcome: exactly while nobody is to act"
    for watcher in run.deal.watchers():
        told: list[dict[str, Any]] = run.told[watcher] + [event.seen_by(watcher) for event in events]
        assert run.game.follow(watcher, told) == state.view(watcher), "follow: not after a seat left"


FROM_THE_DEAL = (rebuilds_views_from_events, lets_seats_leave)
"""Checks that need to have heard everything since the deal."""


def watcher_name(watcher: Watcher) -> str:
    """Return how a watcher is called in a message."""
    return "the public" if watcher is None else f"seat {watcher}"
