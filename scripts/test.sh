#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# test.sh [--help] [--quick] [--no-setup] [--presets=LIST] [--long]
#
# Installs what is missing (Debian 12, as root), checks the format of the sources, then configures, builds and tests
# each preset. Prints a summary for each preset: what passed, failed and was skipped, and why. Exits with 0 only if
# everything passed. Some tests of the presets without sanitizers compare with packages from PyPI; without a network
# they are skipped.
#
#   --quick         for everyday work: installs nothing, and tests only the preset debug
#   --presets=LIST  CMake presets, separated by commas (default: debug,asan,release)
#   --long          adds what takes many minutes: the preset clang with the books of the benchmarks, the oldest compilers
#                   and CMake, Conan, the tests of campaigns that build, and in release those that make few calls
#   --no-setup      installs nothing

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
    --quick) presets=debug; setup=no ;;
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
need_proc

jobs=$(core_count)
step_count=$((2 + 3 * ${#presets[@]}))
step=0

# begin WHAT: announces the next step. If the script ends before the next one begins, this step has failed.
begin() {
  step=$((step + 1))
  current=$1
  printf '[%2d/%d %s] %s\n' "$step" "$step_count" "$(minutes "$SECONDS")" "$current"
}
current=setup

# asked_of_pypi LIST...: the packages that these lists of tests ask for.
asked_of_pypi() {
  cat "$@" | tr -s '\n ' ' ' | grep -oE '/venv_[^ ]+ ("[^"]+"|[^ ]+)' |
    sed -E 's/^[^ ]+ //; s/"//g; s/==[^ ]*//g' | tr ' ' '\n' | awk '!seen[$0]++' | paste -sd, | sed 's/,/, /g'
}

records=$(mktemp -d)
begun= # when the preset began
finish() {
  local status=$?
  if [ -n "$begun" ]; then end_preset; fi
  if [ -n "$(ls "$records")" ]; then
    say "summary"
    scripts/analysis/test_summary.py "$records" "${presets[@]}" || status=1
    say "$(minutes "$SECONDS") in all"
  fi
  rm -rf "$records"
  [ "$status" -eq 0 ] || { warn "failed at: $current"; exit 1; }
}
trap finish EXIT

end_preset() { echo $((SECONDS - begun)) >"$records/$preset.seconds"; begun=; }

if [ "$setup" = yes ]; then scripts/setup.sh "$needs"; fi
missing=()
for program in clang-format-16 cmake ctest shellcheck valgrind; do have "$program" || missing+=("$program"); done
[ ${#missing[@]} -eq 0 ] || fail "missing: ${missing[*]}; root can install them: scripts/setup.sh"

if [[ " ${presets[*]} " =~ \ (release|clang|lto|native)\  ]]; then
  lists=(tests/foreign/CMakeLists.txt tests/python/CMakeLists.txt)
  if [ "$needs" = long ]; then lists+=(tests/build/toolchains/CMakeLists.txt); fi
  say "tests ask PyPI for: $(asked_of_pypi "${lists[@]}"); without a network they are skipped"
fi

begin "shellcheck"
grep -rIlE '^#!.*\<(ba)?sh$|^# shellcheck shell=' .ci scripts tests | xargs -r -n 8 -P "$jobs" shellcheck -x

begin "clang-format"
find include bench tests examples scripts \( -name '*.hpp' -o -name '*.cpp' \) -print0 |
  xargs -0 -r -n 100 -P "$jobs" clang-format-16 --dry-run --Werror

uncompiled='^build\.(refuses_mistakes|units_disagree)$'
for preset in "${presets[@]}"; do
  # The books of the benchmarks take minutes to compile, so only the release build has them, and in a long run the clang
  # build too, and with those that no test plays. The tests of the scripts run once. Except in a long run, the builds share
  # the other tests: asan has all, with a third of what is random, release has the examples and the tests that make many
  # calls, and debug, if these two follow, the tests with threads, valgrind or a checker, and the programs that do not
  # compile. That release optimises less what takes longer to compile than to run; `cmake --preset release` alone
  # compiles it at -O3 again.
  benchmarks=OFF
  tests=ALL
  examples=ON
  all_books=ON
  test_options=()
  case $preset,$needs in release,* | clang,long) benchmarks=ON ;; esac
  if [ "$preset" != release ]; then test_options+=(--exclude-regex '^scripts\.'); fi
  case "$preset of ${presets[*]}, $needs" in
    "release of "*", test")
      tests=BUSY
      all_books=OFF
      test_options=(--exclude-regex "$uncompiled")
      ;;
    "debug of debug asan release, test")
      tests=WATCHED
      examples=OFF
      ;;
    "asan of debug asan release, test")
      examples=OFF
      test_options=(--exclude-regex "$uncompiled")
      ;;
  esac
  begun=$SECONDS
  begin "$preset: configure"
  # Line numbers are enough without a debugger: full debug information takes a fifth of the compile time.
  cmake --preset "$preset" -D LLMES_BUILD_BENCHMARKS=$benchmarks -D LLMES_ALL_BOOKS=$all_books -D LLMES_TESTS=$tests \
    -D LLMES_BUILD_EXAMPLES=$examples -D CMAKE_CXX_FLAGS_DEBUG=-g1 | tee "$records/$preset.configured"
  begin "$preset: build"
  cmake --build --preset "$preset" --parallel "$jobs"
  begin "$preset: test"
  if [ "$needs" != long ]; then
    ctest --test-dir "build/$preset" --show-only --label-regex '^long$' 2>/dev/null |
      sed -n 's/^Total Tests: //p' >"$records/$preset.long"
  fi
  # Some tests wait, so there is work for one more than there are cores.
  ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --parallel $((jobs + 1)) \
    --output-junit "$records/$preset.xml" "${labels[@]}" "${test_options[@]}"
  end_preset
done
