# shellcheck shell=bash
# Shared by build/run, build/test and build/bench. It is sourced, never run.
# shellcheck disable=SC2034 # Its names are used by the scripts that source it.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=$root/build/bin
tags=desktop,production,webkit2_41
# Without the checkout's own path in them, Go's cached builds can be used by every checkout.
export GOFLAGS=${GOFLAGS:+$GOFLAGS }-trimpath

# What is downloaded if this machine's Go or Node is missing or too old, and where
# to: only Debian's packages are ever installed system-wide.
go_version=1.26.8
node_version=22.23.3
npm_version=11.19.1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/parley-build

# For compiling the window.
packages_window=(gcc libc6-dev pkg-config libgtk-3-dev libwebkit2gtk-4.1-dev)
# For the Go tests, and for checking the scripts.
packages_go=(bash bubblewrap dash dbus-daemon libglib2.0-bin shellcheck tmux)
# For driving the window and the browser page in tests.
packages_test=(at-spi2-core chromium dbus-x11 fonts-dejavu-core gir1.2-atspi-2.0 hunspell-en-us icewm openbox python3-gi webkit2gtk-driver wmctrl x11-utils xclip xdotool xvfb)

# say LINE...: on standard error, so that a role's first line on standard output
# stays the first.
say() { printf '%s\n' "$@" >&2; }

die() {
  say "$@"
  exit 1
}

# doing WHAT COMMAND...: prints what is being done and, afterwards, the seconds it took.
# The command's output is only shown if it fails.
doing() {
  local what=$1 begun=$SECONDS said
  shift
  printf '%s … ' "$what" >&2
  if said=$("$@" 2>&1 </dev/null); then
    say "$((SECONDS - begun)) s"
  else
    say "failed" "$said"
    return 1
  fi
}

# Keeps only the named part of the environment: tests must not reach an account,
# a proxy of the model or a running CLI of the user who starts them.
clean_environment() {
  local name
  while read -r name; do
    case $name in
    PATH | HOME | USER | LOGNAME | SHELL | LANG | LC_* | TERM | TMPDIR | TZ | CI) ;;
    GO* | CGO_ENABLED | CC | CXX | PKG_CONFIG_PATH) ;;
    npm_config_* | NPM_CONFIG_* | NODE_EXTRA_CA_CERTS | SSL_CERT_* | GIT_SSL_CAINFO | DEBIAN_FRONTEND) ;;
    http_proxy | https_proxy | no_proxy | all_proxy | HTTP_PROXY | HTTPS_PROXY | NO_PROXY | ALL_PROXY) ;;
    *) unset "$name" 2>/dev/null || true ;;
    esac
  done < <(compgen -e)
}

# at_least WANTED VERSION
at_least() { printf '%s\n' "$1" "$2" | sort -CV; }

# Whether the Go on PATH is new enough. It is run outside of the checkout:
# inside of it, some versions download another one to answer, and others fail.
go_suits() {
  local have
  have=$(cd / && GOTOOLCHAIN=local go env GOVERSION 2>/dev/null) &&
    at_least "$(sed -n 's/^go //p' "$root/go.mod")" "${have##*go}"
}

# The same for Node and npm. Debian's npm 9 fails while it installs the page's packages.
node_suits() {
  local have npm
  have=$(node --version 2>/dev/null) && npm=$(npm --version 2>/dev/null) || return
  case $have in
  v20.*) at_least v20.19 "$have" ;;
  *) at_least v22.12 "$have" ;;
  esac && at_least 10 "$npm"
}

# Downloaded tools are used from here on, or as soon as they exist.
if ! go_suits; then
  PATH=$cache/go-$go_version/bin:$PATH
  unset GOROOT
fi
if node_suits; then
  node_suits() { true; } # npm is slow to answer
else
  PATH=$cache/node-$node_version/node_modules/.bin:$PATH
fi

# need_packages PACKAGE...: installs the missing Debian packages, and with
# them those needed for downloads.
# shellcheck disable=SC2120 # It may be called for those alone.
need_packages() {
  local wanted=(ca-certificates "$@") missing=() package
  if ! command -v dpkg-query >/dev/null; then
    pkg-config --exists webkit2gtk-4.1 gtk+-3.0 2>/dev/null || lacking "GTK 3 or WebKitGTK 4.1, with its development files,"
    return 0
  fi
  command -v git >/dev/null || wanted+=(git)
  go_suits || command -v go >/dev/null || wanted+=(golang-go)
  node_suits || command -v npm >/dev/null || wanted+=(npm)
  for package in "${wanted[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600)
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "These packages are missing, and there is neither root nor sudo to install them:" \
      "  ${missing[*]}" "Have them installed with:" "  apt-get install --no-install-recommends ${missing[*]}"
    # It asks for a password before the line that waits.
    sudo -n true 2>/dev/null || sudo -v || die "Without sudo these packages cannot be installed:" "  ${missing[*]}"
    apt=(sudo "${apt[@]}")
  fi
  doing "Asking for the newest packages" "${apt[@]}" update || die "What apt said is above."
  doing "Installing packages: ${missing[*]}" "${apt[@]}" install -y --no-install-recommends "${missing[@]}" ||
    die "The packages could not be installed. What apt said is above."
}

# lacking WHAT: prints how to get it, and everything else that is needed, without apt.
lacking() {
  local how
  if command -v dnf; then
    how="sudo dnf install git gcc pkgconf-pkg-config gtk3-devel webkit2gtk4.1-devel golang nodejs npm"
  elif command -v pacman; then
    how="sudo pacman -S --needed git gcc pkgconf gtk3 webkit2gtk-4.1 go nodejs npm"
  elif command -v zypper; then
    how="sudo zypper install git gcc pkgconf gtk3-devel webkit2gtk3-devel go nodejs22 npm22"
  elif command -v apk; then
    how="sudo apk add git gcc musl-dev pkgconf gtk+3.0-dev webkit2gtk-4.1-dev go nodejs npm"
  else
    how="the packages of git, a C compiler, pkg-config, GTK 3, WebKitGTK 4.1, Go, Node and npm"
  fi >/dev/null
  die "$1 is missing; all that Parley is built with comes with: $how"
}

# fetched NAME COMMAND: whether $cache/NAME exists, or was created by the command, which
# gets a temporary folder. It is renamed when complete, and only one process creates it at a time.
fetched() {
  local place=$cache/$1 beside=$cache/$1.new
  mkdir -p "$cache" && (
    flock 9
    [ ! -d "$place" ] || exit 0
    rm -rf "$beside" && mkdir "$beside" && cd "$beside" && "$2" && mv -T "$made" "$place" && rm -rf "$beside"
  ) 9>"$cache/lock"
}

# The processor, as Go and Debian call it; empty if neither can be downloaded for it.
processor() {
  case $(dpkg --print-architecture 2>/dev/null) in
  amd64) printf 'amd64\n' ;;
  arm64) printf 'arm64\n' ;;
  esac
}

# Go's own client downloads it and verifies it against Go's checksums. A module has
# no executable files.
fetch_go() {
  local module
  module=golang.org/toolchain@v0.0.1-go$go_version.linux-$(processor)
  made=mod/$module
  GOWORK='' GO111MODULE=on GOTOOLCHAIN=local GOFLAGS=-modcacherw GOMODCACHE=$PWD/mod go mod download -json "$module" &&
    chmod +x "$made"/bin/* "$made"/pkg/tool/*/*
}

fetch_node() {
  local name
  name=$(processor)
  made=$PWD/node
  # Debian's npm only works with Debian's node.
  PATH=/usr/bin:$PATH npm install --prefix "$made" --no-audit --no-fund --no-package-lock --ignore-scripts --loglevel=error \
    "node-linux-${name/amd/x}@$node_version" "npm@$npm_version"
}

need_go() {
  go_suits && return
  [ -n "$(processor)" ] || lacking "Go $(sed -n 's/^go //p' "$root/go.mod") or newer (https://go.dev/dl/)"
  # shellcheck disable=SC2119
  need_packages
  doing "Fetching Go $go_version" fetched "go-$go_version" fetch_go || die "Go could not be fetched. What it said is above."
}

need_node() {
  node_suits && return
  [ -n "$(processor)" ] || lacking "Node 20.19, 22.12 or newer with npm 10 or newer (https://nodejs.org/)"
  # shellcheck disable=SC2119
  need_packages
  doing "Fetching Node $node_version" fetched "node-$node_version" fetch_node || die "Node could not be fetched. What npm said is above."
}

need_modules() {
  local stamp=$bin/go.sum.stamp
  cmp -s "$root/go.sum" "$stamp" && return
  doing "Fetching Go modules" go mod download -C "$root" || die "Go modules could not be fetched. What Go said is above."
  mkdir -p "$bin" && cp "$root/go.sum" "$stamp"
}

need_npm() {
  local lock=$root/frontend/package-lock.json stamp=$root/frontend/node_modules/.parley-lock
  cmp -s "$lock" "$stamp" && return
  doing "Installing the page's packages" npm --prefix "$root/frontend" ci --no-audit --no-fund --loglevel=error ||
    die "The page's packages could not be installed. What npm said is above."
  cp "$lock" "$stamp"
}

# get_tool NAME VERSION PACKAGE: sets $tool to a program, built once for each pair of its
# version and Go's.
get_tool() {
  tool=$cache/$1-$2-$(go env GOVERSION)
  [ -x "$tool" ] && return
  say "Building $1 $2"
  mkdir -p "$cache/new"
  GOFLAGS='' GOBIN=$cache/new go install "$3@$2"
  mv "$cache/new/$1" "$tool"
}

# The front end is rebuilt if one of its files was added, changed or removed.
frontend_state() {
  (cd "$root/frontend" && find src public index.html workshop.html package-lock.json tsconfig.json vite.config.ts compile-props.ts compile-parts.ts frame.ts squeeze.ts \
    -type f -printf '%p %s %T@\n' 2>/dev/null | sort | cksum)
}

build_frontend() {
  local stamp=$bin/frontend.stamp state
  state=$(frontend_state)
  if [ -f "$root/frontend/dist/index.html" ] && [ "$state" = "$(cat "$stamp" 2>/dev/null)" ]; then
    return
  fi
  rm -f "$stamp"
  doing "Building the page" npm --prefix "$root/frontend" run --silent build || die "The page could not be built. What was said is above."
  mkdir -p "$bin" && printf '%s\n' "$state" >"$stamp"
}

# The small program that each session's CLI spawns, which is built into the others and placed
# beside them. It contains no commit: otherwise it would change with each commit,
# and the others with it.
build_relay() {
  local flags=(-C "$root" -buildvcs=false -ldflags='-s -w' -o build/relay/parley-mcp ./backend/toolserver/relay/parley-mcp)
  CGO_ENABLED=0 go build "${flags[@]}" || die "The relay could not be built. What was said is above."
  mkdir -p "$bin"
  cmp -s "$root/build/relay/parley-mcp" "$bin/parley-mcp" || install -m 755 -T "$root/build/relay/parley-mcp" "$bin/parley-mcp"
}

# build_program NAME FLAG...: Go's own cache decides what is stale.
build_program() {
  local name=$1
  shift
  build_relay
  local flags=(-C "$root" "$@" -ldflags='-s -w' -o "$bin/$name")
  case $(go build "${flags[@]}" -n . 2>&1) in
  "touch "*) ;;
  *) doing "Building build/bin/$name" go build "${flags[@]}" . || die "Parley could not be built. What was said is above." ;;
  esac
}

# build_binary NAME TAGS: the window.
build_binary() { CGO_ENABLED=1 build_program "$1" -tags "$2"; }

# The same program without the window, which needs no C compiler.
build_server() { CGO_ENABLED=0 build_program parley-server; }
