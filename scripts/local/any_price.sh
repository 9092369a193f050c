#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# any_price.sh [--before COMMIT] [--save NAME] [--force] [--quick] [--seeds N] [--rounds N] [--no-setup] [--no-build]
# any_price.sh --help
#
# Measures books for any price on streams whose prices jump: a book by id, a set of books, and that set with a publisher
# as the engine runs it, against a banded book and an engine with trees. All take turns batch by batch, in one process
# for each stream and seed. The streams are fleeting with each of its wanders, and gaps. Then it times single messages
# on the books that take one at a time. With --before, the program of that commit takes turns with that of the tree on
# each stream and seed, with the forms that the tree no longer has. It is built in a worktree, build/compare/<commit>/.
# Prints tables, and the paths of the tables, a plot and the raw results.
#
#   --before COMMIT measure the books of that commit as well
#   --save NAME     keep the results under server_results/NAME/ (default: build/any_price/<time>/)
#   --force         replace server_results/NAME/ if there is one
#   --quick         a short run to try it out, under a minute; not for quoting
#   --seeds N       how many seeds each stream is made from
#   --rounds N      how many batches each process times on each book
#   --no-setup      install nothing
#   --no-build      install and build nothing: use the programs as they are

set -euo pipefail
# shellcheck source=scripts/lib/campaign.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/campaign.sh"

bench_books=build/release/bench/bench_books
streams=(fleeting:500 fleeting:5000 fleeting:20000 fleeting:1000 fleeting:250 gaps:300)
declare -A wander=([500]=1500 [5000]=4000 [20000]=10000 [1000]=20000 [250]=38000) # ticks, by the orders that rest
# An earlier commit has places_ids_hashed, the first form of today's book for any price.
spans=core_ids_hashed,any_ids_hashed,places_ids_hashed,set_ids,set_ids_published
single=core_ids_single_hashed,any_ids_single_hashed,set_ids_single,set_ids_published_single
warm_up=500000
batch=100000

takes_before=yes
read_arguments 5 10 "$@"
if [ "$quick" = yes ]; then warm_up=20000 batch=20000; fi

# ---- Make ready.

build_books() {
  build_programs release bench_books
  refuse_other_programs --workload=classic --warm_up=0 --books=core -- "$bench_books"
}

install_needs
if [ -n "$before" ]; then in_both build_books; else build_books; fi
open_results
pin_and_note_machine

declare -A books_of=() # by the root of a program
for root in ${before:+"$earlier"} .; do
  books_of[$root]=$(known_rows "$spans,$single,tree_hash" "$root/$bench_books")
done

# ---- The campaign.

# The runs to make, one a line: STREAM SEED [RUN ROLE]. The very first is one of the tree: the index names its commit.
plan_runs() {
  local seed stream roles run
  for ((seed = 1; seed <= seeds; ++seed)); do
    roles=(b a)
    if ((seed % 2 == 0)); then roles=(a b); fi
    for stream in "${streams[@]}"; do
      if [ -z "$before" ]; then
        echo "$stream $seed"
      else
        for run in "${!roles[@]}"; do echo "$stream $seed $((run + 1)) ${roles[run]}"; done
      fi
    done
  done
}

# measure STREAM SEED [RUN ROLE]
measure() {
  local label root=. ticks=${wander[${1#*:}]:-}
  if [ "${4:-}" = a ]; then root=$earlier; fi
  describe_stream "$1"
  printf -v label '%-22s seed=%d%s' "$stream_label" "$2" "${4:+ $4}"
  take_turn "$label" "$root/$bench_books" "${stream_arguments[@]}" ${ticks:+"--wander=$ticks"} "--seed=$2" \
    "--rounds=$rounds" "--batch=$batch" "--warm_up=$warm_up" --percentiles "--books=${books_of[$root]}" \
    --base=tree_hash "--out=$work/$stream_file-seed$2${4:+-run$3-$4}.json"
}

run_all

keep_results
