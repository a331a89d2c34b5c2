# shellcheck shell=bash
# shellcheck disable=SC2154 # root is lib.sh's
# Which Go tests run how. Each runs once in a normal run:
#
#   race    packages that start goroutines or hold locks, with the race detector and in
#           short form (-short)
#   long    of those, the full size of what the short form cuts, without the detector:
#           every test that asks testing.Short() is named TestLong…
#   plain   the other packages, in full, without the detector
#   border  app/border, where the real program runs the real CLI; what happens there at
#           the same time is seen by the detector, the rest is not
#
# There is no list of packages to keep: what a package's own files say decides.
# It is sourced after lib.sh. Each function takes the command to run go test with.

# What app/border does at the same time: it runs with the race detector.
border_together='^Test(Engines|EightAtOnce|HundredQuestions|ManyRequestsAtOnce|TwoAnswersAtOnce|Killed|Terminated|Interrupt|CloseSession|PromptsDuringAText|Restart|Undo|Usage|Suspend|BackgroundTask|Shell|Subscriptions|Rules|StopHoldsWhatWaits)$'

# tested_packages race|plain|long: the packages with tests that run so, one a line.
tested_packages() {
  local all package dir kind
  all=$(cd "$root" && CGO_ENABLED=0 go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' ./...) || die "go list failed."
  while read -r package dir; do
    case $package in
    parley/app/border) continue ;;
    # The library that draws the icon races with itself when a panel asks twice at once.
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

# golangci-lint has vetted them.
go_race() {
  local packages
  packages=$(tested_packages race) || return 1
  # shellcheck disable=SC2086 # one word for each package
  CGO_ENABLED=1 "$@" -vet=off -race -short $packages
}

go_plain() {
  local packages
  packages=$(tested_packages plain) || return 1
  # shellcheck disable=SC2086
  CGO_ENABLED=0 "$@" -vet=off $packages
}

go_long() {
  local packages misnamed
  # shellcheck disable=SC2016 # awk's own
  misnamed=$(cd "$root" && git grep --untracked -lz 'testing[.]Short()' -- '*_test.go' |
    xargs -0 -r awk '/^func / { name = $2 } /testing[.]Short\(\)/ && name !~ /^TestLong/ { print FILENAME ": " name }')
  [ -z "$misnamed" ] || die "A test that asks testing.Short() must be named TestLong…, or its full size never runs:" "$misnamed"
  packages=$(tested_packages long) || return 1
  # shellcheck disable=SC2086
  CGO_ENABLED=0 "$@" -vet=off -run '^TestLong' $packages
}

# The version of the CLI with which all scenarios passed last. It is checked in: whoever
# raises the CLI runs them all once, and commits it.
border_passed=app/border/testdata/passed

# cli_pinned prints the version of the CLI that the front end's packages bring.
cli_pinned() { sed -n 's/.*"@anthropic-ai\/claude-code": "\([0-9][^"]*\)".*/\1/p' "$root/frontend/package.json"; }

# border_set prints the set that a normal run needs.
border_set() { if [ "$(cli_pinned)" = "$(cat "$root/$border_passed" 2>/dev/null)" ]; then echo protocol; else echo all; fi; }

# go_border protocol|all COMMAND...: the scenarios with the real CLI. With all, each runs
# with both engines, and those that happen at the same time also without the detector.
go_border() {
  local set=$1 code=0 skip=()
  shift
  say "The scenarios with the real CLI: $set"
  [ "$set" = all ] || skip=(-skip "$border_together")
  PARLEY_TEST_CLI=$set CGO_ENABLED=0 "$@" -vet=off "${skip[@]}" ./app/border || code=1
  PARLEY_TEST_CLI=$set CGO_ENABLED=1 "$@" -vet=off -race -run "$border_together" ./app/border || code=1
  if [ "$set" = all ] && [ "$code" -eq 0 ]; then cli_pinned >"$root/$border_passed"; fi
  return "$code"
}
