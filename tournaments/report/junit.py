"""Verdicts as JUnit XML, which every build server reads."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import msgspec

from referee.errors import RefereeError
from referee.wording import clean


class TestCase(msgspec.Struct, frozen=True):
    """One thing that was tested."""

    name: str
    verdict: Literal["passed", "failed", "error", "skipped"] = "passed"
    why: str = ""
    """The reason in one line, if it did not pass."""
    detail: str = ""
    """The reason at length; of a test that passed, what else there is to know."""
    seconds: float = 0.0


_TAGS = {"failed": "failure", "error": "error", "skipped": "skipped"}


def write(path: Path, suite: str, cases: Iterable[TestCase]) -> None:
    """Write the verdicts to a file."""
    try:
        path.write_text(document(suite, list(cases)), encoding="utf-8")
    except OSError as error:
        raise RefereeError(f"cannot write {path}: {error.strerror}") from error


def document(suite: str, cases: list[TestCase]) -> str:
    """Return the verdicts as a document."""
    verdicts = [case.verdict for case in cases]
    totals = {
        "tests": str(len(cases)),
        "failures": str(verdicts.count("failed")),
        "errors": str(verdicts.count("error")),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }
    root = ElementTree.Element("testsuites", totals)
    # By the schema of Jenkins only a suite counts what was skipped, not the suites together.
    own = {"name": _printable(suite), **totals, "skipped": str(verdicts.count("skipped"))}
    parent = ElementTree.SubElement(root, "testsuite", own)
    for case in cases:
        named = {"classname": _printable(suite), "name": _printable(case.name), "time": f"{case.seconds:.3f}"}
        element = ElementTree.SubElement(parent, "testcase", named)
        if case.verdict != "passed":
            verdict = ElementTree.SubElement(element, _TAGS[case.verdict], {"message": _printable(case.why)})
            verdict.text = _printable(case.detail) or None
        elif case.detail:
            ElementTree.SubElement(element, "system-out").text = _printable(case.detail)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


def _printable(text: str) -> str:
    """Return text that XML can hold: most control characters have no spelling in it at all."""
    return re.sub(r"[^\n\t]+", lambda found: clean(found[0]), text)
