#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# any_price.sh [--help] [--save NAME] [--force] [--quick] [--seeds N] [--rounds N] [--no-setup] [--no-build]
#
# Measures books for any price on streams whose prices jump: a book by id, a set of books, and that set with a publisher
# as the engine runs it, against a banded book and an engine with trees. All take turns batch by batch, in one process
# for each stream and seed. The streams are fleeting with each of its wanders, and gaps. Then it times single messages
# on the books that take one at a time. Prints tables, and the paths of the tables, a plot and the raw results.
#
#   --save NAME  keep the results under server_results/NAME/ (default: build/any_price/<time>/)
#   --force      replace server_results/NAME/ if there is one
#   --quick      a short run to try it out, under a minute; not for quoting
#   --seeds N    how many seeds each stream is made from
#   --rounds N   how many batches each process times on each book
#   --no-setup   install nothing
#   --no-build   install and build nothing: use the programs as they are

set -euo pipefail
# shellcheck source=scripts/lib/campaign.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/campaign.sh"

bench_books=build/release/bench/bench_books
streams=(fleeting:500 fleeting:5000 fleeting:20000 fleeting:1000 fleeting:250 gaps:300)
declare -A wander=([500]=1500 [5000]=4000 [20000]=10000 [1000]=20000 [250]=38000) # ticks, by the orders that rest
spans=core_ids_hashed,any_ids_hashed,set_ids,set_ids_published
single=core_ids_single_hashed,any_ids_single_hashed,set_ids_single,set_ids_published_single
warm_up=500000
batch=100000

read_arguments 5 10 "$@"
if [ "$quick" = yes ]; then warm_up=20000 batch=20000; fi

# ---- Make ready.

install_needs
build_programs release bench_books
refuse_other_programs --workload=classic --warm_up=0 --books=core -- "$bench_books"
open_results
pin_and_note_machine

# ---- The campaign.

# The runs to make, one a line: STREAM SEED.
plan_runs() {
  local seed stream
  for ((seed = 1; seed <= seeds; ++seed)); do
    for stream in "${streams[@]}"; do echo "$stream $seed"; done
  done
}

# measure STREAM SEED
measure() {
  local label ticks=${wander[${1#*:}]:-}
  describe_stream "$1"
  printf -v label '%-22s seed=%d' "$stream_label" "$2"
  take_turn "$label" "$bench_books" "${stream_arguments[@]}" ${ticks:+"--wander=$ticks"} "--seed=$2" \
    "--rounds=$rounds" "--batch=$batch" "--warm_up=$warm_up" --percentiles "--books=$spans,$single,tree_hash" \
    --base=tree_hash "--out=$work/$stream_file-seed$2.json"
}

run_all

keep_results
