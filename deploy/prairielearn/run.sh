#!/usr/bin/env bash
# The entry point of PrairieLearn's external grader, in the image of deploy/grading/Containerfile. The folder
# `tests` of the question holds staff.toml, grade.toml and grade.env; info.json is beside this file.
set -euo pipefail

grade=${GRADE:-/grade}
mkdir -p "$grade/results"
exec bash "${GRADER:-/usr/local/bin/grade-submission.sh}" "$grade/tests" "$grade/student" --quiet \
  --format prairielearn --out "$grade/results/results.json"
