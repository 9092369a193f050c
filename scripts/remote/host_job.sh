#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# host_job.sh STATE run|fetch|stop HOST
#
# One host's part of a remote campaign, called by campaign.sh: all of it (run), what follows its start (fetch), or its
# end ahead of time (stop). What becomes of it is in STATE/hosts/HOST: 'shipped' is there while the host holds our
# checkout, 'outcome' says 'done' or what went wrong at which step, 'log.txt' is what the command has said.

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

[ $# -eq 3 ] || usage_error "takes three arguments; campaign.sh calls it"
state=$1 verb=$2 host=$3
commit='' timeout='' keep='' ssh_config='' python='' destination=''
# shellcheck source=/dev/null
. "$state/settings"

folder=$state/hosts/$host
log=$folder/log.txt
there=.cache/llmes-campaign/${commit::12}-${state##*/}-$host # from the home on the host
ssh=(ssh -T -o BatchMode=yes -o LogLevel=ERROR -o ConnectTimeout=10 -o ServerAliveInterval=15)
if [ -n "$ssh_config" ]; then ssh+=(-F "$ssh_config"); fi
ssh+=(-- "$host")
exec </dev/null

step=lock
begin() { step=$1; echo "$step"; }

give_up() {
  echo "failed at $step: $*" >"$folder/outcome"
  warn "failed at $step: $*"
  exit 1
}

# ---- Calls. With ssh, status 255 is a connection that failed; any other is the command's own.

call() { "${ssh[@]}" "$@" 2>"$folder/errors"; }
runner() { call bash "$there/runner.sh" "$@"; }
reason() { tail -n 3 "$folder/errors" | tr -d '\r' | paste -s -d ' '; }

# retry COMMAND...: tries it again if its connection failed.
retry() {
  local pause status
  for pause in 1 2 4 8 0; do
    status=0
    "$@" || status=$?
    if [ "$status" -ne 255 ]; then return "$status"; fi
    sleep "$pause"
  done
  return 255
}

upload() { call "rm -rf $there && mkdir -p $there && tar -xzof - -C $there" <"$state/package.tar.gz"; }
download() { runner pack >"$folder/artifacts.tar.gz"; }
next_byte() { echo $(($(stat -c %s "$log") + 1)); }
rest_of_log() { runner log "$(next_byte)" | tee -a "$log"; }

# One long connection instead of many short ones: a login takes processor time from what is being measured. It ends
# with the run. A new one goes on where the log was cut off.
follow() {
  timeout --foreground $((deadline - SECONDS)) "${ssh[@]}" bash "$there/runner.sh" follow "$(next_byte)" \
    2>"$folder/errors" | tee -a "$log"
}

# ---- Steps.

remove() {
  if [ "$keep" = yes ]; then
    echo "kept: ~/$there"
  elif ! retry call rm -rf "$there"; then
    warn "cannot remove ~/$there there: $(reason)"
    return
  fi
  rm -f "$folder/shipped"
}

# drop REASON: gives up on a host that can be left as it was found.
drop() {
  remove
  give_up "$*"
}

prepare_and_start() {
  begin connect
  call true || give_up "$(reason)"
  begin ship
  touch "$folder/shipped"
  retry upload || drop "$(reason)"
  begin setup
  retry runner setup || drop "$(reason)"
  begin start
  retry runner start || drop "$(reason)"
}

# stop_late REASON: ends what is still there of a run, isolation included, and gives up.
stop_late() {
  retry runner stop || give_up "$*, and cannot be stopped: $(reason)"
  retry rest_of_log || true
  drop "$*"
}

# wait_for_end: sets `ended` to the command's exit status.
wait_for_end() {
  local deadline=$((SECONDS + timeout)) said status
  begin run
  touch "$log"
  while true; do
    if [ $SECONDS -lt $deadline ]; then follow || sleep 1; fi
    status=0
    said=$(runner state) || status=$?
    case $status:$said in
      0:running) if [ $SECONDS -ge $deadline ]; then stop_late "stopped, still running after $timeout seconds"; fi ;;
      0:ended*) break ;;
      0:lost) stop_late "the run was killed, or the host was started again" ;;
      0:none | 127:*) drop "the run never began there" ;;
      255:*)
        if [ $SECONDS -ge $deadline ]; then
          give_up "no connection: $(reason); it may go on: scripts/remote/campaign.sh --fetch $state"
        fi
        echo "no connection ($(reason)); trying again"
        sleep 3
        ;;
      *) give_up "$(reason)" ;;
    esac
  done
  retry rest_of_log || give_up "$(reason)"
  ended=${said#ended }
}

fetch() {
  local unfinished=$folder/unfinished
  begin fetch
  retry download || give_up "$(reason); ~/$there stays there"
  rm -rf "$unfinished"
  mkdir "$unfinished"
  tar -xzf "$folder/artifacts.tar.gz" -C "$unfinished" || give_up "torn on the way; ~/$there stays there"
  rm "$folder/artifacts.tar.gz"
  "$python" scripts/remote/check_commit.py "$unfinished" "$commit" 2>"$folder/errors" ||
    give_up "$(reason); nothing is kept but ~/$there there"
  mkdir -p "$destination"
  rm -rf "${destination:?}/$host"
  mv -T "$unfinished" "$destination/$host"
}

# ---- The job.

# A job that was just ended may hold it for a moment more.
exec 8>"$folder/lock"
flock -w 10 8 || fail "another call of campaign.sh looks after $host"

if [ "$verb" = stop ]; then
  begin stop
  # 127: there is no runner yet.
  retry runner stop || [ $? -eq 127 ] ||
    give_up "$(reason); it may go on: scripts/remote/campaign.sh --fetch $state"
  remove
  echo "interrupted" >"$folder/outcome"
  exit
fi

rm -f "$folder/outcome"
if [ "$verb" = run ]; then prepare_and_start; fi
wait_for_end
[ "$ended" -eq 0 ] || drop "the command ended with status $ended"
fetch
begin clean
remove
echo "done" >"$folder/outcome"
