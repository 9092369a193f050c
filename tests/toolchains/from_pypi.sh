#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# from_pypi.sh [--help] FOLDER REQUIREMENT COMMAND [ARGUMENT ...]
#
# Installs what REQUIREMENT names from PyPI, say `cmake==3.22.*`, into a virtual environment at FOLDER, and runs COMMAND
# with the programs of it before all others. Exits with 77 if it cannot be installed: ctest takes that for skipped.

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/common.sh"

case ${1:-} in --help) usage; exit 0 ;; esac
[ $# -ge 3 ] || usage_error "takes a folder, a requirement and a command"
folder=$1
requirement=$2
shift 2

if ! { python3 -m venv "$folder" && "$folder/bin/pip" install --quiet "$requirement"; }; then
  warn "skipped: PyPI gave no '$requirement'; is the network up?"
  exit 77
fi
PATH=$folder/bin:$PATH exec "$@"
