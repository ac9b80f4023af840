"""People at the terminal: the protocol is spoken for them in the hub's own loop.

A person has what any bot on stdin/stdout has: two pipes to the hub and a socket to its supervisor. The other
ends are held by this process, in the hub's own loop. The hub sees no difference, and everything that is shown
to a person comes from the messages in the pipe.
"""

import contextlib
import os
import socket
from collections.abc import Callable

from protocol import limits
from protocol.codec import Encoding, encode, from_referee
from protocol.messages import Act, Ask, Bye, End, Error, Hello, Message, Ping, Pong, Ready, Start
from referee.cli.human.prompt import Prompt, introduction
from referee.cli.human.screen import Keyboard, Screen
from referee.cli.human.turn_queue import TurnQueue
from referee.hub.event_loop import EventLoop
from referee.match.faults import MEANING
from referee.people.match_context import MatchContext
from referee.people.verdict import standing, verdict
from referee.wording import clean

_WIDTH = 100
"""The largest width of the introduction."""


class HumanBots:
    """The people at one terminal."""

    def __init__(self, people: int, screen: Screen) -> None:
        self._shared = people > 1
        self._screen = screen
        self._introduced: set[str] = set()
        self._ended: set[str] = set()

    def attach(self, loop: EventLoop, leave: Callable[[], None], resign: Callable[[], None]) -> None:
        """Listen to the keyboard in this loop.

        `leave` is called at the end of the input, `resign` when a person has resigned.
        """
        keyboard = Keyboard()
        self._loop = loop
        self._resign = resign
        self._turns = TurnQueue(self._screen, keyboard, shared=self._shared, leave=leave)
        keyboard.listen(loop, self._turns.listen)

    def connect(self, name: str, pipes: tuple[int, int], supervisor: socket.socket) -> None:
        """Be the bot of a person, on these ends of its pipes and of the socket to its supervisor."""
        _Person(name, self, self._loop, pipes, supervisor)

    # What happens in the matches of the people.

    def begin(self, context: MatchContext) -> None:
        """Print the introduction of a match, once for all people."""
        if context.start.match not in self._introduced:
            self._introduced.add(context.start.match)
            for line in ("", *introduction(context, min(self._screen.width, _WIDTH))):
                self._screen.say(line)

    def decide(
        self, context: MatchContext, ask: Ask, answer: Callable[[str], None], resign: Callable[[], None]
    ) -> None:
        """Ask a person for a decision as soon as the terminal is free."""

        def give_up() -> None:
            resign()
            self._resign()

        self._turns.give(Prompt(self._screen, context, ask, answer, give_up))

    def fault(self, error: Error) -> None:
        """Print a fault of a person."""
        self._turns.take_back(error.match or "")
        self._screen.say(f"The referee rules: {error.code}: {error.why}", "bold red")

    def end(self, context: MatchContext, end: End) -> None:
        """Print how a match ended: to one person with what it saw, to several only what all may know."""
        self._turns.take_back(end.match)
        if not self._shared and not end.void and not end.faults[context.seat]:
            for sentence in context.news():
                self._screen.say(f"- {sentence}")
            self._screen.say()
            self._screen.show_board(context.game.draw(context.followed_view()))
            self._screen.say()
        if end.match not in self._ended:
            self._ended.add(end.match)
            for line in standing(end, context.names, context.ending()):
                self._screen.say(line, "bold")
            if told := verdict(end, context.names, None if self._shared else context.seat):
                self._screen.say(told, "bold")
        self._screen.say()


class _Person:
    """Speaks the protocol for a person."""

    def __init__(
        self, name: str, home: HumanBots, loop: EventLoop, pipes: tuple[int, int], supervisor: socket.socket
    ) -> None:
        self._home = home
        self._loop = loop
        self._stdin, self._stdout = pipes
        self._supervisor = supervisor
        self._inbox = b""
        self._contexts: dict[str, MatchContext] = {}
        os.set_blocking(self._stdin, False)
        loop.watch(self._stdin, self._read)
        loop.watch(supervisor.fileno(), self._go)
        self._say(Hello([limits.VERSION], clean(name), wants=["view", "legal", "events"], kit="terminal"))

    def _say(self, message: Message) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self._stdout, encode(message, Encoding.JSON) + b"\n")

    def _read(self) -> None:
        try:
            chunk = os.read(self._stdin, 1 << 20)
        except BlockingIOError:
            return
        if not chunk:
            self._go()
            return
        *lines, self._inbox = (self._inbox + chunk).split(b"\n")
        for line in lines:
            self._hear(from_referee(line))

    def _hear(self, message: Message) -> None:
        match message:
            case Start():
                context = self._contexts[message.match] = MatchContext(message)
                self._home.begin(context)
                self._say(Ready(message.match))
            case Ask():
                self._decide(self._contexts[message.match], message)
            case End():
                context = self._contexts.pop(message.match)
                context.see(message.events)
                self._home.end(context, message)
            case Error() if message.code in MEANING:
                self._home.fault(message)
            case Ping():
                self._say(Pong(message.n))
            case _:
                # Welcome needs no answer; after bye the pipe ends.
                pass

    def _decide(self, context: MatchContext, ask: Ask) -> None:
        context.see(ask.events)
        self._home.decide(
            context,
            ask,
            answer=lambda action: self._say(Act(ask.match, ask.id, action)),
            resign=lambda: self._say(Bye("resigned")),
        )

    def _go(self) -> None:
        """Close the pipes and the socket; the hub notices their end."""
        if self._stdin < 0:
            return
        self._loop.forget(self._stdin)
        self._loop.forget(self._supervisor.fileno())
        os.close(self._stdin)
        os.close(self._stdout)
        self._stdin = -1
        self._supervisor.close()
