#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# feed.sh [--help] [--save NAME] [--force] [--quick] [--seeds N] [--rounds N] [--no-setup] [--no-build]
#
# Measures how fast the books of a whole venue are built from its ITCH 5.0 messages: the feed book of the library, one
# message at a time and in spans, against other designs, on synthetic days of 20 million messages about 8,907 symbols.
# All of them take turns in one process. Then it times single messages by operation, and repeats the feed book on days
# of 100 symbols. Takes about ten minutes a seed once it is built, and 12 GiB of memory. Prints tables, and the paths of
# the tables, a plot and the raw results.
#
#   --save NAME  keep the results under server_results/NAME/ (default: build/feed/<time>/)
#   --force      replace server_results/NAME/ if there is one
#   --quick      days of 2 million messages and fewer orders: for trying it out, not for quoting
#   --seeds N    how many days of each kind are made
#   --rounds N   how many windows of each day are timed
#   --no-setup   install nothing
#   --no-build   install and build nothing: use the programs as they are

set -euo pipefail
# shellcheck source=scripts/lib/campaign.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/campaign.sh"

bench_feed=build/release/bench/bench_feed
messages=20000000
all_rows=feed,feed_batch,tree_hash,standard_maps,vector_levels,btree,btree_huge,map_seq,map_seq_huge,aggregates,parse

read_arguments 3 100 "$@"
if [ "$quick" = yes ]; then messages=2000000; fi

# ---- Make ready.

install_needs
build_programs release bench_feed
# A tape has no batches.
refuse_other_programs --undefok=batch --messages=10000 --symbols=100 --rows=parse --base=parse -- "$bench_feed"
open_results
pin_and_note_machine

# ---- The campaign.

# The runs to make, one a line: KIND SEED SYMBOLS.
plan_runs() {
  local seed
  for ((seed = 1; seed <= seeds; ++seed)); do
    echo "all $seed 8907"
    echo "some $seed 100"
  done
}

# measure KIND SEED SYMBOLS
measure() {
  local label rows=()
  if [ "$1" = some ]; then rows=("--rows=feed,feed_batch,tree_hash"); else rows=("--rows=$all_rows" --workers=1); fi
  printf -v label '%5d symbols  seed=%d' "$3" "$2"
  take_turn "$label" "$bench_feed" "--messages=$messages" "--symbols=$3" "--seed=$2" "--rounds=$rounds" "${rows[@]}" \
    "--out=$work/symbols$3-seed$2.json"
}

run_all

keep_results
