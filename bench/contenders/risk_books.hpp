// SPDX-License-Identifier: MIT
//
// A core by id with accounts and limits before it: what the checks cost beside core_ids_single_hashed, which is
// the same book without them. Each limit but the credit is set, as market orders need a price where cash is
// limited. None is hit, so every row does the same work in its book.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "bench/contenders/map_risk.hpp"
#include "bench/contenders/reporting_books.hpp"
#include "llmes/book.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/ids/id_index.hpp"
#include "llmes/venue/risk.hpp"

namespace llmes::bench {

/// How many accounts there are, and whose an order is: by its id, since its cancel comes from the same account.
inline constexpr AccountNumber risk_accounts = 64;
[[nodiscard]] inline AccountNumber account_of(OrderId id) {
  return 1 + static_cast<AccountNumber>(id % risk_accounts);
}

/// Limits that no stream comes near.
inline constexpr AccountLimits wide_limits{.order_quantity = 1'000'000'000,
                                           .order_notional = 1'000'000'000'000'000,
                                           .open_orders = 1'000'000'000,
                                           .open_quantity = 1'000'000'000'000,
                                           .position_min = -1'000'000'000'000,
                                           .position_max = 1'000'000'000'000,
                                           .collar_low = -1'000'000,
                                           .collar_high = 1'000'000,
                                           .message_burst = 1'000'000,
                                           .message_interval = 1};

/// One request at a time, which `Stage` checks: a RiskStage, or what is called like one.
template <class CoreType, class Stage>
class CheckedBook {
  using Book = IdBook<CoreType, HashedIds>;

 public:
  using Core = CoreType;

  static std::optional<CheckedBook> create(const BookConfig& config, std::size_t /*id_count*/) {
    std::optional<Book> book = Book::create(config, {});
    std::optional<Stage> stage = Stage::create({.accounts = risk_accounts,
                                                .orders = config.capacity,
                                                .holdings = risk_accounts,
                                                .fees = {.maker = -1, .taker = 2}});
    if (!book || !stage) return std::nullopt;
    bool ready = stage->set_reference(0, config.base_price) == RiskStatus::Success;
    for (AccountNumber account = 1; account <= risk_accounts; ++account) {
      ready = ready && stage->set_limits(account, wide_limits) == RiskStatus::Success;
    }
    if (!ready) return std::nullopt;
    return CheckedBook(*std::move(book), *std::move(stage));
  }

  template <TradeSink Sink>
  [[gnu::always_inline]] Result apply(const Request& request, Sink& sink) noexcept {
    return stage_.apply(book_, account_of(request.id), request, ++time_, sink).result;
  }

  [[nodiscard]] std::optional<Price> best_bid() const { return book_.book().best_bid(); }
  [[nodiscard]] std::size_t size() const { return book_.book().size(); }

 private:
  CheckedBook(Book&& book, Stage&& stage) : book_(std::move(book)), stage_(std::move(stage)) {}

  Book book_;
  Stage stage_;
  Nanoseconds time_ = 0;
};

template <std::size_t N>
using RiskBook = CheckedBook<BookForBand<N>, RiskStage>;
template <std::size_t N>
using RiskMapsBook = CheckedBook<BookForBand<N>, MapRisk>;

}  // namespace llmes::bench
