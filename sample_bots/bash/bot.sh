#!/usr/bin/env bash
# A bot for every game of the referee, on stdin and stdout, with nothing but bash. README.md says how to run it.
set -f # what we read is no pattern of file names
LC_ALL=C
mode=${1:-random}

# Your idea goes here: put one of the actions in the list `legal` into `action`.
choose() {
  action=${legal[RANDOM % ${#legal[@]}]}
  if [[ $mode == first ]]; then action=${legal[0]}; fi
}

# Read a message: texts and numbers of its own go into `field`, the list of legal actions into `legal`.
# Cut at the quotes, it is gap, text, gap, text, …; the brackets in the gaps tell how deep a text is. Before that, escaped
# backslashes and quotes become bytes that JSON cannot contain, and `say` turns them back: we pass on what we do not change.
hear() {
  local line=$1 IFS='"' depth=0 key='' i j gap text parts
  field=() legal=()
  line=${line//\\\\/$'\1'}
  line=${line//\\\"/$'\2'}
  parts=($line)
  for ((i = 0; i < ${#parts[@]}; i += 2)); do
    gap=${parts[i]//[[:space:]]/} text=${parts[i + 1]-}
    if ((depth == 1)) && [[ $gap =~ ^:(-?[0-9]+) ]]; then field[$key]=${BASH_REMATCH[1]}; fi
    for ((j = 0; j < ${#gap}; j++)); do
      case ${gap:j:1} in
      '{' | '[') depth=$((depth + 1)) ;;
      '}' | ']') depth=$((depth - 1)) ;;
      esac
    done
    if ((i + 1 >= ${#parts[@]})); then break; fi
    case $depth,$gap in
    1,:) field[$key]=$text ;;
    1,*) key=$text ;;
    2,*) if [[ $key == legal ]]; then legal+=("$text"); fi ;;
    esac
  done
}

say() {
  local line=${1//$'\2'/\\\"}
  printf '%s\n' "${line//$'\1'/\\\\}"
}

hello() {
  local token=${REFEREE_TOKEN-}
  token=${token//\\/\\\\}
  token=${token//\"/\\\"}
  say '{"type":"hello","protocol":[1],"name":"bash","wants":["legal"],"capacity":64'"${token:+,\"token\":\"$token\"}}"
}

# For tests: what this bot reads of a message.
echo_fields() {
  local IFS=, quoted=("${legal[@]/#/\"}")
  local out="{\"type\":\"${field[type]}\"${field[match]+,\"match\":\"${field[match]}\"}${field[id]+,\"id\":${field[id]}}"
  if ((${#legal[@]})); then out+=",\"legal\":[${quoted[*]/%/\"}]"; fi
  say "$out}"
}

declare -A field=()
legal=()
if [[ $mode != echo ]]; then hello; fi
while IFS= read -r line; do
  hear "$line"
  if [[ $mode == echo ]]; then
    echo_fields
    continue
  fi
  case ${field[type]-} in
  start) say "{\"type\":\"ready\",\"match\":\"${field[match]}\"}" ;;
  ask)
    choose
    say "{\"type\":\"act\",\"match\":\"${field[match]}\",\"id\":${field[id]},\"action\":\"$action\"}"
    ;;
  ping) say "{\"type\":\"pong\",\"n\":${field[n]-0}}" ;;
  refuse) exit 2 ;;
  bye) exit 0 ;;
  esac
done
