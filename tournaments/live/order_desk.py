"""Carries out the orders of the organiser, in the process of the hub: the only one that writes to the store.

Every order is in the log, and where there is a store it is a chained note of it. Notes are written in a
thread: a disk that stands still must not keep the hub from its clocks.
"""

from collections.abc import Callable, Mapping
from queue import Queue
from threading import Thread
from typing import Final

from referee.errors import RefereeError
from referee.hub.feed import Answer
from referee.hub.feed_messages import OrderDone, OrganiserAct, OrganiserOrder
from referee.hub.hub import Hub
from tournaments.config.store_address import Address
from tournaments.site.notes import MOST_LETTERS, add_note
from tournaments.store.store import Store

Note = Callable[[OrganiserAct, str, str], object]
"""Keeps an act with its text, in the store of an event or, without its slug, in all."""

_DONE = {
    "pause": "paused: no more matches begin, those that run are played on",
    "resume": "matches begin again",
    "drain": "stopping: the matches that run are played to their end",
    "announce": "announced",
    "freeze": "frozen: the public sees the table as it is now",
    "reveal": "revealed: the public sees everything",
    "approve": "approved",
    "leave out": "left out",
}
_OF_HUB = ("pause", "resume", "drain")
ON_RECORD: Final = ("approve", "leave out")
"""Decisions about bots: the record of the entries has them, also where there is no store yet."""


class OrderDesk:
    """Takes orders while a hub plays, and afterwards as long as the site stays."""

    def __init__(
        self,
        note: Note | None,
        log: Callable[[str, str], None],
        drain: Callable[[], None] = lambda: None,
        announced: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Prepare to take orders.

        `note` keeps an act with its text; None where there is no store. `log` takes an act and a sentence,
        `drain` stops the run, and `announced` takes the text of an announcement.
        """
        self.note = note
        self._announced = announced
        self._log = log
        self._drain = drain
        self.hub: Hub | None = None
        """The hub that plays; None before and after."""
        self._threads: list[Thread] = []

    def take(self, order: OrganiserOrder, answer: Answer) -> None:
        """Carry out an order, and answer: now, or when it is noted."""
        refusal = self._refusal(order)
        if refusal:
            answer(OrderDone(order.id, refusal, ok=False))
            return
        self._act(order)
        done = _DONE[order.act] if order.act != "announce" or order.text else "the announcement is taken back"
        self._log(order.act, f"the organiser: {order.act}{': ' + order.text if order.text else ''}")
        if self.note is None:
            answer(OrderDone(order.id, done))
            return
        thread = Thread(target=_keep, args=(self.note, order, done, answer), daemon=True)
        self._threads.append(thread)
        thread.start()

    def carry_out(self, act: OrganiserAct, text: str) -> OrderDone:
        """Carry out an order, and return the answer when it is noted."""
        answers: Queue[OrderDone] = Queue()
        self.take(OrganiserOrder(0, act, text), answers.put)
        return answers.get()

    def close(self) -> None:
        """Wait until all orders are noted."""
        for thread in self._threads:
            thread.join()

    def _refusal(self, order: OrganiserOrder) -> str:
        """Return why an order cannot be carried out; '' if it can."""
        if order.act in _OF_HUB and self.hub is None:
            return "nothing is being played now"
        if order.act not in (*_OF_HUB, *ON_RECORD) and self.note is None:
            return "this run has no store in which it could be noted"
        if len(order.text) > MOST_LETTERS:
            return f"an announcement has at most {MOST_LETTERS} letters"
        return ""

    def _act(self, order: OrganiserOrder) -> None:
        if order.act == "announce":
            self._announced(order.text)
        if self.hub is None or order.act not in _OF_HUB:
            return
        if order.act == "drain":
            self._drain()
        else:
            self.hub.paused = order.act == "pause"


def _keep(note: Note, order: OrganiserOrder, done: str, answer: Answer) -> None:
    """Note an act, and answer; in a thread of its own."""
    try:
        # What is played stands still for all events of a hub, or for none.
        note(order.act, order.text, "" if order.act in _OF_HUB else order.event)
    except RefereeError as error:
        answer(OrderDone(order.id, f"not noted: {error}", ok=False))
    else:
        answer(OrderDone(order.id, done))


def noting(stores: Mapping[str, Store]) -> Note:
    """Return what keeps acts in stores that are open for writing, by the slug of their event."""

    def note(act: OrganiserAct, text: str, event: str) -> None:
        for slug, store in stores.items():
            if event in ("", slug):
                add_note(store, act, text)

    return note


def noting_at(address: Address) -> Note:
    """Return what keeps acts in a store, which is opened for each; another writer refuses it."""

    def note(act: OrganiserAct, text: str, _event: str = "") -> None:
        with Store(address) as store:
            add_note(store, act, text)

    return note
