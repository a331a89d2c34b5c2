# shellcheck shell=bash
# shellcheck disable=SC2154 # root is lib.sh's
# How build/test runs its steps: each alone or in a parallel lane, with its
# output in one piece, and its duration. It is sourced, never run.
#
# A step ends as ok, as FAILED, or as "again": all its failures may be retried
# (see second_try). Then it has listed them in the file $tries, a line each:
#
#   again<TAB>KIND NAME   to be retried with again_KIND NAME
#   never<TAB>WHY         a failure that is not bad luck

# The output of each step, its result, and its duration.
output=$(mktemp -d)
lanes=()
trap 'end_lanes; rm -rf "$output"' EXIT
trap 'exit 130' INT TERM

end_lanes() {
  local lane
  for lane in "${lanes[@]}"; do kill -TERM -- "-$lane" 2>/dev/null || true; done
}

# step NAME COMMAND...: runs one step, prints its output when it has ended, and notes
# the result. The steps after a failed one still run.
step() {
  local name=$1 file=$output/${1//\//-} state=ok code=0 took
  shift
  printf '    %s …\n' "$name"
  export tries=$file.tries
  # Not as part of a condition, in which set -e would not work.
  set +e
  timed "$file.took" "$@" >"$file" 2>&1 </dev/null
  code=$?
  set -e
  took=$(<"$file.took")
  if [ "$code" -ne 0 ]; then
    state=FAILED
    if [ -s "$tries" ] && ! grep -qv '^again' "$tries"; then
      state=again
      awk -v step="$name" '{ sub(/^again/, step); print }' "$tries" >>"$output/.again"
    fi
  fi
  note "$name" "$state" "$took"
  in_one_piece "=== $name" "$file" "--- $name: $state ($took)"
}

# in_one_piece FIRST FILE LAST: prints it without mixing in parallel output.
in_one_piece() {
  (
    flock 9
    printf '\n%s\n' "$1"
    cat "$2"
    printf '%s\n' "$3"
  ) 9>"$output/.lock"
}

# timed FILE COMMAND...: writes the elapsed seconds, and the processor time of the
# command and its children.
timed() (
  file=$1 began=$EPOCHREALTIME
  shift
  set +e
  (
    set -e
    "$@"
  )
  code=$?
  # Not through a pipe, whose end would be another process with separate times.
  times >"$file"
  took=$(LC_ALL=C awk -v began="${began/,/.}" -v ended="${EPOCHREALTIME/,/.}" '
    { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); cpu += t[1] * 60 + t[2] } }
    END { printf "%.1f s, %.1f s of CPU\n", ended - began, cpu }' "$file")
  echo "$took" >"$file"
  exit "$code"
)

# note NAME STATE TOOK: a row of the summary.
note() { printf '%s\t%s\t%s\n' "$2" "$1" "$3" >>"$output/.rows"; }

# restate NAME STATE: changes the result afterwards.
restate() {
  awk -F '\t' -v OFS='\t' -v name="$1" -v state="$2" '$2 == name { $1 = state } { print }' "$output/.rows" >"$output/.rows.new"
  mv "$output/.rows.new" "$output/.rows"
}

all_passed() { ! grep -qv '^ok' "$output/.rows"; }

# lane COMMAND: runs a function with steps in parallel to what follows, until wait_lanes.
lane() {
  # With a separate process group, for killing all of it.
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
# the summary, and its output in one piece. A failure may be retried, as COMMAND NAME,
# unless it exited with a code above 1.
pool() {
  local at_once=$1 command=$2
  shift 2
  # shellcheck disable=SC2163 # It is the function that is named.
  export -f pooled timed note in_one_piece "$command"
  export output
  # shellcheck disable=SC2016 # For the shell of each.
  printf '%s\0' "$@" | xargs -0 -n 1 -P "$at_once" bash -c 'pooled "$0" "$1"' "$command"
}

pooled() {
  local file=$output/pool.$2 code=0 state=ok took
  timed "$file.took" "$@" >"$file" 2>&1
  code=$?
  took=$(<"$file.took")
  case $code in
  0) ;;
  1) state=again && printf 'again\t%s %s\n' "$1" "$2" >>"$tries" ;;
  *) state=FAILED && printf 'never\t%s ended with code %s\n' "$2" "$code" >>"$tries" ;;
  esac
  note "  $2" "$state" "$took"
  in_one_piece "--- $2: $state ($took)" "$file" ""
  # 255 would end the others.
  [ "$code" -eq 0 ] || return 1
}

# The maximum number of retries: more failures are not bad luck.
second_tries=8
# The output of the first failures.
unsteady=$root/build/artefacts/unsteady

# second_try: at the end, retries each failure, alone, and at most twice. One that
# passes then is unsteady: the run passes, but the summary names it, and the output of its
# failure is kept in build/artefacts/unsteady.
second_try() {
  local step what state file count
  rm -rf "$unsteady"
  [ -e "$output/.again" ] || return 0
  count=$(wc -l <"$output/.again")
  if grep -q '^FAILED' "$output/.rows"; then
    say "Nothing is tried again: something failed that is no bad luck."
  elif [ "$count" -gt "$second_tries" ]; then
    say "Nothing is tried again: $count failures are more than $second_tries."
  else
    mkdir -p "$unsteady"
    while IFS=$'\t' read -r step what <&4; do
      file=$output/${step//\//-}
      [ ! -e "$output/pool.${what#* }" ] || file=$output/pool.${what#* }
      cp "$file" "$unsteady/${what//[^A-Za-z0-9_.-]/-}.txt"
      state=FAILED
      # shellcheck disable=SC2086 # the kind, and the words of the name
      if try again_$what || try again_$what; then state=unsteady; fi
      printf '%-8s  %s, of: %s\n' "$state" "$what" "$step" >>"$output/.tried"
      restate "  ${what#* }" "$state"
      [ $state = unsteady ] || printf '%s\n' "$step" >>"$output/.lost"
    done 4<"$output/.again"
    while read -r step; do
      if grep -qxF "$step" "$output/.lost" 2>/dev/null; then restate "$step" FAILED; else restate "$step" unsteady; fi
    done < <(cut -f 1 "$output/.again" | sort -u)
  fi
  # What was not retried has failed.
  sed -i 's/^again/FAILED/' "$output/.rows"
}

# try COMMAND...: runs it, and prints its output in one piece.
try() {
  local file=$output/.try code=0
  tries=$file.tries timed "$file.took" "$@" >"$file" 2>&1 </dev/null || code=$?
  in_one_piece "=== once more: $*" "$file" "--- once more: $* ended with code $code ($(<"$file.took"))"
  return "$code"
}

# summary: a row for each step, what passed with a warning or only after a retry,
# and, last, the failures again: in some places only the end of a long output is kept.
# Fails if a step did.
summary() {
  local name state took passed=0 failed=()
  printf '\n=== summary (%s s in all)\n' "$SECONDS"
  grep -hE '^warning: ' "$output"/* | sort -u || true
  while IFS=$'\t' read -r state name took; do
    printf '%-8s  %-28s %s\n' "$state" "$name" "$took"
    if [[ $name == ' '* ]]; then
      # Some end without output that says what failed, such as an error outside of a check.
      [ "$state" != FAILED ] || printf -- '--- the end of %s:\n%s\n' "${name#  }" "$(tail -n 12 "$output/pool.${name#  }")" >>"$output/.ends"
      continue
    fi
    if [ "$state" = FAILED ]; then failed+=("$name"); else passed=$((passed + 1)); fi
  done <"$output/.rows"
  for name in "${failed[@]}"; do
    printf '\n=== what failed in: %s\n' "$name"
    grep -nE -A 3 'FAIL|^not ok|panic:|DATA RACE|Unhandled|Error: |^ +[a-z_]+_test\.go:[0-9]+:' "$output/${name//\//-}" | head -n 60 || true
    printf '...\n'
    tail -n 15 "$output/${name//\//-}"
  done
  [ ! -e "$output/.ends" ] || cat "$output/.ends"
  if [ -e "$output/.tried" ]; then
    printf '\n=== tried again, alone (what they said at first is in build/artefacts/unsteady)\n'
    cat "$output/.tried"
  fi
  printf '%d passed, %d failed\n' "$passed" "${#failed[@]}"
  [ "${#failed[@]}" -eq 0 ]
}
