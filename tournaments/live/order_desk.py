"""Carries out the orders of the organiser, in the process of the hub: the only one that writes to the store.

Every order is in the log, and where there is a store it is a chained note of it. Notes are written in a
thread: a disk that stands still must not keep the hub from its clocks.
"""

from collections.abc import Callable
from pathlib import Path
from queue import Queue
from threading import Thread

from referee.errors import RefereeError
from referee.hub.feed import Answer
from referee.hub.feed_messages import OrderDone, OrganiserAct, OrganiserOrder
from referee.hub.hub import Hub
from tournaments.site.notes import MOST_LETTERS, add_note
from tournaments.store.store import Store

Note = Callable[[OrganiserAct, str], object]

_DONE = {
    "pause": "paused: no more matches begin, those that run are played on",
    "resume": "matches begin again",
    "drain": "stopping: the matches that run are played to their end",
    "announce": "announced",
    "freeze": "frozen: the public sees the table as it is now",
    "reveal": "revealed: the public sees everything",
}
_OF_HUB = ("pause", "resume", "drain")


class OrderDesk:
    """Takes orders while a hub plays, and afterwards as long as the site stays."""

    def __init__(
        self, note: Note | None, log: Callable[[str, str], None], drain: Callable[[], None] = lambda: None
    ) -> None:
        """Prepare to take orders.

        `note` keeps an act with its text; None where there is no store. `log` takes an act and a sentence,
        and `drain` stops the run.
        """
        self.note = note
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
        if order.act not in _OF_HUB and self.note is None:
            return "this run has no store in which it could be noted"
        if len(order.text) > MOST_LETTERS:
            return f"an announcement has at most {MOST_LETTERS} letters"
        return ""

    def _act(self, order: OrganiserOrder) -> None:
        if self.hub is None or order.act not in _OF_HUB:
            return
        if order.act == "drain":
            self._drain()
        else:
            self.hub.paused = order.act == "pause"


def _keep(note: Note, order: OrganiserOrder, done: str, answer: Answer) -> None:
    """Note an act, and answer; in a thread of its own."""
    try:
        note(order.act, order.text)
    except RefereeError as error:
        answer(OrderDone(order.id, f"not noted: {error}", ok=False))
    else:
        answer(OrderDone(order.id, done))


def noting(store: Store) -> Note:
    """Return what keeps acts in a store that is open for writing."""
    return lambda act, text: add_note(store, act, text)


def noting_at(path: Path) -> Note:
    """Return what keeps acts in the store at a path, which is opened for each; another writer refuses it."""

    def note(act: OrganiserAct, text: str) -> None:
        with Store(path) as store:
            add_note(store, act, text)

    return note
