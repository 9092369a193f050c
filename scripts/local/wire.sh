#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# wire.sh [--help] [--save NAME] [--force] [--quick] [--seeds N] [--rounds N] [--no-setup] [--no-build]
#
# Measures the round trip of an order over loopback: the venue program beside a bare echo of the same bytes, block by
# block in turns, spinning and blocking, without a journal and with both levels of durability, by FIX, and with 1,000
# idle connections beside it. Then messages at fixed rates to past what is sustained, for both. Takes some seven minutes
# once it is built. Prints tables, and the paths of the tables, a plot and the raw results.
#
#   --save NAME  keep the results under server_results/NAME/ (default: build/wire/<time>/)
#   --force      replace server_results/NAME/ if there is one
#   --quick      a short run to try it out, under a minute; not for quoting
#   --seeds N    how often all is repeated
#   --rounds N   how many blocks each server gets
#   --no-setup   install nothing
#   --no-build   install and build nothing: use the programs as they are

set -euo pipefail
# shellcheck source=scripts/lib/campaign.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/campaign.sh"

bench_wire=build/release/bench/bench_wire
venue=build/release/examples/venue/venue
rates=20000,50000,100000,200000,400000,800000,1600000,0
idle=1000
seconds=2

read_arguments 3 60 "$@"
if [ "$quick" = yes ]; then rates=20000,0 idle=20 seconds=0.2; fi

# ---- Make ready.

install_needs
if [ "$build" = yes ]; then
  mkdir -p build
  build_tree "the release programs" "build/$campaign-build.log" build_preset release bench_wire venue
fi
for program in "$bench_wire" "$venue"; do
  [ -x "$program" ] || fail "$program is not there; build it first (it needs Asio and OpenSSL: scripts/setup.sh)"
done
refuse_other_programs --undefok=batch --venue="$venue" --trips=10 --resting=10 -- "$bench_wire"
open_results
note_machine 0
pin=() # the program gives client and servers a core each
if [ "$(core_count)" -le 2 ]; then
  note "$(core_count) cores for a client and a server: whatever else runs stops one of the two, and the tail is that of the machine"
fi
note "journals on a disk of type $(stat -f -c %T "$work" 2>/dev/null || echo unknown)"

# ---- The campaign.

# The runs to make, one a line: KIND SEED MODE DURABILITY.
plan_runs() {
  local seed
  for ((seed = 1; seed <= seeds; ++seed)); do
    echo "trips $seed spin process"
    echo "trips $seed block process"
    echo "trips $seed spin none"
    echo "trips $seed spin machine"
    echo "fix $seed spin process"
    echo "idle $seed spin process"
    echo "load $seed spin process"
  done
}

# measure KIND SEED MODE DURABILITY
measure() {
  local label more=()
  printf -v label '%-5s %-5s %-7s seed=%d' "$1" "$3" "$4" "$2"
  case $1 in
    fix) more=(--protocol=fix) ;;
    idle) more=("--idle=$idle") ;;
    load) more=("--rate=$rates" "--seconds=$seconds") ;;
  esac
  take_turn "$label" "$bench_wire" "--venue=$venue" "--mode=$3" "--durability=$4" "--rounds=$rounds" "--seed=$2" \
    "${more[@]}" "--out=$work/$1-$3-$4-seed$2.json"
}

run_all

keep_results
