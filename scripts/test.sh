#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# test.sh [--help] [--no-setup] [--presets=LIST] [--long]
#
# Installs what is missing (Debian 12, as root), checks the form of the sources, then configures, builds and runs
# every test with each preset. Exits with 0 only if all of it passed.
#
#   --presets=LIST  CMake presets to go through, separated by commas (default: debug,asan,release)
#   --long          what takes minutes more: the preset clang and the books of the benchmarks with it, and the tests of
#                   campaigns over ssh and of builds
#   --no-setup      install nothing

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

presets=
setup=yes
needs="test"
labels=(--label-exclude '^long$')
for argument in "$@"; do
  case $argument in
    --help) usage; exit 0 ;;
    --no-setup) setup=no ;;
    --long) needs=long; labels=() ;;
    --presets=?*) presets=${argument#*=} ;;
    *) usage_error "unknown argument '$argument'" ;;
  esac
done
if [ -z "$presets" ]; then
  presets=debug,asan,release
  if [ "$needs" = long ]; then presets+=,clang; fi
fi
IFS=, read -ra presets <<<"$presets"

jobs=$(core_count)
step_count=$((2 + 3 * ${#presets[@]}))
step=0

# begin WHAT: says which step begins; if the script ends before the next one, that step has failed.
begin() {
  step=$((step + 1))
  current=$1
  printf '[%2d/%d %s] %s\n' "$step" "$step_count" "$(minutes "$SECONDS")" "$current"
}
current=setup
trap '[ $? -eq 0 ] || { warn "failed at: $current"; exit 1; }' EXIT

if [ "$setup" = yes ]; then scripts/setup.sh "$needs"; fi
have valgrind || fail "there is no valgrind, under which some of the tests run; scripts/setup.sh installs it"

begin "shellcheck"
grep -rIlE '^#!.*\<(ba)?sh$|^# shellcheck shell=' .ci scripts tests | xargs -r shellcheck -x

begin "clang-format"
find include bench tests examples \( -name '*.hpp' -o -name '*.cpp' \) -print0 |
  xargs -0 -r clang-format-16 --dry-run --Werror

for preset in "${presets[@]}"; do
  # To compile the books for the benchmarks takes minutes, so only one build has them, and two of a long run; the
  # tests of the scripts add nothing to a second run.
  benchmarks=OFF
  test_options=()
  case $preset,$needs in release,* | clang,long) benchmarks=ON ;; esac
  if [ "$preset" != release ]; then test_options+=(--exclude-regex '^scripts\.'); fi
  begin "$preset: configure"
  cmake --preset "$preset" -D LLMES_BUILD_BENCHMARKS=$benchmarks
  begin "$preset: build"
  cmake --build --preset "$preset" --parallel "$jobs"
  begin "$preset: test"
  ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --parallel "$jobs" \
    "${labels[@]}" "${test_options[@]}"
done
