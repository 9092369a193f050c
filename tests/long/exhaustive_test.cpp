// SPDX-License-Identifier: MIT
//
// The search counts correctly and finds a fault at the first length at which it can show. The program `exhaustive`
// runs it on the product.
#include "tests/long/exhaustive.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "llmes/book.hpp"
#include "tests/support/altered_book.hpp"
#include "tests/support/book_inspector.hpp"
#include "tests/support/results.hpp"

namespace llmes::test::exhaustive_test {
namespace {

void ignore(std::size_t, std::size_t, std::size_t) {}

/// Shows when two orders share a level and the first is made smaller.
struct SmallerLosesItsPlace {
  template <class Sink>
  static Result apply(OrderBook<128>& book, const Command& command, Sink& sink) {
    const auto order = book.find(command.handle);
    if (command.type == CommandType::Reduce && order && command.quantity < order->quantity) {
      std::ignore = book.modify_resting_order(command.handle, order->price, order->quantity + 1);
      Result result = book.apply(Command::reduce(command.handle, command.quantity + 1), sink);
      result.cancelled = command.quantity;
      return result;
    }
    return book.apply(command, sink);
  }
};

/// Shows in four calls: an order, one that takes its slot, one that takes that one's, and the cancel.
struct ThirdUseCannotBeCancelled {
  template <class Sink>
  static Result apply(OrderBook<128>& book, const Command& command, Sink& sink) {
    if (command.type == CommandType::Cancel && command.handle.generation == 5) return {Status::UnknownOrder};
    return book.apply(command, sink);
  }
};

/// Shows at once, but only to the walk over the invariants: no call asks for the price.
struct LeavesAnEmptyLevelWithATotal {
  template <class Sink>
  static Result apply(OrderBook<128>& book, const Command& command, Sink& sink) {
    BookInspector::quantity(book, BookInspector::anchor(book, Side::Buy, 0)) = 1;
    return book.apply(command, sink);
  }
};

/// Shows in two calls, though another call leads to the same state: one that rightly does nothing.
struct CancelDoesNothing {
  template <class Sink>
  static Result apply(OrderBook<128>& book, const Command& command, Sink& sink) {
    const auto order = book.find(command.handle);
    if (command.type == CommandType::Cancel && order) return done(0, order->quantity);
    return book.apply(command, sink);
  }
};

/// The same of an order that stays.
struct SmallerStaysAsItWas {
  template <class Sink>
  static Result apply(OrderBook<128>& book, const Command& command, Sink& sink) {
    const auto order = book.find(command.handle);
    const bool smaller = order && command.quantity < order->quantity;
    if (smaller && command.type == CommandType::Reduce) {
      return kept_place(command.handle, order->quantity - command.quantity, command.quantity);
    }
    if (smaller && command.type == CommandType::Modify && command.price == order->price &&
        command.time_in_force <= TimeInForce::PostOnly) {
      return kept_place(command.handle, command.quantity);
    }
    return book.apply(command, sink);
  }
};

/// Shows in three calls: two orders and a cancel. The state is that after a cancel of the other one.
struct CancelsTheOldest {
  template <class Sink>
  static Result apply(OrderBook<128>& book, const Command& command, Sink& sink) {
    const auto named = book.find(command.handle);
    if (command.type != CommandType::Cancel || !named) return book.apply(command, sink);
    for (OrderId id = 1;; ++id) {
      for (SlotIndex slot = BookInspector::first_order_slot(book); slot < BookInspector::slot_count(book);
           ++slot) {
        const std::uint32_t generation = BookInspector::generation(book, slot);
        if (generation % 2 == 0 || BookInspector::id(book, slot) != id) continue;
        std::ignore = book.cancel_order({slot, generation});
        return done(0, named->quantity);
      }
    }
  }
};

TEST(Exhaustive, CountsSequencesAndStates) {
  Exhaustive<OrderBook<128>> one;
  EXPECT_EQ(one.run(1, ignore), std::nullopt);
  EXPECT_EQ(one.sequences(), 80u);  // 64 limit orders, 12 that never trade and 4 market orders
  EXPECT_EQ(one.states(), 1u);

  // 36 of the 80 rest; then 81 calls on their handle are possible besides.
  Exhaustive<OrderBook<128>> two;
  EXPECT_EQ(two.run(2, ignore), std::nullopt);
  EXPECT_EQ(two.sequences(), 80u * 80 + 36 * 81);
  EXPECT_EQ(two.states(), 13u);  // one without an order, and one for each side, price and quantity of a single one
}

TEST(Exhaustive, FindsALostPlaceInThreeCalls) {
  EXPECT_EQ(Exhaustive<AlteredBook<SmallerLosesItsPlace>>().run(2, ignore), std::nullopt);
  const std::optional<std::string> found = Exhaustive<AlteredBook<SmallerLosesItsPlace>>().run(3, ignore);
  ASSERT_TRUE(found);
  EXPECT_NE(found->find(R"( {
      add_limit(1, Side::Buy, -1, 1).as_command(),
      add_resting_before(1, 2, 2).as_command(),
      reduce(2, 1).as_command(),
  });)"),
            std::string::npos)
      << *found;
}

TEST(Exhaustive, FindsAFaultOfTheThirdUseOfASlot) {
  EXPECT_EQ(Exhaustive<AlteredBook<ThirdUseCannotBeCancelled>>().run(3, ignore), std::nullopt);
  const std::optional<std::string> found = Exhaustive<AlteredBook<ThirdUseCannotBeCancelled>>().run(4, ignore);
  ASSERT_TRUE(found);
  EXPECT_NE(found->find("status: expected Success, the book says UnknownOrder"), std::string::npos) << *found;
}

template <class Fault>
std::string found_in(std::size_t length) {
  return Exhaustive<AlteredBook<Fault>>().run(length, ignore).value_or("nothing");
}

TEST(Exhaustive, ComparesAStateThatAnotherCallLedTo) {
  for (const std::size_t length : {std::size_t{2}, std::size_t{3}}) {
    EXPECT_NE(found_in<CancelDoesNothing>(length).find("cancel(1).as_command(),\n  });"), std::string::npos);
    EXPECT_NE(found_in<SmallerStaysAsItWas>(length).find("reduce(1, 1).as_command(),\n  });"), std::string::npos);
  }
  EXPECT_EQ(found_in<CancelsTheOldest>(2), "nothing");
  EXPECT_NE(found_in<CancelsTheOldest>(3).find("cancel(2).as_command(),\n  });"), std::string::npos);
}

/// Shows in two calls, in a band that has been moved.
struct CancelDoesNothingElsewhere {
  template <class Sink>
  static Result apply(OrderBook<128>& book, const Command& command, Sink& sink) {
    if (command.type == CommandType::Cancel && book.price_min() != -64) return {Status::UnknownOrder};
    return book.apply(command, sink);
  }
};

TEST(Exhaustive, MovesTheBand) {
  EXPECT_EQ(found_in<MovesTheBand<>>(2), "nothing");
  EXPECT_EQ(found_in<CancelDoesNothingElsewhere>(2), "nothing");
  EXPECT_NE(found_in<MovesTheBand<CancelDoesNothingElsewhere>>(2).find("cancel(1).as_command(),\n  });"),
            std::string::npos);
}

TEST(Exhaustive, FindsABrokenInvariant) {
  const auto found = Exhaustive<AlteredBook<LeavesAnEmptyLevelWithATotal>>().run(1, ignore);
  ASSERT_TRUE(found);
  EXPECT_NE(found->find("level Buy 63: the total is 1, its orders have 0"), std::string::npos) << *found;
}

}  // namespace
}  // namespace llmes::test::exhaustive_test
