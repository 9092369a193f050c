#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# trust.sh [--help] TASK [--short] [--save NAME] [HEADER...]
#
# Runs the long checks. Each shows its progress and ends with its result. TASK is one of:
#
#   exhaustive    every sequence of operations up to a length over a small world, against the oracle
#   fuzz          coverage-guided fuzzing of each target, from the committed corpus
#   differential  random streams on the core, the oracle and the historical books; then a hash of all events of the
#                 core, which must be the same with GCC and Clang, from -O0 to -O3, on x86-64 and AArch64
#   mutate        one mistake at a time in the core: the tests must notice 95 % of them
#   coverage      which lines and branches of the core the tests run
#   soak          hundreds of millions of operations, in constant memory
#   kills         kills an engine at random moments, again and again; it must lose nothing
#   venue-kills   the same with the venue program, whose clients come back and send again
#
#   HEADER...     for mutate: of these headers alone, such as book/order_pool.hpp
#   --short       a part that takes less than five minutes on two idle cores (the whole takes hours)
#   --save NAME   keep the output in server_results/NAME/TASK.txt, with the commit, the machine and the compilers,
#                 even if the task fails; refused if the tree has uncommitted changes
#
# Needs what `scripts/setup.sh trust` installs. Exits with 0 only if nothing is wrong.

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

task=
short=no
name=
headers=()
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --short) short=yes ;;
    --save=*) name=${1#*=}; check_save_name "$name" ;;
    --save)
      [ $# -ge 2 ] || usage_error "--save needs a value"
      name=$2
      check_save_name "$name"
      shift
      ;;
    exhaustive | fuzz | differential | mutate | coverage | soak | kills | venue-kills)
      [ -z "$task" ] || usage_error "takes one task, not '$task' and '$1'"
      task=$1
      ;;
    *.hpp) headers+=("$1") ;;
    *) usage_error "unknown argument '$1'" ;;
  esac
  shift
done
[ -n "$task" ] || usage_error "which task: exhaustive, fuzz, differential, mutate, coverage, soak, kills or venue-kills?"
[ "$task" = mutate ] || [ ${#headers[@]} -eq 0 ] || usage_error "only mutate takes headers, such as '${headers[0]}'"

# of SHORT LONG: prints the one that applies.
of() { if [ "$short" = yes ]; then echo "$1"; else echo "$2"; fi; }

need() {
  local tool
  for tool in "$@"; do
    have "$tool" || fail "there is no $tool, which the task $task needs; run: scripts/setup.sh trust"
  done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- The record.

# save_record: runs the task in a process of its own and keeps its output.
save_record() {
  local record=server_results/$name/$task.txt command=(scripts/local/trust.sh "$task") status=0 compiler
  if [ "$short" = yes ]; then command+=(--short); fi
  command+=(${headers[@]:+"${headers[@]}"})
  [ ! -e "$record" ] || fail "$record already exists; choose another name, or remove it"
  refuse_dirty_tree
  {
    record_head "${command[*]}"
    for compiler in g++ clang++-16 aarch64-linux-gnu-g++; do
      if have "$compiler"; then "$compiler" --version | head -n 1; fi
    done
    machine
    echo
  } >"$work/record"
  "${command[@]}" | tee "$work/said" || status=$?
  {
    cat "$work/said"
    echo
    echo "ended after $(minutes "$SECONDS") minutes with $status"
  } >>"$work/record"
  mkdir -p "${record%/*}"
  if ! { cp "$work/record" "$record.unfinished" && mv -T "$record.unfinished" "$record"; }; then
    rm -f "$record.unfinished"
    fail "$record is not kept"
  fi
  say "kept: $record"
  exit "$status"
}

if [ -n "$name" ]; then save_record; fi

# ---- The tasks.

# quietly WHAT COMMAND...: shows the command's output only if it fails.
quietly() {
  local what=$1
  shift
  say "$what"
  "$@" >"$work/output" 2>&1 || {
    cat "$work/output" >&2
    fail "failed: $what"
  }
}

# build PRESET TARGET... [-- CMAKE ARGUMENT...]: builds all if no target is named.
build() {
  local preset=$1 targets=()
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do targets+=("$1"); shift; done
  [ $# -eq 0 ] || shift
  need cmake ninja
  quietly "configuring build/$preset" cmake --preset "$preset" "$@"
  quietly "building ${targets[*]:-all} in build/$preset" \
    cmake --build --preset "$preset" --parallel "$(core_count)" ${targets[@]:+--target "${targets[@]}"}
}

exhaustive() {
  build release exhaustive exhaustive_rules exhaustive_venue
  build/release/tests/exhaustive "--length=$(of 5 6)"
  build/release/tests/exhaustive_rules "--length=$(of 4 5)"
  build/release/tests/exhaustive_venue "--length=$(of 4 6)"
}

soak() {
  build release soak
  build/release/tests/soak "--operations=$(of 10000000 100000000)"
}

kills() {
  build release kills
  build/release/tests/kills "--runs=$(of 200 2000)"
}

venue-kills() {
  need python3
  build release venue
  # What failed goes into the record, too.
  VENUE=$PWD/build/release/examples/venue/venue LLMES_KILLS=$(of 100 1000) \
    tests/venue_program/venue_test.py ManyKills 2>&1
}

# fuzz_target PROGRAM SECONDS: leaves its outcome in $work/TARGET.status and its output in $work/TARGET.log.
fuzz_target() {
  local program=$1 target=${1##*/} status=0
  mkdir -p "$work/$target"
  # Weighted by time: inputs that make a book of 262,144 prices are so slow that they would leave little for others.
  "$program" "-max_total_time=$2" -entropic_scale_per_exec_time=1 -print_final_stats=1 \
    "-artifact_prefix=build/fuzz/findings/$target-" "$work/$target" "tests/fuzz/corpus/$target" 2>&1 |
    tee "$work/$target.log" |
    { grep --line-buffered -E '^#[0-9]+.*(pulse|DONE)|SUMMARY|ERROR|wrong: ' || true; } |
    sed -u "s/^/$target: /" >&2 || status=1
  echo "$status" >"$work/$target.status"
}

fuzz() {
  need clang++-16
  build fuzz fuzzers
  local program target seconds found=0 executions=0 ran line
  local programs=()
  for program in build/fuzz/tests/fuzz/fuzz_*; do
    if [ -f "$program" ] && [ -x "$program" ]; then programs+=("$program"); fi
  done
  [ ${#programs[@]} -gt 0 ] || fail "the preset fuzz built no target"
  seconds=$(($(of 180 7200) / ${#programs[@]}))
  mkdir -p build/fuzz/findings
  for program in "${programs[@]}"; do
    while [ "$(jobs -pr | wc -l)" -ge "$(core_count)" ]; do wait -n || true; done
    say "${program##*/}: $(minutes "$seconds") minutes"
    fuzz_target "$program" "$seconds" &
  done
  wait
  for program in "${programs[@]}"; do
    target=${program##*/}
    ran=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$target.log")
    executions=$((executions + ${ran:-0}))
    found=$((found + $(cat "$work/$target.status")))
    say "$target: ${ran:-0} executions, $(grep -oE 'cov: [0-9]+ ft: [0-9]+' "$work/$target.log" | tail -n 1)"
  done
  line="fuzz: $executions executions of ${#programs[@]} targets, $found of them found something"
  if [ "$found" -gt 0 ]; then line+=" (inputs: build/fuzz/findings/)"; fi
  echo "$line"
  [ "$found" -eq 0 ]
}

differential() {
  need g++ clang++-16 aarch64-linux-gnu-g++ qemu-aarch64
  build release differential
  local line hash level compiler program hashes=0
  local sources=(tests/long/differential/differential.cpp tests/long/differential/no_rivals.cpp
    tests/support/conformance.cpp)
  local operations
  operations=$(of 100000 400000)
  # hash_from NAME COMMAND...: runs the command and compares its hash with the first one.
  hash_from() {
    local name=$1 said
    shift
    said=$("$@" "--operations=$operations" 2>"$work/errors") || {
      cat "$work/errors" >&2
      fail "$name: the core is wrong"
    }
    said=${said##* }
    hash=${hash:-$said}
    [ "$said" = "$hash" ] || fail "$name: the event hash is $said, elsewhere it is $hash"
    hashes=$((hashes + 1))
    say "$name: event hash $said of $operations operations"
  }
  for compiler in g++ clang++-16 aarch64-linux-gnu-g++; do
    for level in -O0 -O1 -O2 -O3; do
      program=$work/$compiler$level
      "$compiler" -std=c++20 -static "$level" -Iinclude -I. "${sources[@]}" -o "$program" ||
        fail "$compiler $level does not compile the core"
      case $compiler in
        aarch64*) hash_from "$compiler $level under qemu" qemu-aarch64 "$program" ;;
        *) hash_from "$compiler $level" "$program" ;;
      esac
      rm "$program"
    done
  done
  # The core has eight forms, each of which gets all operations: a billion calls.
  line=$(build/release/tests/differential "--operations=$(of 5000000 125000000)") || fail "the core is wrong"
  echo "$line; event hash $hash of $operations operations from each of $hashes builds"
}

mutate() {
  need clang++-16 python3
  local arguments=("--jobs=$(core_count)")
  if [ "$short" = yes ]; then arguments+=(--sample=40); fi
  scripts/analysis/mutate.py "${arguments[@]}" ${headers[@]:+"${headers[@]}"}
}

coverage() {
  need clang++-16 llvm-cov-16 llvm-profdata-16 python3
  build coverage
  local program profiles=() programs=()
  for program in build/coverage/tests/*_test; do
    say "running ${program##*/}"
    # Continuous mode (%c) keeps the counts of a test that dies on purpose.
    LLVM_PROFILE_FILE="$work/%p%c.profraw" "$program" --gtest_brief=1 >"$work/output" 2>&1 || {
      cat "$work/output" >&2
      fail "$program failed"
    }
    programs+=("$program")
  done
  profiles=("$work"/*.profraw)
  [ -e "${profiles[0]}" ] || fail "the tests in build/coverage/ left no counts"
  llvm-profdata-16 merge -sparse -o "$work/profile" "${profiles[@]}"
  scripts/analysis/coverage.py "$work/profile" "${programs[@]}"
}

"$task"
