"""The queue for the terminal: one person at a time, and no person sees the screen of another."""

from collections import deque
from collections.abc import Callable

from referee.cli.human.prompt import Prompt
from referee.cli.human.screen import Keyboard, Screen


class TurnQueue:
    """Gives the terminal to one prompt after the other."""

    def __init__(
        self, screen: Screen, keyboard: Keyboard, *, shared: bool, leave: Callable[[], None]
    ) -> None:
        """Begin without a prompt. `shared`: several people use it; the end of the input calls `leave`."""
        self._screen = screen
        self._keyboard = keyboard
        self._shared = shared
        self._leave = leave
        self._waiting: deque[Prompt] = deque()
        self._current: Prompt | None = None
        self._closed = True
        """Whether the person whose turn it is has not pressed Enter yet."""
        self._last = ""
        """The name of the person that was at the terminal last."""

    def give(self, prompt: Prompt) -> None:
        """Open a prompt as soon as the terminal is free."""
        self._waiting.append(prompt)
        self._call_next()
        self.listen()

    def take_back(self, match: str) -> None:
        """Close the prompts of a match: it is over, or its time is."""
        self._waiting = deque(each for each in self._waiting if each.ask.match != match)
        if self._current is not None and self._current.ask.match == match:
            self._current = None
            if self._shared:
                self._screen.clear()
        self._call_next()
        self.listen()

    def listen(self) -> None:
        """Pass typed lines to the current prompt."""
        while self._current is not None:
            line = self._keyboard.next()
            if line is None:
                break
            self._hear(self._current, line)
        while self._current is None and self._keyboard.is_terminal and self._keyboard.next() is not None:
            # The line was typed before there was a question, so it cannot be the answer to one.
            self._screen.say("Not yet: it is the turn of the others.")
        if self._keyboard.is_over and self._current is not None:
            self._current = None
            self._waiting.clear()
            self._leave()

    def _hear(self, prompt: Prompt, line: str) -> None:
        if self._closed:
            self._closed = False
            self._screen.clear()
            prompt.open()
        elif prompt.hear(line):
            self._current = None
            if self._shared:
                self._screen.clear()
            self._call_next()

    def _call_next(self) -> None:
        if self._current is not None or not self._waiting:
            return
        prompt = self._current = self._waiting.popleft()
        name = prompt.context.name
        self._closed = self._shared and name != self._last
        self._last = name
        if self._closed:
            self._screen.clear()
            self._screen.prompt(f"{name}, it is your turn. Press Enter when the others are not looking.")
        else:
            prompt.open()
