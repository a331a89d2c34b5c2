# shellcheck shell=bash
# shellcheck disable=SC2154 # root, output and suites are the others'
# Implements `build/test steady`: one test many times, to see whether it fails occasionally. It
# is sourced by build/test, whose functions it uses.

# steady NAME N: a suite, a file of the page's tests, or a Go test, as TestX or PACKAGE.TestX.
steady() {
  local name=$1 count=$2 failed=0 i code busy=()
  local one
  resolve "$name"
  say "${one[*]}: $count times, every second time beside two busy processes"
  for ((i = 1; i <= count; i++)); do
    busy=()
    if ((i % 2 == 0)); then
      for _ in 1 2; do
        sh -c 'while :; do :; done' &
        busy+=($!)
      done
    fi
    code=0
    try "${one[@]}" >"$output/.said" || code=$?
    [ ${#busy[@]} -eq 0 ] || kill "${busy[@]}"
    if [ "$code" -eq 0 ]; then
      printf 'ok      %s\n' "$i"
    else
      failed=$((failed + 1))
      cat "$output/.said"
      printf 'FAILED  %s\n' "$i"
    fi
  done
  printf '%d passed, %d failed\n' $((count - failed)) "$failed"
  [ "$failed" -eq 0 ]
}

# resolve NAME: sets $one to the command that runs it, and builds what that needs.
resolve() {
  local name=$1 test package set
  local files
  if [[ " ${suites[*]} " == *" $name "* ]]; then
    build_testrun
    test_build
    one=(again_suite "$name")
    return
  fi
  if [[ $name == *.test.ts || $name == *.test.tsx ]]; then
    one=(again_page "$name")
    return
  fi
  test=${name##*.}
  files=$(cd "$root" && git grep --untracked -lE "^func $test\(" -- '*_test.go')
  if [[ $name == *.* ]]; then
    package=${name%.*}
    files=$(grep -E "(^|/)${package#parley/}/[^/]*$" <<<"$files")
  fi
  mapfile -t files < <(printf '%s' "$files")
  [ ${#files[@]} -gt 0 ] || die "There is no suite, no file of the page's tests and no Go test of the name $name."
  [ ${#files[@]} -eq 1 ] || die "Which one? Write PACKAGE.$test:" "${files[@]}"
  package=parley/$(dirname "${files[0]}")
  for set in plain race cli-race cli; do
    case $set in
    cli-race) [[ $package == parley/app/border && $test =~ $border_together ]] && break ;;
    cli) [ "$package" = parley/app/border ] && break ;;
    *) tested_packages "$set" | grep -qxF "$package" && break ;;
    esac
  done
  compile_tests "$set"
  one=(again_go "$set" "$package" "$test")
}
