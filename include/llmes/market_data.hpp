// SPDX-License-Identifier: MIT
//
// Events of a book, and books built from the messages of a venue. See each header.
#pragma once

#include "llmes/market_data/events.hpp"      // IWYU pragma: export
#include "llmes/market_data/feed_book.hpp"   // IWYU pragma: export
#include "llmes/market_data/feed_trade.hpp"  // IWYU pragma: export
#include "llmes/market_data/imbalance.hpp"   // IWYU pragma: export
#include "llmes/market_data/itch_sink.hpp"   // IWYU pragma: export
#include "llmes/market_data/mbo_book.hpp"    // IWYU pragma: export
#include "llmes/market_data/publisher.hpp"   // IWYU pragma: export
#include "llmes/market_data/snapshot.hpp"    // IWYU pragma: export
