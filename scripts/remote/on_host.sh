#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# on_host.sh COMMIT COMMAND...
#
# The part of a remote campaign that runs on the host, in the checkout that remote.sh has sent. Runs the command with
# `--save run` and writes what it saves to standard output, as an archive; all messages go to standard error. If
# standard input ends, the connection is gone: that ends the command. Removes the checkout in every case.

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"

commit=${1:-}
[ "$commit" != --help ] || { usage; exit 0; }
[[ $# -ge 2 && $commit =~ ^[0-9a-f]{40,}$ ]] || usage_error "takes a commit and a command, not '$*'"
shift
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
checkout=$PWD
# It is removed in the end, and no other may be.
[[ $checkout == */.cache/llmes-remote/* ]] || fail "$checkout is no checkout of remote.sh"

exec 3>&1 1>&2 4<&0 </dev/null
trap 'rm -rf "$checkout"' EXIT
trap 'exit 129' HUP
trap 'exit 143' TERM
trap : PIPE # the connection may be gone

scripts/setup.sh --check bench
if [ "$(git rev-parse HEAD)" != "$commit" ]; then
  echo "what arrived is not commit $commit"
  exit 1
fi

# The command has a process group of its own, so that one signal reaches all of it.
set -m
"$@" --save run </dev/null 3>&- 4<&- &
run=$!
{
  cat <&4 >/dev/null
  kill -TERM -- "-$run"
  sleep 20
  kill -KILL -- "-$run"
} 3>&- 2>/dev/null &
watch=$!
set +m
status=0
wait "$run" || status=$?
kill -- "-$watch" 2>/dev/null || true
[ "$status" -eq 0 ] || exit "$status"
if [ ! -d server_results/run ]; then
  echo "the command has saved nothing; it must accept --save NAME"
  exit 1
fi
tar -cz -C server_results/run . >&3
