"""Verdicts as JUnit XML, which every build server reads."""

from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Literal

import msgspec

from referee.errors import RefereeError


class TestCase(msgspec.Struct, frozen=True):
    """One thing that was tested."""

    name: str
    verdict: Literal["passed", "failed", "error", "skipped"] = "passed"
    why: str = ""
    """In one line, if it did not pass."""
    detail: str = ""
    """What may take several."""
    seconds: float = 0.0


def write(path: Path, suite: str, cases: Iterable[TestCase]) -> None:
    """Write the verdicts to a file."""
    try:
        path.write_text(document(suite, list(cases)), encoding="utf-8")
    except OSError as error:
        raise RefereeError(f"cannot write {path}: {error.strerror}") from error


def document(suite: str, cases: list[TestCase]) -> str:
    """Return the verdicts as a document."""
    failures = sum(case.verdict == "failed" for case in cases)
    errors = sum(case.verdict == "error" for case in cases)
    skipped = sum(case.verdict == "skipped" for case in cases)
    seconds = sum(case.seconds for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}" skipped="{skipped}"'
    counts += f' time="{seconds:.3f}"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {counts}>"]
    lines.append(f'  <testsuite name="{_safe(suite)}" {counts}>')
    for case in cases:
        lines += _case(suite, case)
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])


def _case(suite: str, case: TestCase) -> list[str]:
    opening = f'    <testcase classname="{_safe(suite)}" name="{_safe(case.name)}" time="{case.seconds:.3f}"'
    if case.verdict == "passed":
        return [f"{opening}/>"]
    if case.verdict == "skipped":
        return [f"{opening}>", f'      <skipped message="{_safe(case.why)}"/>', "    </testcase>"]
    kind = "failure" if case.verdict == "failed" else "error"
    told = f'      <{kind} message="{_safe(case.why)}">{_safe(case.detail)}</{kind}>'
    return [f"{opening}>", told, "    </testcase>"]


def _safe(text: str) -> str:
    """Return text that XML can hold: most control characters have no spelling in it at all."""
    spelled = (c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)
    return escape("".join(spelled))
