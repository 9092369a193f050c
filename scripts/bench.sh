#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# bench.sh [--help] [--save NAME] [--force] [--quick] [--seeds N] [--rounds N] [--books LIST]
#          [--no-setup] [--no-build]
#
# Measures the core against other books, and its build with link-time optimisation against the one without, on
# four order streams. Every figure is a ratio of two things measured side by side: books take turns batch by
# batch within a process, builds take turns process by process (release lto lto release). Books that scan meet
# the deep stream in a short process of their own. Takes about five minutes once everything is built, prints a
# table and says where it, a plot and the raw results are.
#
#   --save NAME   keep the results under server_results/NAME/ (default: build/bench/<time>/)
#   --force       replace server_results/NAME/ if there is one
#   --quick       less of everything: under a minute, for trying it out, not for quoting
#   --seeds N     how many seeds each stream is made from
#   --rounds N    how many batches each process times on each book
#   --books LIST  books to measure, separated by commas; 'core' must be one of them (default:
#                 core,core_span,reference)
#   --no-setup    install nothing
#   --no-build    install and build nothing: use the programs as they are

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command_line="scripts/bench.sh${*:+ $*}"
streams=(classic macro:5000 macro:200000 wide)
deep_streams=(macro:200000)
builds=(release lto lto release) # A B B A: slow drift of the machine falls on both alike
slow_books=(reference)           # cancel by scanning: on a deep stream a batch takes them seconds
books=core,core_span,reference
seeds=
rounds=
name=
force=no
quick=no
setup=yes
build=yes

# Both --flag VALUE and --flag=VALUE will do.
while [ $# -gt 0 ]; do
  case $1 in
    --save=* | --seeds=* | --rounds=* | --books=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    --save | --seeds | --rounds | --books) [ $# -ge 2 ] || usage_error "$1 needs a value" ;;
  esac
  case $1 in
    --help) usage; exit 0 ;;
    --save) name=$2; shift; [[ $name =~ ^[A-Za-z0-9._-]+$ && $name != . && $name != .. ]] ||
        usage_error "--save: '$name' is no name: letters, digits, '.', '_' and '-' only" ;;
    --seeds) seeds=$2; shift ;;
    --rounds) rounds=$2; shift ;;
    --books) books=$2; shift ;;
    --force) force=yes ;;
    --quick) quick=yes ;;
    --no-setup) setup=no ;;
    --no-build) setup=no; build=no ;;
    *) usage_error "unknown argument '$1'" ;;
  esac
  shift
done

if [ "$quick" = yes ]; then
  : "${seeds:=1}" "${rounds:=3}"
else
  : "${seeds:=5}" "${rounds:=30}"
fi
for number in seeds rounds; do
  [[ ${!number} =~ ^[1-9][0-9]{0,3}$ ]] || usage_error "--$number: '${!number}' is no number from 1 to 9999"
done
[[ $books =~ ^[A-Za-z0-9_]+(,[A-Za-z0-9_]+)*$ ]] || usage_error "--books: '$books' is no list like core,reference"
[[ ,$books, == *,core,* ]] || usage_error "--books: 'core' must be one of them, the others are compared with it"

stamp=$(date -u +%Y%m%dT%H%M%SZ)
destination=${name:+server_results/$name}
: "${destination:=build/bench/$stamp}"
if [ -e "$destination" ] && [ "$force" = no ]; then
  fail "$destination is there already; choose another name, or replace it with --force"
fi

# ---- Make ready.

if [ "$setup" = yes ]; then scripts/setup.sh bench; fi
python=$(find_python) || fail "no python3 with matplotlib and scipy; scripts/setup.sh bench installs them"

for preset in release lto; do
  if [ "$build" = yes ]; then
    say "building the $preset programs"
    mkdir -p build
    { cmake --preset "$preset" &&
      cmake --build --preset "$preset" --parallel "$(core_count)" --target bench_books bench_hft_macro
    } >build/bench-build.log 2>&1 || {
      cat build/bench-build.log >&2
      fail "the $preset build failed"
    }
  fi
  [ -x "build/$preset/bench/bench_books" ] || fail "build/$preset/bench/bench_books is not there; build it first"
done

# Everything is made in a folder that nobody looks into, and moved to its place when it is whole.
mkdir -p build/bench
work=$(mktemp -d build/bench/.unfinished.XXXXXX)
chmod 755 "$work"
child=
clean_up() {
  if [ -n "$child" ]; then kill "$child" 2>/dev/null || true; fi
  if [ -e "$work.replaced" ] && [ ! -e "$destination" ]; then mv -T "$work.replaced" "$destination"; fi
  rm -rf "$work" "$work.replaced"
}
trap clean_up EXIT
trap 'warn "interrupted; nothing is kept"; exit 130' INT
trap 'warn "ended; nothing is kept"; exit 143' TERM HUP

# What this machine cannot give is said now, and kept beside the results.
echo "$command_line" >"$work/campaign.txt"
note() {
  say "note: $*"
  echo "$*" >>"$work/campaign.txt"
}

pin=()
core=$(last_allowed_core) || core=
if ! have taskset; then
  note "not pinned to a core: there is no taskset"
elif [ -z "$core" ] || ! taskset -c "$core" true 2>/dev/null; then
  note "not pinned to a core: this system does not allow it"
else
  pin=(taskset -c "$core")
  say "pinned to core $core"
fi
if have chrt && [[ $(chrt -p $$ 2>/dev/null) == *SCHED_@(FIFO|RR)* ]]; then note "run under a real-time policy"; fi
if [ "$(core_count)" -eq 1 ]; then note "one core only: all else that runs here takes its time from it"; fi
governor=$(cat "/sys/devices/system/cpu/cpu${core:-0}/cpufreq/scaling_governor" 2>/dev/null) || governor=unknown
if [ "$governor" != performance ]; then note "frequency governor not set to 'performance': it is $governor"; fi
if [ ! -e /sys/bus/event_source/devices/cpu ]; then note "no hardware counters: times alone"; fi

# ---- The campaign.

# The books of $books that are fast enough for every stream, separated by commas.
fast_books() {
  local book fast=
  for book in ${books//,/ }; do
    [[ " ${slow_books[*]} " == *" $book "* ]] || fast+=,$book
  done
  echo "${fast#,}"
}

# The runs to make, one a line: STREAM SEED RUN BUILD ROUNDS BOOKS. Run 0 stands outside the turns of builds.
plan_runs() {
  local seed stream run fast
  fast=$(fast_books)
  for ((seed = 1; seed <= seeds; ++seed)); do
    for stream in "${streams[@]}"; do
      local together=$books
      if [[ " ${deep_streams[*]} " == *" $stream "* ]]; then
        together=$fast
        if [ "$fast" != "$books" ]; then echo "$stream $seed 0 release $((rounds < 3 ? rounds : 3)) $books"; fi
      fi
      for run in "${!builds[@]}"; do echo "$stream $seed $((run + 1)) ${builds[run]} $rounds $together"; done
    done
  done
}

milliseconds() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

mapfile -t runs < <(plan_runs)
declare -A spent=() runs_done=() # by stream, rounds and books: what makes a run as long as it is
begun=$(milliseconds)

# estimate_left DONE: milliseconds still to go after so many runs, from what the runs so far have taken.
estimate_left() {
  local left=0 mean run stream rounds books kind
  mean=$((($(milliseconds) - begun) / $1))
  for run in "${runs[@]:$1}"; do
    read -r stream _ _ _ rounds books <<<"$run"
    kind="$stream $rounds $books"
    left=$((left + (${runs_done[$kind]:-0} > 0 ? ${spent[$kind]:-0} / ${runs_done[$kind]:-1} : mean)))
  done
  echo "$left"
}

# measure INDEX STREAM SEED RUN BUILD ROUNDS BOOKS
measure() {
  local index=$1 stream=$2 seed=$3 run=$4 build=$5 rounds=$6 books=$7
  local workload=${stream%%:*} standing=${stream#*:} left="" begin kind="$stream $rounds $books"
  local arguments=("--workload=$workload" "--seed=$seed" "--rounds=$rounds" "--books=$books" --base=core)
  local label=$workload file=$workload
  if [ "$workload" != "$stream" ]; then
    arguments+=("--standing=$standing")
    label+=" standing=$standing"
    file+=$standing
  fi
  if [ "$index" -gt 0 ]; then left=$(estimate_left "$index"); fi
  begin=$(milliseconds)
  printf '[%2d/%d] %-22s seed=%d %-7s  %s elapsed%s\n' $((index + 1)) ${#runs[@]} "$label" "$seed" "$build" \
    "$(minutes $(((begin - begun) / 1000)))" "${left:+, about $(minutes $((left / 1000))) left}"

  # In the background, so that an interruption is not kept waiting until the program has ended.
  "${pin[@]}" "build/$build/bench/bench_books" "${arguments[@]}" \
    "--out=$work/$file-seed$seed-run$run-$build.json" >"$work/.output" 2>&1 </dev/null &
  child=$!
  wait "$child" || {
    child=
    cat "$work/.output" >&2
    fail "bench_books failed: build/$build/bench/bench_books ${arguments[*]}"
  }
  child=
  rm "$work/.output"

  runs_done[$kind]=$((${runs_done[$kind]:-0} + 1))
  spent[$kind]=$((${spent[$kind]:-0} + $(milliseconds) - begin))
}

for index in "${!runs[@]}"; do
  # shellcheck disable=SC2086 # a run is a line of words
  measure "$index" ${runs[index]}
done

# ---- Table and plot.

echo
if ! "$python" scripts/analysis/summarize.py "$work" || ! "$python" scripts/analysis/plot_ratios.py "$work"; then
  mv -T "$work" "build/bench/$stamp-failed"
  fail "the results make no table or plot; they are in build/bench/$stamp-failed/"
fi
mkdir -p "${destination%/*}"
if [ -e "$destination" ]; then mv -T "$destination" "$work.replaced"; fi
mv -T "$work" "$destination"
echo
say "table: $destination/table.md"
say "plot: $destination/ratios.png"
say "raw results: $destination/*.json"
