// SPDX-License-Identifier: MIT
//
// The book for any price, by hashed ids.
#include "bench/contenders/challenge/book_adapter.hpp"

namespace llmes::challenge {
using Engine = BookAdapter<AnyPriceBook<>>;
}  // namespace llmes::challenge

#include "bench/contenders/challenge/entry.hpp"
