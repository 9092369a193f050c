#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# python_rivals.sh [--help] [--save NAME] [--force] [--quick] [--seeds N] [--rounds N] [--no-setup] [--no-build]
#
# Measures the Python package beside others of PyPI, each in its own way, on the same days of ITCH: best prices into
# polars beside itch-book, a strategy beside hftbacktest, hypothetical orders beside queuetruth and mbo-queue. It builds
# the package and installs them all into an environment of their own, build/python_rivals_venv/. A process for each
# seed; in it they take turns round by round. Takes some two minutes a seed once it is built. Prints a table, and the
# paths of the table, a plot and the raw results.
#
#   --save NAME  keep the results under server_results/NAME/ (default: build/python_rivals/<time>/)
#   --force      replace server_results/NAME/ if there is one
#   --quick      a short run to try it out; not for quoting
#   --seeds N    how many days are made
#   --rounds N   how often each is timed
#   --no-setup   install nothing but what comes from PyPI
#   --no-build   install and build nothing: use the environment and the programs as they are

set -euo pipefail
# shellcheck source=scripts/lib/campaign.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/campaign.sh"

bench_feed=build/release/bench/bench_feed
environment=build/python_rivals_venv
rivals=(hftbacktest==2.4.4 itch-book==0.2.1 mbo-queue==0.7.0 polars queuetruth==0.2.0)
messages=1000000
orders=10000,1000000

read_arguments 3 5 "$@"
if [ "$quick" = yes ]; then messages=100000 orders=1000; fi

# ---- Make ready.

install_needs
build_programs release bench_feed
refuse_other_programs --undefok=batch --messages=10000 --symbols=100 --rows=parse --base=parse -- "$bench_feed"
make_environment() {
  if [ ! -x "$environment/bin/pip" ]; then "$python" -m venv "$environment"; fi
  # The package is built anew, although its version has not changed.
  "$environment/bin/pip" install --quiet "${rivals[@]}" &&
    "$environment/bin/pip" uninstall --quiet --yes llmes &&
    "$environment/bin/pip" install --quiet ./scripts/packaging/python
}
if [ "$build" = yes ]; then build_tree "the Python packages" "build/$campaign-build.log" make_environment; fi
[ -x "$environment/bin/python" ] || fail "$environment is not there; leave out --no-build"
open_results
pin_and_note_machine

# ---- The campaign.

plan_runs() {
  local seed
  for ((seed = 1; seed <= seeds; ++seed)); do echo "all $seed"; done
}

# measure all SEED
measure() {
  take_turn "seed=$2" "$environment/bin/python" scripts/local/python_rivals.py "--messages=$messages" "--orders=$orders" \
    "--seed=$2" "--rounds=$rounds" "--out=$work/all-seed$2.json"
}

run_all

keep_results
