#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# runner.sh setup|start|follow BYTE|log BYTE|state|pack|stop
#
# The part of a remote campaign that lives on the host, in a folder with the checkout that was shipped. host_job.sh
# calls it over ssh. The run itself hangs on no connection, and every call can be made again when one was cut off.
# The run, with all that it has started, holds 'lock' for as long as it lives; 'status' is its command's exit status.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
commit='' setup='' isolate='' command=()
# shellcheck source=/dev/null
. ./settings

is_running() { ! flock --shared --nonblock lock true; }
restore() { if [ -n "$isolate" ]; then (cd source && scripts/local/isolated.sh --restore); fi; }

case ${1:-} in
  setup)
    cd source
    options=(--check)
    if [ "$setup" = yes ]; then options=(); fi
    scripts/setup.sh "${options[@]}" bench
    if [ "$(git rev-parse HEAD)" != "$commit" ]; then
      echo "what arrived is not commit $commit" >&2
      exit 1
    fi
    ;;
  start)
    exec 9>lock
    flock --nonblock 9 || exit 0
    [ ! -e pid ] || exit 0
    setsid nohup bash runner.sh run </dev/null >log.txt 2>&1 &
    echo $! >pid
    ;;
  run) # by start, which has taken the lock
    trap : TERM # reaches the command as well; this one stays, to see it end
    status=0
    (cd source && exec "${command[@]}") || status=$?
    restore || true
    echo "$status" >status
    ;;
  state)
    if [ ! -e pid ]; then
      echo none
    elif is_running; then
      echo running
    elif [ -e status ]; then
      echo "ended $(<status)"
    else
      echo lost
    fi
    ;;
  follow)
    tail -c "+$2" -f log.txt &
    flock --shared lock true
    kill $!
    ;;
  log) tail -c "+$2" log.txt ;;
  pack)
    mkdir -p source/server_results
    git -C source/server_results ls-files --others -z . >new
    if [ ! -s new ]; then
      echo "the command has added nothing to server_results/; it may need --save" >&2
      exit 1
    fi
    files=(log.txt)
    if [ -n "$isolate" ]; then files+=(isolation.jsonl); fi
    tar -cz -C source/server_results --null --files-from="$PWD/new" -C "$PWD" "${files[@]}"
    ;;
  stop)
    if is_running; then
      kill -TERM -- "-$(<pid)"
      flock --shared --wait 20 lock true || kill -KILL -- "-$(<pid)"
    fi
    restore
    if is_running; then
      echo "something that the run has started does not end" >&2
      exit 1
    fi
    ;;
  *)
    echo "runner.sh: unknown argument '${1:-}'" >&2
    exit 2
    ;;
esac
