#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# remote.sh [--save NAME] [--ssh-config FILE] HOST... [-- COMMAND...]
# remote.sh --help
#
# Runs a campaign on other machines, all at the same time. Sends the commit that is checked out over ssh, builds and
# runs it there, and fetches the results with the log. HOST is what ssh accepts: an alias, a name or USER@NAME, with a
# key that asks for no password. A host needs what `scripts/setup.sh bench` installs. Exits with 0 only if every host
# has delivered results of exactly that commit; a host that fails does not affect the others.
#
#   COMMAND            a campaign that accepts --save NAME, which is added (default: scripts/bench.sh). On a quiet core:
#                      scripts/local/isolated.sh -- scripts/bench.sh; that core then builds too, and alone, so it takes
#                      longer
#   --save NAME        keep the results in server_results/NAME/HOST/ (default: build/remote/<time>/HOST/results/)
#   --ssh-config FILE  for ssh, instead of ~/.ssh/config
#
# A run ends with its connection. After a failure or an interruption the checkout is removed from every host that can
# still be reached.

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"

hosts=()
name=
ssh=(ssh -T -o BatchMode=yes -o LogLevel=ERROR -o ConnectTimeout=10 -o ServerAliveInterval=15)
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  case $1 in
    --save=* | --ssh-config=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    --save | --ssh-config) [ $# -ge 2 ] || usage_error "$1 needs a value" ;;
  esac
  case $1 in
    --help) usage; exit 0 ;;
    --save) name=$2; check_save_name "$name"; shift ;;
    --ssh-config) [ -r "$2" ] || fail "cannot read $2"; ssh+=(-F "$(realpath "$2")"); shift ;;
    -*) usage_error "unknown argument '$1'; the command goes after --" ;;
    # It names folders, and must never look like an option.
    *) [[ $1 =~ ^([A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9][A-Za-z0-9_.-]*$ ]] ||
        usage_error "'$1' is not the name of a host; ~/.ssh/config can give it one"
      [[ " ${hosts[*]} " != *" $1 "* ]] || usage_error "$1 is named twice"
      hosts+=("$1") ;;
  esac
  shift
done
[ ${#hosts[@]} -gt 0 ] || usage_error "no host"
command=("${@:2}")
if [ ${#command[@]} -eq 0 ]; then command=(scripts/bench.sh); fi
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for tool in git ssh tar; do have "$tool" || fail "there is no $tool; scripts/setup.sh remote installs it"; done
for host in "${hosts[@]}"; do
  [ -z "$name" ] || [ ! -e "server_results/$name/$host" ] ||
    fail "server_results/$name/$host already exists; choose another name, or remove it"
done
commit=$(git rev-parse --verify HEAD 2>/dev/null) || fail "this is not a git repository: there is no commit to send"
# As in the fingerprint of results, neither files that git does not track nor results count.
[ -z "$(git status --porcelain --untracked-files=no -- . ':!server_results')" ] ||
  fail "there are changes that commit ${commit::12} does not hold; commit them first"

mkdir -p build/remote
state=$(mktemp -d "build/remote/$(date -u +%Y%m%dT%H%M%SZ)-XXXXXX")
# A shallow clone, so that git finds the commit there.
git clone --quiet --depth 1 "file://$PWD" "$state/checkout"
tar -czf "$state/checkout.tar.gz" -C "$state/checkout" .
rm -rf "$state/checkout"

# ---- One host.

# checkout_on HOST: where the checkout is, from the home folder.
checkout_on() { echo ".cache/llmes-remote/${state##*/}-$1"; }

remove_checkout() { "${ssh[@]}" -- "$1" "rm -rf $(checkout_on "$1")" </dev/null >/dev/null 2>&1 || true; }

give_up() {
  echo "failed: $*" >"$folder/outcome"
  remove_checkout "$host"
  exit 1
}

# check_commit FOLDER: gives up unless it has fingerprints, and all of them name our commit.
check_commit() {
  local commits
  commits=$(grep -rhoE '"commit": *"[^"]*"' "$1" | grep -oE '[^"]*"$' | sort -u | tr -d '"' | paste -s -d ' ') || true
  [ -n "$commits" ] || give_up "no fingerprint in the results names their commit"
  [ "$commits" = "$commit" ] || give_up "the results were made from commit $commits, not $commit"
}

# run_on HOST: leaves its outcome, 'done' or what went wrong, in a file of that name.
run_on() {
  local host=$1 there status=0
  there=$(checkout_on "$host")
  folder=$state/$host
  "${ssh[@]}" -- "$host" "mkdir -p $there && tar -xzof - -C $there || { rm -rf $there; exit 1; }" \
    <"$state/checkout.tar.gz" 2>"$folder/errors" ||
    give_up "cannot send the commit: $(tail -n 1 "$folder/errors" | tr -d '\r')"
  # Its standard input ends with this script.
  { "${ssh[@]}" -- "$host" "bash $there/scripts/remote/on_host.sh $commit ${command[*]@Q}" 2>&1 >"$folder/results.tar.gz" \
    < <(exec tail --pid=$$ -f /dev/null) | tee "$folder/log.txt" | sed -u "s/^/$host: /"; } || status=$?
  case $status in
    0) ;;
    255) give_up "the connection was lost, and the run ended with it" ;;
    *) give_up "the command ended with status $status: $(tail -n 1 "$folder/log.txt")" ;;
  esac
  mkdir "$folder/results"
  tar -xzf "$folder/results.tar.gz" -C "$folder/results" || give_up "the results were cut off on the way"
  check_commit "$folder/results"
  cp "$folder/log.txt" "$folder/results"
  rm "$folder"/{errors,results.tar.gz}
  destination=$folder/results
  if [ -n "$name" ]; then
    mkdir -p "server_results/$name"
    destination=server_results/$name/$host
    mv -T "$folder/results" "$destination"
  fi
  echo "done: $destination/" >"$folder/outcome"
}

# ---- All of them.

jobs=()
# shellcheck disable=SC2317 # the traps call it
end_runs() {
  local removals=() host job
  trap '' INT TERM HUP
  warn "$1; ending the runs on the hosts"
  for job in "${jobs[@]}"; do kill -- "-$job" 2>/dev/null || true; done
  rm -f "$state/checkout.tar.gz"
  for host in "${hosts[@]}"; do
    remove_checkout "$host" &
    removals+=($!)
  done
  wait "${removals[@]}"
  exit "$2"
}
trap 'end_runs interrupted 130' INT
trap 'end_runs ended 143' TERM
trap 'end_runs "the terminal is gone" 129' HUP

say "commit ${commit::12} to ${hosts[*]}"
# Each in a process group of its own, so that an interruption from the keyboard reaches this script alone.
set -m
for host in "${hosts[@]}"; do
  mkdir "$state/$host"
  run_on "$host" </dev/null &
  jobs+=($!)
done
set +m
all=0
for job in "${jobs[@]}"; do wait "$job" || all=1; done
rm "$state/checkout.tar.gz"
for host in "${hosts[@]}"; do
  say "$host: $(cat "$state/$host/outcome" 2>/dev/null || echo "failed; see $state/$host/")"
done
exit "$all"
