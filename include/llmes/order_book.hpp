// SPDX-License-Identifier: MIT
//
// The old place of book/order_book.hpp. Such headers go in 0.13: include "llmes/llmes.hpp" or the umbrella of a
// folder.
#pragma once

#include "llmes/book/order_book.hpp"  // IWYU pragma: export
