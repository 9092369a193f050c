// SPDX-License-Identifier: MIT
#include "tests/long/mutation/books.hpp"

#include "llmes/book.hpp"

namespace llmes::test {

std::vector<BookType> mutated_books() {
  return {book_type<OrderBook<64>>(), book_type<OrderBook<4096>>(), book_type<OrderBook<8192>>(),
          book_type<WideOrderBook<64>>(), book_type<WideOrderBook<8192>>()};
}

}  // namespace llmes::test
