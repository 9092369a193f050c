# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Shared by the scripts: messages, arguments, and facts about this machine. Sourced, never run.

script_path=$(realpath "$0")
script_name=${script_path##*/}  # messages begin with it

say() { printf '%s: %s\n' "$script_name" "$*"; }
warn() { printf '%s: %s\n' "$script_name" "$*" >&2; }

fail() {
  warn "$*"
  exit 1
}

# A mistake in the arguments.
usage_error() {
  warn "$*"
  warn "try '$script_name --help'"
  exit 2
}

# check_save_name NAME: the value of `--save` must be able to name a folder in server_results/.
check_save_name() {
  [[ $1 =~ ^[A-Za-z0-9._-]+$ && $1 != . && $1 != .. ]] ||
    usage_error "--save: '$1' is not a name: letters, digits, '.', '_' and '-' only"
}

# record_head COMMAND: how a record that is kept as text begins.
record_head() {
  echo "command: $1"
  echo "commit: $(git rev-parse HEAD)"
  echo "begun: $(date -u '+%Y-%m-%d %H:%M:%S UTC')"
}

# refuse_dirty_tree: for `--save`. Kept results name the commit that they were made from, so that commit must contain
# every source. Results are not sources: several campaigns may be kept before one is committed.
refuse_dirty_tree() {
  local changes
  git rev-parse --quiet --verify HEAD >/dev/null 2>&1 ||
    fail "--save: no commit to name, as this is not a git repository; leave out --save"
  changes=$(git status --porcelain --untracked-files=no -- . ':!server_results')
  [ -z "$changes" ] ||
    fail "--save: no commit holds these changes, so the results could not be made again;" \
      "commit or stash them, or leave out --save:"$'\n'"$changes"
}

# Prints the comment at the head of the script, its manual.
usage() { sed -n -e '1,3d' -e '/^#/!q' -e 's/^# \{0,1\}//p' "$script_path"; }

# refuse_other_flags FLAG...: of those that go to bench_hft_macro, refuses what its source does not define. To be called
# before it is built or run, which takes long.
refuse_other_flags() {
  local source=bench/programs/bench_hft_macro.cpp known flag
  [ -r "$source" ] || return 0
  known=$(tr -d '\n' <"$source" | grep -oE 'ABSL_FLAG\( *[^,]*, [a-z_]+' | sed 's/.* //')
  for flag in "$@"; do
    flag=${flag%%=*}
    [[ $flag != -* || $flag == --benchmark_* || $'\n'$known$'\n' == *$'\n'"${flag#--}"$'\n'* ]] ||
      usage_error "unknown argument '$flag'; build/release/bench/bench_hft_macro --help lists its flags"
  done
}

have() { command -v "$1" >/dev/null 2>&1; }

# need_proc: a bare chroot may have no /proc, by which bash and programs know files that are open, and the machine.
need_proc() {
  [ -e /proc/self/fd ] || fail "there is no /proc here, as in a bare chroot; mount it: mount -t proc proc /proc"
}

core_count() { nproc 2>/dev/null || echo 1; }

# The machine.
machine() {
  uname -srm
  echo "cores: $(nproc --all)"
  sed '/^$/q' /proc/cpuinfo | grep -E '^(cpu family|model|model name|stepping)\b' || true
}

# The number of the last core that this process may run on.
last_allowed_core() {
  local list
  list=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status 2>/dev/null) || true
  [ -n "$list" ] || return 1
  echo "${list##*[,-]}"
}

# The first python3 that can draw and do statistics. Debian's packages belong to /usr/bin/python3, and PATH may have
# another one before it. Looks for the packages without loading them, which would take a second.
find_python() {
  local candidate
  for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import importlib.util as util, sys
sys.exit(not all(map(util.find_spec, ("matplotlib", "numpy", "scipy"))))' >/dev/null 2>&1; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}

# minutes SECONDS: as m:ss.
minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# fail_with LOG WHAT [COMMAND...]: prints why WHAT failed, as far as the log tells, and then the whole log.
fail_with() {
  local said reason
  said=$(tr '\r' '\n' <"$1")
  reason=$(grep -m1 -E 'No space left on device|[Ee]rror: ' <<<"$said") || reason=$(tail -n1 <<<"$said")
  reason=${reason#"$2: "}
  warn "$2 failed: ${reason:-it said nothing; is the disk full?}"
  printf '%s\n' "$said" >&2
  fail "$2 failed${3:+: ${*:3}}"
}

# show_progress WHAT: of the lines that ninja or apt-get prints, says every ten seconds how far it is.
show_progress() {
  local line status step=0 packages=0 begun=$SECONDS said=$SECONDS
  while :; do
    status=0
    IFS= read -r -t 10 line || status=$?
    if [ "$status" -gt 0 ] && [ "$status" -le 128 ]; then return; fi # the end, and no more waiting
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then step="${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"; fi
    if [[ $line =~ ^(Unpacking|Setting\ up)\  ]]; then step=$((++packages)); fi
    if [ $((SECONDS - said)) -ge 10 ]; then
      say "$1: $step steps, $(minutes $((SECONDS - begun))) elapsed"
      said=$SECONDS
    fi
  done
}

# with_progress WHAT LOG COMMAND...: runs the command, and says how far it is; what it prints goes to the log.
with_progress() { "${@:3}" 2>&1 | tee "$2" | show_progress "$1"; }

# build_tree WHAT LOG COMMAND...: builds by the command, with progress.
build_tree() {
  say "building $1"
  with_progress "building $1" "${@:2}" || fail_with "$2" "building $1"
}
