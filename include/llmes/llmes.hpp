// SPDX-License-Identifier: MIT
//
// The one include for users.
#pragma once

#define LLMES_VERSION_MAJOR 0
#define LLMES_VERSION_MINOR 1
#define LLMES_VERSION_PATCH 0

#include "llmes/order_book.hpp"
#include "llmes/trade_sinks.hpp"
#include "llmes/types.hpp"
