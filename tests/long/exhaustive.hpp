// SPDX-License-Identifier: MIT
//
// Every sequence of calls up to a length, in a world that is small enough: both sides, three prices, one or two
// lots, every time in force, a price beyond either end of the band for orders that do not rest, market orders, and
// cancel, modify, replace and reduce of every handle ever issued, in a pool of three slots. After each call the
// answer, the trades, the whole state and the invariants are compared.
//
// Sequences of the same length that lead to the same state are followed as one, and counted as many. No symmetry
// is assumed: two states are the same if
//   - the books are the same to the last bit, generations and order of the free list included. The slots of orders
//     say all of it, because the walk over the invariants has shown that anchors and trees agree with them; where
//     anchors are pooled, together with the level of each and the order in which the free ones will be used. What
//     a free slot still holds of its last order or level must not matter, so it is overwritten with nonsense after
//     each call;
//   - the oracles are the same. They hold the orders of their books, as was compared; how orders of different
//     levels arrived relative to each other is not the same then, but the oracle asks for the order of arrival
//     within one level alone;
//   - the same handles have been issued. A slot's generation says which.
// The id of an order is its number among those that came to rest, so the same handles mean the same next id.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "llmes/llmes.hpp"
#include "tests/support/any_book.hpp"
#include "tests/support/book_inspector.hpp"
#include "tests/support/difference.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/operation.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/record_trades.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {

/// `Book` is an `OrderBook` of 128 prices, or derived from it.
template <class Book>
class Exhaustive {
 public:
  /// Called now and then with the length under way, and how many of its states are done.
  using Progress = std::function<void(std::size_t length, std::size_t done, std::size_t states)>;

  /// Goes through all sequences of up to `length` calls.
  /// @return what the book and the oracle disagree on first, as a test to paste; nothing if they agree.
  std::optional<std::string> run(std::size_t length, const Progress& progress) {
    Layer layer{Node{}};
    for (std::size_t depth = 1; depth <= length; ++depth) {
      layers_.push_back(std::exchange(layer, {}));
      known_.clear();
      const std::size_t count = layers_.back().size();
      for (std::size_t i = 0; i < count; ++i) {
        if (i % 4'096 == 0) progress(depth, i, count);
        if (!every_call(static_cast<std::uint32_t>(i), layer, depth == length)) return what_;
      }
      progress(depth, count, count);
    }
    return {};
  }

  /// How many sequences there are of exactly the length asked for; each begins with all shorter ones.
  [[nodiscard]] std::uint64_t sequences() const { return sequences_; }
  /// How many different states the calls but the last led to; every call was made in each.
  [[nodiscard]] std::uint64_t states() const { return layers_.back().size(); }

 private:
  using Inspector = BookInspector;
  static constexpr bool pools_anchors = Inspector::pools_anchors<Book>;

  static constexpr BookConfig config{.base_price = -64, .capacity = 3};
  static constexpr std::array<Price, 3> prices{-1, 0, 1};  // across a boundary between two words of the tree
  static constexpr std::array<Price, 2> prices_beyond{-1'000, 1'000};  // also of a band that moves
  static constexpr std::array<Quantity, 2> quantities{1, 2};
  static constexpr std::array sides{Side::Buy, Side::Sell};
  static constexpr std::array times_in_force{TimeInForce::GoodTillCancel, TimeInForce::PostOnly,
                                             TimeInForce::ImmediateOrCancel, TimeInForce::FillOrKill};

  /// How a state came about: by one call in a state of the layer before.
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t call = 0;
    std::uint64_t sequences = 1;
  };
  using Layer = std::vector<Node>;

  /// A book and its oracle.
  struct State {
    Book book = *Book::create(config);
    Oracle oracle{book.price_min(), book.price_max(), config.capacity};
    std::vector<OrderHandle> issued;
  };

  /// Every price with every time in force, and with those that do not rest the prices beyond either end of the
  /// band.
  static std::vector<std::pair<Price, TimeInForce>> limits() {
    std::vector<std::pair<Price, TimeInForce>> limits;
    for (const Price price : prices) {
      for (const TimeInForce time_in_force : times_in_force) limits.emplace_back(price, time_in_force);
    }
    for (const Price price : prices_beyond) {
      limits.emplace_back(price, TimeInForce::ImmediateOrCancel);
      limits.emplace_back(price, TimeInForce::FillOrKill);
    }
    return limits;
  }
  /// The calls in a state: those that name no order, then those on each handle.
  static std::vector<Command> calls_without_handle() {
    std::vector<Command> calls;
    for (const Side side : sides) {
      for (const Quantity quantity : quantities) {
        calls.push_back(Command::add_market(0, side, quantity));
        for (const auto& [price, time_in_force] : limits()) {
          calls.push_back(Command::add_limit(0, side, price, quantity, time_in_force));
        }
      }
    }
    return calls;
  }
  static std::vector<Command> calls_on_handle() {
    std::vector<Command> calls{Command::cancel({})};
    for (const Quantity quantity : quantities) {
      calls.push_back(Command::reduce({}, quantity));
      for (const auto& [price, time_in_force] : limits()) {
        calls.push_back(Command::modify({}, price, quantity, time_in_force));
        calls.push_back(Command::replace({}, 0, price, quantity, time_in_force));
      }
    }
    return calls;
  }
  [[nodiscard]] std::size_t call_count(const State& state) const {
    return without_handle_.size() + state.issued.size() * on_handle_.size();
  }
  [[nodiscard]] Command call(std::size_t index, const State& state) const {
    Command command;
    if (index < without_handle_.size()) {
      command = without_handle_[index];
      command.id = state.issued.size() + 1;
    } else {
      const std::size_t rest = index - without_handle_.size();
      command = on_handle_[rest % on_handle_.size()];
      command.handle = state.issued[rest / on_handle_.size()];
      if (command.type == CommandType::Replace) command.id = state.issued.size() + 1;
    }
    return command;
  }

  /// The same as a step of the sequence that a failure prints: the label of an order is its id.
  [[nodiscard]] Operation operation(std::size_t index, const State& state) const {
    const Command command = call(index, state);
    const std::size_t rest = index - without_handle_.size();
    const bool on_handle = index >= without_handle_.size();
    return Operation{command.type,
                     on_handle ? rest / on_handle_.size() + 1 : command.id,
                     command.side,
                     command.price,
                     command.quantity,
                     command.time_in_force,
                     on_handle ? command.id : 0}
        .as_command();
  }

  /// The calls that lead to a state of the last layer of `layers_`, first to last.
  [[nodiscard]] std::vector<std::uint32_t> calls_to(std::uint32_t node) const {
    std::vector<std::uint32_t> calls(layers_.size() - 1);
    for (std::size_t depth = layers_.size() - 1; depth > 0; --depth) {
      calls[depth - 1] = layers_[depth][node].call;
      node = layers_[depth][node].parent;
    }
    return calls;
  }

  /// Makes every call in one state.
  bool every_call(std::uint32_t node, Layer& next, bool last) {
    State before;
    for (const std::uint32_t index : calls_to(node)) make(call(index, before), before);
    const std::uint64_t sequences = layers_.back()[node].sequences;
    const std::size_t issued = before.issued.size();

    after_.issued = before.issued;
    for (std::uint32_t index = 0; index < call_count(before); ++index) {
      Inspector::copy(before.book, after_.book);
      after_.oracle = before.oracle;
      after_.issued.resize(issued);
      make(call(index, before), after_);
      if (difference_.empty()) difference_ = broken_invariant(after_.book).value_or("");
      // Known or not: the right state after one call is a wrong one after another.
      if (!difference_.empty() || !state_agrees()) return fail(node, index);

      if (last) {
        sequences_ += sequences;
        continue;
      }
      const auto [known, is_new] = known_.try_emplace(key_of(after_.book), next.size());
      if (is_new) next.push_back({node, index, 0});
      next[known->second].sequences += sequences;
    }
    return true;
  }

  /// Makes a call on the book and the oracle and compares the answers; `difference_` says what differs.
  void make(const Command& command, State& state) {
    trades_.trades.clear();
    const Result result = state.book.apply(command, trades_);
    const Oracle::Outcome expected = state.oracle.apply(command);
    difference_.clear();
    compare("status", expected.status, result.status);
    compare("filled", expected.filled, result.filled);
    compare("remaining", expected.remaining, result.remaining);
    compare("cancelled", expected.cancelled, result.cancelled);
    compare("kept its place", expected.kept_place, result.kept_place);
    compare("trades", expected.trades, trades_.trades);
    if (expected.remaining == 0) {
      compare("handle", OrderHandle{}, result.handle);
    } else if (result.status != Status::Success || command.type == CommandType::Modify ||
               command.type == CommandType::Reduce) {
      compare("handle", command.handle, result.handle);
    } else {
      if (std::ranges::find(state.issued, result.handle) != state.issued.end()) {
        difference_ = "a handle is issued for the second time";
      }
      state.oracle.name_newest(result.handle);
      state.issued.push_back(result.handle);
    }
    overwrite_free_slots(state.book);
  }

  static void overwrite_free_slots(Book& book) {
    for (SlotIndex slot = Inspector::first_order_slot(book); slot < Inspector::slot_count(book); ++slot) {
      if (Inspector::generation(book, slot) % 2 != 0) continue;
      Inspector::id(book, slot) = std::numeric_limits<OrderId>::max();
      Inspector::quantity(book, slot) = std::numeric_limits<Quantity>::max();
      Inspector::previous(book, slot) = std::numeric_limits<SlotIndex>::max();
      Inspector::level_of(book, slot) = std::numeric_limits<SlotIndex>::max();
    }
    if constexpr (pools_anchors) {
      for (const Side side : sides) {
        for (const SlotIndex anchor : Inspector::free_anchors(book, side)) {
          Inspector::id(book, anchor) = std::numeric_limits<OrderId>::max();
          Inspector::quantity(book, anchor) = std::numeric_limits<Quantity>::max();
          Inspector::previous(book, anchor) = std::numeric_limits<SlotIndex>::max();
          Inspector::level_of(book, anchor) = std::numeric_limits<SlotIndex>::max();
        }
        const auto chains = Inspector::chains(book, side);
        std::vector<bool> in_use(chains.size());
        for (std::size_t rank = 0; rank < Book::price_levels; ++rank) {
          if (Inspector::occupied(book, side, rank)) in_use[rank % chains.size()] = true;
        }
        for (std::size_t i = 0; i < chains.size(); ++i) {
          if (!in_use[i]) chains[i] = std::numeric_limits<SlotIndex>::max();
        }
      }
    }
  }

  /// Whether every query of `after_` answers as the oracle does.
  bool state_agrees() {
    compare("state", snapshot_of(after_.oracle), snapshot_of(after_.book));
    for (const OrderHandle handle : after_.issued) {
      compare("find", after_.oracle.find(handle), after_.book.find(handle));
    }
    for (const Side side : sides) {
      const std::vector<DepthLevel> levels = levels_of(after_.oracle.orders(side));
      for (const Price price : prices) {
        const auto level = std::ranges::find(levels, price, &DepthLevel::price);
        compare("level", level == levels.end() ? DepthLevel{price} : *level, after_.book.level(side, price));
      }
    }
    return difference_.empty();
  }

  static std::vector<DepthLevel> levels_of(const std::vector<RestingOrder>& orders) {
    std::vector<DepthLevel> levels;
    for (const RestingOrder& order : orders) {
      if (levels.empty() || levels.back().price != order.price) levels.push_back({order.price});
      levels.back().quantity += order.quantity;
      ++levels.back().order_count;
    }
    return levels;
  }
  static Snapshot snapshot_of(const Oracle& oracle) {
    const std::vector<RestingOrder> bids = oracle.orders(Side::Buy);
    const std::vector<RestingOrder> asks = oracle.orders(Side::Sell);
    return {bids,
            asks,
            levels_of(bids),
            levels_of(asks),
            oracle.best(Side::Buy),
            oracle.best(Side::Sell),
            oracle.size(),
            config.capacity,
            config.base_price,
            config.base_price + static_cast<Price>(Book::price_levels) - 1};
  }
  static Snapshot snapshot_of(const Book& book) { return test::snapshot_of(book); }

  template <class T>
  void compare(const char* what, const T& expected, const T& actual) {
    note_difference(difference_, what, expected, actual);
  }

  /// Notes the sequence that led to a difference.
  bool fail(std::uint32_t node, std::uint32_t last_call) {
    std::vector<std::uint32_t> calls = calls_to(node);
    calls.push_back(last_call);
    const std::string difference = difference_;
    State state;
    std::vector<Operation> operations;
    for (const std::uint32_t index : calls) {
      operations.push_back(operation(index, state));
      make(call(index, state), state);
    }
    what_ =
        difference + "\n\n" + source_of_test(type_name<Book>(), config.base_price, config.capacity, operations);
    return false;
  }

  /// All slots for orders and the head of the free list; where anchors are pooled also which level each is of, and
  /// the free ones of each side in order.
  using Key = std::array<std::uint64_t, 4 * config.capacity + 1 + (pools_anchors ? 2 * config.capacity + 2 : 0)>;
  static Key key_of(const Book& book) {
    Key key;
    auto word = key.begin();
    const auto both = [](std::uint32_t high, std::uint32_t low) { return (std::uint64_t{high} << 32) | low; };
    for (SlotIndex slot = Inspector::first_order_slot(book); slot < Inspector::slot_count(book); ++slot) {
      *word++ = Inspector::id(book, slot);
      *word++ = Inspector::quantity(book, slot);
      *word++ = both(Inspector::previous(book, slot), Inspector::next(book, slot));
      *word++ = both(Inspector::level_of(book, slot), Inspector::generation(book, slot));
    }
    *word++ = Inspector::first_free(book);
    if constexpr (pools_anchors) {
      for (SlotIndex slot = 0; slot < Inspector::first_order_slot(book); ++slot)
        *word++ = Inspector::id(book, slot);
      for (const Side side : sides) {
        *word = 1;
        for (const SlotIndex anchor : Inspector::free_anchors(book, side)) *word = *word << 16 | anchor;
        ++word;
      }
    }
    return key;
  }
  struct HashKey {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::string_view>()({reinterpret_cast<const char*>(key.data()), sizeof(key)});
    }
  };

  const std::vector<Command> without_handle_ = calls_without_handle();
  const std::vector<Command> on_handle_ = calls_on_handle();
  std::vector<Layer> layers_;                            ///< the states after no call, after one, ...
  std::unordered_map<Key, std::size_t, HashKey> known_;  ///< those of the layer under way
  State after_;
  RecordTrades trades_;
  std::string difference_;
  std::string what_;
  std::uint64_t sequences_ = 0;
};

}  // namespace llmes::test
