#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# setup.sh [--help] [--check] [test|bench|trust|long]
#
# Installs what is missing on Debian 12.
#
#   bench    for scripts/bench.sh
#   test     for scripts/test.sh (the default)
#   trust    test, and what scripts/local/trust.sh needs
#   long     test, and the oldest compilers, Java and tshark, for scripts/test.sh --long
#   --check  install nothing: say what is missing, and exit with 1 if anything is
#
# If nothing is missing, it prints and changes nothing. Only installing needs root.

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

# PACKAGE, or PACKAGE:COMMAND if finding the command is enough.
for_bench=(cmake:cmake g++:g++ git:git ninja-build:ninja libabsl-dev libatomic-queue-dev libbenchmark-dev libboost-dev
           libgtest-dev libsimdjson-dev libzstd-dev nlohmann-json3-dev python3:python3 python3-matplotlib python3-numpy
           python3-scipy util-linux:taskset valgrind:valgrind zlib1g-dev)
for_test=(clang-16:clang++-16 clang-format-16:clang-format-16 libasio-dev libclang-rt-16-dev libssl-dev
          pkg-config:pkg-config python3-venv shellcheck:shellcheck)
for_aarch64=(g++-aarch64-linux-gnu:aarch64-linux-gnu-g++ qemu-user:qemu-aarch64)
for_trust=("${for_aarch64[@]}" llvm-16:llvm-profdata-16)
for_long=(clang-14:clang++-14 clang-15:clang++-15 clang-tidy-16:clang-tidy-16 debootstrap:debootstrap doxygen:doxygen
          g++-11:g++-11 libc++-14-dev libc++abi-14-dev linux-perf:perf llvm-16:llvm-profdata-16 make:make maven:mvn
          openjdk-17-jdk-headless:java tshark:tshark "${for_aarch64[@]}")

check=no
if [ "${1:-}" = --check ]; then check=yes; shift; fi
[ $# -le 1 ] || usage_error "takes one argument, not $#"
case ${1:-test} in
  --help) usage; exit 0 ;;
  long) wanted=("${for_bench[@]}" "${for_test[@]}" "${for_long[@]}") ;;
  test) wanted=("${for_bench[@]}" "${for_test[@]}") ;;
  trust) wanted=("${for_bench[@]}" "${for_test[@]}" "${for_trust[@]}") ;;
  bench) wanted=("${for_bench[@]}") ;;
  *) usage_error "unknown argument '$1'" ;;
esac

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing=()
for entry in "${wanted[@]}"; do
  package=${entry%%:*}
  command=${entry#"$package"}
  command=${command#:}
  if [ -n "$command" ] && have "$command"; then continue; fi
  if have dpkg-query && is_installed "$package"; then continue; fi
  missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
[ "$check" = no ] || fail "missing: ${missing[*]}"

if ! have apt-get; then
  warn "this system has no apt-get; please install what these Debian 12 packages contain: ${missing[*]}"
  warn "then run test.sh or bench.sh with --no-setup"
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  warn "missing: ${missing[*]}"
  warn "root can install them; please run: sudo scripts/setup.sh${*:+ $*}"
  exit 1
fi

# What apt-get says is hundreds of lines: shown only if it fails.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
say "installing ${#missing[@]} packages and what these need: ${missing[*]}"
with_progress installing "$log" apt-get update </dev/null || fail_with "$log" "apt-get update" "is the network up?"
with_progress installing "$log" \
  apt-get install -y --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}" </dev/null ||
  fail_with "$log" "apt-get install" "Debian 12 has them all"
say "installed in $(minutes "$SECONDS")"
