// SPDX-License-Identifier: MIT
//
// A book by hashed ids in the challenge, one message at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "bench/contenders/challenge/adapter.hpp"
#include "llmes/book.hpp"
#include "llmes/ids/hashed_ids.hpp"
#include "llmes/ids/id_book.hpp"

namespace llmes::challenge {

template <class Book>
class BookAdapter {
 public:
  [[nodiscard]] static std::optional<BookAdapter> create() noexcept {
    auto book = IdBook<Book, HashedIds>::create({.base_price = 0, .capacity = capacity}, {});
    if (!book) return {};
    return BookAdapter(*std::move(book));
  }

  [[gnu::always_inline]] void apply(const Request& request, std::uint64_t sequence,
                                    const Reports& reports) noexcept {
    RestingOrder before;
    Result result;
    if (request.type == CommandType::Cancel) {
      result.status = book_.cancel_order(request.id, before);
    } else {
      result = book_.apply(request, [&](const Trade& trade) {
        reports.trade(sequence, trade.maker_id, trade.taker_id, trade.price, trade.quantity);
      });
    }
    reports.answer(sequence, request, result.status, result.cancelled, before);
  }

  /// For queries.
  [[nodiscard]] const Book* book() const noexcept { return &book_.book(); }

 private:
  explicit BookAdapter(IdBook<Book, HashedIds>&& book) noexcept : book_(std::move(book)) {}

  IdBook<Book, HashedIds> book_;
};

}  // namespace llmes::challenge
