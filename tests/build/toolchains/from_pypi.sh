#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# from_pypi.sh [--help] FOLDER REQUIREMENTS COMMAND [ARGUMENT ...]
#
# Installs what REQUIREMENTS names from PyPI, say `cmake==3.22.*`, into a virtual environment at FOLDER, and runs COMMAND
# with the programs of it before all others. Spaces stand between several requirements; what is there already is not
# asked for again. Exits with 77 if they cannot be installed: ctest takes that for skipped.

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib/common.sh"

case ${1:-} in --help) usage; exit 0 ;; esac
[ $# -ge 3 ] || usage_error "takes a folder, requirements and a command"
folder=$1
read -ra requirements <<<"$2"
shift 2

if ! [ -x "$folder/bin/pip" ] && ! python3 -m venv "$folder"; then
  warn "skipped: there is no venv module for Python; scripts/setup.sh installs it"
  exit 77
fi
if ! "$folder/bin/pip" install --quiet --no-compile "${requirements[@]}"; then # Python compiles what is used
  warn "skipped: PyPI gave no '${requirements[*]}'; is the network up?"
  exit 77
fi
PATH=$folder/bin:$PATH exec "$@"
