"""Classroom 50: `result.json` by the schema `classroom50/result/v1` of github.com/foundation50/classroom50.

Its runner gives the identity of the submission in variables of the environment, and checks it. It has whole
points only, so those of each test are rounded, and the sum is that of the rounded ones.
"""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from math import floor
from typing import Any, Final

import msgspec

from referee.errors import ConfigError
from tournaments.grading.grade import Grade, text_of

SCHEMA: Final = "classroom50/result/v1"
VARIABLES: Final = {
    "classroom": "CLASSROOM",
    "assignment": "ASSIGNMENT",
    "assignment_type": "ASSIGNMENT_TYPE",
    "owner": "OWNER",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
}
"""The fields that the platform states, by the variable that holds each."""


def check_surroundings(environment: Mapping[str, str] = os.environ) -> None:
    """Refuse surroundings that are not those of the platform's runner."""
    missing = [name for name in VARIABLES.values() if not environment.get(name)]
    if missing:
        raise ConfigError(
            f"the format classroom50 needs the variables of its runner, and {', '.join(missing)} is not set: "
            "run it in the autograder of Classroom 50 (deploy/classroom50)"
        )


def document(grade: Grade, environment: Mapping[str, str] = os.environ) -> str:
    """Return the file."""
    check_surroundings(environment)
    identity = {field: environment[name] for field, name in VARIABLES.items()}
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    tests: list[dict[str, Any]] = [
        {
            "test-name": mark.name,
            "passed": mark.is_full,
            "score": _whole(mark.points),
            "max-score": _whole(mark.most),
            "output": text_of(mark.comment),
        }
        for mark in grade.marks
    ]
    most = min(_whole(grade.most), sum(test["max-score"] for test in tests))
    found: dict[str, Any] = {
        "schema": SCHEMA,
        **identity,
        "review": environment.get("REVIEW_URL") or identity["commit"],
        "datetime": now,
        "graded_at": now,
        "score": min(most, sum(test["score"] for test in tests)),
        "max-score": most,
        "tests": tests,
    }
    return msgspec.json.format(msgspec.json.encode(found)).decode() + "\n"


def _whole(points: float) -> int:
    """Return the nearest whole number; a half counts up."""
    return floor(points + 0.5)
