#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# campaign.sh [--save NAME] [--force] [--dirty] [--setup] [--isolate LIST] [--timeout SECONDS] [--jobs N] [--keep]
#             [--ssh-config FILE] HOST... [-- COMMAND...]
# campaign.sh --fetch FOLDER
# campaign.sh --help
#
# Runs a campaign of this repository on other machines, many at a time: ships the commit that is checked out over
# ssh, runs the command in that checkout, and fetches what it adds to server_results/, with its log. The run does
# not hang on the connection: one that drops is made again. A host that fails neither ends the campaign nor loses
# what others have measured. HOST is what ssh would take: an alias, a name or USER@NAME, with a key that needs no
# typing. Exits with 0 only if every host has delivered.
#
#   COMMAND            default: scripts/bench.sh --no-setup --save run
#   --save NAME        keep the results under server_results/NAME/HOST/ (default: build/remote/<time>/results/HOST/)
#   --force            replace server_results/NAME/HOST/ if there is one
#   --dirty            the commit is meant, even though there are changes that it does not hold
#   --setup            install on the hosts what they lack (Debian 12, as root); without it that is only checked
#   --isolate LIST     run on a quiet core: scripts/local/isolated.sh --apply LIST; undone on the host itself
#   --timeout SECONDS  stop a run that takes longer (default: 14400, four hours)
#   --jobs N           so many hosts at a time (default: all)
#   --keep             leave the checkout on the hosts, in ~/.cache/llmes-campaign/
#   --ssh-config FILE  for ssh, instead of ~/.ssh/config
#   --fetch FOLDER     go on with a campaign that lost its terminal; it has named the folder when it began
#
# An interruption stops the runs on the hosts and removes their checkouts. A terminal that goes away does not.

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"
# shellcheck source=scripts/lib/campaign.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/campaign.sh"
repository=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")

hosts=()
state=
jobs=
dirty=no
setup=no
isolate=
timeout=14400
keep=no
ssh_config=

while [ $# -gt 0 ] && [ "$1" != -- ]; do
  case $1 in
    --isolate=* | --timeout=* | --jobs=* | --ssh-config=* | --fetch=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    --isolate | --timeout | --jobs | --ssh-config | --fetch) [ $# -ge 2 ] || usage_error "$1 needs a value" ;;
  esac
  case $1 in
    --help | --save | --save=* | --force) campaign_argument "$@"; shift $((taken - 1)) ;;
    --dirty) dirty=yes ;;
    --setup) setup=yes ;;
    --isolate) isolate=$2; shift ;;
    --timeout) timeout=$2; shift ;;
    --jobs) jobs=$2; shift ;;
    --keep) keep=yes ;;
    --ssh-config) ssh_config=$2; shift ;;
    --fetch) state=$2; shift ;;
    -*) usage_error "unknown argument '$1'; the command goes after --" ;;
    *) hosts+=("$1") ;;
  esac
  shift
done
if [ $# -gt 0 ]; then shift; fi
command=("$@")
if [ ${#command[@]} -eq 0 ]; then command=(scripts/bench.sh --no-setup --save run); fi

# ---- What can be wrong before any host is called.

for number in timeout ${jobs:+jobs}; do
  [[ ${!number} =~ ^[1-9][0-9]{0,5}$ ]] || usage_error "--$number: '${!number}' is no number from 1 to 999999"
done
[[ $isolate =~ ^([a-z]+(,[a-z]+)*)?$ ]] || usage_error "--isolate: '$isolate' is no list like pin,priority"
for tool in git ssh tar flock; do have "$tool" || fail "no $tool; scripts/setup.sh remote installs it"; done
# Another program of that name, of the package moreutils, takes other arguments.
[[ $(parallel --version 2>/dev/null) == "GNU parallel"* ]] ||
  fail "no GNU parallel; scripts/setup.sh remote installs it"
if [ -n "$ssh_config" ]; then
  [ -r "$ssh_config" ] || fail "--ssh-config: cannot read $ssh_config"
  ssh_config=$(realpath "$ssh_config")
fi

if [ -n "$state" ]; then
  [ ${#hosts[@]} -eq 0 ] || usage_error "--fetch takes no hosts: the folder knows them"
  [ -r "$state/settings" ] || fail "$state is no folder of a remote campaign; they are in build/remote/"
  state=$(realpath --relative-to="$repository" "$state")
fi
cd "$repository"

check_hosts() {
  local host seen=" "
  [ ${#hosts[@]} -gt 0 ] || usage_error "no host"
  for host in "${hosts[@]}"; do
    # It names folders, and must never look like an option.
    [[ $host =~ ^([A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9][A-Za-z0-9_.-]*$ ]] ||
      usage_error "'$host' is no name of a host; ~/.ssh/config can give it one"
    [[ $seen != *" $host "* ]] || usage_error "$host is named twice"
    seen+="$host "
    if [ -n "$name" ] && [ -e "server_results/$name/$host" ] && [ "$force" = no ]; then
      fail "server_results/$name/$host is there already; choose another name, or replace it with --force"
    fi
  done
}

check_commit() {
  commit=$(git rev-parse --verify HEAD 2>/dev/null) || fail "no commit to ship: $repository is no git repository"
  # As in the fingerprint of artifacts, files that git was never told of do not count.
  if [ "$dirty" = no ] && [ -n "$(git status --porcelain --untracked-files=no)" ]; then
    fail "there are changes that commit ${commit::12} does not hold; commit them, or measure without them: --dirty"
  fi
  if [[ ${command[0]} == scripts/* ]] && ! git cat-file -e "HEAD:${command[0]}" 2>/dev/null; then
    fail "commit ${commit::12} has no ${command[0]}"
  fi
}

# ---- The hosts, one job each.

# on_each VERB HOST...: host_job.sh for these. In a process group of its own, so that an interruption from the
# keyboard reaches this script alone, which then sees to the rest.
on_each() {
  set -m
  parallel --plain --will-cite --jobs "${jobs:-$#}" --tag --line-buffer --joblog "$state/joblog-$1" \
    scripts/remote/host_job.sh "$state" "$1" {} ::: "${@:2}" </dev/null &
  child=$!
  set +m
  wait "$child" || true # each host's outcome is in its folder
  child=
}

# summarize: a line for each host. Fails if one has not delivered.
summarize() {
  local folder outcome log all=0
  echo
  for folder in "$state"/hosts/*; do
    outcome=$(cat "$folder/outcome" 2>/dev/null) || outcome="no outcome"
    log=
    if [ -s "$folder/log.txt" ]; then log=" (log: $folder/log.txt)"; fi
    if [ "$outcome" = "done" ]; then log=", $destination/${folder##*/}/"; else all=1; fi
    say "${folder##*/}: $outcome$log"
  done
  return "$all"
}

# Hosts that hold a checkout of ours, and perhaps a run.
owing_hosts() {
  local folder
  for folder in "$state"/hosts/*; do
    if [ -e "$folder/shipped" ]; then echo "${folder##*/}"; fi
  done
}

end_jobs() {
  trap '' INT TERM HUP
  if [ -n "$child" ]; then
    kill "$child" 2>/dev/null || true # it ends its jobs
    wait "$child" || true
  fi
}

stop_all() {
  local owing
  end_jobs
  mapfile -t owing < <(owing_hosts)
  if [ ${#owing[@]} -gt 0 ]; then on_each stop "${owing[@]}"; fi
  summarize || true
}

heed_signals() {
  child=
  trap 'warn "interrupted; stopping the runs on the hosts"; stop_all; exit 130' INT
  trap 'warn "ended; stopping the runs on the hosts"; stop_all; exit 143' TERM
  trap 'end_jobs; warn "the runs go on; scripts/remote/campaign.sh --fetch $state fetches them"; exit 129' HUP
}

if [ -n "$state" ]; then
  # shellcheck source=/dev/null
  . "$state/settings"
  heed_signals
  mapfile -t hosts < <(owing_hosts)
  if [ ${#hosts[@]} -eq 0 ]; then say "nothing is left on any host"; else on_each fetch "${hosts[@]}"; fi
  summarize
  exit
fi

check_hosts
check_commit
python=$(find_python) || fail "no python3 with matplotlib and scipy; scripts/setup.sh remote installs them"

mkdir -p build/remote
state=$(mktemp -d "build/remote/$(date -u +%Y%m%dT%H%M%SZ)-XXXXXX")
trap 'rm -rf "$state"' EXIT
destination=$state/results
if [ -n "$name" ]; then destination=server_results/$name; fi
if [ -n "$isolate" ]; then
  command=(scripts/local/isolated.sh --apply "$isolate" --report ../isolation.jsonl -- "${command[@]}")
fi
for host in "${hosts[@]}"; do mkdir -p "$state/hosts/$host"; done
declare -p commit command setup isolate timeout keep ssh_config python destination >"$state/settings"

# A shallow clone instead of a bundle: a host without git can unpack it, and setup.sh needs to be there to install git.
package=$(mktemp -d "$state/package.XXXXXX")
git clone --quiet --depth 1 "file://$repository" "$package/source" 2>"$state/errors" ||
  fail "cannot clone this repository: $(tail -n 1 "$state/errors")"
[ "$(git -C "$package/source" rev-parse HEAD)" = "$commit" ] || fail "HEAD has moved meanwhile; begin again"
cp "$state/settings" scripts/remote/runner.sh "$package"
tar -czf "$state/package.tar.gz" -C "$package" .
rm -rf "$package"
trap - EXIT

heed_signals
say "commit ${commit::12} to ${hosts[*]}"
say "if this terminal goes away: scripts/remote/campaign.sh --fetch $state"
on_each run "${hosts[@]}"
rm "$state/package.tar.gz"
summarize
