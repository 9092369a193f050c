#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# paired.sh --a BUILD --b BUILD [--book NAME] [--stream STREAM]... [--seeds N] [--first-seed N] [--rounds N]
#           [--save NAME] [--force] [--quick] [--no-setup] [--no-build]
# paired.sh --resume FOLDER [--force]
# paired.sh --help
#
# Compares two builds of one book, process by process. On each stream and seed A runs between B and a second run of A: A
# A B on the first seed, B A A on the next, and so on (for A and B alone: A B B A). The second run of A is the control:
# its difference from the first is noise, and smaller differences between A and B are not detectable. Prints tables, and
# the paths of the tables, a plot and the raw results.
#
# --resume goes on with a campaign that was interrupted or killed: no finished pair is lost or measured again.
#
#   --a, --b BUILD  gcc or clang, each plain or with -lto (optimised at link time), -pgo (with a profile), -lto-pgo
#                   or -native (for this machine's processor); profiles are made on seeds 1000001 to 1000010
#   --book NAME     the book to time (default: core)
#   --stream STREAM classic, wide or macro:N with N orders resting; may be given again (default: classic,
#                   macro:5000, macro:200000 and wide)
#   --seeds N       how many pairs each stream has (default: 50)
#   --first-seed N  the seed of the first pair (default: 1)
#   --rounds N      how many batches each process times (default: 5)
#   --save NAME     keep the results under server_results/NAME/ (default: build/paired/<time>/)
#   --force         replace server_results/NAME/ if there is one
#   --quick         8 seeds of 3 rounds, for trying it out, not for quoting
#   --no-setup      install nothing
#   --no-build      install and build nothing: use the programs as they are
#   --resume FOLDER go on with the campaign in this folder, with the arguments that it was begun with

set -euo pipefail
# shellcheck source=scripts/lib/campaign.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/campaign.sh"

all_builds=({gcc,clang}{,-lto,-pgo,-lto-pgo,-native})
all_streams=(classic macro:5000 macro:200000 wide)
first_training_seed=1000001
training_seeds=10

build_a=
build_b=
book=core
streams=()
first_seed=1
fixed=() # arguments that a resumed campaign already has

# --flag VALUE and --flag=VALUE: both forms work.
read_own_arguments() {
  while [ $# -gt 0 ]; do
    case $1 in
      --resume* | --force) ;;
      *) fixed+=("$1") ;;
    esac
    case $1 in
      --a=* | --b=* | --book=* | --stream=* | --first-seed=* | --resume=*)
        set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
      --a | --b | --book | --stream | --first-seed | --resume)
        [ $# -ge 2 ] || usage_error "$1 needs a value" ;;
    esac
    case $1 in
      --a) build_a=$2; shift 2 ;;
      --b) build_b=$2; shift 2 ;;
      --book)
        [[ $2 =~ ^[a-z0-9_]+$ ]] || usage_error "--book: '$2' is not the name of a book"
        book=$2
        shift 2
        ;;
      --stream)
        [[ $2 =~ ^(classic|wide|macro:[1-9][0-9]{0,6})$ ]] ||
          usage_error "--stream: '$2' is not one of classic, wide and macro:N"
        [[ " ${streams[*]} " != *" $2 "* ]] || usage_error "--stream: '$2' was given twice"
        streams+=("$2")
        shift 2
        ;;
      --first-seed) first_seed=$2; shift 2 ;;
      --resume) resume=${2%/}; shift 2 ;;
      --books*) usage_error "unknown argument '$1'; it is --book, and one book" ;;
      *) campaign_argument "$@"; shift "$taken" ;;
    esac
  done
}

read_own_arguments "$@"
if [ -n "$resume" ]; then
  [ ${#fixed[@]} -eq 0 ] || usage_error "--resume goes on as the campaign was begun, without ${fixed[*]}"
  read -ra begun_as 2>/dev/null <"$resume/campaign.txt" || fail "$resume: no campaign there to resume"
  [ "${begun_as[0]}" = scripts/local/paired.sh ] || fail "$resume: ${begun_as[0]} made it, not paired.sh"
  [ -e "$resume/origin.txt" ] || fail "$resume: this campaign is finished"
  read_own_arguments "${begun_as[@]:1}"
  build=no
fi

for option in a b; do
  wanted=build_$option
  [[ -n ${!wanted} && " ${all_builds[*]} " == *" ${!wanted} "* ]] ||
    usage_error "--$option: '${!wanted}' is not a build; there are: ${all_builds[*]}"
done
[ "$build_a" != "$build_b" ] || usage_error "--b is the same as --a, and A meets itself in any case"
listed=$(grep "^LLMES_BOOK($book," bench/contenders/books.inc) || usage_error "--book: no book is called '$book'"
[[ $book != null && $listed != *split_book* ]] || usage_error "--book: '$book' is the same in all builds"
[ ${#streams[@]} -gt 0 ] || streams=("${all_streams[@]}")
if [ "$quick" = yes ]; then : "${seeds:=8}"; fi
settle_arguments 50 5
[ ! "$resume" -ef "$destination" ] || fail "$resume: this campaign is finished" # an interruption has left origin.txt
[[ $first_seed =~ ^[1-9][0-9]{0,8}$ ]] || usage_error "--first-seed: '$first_seed' is not a number from 1 to 999999999"
last_seed=$((first_seed + seeds - 1))
[ "$first_seed" -ge $((first_training_seed + training_seeds)) ] || [ "$last_seed" -lt "$first_training_seed" ] ||
  usage_error "seeds $first_seed to $last_seed: $first_training_seed and the $((training_seeds - 1)) after it are" \
    "kept for the profiles"

# ---- The two programs.

# need COMMAND PACKAGE
need() { have "$1" || fail "there is no $1; Debian's package $2 has it"; }

# build_with TREE COMPILER LTO FLAGS
build_with() {
  cmake --preset release -B "$1" -DLLMES_BUILD_TESTS=OFF -DLLMES_BUILD_EXAMPLES=OFF "-DCMAKE_CXX_COMPILER=$2" \
      "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=$3" "-DCMAKE_CXX_FLAGS=$4" "-DLLMES_PAIRED_BOOK=$book" \
      "-DCMAKE_PROJECT_llmes_INCLUDE=$PWD/scripts/local/paired.cmake" &&
    cmake --build "$1" --parallel "$(core_count)" --target bench_paired
}

# train TREE: makes a profile of the program in the tree on all streams.
train() {
  local tree=$1 stream seed
  for stream in "${all_streams[@]}"; do
    describe_stream "$stream"
    for ((seed = first_training_seed; seed < first_training_seed + training_seeds; ++seed)); do
      LLVM_PROFILE_FILE=$tree/%p.profraw "$tree/bench_paired" "${stream_arguments[@]}" "--seed=$seed" --rounds=2 \
        "--books=$book" >"$tree.log" 2>&1 </dev/null || {
        fail_with "$tree.log" "the training of $tree on $stream, seed $seed,"
      }
    done
  done
}

# The profile of each object is made and looked for beside it, so both builds happen in one tree.
make_program() {
  local tree=build/paired/$1 compiler=g++ lto=OFF flags=
  if [[ $1 == clang* ]]; then compiler=clang++-16; fi
  if [[ $1 == *-lto* ]]; then lto=ON; fi
  if [[ $1 == *-native ]]; then flags=-march=native; fi
  if [[ $1 == *-pgo ]]; then
    if [ -d "$tree" ]; then find "$tree" '(' -name '*.gcda' -o -name '*.prof*' ')' -delete; fi
    if [ "$compiler" = g++ ]; then
      build_tree "$1 to learn its profile" "$tree.log" build_with "$tree" "$compiler" "$lto" \
        "-fprofile-generate -fprofile-update=single"
      train "$tree"
      flags="-fprofile-use -Wno-missing-profile"
    else
      build_tree "$1 to learn its profile" "$tree.log" build_with "$tree" "$compiler" "$lto" -fprofile-instr-generate
      train "$tree"
      llvm-profdata-16 merge -o "$tree/profile.profdata" "$tree"/*.profraw || fail "no profile for $1"
      flags=-fprofile-instr-use=profile.profdata
    fi
  fi
  build_tree "$1" "$tree.log" build_with "$tree" "$compiler" "$lto" "$flags"
}

install_needs
program_a=build/paired/$build_a/bench_paired
program_b=build/paired/$build_b/bench_paired
if [ "$build" = yes ]; then
  if [[ "$build_a $build_b" == *clang* ]]; then need clang++-16 clang-16; fi
  if [[ "$build_a $build_b" =~ clang(-lto)?-pgo ]]; then need llvm-profdata-16 llvm-16; fi
  if [[ "$build_a $build_b" == *clang-lto* ]]; then need llvm-ar-16 llvm-16; fi
  mkdir -p build/paired
  for wanted in "$build_a" "$build_b"; do make_program "$wanted"; done
fi
for program in "$program_a" "$program_b"; do
  [ -x "$program" ] || fail "$program is not there; build it first"
done
refuse_other_programs --workload=classic --warm_up=0 "--books=$book" -- "$program_a" "$program_b"

# ---- The folder. It stays in place until everything is measured, whatever happens to this process.

# What must not change during a campaign. Kept in origin.txt, which a finished campaign does not have.
origin() {
  sha256sum "$program_a" "$program_b"
  machine
}

leave() {
  if [ -n "$child" ]; then kill "$child" 2>/dev/null || true; fi
  if [ -d "$work" ]; then
    put_back_replaced
    warn "what is finished is kept; to go on: scripts/local/paired.sh --resume $work"
  else
    clean_up
  fi
}

finished=()
work=${resume:-build/paired/$stamp.unfinished}
if [ -z "$resume" ]; then
  mkdir "$work" || fail "cannot make the folder $work"
  echo "$command_line" >"$work/campaign.txt"
  origin >"$work/origin.txt"
fi
exec {lock}<"$work/campaign.txt"
flock -n "$lock" || fail "$work: another process works on this campaign"
if [ -n "$resume" ]; then
  changes=$(diff "$work/origin.txt" <(origin)) ||
    fail "the programs or the machine are not those that this campaign was begun with:"$'\n'"$changes"
  listed=$("$python" scripts/analysis/paired.py --finished "$work") || exit
  mapfile -t finished <<<"$listed"
fi
child=
trap leave EXIT
trap 'warn "interrupted"; exit 130' INT
trap 'warn "ended"; exit 143' TERM HUP

pin_and_note_machine
notes=$(awk '!seen[$0]++' "$work/campaign.txt") # a resumed campaign notes the same again
echo "$notes" >"$work/campaign.txt"

# ---- The campaign.

# The runs to make, one a line: STREAM SEED RUN ROLE. A pair and its control stand together, with A in the middle.
plan_runs() {
  local seed stream roles run
  for ((seed = first_seed; seed <= last_seed; ++seed)); do
    roles=(control a b)
    if (((seed - first_seed) % 2)); then roles=(b a control); fi
    for stream in "${streams[@]}"; do
      describe_stream "$stream"
      if [[ " ${finished[*]} " == *" $stream_file-seed$seed "* ]]; then continue; fi
      for run in "${!roles[@]}"; do echo "$stream $seed $((run + 1)) ${roles[run]}"; done
    done
  done
}

# measure STREAM SEED RUN ROLE
measure() {
  local seed=$2 role=$4 program=$program_a label
  if [ "$role" = b ]; then program=$program_b; fi
  describe_stream "$1"
  printf -v label '%-22s seed=%d %-7s' "$stream_label" "$seed" "$role"
  take_turn "$label" "$program" "${stream_arguments[@]}" "--seed=$seed" "--rounds=$rounds" "--books=$book" \
    "--out=$work/$stream_file-seed$seed-run$3-$role.json"
}

run_all

keep_results
