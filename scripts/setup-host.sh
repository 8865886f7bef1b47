#!/usr/bin/env bash
# Makes this machine ready to build and test: what is missing is installed, and a Docker engine is running.
#   scripts/setup-host.sh           does it (Debian or Ubuntu, as root or through sudo); says what it installs
#   scripts/setup-host.sh --check   changes nothing; exits 1 with the list of what is missing
set -euo pipefail

readonly LOG=/var/log/dockerd.log
readonly PATIENCE=60
missing=()  # what a reader is told
packages=() # what apt is told

say() { printf 'setup-host: %s\n' "$*" >&2; }
die() {
  say "$@"
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# need WHAT-FOR COMMAND PACKAGE…
need() {
  local purpose=$1 command=$2
  shift 2
  has "$command" && return
  missing+=("$command ($purpose)")
  packages+=("$@")
}

# need_file WHAT-FOR PATH PACKAGE
need_file() {
  [[ -e $2 ]] && return
  missing+=("$2 ($1)")
  packages+=("$3")
}

# The test images consist of it, so it must not need the host's libraries.
need_static_busybox() {
  local path
  if path=$(command -v busybox) && ! ldd "$path" >/dev/null 2>&1; then return; fi
  missing+=('a static busybox (test images)')
  packages+=(busybox-static)
}

# Part of clang's run time, which the compiler itself does without.
need_fuzzer() {
  compgen -G '/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a' >/dev/null && return
  missing+=('libFuzzer (tests of parsers)')
  packages+=(libclang-rt-dev)
}

engine_answers() { has docker && docker version >/dev/null 2>&1; }

# An engine elsewhere is its owner's to start.
engine_is_ours_to_start() {
  case ${DOCKER_HOST:-} in
  '' | unix:///var/run/docker.sock | unix:///run/docker.sock) true ;;
  *) false ;;
  esac
}

# Its socket is there and somebody listens, but this user is not let in.
engine_denies() {
  [[ -S /var/run/docker.sock && ! -w /var/run/docker.sock ]] && engine_is_ours_to_start
}

need_engine() {
  engine_answers && return
  missing+=('a Docker engine that answers')
  if ! has docker || { engine_is_ours_to_start && ! has dockerd; }; then packages+=(docker.io); fi
}

look() {
  missing=()
  packages=()
  need 'native programs' make make
  need 'native programs' musl-gcc musl-tools
  need 'native programs' cc gcc libc6-dev
  need 'native programs' pcre2-config libpcre2-dev
  need_file 'native programs' /usr/include/jansson.h libjansson-dev
  need 'native programs' clang clang
  need_fuzzer
  need_file 'native programs' /usr/include/bpf/bpf_core_read.h libbpf-dev
  need_file 'native programs' /usr/include/libelf.h libelf-dev
  need_file 'native programs' /usr/include/zlib.h zlib1g-dev
  need_file 'native programs' /usr/sbin/nft nftables
  need 'signatures, for tests' openssl openssl
  need 'encrypted secrets, for tests' age age
  need 'terminals, for tests' python3 python3
  need 'completion of commands, for tests' fish fish
  need 'completion of commands, for tests' zsh zsh
  need 'virtual environments, for tests' pip3 python3-pip python3-venv
  need 'the images with systemd and with Python, for tests' debootstrap debootstrap
  need 'the image with network clients, for tests' curl curl
  need 'the image with network clients, for tests' dig bind9-dnsutils
  need 'the image with network clients, for tests' nc.openbsd netcat-openbsd
  need 'the image with network clients, for tests' go golang-go
  need_file 'the image with network clients, for tests' /usr/bin/python3 python3
  need 'network namespaces, for tests' ip iproute2
  need 'network namespaces, for tests' nsenter util-linux
  need_static_busybox
  need_engine
}

# Runs a command as root: as we are, or through sudo (which may ask when there is a terminal).
as_root() {
  if [[ $(id -u) -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

can_be_root() {
  [[ $(id -u) -eq 0 ]] || { has sudo && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; }
}

install_packages() {
  ((${#packages[@]})) || return 0
  has apt-get || die "this is neither Debian nor Ubuntu; install what they call: ${packages[*]}"
  can_be_root || die "not root and no sudo; let root run: apt-get update && apt-get install -y ${packages[*]}"
  as_root apt-get update -qq
  # From Debian 13 the client is a package of its own.
  if [[ " ${packages[*]} " == *' docker.io '* ]] && apt-cache show docker-cli >/dev/null 2>&1; then
    packages+=(docker-cli)
  fi
  say "installing ${packages[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 "${packages[@]}" >&2
}

# What a killed engine leaves at run time keeps the next one from starting: its containerd waits for the old one's.
clear_dead_engine() {
  pidof dockerd containerd >/dev/null 2>&1 && return
  as_root rm -rf /var/run/docker/containerd /var/run/docker.pid
}

start_engine() {
  engine_answers && return
  engine_is_ours_to_start || die "the engine at DOCKER_HOST=$DOCKER_HOST does not answer; start it or unset DOCKER_HOST"
  if engine_denies && ! can_be_root; then
    die "this user may not use the Docker engine; let root run: usermod -aG docker $(id -un) (then log in again)"
  fi
  can_be_root || die 'the Docker engine is not running; let root start it'
  if [[ -d /run/systemd/system ]]; then
    say 'starting docker.service'
    as_root systemctl start docker
  else
    say "starting dockerd (log: $LOG)"
    clear_dead_engine
    # A session of its own and no descriptor of ours: it must outlive the caller and never hold its pipes.
    as_root setsid sh -c "exec dockerd >>$LOG 2>&1 </dev/null" >/dev/null 2>&1 </dev/null &
    disown
  fi
  local second
  for ((second = 0; second < PATIENCE * 5; second++)); do
    engine_answers && return
    if engine_denies; then
      die "the engine runs, but this user may not use it; let root run: usermod -aG docker $(id -un) (then log in again)"
    fi
    sleep 0.2
  done
  as_root tail -n 20 "$LOG" >&2 2>/dev/null || true
  die "the Docker engine does not answer after $PATIENCE s"
}

case ${1:-} in
'') ;;
--check)
  look
  ((${#missing[@]} == 0)) && exit
  for what in "${missing[@]}"; do say "missing: $what"; done
  exit 1
  ;;
*) die "expected nothing or --check, got $1" ;;
esac

look
((${#missing[@]} == 0)) && exit
install_packages
start_engine
look
((${#missing[@]} == 0)) || die "still missing: ${missing[*]}"
