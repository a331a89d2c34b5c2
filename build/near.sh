# shellcheck shell=bash
# shellcheck disable=SC2154 # root is lib.sh's
# Implements `build/test near`: the checks affected by a change, for the inner loop. It
# is sourced by build/test, whose functions it uses.

# near REV: checks what changed since REV.
near() {
  local base
  base=$(git merge-base HEAD "$1")
  mapfile -t changed < <({
    git diff --name-only "$base"
    git ls-files --others --exclude-standard
  } | sort -u)
  if [ ${#changed[@]} -eq 0 ]; then
    say "Nothing changed since $base."
    exit 0
  fi
  lane near_go
  lane near_page
  wait_lanes || true
}

changed_in() { printf '%s\n' "${changed[@]}" | grep -E "$1" || true; }

near_go() {
  [ -n "$(changed_in '\.go$|^go\.|/testdata/')" ] || return 0
  mapfile -t near_packages < <(changed_packages)
  step "gofmt" format
  step "go build" near_build
  [ ${#near_packages[@]} -gt 0 ] || return 0
  step "short tests and lint" near_tests
}

near_build() { CGO_ENABLED=0 go build ./...; }

near_tests() {
  printf 'Packages with a change, and those that import them, but not app/border:\n'
  printf '  %s\n' "${near_packages[@]}"
  CGO_ENABLED=0 go test -vet=off -short "${near_packages[@]}"
  get_tool golangci-lint "$lint_version" github.com/golangci/golangci-lint/v2/cmd/golangci-lint
  CGO_ENABLED=0 "$tool" run "${near_packages[@]/#parley/.}"
}

# changed_packages: the packages with a changed file in their folder, or below it where
# there is no package (testdata), and the packages that import one of them.
changed_packages() {
  go list -f '{{.Dir}}{{"\t"}}{{.ImportPath}}{{"\t"}}{{join .Imports " "}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... |
    awk -F '\t' -v root="$root/" -v files="${changed[*]}" -v all="$(changed_in '^go\.(mod|sum)$')" '
      { dir[$1] = $2; imports[$2] = $3 }
      END {
        count = split(files, file, " ")
        for (i = 1; i <= count; i++) {
          path = root file[i]
          while (sub("/[^/]*$", "", path) && length(path) >= length(root) - 1) if (path in dir) { hit[dir[path]] = 1; break }
        }
        for (name in imports) {
          near = all != "" || name in hit
          used = split(imports[name], use, " ")
          for (i = 1; i <= used; i++) if (use[i] in hit) near = 1
          if (near && (name != "parley/app/border" || name in hit)) print name
        }
      }' | sort
}

near_page() {
  mapfile -t near_files < <(changed_in '^frontend/.*\.(tsx?|css)$|^app/testdata/')
  [ ${#near_files[@]} -gt 0 ] || return 0
  step "tsc" types
  step "frontend lint" frontend_lint
  step "frontend tests" near_frontend_tests
  step "scenes that changed" near_scenes
}

near_frontend_tests() { (cd frontend && npx --no-install vitest related --run --passWithNoTests "${near_files[@]/#/$root/}"); }

near_scenes() { node frontend/e2e/gallery.mjs --changed; }
