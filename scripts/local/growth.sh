#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# growth.sh [--help] [--save NAME] [--force] [--quick] [--seeds N] [--rounds N] [--no-setup] [--no-build]
#
# Measures how the time of an operation grows. With the resting orders, from 100 to 4,000,000: the core one command at a
# time and in spans, phase 10 and the loop without a book, on the primary stream. With the width of the band, from 128
# to 262,144 price levels: the core on streams with uniform prices, also while it moves its band back and forth. All
# sizes take turns in one process, so growth is a ratio within a round. Takes about four minutes once it is built, and 2
# GiB of memory. Prints tables, and the paths of the tables, a plot and the raw results.
#
#   --save NAME  keep the results under server_results/NAME/ (default: build/growth/<time>/)
#   --force      replace server_results/NAME/ if there is one
#   --quick      a short run with at most 100,000 orders, to try it out; not for quoting
#   --seeds N    how many seeds each stream is made from
#   --rounds N   how many batches each process times on each book
#   --no-setup   install nothing
#   --no-build   install and build nothing: use the programs as they are

set -euo pipefail
# shellcheck source=scripts/lib/campaign.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/campaign.sh"

bench_growth=build/release/bench/bench_growth
sizes=100,1000,10000,100000,1000000,4000000 # resting orders in a band of 4,096 prices
spread=(5000 200000)                        # orders over bands of all widths
batch=100000

read_arguments 5 12 "$@"
if [ "$quick" = yes ]; then sizes=100,1000,10000,100000 batch=20000; fi

# ---- Make ready.

install_needs
build_programs release bench_growth
refuse_other_programs --sizes=100 --books=core -- "$bench_growth"
open_results
pin_and_note_machine

# ---- The campaign.

# The runs to make, one a line: KIND SEED ORDERS.
plan_runs() {
  local seed orders
  for ((seed = 1; seed <= seeds; ++seed)); do
    echo "orders $seed $sizes"
    for orders in "${spread[@]}"; do echo "levels $seed $orders"; done
  done
}

# measure KIND SEED ORDERS
measure() {
  local seed=$2 command=("$bench_growth" "--by=$1" "--seed=$2" "--rounds=$rounds" "--batch=$batch") label
  case $1 in
    orders)
      printf -v label 'by orders                 seed=%d' "$seed"
      take_turn "$label" "${command[@]}" "--sizes=$sizes" --books=core,core_span,phase10,null \
        "--out=$work/orders-seed$seed.json"
      ;;
    levels)
      printf -v label 'by levels, orders=%-7d seed=%d' "$3" "$seed"
      take_turn "$label" "${command[@]}" "--orders=$3" "--out=$work/levels$3-seed$seed.json"
      ;;
  esac
}

run_all

keep_results
