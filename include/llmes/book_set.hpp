// SPDX-License-Identifier: MIT
//
// The old place of sets/book_set.hpp. Such headers go in 0.13: include "llmes/llmes.hpp" or the umbrella of a
// folder.
#pragma once

#include "llmes/sets/book_set.hpp"  // IWYU pragma: export
