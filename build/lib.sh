# shellcheck shell=bash
# What build/run, build/test and build/bench share. It is sourced, never run.
# shellcheck disable=SC2034 # Its names are used by the scripts that source it.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=$root/build/bin
tags=desktop,production,webkit2_41

# To compile the window.
packages_window=(gcc libc6-dev pkg-config libgtk-3-dev libwebkit2gtk-4.1-dev)
# What the Go tests drive.
packages_go=(tmux)
# To drive the window and the browser page in tests.
packages_test=(chromium dbus-x11 fonts-dejavu-core openbox webkit2gtk-driver wmctrl xdotool xvfb)

# say LINE...: on standard error, so that a role's first line on standard output
# stays the first.
say() { printf '%s\n' "$@" >&2; }

die() {
  say "$@"
  exit 1
}

# Leaves only the named part of the environment: tests must not reach an account,
# a proxy of the model or a running CLI of the person who starts them.
clean_environment() {
  local name
  while read -r name; do
    case $name in
    PATH | HOME | USER | LOGNAME | SHELL | LANG | LC_* | TERM | TMPDIR | TZ | CI) ;;
    GO* | CGO_ENABLED | CC | CXX | PKG_CONFIG_PATH) ;;
    npm_config_* | NPM_CONFIG_* | NODE_EXTRA_CA_CERTS | SSL_CERT_* | DEBIAN_FRONTEND) ;;
    http_proxy | https_proxy | no_proxy | HTTP_PROXY | HTTPS_PROXY | NO_PROXY) ;;
    *) unset "$name" 2>/dev/null || true ;;
    esac
  done < <(compgen -e)
}

# need_packages PACKAGE...: installs the Debian packages that are missing.
need_packages() {
  local missing=() package
  if ! command -v dpkg-query >/dev/null; then
    need_libraries
    return
  fi
  for package; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "These packages are missing, and there is neither root nor sudo to install them:" \
      "${missing[*]}" "Have them installed with: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "Installing packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# Where there is no apt, says what has to be there.
need_libraries() {
  if ! pkg-config --exists webkit2gtk-4.1 gtk+-3.0 2>/dev/null; then
    die "The development files of GTK 3 and WebKitGTK 4.1, a C compiler and pkg-config are needed." \
      "On Debian they are: ${packages_window[*]}"
  fi
}

need_go() {
  local version
  version=$(cd "$root" && go env GOVERSION 2>/dev/null) ||
    die "Go 1.26 or newer is needed: https://go.dev/dl/ (Debian's golang package is too old)."
  local minor=${version#go1.}
  minor=${minor%%[!0-9]*}
  [ "${minor:-0}" -ge 26 ] || die "Go 1.26 or newer is needed, this is $version: https://go.dev/dl/"
}

need_node() {
  local version
  version=$(node --version 2>/dev/null) || die "Node 20.19 or newer with npm is needed: https://nodejs.org/"
  IFS=. read -r major minor _ <<<"${version#v}"
  { [ "$major" -gt 20 ] || { [ "$major" -eq 20 ] && [ "$minor" -ge 19 ]; }; } ||
    die "Node 20.19 or newer is needed, this is $version: https://nodejs.org/"
  command -v npm >/dev/null || die "npm is needed; it comes with Node: https://nodejs.org/"
}

need_modules() {
  local stamp=$bin/go.sum.stamp
  cmp -s "$root/go.sum" "$stamp" && return
  say "Fetching Go modules"
  (cd "$root" && go mod download)
  mkdir -p "$bin" && cp "$root/go.sum" "$stamp"
}

need_npm() {
  local lock=$root/frontend/package-lock.json stamp=$root/frontend/node_modules/.parley-lock
  cmp -s "$lock" "$stamp" && return
  say "Installing the front end's packages"
  (cd "$root/frontend" && npm ci --no-audit --no-fund --loglevel=error >&2)
  cp "$lock" "$stamp"
}

# The front end is built again when a file of it was added, changed or removed.
frontend_state() {
  (cd "$root/frontend" && find src public index.html workshop.html package-lock.json tsconfig.json vite.config.ts compile-props.ts \
    -type f -printf '%p %s %T@\n' 2>/dev/null | sort | cksum)
}

build_frontend() {
  local stamp=$bin/frontend.stamp state
  state=$(frontend_state)
  if [ -f "$root/frontend/dist/index.html" ] && [ "$state" = "$(cat "$stamp" 2>/dev/null)" ]; then
    return
  fi
  (cd "$root/frontend" && npm run --silent build >&2)
  mkdir -p "$bin" && printf '%s\n' "$state" >"$stamp"
}

# build_binary NAME TAGS: the window, with Go's own cache deciding what is stale.
build_binary() { (cd "$root" && CGO_ENABLED=1 go build -tags "$2" -ldflags='-s -w' -o "$bin/$1" .); }

# The same program without the window, which needs no C compiler.
build_server() { (cd "$root" && CGO_ENABLED=0 go build -ldflags='-s -w' -o "$bin/parley-server" .); }
