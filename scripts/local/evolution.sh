#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# evolution.sh [--help] [--save NAME] [--force] [--quick] [--seeds N] [--rounds N] [--books LIST]
#              [--no-setup] [--no-build] [--no-instructions]
#
# Measures the history of the book: every phase, other designs and the core take turns batch by batch, in one process
# for each of six order streams and each seed. Books that scan play the deep stream in a short process of their own.
# Callgrind counts instructions, mispredicted branches and cache misses on one batch of each stream. Prints tables, and
# the paths of the tables, the plots and the raw results.
#
#   --save NAME        keep the results under server_results/NAME/ (default: build/evolution/<time>/)
#   --force            replace server_results/NAME/ if there is one
#   --quick            a short run to try it out, a few minutes; not for quoting
#   --seeds N          how many seeds each stream is made from
#   --rounds N         how many batches each process times on each book
#   --books LIST       books to measure, separated by commas (default: all); 'core' and 'null' are always among them
#   --no-setup         install nothing
#   --no-build         install and build nothing: use the programs as they are
#   --no-instructions  time only, count nothing

set -euo pipefail
# shellcheck source=scripts/lib/campaign.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/campaign.sh"

bench_books=build/release/bench/bench_books
streams=(classic macro:100 macro:1000 macro:5000 macro:200000 wide)
deep_stream=macro:200000
slow_books=(reference phase1 phase2a) # cancel by scanning: on the deep stream a batch takes them seconds
slow_company=phase2b                  # compared with the last of them, and so beside them
warm_up=500000
batch=100000
instructions=yes

takes_books=yes
while [ $# -gt 0 ]; do
  case $1 in
    --no-instructions) instructions=no; shift ;;
    *) campaign_argument "$@"; shift "$taken" ;;
  esac
done
settle_arguments 5 12
refuse_other_books
if [ "$quick" = yes ]; then warm_up=20000 batch=20000; fi

# ---- Make ready.

install_needs
build_programs release bench_books
refuse_other_programs --workload=classic --warm_up=0 --books=core -- "$bench_books"
mapfile -t all_books < <("$bench_books" --list | sed 's/ .*//')
[ ${#all_books[@]} -gt 0 ] || fail "$bench_books --list names no books; build it again"
for book in ${books//,/ }; do
  [[ " ${all_books[*]} " == *" $book "* ]] ||
    usage_error "--books: no book is called '$book'; there are: ${all_books[*]}"
done

open_results
"$bench_books" --list | "$python" -c 'import json, sys
lines = [line.split(maxsplit=1) for line in sys.stdin]
print(json.dumps({"listed": {book: " ".join(what).strip() for book, *what in lines}}))' >"$work/books.json"
pin_and_note_machine
if [ "$instructions" = no ]; then
  note "no instruction counts: run with --no-instructions"
elif ! have valgrind; then
  instructions=no
  note "no instruction counts: there is no valgrind"
fi
if have nm; then
  "$python" scripts/analysis/code_size.py build/release/bench >"$work/code_size.json"
else
  note "no code sizes: there is no nm"
fi

# ---- The campaign.

# books_that TEST: the books to measure that pass the test, in the order of history, separated by commas.
books_that() {
  local book found=
  for book in "${all_books[@]}"; do
    if [[ -z $books || ",$books,core,null," == *,$book,* ]] && "$1" "$book"; then found+=,$book; fi
  done
  echo "${found#,}"
}
any() { true; }
is_slow() { [[ " ${slow_books[*]} " == *" $1 "* ]]; }
is_fast() { ! is_slow "$1"; }
meets_slow() { [[ " ${slow_books[*]} $slow_company core null " == *" $1 "* ]]; }

# The runs to make, one a line: STREAM SEED RUN ROUNDS BOOKS, where RUN is 1, 0 for that of the slow books, or
# 'instructions'.
plan_runs() {
  local seed stream together
  for ((seed = 1; seed <= seeds; ++seed)); do
    for stream in "${streams[@]}"; do
      together=$(books_that any)
      if [ "$stream" = "$deep_stream" ]; then
        if [ -n "$(books_that is_slow)" ]; then
          echo "$stream $seed 0 $((rounds < 3 ? rounds : 3)) $(books_that meets_slow)"
        fi
        together=$(books_that is_fast)
      fi
      echo "$stream $seed 1 $rounds $together"
      if [ "$seed$instructions" = 1yes ]; then echo "$stream $seed instructions 1 $together"; fi
    done
  done
}

# measure STREAM SEED RUN ROUNDS BOOKS
measure() {
  local seed=$2 run=$3 dumps=$work/.callgrind label
  describe_stream "$1"
  local command=("$bench_books" "${stream_arguments[@]}" "--seed=$seed" "--rounds=$4" "--batch=$batch"
    "--warm_up=$warm_up" "--books=$5" --base=core)
  if [ "$run" = instructions ]; then
    printf -v label '%-22s seed=%d counted' "$stream_label" "$seed"
    mkdir "$dumps"
    take_turn "$label" valgrind --tool=callgrind --instr-atstart=no --branch-sim=yes --cache-sim=yes \
      "--callgrind-out-file=$dumps/x.callgrind" "${command[@]}" --metric=instructions "--out=$dumps/rows.json"
    "$python" scripts/analysis/callgrind.py "$dumps" >"$work/$stream_file-instructions.json" ||
      fail "no instruction counts; --no-instructions does without"
    rm -r "$dumps"
  else
    printf -v label '%-22s seed=%d timed  ' "$stream_label" "$seed"
    take_turn "$label" "${command[@]}" "--out=$work/$stream_file-seed$seed-run$run-release.json"
  fi
}

run_all

keep_results
