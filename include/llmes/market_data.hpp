// SPDX-License-Identifier: MIT
//
// What a book tells the world, and books that are built from what a venue tells. Not part of llmes.hpp: see each
// header.
#pragma once

#include "llmes/market_data/events.hpp"     // IWYU pragma: export
#include "llmes/market_data/feed_book.hpp"  // IWYU pragma: export
#include "llmes/market_data/itch_sink.hpp"  // IWYU pragma: export
#include "llmes/market_data/publisher.hpp"  // IWYU pragma: export
#include "llmes/market_data/snapshot.hpp"   // IWYU pragma: export
