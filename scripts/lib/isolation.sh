# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Gives a command a core for itself, as far as the machine lets us, and puts everything back. Sourced after
# common.sh, never run:
#
#   isolation_begin STEP...   chooses a core, says why, and applies these steps; isolation_steps names them all
#   isolation_prefix          prints the words to put before the command
#   isolation_end             undoes what was applied; call it from a trap on EXIT as well
#
# Three variables may be set before isolation_begin: isolation_core to a core of your own choice, isolation_report
# to a file that gets one JSON object for each thing applied or skipped, isolation_dry_run to yes.
#
# Most steps are settings: files below /proc and /sys, and the value each is to hold. An old value goes to the
# journal before its file is written, so whatever happens to this process, the journal knows the way back. The
# journal lies in /run because that is root's alone, and ends with a reboot just as the settings do.
#
# LLMES_SYSROOT is for the tests: a folder that stands for / in all of this.

isolation_root=${LLMES_SYSROOT:-}
isolation_journal=/run/llmes-isolation
isolation_priority=20 # above ordinary work, below the kernel's own interrupt threads (50)
isolation_idle_below=10 # percent of its time that an idle core may have been busy

# In the order of applying, which undoing reverses. `sibling` comes last: an offline core has no other settings.
# shellcheck disable=SC2034 # for callers
isolation_steps=(pin memory priority governor boost irq workqueue watchdog sibling)

isolation_core=
isolation_report=
isolation_dry_run=no
isolation_cpus=()         # the core and its SMT siblings
isolation_prefix_words=()
isolation_owns_journal=no

# ---- What is said and recorded.

isolation_record() {
  [ -n "$isolation_report" ] || return 0
  local step=$1 state=$2 detail=${3//\\/\\\\}
  detail=${detail//\"/\\\"}
  printf '{"step": "%s", "state": "%s", "detail": "%s"}\n' "$step" "$state" "${detail//[[:cntrl:]]/ }" \
    >>"$isolation_report"
}

# isolation_note STEP STATE DETAIL, where STATE is chosen, applied, already, planned, skipped, restored or failed.
isolation_note() {
  isolation_record "$@"
  warn "$1: $2: $3"
}

# ---- Cores, as lists ("0-2,7") and as masks ("00000000,00000087").

isolation_read() {
  local content
  { content=$(<"$isolation_root$1"); } 2>/dev/null && printf '%s' "$content"
}

# isolation_expand LIST: its numbers, on one line; words that are none (isolcpus=domain,3) are passed over.
isolation_expand() {
  local range ranges numbers=()
  IFS=, read -ra ranges <<<"$1"
  for range in "${ranges[@]}"; do
    if [[ $range =~ ^([0-9]+)(-([0-9]+))?$ ]]; then
      mapfile -t -O ${#numbers[@]} numbers < <(seq "${BASH_REMATCH[1]}" "${BASH_REMATCH[3]:-${BASH_REMATCH[1]}}")
    fi
  done
  echo "${numbers[*]}"
}

# isolation_covers LIST: whether the core and its siblings are all in it.
isolation_covers() {
  local cpu numbers
  numbers=$(isolation_expand "$1")
  for cpu in "${isolation_cpus[@]}"; do [[ " $numbers " == *" $cpu "* ]] || return 1; done
}

isolation_siblings() {
  local siblings
  siblings=$(isolation_expand "$(isolation_read "/sys/devices/system/cpu/cpu$1/topology/thread_siblings_list")")
  echo "${siblings:-$1}"
}

# isolation_mask_without MASK: the mask less the core and its siblings, at the width it has. Empty if it is no mask.
isolation_mask_without() {
  local cpu index words
  [[ $1 =~ ^[0-9a-f]{1,8}(,[0-9a-f]{8})*$ ]] || return 0
  IFS=, read -ra words <<<"$1"
  for cpu in "${isolation_cpus[@]}"; do
    index=$((${#words[@]} - 1 - cpu / 32))
    [ "$index" -ge 0 ] || continue
    printf -v "words[index]" "%0${#words[index]}x" $((16#${words[index]} & ~(1 << cpu % 32)))
  done
  (IFS=,; echo "${words[*]}")
}

# The cores that are left for everybody else.
isolation_other_cores() {
  local cpu
  for cpu in $(isolation_expand "$(isolation_read /sys/devices/system/cpu/online)"); do
    [[ " ${isolation_cpus[*]} " == *" $cpu "* ]] || echo "$cpu"
  done
}

# ---- The choice of a core.

# How busy each core is over half a second: lines CPU PERCENT. Time stolen by a hypervisor counts as busy.
isolation_loads() {
  { cat "$isolation_root/proc/stat"; sleep 0.5; cat "$isolation_root/proc/stat"; } | awk '
    /^cpu[0-9]/ {
      busy = $2 + $3 + $4 + $7 + $8 + $9
      total = busy + $5 + $6
      if ($1 in totals) {
        passed = total - totals[$1]
        print substr($1, 4), (passed ? int(100 * (busy - busies[$1]) / passed) : 0)
      }
      busies[$1] = busy
      totals[$1] = total
    }'
}

isolation_may_use() { taskset -c "$1" true 2>/dev/null; }

# The cores to choose from. Those isolated at boot come first; no process is allowed on them until it asks, so
# asking is the only way to know.
isolation_candidates() {
  local cpu isolated=()
  for cpu in $(isolation_expand "$(isolation_read /sys/devices/system/cpu/isolated)"); do
    if isolation_may_use "$cpu"; then isolated+=("$cpu"); fi
  done
  if [ ${#isolated[@]} -gt 0 ]; then
    echo "${isolated[*]}"
  else
    isolation_expand "$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "$isolation_root/proc/self/status" 2>/dev/null)"
  fi
}

# Sets isolation_core, unless the caller has, and isolation_cpus: of the cores that are idle together with their
# siblings the last one, because much of the kernel's own work lives on the first.
isolation_choose_core() {
  local candidates cpu sibling busiest load details choices="" chosen=$isolation_core
  local -A loads=()
  read -ra candidates < <(isolation_candidates) || true
  if [ -n "$chosen" ]; then candidates=("$chosen"); fi
  [ ${#candidates[@]} -gt 0 ] || fail "cannot tell which cores this process may use: /proc/self/status does not say"
  while read -r cpu load; do loads[$cpu]=$load; done < <(isolation_loads)

  for cpu in "${candidates[@]}"; do
    busiest=0
    for sibling in $(isolation_siblings "$cpu"); do
      load=${loads[$sibling]:-0}
      if [ "$load" -ge "$isolation_idle_below" ] && [ "$load" -gt "$busiest" ]; then busiest=$load; fi
    done
    choices+="$busiest $cpu"$'\n'
  done
  read -r busiest isolation_core < <(sort -k1,1n -k2,2nr <<<"${choices%$'\n'}")
  read -ra isolation_cpus < <(isolation_siblings "$isolation_core")

  details="core $isolation_core"
  if [ -n "$chosen" ]; then
    details+=", as told"
  elif [ ${#candidates[@]} -eq 1 ]; then
    details+=", the only one to choose from"
  else
    details+=" of ${candidates[*]}"
  fi
  details+=": busy ${loads[$isolation_core]:-?} %"
  for cpu in "${isolation_cpus[@]}"; do
    if [ "$cpu" != "$isolation_core" ]; then details+=", its sibling $cpu: busy ${loads[$cpu]:-?} %"; fi
  done
  if [ "$busiest" -gt 0 ]; then details+="; not idle, so expect noise"; fi
  isolation_note core chosen "$details"
}

# ---- Settings: isolation_wants_STEP prints the lines PATH <tab> VALUE of a step.

isolation_want() { if [ -e "$isolation_root$1" ]; then printf '%s\t%s\n' "$1" "$2"; fi; }

# isolation_want_away PATH [FALLBACK]: the mask there, less our cores; FALLBACK where that leaves none.
isolation_want_away() {
  local mask
  mask=$(isolation_mask_without "$(isolation_read "$1")")
  if [[ ! $mask =~ [1-9a-f] ]]; then mask=${2:-}; fi
  if [ -n "$mask" ]; then isolation_want "$1" "$mask"; fi
}

isolation_wants_governor() {
  local cpu
  for cpu in "${isolation_cpus[@]}"; do
    isolation_want "/sys/devices/system/cpu/cpu$cpu/cpufreq/scaling_governor" performance
  done
}

isolation_wants_boost() {
  isolation_want /sys/devices/system/cpu/cpufreq/boost 0
  isolation_want /sys/devices/system/cpu/intel_pstate/no_turbo 1
}

isolation_wants_irq() {
  local irq elsewhere
  elsewhere=$(isolation_mask_without "$(isolation_read /proc/irq/default_smp_affinity)")
  isolation_want_away /proc/irq/default_smp_affinity
  for irq in "$isolation_root"/proc/irq/[0-9]*/smp_affinity; do
    isolation_want_away "${irq#"$isolation_root"}" "$elsewhere"
  done
}

isolation_wants_workqueue() { isolation_want_away /sys/devices/virtual/workqueue/cpumask; }

isolation_wants_watchdog() {
  isolation_want /proc/sys/kernel/nmi_watchdog 0
  isolation_want /proc/sys/kernel/watchdog 0
}

isolation_wants_sibling() {
  local cpu
  for cpu in "${isolation_cpus[@]}"; do
    if [ "$cpu" != "$isolation_core" ]; then isolation_want "/sys/devices/system/cpu/cpu$cpu/online" 0; fi
  done
}

# isolation_write PATH VALUE: whether the file holds the value now. The kernel may refuse it, or take and ignore it.
isolation_write() {
  [ -e "$isolation_root$1" ] && { printf '%s\n' "$2" >"$isolation_root$1"; } 2>/dev/null &&
    [ "$(isolation_read "$1")" = "$2" ]
}

# isolation_set PATH VALUE: prints what came of it, STATE <tab> DETAIL.
isolation_set() {
  local path=$1 value=$2 old
  if ! old=$(isolation_read "$path"); then
    printf 'skipped\t%s cannot be read\n' "$path"
  elif [ "$old" = "$value" ]; then
    printf 'already\t%s is %s\n' "$path" "$value"
  elif [ ! -w "$isolation_root$path" ]; then
    printf 'skipped\t%s cannot be written without root\n' "$path"
  elif [ "$isolation_dry_run" = yes ]; then
    printf 'planned\t%s: %s -> %s\n' "$path" "$old" "$value"
  elif [ "$isolation_owns_journal" = no ] ||
    ! { printf '%s\t%s\n' "$path" "$old" >>"$isolation_root$isolation_journal"; } 2>/dev/null; then
    printf 'skipped\t%s: its value cannot be kept in %s\n' "$path" "$isolation_journal"
  elif isolation_write "$path" "$value"; then
    printf 'applied\t%s: %s -> %s\n' "$path" "$old" "$value"
  else
    printf 'skipped\t%s: this system refuses to change it\n' "$path"
  fi
}

# isolation_apply_settings STEP: of what came of them, the terminal gets one line for each state; the report, and a
# dry run, all.
isolation_apply_settings() {
  local step=$1 path value state detail
  local -A count=() last=()
  while IFS=$'\t' read -r path value; do
    IFS=$'\t' read -r state detail < <(isolation_set "$path" "$value")
    isolation_record "$step" "$state" "$detail"
    if [ "$isolation_dry_run" = yes ]; then warn "$step: $state: $detail"; fi
    count[$state]=$((${count[$state]:-0} + 1))
    last[$state]=$detail
  done < <("isolation_wants_$step")
  if [ ${#count[@]} -eq 0 ]; then isolation_note "$step" skipped "this machine has no such setting"; fi
  if [ "$isolation_dry_run" = yes ]; then return; fi
  for state in applied already skipped; do
    [ "${count[$state]:-0}" -gt 0 ] || continue
    detail=${last[$state]}
    if [ "${count[$state]}" -gt 1 ]; then detail="${count[$state]} settings, the last of them $detail"; fi
    warn "$step: $state: $detail"
  done
}

# ---- The journal: a line "owner PID STARTED", then PATH <tab> OLD VALUE for each setting, in order.

# When a process began, which tells it from a later one of the same number. Fails if it has ended.
isolation_process_start() {
  local fields
  read -ra fields < <(sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null) && [ "${fields[0]}" != Z ] && echo "${fields[19]}"
}

# isolation_open_journal: fails if there is one already, or if it cannot be made, as without root.
isolation_open_journal() {
  local journal=$isolation_root$isolation_journal
  { echo "owner $$ $(isolation_process_start $$)" >"$journal.$$" && ln "$journal.$$" "$journal"; } 2>/dev/null &&
    isolation_owns_journal=yes
  rm -f "$journal.$$" 2>/dev/null || true
  [ "$isolation_owns_journal" = yes ]
}

# isolation_put_back: writes the old values of the journal, the last one first, and removes it when all are back.
isolation_put_back() {
  local line lines=() index path old restored=0 failed=0
  # A last line without its end was torn; its setting had not been touched yet.
  while IFS= read -r line; do lines+=("$line"); done <"$isolation_root$isolation_journal"
  for ((index = ${#lines[@]} - 1; index > 0; --index)); do
    path=${lines[index]%%$'\t'*}
    old=${lines[index]#*$'\t'}
    if [[ ${lines[index]} != /@(proc|sys)/*$'\t'* || $path == */../* ]]; then
      warn "$isolation_journal, line $((index + 1)): no setting: ${lines[index]}"
      failed=$((failed + 1))
    elif [ "$(isolation_read "$path")" = "$old" ]; then
      :
    elif isolation_write "$path" "$old"; then
      restored=$((restored + 1))
    else
      warn "cannot put back $path: it was $old"
      failed=$((failed + 1))
    fi
  done
  if [ "$failed" -gt 0 ]; then
    isolation_note undo failed "$failed settings are not back; they stay in $isolation_root$isolation_journal"
    return 1
  fi
  if [ "$restored" -gt 0 ]; then isolation_note undo restored "$restored settings are as they were"; fi
  rm -f "$isolation_root$isolation_journal"
}

# isolation_restore: puts back what a run that was killed has left behind. Says nothing if there is nothing.
isolation_restore() {
  local journal=$isolation_root$isolation_journal pid started
  [ -e "$journal" ] || return 0
  { read -r _ pid started <"$journal"; } 2>/dev/null || true
  if [ -n "${started:-}" ] && [ "$(isolation_process_start "$pid")" = "$started" ]; then
    fail "another isolated run is under way, process $pid; it undoes its steps when it ends"
  fi
  [ -w "$journal" ] || fail "a run that was killed has left settings changed; root can put them back: --restore"
  if [ "$isolation_dry_run" = yes ]; then
    warn "a run that was killed has left settings changed; the next run, or --restore, puts them back first"
    return
  fi
  warn "a run that was killed has left settings changed"
  isolation_put_back || fail "look at what $journal says, put it right, then remove it"
}

# ---- Steps that are words before the command, tried on a command that does nothing.

# isolation_take STEP DETAIL WORD...
isolation_take() {
  local state=applied
  if [ "$isolation_dry_run" = yes ]; then state=planned; fi
  isolation_note "$1" "$state" "$2"
  isolation_prefix_words+=("${@:3}")
}

isolation_apply_pin() {
  if ! have taskset; then
    isolation_note pin skipped "there is no taskset; Debian's package util-linux has it"
  elif ! isolation_may_use "$isolation_core"; then
    isolation_note pin skipped "this system does not let us use core $isolation_core"
  else
    isolation_take pin "to core $isolation_core" taskset -c "$isolation_core"
  fi
}

isolation_apply_memory() {
  local nodes node
  nodes=("$isolation_root"/sys/devices/system/node/node[0-9]*)
  node=$(echo "$isolation_root/sys/devices/system/cpu/cpu$isolation_core"/node[0-9]*)
  node=${node##*/node}
  if [ ${#nodes[@]} -lt 2 ]; then
    isolation_note memory already "there is but one memory node"
  elif ! have numactl; then
    isolation_note memory skipped "there is no numactl; Debian's package numactl has it"
  elif ! numactl "--membind=$node" true 2>/dev/null; then
    isolation_note memory skipped "this system does not let us bind memory to node $node"
  else
    isolation_take memory "from node $node, the one of core $isolation_core" numactl "--membind=$node"
  fi
}

isolation_apply_priority() {
  local guard
  guard=$(isolation_read /proc/sys/kernel/sched_rt_runtime_us) || guard=unknown
  if ! have chrt; then
    isolation_note priority skipped "there is no chrt; Debian's package util-linux has it"
  elif [[ $(chrt -p $$ 2>/dev/null) == *SCHED_@(FIFO|RR)* ]]; then
    isolation_note priority already "run under a real-time policy"
  elif [ "$guard" = -1 ] && [ -z "$(isolation_other_cores)" ]; then
    isolation_note priority skipped "sched_rt_runtime_us is -1, no core is left: it could stop the machine"
  elif ! chrt -f "$isolation_priority" true 2>/dev/null; then
    isolation_note priority skipped "this system does not let us; root can, or a limit on rtprio"
  else
    isolation_take priority "first in, first out, $isolation_priority; sched_rt_runtime_us is $guard" \
      chrt -f "$isolation_priority"
  fi
}

# ---- Isolation from boot on, which no running system can make up for.

isolation_boot_parameters() {
  local list
  list=$(IFS=,; echo "${isolation_cpus[*]}")
  echo "isolcpus=domain,managed_irq,$list nohz_full=$list rcu_nocbs=$list"
}

# isolation_boot_missing: prints what of it the running kernel lacks, a line each.
isolation_boot_missing() {
  local name value path
  for name in isolcpus nohz_full rcu_nocbs; do
    value=$(tr ' ' '\n' <"$isolation_root/proc/cmdline" | sed -n "s/^$name=//p" | tail -n 1)
    isolation_covers "$value" ||
      echo "/proc/cmdline has ${value:+$name=}${value:-no $name}, not core ${isolation_cpus[*]}"
  done
  for path in /sys/devices/system/cpu/isolated /sys/devices/system/cpu/nohz_full; do
    if ! value=$(isolation_read "$path"); then
      echo "$path cannot be read; the kernel may be built without it"
    elif ! isolation_covers "$value"; then
      echo "$path has ${value:-no core}, not core ${isolation_cpus[*]}"
    fi
  done
}

# ---- What callers use.

isolation_begin() {
  local step
  isolation_prefix_words=()
  if [ -n "$isolation_report" ]; then
    { : >"$isolation_report"; } 2>/dev/null || fail "cannot write the report to $isolation_report"
  fi
  isolation_restore
  isolation_choose_core
  if [ "$isolation_dry_run" = no ]; then isolation_open_journal || true; fi
  for step in "$@"; do
    case $step in
      pin | memory | priority) "isolation_apply_$step" ;;
      irq | workqueue)
        if [ -z "$(isolation_other_cores)" ]; then
          isolation_note "$step" skipped "there is no other core to move them to"
        else
          isolation_apply_settings "$step"
        fi
        ;;
      *) isolation_apply_settings "$step" ;;
    esac
  done
  if [ -z "$(isolation_boot_missing)" ]; then
    isolation_note boot already "isolated since boot"
  else
    isolation_note boot skipped "not isolated since boot: scripts/local/isolated.sh --boot $isolation_core says how"
  fi
}

isolation_prefix() { echo "${isolation_prefix_words[*]}"; }

# In a shell of its own, because nothing may interrupt it and the caller's traps are the caller's.
isolation_end() {
  [ "$isolation_owns_journal" = yes ] || return 0
  isolation_owns_journal=no
  (trap '' INT TERM HUP; isolation_put_back)
}
