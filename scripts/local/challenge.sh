#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# challenge.sh --harness DIR [--cpptrader DIR] [--count] [--save NAME] [--force] [--quick] [--rounds N] [--no-setup]
#              [--no-build]
# challenge.sh --help
#
# Plays the public challenge for matching engines (flash1-dev/matching-engine-benchmark): its five scenarios, with a
# banded book, the book for any price, a set with its publisher, what an engine runs (one message at a time and in
# spans), and a venue with accounts, beside CppTrader. First, in its harness, the cases of conformance, an audit of
# each engine, and then timed runs in turns, an engine a process. Then all engines in turns in one process, with one
# push for reports, and each call timed by itself. Takes some half an hour. Prints tables, and the paths of the tables
# and the raw results.
#
# A run counts only if its reports have the published hash. The folders are only read: all is built in a copy,
# build/challenge_harness/. CppTrader needs libfmt-dev on Debian.
#
#   --harness DIR    the challenge's repository
#   --cpptrader DIR  CppTrader's sources, with cppcommon/ beside it or in modules/CppCommon/ (default: cpptrader/ beside
#                    the harness; without that the challenge's own script clones them)
#   --count          count instructions too, by callgrind; the adapters counted are built without -march=native
#   --save NAME      keep the results under server_results/NAME/ (default: build/challenge/<time>/)
#   --force          replace server_results/NAME/ if there is one
#   --quick          every check, and one round, to try it out, in some ten minutes; not for quoting
#   --rounds N       how often the harness runs each engine in each scenario (default: 6)
#   --no-setup       install nothing
#   --no-build       install and build nothing: use the copy and the program as they are

set -euo pipefail
# shellcheck source=scripts/lib/campaign.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/campaign.sh"

bench_challenge=build/release/bench/bench_challenge
copy=$PWD/build/challenge_harness
scenarios=(static normal swing-25 swing-40 flash-crash)
ours=(banded any_price set_published matcher matcher_spans venue) # bench/contenders/challenge/NAME.cpp

harness=
cpptrader=
count=no
while [ $# -gt 0 ]; do
  case $1 in
    --harness | --cpptrader)
      [ $# -ge 2 ] || usage_error "$1 needs a value"
      set -- "$1=$2" "${@:3}"
      ;;
  esac
  case $1 in
    --harness=*) harness=${1#*=}; shift ;;
    --cpptrader=*) cpptrader=${1#*=}; shift ;;
    --count) count=yes; shift ;;
    --seeds*) usage_error "unknown argument '$1': there are published hashes of one seed" ;;
    *)
      campaign_argument "$@"
      shift "$taken"
      ;;
  esac
done
# What is kept names no folder of this machine.
for folder in "$harness" "$cpptrader"; do command_line=${command_line//"${folder:-no folder}"/DIR}; done
if [ "$quick" = yes ]; then : "${rounds:=1}"; fi
settle_arguments 1 6
[ -n "$harness" ] || usage_error "--harness: which folder is the challenge's repository?"
[ -f "$harness/api/matching_engine_api.h" ] || usage_error "--harness: '$harness' has no api/matching_engine_api.h"
if [ -z "$cpptrader" ] && [ -d "$harness/../cpptrader/source" ]; then cpptrader=$harness/../cpptrader; fi
[ -z "$cpptrader" ] || [ -d "$cpptrader/source/trader/matching" ] ||
  usage_error "--cpptrader: '$cpptrader' has no source/trader/matching"
if [ "$count" = yes ]; then have valgrind || fail "there is no valgrind; install it, or leave out --count"; fi

# ---- Make ready.

# build_engines FOLDER FLAG...: the adapters of all engines, NAME_adapter.so.
build_engines() {
  local engine folder=$1 script=$copy/adapters/cpptrader_adapter
  shift
  if [ ! -d "$script" ]; then script=$copy/additional_references/cpptrader_adapter; fi
  if [ -n "$cpptrader" ]; then
    ME_CPPTRADER_SRC=$(realpath "$cpptrader")
    ME_CPPCOMMON_SRC=$ME_CPPTRADER_SRC/modules/CppCommon
    if [ ! -d "$ME_CPPCOMMON_SRC" ]; then ME_CPPCOMMON_SRC=${ME_CPPTRADER_SRC%/*}/cppcommon; fi
    export ME_CPPTRADER_SRC ME_CPPCOMMON_SRC
  fi
  mkdir -p "$folder"
  # The challenge's own script, with the flags of ours. It leaves the adapter in the folder of the harness.
  sed "s/-march=native/$*/" "$script/build.sh" >"$script/build_here.sh"
  bash "$script/build_here.sh" || return
  if [ "$folder" != "$copy" ]; then mv "$copy/cpptrader_adapter.so" "$folder/"; fi
  for engine in "${ours[@]}"; do
    "${CXX:-g++}" -std=c++20 -O3 "$@" -Wall -fPIC -shared -I "$copy/api" -I include -I . \
      "bench/contenders/challenge/$engine.cpp" -o "$folder/${engine}_adapter.so" || return
  done
}

build_harness() {
  local baseline
  rm -rf "$copy"
  cp -r "$harness" "$copy" && chmod -R u+w "$copy" && rm -rf "$copy/build" || return
  cmake -S "$copy" -B "$copy/build" -D CMAKE_BUILD_TYPE=Release && cmake --build "$copy/build" --parallel "$(core_count)" &&
    if [ "$count" = yes ]; then build_engines "$copy/counted"; fi &&
    build_engines "$copy" -march=native || return
  # The harness compares with other engines. CppTrader says what those would say that are not built here.
  for baseline in liquibook quantcup cpp_orderbook llc993 hroptatyr_clob; do
    if [ -e "$copy/${baseline}_adapter.so" ]; then continue; fi
    cp "$copy/cpptrader_adapter.so" "$copy/${baseline}_adapter.so" && echo "$baseline" >>"$copy/stand_ins.txt" || return
  done
}

install_needs
if [ "$build" = yes ]; then
  mkdir -p build
  build_tree "the harness and the adapters" "build/$campaign-harness-build.log" build_harness
fi
configure_with=(-D "LLMES_CHALLENGE_API=$copy/api")
build_programs release bench_challenge
for engine in cpptrader "${ours[@]}"; do
  [ -e "$copy/${engine}_adapter.so" ] || fail "$copy/${engine}_adapter.so is not there; leave out --no-build"
done

# engines_in FOLDER: as bench_challenge wants them; CppTrader is the base.
engines_in() {
  local engine all="cpptrader=$1/cpptrader_adapter.so"
  for engine in "${ours[@]}"; do all+=,$engine=$1/${engine}_adapter.so; done
  echo "$all"
}

# workload SCENARIO: the file of its messages, which the harness looks for by this name.
workload() { echo "$copy/orders_${1}_s23_n1000000.bin"; }
for scenario in "${scenarios[@]}"; do
  [ -e "$(workload "$scenario")" ] || "$copy/generator" "$scenario" "$(workload "$scenario")" 1000000 23 >/dev/null 2>&1 ||
    fail "the challenge's generator cannot make $scenario"
done
refuse_other_programs --undefok=seed,batch "--engines=$(engines_in "$copy")" "--workload=$(workload normal)" \
  --messages=1000 --call_rounds=0 -- "$bench_challenge"
open_results
pin_and_note_machine
bound=("${pin[@]}")

# Its defaults are cores 2 and 3. Where there are fewer than two, it cannot bind its threads and calls the run INVALID.
cores=2,3
if last=$(last_allowed_core) && [ "$last" -gt 0 ]; then cores=$((last - 1)),$last; fi
note "the harness has cores $cores for the engine and for who reads its reports"
if [ "$(core_count)" -le 2 ]; then
  note "$(core_count) cores, both of them the harness's: whatever else runs stops one of the two"
fi
if [ -s "$copy/stand_ins.txt" ]; then
  note "the oracle of conformance and audit is CppTrader: it stands in for $(sort -u "$copy/stand_ins.txt" | paste -sd ' '), which the folder lacks"
fi
note "adapters built by $("${CXX:-g++}" --version | head -n1), -O3 -march=native"

# ---- The campaign.

# The runs to make, one a line: KIND ROUND SCENARIO ENGINE. The very first is of bench_challenge: it has the fingerprint.
plan_runs() {
  local round scenario engine all
  for scenario in "${scenarios[@]}"; do echo "all-process 1 $scenario all"; done
  for engine in "${ours[@]}"; do echo "conform 1 none $engine"; done
  for scenario in "${scenarios[@]}"; do
    for engine in "${ours[@]}"; do echo "audit 1 $scenario $engine"; done
  done
  for ((round = 1; round <= rounds; ++round)); do
    mapfile -t all < <(printf '%s\n' cpptrader "${ours[@]}")
    if ((round % 2 == 0)); then mapfile -t all < <(printf '%s\n' "${all[@]}" | tac); fi
    for scenario in "${scenarios[@]}"; do
      for engine in "${all[@]}"; do echo "perf $round $scenario $engine"; done
    done
  done
  if [ "$count" = yes ]; then
    for scenario in "${scenarios[@]}"; do echo "count 1 $scenario all"; done
  fi
}

# measure KIND ROUND SCENARIO ENGINE
measure() {
  local label out=$work/$1-$3-round$2-$4.json ask=("$python" scripts/local/challenge.py) turns=$((3 * rounds)) dumps=$work/.callgrind
  printf -v label '%-11s %-11s %-13s' "$1" "$3" "$4"
  pin=()
  case $1 in
    all-process)
      pin=("${bound[@]}")
      take_turn "$label" "$bench_challenge" "--engines=$(engines_in "$copy")" "--workload=$(workload "$3")" "--rounds=$turns" "--out=$out"
      ;;
    conform) take_turn "$label" "${ask[@]}" conform "--harness=$copy" "--engine=$4" "--out=$out" ;;
    perf | audit)
      take_turn "$label" "${ask[@]}" run "--harness=$copy" "--engine=$4" "--scenario=$3" "--mode=$1" "--cores=$cores" "--out=$out"
      ;;
    count)
      mkdir -p "$dumps"
      take_turn "$label" valgrind --tool=callgrind --instr-atstart=no "--callgrind-out-file=$dumps/x.callgrind" \
        "$bench_challenge" "--engines=$(engines_in "$copy/counted")" "--workload=$(workload "$3")" --metric=instructions \
        "--out=$dumps/rows.json"
      "${ask[@]}" count "$dumps" "--out=$out" || fail "callgrind left no counts"
      rm -rf "$dumps"
      ;;
  esac
}

run_all

keep_results
