// SPDX-License-Identifier: MIT
//
// Phase 10 in three translation units, as in a library that is not header-only: the caller's (entry.cpp), one for
// the calls (calls.cpp) and one for the sides (sides.cpp). Phase 11 asks what a build makes of the seams between
// them, so the units are compiled once for each `Build`, with its flags.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "bench/contenders/composed_book.hpp"
#include "bench/contenders/phases.hpp"
#include "bench/streams/digest.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {

/// The units compiled one by one, optimised at link time, optimised with a profile, or both.
enum class Build { Plain, Lto, Pgo, LtoPgo };

/// The side of phase 10, with its calls in another unit.
template <Side S, class Level, std::size_t N, Build>
class SplitSide {
 public:
  Level* best_within(Tick limit);
  Level& open(Tick tick);
  void emptied_by_cancel(Tick tick);
  void emptied_by_trade(Tick tick);

  [[nodiscard]] const Level* find(Tick tick) const { return side_.find(tick); }
  template <class Visitor>
  void visit_levels(Visitor&& visitor) const {
    side_.visit_levels(visitor);
  }

 private:
  typename Phase10Parts<N>::template SideBook<S, Level> side_;
};

template <std::size_t N, Build build>
struct SplitParts : Phase10Parts<N> {
  template <Side S, class Level>
  using SideBook = SplitSide<S, Level, N, build>;
};

/// The calls that a timed stream makes, with a Digest as the sink, are in another unit; calls with other sinks are
/// not.
template <std::size_t N, Build build>
class SplitBook : public ComposedBook<SplitParts<N, build>> {
  using Base = ComposedBook<SplitParts<N, build>>;

 public:
  static std::optional<SplitBook> create(const BookConfig& config) {
    std::optional<Base> book = Base::create(config);
    if (!book) return std::nullopt;
    return SplitBook(*std::move(book));
  }

  using Base::add_limit_order;
  using Base::add_market_order;
  using Base::modify_order;
  Result add_limit_order(OrderId id, Side side, Price price, Quantity quantity, TimeInForce time_in_force,
                         Digest& digest);
  Result add_market_order(OrderId id, Side side, Quantity quantity, Digest& digest);
  Status cancel_order(OrderHandle handle);
  Result modify_order(OrderHandle handle, Price price, Quantity quantity, Digest& digest);
  Status reduce_order(OrderHandle handle, Quantity by);

  template <TradeSink Sink>
  Result apply(const Command& command, Sink&& sink) {
    return dispatch(*this, command, sink);
  }

 private:
  explicit SplitBook(Base&& book) : Base(std::move(book)) {}
};

template <std::size_t N>
using Phase11PlainBook = SplitBook<N, Build::Plain>;
template <std::size_t N>
using Phase11LtoBook = SplitBook<N, Build::Lto>;
template <std::size_t N>
using Phase11PgoBook = SplitBook<N, Build::Pgo>;
template <std::size_t N>
using Phase11LtoPgoBook = SplitBook<N, Build::LtoPgo>;

}  // namespace llmes::bench
