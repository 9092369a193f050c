// SPDX-License-Identifier: MIT
//
// The one include for users.
#pragma once

#include "llmes/version.hpp"

#if defined(LLMES_NAMESPACE)  // else version.hpp has said why not, and more errors would hide it
#include "llmes/command.hpp"
#include "llmes/order_book.hpp"
#include "llmes/text.hpp"
#include "llmes/trade_sinks.hpp"
#include "llmes/types.hpp"
#endif
