// SPDX-License-Identifier: MIT
//
// The core over a candidate for its side at any price: by handle, and by hashed ids.
#pragma once

#include <cstddef>

#include "bench/books/id_books.hpp"
#include "bench/books/place_side_book.hpp"
#include "llmes/hashed_ids.hpp"
#include "llmes/order_book.hpp"

namespace llmes::bench {

/// For any band.
template <std::size_t N>
using CorePlacesBook = llmes::OrderBook<262'144, places::PlaceSideBook>;
template <std::size_t N>
using PlacesIdsHashedBook = SpansByIdBook<llmes::OrderBook<262'144, places::PlaceSideBook>, HashedIds>;

}  // namespace llmes::bench
