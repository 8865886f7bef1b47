#!/bin/sh
# Installs the control plane as the system service ucpd, or takes it away again.
#
#   install-service.sh [--config URL]   install, or update what is installed, and start it
#   install-service.sh --remove         stop it and remove programs and unit; configuration and state stay
#   install-service.sh --purge          the same, with configuration, state and group
#
# PREFIX (default /usr/local) is where programs go: $PREFIX/lib/ucp and $PREFIX/bin.
# Needs root, systemd and Node 22.15 or newer (the one that `npm ci` brought is used first).
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
prefix=${PREFIX:-/usr/local}
lib=$prefix/lib/ucp
unit=/etc/systemd/system/ucpd.service
programs='ucp-sandbox ucpd ucp-policy'

fail() {
  printf 'install-service: %s\n' "$1" >&2
  exit 1
}

say() {
  printf 'install-service: %s\n' "$1"
}

find_node() {
  for candidate in "$here/node_modules/node/bin/node" "$(command -v node || true)"; do
    [ -x "$candidate" ] || continue
    if "$candidate" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 15) ? 0 : 1)'; then
      printf '%s' "$candidate"
      return
    fi
  done
  fail 'no Node 22.15 or newer is here; run `npm ci` first'
}

install_programs() {
  [ -f "$here/dist/ucpd.mjs" ] || fail 'dist/ is not built; run `npm run build` first'
  node=$(find_node)
  next="$lib.next"
  rm -rf "$next"
  mkdir -p "$next"
  for part in bin dist profiles docs package.json LICENSE; do
    cp -R "$here/$part" "$next/"
  done
  # A copy: version managers move and remove theirs, and homes are closed to the service.
  cp "$node" "$next/node"
  chmod -R u=rwX,go=rX "$next"
  chmod 755 "$next/node"
  rm -rf "$lib"
  mv "$next" "$lib"
  mkdir -p "$prefix/bin"
  for program in $programs; do
    printf '#!/bin/sh\nexec %s/node %s/bin/%s.js "$@"\n' "$lib" "$lib" "$program" >"$prefix/bin/$program"
    chmod 755 "$prefix/bin/$program"
  done
  say "programs are in $lib, linked from $prefix/bin"
}

install_unit() {
  getent group ucp >/dev/null || groupadd --system ucp
  mkdir -p /etc/ucp
  chmod 755 /etc/ucp
  if [ -n "$1" ]; then
    # Its other lines, credentials among them, are the operator's.
    { grep -v '^UCP_CONFIG=' /etc/ucp/ucpd.env 2>/dev/null || true; printf 'UCP_CONFIG=%s\n' "$1"; } >/etc/ucp/ucpd.env.new
    chmod 600 /etc/ucp/ucpd.env.new
    mv /etc/ucp/ucpd.env.new /etc/ucp/ucpd.env
    say "configuration comes from $1 (/etc/ucp/ucpd.env)"
  fi
  sed "s|/usr/local/lib/ucp|$lib|g" "$here/profiles/systemd/ucpd.service" >"$unit"
  systemctl daemon-reload
  systemctl enable --quiet ucpd
  systemctl restart ucpd
  say 'ucpd runs: `systemctl status ucpd`, `ucpd status`, `ucpd logs`'
}

remove() {
  systemctl disable --quiet --now ucpd 2>/dev/null || true
  rm -f "$unit"
  systemctl daemon-reload
  systemctl reset-failed ucpd 2>/dev/null || true
  for program in $programs; do rm -f "$prefix/bin/$program"; done
  rm -rf "$lib" /run/ucp
  if [ "$1" = purge ]; then
    # Elsewhere only what is surely ours.
    state=$(sed -n 's/^UCP_STATE_DIR=//p' /etc/ucp/ucpd.env 2>/dev/null || true)
    if [ -n "$state" ] && [ -f "$state/owner" ]; then rm -rf "$state"; fi
    rm -rf /etc/ucp /var/lib/ucp /var/cache/ucp "$unit.d"
    if getent group ucp >/dev/null; then groupdel ucp; fi
    say 'programs, unit, configuration, state and group are removed'
  else
    say 'programs and unit are removed; /etc/ucp and /var/lib/ucp stay (--purge takes them too)'
  fi
}

[ "$(id -u)" = 0 ] || fail 'run it as root'
command -v systemctl >/dev/null || fail 'systemctl is not here; ucpd runs without systemd too: `ucpd run`'

case "${1:-}" in
  '')
    install_programs
    install_unit ''
    ;;
  --config)
    [ -n "${2:-}" ] || fail '--config takes a URL or a path'
    install_programs
    install_unit "$2"
    ;;
  --remove) remove keep ;;
  --purge) remove purge ;;
  *) fail "unknown argument $1; see the head of this file" ;;
esac
