#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# rules.sh [--help] [--save NAME] [--force] [--quick] [--seeds N] [--rounds N] [--no-setup] [--no-build]
#
# Measures what rules inside matching, a risk stage before a book, and a whole venue around it cost. The core with rules
# that no order, 1 % and 10 % of the orders use, the core by id with the stage and without, both as engines of hash maps
# have them, and a venue with the set that it wraps take turns, batch by batch, in one process for each stream and seed.
# Then all orders of an owner leave a book, one by one and in one call; and stops wait and fire, here and in two
# multimaps. Takes a few minutes once it is built. Prints tables, and the paths of the tables, a plot and the raw results.
#
#   --save NAME  keep the results under server_results/NAME/ (default: build/rules/<time>/)
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
bench_growth=build/release/bench/bench_growth
streams=(macro:5000 macro:200000)
books=core,core_rules,core_rules_1,core_rules_10,core_user_map,core_ids_single_hashed,risk,risk_maps
books+=,set_ids_single,set_ids_published_single,venue,venue_1,venue_10
cancels=100,10000
stops=1000,100000
warm_up=500000
batch=100000

read_arguments 5 30 "$@"
if [ "$quick" = yes ]; then warm_up=20000 batch=20000; fi

# ---- Make ready.

install_needs
build_programs release bench_books bench_growth
refuse_other_programs --workload=classic --warm_up=0 --books=core -- "$bench_books"
refuse_other_programs --by=cancels --sizes=100 -- "$bench_growth"
open_results
pin_and_note_machine

# ---- The campaign.

# The runs to make, one a line: STREAM SEED.
plan_runs() {
  local seed stream
  for ((seed = 1; seed <= seeds; ++seed)); do
    for stream in "${streams[@]}" cancels stops; do echo "$stream $seed"; done
  done
}

# measure STREAM SEED
measure() {
  local label program
  describe_stream "$1"
  case $1 in
    cancels) program=("$bench_growth" --by=cancels "--sizes=$cancels") ;;
    stops) program=("$bench_growth" --by=stops "--sizes=$stops") ;;
    *) program=("$bench_books" "${stream_arguments[@]}" "--batch=$batch" "--warm_up=$warm_up" "--books=$books" --base=core) ;;
  esac
  printf -v label '%-22s seed=%d' "$stream_label" "$2"
  take_turn "$label" "${program[@]}" "--seed=$2" "--rounds=$rounds" "--out=$work/$stream_file-seed$2.json"
}

run_all

keep_results
