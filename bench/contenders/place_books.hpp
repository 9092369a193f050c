// SPDX-License-Identifier: MIT
//
// The core over a candidate for its side at any price: by handle, and by hashed ids.
#pragma once

#include <cstddef>

#include "bench/contenders/id_books.hpp"
#include "bench/contenders/place_side_book.hpp"
#include "llmes/book/order_book.hpp"
#include "llmes/ids/hashed_ids.hpp"

namespace llmes::bench {

/// For any band.
template <std::size_t N>
using CorePlacesBook = llmes::OrderBook<262'144, places::PlaceSideBook>;
template <std::size_t N>
using PlacesIdsHashedBook = SpansByIdBook<llmes::OrderBook<262'144, places::PlaceSideBook>, HashedIds>;

}  // namespace llmes::bench
