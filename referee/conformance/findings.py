"""What the kit found out, step by step."""

from enum import StrEnum

from msgspec import Struct

from referee.conformance import spec


class Finding(StrEnum):
    """How a step ended."""

    PASSED = "passed"
    NOTED = "noted"
    """Passed, but something the protocol recommends (SHOULD) is not done."""
    FAILED = "failed"
    NOT_APPLICABLE = "not applicable"
    """It makes no sense for this bot."""
    NOT_OFFERED = "not offered"
    """An optional ability the bot does not have."""
    NOT_REACHED = "not reached"
    """A step that it needs did not pass, or a rule that is always checked was broken meanwhile."""


TRANSPORTS = ("zmq", "stdio")


class Evidence(Struct, frozen=True):
    """Why a step did not pass: what was said, and which paragraph of SPEC.md speaks of it."""

    expected: str
    sent: list[str]
    """The last messages of the referee in this step."""
    came: list[str]
    """What the bot did since: its messages, its end, its last words."""
    paragraph: str
    quote: str


class StepResult(Struct, frozen=True):
    """The outcome of one step."""

    step: str
    title: str
    transport: str
    case: str
    """The case within the step, such as a game and a number of seats; or ''."""
    finding: Finding
    why: str = ""
    """In one line, if there is more to say than `passed`."""
    evidence: Evidence | None = None
    ms: int = 0


class UnmetError(Exception):
    """An expectation of a step that the bot did not meet. It never leaves the kit: it becomes a Verdict.

    `step` names the step it counts for, if that is another one than the step at hand.
    """

    def __init__(self, expected: str, came: str, paragraph: str, step: str = "") -> None:
        super().__init__(f"expected {expected}; {came}")
        self.expected = expected
        self.came = came
        self.paragraph = paragraph
        self.step = step


class SkipError(Exception):
    """A step that cannot be judged for this bot; the text says why. It never leaves the kit."""

    def __init__(self, finding: Finding, why: str) -> None:
        super().__init__(why)
        self.finding: Finding = finding


def evidence(unmet: UnmetError, sent: list[str], came: list[str]) -> Evidence:
    """Return what an unmet expectation proves."""
    return Evidence(unmet.expected, sent, came, unmet.paragraph, spec.quote(unmet.paragraph))
