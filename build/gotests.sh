# shellcheck shell=bash
# shellcheck disable=SC2154 # root is lib.sh's
# Which Go tests run how. Each runs once in a normal run:
#
#   race    packages that start goroutines or hold locks, with the race detector and in
#           short form (-short)
#   long    of those, the full size of what the short form cuts, without the detector:
#           every test that calls testing.Short() is named TestLong…
#   plain   the other packages, in full, without the detector
#   border  app/border, where the real program runs the real CLI; the concurrent tests
#           run with the detector, the rest without
#
# There is no list of packages to maintain: a package's own files decide.
# It is sourced after lib.sh. All tests are compiled before the first runs.

testrun=$bin/testrun
tests=$bin/tests

# The concurrent tests of app/border: they run with the race detector.
border_together='^Test(Engines|EightAtOnce|HundredQuestions|ManyRequestsAtOnce|TwoAnswersAtOnce|Killed|Terminated|Interrupt|CloseSession|PromptsDuringAText|Restart|Undo|Usage|Suspend|BackgroundTask|Shell|Subscriptions|Rules|StopHoldsWhatWaits)$'

# tested_packages race|plain|long: the packages with tests of this kind, one a line.
tested_packages() {
  local all package dir kind
  all=$(cd "$root" && CGO_ENABLED=0 go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' ./...) || die "go list failed."
  while read -r package dir; do
    case $package in
    parley/app/border) continue ;;
    # The library that draws the icon has a race when a panel asks twice at once.
    parley/app/tray) kind=plain ;;
    *)
      kind=plain
      if grep -qE '(^|[[:space:]])go (func\b|[A-Za-z_.]+\()|\.Go\(|"(sync|sync/atomic|testing/synctest)"$' "$dir"/*.go; then kind=race; fi
      ;;
    esac
    case $1/$kind in
    race/race | plain/plain) echo "$package" ;;
    long/race) if grep -qs 'testing[.]Short()' "$dir"/*_test.go; then echo "$package"; fi ;;
    esac
  done <<<"$all"
}

build_testrun() { CGO_ENABLED=0 go build -C "$root" -o "$testrun" ./build/testrun; }

# compile_tests SET...: to $tests, each set to a separate folder.
compile_tests() {
  local set packages misnamed
  build_testrun
  # shellcheck disable=SC2016 # awk's own
  misnamed=$(cd "$root" && git grep --untracked -lz 'testing[.]Short()' -- '*_test.go' |
    xargs -0 -r awk '/^func / { name = $2 } /testing[.]Short\(\)/ && name !~ /^TestLong/ { print FILENAME ": " name }')
  [ -z "$misnamed" ] || die "A test that asks testing.Short() must be named TestLong…, or its full size never runs:" "$misnamed"
  for set; do
    case $set in
    # The long ones run without the detector, too.
    plain) packages=$(tested_packages plain && tested_packages long) ;;
    race) packages=$(tested_packages race) ;;
    *) packages=parley/app/border ;;
    esac || return
    # shellcheck disable=SC2086 # one word for each package
    case $set in
    race | cli-race) CGO_ENABLED=1 "$testrun" compile "$tests/$set" -race -- $packages ;;
    *) CGO_ENABLED=0 "$testrun" compile "$tests/$set" -- $packages ;;
    esac || return
  done
}

# go_run SET [FLAG...] -- PACKAGE...: runs the compiled tests. Failures are listed in $tries.
go_run() {
  local set=$1 code=0 list
  local flags=()
  shift
  case $set in
  race) flags=(-test.short) ;;
  long) flags=(-test.run=^TestLong) ;;
  cli)
    flags=(-test.parallel=4)
    [ "$PARLEY_TEST_CLI" = all ] || flags+=(-test.skip "$border_together")
    ;;
  cli-race) flags=(-test.parallel=4 -test.run "$border_together") ;;
  esac
  local -x CGO_ENABLED=0 GORACE=${GORACE:-}
  # A program with the detector sleeps for a second at its end, for remaining goroutines:
  # the tests make sure that there are none.
  [[ $set != *race ]] || CGO_ENABLED=1 GORACE="atexit_sleep_ms=10 $GORACE"
  list=$(mktemp -p "$output")
  # Screenshots go there.
  mkdir -p "$root/build/artefacts"
  # Two at once: most wait more than they work.
  PARLEY_ARTEFACTS=$root/build/artefacts "$testrun" run -jobs 2 -failures "$list" "$tests/${set/long/plain}" "${flags[@]}" "$@" || code=$?
  awk -v set="$set" '{ sub(/^again\t/, "again\tgo " set " "); print }' "$list" >>"$tries"
  return "$code"
}

# again_go SET PACKAGE TEST
again_go() { go_run "$1" "-test.run=^$3\$" -- "$2"; }

go_all() {
  local packages
  packages=$(tested_packages "$1") || return
  # shellcheck disable=SC2086 # one word for each package
  go_run "$1" -- $packages
}

# The version of the CLI with which all scenarios last passed. It is checked in: a change that
# raises the CLI's version runs them all once, and commits it.
border_passed=app/border/testdata/passed

# cli_pinned prints the version of the CLI in the front end's packages.
cli_pinned() { sed -n 's/.*"@anthropic-ai\/claude-code": "\([0-9][^"]*\)".*/\1/p' "$root/frontend/package.json"; }

# border_set prints the set that a normal run needs.
border_set() { if [ "$(cli_pinned)" = "$(cat "$root/$border_passed" 2>/dev/null)" ]; then echo protocol; else echo all; fi; }

# go_border: the scenarios with the real CLI, of $PARLEY_TEST_CLI: protocol or all. With all,
# each runs with both engines, and the concurrent ones also without the detector.
go_border() {
  local code=0
  say "The scenarios with the real CLI: $PARLEY_TEST_CLI"
  go_run cli -- parley/app/border || code=1
  go_run cli-race -- parley/app/border || code=1
  if [ "$PARLEY_TEST_CLI" = all ] && [ "$code" -eq 0 ]; then cli_pinned >"$root/$border_passed"; fi
  return "$code"
}
