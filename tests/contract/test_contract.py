"""Every registered game keeps every promise of `referee.game`."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee import registry
from referee.chance import KeyedChance
from referee.errors import ConfigError, OptionError
from referee.game import Game
from tests.contract import checks
from tests.contract.secrecy import keeps_secrets
from tests.contract.walk import WITHOUT_SHRINKING, Deal, Picks, deals, examples, fixed_matches, picks

every_game = pytest.mark.parametrize("game", registry.games().values(), ids=registry.ids())
Check = Callable[[Game, Deal, Picks], None]


def hold(check: Check, game: Game, share: float = 1.0) -> None:
    """Let hypothesis look for a match that breaks the promise."""
    whole = check in checks.FROM_THE_DEAL

    @settings(
        max_examples=examples(game, share),
        phases=WITHOUT_SHRINKING if check is keeps_secrets else settings().phases,
    )
    @given(st.data())
    def look(data: st.DataObject) -> None:
        check(game, data.draw(deals(game, whole), "deal"), data.draw(picks, "picks"))

    look()


@every_game
def test_every_match_ends_in_time_with_a_valid_outcome(game: Game) -> None:
    hold(checks.ends_in_time, game)


@every_game
def test_seats_that_are_to_act_have_legal_actions_and_no_others(game: Game) -> None:
    hold(checks.lists_legal_actions, game)


@every_game
def test_no_piece_is_lost_or_made(game: Game) -> None:
    hold(checks.conserves_pieces, game)


@every_game
def test_every_listed_action_applies(game: Game) -> None:
    hold(checks.applies_every_listed_action, game)


@every_game
def test_every_other_text_is_refused_and_changes_nothing(game: Game) -> None:
    hold(checks.refuses_everything_else, game, 0.5)


@every_game
def test_the_same_key_and_actions_give_the_same_match(game: Game) -> None:
    hold(checks.repeats_itself, game)


@every_game
def test_views_that_were_given_stay_as_they_are(game: Game) -> None:
    hold(checks.leaves_views_alone, game)


@every_game
def test_whether_seats_choose_at_once_is_declared(game: Game) -> None:
    checks.declares_who_chooses_at_once(game, fixed_matches(game, 25, whole=False))


@every_game
def test_choices_made_at_once_are_held_and_their_order_is_nothing(game: Game) -> None:
    hold(checks.holds_simultaneous_choices, game)


@every_game
def test_views_can_be_rebuilt_from_events(game: Game) -> None:
    hold(checks.rebuilds_views_from_events, game)


@every_game
def test_views_and_events_are_plain_json_and_can_be_described(game: Game) -> None:
    hold(checks.speaks_json, game, 0.5)


@every_game
def test_views_and_events_use_the_words_that_all_games_use(game: Game) -> None:
    hold(checks.uses_the_common_words, game, 0.5)


@every_game
def test_the_house_plays_on_what_the_seat_knows(game: Game) -> None:
    hold(checks.falls_back_on_what_the_seat_knows, game)


@every_game
def test_a_seat_may_leave(game: Game) -> None:
    hold(checks.lets_seats_leave, game)


@every_game
def test_what_a_seat_is_sent_depends_on_nothing_it_may_not_know(game: Game) -> None:
    hold(keeps_secrets, game)


@every_game
def test_options_and_seats_a_game_does_not_have_are_refused(game: Game) -> None:
    seats, chance = game.info.least_seats, KeyedChance(bytes(32))
    for wrong in (game.info.least_seats - 1, game.info.most_seats + 1):
        with pytest.raises(ConfigError, match=str(wrong)):
            game.new(wrong, chance)
    with pytest.raises(OptionError, match="no-such-option"):
        game.new(seats, chance, {"no-such-option": 1})
    for option in game.info.options:
        with pytest.raises(OptionError, match=option.name):
            game.new(seats, chance, {option.name: "no such value"})


@every_game
def test_defaults_and_presets_are_options_the_game_takes(game: Game) -> None:
    for seats in range(game.info.least_seats, game.info.most_seats + 1):
        for options in ({}, *game.info.presets.values()):
            resolved = game.resolve(options, seats)
            assert list(resolved) == [option.name for option in game.info.options]
            assert game.resolve(resolved, seats) == resolved
            assert game.longest(seats, options) > 0
            assert game.widest(seats, options) > 0


@every_game
def test_a_game_brings_its_rules(game: Game) -> None:
    assert registry.rules(game).startswith("# ")
    assert game.info.title
    assert game.info.summary
