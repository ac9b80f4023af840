"""All steps of the examination, in the order in which a bot goes through them.

A step is a function with a name, a sentence and a paragraph of SPEC.md. Steps talk through `conversation`
and start no process themselves.
"""

from typing import Final

from referee.conformance.step import Step
from referee.conformance.steps.fields import FIELDS
from referee.conformance.steps.greeting import GREETING
from referee.conformance.steps.leaving import LEAVING
from referee.conformance.steps.matches import MATCHES
from referee.conformance.steps.sessions import SESSIONS
from referee.conformance.steps.talk import TALK

PLAN: Final = Step("plan", "Sends plans, if any, whose actions are legal where they are reached.", "6.8")

STANDING: Final = (
    Step(
        "well-formed",
        "Sends nothing but messages of the protocol, with the fields and types it gives them.",
        "4.3",
    ),
    Step("message-size", "Sends no message of more than 65536 bytes.", "3.5"),
    Step("allowance", "Sends no more messages than it may.", "10.7"),
    Step("clean-stdout", "Writes nothing to stdout but messages.", "2.6", only="stdio"),
    Step("one-frame", "Sends each message as one frame.", "2.2", only="zmq"),
    Step("one-encoding", "Keeps to the encoding of its hello.", "2.3", only="zmq"),
    PLAN,
)
"""Rules that are checked during all steps: a bot that breaks one fails it, and not the current step."""

STEPS: Final[tuple[Step, ...]] = (*GREETING, *TALK, *FIELDS, *SESSIONS, *MATCHES, *LEAVING, *STANDING)
