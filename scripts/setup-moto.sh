#!/usr/bin/env bash
# Makes the virtual environment of the S3 server that tests talk to, .cache/moto/.
# Its packages are test/e2e/s3/moto.txt, locked from moto.in:
#   uv pip compile --no-header --no-annotate --python-version 3.11 moto.in -o moto.txt
# UCP_PYTHON names the interpreter (3.11 or newer); the default is python3.
set -euo pipefail

cd "$(dirname "$0")/.."
readonly LOCK=test/e2e/s3/moto.txt
readonly VENV=.cache/moto
readonly PYTHON=${UCP_PYTHON:-python3}

stamp() { { "$PYTHON" -c 'import sys; print(sys.executable)'; cat "$LOCK"; } | sha256sum | cut -d' ' -f1; }

mkdir -p .cache
# Tests that run at the same time need the same environment.
exec 9>.cache/moto.lock
flock 9
wanted=$(stamp)
[[ -f $VENV/.stamp && $(<"$VENV/.stamp") == "$wanted" ]] && exit
rm -rf "$VENV"
"$PYTHON" -m venv "$VENV" || { echo "setup-moto: $PYTHON can't make a virtual environment; on Debian install python3-venv." >&2; exit 1; }
"$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$LOCK" ||
  { echo "setup-moto: could not install $LOCK" >&2; exit 1; }
printf '%s\n' "$wanted" >"$VENV/.stamp"
