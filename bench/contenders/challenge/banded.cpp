// SPDX-License-Identifier: MIT
//
// A book for a band of prices from 0, by hashed ids: that of the conformance case with a price of 200,000.
#include "bench/contenders/challenge/book_adapter.hpp"

namespace llmes::challenge {
using Engine = BookAdapter<WideOrderBook<262'144>>;
}  // namespace llmes::challenge

#include "bench/contenders/challenge/entry.hpp"
