#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# bitstamp.sh [--help] [--save NAME] [--force] [--no-setup] [--no-build]
#
# Reads a real file that all can get: half an hour of Bitstamp's order events, which ob-analytics of PyPI ships. Counts
# what was read and what did not fit, by check_tape, and compares the touch at each settled moment with that of a plain
# map of orders, and the executions with the file's trades. It builds check_tape and the Python package, which it
# installs into build/bitstamp_venv/, where the file is too. Takes two minutes, most of which the package compiles.
# Prints a table, and the paths of the table and the raw counts.
#
#   --save NAME  keep the results under server_results/NAME/ (default: build/bitstamp/<time>/)
#   --force      replace server_results/NAME/ if there is one
#   --no-setup   install nothing but what comes from PyPI
#   --no-build   install and build nothing: use the environment and the program as they are; not with --save

set -euo pipefail
# shellcheck source=scripts/lib/campaign.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/campaign.sh"

environment=build/bitstamp_venv
check_tape=build/app/examples/check_tape
source_of_data=ob-analytics==0.1.0

for argument in "$@"; do # nothing is measured that a round or a seed would change
  case $argument in --seeds* | --rounds* | --quick) usage_error "unknown argument '$argument'" ;; esac
done
read_arguments 1 1 "$@"
if [ -n "$name" ] && [ "$build" = no ]; then
  fail "--save: what was built before may be of another commit; leave out --no-build"
fi

# ---- Make ready.

install_needs
make_all() {
  cmake --preset app && cmake --build build/app --parallel "$(core_count)" --target check_tape || return
  if [ ! -x "$environment/bin/pip" ]; then "$python" -m venv "$environment"; fi
  # Of ob-analytics only the data are wanted. The package is built anew, although its version has not changed.
  "$environment/bin/pip" install --quiet --no-deps "$source_of_data" &&
    "$environment/bin/pip" uninstall --quiet --yes llmes &&
    "$environment/bin/pip" install --quiet ./scripts/packaging/python
}
if [ "$build" = yes ]; then
  mkdir -p build
  build_tree "check_tape and the Python package" "build/$campaign-build.log" make_all
fi
for program in "$environment/bin/python" "$check_tape"; do
  [ -x "$program" ] || fail "$program is not there; leave out --no-build"
done
data=$(compgen -G "$environment/lib/python*/site-packages/ob_analytics/_sample_data") ||
  fail "$environment has no $source_of_data; leave out --no-build"
open_results
note "data: ${source_of_data/==/ }, orders.csv.gz and trades.csv"
pin=()

# ---- The campaign.

planned=(all)
take_turn "the file" "$environment/bin/python" scripts/local/bitstamp.py "$data/orders.csv.gz" "--trades=$data/trades.csv" \
  "--check-tape=$check_tape" "--out=$work/all.json"

keep_results
