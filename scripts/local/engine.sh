#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# engine.sh [--help] [--save NAME] [--force] [--quick] [--seeds N] [--rounds N] [--no-setup] [--no-build]
#
# Measures the latency of the matching engine: commands on 256 books by ids, through both rings, at fixed rates from
# 125,000 a second to beyond saturation, Poisson and in bursts, without a journal and with both levels of durability.
# The same work in one thread is the comparison. Then it measures the throughput of each, in turns in one process. Last
# it measures a program that follows 256 instruments, from messages as bytes or JSON text to a signal for each. Takes
# about five minutes a seed once it is built, 4 GiB of memory and two cores. Prints tables, and the paths of the tables,
# plots, distributions for plotters of HDR histograms, and the raw results.
#
#   --save NAME  keep the results under server_results/NAME/ (default: build/engine/<time>/)
#   --force      replace server_results/NAME/ if there is one
#   --quick      shorter, and up to 1,000,000 a second: for trying it out, not for quoting
#   --seeds N    how many flows are planned
#   --rounds N   how many rounds are played at saturation
#   --no-setup   install nothing
#   --no-build   install and build nothing: use the programs as they are

set -euo pipefail
# shellcheck source=scripts/lib/campaign.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/campaign.sh"

bench_engine=build/release/bench/bench_engine
bench_ring=build/release/bench/bench_ring
sizes=()
commands=10000000

read_arguments 3 20 "$@"
if [ "$quick" = yes ]; then sizes=("--rates=125000,500000,1000000" --seconds=1 --batch=50000); fi

# ---- Make ready.

install_needs
build_programs release bench_engine bench_ring
refuse_other_programs --symbols=2 --standing=10 --warm_up=100 --parts=saturation -- "$bench_engine"
open_results
note_machine 0
pin=() # the program gives each of its two threads a core
if [ "$(core_count)" -le 2 ]; then
  note "$(core_count) cores for two threads that do not rest: whatever else runs, and the host if it shares them," \
    "stops one of the two for milliseconds; the tail, and under other load the median, is that of the machine"
fi
note "journals on a disk of type $(stat -f -c %T "$work" 2>/dev/null || echo unknown)"

# ---- The campaign.

# The runs to make, one a line: KIND SEED JOURNAL.
plan_runs() {
  local seed journal room
  for ((seed = 1; seed <= seeds; ++seed)); do
    for journal in none process machine; do echo "ladder $seed $journal"; done
    echo "saturation $seed all"
    echo "instruments $seed none"
    echo "recovery $seed process"
    for room in 256 4096 65536; do echo "ring$room $seed none"; done
  done
}

# measure KIND SEED JOURNAL
measure() {
  local kind=$1 seed=$2 journal=$3 label more=() out=$work/$1-$3-seed$2.json
  case $kind-$journal in
    ladder-none) if [ "$seed" = 1 ]; then more=("--hgrm=$work/hgrm"); fi ;;
    ladder-*) more=(--arrivals=poisson) ;;
    instruments-*) more=(--arrivals=poisson --messages=2000000) ;;
    recovery-*) more=("--messages=$commands") ;;
  esac
  if [ "$kind" = ladder ]; then more+=("--journal=$journal"); fi
  printf -v label '%-11s journal=%-7s seed=%d' "$kind" "$journal" "$seed"
  if [[ $kind = ring* ]]; then
    take_turn "$label" "$bench_ring" "--capacity=${kind#ring}" "--seed=$seed" "--rounds=$rounds" "--out=$out"
    return
  fi
  take_turn "$label" "$bench_engine" "--parts=$kind" "--seed=$seed" "--rounds=$rounds" "--journal_folder=$work" \
    "${sizes[@]}" "${more[@]}" "--out=$out"
}

run_all

keep_results
