"""What a step of the examination is, and how it is written down: a function with a name and a sentence."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from referee.conformance.examinee import Examinee


class StepNote(NamedTuple):
    """Something the protocol recommends and the bot does not do."""

    text: str
    paragraph: str


Run = Callable[[Examinee, str], StepNote | None]
"""Examines a bot; the text is the case. Raises UnmetError or SkipError."""

Cases = Callable[[Examinee], Sequence[str]]


class Step(Struct, frozen=True):
    """One thing that is examined."""

    id: str
    title: str
    """In one sentence; the bot is its subject."""
    paragraph: str
    """The paragraph of SPEC.md it is mostly about."""
    run: Run | None = None
    """None: the rule is checked during all steps."""
    needs: tuple[str, ...] = ()
    """Steps without which it makes no sense."""
    cases: Cases | None = None
    last: bool = False
    """Whether it comes after all others, on every transport, because it takes its time."""
    only: Literal["", "zmq", "stdio"] = ""
    """The one transport on which it makes sense."""


def step(
    id: str,
    title: str,
    paragraph: str,
    *,
    needs: Sequence[str] = (),
    cases: Cases | None = None,
    last: bool = False,
    only: Literal["", "zmq", "stdio"] = "",
) -> Callable[[Run], Step]:
    """Make a step of a function."""
    return lambda run: Step(id, title, paragraph, run, tuple(needs), cases, last, only)
