// SPDX-License-Identifier: MIT
//
// The one include for users.
#pragma once

#include "llmes/version.hpp"

#if defined(LLMES_NAMESPACE)  // else version.hpp has said why not, and more errors would hide it
#include "llmes/book/order_book.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/text.hpp"
#include "llmes/types/trade_sinks.hpp"
#include "llmes/types/types.hpp"
#endif
