// SPDX-License-Identifier: MIT
//
// A book by ids that puts work off, for markets in which most orders leave right after they have come: an order
// that would come to rest and do nothing else waits, with no place on a level and no entry in the index. If the
// next request cancels or changes it, that is all. Any other puts it in its place first.
//
// It stands on the public calls of an `IdBook` and does for its callers what that does, but for handles: a result
// or a trade of an order that has waited has another, and a result of one that waits none.
//
// Invariant: an order that waits can be put in its place. It crosses nothing, there is a slot for it, the index
// has room for its id, and its level for its lots: those of all orders together fit 64 bits.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "llmes/book.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/ids/id_index.hpp"

namespace llmes::bench {

template <class Book, class Index>
class LazyIdBook {
  using Ids = IdBook<Book, Index>;

 public:
  static std::optional<LazyIdBook> create(const BookConfig& config, const typename Index::Config& ids) {
    std::optional<Ids> book = Ids::create(config, ids);
    if (!book) return std::nullopt;
    return LazyIdBook(*std::move(book), config, ids);
  }

  template <TradeSink Sink>
  [[gnu::always_inline]] Result apply(const Request& request, Sink&& sink) noexcept {
    if (request.type == CommandType::AddLimit) {
      place();
      if (may_wait(request)) [[likely]] {
        waiting_ = request;
        return {Status::Success, {}, 0, request.quantity};
      }
    } else if (request.id == waiting_.id && waits()) {
      if (request.type == CommandType::Cancel)
        return {Status::Success, {}, 0, 0, std::exchange(waiting_.quantity, 0)};
      if (request.type == CommandType::Modify && would_rest(request, waiting_.side)) return change(request);
    }
    return apply_placed(request, sink);
  }

  /// The same for many: none is looked at before its turn.
  template <class At, class Receiver, class Sink>
  [[gnu::always_inline]] void apply(std::size_t count, At&& at, Receiver&& receiver, Sink&& sink) noexcept {
    for (std::size_t i = 0; i < count; ++i) receiver(apply(at(i), sink), i);
  }

  [[nodiscard]] const Book& book() const noexcept {
    place();
    return ids_.book();
  }
  [[nodiscard]] bool waits() const noexcept { return waiting_.quantity != 0; }

 private:
  LazyIdBook(Ids&& ids, const BookConfig& config, const typename Index::Config& index) noexcept
      : ids_(std::move(ids)),
        index_(index),
        waits_up_to_(std::min(config.quantity_max, std::numeric_limits<Quantity>::max() / config.capacity)) {}

  [[nodiscard, gnu::always_inline]] bool may_wait(const Request& request) noexcept {
    return request.side <= Side::Sell && would_rest(request, request.side) && holds(request.id) &&
           ids_.book().size() < ids_.book().capacity() && ids_.handle_of(request.id) == OrderHandle{};
  }
  /// Whether an order like this would come to rest and do nothing else, provided that there is room for it.
  [[nodiscard, gnu::always_inline]] bool would_rest(const Request& request, Side side) noexcept {
    const Book& book = ids_.book();
    if (request.time_in_force > TimeInForce::PostOnly || request.quantity - 1 >= waits_up_to_) return false;
    if (request.price < book.price_min() || request.price > book.price_max()) return false;
    if (!best_known_) [[unlikely]]
      look_for_best();
    return side == Side::Buy ? request.price < best_ask_ : request.price > best_bid_;
  }
  [[nodiscard, gnu::always_inline]] bool holds(OrderId id) const noexcept {
    if constexpr (std::same_as<Index, DenseIds>) return id - index_.first < index_.count;
    return true;
  }

  [[gnu::always_inline]] Result change(const Request& request) noexcept {
    const bool kept_place = request.price == waiting_.price && request.quantity <= waiting_.quantity;
    waiting_.price = request.price;
    waiting_.quantity = request.quantity;
    return {Status::Success, {}, 0, request.quantity, 0, kept_place};
  }

  [[gnu::always_inline]] void place() const noexcept {
    if (!waits()) return;
    const auto& [id, new_id, price, quantity, type, side, time_in_force] = waiting_;
    ids_.add_resting_order(id, side, price, quantity);
    if (side == Side::Buy) {
      best_bid_ = std::max(best_bid_, price);
    } else {
      best_ask_ = std::min(best_ask_, price);
    }
    waiting_.quantity = 0;
  }

  /// Out of line and by value, as the rare calls of an `IdBook`.
  template <class Sink>
  [[gnu::noinline]] Result apply_placed(Request request, Sink& sink) noexcept {
    place();
    best_known_ = false;
    // Such an order may rest. With it, the lots of all orders together may be too many.
    if (request.quantity > waits_up_to_) [[unlikely]]
      waits_up_to_ = 0;
    return ids_.apply(request, sink);
  }

  /// The best prices say whether an order crosses. Orders that wait do not change them.
  [[gnu::noinline]] void look_for_best() noexcept {
    best_bid_ = ids_.book().best_bid().value_or(std::numeric_limits<Price>::min());
    best_ask_ = ids_.book().best_ask().value_or(std::numeric_limits<Price>::max());
    best_known_ = true;
  }

  // A query puts the order that waits in its place, as the call that made it wait has been made.
  mutable Ids ids_;
  typename Index::Config index_;
  mutable Request waiting_{};  ///< of quantity 0: none does
  Quantity waits_up_to_;  ///< the most lots of an order that may wait; 0 once there may be one of too many lots
  mutable Price best_bid_ = 0;
  mutable Price best_ask_ = 0;
  bool best_known_ = false;
};

}  // namespace llmes::bench
