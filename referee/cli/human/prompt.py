"""One decision of one person: what is shown, and what each input does."""

from collections.abc import Callable
from textwrap import wrap

from protocol.messages import Ask
from referee.cli.human.menu import Menu, MenuLine
from referee.cli.human.screen import Screen
from referee.game import View
from referee.people.explain import meaning
from referee.people.match_context import MatchContext
from referee.people.rulebook import number_in
from referee.wording import plural

_WHAT_TO_TYPE = (
    "Your seat is marked (you). Take an action by its number; `rules` prints the rules, `hint` what a sample "
    "bot would do, `help` everything else you can type. An action cannot be undone."
)

_HELP = """\
  a number           take that action; it cannot be undone
  an action          take it, if it is spelled out: play R7 2
  a part of one      show only the actions with it; /part if it is also a command
  Enter              the next page of the list
  all                the whole list again
  hint, or ?         what a sample bot would do in your place
  board              the board again
  log                everything that has happened, as you saw it
  rules              the sections of the rules; rules 3, or rules end, to read one
  quit               resign the match, and play no other"""

_NO_UNDO = "There is no undo: the others have seen your action, or it has shown you something."


class Prompt:
    """Asks a person for one action."""

    def __init__(
        self,
        screen: Screen,
        context: MatchContext,
        ask: Ask,
        answer: Callable[[str], None],
        resign: Callable[[], None],
    ) -> None:
        """Prepare to ask; `answer` is called with the action, or `resign` if the person resigns."""
        self.context = context
        self.ask = ask
        self._screen = screen
        self._answer = answer
        self._resign = resign
        self._view: View = ask.view or {}
        self._menu = Menu(ask.legal or [])
        self._resigning = False
        self._unseen = 0
        """A number that was typed but was not on the page: it must be typed twice."""
        self._commands: dict[str, Callable[[str], None]] = {
            "?": self._hint,
            "all": self._all,
            "board": self._board,
            "events": self._log,
            "help": self._help,
            "hint": self._hint,
            "list": self._all,
            "log": self._log,
            "quit": self._quit,
            "resign": self._quit,
            "rules": self._rules,
            "undo": self._undo,
        }

    def open(self) -> None:
        """Show everything the person needs, and ask."""
        context = self.context
        context.decisions += 1
        self._screen.say()
        self._screen.say(f"{context.name} (@{context.seat}), your decision {context.decisions}", "bold green")
        for sentence in context.news():
            self._screen.say(f"- {sentence}")
        self._screen.say()
        self._board()
        if time := time_left(self.ask):
            self._screen.say(time, "yellow")
        self._list()
        self._prompt()

    def hear(self, text: str) -> bool:
        """Handle a line of input; return whether the decision is made."""
        if self._resigning:
            return self._confirm(text)
        number = number_in(text)
        action = self._menu.spelled(text) if number is None else self._by_number(number)
        if action is not None:
            self._screen.say(f"{self.context.name} takes: {action}")
            self._answer(action)
            return True
        self._obey(text)
        self._prompt()
        return False

    def _by_number(self, number: int) -> str | None:
        """Return the action of a number; one that is not on the page must be typed twice."""
        if self._menu.shows(number) or number == self._unseen:
            return self._menu.numbered(number)
        self._unseen = number
        return None

    def _obey(self, text: str) -> None:
        word, _, rest = text.partition(" ")
        command = self._commands.get(word.lower())
        if (number := number_in(text)) is not None:
            self._doubt(number)
        elif not text:
            self._menu.turn()
            self._list()
        elif command is not None and (not rest or word.lower() == "rules"):
            command(rest.strip())
        elif self._menu.narrow(text.removeprefix("/")):
            self._list()
        else:
            wanted = text.removeprefix("/")
            self._screen.say(f"No action contains {wanted!r}; `help` prints what you can type.")

    def _doubt(self, number: int) -> None:
        action = self._menu.numbered(number)
        if action is None:
            self._screen.say(
                f"There is no action {number}: the numbers go from 1 to {len(self._menu.legal)}."
            )
        else:
            told = f": {self._meaning(action)}" if self._meaning(action) else "."
            self._screen.say(f"{number} is {action}{told} Type {number} again to take it.")

    def _prompt(self) -> None:
        question = "Resign, and lose the match? (yes or no)" if self._resigning else "Your action?"
        self._screen.prompt(f"{self.context.name}: {question}")

    # The commands.

    def _board(self, _rest: str = "") -> None:
        self._screen.show_board(self.context.game.draw(self._view))
        self._screen.say()

    def _list(self) -> None:
        if heading := self._menu.heading():
            self._screen.say(heading, "dim")
        lines = self._menu.lines()
        width = max(len(line.words) for line in lines)
        for line in lines:
            self._screen.say(self._told(line, width))

    def _told(self, line: MenuLine, width: int) -> str:
        first, last = line.numbers[0], line.numbers[-1]
        if line.is_group:
            example = self._menu.legal[first - 1]
            told = f": {self._meaning(example)}" if self._meaning(example) else ""
            return f"  {first}-{last}) {line.words} ...  {len(line.numbers)} actions, such as {example}{told}"
        return f"{first:>5}) {line.words:<{width}}  {self._meaning(line.words)}".rstrip()

    def _meaning(self, action: str) -> str:
        context = self.context
        return meaning(context.game, self._view, context.seat, action, context.names)

    def _all(self, _rest: str) -> None:
        self._menu.narrow("")
        self._list()

    def _hint(self, _rest: str) -> None:
        try:
            hint = self.context.hint(self._view, self._menu.legal)
            number = self._menu.number_of(hint.action)
        except Exception as error:  # noqa: BLE001 - an error of a sample bot must not cost a person the match
            self._screen.say(f"The sample bot has no hint here ({type(error).__name__}).")
            return
        who = f"The sample bot {hint.by}" if hint.by else "A bot"
        told = self._meaning(hint.action)
        self._screen.say(f"{who} would take {number}) {hint.action}{f': {told}' if told else ''}", "cyan")
        if hint.why:
            self._screen.say(f"Why: {hint.why}.", "cyan")

    def _log(self, _rest: str) -> None:
        for sentence in self.context.told():
            self._screen.say(f"- {sentence}")

    def _help(self, _rest: str) -> None:
        self._screen.say(_HELP)

    def _undo(self, _rest: str) -> None:
        self._screen.say(_NO_UNDO)

    def _rules(self, wanted: str) -> None:
        rulebook = self.context.rulebook
        section = rulebook.find(wanted) if wanted else None
        if section is not None:
            self._screen.show(f"## {section.title}\n\n{section.text}")
            return
        if wanted and rulebook.sections:
            self._screen.say(f"No section of the rules is called {wanted!r}.")
        self._screen.show(rulebook.head)
        for title in rulebook.contents():
            self._screen.say(f"  {title}")

    def _quit(self, _rest: str) -> None:
        self._resigning = True

    def _confirm(self, text: str) -> bool:
        self._resigning = False
        if text.lower() not in {"y", "yes"}:
            self._prompt()
            return False
        self._screen.say(f"{self.context.name} resigns. The match is lost.")
        self._resign()
        return True


def introduction(context: MatchContext, width: int) -> list[str]:
    """Return the introduction of a match: the game, the seats, and what to type."""
    info = context.game.info
    others = [f"{name} is @{seat}" for seat, name in enumerate(context.names)]
    paragraphs = (
        f"{info.title}: {context.rulebook.introduction or info.summary}",
        f"{plural(context.start.seats, 'seat')}, by their marks on the board: {', '.join(others)}.",
        _WHAT_TO_TYPE,
    )
    first, *rest = ([*wrap(text, width)] for text in paragraphs)
    return [*first, "", *(line for lines in rest for line in lines)]


def time_left(ask: Ask) -> str:
    """Describe the time for a decision; '' if it is more than a day, as it is without --timed."""
    clock = ask.clock
    total_s = (clock.move_ms + clock.bank_ms) / 1_000
    if total_s > 86_400:
        return ""
    return f"You have {clock.move_ms / 1_000:g} s, and {clock.bank_ms / 1_000:g} s in the bank."
