# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # root and cache are lib.sh's; what, place and home are shared with the script.
# A bare Debian 12 in a separate root, made by debootstrap. It is sourced, after lib.sh, by
# the scripts that test something there; each sets $what it tests and $place, where. Mounts
# and processes are in namespaces that end with the script, however it ends.

pristine=$cache/bookworm.tar # the output of debootstrap, for reuse
settings=$place/run/fresh    # what this machine needs to reach registries, in memory
home=$place/home/ann

skip() {
  printf 'skipped: %s cannot be tried here: %s\n' "$what" "$1"
  exit 0
}

# in_namespaces ARGUMENT...: runs this script in new namespaces, and ends with it.
in_namespaces() {
  command -v dpkg-query >/dev/null || skip "this machine is no Debian"
  [ "$(id -u)" -eq 0 ] || skip "that needs root"
  unshare --mount --pid --fork mount -t tmpfs none /mnt 2>/dev/null || skip "this machine allows no namespaces or no mounts"
  need_packages debootstrap
  mkdir -p "$cache"
  [ "$(df --output=avail -k "$cache" | tail -n 1)" -gt $((8 << 20)) ] || skip "$cache has less than 8 GB of room"
  exec 8>"$place.lock"
  flock -n 8 || skip "it is being tried already"
  setpriv --pdeathsig KILL unshare --mount --propagation private --pid --fork --kill-child --mount-proc "$0" "$@" inside &
  trap 'kill -9 $!' INT TERM
  local code=0
  wait $! || code=$?
  rm -rf --one-file-system "$place"
  exit "$code"
}

# make_pristine: from this machine's package mirror, rebuilt each month.
make_pristine() {
  local mirror proxy='' packages=sudo
  # shellcheck disable=SC2016 # apt's own names
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Codename: bookworm' | sort -u | head -n 1)
  [[ $mirror != https:* ]] || packages+=,ca-certificates
  eval "$(apt-config shell proxy Acquire::http::Proxy)"
  doing "Making a Debian 12" env ${proxy:+http_proxy="$proxy"} \
    debootstrap --variant=minbase --include="$packages" bookworm "$place" ${mirror:+"$mirror"} || die "What debootstrap said is above."
  rm -rf "$place"/var/cache/apt/archives/*.deb
  tar -C "$place" -cf "$pristine.new" . && mv "$pristine.new" "$pristine"
}

# settings_of_machine: its settings for reaching registries, as NAME=VALUE for the user inside.
settings_of_machine() {
  # shellcheck disable=SC2034 # It is used by its name.
  local name value file npm_config_cafile
  for name in GOPROXY GOSUMDB GOPRIVATE GONOPROXY GONOSUMDB GOINSECURE GOFLAGS; do
    value=$(cd / && go env "$name" 2>/dev/null) && [ -n "$value" ] && printf '%s=%s\0' "$name" "$value"
  done
  for name in "${!npm_config_@}" "${!NPM_CONFIG_@}" {http,https,no,all}_proxy {HTTP,HTTPS,NO,ALL}_PROXY; do
    [ -z "${!name:-}" ] || printf '%s=%s\0' "$name" "${!name}"
  done
  file=$(cd / && npm config get userconfig 2>/dev/null) && [ -f "$file" ] &&
    install -o 1000 -m 600 "$file" "$settings/npmrc" && printf 'npm_config_userconfig=/run/fresh/npmrc\0'
  # shellcheck disable=SC2034
  npm_config_cafile=$(cd / && npm config get cafile 2>/dev/null)
  for name in SSL_CERT_FILE NODE_EXTRA_CA_CERTS GIT_SSL_CAINFO npm_config_cafile; do
    [ -f "${!name:-}" ] && install -m 644 "${!name}" "$settings/$name" && printf '%s=/run/fresh/%s\0' "$name" "$name"
  done
  return 0
}

# make_debian: with a user, ann, who may use sudo, and this machine's settings for apt.
make_debian() {
  local sources
  rm -rf --one-file-system "$place"
  mkdir -p "$place"
  if [ -z "$(find "$pristine" -mtime -30 2>/dev/null)" ]; then
    make_pristine
  else
    tar -C "$place" -xf "$pristine"
  fi
  # Nothing in it has to survive a power failure.
  printf 'force-unsafe-io\n' >"$place/etc/dpkg/dpkg.cfg.d/unsafe"
  mount --bind "$place" "$place"
  mount -t proc proc "$place/proc"
  mount -t devpts -o newinstance,ptmxmode=666 devpts "$place/dev/pts"
  mount -t tmpfs -o mode=1777 shm "$place/dev/shm"
  mount --rbind -o ro /sys "$place/sys"
  mkdir -p "$settings"
  mount -t tmpfs -o mode=755 fresh "$settings"
  cp -L /etc/resolv.conf /etc/hosts "$place/etc/"
  # With the security updates, as on any Debian.
  # shellcheck disable=SC2016 # apt's own names
  sources=$(apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' | grep ' bookworm' | sort -u) || true
  [ -z "$sources" ] || printf '%s\n' "$sources" >"$place/etc/apt/sources.list"
  apt-config dump | grep -E '^Acquire::(http|https|Retries|Check)' >"$place/etc/apt/apt.conf.d/99machine" || true
  mkdir -p "$place/usr/local/share/ca-certificates"
  cp -a /usr/local/share/ca-certificates/. "$place/usr/local/share/ca-certificates/" 2>/dev/null || true
  chroot "$place" useradd --create-home --uid 1000 --shell /bin/bash ann
  printf 'ann ALL=(ALL) NOPASSWD: ALL\n' >"$place/etc/sudoers.d/ann"
}

# as_ann FOLDER COMMAND...: inside, with $passed in the environment. It is the root of
# all mounts there: in one made by chroot, users cannot create namespaces.
as_ann() {
  # shellcheck disable=SC2016 # the inner shells'
  unshare --mount --propagation private bash -c '
    cd "$0" && mkdir -p mnt/outside && pivot_root . mnt/outside && cd / && umount -l /mnt/outside &&
      exec setpriv --reuid=1000 --regid=1000 --init-groups env -i "$@"' \
    "$place" HOME=/home/ann USER=ann LANG=C.UTF-8 TERM=dumb \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${passed[@]}" \
    bash -c 'cd "$0" && exec "$@"' "$@"
}

# within SECONDS WHAT COMMAND...: retries until the command succeeds, while $parley runs.
within() {
  local until=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ -z "${parley:-}" ] || kill -0 "$parley" 2>/dev/null || die "Parley ended before $what."
    [ "$SECONDS" -lt "$until" ] || die "$what: not in time."
    sleep 0.2
  done
}

# nothing_runs: none of ann's processes may be left.
nothing_runs() {
  local left
  left=$(find /proc -maxdepth 1 -name '[0-9]*' -user 1000 -exec sh -c 'tr "\0" " " <"$1/cmdline"' - {} \;)
  [ -z "$left" ] || die "Processes are left: $left"
}
