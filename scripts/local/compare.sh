#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# compare.sh --before COMMIT [--save NAME] [--force] [--quick] [--seeds N] [--rounds N] [--no-setup] [--no-build]
# compare.sh --help
#
# Compares the benchmark programs of the tree (B) with those of an earlier commit (A), process by process: books on five
# streams, the feed books, and the engine's work in one thread. On each stream and seed A runs between B and a second
# run of A: B A A on the first seed, A A B on the next. The second run of A shows the noise. A is built in a worktree,
# build/compare/<commit>/, which the next comparison uses again. Takes about ten minutes once both are built. Prints
# tables, and the paths of the tables, a plot and the raw results.
#
#   --before COMMIT what to compare the tree with, such as HEAD~10
#   --save NAME     keep the results under server_results/NAME/ (default: build/compare/<time>/)
#   --force         replace server_results/NAME/ if there is one
#   --quick         2 seeds of short runs, for trying it out, not for quoting
#   --seeds N       how many pairs each stream has (default: 12)
#   --rounds N      how many batches each process times on each row (default: 8)
#   --no-setup      install nothing
#   --no-build      install and build nothing: use the programs as they are

set -euo pipefail
# shellcheck source=scripts/lib/campaign.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/campaign.sh"

takes_before=yes
while [ $# -gt 0 ]; do
  campaign_argument "$@"
  shift "$taken"
done
if [ "$quick" = yes ]; then : "${seeds:=2}"; fi
settle_arguments 12 8
[ -n "$before" ] || usage_error "--before: which commit is the tree to be compared with?"

# ---- The programs of both.

build_all() {
  build_programs release bench_books bench_feed bench_engine
  refuse_other_programs --workload=classic --warm_up=0 --books=core -- build/release/bench/bench_books
  refuse_other_programs --undefok=batch --messages=10000 --symbols=100 --rows=parse --base=parse -- \
    build/release/bench/bench_feed
  refuse_other_programs --symbols=2 --standing=10 --warm_up=100 --parts=saturation -- build/release/bench/bench_engine
}

install_needs
in_both build_all
open_results
pin_and_note_machine

streams=()
declare -A program=() flags=() # by stream

# add_stream NAME PROGRAM FLAGS [ROWS]: ROWS, such as --books=core,set, are narrowed to those that both programs have.
add_stream() {
  local stream=$1 row root common
  streams+=("$stream")
  program[$stream]=build/release/bench/$2
  flags[$stream]=$3
  if [ $# -lt 4 ]; then return; fi
  common=${4#*=}
  for root in "$earlier" .; do
    # shellcheck disable=SC2086 # flags are words
    common=$(known_rows "$common" "$root/${program[$stream]}" $3)
  done
  for row in $(tr , ' ' <<<"${4#*=}"); do
    [[ ,$common, == *,$row,* ]] || note "$stream: without '$row', which is not in both programs"
  done
  flags[$stream]+=" --base=null ${4%%=*}=$common"
}

messages=2000000 engine="--batch=100000"
if [ "$quick" = yes ]; then messages=200000 engine="--batch=20000 --symbols=16"; fi
by_ids=core_ids_hashed,core_ids_single_hashed
add_stream macro5000 bench_books "--workload=macro --standing=5000" "--books=core,core_span,core_any,core_ids,$by_ids"
add_stream wide bench_books --workload=wide --books=core,core_any,core_ids_hashed
add_stream many5000 bench_books "--workload=many --standing=5000" --books=set,set_span
add_stream far5000 bench_books "--workload=far --standing=5000" --books=core_any,core_any_span
add_stream fleeting500-capacity1000000 bench_books "--workload=fleeting --standing=500 --capacity=1000000" "--books=$by_ids"
add_stream feed bench_feed "--messages=$messages" --rows=feed,feed_batch
add_stream engine bench_engine "--parts=saturation --journal_folder=$work $engine"

# ---- The campaign.

# The runs to make, one a line: STREAM SEED RUN ROLE. The very first is one of the tree: the index names its commit.
plan_runs() {
  local seed stream roles run
  for ((seed = 1; seed <= seeds; ++seed)); do
    roles=(b a control)
    if ((seed % 2 == 0)); then roles=(control a b); fi
    for stream in "${streams[@]}"; do
      for run in "${!roles[@]}"; do echo "$stream $seed $((run + 1)) ${roles[run]}"; done
    done
  done
}

# measure STREAM SEED RUN ROLE
measure() {
  local root=$earlier arguments label
  if [ "$4" = b ]; then root=.; fi
  read -ra arguments <<<"${flags[$1]}"
  printf -v label '%-27s seed=%-2d %-7s' "$1" "$2" "$4"
  take_turn "$label" "$root/${program[$1]}" "${arguments[@]}" "--seed=$2" "--rounds=$rounds" \
    "--out=$work/$1-seed$2-run$3-$4.json"
}

run_all

keep_results
