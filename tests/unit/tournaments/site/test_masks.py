"""Pseudonyms: no name of a bot that has or had a part in an event is shown to the public."""

from referee.hub.feed_messages import BotLine, HubStatus
from tests.unit.tournaments.plans import plan
from tournaments.config.pseudonyms import pseudonyms
from tournaments.live.hub_watch import public_status
from tournaments.site.masks import Masks, masks_of


def test_a_bot_that_left_the_file_of_an_event_keeps_its_pseudonym() -> None:
    before = pseudonyms("s3cret", ["ann", "bob", "cem"])
    # The file has two bots now; the store has begun with three.
    now = plan(("ann", "bob", "cem"), pseudonyms=True, masks=pseudonyms("s3cret", ["ann", "cem"]))
    assert masks_of(now).by_name == before
    assert not masks_of(plan(("ann", "bob"), masks=before))


def test_a_bot_without_a_pseudonym_is_not_in_the_public_state() -> None:
    status = HubStatus(
        running=(),
        playing=0,
        coming=(),
        waiting=0,
        bots=(BotLine("ann", 0, 0), BotLine("late", 0, 0)),
        begun=0,
        finished=0,
        void=0,
        decisions=0,
        paused=False,
        draining=False,
        late_ms=0,
    )
    shown = public_status(status, frozen=False, masks=Masks({"ann": "Red Fox"}))
    assert [bot["name"] for bot in shown["bots"]] == ["Red Fox"]
    assert len(public_status(status, frozen=False)["bots"]) == 2
