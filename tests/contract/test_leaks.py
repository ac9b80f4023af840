"""The contract is not blind: every leak that is planted in a game is found by one of its checks."""

import time
from collections.abc import Callable, Iterable
from itertools import islice

import pytest
from msgspec.structs import replace

from referee import registry
from referee.game import Game
from tests.contract import checks, leaks
from tests.contract.leaks import Leak, LeakyGame, adding, retold
from tests.contract.secrecy import keeps_secrets
from tests.contract.walk import Deal, Picks, fixed_matches, walk

Check = Callable[[Game, Deal, Picks], None]
MATCHES = 25

SECRETS: dict[str, tuple[Leak, str]] = {
    "the luck's next word in a view": (
        adding("seed", lambda s, _: s.chance.clone().below("deck", 2**30)),
        "view:",
    ),
    "the whole position in a view": (adding("all", lambda s, _: s.reveal()), "view:"),
    "a count that depends on hidden cards": (adding("left", lambda s, _: s.secret() % 2), "view:"),
    "the length of a list that depends on hidden cards": (
        adding("x", lambda s, _: [0] * (s.secret() % 3)),
        "view:",
    ),
    "a hidden card among the options": (Leak(view=leaks.in_options), "view:"),
    "the order of fields in a view": (Leak(view=leaks.reordered), "view:"),
    "a position shown to the public only": (Leak(view=leaks.shown_to_the_public), "view:"),
    "a time stamp in a view": (adding("at", lambda *_: time.perf_counter_ns()), "view:"),
    "the address of an object in a view": (adding("object", lambda s, _: id(s)), "view:"),
    "the order of legal actions": (Leak(legal=leaks.rotated), "legal:"),
    "an extra legal action": (Leak(legal=leaks.extended), "legal:"),
    "a legal action that is kept back": (Leak(legal=leaks.shortened), "legal:|refusal:"),
    "a refusal that names what is hidden": (Leak(reason=lambda s, _: f"not {s.secret()}"), "refusal:"),
    "a secret told to everybody": (retold(leaks.published), "events:"),
    "a secret told to the wrong seat": (retold(leaks.misdirected), "events:"),
    "a second secret told with the first": (retold(leaks.foretold), "events:|news:"),
    "the order of events": (Leak(events=leaks.turned), "events:|news:"),
    "the number of events": (Leak(events=leaks.doubled), "events:|news:"),
    "luck that is not flagged as news": (retold(lambda s, _, event: replace(event, news=False)), "news:"),
}

OTHERS: dict[str, tuple[Leak, Check, str]] = {
    "who has chosen, in a view": (
        adding("waiting", lambda s, _: list(s.to_act())),
        checks.holds_simultaneous_choices,
        "held: a view",
    ),
    "who has chosen, in an event": (
        Leak(events=leaks.chosen_aloud),
        checks.holds_simultaneous_choices,
        "held: a choice",
    ),
    "a counter of refused attempts in a view": (
        adding("refused", lambda s, _: s.refused),
        checks.refuses_everything_else,
        "refusal: a refused action changed the state",
    ),
    "an extra action that does not apply": (
        Leak(legal=leaks.overstated),
        checks.applies_every_listed_action,
        "legal: 'nothing of the kind'",
    ),
    "an action that applies but is not listed": (
        Leak(legal=leaks.shortened),
        checks.refuses_everything_else,
        "refusal: .* yet it applies",
    ),
    "a float in a view": (adding("share", lambda *_: 0.5), checks.speaks_json, "json: view.share is a float"),
    "a tuple in a view": (
        adding("pair", lambda *_: (1, 2)),
        checks.speaks_json,
        "json: view.pair is a tuple",
    ),
    "a number as a key": (adding("by_seat", lambda *_: {0: 1}), checks.speaks_json, "json: the key 0"),
    "a view that events do not explain": (
        adding("more", lambda *_: 1),
        checks.rebuilds_views_from_events,
        "follow:",
    ),
    "an object's address, the same match played again": (
        adding("object", lambda s, _: id(s)),
        checks.repeats_itself,
        "clone:|determinism:",
    ),
    "a house that peeps": (
        Leak(fallback=lambda s, seat: s.legal(seat)[s.secret() % len(s.legal(seat))]),
        checks.falls_back_on_what_the_seat_knows,
        "fallback:",
    ),
}

# What a game without private events cannot leak, and what a game in which seats take turns cannot.
OF_PRIVATE_EVENTS = {
    "a secret told to everybody",
    "a secret told to the wrong seat",
    "a second secret told with the first",
}
OF_THE_POSITION = {"the whole position in a view", "a position shown to the public only"}
OF_HELD_CHOICES = {"who has chosen, in a view", "who has chosen, in an event"}

every_game = pytest.mark.parametrize("game", registry.games().values(), ids=registry.ids())

# Leaks are planted to try the suite, not the game: in games that are rich enough to have room for them.
OURS = {
    id: game
    for id, game in registry.games().items()
    if type(game).__module__.startswith("referee.games.") or id == "coins"
}


def run(check: Check, game: Game) -> None:
    for deal, picks in fixed_matches(game, MATCHES, check in checks.FROM_THE_DEAL):
        check(game, deal, picks)


def has_room(game: Game, leak: str) -> bool:
    """Say whether there is anything in this game that could leak in this way."""
    if game.info.hidden != "hands" and leak in OF_PRIVATE_EVENTS:
        return False  # No seat learns anything in private.
    if game.info.hidden == "luck" and leak in OF_THE_POSITION:
        return False  # It shows the whole position to all.
    return game.info.simultaneous or leak not in OF_HELD_CHOICES


def planted_in_our_games(planted: Iterable[str]) -> pytest.MarkDecorator:
    """Run a test for every leak in every game of ours that has room for it."""
    pairs = [
        pytest.param(leak, game, id=f"{leak}-{name}")
        for leak in planted
        for name, game in OURS.items()
        if has_room(game, leak)
    ]
    return pytest.mark.parametrize(("leak", "game"), pairs)


@every_game
def test_a_game_declares_what_is_hidden(game: Game) -> None:
    private = covered = False
    for deal, picks in fixed_matches(game, MATCHES, whole=False):
        for run in walk(game, deal, picks):
            private |= any(event.private for events in run.events[-1:] for event in events)
            covered |= run.state.reveal() != run.state.view(None)
    assert game.info.hidden == ("hands" if private else "pieces" if covered else "luck")


@planted_in_our_games(SECRETS)
def test_the_secrecy_check_finds(leak: str, game: Game) -> None:
    planted, promise = SECRETS[leak]
    with pytest.raises(AssertionError, match=f"^({promise})"):
        run(keeps_secrets, LeakyGame(game, planted))


@planted_in_our_games(OTHERS)
def test_another_check_finds(leak: str, game: Game) -> None:
    planted, check, promise = OTHERS[leak]
    with pytest.raises(AssertionError, match=f"^({promise})"):
        run(check, LeakyGame(game, planted))


@every_game
def test_a_game_that_declares_the_wrong_way_of_choosing_is_found(game: Game) -> None:
    liar = LeakyGame(game, Leak())
    liar.info = replace(game.info, simultaneous=not game.info.simultaneous)
    with pytest.raises(AssertionError, match=r"^simultaneous:"):
        checks.declares_who_chooses_at_once(liar, fixed_matches(game, MATCHES, whole=False))


@every_game
def test_a_wrapped_game_without_a_leak_is_found_innocent(game: Game) -> None:
    honest = LeakyGame(game, Leak())
    for check in (keeps_secrets, *dict.fromkeys(check for _, check, _ in OTHERS.values())):
        # One match from its deal, and one from a position that is rare, where there is one.
        for deal, picks in islice(fixed_matches(game, 1, check in checks.FROM_THE_DEAL), 2):
            check(honest, deal, picks)
