"""What games share: grammar of actions, wording, ranking, following."""

import re

import pytest

from referee.gamelib.follower import Follower
from referee.gamelib.grammar import Grammar, verb_of
from referee.gamelib.ranking import ranks_of, winners
from referee.gamelib.wording import Names, Seen, Sentences, count, listed, seat_mark, verdict, who

GRAMMAR = Grammar(
    {"play": (r"play (?P<card>[1-9])", "play 7"), "pass": (r"pass(?: now)?", "pass", "pass now")}
)


def test_a_well_spelt_action_is_taken_apart() -> None:
    match = GRAMMAR.explain("play 3", is_over=False, is_asked=True)
    assert isinstance(match, re.Match)
    assert (match["card"], verb_of("play 3"), list(GRAMMAR)) == ("3", "play", ["play", "pass"])


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("jump 3", "there is no such verb; the verbs are play, pass"),
        ("", "there is no such verb; the verbs are play, pass"),
        ("play ٣", "it is spelt like 'play 7', with single blanks and no leading zeros"),
        ("play 3\n", "it is spelt like 'play 7', with single blanks and no leading zeros"),
        ("pass 1", "it is spelt like 'pass' or 'pass now', with single blanks and no leading zeros"),
    ],
)
def test_a_text_that_is_no_action_is_explained(action: str, reason: str) -> None:
    assert GRAMMAR.read(action) is None
    assert GRAMMAR.explain(action, is_over=False, is_asked=True) == reason


def test_a_seat_that_may_not_act_gets_that_reason_first() -> None:
    assert GRAMMAR.explain("play 3", is_over=True, is_asked=True) == "the game is over"
    assert GRAMMAR.explain("play 3", is_over=False, is_asked=False) == "it is not your decision"


def test_ranks_follow_standings_and_equal_ones_share_a_rank() -> None:
    assert ranks_of([(1, 5), (2,), (1, 5), (1, 4)]) == (2, 1, 2, 4)
    assert winners((2, 1, 2, 4)) == [1]
    assert winners((1, 1)) == [0, 1]


def test_words_are_put_as_people_do() -> None:
    assert [listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])] == ["a", "a and b", "a, b and c"]
    assert who([2, 0], ["Al", "Bugs", "Cleo"]) == "Cleo and Al"
    assert [count(number, "tile") for number in (0, 1, 2)] == ["0 tiles", "1 tile", "2 tiles"]
    assert [seat_mark({"you": 1}, seat) for seat in (0, 1)] == ["@0", "@1 (you)"]
    assert verdict({"reason": "goal", "ranking": [2, 1]}) == "over (goal): ranks 2 1"


def test_events_are_described_by_templates_and_by_functions() -> None:
    describe = Sentences(
        {"rolled": "{seat} rolls {dice[0]} and {dice[1]}.", "drawn": "{seat} draws {cards} from {from}."},
        cards=lambda number, _names: count(number, "card"),
    )

    @describe.add
    def _ended(event: Seen, names: Names) -> str:
        return f"{names[event['first']]} wins."

    names = ["Al", "Bugs"]
    assert list(describe) == ["rolled", "drawn", "ended"]
    assert describe({"event": "rolled", "seat": 1, "dice": [2, 5]}, names) == "Bugs rolls 2 and 5."
    assert describe({"event": "drawn", "seat": 0, "cards": 1, "from": 3}, names) == "Al draws 1 card from 3."
    assert describe({"event": "ended", "first": 0}, names) == "Al wins."


def test_a_follower_notes_what_its_game_knows_and_trips_over_the_rest() -> None:
    class Counting(Follower):
        def _on_start(self, event: Seen) -> None:
            self.view = {"you": self._seat, "total": event["total"]}

        def _on_more(self, event: Seen) -> None:
            self.view["total"] += event["by"]

        _on_idle = Follower.no_change

    events: list[Seen] = [{"event": "start", "total": 1}, {"event": "more", "by": 4}, {"event": "idle"}]
    assert Counting(1).follow(events) == {"you": 1, "total": 5}
    with pytest.raises(AttributeError, match="_on_surprise"):
        Counting(None).hear({"event": "surprise"})
