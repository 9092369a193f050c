#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# walk.sh [--help] [--save NAME]
#
# Counts what an OUCH order that rests passes through, from its bytes to the answer: calls of the project's own
# functions, the most that are open at a time, how often an id is hashed, and the functions from Venue::apply to the
# add_limit of matching. Without sockets, and compiled without optimisation, so that each function is entered. Takes
# half a minute.
#
#   --save NAME  keep the output in server_results/NAME/walk.txt, with the commit and the compiler; of a clean tree

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
record=
case ${1-} in
  --help) usage; exit 0 ;;
  --save)
    [[ ${2-} =~ ^[a-z0-9-]+$ && $# = 2 ]] || usage_error "--save: a name of small letters, digits and '-' alone"
    record=server_results/$2/walk.txt
    refuse_dirty_tree
    ;;
  ?*) usage_error "unknown argument '$1'" ;;
esac

mkdir -p build/walk
rm -rf build/walk/journal
mkdir build/walk/journal
"${CXX:-g++}" -std=c++20 -O0 -finstrument-functions -Dalways_inline=unused -I. -Iinclude -Iexamples \
  scripts/local/walk.cpp -o build/walk/walk -rdynamic -ldl -lcrypto -pthread
if [ -z "$record" ]; then exec build/walk/walk build/walk/journal; fi
{
  record_head "scripts/local/walk.sh --save $2"
  "${CXX:-g++}" --version | head -n 1
  echo
  build/walk/walk build/walk/journal
} >build/walk/record
mkdir -p "${record%/*}"
mv build/walk/record "$record"
say "$record has:"
cat "$record"
