# shellcheck shell=bash
# A run of fake steps, as build/test does it: steps.sh ROOT STEPS CASE.
set -euo pipefail
root=$1
say() { printf '%s\n' "$@" >&2; }
# shellcheck source=build/steps.sh
source "$2"

calls=$root/calls
: >"$calls"
# times_called: how often this was called.
times_called() {
  echo x >>"$calls"
  wc -l <"$calls"
}
name_failure() { printf 'again\tcase x %s\n' "$1" >>"$tries"; }

case $3 in
passes) work() { true; } ;;
every-second-time)
  work() { [ "$(times_called)" -gt 1 ] || { name_failure y && return 1; }; }
  again_case() { work; }
  ;;
every-third-time)
  work() { [ "$(times_called)" -gt 2 ] || { name_failure y && return 1; }; }
  again_case() { work; }
  ;;
always)
  work() { times_called >/dev/null && name_failure y && return 1; }
  again_case() { work; }
  ;;
no-bad-luck)
  work() { times_called >/dev/null && name_failure y && printf 'never\tp a panic\n' >>"$tries" && return 1; }
  again_case() { times_called >/dev/null; }
  ;;
nine)
  work() {
    times_called >/dev/null
    local i
    for i in 1 2 3 4 5 6 7 8 9; do name_failure $i; done
    return 1
  }
  again_case() { times_called >/dev/null; }
  ;;
another-step)
  work() { times_called >/dev/null && name_failure y && return 1; }
  again_case() { times_called >/dev/null; }
  step "compiling" false
  ;;
suites | suite-hangs)
  export calls hangs=$3
  suite() {
    case $1 in
    b) [ "$(times_called)" -gt 1 ] ;;
    c) [ "$hangs" != suite-hangs ] || return 124 ;;
    esac
  }
  export -f times_called
  again_suite() { suite "$1"; }
  work() { pool 2 suite a b c; }
  ;;
esac

step "some work" work
second_try
summary
