// SPDX-License-Identifier: MIT
//
// The old place of ids/id_book.hpp. Such headers go in 0.13: include "llmes/llmes.hpp" or the umbrella of a
// folder.
#pragma once

#include "llmes/ids/id_book.hpp"  // IWYU pragma: export
