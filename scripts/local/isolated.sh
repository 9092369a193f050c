#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# isolated.sh -- COMMAND...
# isolated.sh --restore
# isolated.sh --help
#
# Runs a command on a core that is as quiet as this machine allows, in four steps:
#
#   pin         run it on one core, the last that this process may use
#   priority    run it under a real-time policy: first in, first out, priority 20
#   governor    set the frequency governor of that core to 'performance' (needs root)
#   interrupts  move interrupts to the other cores (needs root)
#
# Says what each step did, and skips what the machine does not allow. Undoes everything when the command has ended,
# failed or been interrupted. The old settings are kept in /run/llmes-isolation until then: after a kill -9, --restore
# puts them back, and so does the next run. The command's standard input is empty, and its exit status is ours. A
# campaign that runs as the command copies what was said to its campaign.txt.

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"

root=${LLMES_SYSROOT:-} # the tests have a folder that stands for /
# In /run, because that belongs to root and ends with a reboot, as the settings do.
journal=$root/run/llmes-isolation
has_journal=no
notes=
prefix=()

note() {
  warn "$*"
  notes+="isolated: $*"$'\n'
}

# ---- Settings: files below /proc and /sys. The journal has a line PATH <tab> OLD VALUE for each one changed.

value_of() {
  local value
  { value=$(<"$root$1"); } 2>/dev/null && printf '%s' "$value"
}

write_setting() { { [ -e "$root$1" ] && printf '%s\n' "$2" >"$root$1"; } 2>/dev/null; }

# change PATH VALUE: fails if the setting cannot be changed, or could not be put back.
change() {
  local old
  old=$(value_of "$1") && [ -w "$root$1" ] && [ "$has_journal" = yes ] || return 1
  { printf '%s\t%s\n' "$1" "$old" >>"$journal"; } 2>/dev/null || return 1
  # The kernel may accept a value and ignore it.
  write_setting "$1" "$2" && [ "$(value_of "$1")" != "$old" ]
}

put_back() {
  local line lines=() path old failed=0
  # The newest first. A last line without its end was torn; its setting was not yet changed.
  while IFS= read -r line; do lines=("$line" "${lines[@]}"); done <"$journal"
  for line in "${lines[@]}"; do
    path=${line%%$'\t'*}
    old=${line#*$'\t'}
    if [[ $line != /@(proc|sys)/*$'\t'* || $path == */../* ]]; then
      warn "$journal: not a setting: $line"
      failed=$((failed + 1))
    elif [ "$(value_of "$path")" != "$old" ] &&
      ! { write_setting "$path" "$old" && [ "$(value_of "$path")" = "$old" ]; }; then
      warn "cannot put back $path: it was $old"
      failed=$((failed + 1))
    fi
  done
  [ "$failed" -eq 0 ] || fail "$failed settings are not put back; they stay in $journal: correct them, then remove it"
  if [ ${#lines[@]} -gt 0 ]; then warn "all settings are as they were"; fi
  : >"$journal"
}

# open_journal: locks it, and puts back what a killed run has left in it. Without root there is no journal.
open_journal() {
  if ! { : >>"$journal"; } 2>/dev/null; then
    [ ! -s "$journal" ] || fail "a killed run has left settings changed; root can put them back: isolated.sh --restore"
    return 0
  fi
  exec 9>>"$journal"
  flock --nonblock 9 || fail "another isolated run is under way; it undoes its changes when it ends"
  has_journal=yes
  if [ -s "$journal" ]; then
    warn "a killed run has left settings changed"
    put_back
  fi
}

# ---- Steps.

# numbers LIST: those of a list like 0-2,7, one a line.
numbers() {
  local range
  for range in ${1//,/ }; do seq "${range%-*}" "${range#*-}"; done
}

# without_core LIST: the numbers of the list but that of our core, separated by commas.
without_core() { numbers "$1" | grep -vx "$core" | paste -s -d , || true; }

pin() {
  if taskset -c "$core" true 2>/dev/null; then
    prefix+=(taskset -c "$core")
    note "pin: to core $core"
  else
    note "pin: skipped: this system does not allow it"
  fi
}

priority() {
  if [ -z "$others" ]; then
    note "priority: skipped: there is no other core, and the machine would stop"
  elif chrt --fifo 20 true 2>/dev/null; then
    prefix+=(chrt --fifo 20)
    note "priority: first in, first out, 20"
  else
    note "priority: skipped: this system does not allow it"
  fi
}

governor() {
  local path=/sys/devices/system/cpu/cpu$core/cpufreq/scaling_governor old
  if ! old=$(value_of "$path"); then
    note "governor: skipped: this machine has none"
  elif [ "$old" = performance ]; then
    note "governor: is performance already"
  elif change "$path" performance; then
    note "governor: $old -> performance"
  else
    note "governor: skipped: stays $old, this system does not allow a change"
  fi
}

interrupts() {
  local file path list elsewhere moved=0 refused=0
  if [ -z "$others" ]; then
    note "interrupts: skipped: there is no other core"
    return
  fi
  for file in "$root"/proc/irq/[0-9]*/smp_affinity_list; do
    path=${file#"$root"}
    list=$(value_of "$path") || continue
    if ! numbers "$list" | grep -qx "$core"; then continue; fi
    elsewhere=$(without_core "$list")
    if change "$path" "${elsewhere:-$others}"; then moved=$((moved + 1)); else refused=$((refused + 1)); fi
  done
  note "interrupts: $moved moved to other cores, $refused cannot be moved"
}

# ---- The run.

mode=${1:-}
shift $(($# > 0))
case $mode in
  --help) usage; exit 0 ;;
  --restore | --) ;;
  *) usage_error "unknown argument '$mode'; the command goes after --" ;;
esac
if [ "$mode" = --restore ]; then
  [ $# -eq 0 ] || usage_error "--restore takes no command"
  if [ ! -s "$journal" ]; then say "nothing to restore"; fi
  open_journal
  exit
fi
[ $# -gt 0 ] || usage_error "no command; it goes after --"
have "$1" || fail "there is no command '$1'"
core=$(last_allowed_core) || fail "/proc/self/status does not say which cores this process may use"
others=$(without_core "$(value_of /sys/devices/system/cpu/online)")

clean_up() {
  local child
  trap '' INT TERM HUP
  child=$(jobs -p)
  if [ -n "$child" ]; then kill -- "-$child" 2>/dev/null || true; fi
  if [ "$has_journal" = yes ]; then put_back; fi
  if [ -n "$child" ]; then wait "$child" || true; fi # it may have something to tidy up
}
open_journal
trap clean_up EXIT
trap 'warn "interrupted"; exit 130' INT
trap 'warn "ended"; exit 143' TERM
trap 'exit 129' HUP

pin
priority
governor
interrupts
export LLMES_ISOLATION=${notes%$'\n'}

# In the background, so that a signal is handled at once, and in a process group of its own, so that one signal reaches
# all of it. It does not inherit the lock.
set -m
"${prefix[@]}" "$@" </dev/null 9>&- &
set +m
wait $!
