#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# instructions.sh [--help] [--preset NAME] [--branch-sim] [FLAG OF bench_hft_macro ...]
#
# Counts the instructions of an operation exactly, on any machine: callgrind runs bench_hft_macro and counts in the
# timed windows only. The number is the same on every run of the same program.
#
#   --preset NAME  the build to count: build/NAME/ (default: release)
#   --branch-sim   also count the mispredicted conditional branches and indirect jumps of a simulated processor
#
# Other arguments go to bench_hft_macro, such as --book=core --workload=wide --seed=2.

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

preset=release
branch_sim=no
flags=()
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --preset) [ $# -ge 2 ] || usage_error "$1 needs a value"; preset=$2; shift ;;
    --preset=*) preset=${1#*=} ;;
    --branch-sim) branch_sim=yes ;;
    *) flags+=("$1") ;;
  esac
  shift
done
refuse_other_flags "${flags[@]}"

program=build/$preset/bench/bench_hft_macro
need_proc
have valgrind || fail "there is no valgrind; install it, and build $program again: it needs valgrind's headers too"
python=$(find_python) || fail "no python3 with matplotlib and scipy; scripts/setup.sh bench installs them"
[ -x "$program" ] || fail "$program is not there; build it: cmake --preset $preset && cmake --build --preset $preset"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The times are those of a program under callgrind, which mean nothing: they are not shown.
valgrind --tool=callgrind --instr-atstart=no --branch-sim="$branch_sim" --callgrind-out-file="$work/dump" \
  --log-file="$work/log" "$program" "${flags[@]}" --metric=instructions >"$work/times" || {
  [ ! -e "$work/log" ] || cat "$work/log" >&2
  fail "$program failed under valgrind"
}

# Callgrind numbers its dumps, one for each repetition: dump.1, dump.2, ...
mapfile -t dumps < <(find "$work" -name 'dump.*' | sort -V)
[ ${#dumps[@]} -gt 0 ] || fail "callgrind wrote no counts; did --benchmark_filter leave nothing to run?"
"$python" scripts/analysis/instructions.py "${dumps[@]}" ||
  fail "callgrind left a torn dump; is the disk of ${TMPDIR:-/tmp} full?"
