#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# docs.sh [--help] --out=FOLDER
#
# Makes pages of the headers and the README with Doxygen. FOLDER/html/index.html is the first. Fails if Doxygen warns.

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"

out=
for argument in "$@"; do
  case $argument in
    --help) usage; exit 0 ;;
    --out=?*) out=$(realpath -m "${argument#*=}") ;;
    *) usage_error "unknown argument '$argument'" ;;
  esac
done
[ -n "$out" ] || usage_error "where to? --out=FOLDER"
have doxygen || fail "there is no doxygen; install it with: scripts/setup.sh long"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p "$out"

# The comment at the head of a header becomes that of its file. The inline namespace is hidden, as users need not name
# it. Rejections are a paragraph of their own. Doxygen 1.9.4 cannot place a specialisation of std::hash, so it sees
# none. The pages contain only headers, so links of the README to other files become words.
head="-e '1s|.*|/// @file|' -e '2,/^#pragma once/s|^//|///|'"
namespace="-e 's/::inline LLMES_NAMESPACE//'"
rejections="-e 's|/// Rejections|/// @rejections|'"
hash="-e '/^template <>/,/^};/s/.*//'"
links="-e 's/!\{0,1\}\[\([^]]\{1,\}\)\]([^) ]*)/\1/g'"

version=$(sed -n 's/^#define LLMES_VERSION_[A-Z]* //p' include/llmes/version.hpp | paste -sd.)

# Names and parameters without a comment are shown too.
doxygen - <<END
PROJECT_NAME = llmes
PROJECT_NUMBER = $version
PROJECT_BRIEF = "A limit order book matching core"
INPUT = README.md include
RECURSIVE = YES
STRIP_FROM_PATH = include
USE_MDFILE_AS_MAINPAGE = README.md
FILTER_PATTERNS = "*.hpp=sed $head $namespace $rejections $hash" "*.md=sed $links"
ALIASES = "rejections=@par^^Rejections"
EXTRACT_ALL = YES
JAVADOC_AUTOBRIEF = YES
HAVE_DOT = NO
QUIET = YES
WARN_IF_INCOMPLETE_DOC = NO
WARN_AS_ERROR = FAIL_ON_WARNINGS
OUTPUT_DIRECTORY = "$out"
GENERATE_LATEX = NO
END
