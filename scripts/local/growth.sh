#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# growth.sh [--help] [--save NAME] [--force] [--quick] [--seeds N] [--rounds N] [--no-setup] [--no-build]
#
# Measures how the time of an operation grows. With the number of resting orders, from 100 to 4,000,000: the core one
# command at a time and in spans, phase 10 and the loop without a book take turns on the primary stream. And with the
# width of the band, from 128 to 262,144 price levels: the core over bands of these widths takes turns on streams
# that visit all prices alike, and moves its band there and back. Takes about five minutes once it is built and 2 GiB
# of memory, prints tables and says where they, a plot and the raw results are.
#
#   --save NAME  keep the results under server_results/NAME/ (default: build/growth/<time>/)
#   --force      replace server_results/NAME/ if there is one
#   --quick      less of everything, and 100,000 orders at most: for trying it out, not for quoting
#   --seeds N    how many seeds each stream is made from
#   --rounds N   how many batches each process times on each book
#   --no-setup   install nothing
#   --no-build   install and build nothing: use the programs as they are

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"
# shellcheck source=scripts/lib/campaign.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/campaign.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

command_line="scripts/local/growth.sh${*:+ $*}"
bench_books=build/release/bench/bench_books
bench_bands=build/release/bench/bench_bands
resting=(100 1000 10000 100000 1000000 4000000) # orders in a band of 4,096 prices
spread=(5000 200000)                            # orders over bands of all widths
batch=100000

while [ $# -gt 0 ]; do
  case $1 in --books | --books=*) usage_error "unknown argument '$1'" ;; esac
  campaign_argument "$@"
  shift "$taken"
done
settle_arguments 5 12
if [ "$quick" = yes ]; then resting=("${resting[@]:0:4}") batch=20000; fi

# ---- Make ready.

install_needs
if [ "$build" = no ] && [ ! -x "$bench_bands" ]; then
  fail "$bench_bands is not there; it needs nlohmann_json, then build it again"
fi
build_programs release bench_books bench_bands
refuse_other_programs --workload=classic --warm_up=0 --books=core -- "$bench_books"
refuse_other_programs --orders=100 -- "$bench_bands"
open_results "$command_line"
pin_and_note_machine

# ---- The campaign.

# The runs to make, one a line: KIND SEED ORDERS.
plan_runs() {
  local seed orders
  for ((seed = 1; seed <= seeds; ++seed)); do
    for orders in "${resting[@]}"; do echo "books $seed $orders"; done
    for orders in "${spread[@]}"; do echo "bands $seed $orders"; done
  done
}

# measure KIND SEED ORDERS
measure() {
  local seed=$2 orders=$3 common=("--seed=$2" "--rounds=$rounds" "--batch=$batch") label
  printf -v label '%-5s orders=%-8d seed=%d' "$1" "$orders" "$seed"
  case $1 in
    books) take_turn "$label" "$bench_books" --workload=macro "--standing=$orders" "${common[@]}" --base=core \
      --books=core,core_span,phase10,null "--out=$work/macro$orders-seed$seed.json" ;;
    bands) take_turn "$label" "$bench_bands" "--orders=$orders" "${common[@]}" \
      "--out=$work/spread$orders-seed$seed.json" ;;
  esac
}

run_all

keep_results
