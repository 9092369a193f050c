#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# perf_record.sh [--help] [--callgrind] [--no-build] [FLAG OF bench_hft_macro ...]
#
# Finds which functions and lines take the time of a book: perf samples bench_hft_macro only while its windows run. Most
# of a book is inlined into the loop, so each sample counts for every function inlined there, and for its line. Prints
# the functions and lines that take most time, and draws a flame graph.
#
#   --callgrind  count instructions with callgrind instead of taking samples: exact, the same everywhere, but without
#                the time that an instruction waits
#   --no-build   build nothing: use build/profile/ as it is
#
# Other arguments go to bench_hft_macro, such as --book=core --workload=wide --seed=2. The program is that of the
# release build with debug information.

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

method=perf
build=yes
flags=()
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --callgrind) method=callgrind ;;
    --no-build) build=no ;;
    *) flags+=("$1") ;;
  esac
  shift
done
refuse_other_flags "${flags[@]}"

offer="to count instructions instead: scripts/local/perf_record.sh --callgrind${flags[*]:+ ${flags[*]}}"
program=build/profile/bench/bench_hft_macro
case $method in
  perf) have perf || fail "there is no perf; install linux-perf; $offer" ;;
  callgrind) have valgrind || fail "there is no valgrind; install it, and build $program again" ;;
esac
have addr2line || fail "there is no addr2line; install binutils"
python=$(find_python) || fail "no python3 with matplotlib; scripts/setup.sh bench installs it"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ "$build" = yes ]; then
  # Not position-independent, so that addresses are those of the file. Debug information changes no instruction.
  build_profile() {
    cmake --preset release -B build/profile -D CMAKE_CXX_FLAGS=-g -D CMAKE_EXE_LINKER_FLAGS=-no-pie &&
      cmake --build build/profile --parallel "$(core_count)" --target bench_hft_macro
  }
  build_tree "$program" "$work/build" build_profile
fi
[ -x "$program" ] || fail "$program is not there; leave out --no-build"

# sample: writes lines of an address and its cost to $work/costs.
sample() {
  local event=cycles:u
  if [ ! -e /sys/bus/event_source/devices/cpu ]; then
    event=cpu-clock:u
    say "this host has no hardware counters: a timer takes the samples, and they land near the instruction meant"
  fi
  perf record --event="$event" --output="$work/try" -- true >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    fail "this host does not let perf take samples (/proc/sys/kernel/perf_event_paranoid is" \
      "$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo missing);" \
      "it must be 2 or less, unless you are root); $offer"
  }
  mkfifo "$work/control" "$work/ack"
  perf record --event="$event" --output="$work/data" --delay=-1 --control="fifo:$work/control,$work/ack" -- \
    "$program" --batches=50 --benchmark_repetitions=20 "${flags[@]}" --metric=sample \
    --perf_control="$work/control" --perf_ack="$work/ack" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    fail "$program failed under perf"
  }
  perf script --input="$work/data" --fields=ip 2>"$work/log" | awk '{ print "0x" $1, 1 }' >"$work/costs" || {
    cat "$work/log" >&2
    fail "perf cannot read its own samples"
  }
  unit=samples
}

count() {
  valgrind --tool=callgrind --instr-atstart=no --dump-instr=yes --compress-pos=no --compress-strings=no \
    --callgrind-out-file="$work/dump" --log-file="$work/log" \
    "$program" --batches=5 "${flags[@]}" --metric=instructions >"$work/times" 2>&1 || {
    cat "$work"/{times,log} >&2 || true
    fail "$program failed under valgrind"
  }
  # A line "calls=" and the cost after it belong to the called function, which has lines of its own.
  awk '/^calls=/ { getline; next } /^0x/ { print $1, $3 }' "$work"/dump* >"$work/costs"
  unit=instructions
}

case $method in
  perf) sample ;;
  callgrind) count ;;
esac
[ -s "$work/costs" ] || fail "no $unit were seen; did --benchmark_filter leave nothing to run?"

results=build/perf_record/$(date -u +%Y%m%dT%H%M%SZ)-$unit
mkdir -p "$results"
"$python" scripts/analysis/flame.py "$work/costs" "$program" "$unit" "$results"
say "this list: $results/top.txt"
say "flame graph: $results/flame.svg"
