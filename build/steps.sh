# shellcheck shell=bash
# How build/test runs its steps: each on its own or in a lane beside others, with its
# output in one piece, and what it took. It is sourced, never run.

# What each step says, how it ended, and what it took.
output=$(mktemp -d)
lanes=()
trap 'end_lanes; rm -rf "$output"' EXIT
trap 'exit 130' INT TERM

end_lanes() {
  local lane
  for lane in "${lanes[@]}"; do kill -TERM -- "-$lane" 2>/dev/null || true; done
}

# step NAME COMMAND...: runs one step, prints what it said when it has ended, and notes
# how. The steps after a failed one run all the same.
step() {
  local name=$1 file=$output/${1//\//-} code=0 took
  shift
  printf '    %s …\n' "$name"
  # Not as part of a condition, in which set -e would not work.
  set +e
  timed "$file.took" "$@" >"$file" 2>&1 </dev/null
  code=$?
  set -e
  took=$(<"$file.took")
  note "$name" "$code" "$took"
  (
    # One piece, whatever runs beside it.
    flock 9
    printf '\n=== %s\n' "$name"
    cat "$file"
    printf -- '--- %s: %s (%s)\n' "$name" "$(word "$code")" "$took"
  ) 9>"$output/.lock"
}

# timed FILE COMMAND...: writes the seconds by the clock, and of processor time of the
# command and of all it waited for.
timed() (
  file=$1 began=$EPOCHREALTIME
  shift
  set +e
  (
    set -e
    "$@"
  )
  code=$?
  # Not through a pipe, whose end would be another process with times of its own.
  times >"$file"
  took=$(LC_ALL=C awk -v began="${began/,/.}" -v ended="${EPOCHREALTIME/,/.}" '
    { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); cpu += t[1] * 60 + t[2] } }
    END { printf "%.1f s, %.1f s of CPU\n", ended - began, cpu }' "$file")
  echo "$took" >"$file"
  exit "$code"
)

# note NAME CODE TOOK: a row of the summary.
note() { printf '%s\t%s\t%s\n' "$2" "$1" "$3" >>"$output/.rows"; }

all_passed() { ! grep -qv '^0' "$output/.rows"; }

word() { [ "$1" -eq 0 ] && echo ok || echo FAILED; }

# lane COMMAND: runs a function with steps beside what comes next, until wait_lanes.
lane() {
  # With a process group of its own, by which all of it can be ended.
  set -m
  (
    trap - EXIT INT TERM
    "$@"
  ) &
  lanes+=($!)
  set +m
}

wait_lanes() {
  local lane code=0
  for lane in "${lanes[@]}"; do wait "$lane" || code=1; done
  lanes=()
  return "$code"
}

# pool N COMMAND NAME...: runs COMMAND NAME for each name, N at a time. Each has a row in
# the summary, and its output in one piece.
pool() {
  local at_once=$1 command=$2
  shift 2
  # shellcheck disable=SC2163 # It is the function that is named.
  export -f pooled timed note word "$command"
  export output
  # shellcheck disable=SC2016 # For the shell of each.
  printf '%s\0' "$@" | xargs -0 -n 1 -P "$at_once" bash -c 'pooled "$0" "$1"' "$command"
}

pooled() {
  local file=$output/pool.$2 code=0 took
  timed "$file.took" "$@" >"$file" 2>&1
  code=$?
  took=$(<"$file.took")
  note "  $2" "$code" "$took"
  (
    flock 9
    printf -- '--- %s: %s (%s)\n' "$2" "$(word "$code")" "$took"
    cat "$file"
  ) 9>"$output/.pool"
  # 255 would end the others.
  [ "$code" -eq 0 ] || return 1
}

# summary: a row for each step, what passed with a warning, and, last, what failed once
# more: in some places only the end of a long output is kept. Fails when a step did.
summary() {
  local code name took passed=0 failed=()
  printf '\n=== summary (%s s in all)\n' "$SECONDS"
  grep -hE '^warning: ' "$output"/* | sort -u || true
  while IFS=$'\t' read -r code name took; do
    printf '%-6s  %-28s %s\n' "$(word "$code")" "$name" "$took"
    if [[ $name == ' '* ]]; then
      # Some end without a word that says what failed, such as an error outside of a check.
      [ "$code" -eq 0 ] || printf -- '--- the end of %s:\n%s\n' "${name#  }" "$(tail -n 12 "$output/pool.${name#  }")" >>"$output/.ends"
      continue
    fi
    if [ "$code" -eq 0 ]; then passed=$((passed + 1)); else failed+=("$name"); fi
  done <"$output/.rows"
  for name in "${failed[@]}"; do
    printf '\n=== what failed in: %s\n' "$name"
    grep -nE -A 3 'FAIL|^not ok|panic:|DATA RACE|Unhandled|Error: |^ +[a-z_]+_test\.go:[0-9]+:' "$output/${name//\//-}" | head -n 60 || true
    printf '...\n'
    tail -n 15 "$output/${name//\//-}"
  done
  [ ! -e "$output/.ends" ] || cat "$output/.ends"
  printf '%d passed, %d failed\n' "$passed" "${#failed[@]}"
  [ "${#failed[@]}" -eq 0 ]
}
