#!/usr/bin/env bash
# Unpacks the handin, and grades it: autograde.sh STAFF HANDIN SUBMISSION
set -euo pipefail

tar --extract --no-same-owner --no-same-permissions --file "$2" --directory "$3" 2>/dev/null ||
  echo "The handin is no archive that tar can read."
exec bash "$1/grade-submission.sh" "$1" "$3" --format autolab
