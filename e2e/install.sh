#!/usr/bin/env bash
# Usage: install.sh VENV REQUIREMENTS
# Makes the virtual environment VENV, if it is not there, and installs REQUIREMENTS into it.
set -euo pipefail
venv=$1 requirements=$2
python=${PYTHON3:-python3}

# has_venv: Debian ships python3 without venv and ensurepip.
has_venv() { "$python" -c 'import venv, ensurepip' 2>/dev/null; }

if ! command -v "$python" >/dev/null || ! has_venv; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends python3 python3-venv
  fi
fi
if ! command -v "$python" >/dev/null || ! has_venv; then
  echo "install.sh: $python with its venv module is needed: install python3 and python3-venv, or name another with PYTHON3=" >&2
  exit 1
fi

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$requirements"
