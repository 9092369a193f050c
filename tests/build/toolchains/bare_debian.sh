#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# bare_debian.sh [--help] FOLDER
#
# Makes a Debian 12 with only git, cmake, make and a compiler in FOLDER, and uses the core there in each way that the
# guide prints. Exits with 77, which ctest takes for skipped, without root, debootstrap or a network.

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/lib/common.sh"

case ${1:-} in
  --help) usage; exit 0 ;;
  -*) usage_error "unknown argument '$1'" ;;
esac
[ $# -eq 1 ] || usage_error "takes one folder"
sources=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../..")
root=$1/root

skip() {
  warn "skipped: $*"
  exit 77
}
[ "$(id -u)" -eq 0 ] || skip "only root can make a Debian"
have debootstrap || skip "there is no debootstrap; install it with: scripts/setup.sh long"
remove_root() { rm -rf --one-file-system "$root"; } # debootstrap mounts /proc and /sys there while it runs
trap remove_root EXIT
remove_root
mkdir -p "$root"
debootstrap --variant=minbase --include=git,cmake,make,g++,ca-certificates bookworm "$root" >"$1/debootstrap.log" 2>&1 ||
  skip "debootstrap failed; is the network up? It said: $1/debootstrap.log"

mkdir "$root/llmes"
tar -C "$sources" -c CMakeLists.txt LICENSE README.md report include tests examples bench | tar -C "$root/llmes" -x
for way in include_path subdirectory fetch install; do
  say "$way"
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/bin:/bin cmake -D WAY=$way -D WORK=/user -D SOURCES=/llmes \
    -D COMPILER=c++ -P /llmes/tests/build/consumer/readme_way.cmake
done
