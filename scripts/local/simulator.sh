#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# simulator.sh [--help] [--save NAME] [--force] [--quick] [--seeds N] [--rounds N] [--no-setup] [--no-build]
#
# Measures what own orders cost in a replayed market. It makes a day of ITCH messages, and plays it on bare books and on
# simulators whose strategies keep 0, 1, 10 and 1,000 orders at rest each, window by window in turns, in one process for
# each seed, impact and number of strategies: 1 and 32. One strategy has rows of 1,000 and a million hypothetical orders
# beside it. Takes some ten minutes and 8 GiB of memory once it is built. Prints tables, and the paths of the tables, a
# plot and the raw results.
#
#   --save NAME  keep the results under server_results/NAME/ (default: build/simulator/<time>/)
#   --force      replace server_results/NAME/ if there is one
#   --quick      a short run to try it out, under a minute; not for quoting
#   --seeds N    how many days are made
#   --rounds N   how many windows each process times of each row
#   --no-setup   install nothing
#   --no-build   install and build nothing: use the programs as they are

set -euo pipefail
# shellcheck source=scripts/lib/campaign.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/campaign.sh"

bench_simulator=build/release/bench/bench_simulator
own=0,1,10,1000
shadows=1000,1000000
messages=2000000

read_arguments 3 40 "$@"
if [ "$quick" = yes ]; then messages=100000; fi

# ---- Make ready.

install_needs
build_programs release bench_simulator
# A tape has no batches.
refuse_other_programs --undefok=batch --messages=10000 --symbols=100 --own=0 -- "$bench_simulator"
open_results
pin_and_note_machine

# ---- The campaign.

# The runs to make, one a line: IMPACT SEED STRATEGIES.
plan_runs() {
  local seed impact
  for ((seed = 1; seed <= seeds; ++seed)); do
    for impact in none displace; do
      echo "$impact $seed 1"
      echo "$impact $seed 32"
    done
  done
}

# measure IMPACT SEED STRATEGIES
measure() {
  local label more=()
  if [ "$1$3" = none1 ]; then more=("--shadows=$shadows"); fi
  printf -v label '%-8s %2d strategies  seed=%d' "$1" "$3" "$2"
  take_turn "$label" "$bench_simulator" "--messages=$messages" "--own=$own" "--impact=$1" "--strategies=$3" \
    "--seed=$2" "--rounds=$rounds" "${more[@]}" "--out=$work/$1$3-seed$2.json"
}

run_all

keep_results
