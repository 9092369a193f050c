#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# ablation.sh [--help] [--save NAME] [--force] [--quick] [--seeds N] [--rounds N] [--no-setup] [--no-build]
#
# Splits the time of an operation of the core into its parts. Copies of the core that each lack one part take turns with
# the whole core, batch by batch in one process, on three order streams without trades. Callgrind counts the
# instructions of each. The time of a trade is estimated from short windows of the streams with trades, which differ in
# their fills. Takes about two minutes once it is built. Prints tables, and the paths of the tables, a plot and the raw
# results.
#
#   --save NAME  keep the results under server_results/NAME/ (default: build/ablation/<time>/)
#   --force      replace server_results/NAME/ if there is one
#   --quick      a short run to try it out; not for quoting
#   --seeds N    how many seeds each stream is made from
#   --rounds N   how many batches each process times on each copy
#   --no-setup   install nothing
#   --no-build   install and build nothing: use the programs as they are

set -euo pipefail
# shellcheck source=scripts/lib/campaign.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/campaign.sh"

bench_books=build/release/bench/bench_books
variants=full,no_cross,no_unlink,no_links,no_totals,no_occupancy,no_generation,no_time_in_force,bare
streams=(classic macro:5000 macro:200000)
windows=2000 # of 1,000 events each, with trades

read_arguments 5 30 "$@"
if [ "$quick" = yes ]; then windows=200; fi

# ---- Make ready.

install_needs
build_programs release bench_books
refuse_other_programs --workload=classic --warm_up=0 --books=full -- "$bench_books"
have valgrind || fail "there is no valgrind, which counts the instructions; install it"
open_results
pin_and_note_machine

# ---- The campaign.

# The runs to make, one a line: STREAM SEED KIND.
plan_runs() {
  local seed stream
  for ((seed = 1; seed <= seeds; ++seed)); do
    for stream in "${streams[@]}"; do
      echo "$stream $seed passive"
      echo "$stream $seed whole"
      if [ "$seed" = 1 ]; then echo "$stream $seed instructions"; fi
    done
  done
}

# measure STREAM SEED KIND
measure() {
  local seed=$2 kind=$3 dumps=$work/.callgrind label
  describe_stream "$1"
  local command=("$bench_books" "${stream_arguments[@]}" "--seed=$seed")
  local passive=(--stream=passive "--books=$variants")
  printf -v label '%-22s seed=%d %-12s' "$stream_label" "$seed" "$kind"
  case $kind in
    passive) take_turn "$label" "${command[@]}" "${passive[@]}" "--rounds=$rounds" \
      "--out=$work/$stream_file-passive-seed$seed.json" ;;
    whole) take_turn "$label" "${command[@]}" --books=full "--rounds=$windows" --batch=1000 --rewarm=1000 \
      "--out=$work/$stream_file-whole-seed$seed.json" ;;
    instructions)
      mkdir "$dumps"
      take_turn "$label" valgrind --tool=callgrind --instr-atstart=no --branch-sim=yes --cache-sim=yes \
        "--callgrind-out-file=$dumps/x.callgrind" "${command[@]}" "${passive[@]}" --rounds=1 --metric=instructions \
        "--out=$dumps/rows.json"
      "$python" scripts/analysis/callgrind.py "$dumps" >"$work/$stream_file-instructions.json" ||
        fail "callgrind left no counts"
      rm -r "$dumps"
      ;;
  esac
}

run_all

keep_results
