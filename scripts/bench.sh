#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# bench.sh [--help] [--save NAME] [--force] [--quick] [--seeds N] [--rounds N] [--books LIST]
#          [--no-setup] [--no-build]
#
# Compares the core with other books on four order streams, and its release build with one with link-time optimisation.
# Takes about five minutes once everything is built. Prints how many times as fast the core is, a table with its legend,
# and the paths of the table, a plot and the raw results.
#
# Every figure is a ratio of two measurements in turns: books batch by batch within a process, builds process by process
# (release lto lto release). Books that scan play the deep stream in a short process of their own. It warns if the machine
# is busy with other work.
#
#   --save NAME   keep the results under server_results/NAME/ (default: build/bench/<time>/)
#   --force       replace server_results/NAME/ if there is one
#   --quick       a short run to try it out, under a minute; not for quoting. Builds no other books than its own
#   --seeds N     how many seeds each stream is made from
#   --rounds N    how many batches each process times on each book
#   --books LIST  books to measure, separated by commas; 'core' must be one of them (default:
#                 core,core_span,phase10,tree_hash,btree)
#   --no-setup    install nothing
#   --no-build    install and build nothing: use the programs as they are

set -euo pipefail
# shellcheck source=scripts/lib/campaign.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/campaign.sh"

streams=(classic macro:5000 macro:200000 wide)
deep_streams=(macro:200000)
builds=(release lto lto release) # A B B A: slow drift of the machine falls on both alike
slow_books=(reference)           # cancel by scanning: on a deep stream a batch takes them seconds
usual_books=core,core_span,phase10,tree_hash,btree
books=$usual_books

takes_books=yes
read_arguments 5 30 "$@"
refuse_other_books
[[ ,$books, == *,core,* ]] || usage_error "--books: 'core' must be one of them, the others are compared with it"

# ---- Make ready.

install_needs
# All other books would take minutes to compile, for a run of one.
if [ "$quick" = yes ] && [ "$books" = "$usual_books" ]; then
  configure_with=(-D LLMES_ALL_BOOKS=OFF -D LLMES_CAMPAIGN_BOOKS=ON)
fi
for preset in release lto; do build_programs "$preset" bench_books; done
refuse_other_programs --workload=classic --warm_up=0 --books=core -- build/{release,lto}/bench/bench_books
open_results
pin_and_note_machine

# ---- The campaign.

# The books of $books that are fast enough for every stream, separated by commas.
fast_books() {
  local book fast=
  for book in ${books//,/ }; do
    [[ " ${slow_books[*]} " == *" $book "* ]] || fast+=,$book
  done
  echo "${fast#,}"
}

# The runs to make, one a line: STREAM SEED RUN BUILD ROUNDS BOOKS. Run 0 is not one of the turns of builds.
plan_runs() {
  local seed stream run fast
  fast=$(fast_books)
  for ((seed = 1; seed <= seeds; ++seed)); do
    for stream in "${streams[@]}"; do
      local together=$books
      if [[ " ${deep_streams[*]} " == *" $stream "* ]]; then
        together=$fast
        if [ "$fast" != "$books" ]; then echo "$stream $seed 0 release $((rounds < 3 ? rounds : 3)) $books"; fi
      fi
      for run in "${!builds[@]}"; do echo "$stream $seed $((run + 1)) ${builds[run]} $rounds $together"; done
    done
  done
}

# measure STREAM SEED RUN BUILD ROUNDS BOOKS
measure() {
  local seed=$2 run=$3 build=$4 label
  describe_stream "$1"
  printf -v label '%-22s seed=%d %-7s' "$stream_label" "$seed" "$build"
  take_turn "$label" "build/$build/bench/bench_books" "${stream_arguments[@]}" "--seed=$seed" "--rounds=$5" \
    "--books=$6" --base=core "--out=$work/$stream_file-seed$seed-run$run-$build.json"
}

run_all

keep_results
