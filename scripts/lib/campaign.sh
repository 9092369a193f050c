# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2034 # the campaigns use what is set here
#
# Shared by campaigns: arguments, builds, notes on what the machine lacks, runs in turn with an estimate of the time
# left, and results that are kept completely or not at all. Sourced; changes to the repository's root.

# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
command_line="${script_path#"$(pwd -P)/"}${*:+ $*}"
campaign=${script_name%.sh}
takes_books=no # those that do say so before they read their arguments
takes_before=no
books=
before=
seeds=
rounds=
name=
resume= # the folder of the campaign to go on with
force=no
quick=no
setup=yes
build=yes
configure_with=() # further arguments for CMake

# campaign_argument ARGUMENTS...: reads the first, and sets `taken` to the number of words that it took. --flag VALUE
# and --flag=VALUE: both forms work.
campaign_argument() {
  taken=1
  [[ $1 != --books?(=*) || $takes_books = yes ]] || usage_error "unknown argument '$1'"
  [[ $1 != --before?(=*) || $takes_before = yes ]] || usage_error "unknown argument '$1'"
  case $1 in
    --save=* | --seeds=* | --rounds=* | --books=* | --before=*) set -- "${1%%=*}" "${1#*=}" ;;
    --save | --seeds | --rounds | --books | --before)
      [ $# -ge 2 ] || usage_error "$1 needs a value"
      taken=2
      ;;
  esac
  case $1 in
    --help) usage; exit 0 ;;
    --save) name=$2; check_save_name "$name" ;;
    --seeds) seeds=$2 ;;
    --rounds) rounds=$2 ;;
    --books) books=$2; [[ $books =~ ^[A-Za-z0-9_]+(,[A-Za-z0-9_]+)*$ ]] ||
        usage_error "--books: '$books' is not a list like core,reference" ;;
    --before) before=$2; find_earlier ;;
    --force) force=yes ;;
    --quick) quick=yes ;;
    --no-setup) setup=no ;;
    --no-build) setup=no; build=no ;;
    *) usage_error "unknown argument '$1'" ;;
  esac
}

# find_earlier: sets `earlier`, the worktree in which the programs of commit `before` are built.
find_earlier() {
  local commit
  commit=$(git rev-parse --quiet --verify "$before^{commit}") || usage_error "--before: '$before' is no commit here"
  earlier=build/compare/${commit::12}
}

# read_arguments SEEDS ROUNDS ARGUMENTS...: reads them all and settles them, for a campaign that has no others.
read_arguments() {
  local usual=("$1" "$2")
  shift 2
  while [ $# -gt 0 ]; do
    campaign_argument "$@"
    shift "$taken"
  done
  settle_arguments "${usual[@]}"
}

# settle_arguments SEEDS ROUNDS: sets these unless others were asked for, and `destination`, the folder of the results.
settle_arguments() {
  local number
  need_proc
  if [ "$quick" = yes ]; then set -- 1 3; fi
  : "${seeds:=$1}" "${rounds:=$2}"
  for number in seeds rounds; do
    [[ ${!number} =~ ^[1-9][0-9]{0,3}$ ]] || usage_error "--$number: '${!number}' is not a number from 1 to 9999"
  done
  stamp=$(date -u +%Y%m%dT%H%M%SZ)
  while [ -z "$name" ] && [ -e "build/$campaign/$stamp" ]; do  # another one that began in this second
    sleep 0.1
    stamp=$(date -u +%Y%m%dT%H%M%SZ)
  done
  destination=${name:+server_results/$name}
  : "${destination:=build/$campaign/$stamp}"
  if [ -e "$destination" ] && [ "$force" = no ]; then
    fail "$destination already exists; choose another name, or replace it with --force"
  fi
  if [ -n "$name" ] && [ -z "$resume" ]; then refuse_dirty_tree; fi
}

# ---- Make ready.

# install_needs: installs what all campaigns need, and sets `python` to one that can draw.
install_needs() {
  if [ "$setup" = yes ]; then scripts/setup.sh bench; fi
  python=$(find_python) || fail "no python3 with matplotlib and scipy; scripts/setup.sh bench installs them"
}

# refuse_other_books: rejects names in --books that the sources do not list. Call it before anything is built.
refuse_other_books() {
  local source=bench/contenders/books.inc known book
  [ -r "$source" ] || return 0
  known=$(sed -n 's/^LLMES_BOOK(\([^,]*\),.*/\1/p' "$source")
  for book in ${books//,/ }; do
    [[ $'\n'$known$'\n' == *$'\n'$book$'\n'* ]] ||
      usage_error "--books: no book is called '$book'; there are: ${known//$'\n'/ }"
  done
}

# build_programs PRESET PROGRAM...: builds them unless --no-build, and checks that they exist.
build_programs() {
  local preset=$1 program
  if [ "$build" = yes ]; then
    mkdir -p build
    build_tree "the $preset programs" "build/$campaign-build.log" build_preset "$@"
  fi
  for program in "${@:2}"; do
    [ -x "build/$preset/bench/$program" ] || fail "build/$preset/bench/$program is not there; build it first"
  done
}

build_preset() {
  cmake --preset "$1" "${configure_with[@]}" && cmake --build --preset "$1" --parallel "$(core_count)" --target "${@:2}"
}

# in_both COMMAND...: runs it in the worktree of the earlier commit, and then in the tree.
in_both() {
  local root
  if [ "$build" = yes ] && [ ! -e "$earlier/.git" ]; then
    git worktree add --quiet --force --detach "$earlier" "$before" || fail "cannot check out $before to $earlier; see above"
  fi
  for root in "$earlier" .; do
    say "the programs in $root"
    (
      cd "$root" 2>/dev/null || fail "$root is not there; build it first"
      "$@"
    )
  done
}

# known_rows ROWS PROGRAM FLAG...: prints those of the rows, such as core,set, that the program lists.
known_rows() {
  local known
  known=$("${@:2}" --list | awk '{ print $1 }') || fail "$2 failed"
  tr , '\n' <<<"$1" | { grep -Fx "$known" || true; } | paste -sd ,
}

# refuse_other_programs FLAG... -- PROGRAM...: for `--save`. Makes a short run of each program with these flags: its
# fingerprint must say that it was built from the commit that is checked out, without changes.
refuse_other_programs() {
  local smallest=() program commit dirty head answer
  if [ -z "$name" ] || [ -n "$resume" ]; then return; fi
  while [ "$1" != -- ]; do smallest+=("$1"); shift; done
  shift
  head=$(git rev-parse HEAD)
  answer=$(mktemp)
  for program in "$@"; do
    "$program" "${smallest[@]}" --seed=1 --rounds=1 --batch=100 "--out=$answer" >"$answer.said" 2>&1 </dev/null || {
      cat "$answer.said" >&2
      rm -f "$answer" "$answer.said"
      fail "${program##*/} failed: $program ${smallest[*]}"
    }
    read -r commit dirty < <("$python" -c 'import json, sys
fingerprint = json.load(open(sys.argv[1]))["fingerprint"]
print(fingerprint["commit"], fingerprint["dirty"])' "$answer") || true
    if [ "$commit" != "$head" ] || [ "$dirty" != no ]; then
      rm -f "$answer" "$answer.said"
      if [ "$commit" = "$head" ]; then commit="changes that commit ${head::12} does not hold"; fi
      fail "--save: $program was built from ${commit:-an unknown commit}, not from commit ${head::12};" \
        "build it again, or leave out --save"
    fi
  done
  rm -f "$answer" "$answer.said"
}

# Puts back the results that were to be replaced, if the new ones have not taken their place.
put_back_replaced() {
  if [ -e "$work.replaced" ] && [ ! -e "$destination" ]; then mv -T "$work.replaced" "$destination"; fi
}

clean_up() {
  if [ -n "$child" ]; then kill "$child" 2>/dev/null || true; fi
  put_back_replaced
  rm -rf "$work" "$work.replaced"
}

# open_results: makes a temporary folder, `work`, for all results; they are moved to their place when they are complete.
open_results() {
  mkdir -p "build/$campaign"
  work=$(mktemp -d "build/$campaign/.unfinished.XXXXXX")
  chmod 755 "$work"
  child=
  trap clean_up EXIT
  trap 'warn "interrupted; nothing is kept"; exit 130' INT
  trap 'warn "ended; nothing is kept"; exit 143' TERM HUP
  echo "$command_line" >"$work/campaign.txt"
}

# note TEXT...: says what the campaign has to do without, and keeps it beside the results.
note() {
  say "note: $*"
  echo "$*" >>"$work/campaign.txt"
}

# pin_and_note_machine: sets `pin` to the words that bind a command to a core.
pin_and_note_machine() {
  local core
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
  note_machine "$core"
}

# note_machine CORE: notes what may disturb a measurement on this core.
note_machine() {
  local governor runtime busy
  busy=$("$python" scripts/analysis/busy.py) || busy=
  if [ -n "$busy" ]; then
    echo "$busy" >>"$work/campaign.txt"
    warn "$busy"
  fi
  if have chrt && [[ $(chrt -p $$ 2>/dev/null) == *SCHED_@(FIFO|RR)* ]]; then
    note "run under a real-time policy"
    runtime=$(cat /proc/sys/kernel/sched_rt_runtime_us 2>/dev/null) || runtime=-1
    if [ "$runtime" != -1 ]; then
      note "the kernel stops whoever runs under it for more than $((runtime / 1000)) ms of a second: worst times may be that" \
        "stop, and rates of threads that do not rest have it in them"
    fi
  fi
  # Of the machine, not of this process, which may be bound to one core.
  if [ "$(nproc --all 2>/dev/null)" = 1 ]; then note "one core only: everything else takes time from it"; fi
  governor=$(cat "/sys/devices/system/cpu/cpu${1:-0}/cpufreq/scaling_governor" 2>/dev/null) || governor=unknown
  if [ "$governor" != performance ]; then note "frequency governor not set to 'performance': it is $governor"; fi
  if [ ! -e /sys/bus/event_source/devices/cpu ]; then note "no hardware counters: times alone"; fi
}

# ---- Runs. `planned` has the kind of each, on which its length depends.

planned=()
turn=0
declare -A spent=() runs_done=() # milliseconds and number, by kind

# describe_stream STREAM: the words for a stream like classic or macro:5000, as arguments of bench_books, as a label
# and in the name of a file.
describe_stream() {
  local workload=${1%%:*} standing=${1#*:}
  stream_arguments=("--workload=$workload")
  stream_label=$workload
  stream_file=$workload
  if [ "$workload" != "$1" ]; then
    stream_arguments+=("--standing=$standing")
    stream_label+=" standing=$standing"
    stream_file+=$standing
  fi
}

milliseconds() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

# estimate_left: milliseconds left, estimated from the runs so far.
estimate_left() {
  local left=0 mean kind
  mean=$((($(milliseconds) - begun) / turn))
  for kind in "${planned[@]:turn}"; do
    left=$((left + (${runs_done[$kind]:-0} > 0 ? ${spent[$kind]:-0} / ${runs_done[$kind]:-1} : mean)))
  done
  echo "$left"
}

# take_turn LABEL COMMAND...: the next of the planned runs.
take_turn() {
  local label=$1 kind=${planned[turn]} left="" begin
  shift
  begin=$(milliseconds)
  : "${begun:=$begin}"
  if [ "$turn" -gt 0 ]; then left=$(estimate_left); fi
  printf '[%2d/%d] %s  %s elapsed%s\n' $((turn + 1)) ${#planned[@]} "$label" \
    "$(minutes $(((begin - begun) / 1000)))" "${left:+, about $(minutes $((left / 1000))) left}"

  # In the background, so that an interruption does not wait for the program to end.
  "${pin[@]}" "$@" >"$work/.output" 2>&1 </dev/null &
  child=$!
  wait "$child" || {
    child=
    fail_with "$work/.output" "${1##*/}" "$@"
  }
  child=
  rm "$work/.output"

  turn=$((turn + 1))
  runs_done[$kind]=$((${runs_done[$kind]:-0} + 1))
  spent[$kind]=$((${spent[$kind]:-0} + $(milliseconds) - begin))
}

# run_all: calls `measure` with the words of each line that `plan_runs` prints: KIND SEED MORE... Runs that differ only
# in the seed should take the same time.
run_all() {
  local runs run kind more
  mapfile -t runs < <(plan_runs)
  for run in "${runs[@]}"; do
    read -r kind _ more <<<"$run"
    planned+=("$kind $more")
  done
  # shellcheck disable=SC2086 # a run is a line of words
  for run in "${runs[@]}"; do measure $run; done
}

# ---- Tables and plots.

# keep_results: folds the runs into one file, makes tables and plots of them, and moves all of it to its place.
keep_results() {
  echo
  "$python" scripts/lab table --fold "$work" || {
    mv -T "$work" "build/$campaign/$stamp-failed"
    fail "the results make no table or plot; they are in build/$campaign/$stamp-failed/"
  }
  mkdir -p "${destination%/*}"
  if [ -e "$destination" ]; then mv -T "$destination" "$work.replaced"; fi
  mv -T "$work" "$destination"
  # Not before: until now a campaign of paired.sh, which has the first file, could be resumed.
  rm -f "$destination/origin.txt" "$destination"/*.json
  echo
  say "table: $destination/table.md"
  if compgen -G "$destination/*.png" >/dev/null; then say "plots: $destination/*.png"; fi
  say "raw results: $destination/runs.jsonl"
}
