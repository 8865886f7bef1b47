#!/usr/bin/env bash
# Makes the virtual environments in which the Python sensor is checked and tested, under .cache/python/.
#   scripts/setup-python.sh          tools, and the libraries of the normal run
#   scripts/setup-python.sh --full   also the older versions and CrewAI (about 1 GiB), and Debian's Python 3.14 where the
#                                    machine has none (debootstrap, as root)
# Sets are sensors/python/requirements/NAME.txt, locked from NAME.in:
#   uv pip compile --no-header --no-annotate --python-version 3.11 NAME.in -o NAME.txt
# A set whose file hasn't changed is left as it is. UCP_PYTHON names the interpreter; the default is python3.11, or else
# the host's python3.
set -euo pipefail

cd "$(dirname "$0")/.."
readonly SETS=sensors/python/requirements
readonly CACHE=.cache/python
PYTHON=${UCP_PYTHON:-$(command -v python3.11 || command -v python3 || echo python3)}
readonly PYTHON

interpreter() { # the real one: a shim would be resolved anew, differently, elsewhere
  "$PYTHON" -c 'import sys; print(sys.executable)' ||
    { echo "setup-python: expected Python 3.10 or newer as $PYTHON; install it or set UCP_PYTHON." >&2; exit 1; }
}
PYTHON_PATH=$(interpreter)
readonly PYTHON_PATH

stamp() { { echo "$PYTHON_PATH"; cat "$SETS/$1.txt"; } | sha256sum | cut -d' ' -f1; }

made() { [[ -f $CACHE/$1/.stamp && $(<"$CACHE/$1/.stamp") == "$(stamp "$1")" ]]; }

make_set() { # NAME INSTALLER…: installs the set into a fresh environment; the stamp comes last
  local name=$1
  made "$name" && return
  rm -rf "${CACHE:?}/$name"
  "$PYTHON_PATH" -m venv --without-pip "$CACHE/$name"
  "${@:2}" --python "$CACHE/$name/bin/python" || { echo "setup-python: could not install $SETS/$name.txt" >&2; exit 1; }
  stamp "$name" >"$CACHE/$name/.stamp"
}

# pip takes --python before its command, uv after it.
with_pip() { "$PYTHON_PATH" -m pip "$2" "$3" install --quiet --requirement "$SETS/$1.txt"; }
with_uv() { "$CACHE/tools/bin/uv" pip install --quiet --requirement "$SETS/$1.txt" "$2" "$3"; }

mkdir -p "$CACHE"
# Tests that run at the same time need the same sets.
exec 9>"$CACHE/.lock"
flock 9
make_set tools with_pip tools
for file in "$SETS"/*.txt; do
  name=$(basename "$file" .txt)
  [[ $name == tools || ($name == full-* && ${1:-} != --full) ]] || make_set "$name" with_uv "$name"
done

# An interpreter of another distribution runs by its own loader and libraries: no container is needed.
make_python() { # VERSION SUITE
  local at=$CACHE/$1
  [[ -x $at/bin/python$1 ]] || command -v "python$1" >/dev/null && return
  if [[ $EUID != 0 ]] || ! command -v debootstrap >/dev/null; then
    echo "setup-python: no Python $1 here; making one takes root and debootstrap." >&2
    return
  fi
  rm -rf "$at"
  mkdir -p "$at/bin"
  debootstrap --variant=minbase --include=python3-minimal,python3 "$2" "$at/root" "" sid >/dev/null ||
    { echo "setup-python: could not make Python $1 of Debian $2." >&2; exit 1; }
  cat >"$at/bin/python$1" <<EOF
#!/bin/sh
root=\$(dirname "\$(dirname "\$0")")/root
PYTHONHOME=\$root/usr exec "\$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "\$root/usr/lib/x86_64-linux-gnu" \\
  --argv0 "\$0" "\$root/usr/bin/python$1" "\$@"
EOF
  chmod +x "$at/bin/python$1"
}

[[ ${1:-} != --full ]] || make_python 3.14 forky
