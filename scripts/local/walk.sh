#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# walk.sh [--help]
#
# Counts what an OUCH order that rests passes through, from its bytes to the answer: calls of the project's own
# functions, the most that are open at a time, how often an id is hashed, and the functions from Venue::apply to the
# add_limit of matching. Without sockets, and compiled without optimisation, so that each function is entered. Takes
# half a minute.

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
case ${1-} in
  --help) usage; exit 0 ;;
  ?*) usage_error "unknown argument '$1'" ;;
esac

mkdir -p build/walk
rm -rf build/walk/journal
mkdir build/walk/journal
"${CXX:-g++}" -std=c++20 -O0 -finstrument-functions -Dalways_inline=unused -I. -Iinclude -Iexamples \
  scripts/local/walk.cpp -o build/walk/walk -rdynamic -ldl -lcrypto -pthread
build/walk/walk build/walk/journal
