"""People at browsers without a browser: the requests that a page of a seat sends."""

import json
import random
import time
from collections.abc import Callable
from typing import Any

import httpx

from tests.end_to_end.commands import Command

_PATIENCE_S = 60


class SeatClient:
    """What the page of a seat, or of the lobby, does with the secret of its link."""

    def __init__(self, link: str) -> None:
        """Use a link as it is printed."""
        self.url, _, self.secret = link.partition("#")
        self.base = self.url.rpartition("/")[0]
        self._client = httpx.Client(
            base_url=self.base, headers={"Authorization": f"Bearer {self.secret}"}, timeout=_PATIENCE_S
        )

    def first(self, path: str) -> str:
        """Return the first state of a stream, as text."""
        with self._client.stream("GET", path) as answer:
            answer.raise_for_status()
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    return line.removeprefix("data: ")
        raise AssertionError("the stream ended without a state")

    def state(self) -> dict[str, Any]:
        """Return the state of the seat."""
        found = json.loads(self.first("/seat/events"))
        assert isinstance(found, dict)
        return found

    def until(self, holds: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """Follow the stream of the seat until a state is as wanted, and return it."""
        end = time.monotonic() + _PATIENCE_S
        state: dict[str, Any] = {}
        with self._client.stream("GET", "/seat/events") as answer:
            for line in answer.iter_lines():
                assert time.monotonic() < end, f"it never came: {state}"
                if line.startswith("data: ") and holds(state := json.loads(line.removeprefix("data: "))):
                    return state
        raise AssertionError(f"the stream ended before it came: {state}")

    def post(self, path: str, **body: object) -> httpx.Response:
        """Send a request."""
        return self._client.post(path, json=body)

    def get(self, path: str) -> httpx.Response:
        """Ask for something."""
        return self._client.get(path)

    def decide(self, luck: random.Random) -> bool:
        """Wait for a decision and take any legal action; return whether there was one before the end."""
        state = self.until(lambda state: phase(state) in ("decide", "over") and not _is_between(state))
        if phase(state) == "over":
            return False
        now = state["now"]
        action = luck.choice(now["ask"]["legal"])[0]
        self.post("/seat/act", match=now["match"], ask=now["ask"]["id"], action=action).raise_for_status()
        return True

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def phase(state: dict[str, Any]) -> str:
    """Return what the page waits for."""
    match = state["now"] or state["last"]
    return str(match["phase"]) if match else "waiting"


def _is_between(state: dict[str, Any]) -> bool:
    """Return whether the seat may play on: it is still a bot of the hub."""
    return not state["now"] and bool(state["connected"])


def links_of(command: Command, seats: int) -> tuple[str, dict[str, str]]:
    """Return the links that a command prints: of the lobby ('' if there is one seat), and of each seat."""
    if seats == 1:
        link = command.wait_for("Play here: ").split()[-1]
        return "", {"": link}
    lobby = command.wait_for("to take a free seat: ").split()[-1]
    command.wait_for("one link for each seat")
    lines = [command.wait_for("/seat.html#") for _ in range(seats)]
    found = [line.split() for line in lines]
    return lobby, {words[0]: words[1] for words in found}
