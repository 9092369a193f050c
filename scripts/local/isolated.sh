#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# isolated.sh [--dry-run] [--apply LIST] [--core N] [--report FILE] -- COMMAND...
# isolated.sh --restore
# isolated.sh --boot N [--apply boot]
# isolated.sh --boot-check N
# isolated.sh --help
#
# Runs a command on a core that is as quiet as this machine lets us make it, and puts everything back when the
# command has ended, failed, or been interrupted. What it cannot do it skips, and says so. The command's standard
# input is empty, and its exit status is ours.
#
#   --apply LIST    the steps to apply, separated by commas; 'all' for all but sibling (default: pin)
#   --dry-run       list what these steps, or all if there is no --apply, would change; change and run nothing
#   --core N        this core; by default one is chosen that is idle and whose SMT siblings are idle
#   --report FILE   one JSON object a line for each thing applied, already so or skipped
#   --restore       put back what a run that was killed (kill -9) has left behind; the next run does so as well
#   --boot N        print what to add to the kernel's command line to isolate core N, with its siblings, from boot on
#   --boot-check N  say whether the running kernel was started that way; exit with 1 if not
#
# The steps:
#   pin        the command runs on the core alone                                            (taskset)
#   memory     its memory comes from the node of the core                                    (numactl)
#   priority   real-time, first in, first out, 20                                            (chrt)
#   governor   frequency governor 'performance' on the core and its siblings
#   boost      no frequency boost, on the whole machine
#   irq        interrupts go to other cores
#   workqueue  the kernel's unbound work goes to other cores
#   watchdog   no lockup watchdogs
#   sibling    the core's SMT siblings go offline
#   boot       with --boot only: write /etc/default/grub.d/llmes.cfg and run update-grub; to undo it, remove the
#              file, run update-grub and start again
#
# From governor to sibling they need root. The way back is kept in /run/llmes-isolation until everything is undone.

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"
# shellcheck source=scripts/lib/isolation.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/isolation.sh"

mode=run
apply=

# Both --flag VALUE and --flag=VALUE will do.
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  case $1 in
    --apply=* | --core=* | --report=* | --boot=* | --boot-check=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    --apply | --core | --report | --boot | --boot-check) [ $# -ge 2 ] || usage_error "$1 needs a value" ;;
  esac
  case $1 in
    --help) usage; exit 0 ;;
    --dry-run) isolation_dry_run=yes ;;
    --apply) apply=$2; shift ;;
    --core) isolation_core=$2; shift ;;
    --report) isolation_report=$2; shift ;;
    --restore) mode=restore ;;
    --boot | --boot-check) mode=${1#--}; isolation_core=$2; shift ;;
    *) usage_error "unknown argument '$1'; the command goes after --" ;;
  esac
  shift
done
if [ $# -gt 0 ]; then shift; fi
command=("$@")

# ---- What needs no command.

if [ "$mode" != run ] && [ ${#command[@]} -gt 0 ]; then usage_error "--$mode takes no command"; fi

if [ -n "$isolation_core" ]; then
  known=$(isolation_expand "$(isolation_read /sys/devices/system/cpu/online)")
  [[ $isolation_core =~ ^[0-9]+$ && " $known " == *" $isolation_core "* ]] ||
    usage_error "there is no core '$isolation_core'; there are: $known"
fi

boot_file=/etc/default/grub.d/llmes.cfg

write_boot_file() {
  local file=$isolation_root$boot_file
  [ -d "${file%/*}" ] || fail "no ${boot_file%/*}: give the parameters to the boot loader that this system has"
  [ -w "${file%/*}" ] || fail "cannot write $boot_file without root"
  have update-grub || fail "no update-grub: give the parameters to the boot loader that this system has"
  printf '# Written by llmes, scripts/local/isolated.sh\nGRUB_CMDLINE_LINUX_DEFAULT="%s %s"\n' \
    "\$GRUB_CMDLINE_LINUX_DEFAULT" "$1" >"$file"
  update-grub || { rm -f "$file"; fail "update-grub failed; $boot_file is removed again"; }
  say "written to $boot_file; start this machine again, then: scripts/local/isolated.sh --boot-check $isolation_core"
}

case $mode in
  restore)
    if [ ! -e "$isolation_root$isolation_journal" ]; then say "nothing to restore"; fi
    isolation_restore
    exit
    ;;
  boot | boot-check)
    read -ra isolation_cpus < <(isolation_siblings "$isolation_core")
    ;;&
  boot)
    [[ -z $apply || $apply == boot ]] || usage_error "--boot: --apply takes 'boot' alone"
    [[ " ${isolation_cpus[*]} " != *" 0 "* && -n "$(isolation_other_cores)" ]] ||
      fail "core 0 and its siblings keep the kernel's own work; choose another core"
    isolation_boot_parameters
    if [ "$apply" = boot ] && [ "$isolation_dry_run" = no ]; then write_boot_file "$(isolation_boot_parameters)"; fi
    exit
    ;;
  boot-check)
    missing=$(isolation_boot_missing)
    [ -z "$missing" ] || fail "core $isolation_core is not isolated since boot:"$'\n'"$missing"
    say "core $isolation_core is isolated since boot"
    exit
    ;;
esac

# ---- The run.

case $apply in
  "") if [ "$isolation_dry_run" = yes ]; then steps=("${isolation_steps[@]}"); else steps=(pin); fi ;;
  all) steps=("${isolation_steps[@]::${#isolation_steps[@]}-1}") ;;
  *)
    steps=()
    for step in ${apply//,/ }; do
      [[ " ${isolation_steps[*]} " == *" $step "* ]] ||
        usage_error "--apply: there is no step '$step'; there are: ${isolation_steps[*]}"
    done
    # In their own order, whatever order they were asked for in.
    for step in "${isolation_steps[@]}"; do
      if [[ ,$apply, == *,$step,* ]]; then steps+=("$step"); fi
    done
    ;;
esac

if [ "$isolation_dry_run" = yes ]; then
  isolation_begin "${steps[@]}" 2>&1
  exit
fi
[ ${#command[@]} -gt 0 ] || usage_error "no command; it goes after --"
have "${command[0]}" || fail "there is no command '${command[0]}'"

clean_up() {
  local child
  child=$(jobs -p)
  if [ -n "$child" ]; then kill -- "-$child" 2>/dev/null || true; fi
  isolation_end || exit 1
  if [ -n "$child" ]; then wait "$child" || true; fi # it may have something to tidy up
}
trap clean_up EXIT
trap 'warn "interrupted"; exit 130' INT
trap 'warn "ended"; exit 143' TERM
trap 'exit 129' HUP

isolation_begin "${steps[@]}"
read -ra prefix < <(isolation_prefix) || true

# In the background, so that an interruption is not kept waiting, and in a process group of its own, so that one
# signal reaches all of it.
set -m
"${prefix[@]}" "${command[@]}" </dev/null &
set +m
wait $!
