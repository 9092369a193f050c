#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# build_and_test.sh [--help] SOURCE
#
# Builds the Python package of the tree SOURCE, installs it for the `python` that is first in PATH, and runs its tests.

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/common.sh"

case ${1:-} in --help) usage; exit 0 ;; esac
[ $# -eq 1 ] || usage_error "takes the folder of the sources"
cd "$1"
# As a release, but optimised as far as running the tests gains: -O3 takes longer to compile than it saves.
python -m pip install --quiet --no-build-isolation --no-deps --force-reinstall ./scripts/packaging/python \
  --config-settings='cmake.define.CMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG -Dalways_inline=unused'
python -m unittest discover --start-directory tests/python --pattern '*_test.py'
