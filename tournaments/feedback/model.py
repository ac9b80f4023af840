"""What is fed back about one bot, as data: the text, the page and the JSON file are made from it."""

from typing import Literal

from msgspec import Struct

from referee.replay.ledger import LedgerLine

SuggestionKind = Literal["closest loss", "worst blunder", "fault"]
Outcome = Literal["won", "drawn", "lost"]


class ThinkingTime(Struct, frozen=True):
    """What a bot's answers took, in microseconds."""

    took_us: int = 0
    """From the asks to the answers, as measured."""
    charged_us: int = 0
    """What was charged to its clocks."""
    median_us: int = 0
    slowest_us: int = 0

    @property
    def free_us(self) -> int:
        """What was not charged: the grace of every answer."""
        return max(0, self.took_us - self.charged_us)


class FaultNote(Struct, frozen=True):
    """One fault in plain words, with what caused it."""

    code: str
    meaning: str
    when: str
    verdict: str
    why: str
    decision: int
    """The decision that it concerns; 0 before the first."""
    step: int | None
    """The step of the player in which it happened."""
    final: bool
    sent: tuple[str, ...] = ()
    """The message that caused it, as it came; below it a mark where it goes wrong."""
    sent_bytes: int = 0
    printed: str = ""
    """That it was a print to stdout, and the cure; '' if it was none."""
    advice: str = ""


class Swing(Struct, frozen=True):
    """How much a bot fell behind from one of its decisions to the next."""

    decision: int
    drop: int
    before: int
    """Its score less the best score of another seat, when it had to decide."""
    after: int
    """The same when it had to decide next, or at the end."""


class OtherSeat(Struct, frozen=True):
    """How a match ended for another seat: what everyone may know."""

    name: str
    rank: int
    score: int
    fault: str


class OwnMatch(Struct, frozen=True):
    """One match of the bot."""

    match: str
    seat: int
    outcome: Outcome
    rank: int
    score: int
    others: tuple[OtherSeat, ...]
    reason: str
    """How the match ended, in a word."""
    fault: str
    """The code of the fault that lost it, or ''."""
    time: ThinkingTime
    withheld: bool = False
    """Whether only the result may be known: the deal is still to be played by other bots."""
    trouble: str = ""
    """Why its replay cannot be shown; '' if it can."""
    file: str = ""
    """The file of its seat, in the folder; '' if there is none."""
    decisions: int = 0
    faults: tuple[FaultNote, ...] = ()
    clock: tuple[LedgerLine, ...] = ()
    """Its last decisions."""
    swing: Swing | None = None
    """Its worst decision by score; None if the game shows no scores before its end, or it never fell back."""
    exit: str = ""
    """How its process ended, if it did."""
    stderr: str = ""
    """The end of what it wrote to stderr; kept for matches with a fault."""
    stderr_dropped: int = 0
    """Bytes before that, which were not kept."""

    @property
    def margin(self) -> int:
        """Its score less the best score of another seat."""
        return self.score - max((other.score for other in self.others), default=0)


class Suggestion(Struct, frozen=True):
    """A match worth looking at."""

    kind: SuggestionKind
    match: str
    about: str
    """Why this match, in a sentence."""
    decision: int
    """The decision to look at; 0 if there is none."""
    step: int | None
    """The step of the player just before it."""
    commands: tuple[str, ...]
    """What repeats it on the author's host."""


class BotStanding(Struct, frozen=True):
    """The standing of a bot."""

    matches: int
    wins: int
    draws: int
    losses: int
    points: float
    percent: float
    elo: float | None
    interval: tuple[float, float] | None
    place: int
    """The first of the places that it shares; 0 if it has none yet."""
    place_text: str
    """Its place for people, such as `3` or `5 to 8`."""
    places: int
    """How many bots there are."""
    faults: dict[str, int]


class PartFeedback(Struct, frozen=True):
    """What is fed back about a bot in one tournament of an event, or on a ladder."""

    event: str
    game: str
    title: str
    """The name of the game for people."""
    facts: BotStanding
    final: bool
    """Whether the place is final."""
    time: ThinkingTime
    matches: tuple[OwnMatch, ...]
    worth: tuple[Suggestion, ...]
    notes: tuple[str, ...]
    """What a reader must know: what is withheld, frozen, or was not kept."""


class StartNote(Struct, frozen=True):
    """That a bot does not play in one tournament of an event, or did not start and lost, and why."""

    event: str
    game: str
    title: str
    """The name of the game for people."""
    left_out: str
    """Why it was left out, in the words of the public table; '' if it stayed and lost its matches."""
    fault: str = ""
    """The code of the fault; '' if it was not tried, or nothing was kept."""
    why: str = ""
    exit: str = ""
    """How its process ended, if it did and `why` does not say it."""
    stderr: str = ""
    """The end of what it wrote to stderr."""
    advice: str = ""
    command: str = ""
    """What tries its start on the author's host."""


class BotFeedback(Struct, frozen=True):
    """Everything that is fed back about one bot."""

    bot: str
    referee: str
    """The version of the referee."""
    parts: tuple[PartFeedback, ...]
    whole: str = ""
    """Its place in the whole event, in words; '' if that is one tournament."""
    starts: tuple[StartNote, ...] = ()
    """The tournaments in which it did not start, or from which it was left out."""
