#!/usr/bin/env bash
# Grades one submission with `referee grade`. The scripts of all platforms end in it:
#
#   grade-submission.sh STAFF SUBMISSION OPTION...
#
# STAFF is the folder with staff.toml, grade.toml and grade.env, SUBMISSION that of the student's files; the
# options are those of `referee grade` for the platform. REFEREE names the program, if it is not on the PATH.
set -euo pipefail

staff=$(cd "$1" && pwd)
submission=$(cd "$2" && pwd)
shift 2

BOT="python3 bot.py"
BUILD=""
BUILD_SECONDS=120
TIME_LIMIT=480
ACCEPT_GAPS=""
if [ -f "$staff/grade.env" ]; then
  # shellcheck source=grade.env
  . "$staff/grade.env"
fi

cd "$submission"
# A submission may hold links of these names, through which we would write elsewhere.
rm -rf .build-log .not-built.sh
if [ -n "$BUILD" ] && ! timeout "$BUILD_SECONDS" sh -c "$BUILD" >.build-log 2>&1; then
  # In place of a bot that was not built stands one that says why, and ends.
  rm -rf .not-built.sh
  printf 'echo "the build failed:" >&2\ntail -n 18 .build-log >&2\nexit 1\n' >.not-built.sh
  BOT="sh .not-built.sh"
fi

gaps=()
for gap in $ACCEPT_GAPS; do
  gaps+=(--accept-gap "$gap")
done
read -r -a bot <<<"$BOT"
exec "${REFEREE:-referee}" grade --against "$staff/staff.toml" --scale "$staff/grade.toml" \
  --time-limit "$TIME_LIMIT" "${gaps[@]}" "$@" -- "${bot[@]}"
