"""The worst decision of a seat by score: where its lead fell most until it had to decide again.

That is what followed, not what the decision caused: luck and the other seats have their part in it. But it is
where an author looks first.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from referee.match.faults import Fault
from referee.replay.format import Replay
from referee.replay.playback import Playback, game_of
from referee.replay.position import is_decision
from tournaments.feedback.model import Swing


def worst_swing(replay: Replay, seat: int) -> Swing | None:
    """Return the largest fall of a seat's lead between two of its decisions, as its own view shows it.

    None if there was no fall, or if the game shows no scores before its end. The replay is verified.
    """
    found = list(_margins(replay, seat))
    swings = [
        Swing(number, before - after, before, after)
        for number, (before, after) in enumerate(pairwise(found), 1)
        if before > after
    ]
    return max(swings, key=lambda swing: swing.drop, default=None)


def _margins(replay: Replay, seat: int) -> Iterator[int]:
    """Return the lead of a seat at each of its decisions, and at the end of the match if it did not fail."""
    game = game_of(replay)
    failed = False
    for step, following in zip(Playback(replay).steps(), [*replay.entries, None], strict=True):
        if following is None or is_decision(following, seat, failed):
            scores = game.scores_so_far(step.state.view(seat))
            if scores is None:
                return
            if not (following is None and failed):
                yield _lead(scores, seat)
        failed = failed or (isinstance(following, Fault) and following.seat == seat and following.final)


def _lead(scores: Sequence[int], seat: int) -> int:
    return scores[seat] - max(score for other, score in enumerate(scores) if other != seat)
