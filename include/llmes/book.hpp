// SPDX-License-Identifier: MIT
//
// The book: its calls, its commands and results, what takes its trades, and the names of all values.
#pragma once

#include "llmes/version.hpp"

#if defined(LLMES_NAMESPACE)          // else version.hpp has said why not, and more errors would hide it
#include "llmes/book/order_book.hpp"  // IWYU pragma: export
#include "llmes/types/command.hpp"    // IWYU pragma: export
#include "llmes/types/text.hpp"       // IWYU pragma: export
#include "llmes/types/types.hpp"      // IWYU pragma: export
#endif
