#!/usr/bin/env bash
# Gradescope runs this once, when the image of an assignment is built. Choose a base image of Ubuntu 24.04 or
# newer: the referee needs Python 3.11. The zip of the autograder holds, side by side:
#
#   setup.sh, run_autograder       from deploy/gradescope
#   grade-submission.sh, grade.env from deploy/grading
#   staff.toml, grade.toml         yours: `referee grade --new .`
#   chicago_referee-*.whl          `pip wheel --no-deps --wheel-dir . PATH_OF_THE_REFEREE`
set -euo pipefail

source=${AUTOGRADER:-/autograder}/source
apt-get update
apt-get install --yes --no-install-recommends bubblewrap python3 python3-venv
python3 -m venv /opt/referee
/opt/referee/bin/pip install --no-cache-dir "$source"/chicago_referee-*.whl

# What a sandbox can promise in this container; the same is said in the output of every run, for instructors.
/opt/referee/bin/referee doctor --level class || true
