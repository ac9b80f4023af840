"""Parts of a remote bot: when it tries again, and what its author reads."""

import random
from typing import Any

import pytest

from referee.server.backoff import LONGEST_S, SPREAD, Backoff
from referee.server.match_news import MatchNews


def test_waits_grow_to_a_bound_and_begin_again_after_a_success() -> None:
    backoff = Backoff(random.Random(1))
    waits = [backoff.next_s() for _ in range(12)]
    for number, wait_s in enumerate(waits):
        assert min(LONGEST_S, 2**number) <= wait_s <= (1 + SPREAD) * min(LONGEST_S, 2**number)
    backoff.reset()
    assert backoff.next_s() <= 1 + SPREAD


def test_bots_that_wait_for_the_same_daemon_do_not_all_come_at_once() -> None:
    waits = {Backoff(random.Random(n)).spread(10.0) for n in range(20)}
    assert len(waits) == 20
    assert max(waits) - min(waits) > 1.0


def start(match: str = "coins-0001-5b1d32a0c1d2-r0", seats: int = 2) -> dict[str, Any]:
    return {
        "type": "start",
        "match": match,
        "game": "coins",
        "seat": 1,
        "seats": seats,
        "names": ["ann", "me", "cleo"][:seats],
    }


def end(match: str = "coins-0001-5b1d32a0c1d2-r0", **given: Any) -> dict[str, Any]:
    usual = {"ranks": [2, 1], "scores": [3, 7], "faults": ["", ""], "reason": "goal", "ties": "draw"}
    return {"type": "end", "match": match} | usual | given


@pytest.mark.parametrize(
    ("ended", "text"),
    [
        (end(), "against ann: won, score 7 : 3"),
        (end(ranks=[1, 2]), "against ann: lost, score 7 : 3"),
        (end(ranks=[1, 1]), "against ann: tied, score 7 : 3"),
        (end(faults=["late", ""]), "against ann: won, score 7 : 3, ann's fault: late"),
        (end(faults=["", "late"], ranks=[1, 2]), "against ann: lost, score 7 : 3, your fault: late"),
        (end(void=True), "against ann: void, it does not count"),
    ],
)
def test_an_author_reads_opponents_score_and_faults(ended: dict[str, Any], text: str) -> None:
    news = MatchNews()
    news.started(start())
    said, fault = news.ended(ended)
    assert said == f"coins-0001-5b1d32a0c1d2-r0 {text}"
    assert fault == ("late" if "your fault" in text else "")
    assert not news.open_matches


def test_ranks_are_named_where_more_than_two_play_and_matches_that_are_not_rated() -> None:
    news, match = MatchNews(), "coins-unrated-0001-5b1d32a0c1d2-r0"
    news.started(start(match, 3))
    said, _ = news.ended(end(match, ranks=[2, 3, 1], scores=[3, 0, 9], faults=[""] * 3))
    assert said == f"{match} against ann, cleo: rank 3 of 3, score 0 : 3 : 9, not rated"


@pytest.mark.parametrize("broken", [{"ranks": []}, {"faults": None}, {"scores": ["x", "y"]}, {"ranks": [2]}])
def test_a_daemon_that_sends_nonsense_does_not_end_the_bot(broken: dict[str, Any]) -> None:
    news = MatchNews()
    news.started(start())
    assert news.ended(end(**broken)) == ("coins-0001-5b1d32a0c1d2-r0: over", "")
    assert news.ended(end()) == ("", ""), "of a match that is not known nothing is said"


def test_a_name_cannot_command_the_terminal() -> None:
    news = MatchNews()
    news.started(start() | {"names": ["\x1b[2J", "me"]})
    assert "\x1b" not in news.ended(end())[0]
