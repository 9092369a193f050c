// SPDX-License-Identifier: MIT
#include "tests/support/conformance.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "tests/support/difference.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/record_trades.hpp"
#include "tests/support/shrink.hpp"

namespace llmes::test {
namespace {

/// A book and the oracle, side by side.
class Conformance {
 public:
  Conformance(AnyBook& book, const BookConfig& config)
      : book_(book), oracle_(book_.price_min(), book_.price_max(), config.capacity, config.quantity_max) {}

  /// Makes one call on both and compares the answers: result, trades, best prices and size.
  /// An order that would reuse the id of another one that still rests is skipped, because a book that knows its
  /// orders by id has no meaning for it.
  /// @return what differs; empty if nothing does.
  std::string step(const Operation& operation) {
    if (!book_.is_the_core() && is_new_to_old_books(operation.type)) return {};
    may_be_crossed_ |= never_trades(operation.type);
    const OrderHandle handle = handle_of(operation.order);
    Command command = to_command(operation, OrderHandle::from_value(handle.value() ^ operation.flip));
    if (operation.makes_order() && rests(operation.made()) && !keeps_its_id(command)) return {};
    if (!book_.is_the_core()) command.time_in_force = time_in_force_of_old(command);
    RecordTrades sink;
    const Result result = operation.by_command ? book_.apply(command, sink) : book_.call(command, sink);
    Oracle::Outcome expected = oracle_.apply(command);

    difference_.clear();
    compare("status", expected.status, result.status);
    compare("filled", expected.filled, result.filled);
    compare("trades", expected.trades, sink.trades);
    if (!difference_.empty()) return difference_;
    if (book_.is_the_core()) compare_rest_of_result(operation, expected, result);
    compare_handle(operation, command, expected, result.handle);
    compare("best bid", oracle_.best(Side::Buy), book_.best_bid());
    compare("best ask", oracle_.best(Side::Sell), book_.best_ask());
    if (!may_be_crossed_) compare("crossed or locked", false, crossed_or_locked());
    compare("size", oracle_.size(), book_.size());
    compare("find of the handle used", oracle_.find(command.handle), book_.find(command.handle));
    return difference_;
  }

  /// Compares the whole queryable state: every order in priority order, every level, every handle.
  /// @return what differs; empty if nothing does.
  std::string compare_state() {
    difference_.clear();
    for (const Side side : {Side::Buy, Side::Sell}) compare_side(side);
    for (const OrderHandle handle : recent_handles_) {
      compare("find of a recent handle", oracle_.find(handle), book_.find(handle));
    }
    compare("find of the default handle", oracle_.find({}), book_.find({}));
    return difference_;
  }

  /// Looks at the inside of the book.
  /// @return what is broken; empty if nothing is.
  [[nodiscard]] std::string check_invariants() const {
    const std::optional<std::string> broken = book_.broken_invariant();
    return broken ? "broken invariant: " + *broken : "";
  }
  /// After how many comparisons of the state to do that again: it looks at every price of a band, the others do
  /// not. A book without a band, whose prices are more than any band has, has windows of 1,024 on either side.
  [[nodiscard]] std::size_t invariants_every() const {
    constexpr std::size_t widest_band = 262'144;
    const std::size_t price_levels =
        static_cast<std::uint64_t>(book_.price_max()) - static_cast<std::uint64_t>(book_.price_min()) + 1;
    return price_levels > widest_band ? 16 : std::max<std::size_t>(price_levels / 128, 1);
  }

 private:
  /// The historical books know no time in force of a modify, and no price beyond the band.
  [[nodiscard]] TimeInForce time_in_force_of_old(const Command& command) const {
    const bool beyond = command.price < book_.price_min() || command.price > book_.price_max();
    const bool known = command.time_in_force <= TimeInForce::FillOrKill;
    const bool is_new = command.type == CommandType::Modify || (beyond && known);
    return is_new ? TimeInForce::GoodTillCancel : command.time_in_force;
  }

  [[nodiscard]] bool crossed_or_locked() const {
    const std::optional<Price> bid = book_.best_bid();
    const std::optional<Price> ask = book_.best_ask();
    return bid && ask && *bid >= *ask;
  }

  [[nodiscard]] OrderHandle handle_of(OrderId order) const {
    const auto found = handles_.find(order);
    return found == handles_.end() ? OrderHandle{} : found->second;
  }
  [[nodiscard]] bool rests(OrderId order) const {
    return handle_of(order) != OrderHandle{} && oracle_.find(handle_of(order));
  }

  /// Whether a call that makes an order is a replace by the same id, or names no order. A forged handle may be
  /// that of another order than the label's.
  [[nodiscard]] bool keeps_its_id(const Command& command) const {
    if (adds(command.type)) return false;
    const std::optional<RestingOrder> named = oracle_.find(command.handle);
    return !named || (replaces(command.type) && named->id == command.id);
  }

  /// What a named cancel or reduce, which tells only a status, does not say is not asked for.
  void compare_rest_of_result(const Operation& operation, const Oracle::Outcome& expected, const Result& result) {
    const bool only_status = operation.type == CommandType::Cancel || operation.type == CommandType::Reduce;
    if (only_status && !operation.by_command) return;
    compare("remaining", expected.remaining, result.remaining);
    compare("rests", expected.remaining > 0, result.rests());
    compare("cancelled", expected.cancelled, result.cancelled);
    compare("kept its place", expected.kept_place, result.kept_place);
  }

  void compare_handle(const Operation& operation, const Command& command, const Oracle::Outcome& expected,
                      OrderHandle handle) {
    const bool rejected = expected.status != Status::Success;
    const bool only_the_core_names_it = operation.type == CommandType::Reduce || rejected;
    const bool not_named =
        operation.type == CommandType::Reduce && !operation.by_command;  // it tells only a status
    if (not_named || (only_the_core_names_it && !book_.is_the_core())) return;
    if (expected.remaining == 0) {
      compare("order named by the result", std::optional<RestingOrder>{}, book_.find(handle));
    } else if (!operation.makes_order() || rejected) {
      compare("handle after a change", command.handle, handle);
    } else {
      compare("order that already has the new handle", std::optional<RestingOrder>{}, oracle_.find(handle));
      if (!difference_.empty()) return;
      oracle_.name_newest(handle);
      handles_[operation.made()] = handle;
      recent_handles_[recent_next_++ % recent_handles_.size()] = handle;
    }
  }

  void compare_side(Side side) {
    const std::vector<RestingOrder> expected = oracle_.orders(side);
    std::vector<RestingOrder> visited;
    book_.visit_orders(side, [&visited](const RestingOrder& order) { visited.push_back(order); });
    compare("orders in priority order", expected, visited);
    if (!difference_.empty()) return;

    std::vector<DepthLevel> levels;
    for (const RestingOrder& order : expected) {
      compare("find", std::optional(order), book_.find(order.handle));
      if (levels.empty() || levels.back().price != order.price) levels.push_back({order.price});
      levels.back().quantity += order.quantity;
      ++levels.back().order_count;
    }
    compare_levels(side, levels);
  }

  /// `levels`: those that hold orders, the best first. Their neighbours and the ends of the band, one price
  /// beyond them included, are looked at as well.
  void compare_levels(Side side, const std::vector<DepthLevel>& levels) {
    constexpr Price lowest = std::numeric_limits<Price>::min();
    constexpr Price highest = std::numeric_limits<Price>::max();
    std::map<Price, DepthLevel> expected;
    const auto expect_empty_around = [&expected](Price price) {
      expected.try_emplace(price, DepthLevel{price});
      if (price > lowest) expected.try_emplace(price - 1, DepthLevel{price - 1});
      if (price < highest) expected.try_emplace(price + 1, DepthLevel{price + 1});
    };
    for (const DepthLevel& level : levels) expected.emplace(level.price, level);
    for (const DepthLevel& level : levels) expect_empty_around(level.price);
    expect_empty_around(book_.price_min());
    expect_empty_around(book_.price_max());
    for (const auto& [price, level] : expected) compare("level", level, book_.level(side, price));

    std::vector<DepthLevel> depth(levels.size() + 1);
    depth.resize(book_.depth(side, depth));
    compare("depth", levels, depth);
  }

  template <class T>
  void compare(const char* what, const T& expected, const T& actual) {
    note_difference(difference_, what, expected, actual);
  }

  AnyBook& book_;
  Oracle oracle_;
  std::unordered_map<OrderId, OrderHandle> handles_;  ///< by label, the last one issued
  std::vector<OrderHandle> recent_handles_ = std::vector<OrderHandle>(16);
  std::size_t recent_next_ = 0;
  bool may_be_crossed_ = false;
  std::string difference_;
};

}  // namespace

std::optional<Disagreement> run_conformance(const BookType& type, const BookConfig& config,
                                            const std::vector<Operation>& operations, std::size_t state_every) {
  const std::unique_ptr<AnyBook> book = type.create(config);
  if (!book) return Disagreement{0, "create: no book of this configuration"};
  Conformance conformance(*book, config);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    std::string what = conformance.step(operations[i]);
    const bool last = i + 1 == operations.size();
    const bool state_due = last || (i + 1) % state_every == 0;
    const bool invariants_due = last || (i + 1) % (state_every * conformance.invariants_every()) == 0;
    if (what.empty() && state_due) what = conformance.compare_state();
    if (what.empty() && invariants_due) what = conformance.check_invariants();
    if (!what.empty()) return Disagreement{i, what};
  }
  return {};
}

std::vector<Operation> shortest_failure(const BookType& type, const BookConfig& config,
                                        std::vector<Operation> operations, std::size_t failing,
                                        std::size_t state_every) {
  operations.resize(failing);
  return shrink(std::move(operations), [&](const std::vector<Operation>& candidate) {
    return run_conformance(type, config, candidate, state_every).has_value();
  });
}

}  // namespace llmes::test
