// SPDX-License-Identifier: MIT
//
// differential [--operations=N]: plays random streams on the product with each kind of side book, as a book of a
// set and by id, on the oracle and on the books of rivals.cpp, and compares all their answers.
//
// It prints a hash of every answer, trade and handle of the product. The streams are the same everywhere, so the
// hash is too, whatever the compiler, its level of optimisation and the machine.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "llmes/book.hpp"
#include "llmes/ids/id_index.hpp"
#include "llmes/sets/book_set.hpp"
#include "tests/long/differential/rivals.hpp"
#include "tests/support/book_by_id.hpp"
#include "tests/support/busy_set_book.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/event_hash.hpp"
#include "tests/support/number_flag.hpp"
#include "tests/support/random_streams.hpp"
#include "tests/support/record_trades.hpp"

namespace llmes::test {
namespace {

constexpr std::size_t stream_length = 20'000;
constexpr std::size_t state_every = 1'000;  ///< operations

/// One random stream and what it is played on.
struct Match {
  BookType core;
  BookType wide_core;            ///< the same with pooled anchors
  std::vector<BookType> others;  ///< the core with other handles or prices, which only the oracle can judge
  std::vector<BookType> rivals;
  std::size_t price_levels;
  BookConfig config;
  std::vector<Operation> operations;
};

template <template <std::size_t> class Book>
BookType core_of(std::size_t price_levels) {
  switch (price_levels) {
    case 128: return book_type<Book<128>>();
    case 4096: return book_type<Book<4096>>();
    default: return book_type<Book<262144>>();
  }
}
template <std::size_t PriceLevels>
using Plain = OrderBook<PriceLevels>;
template <std::size_t PriceLevels>
using Wide = WideOrderBook<PriceLevels>;
template <std::size_t PriceLevels>
using ById = BookById<Plain<PriceLevels>, HashedIds>;
using SetById = BookById<BookSet, HashedIds>;
using PlacedById = BookById<PlacedBookSet, PlacedIds>;

/// Match number `number`: each kind of stream in each band, and then again from another seed.
Match arrange(std::size_t number, std::size_t operation_count) {
  constexpr std::array<std::size_t, 3> bands{128, 4096, 262144};
  const std::size_t price_levels = bands[number / profiles.size() % bands.size()];
  Profile profile = profiles[number % profiles.size()];
  profile.operation_count = operation_count;
  const BookConfig config{.base_price = -20, .capacity = profile.capacity};
  return {core_of<Plain>(price_levels),
          core_of<Wide>(price_levels),
          {book_type<AnyPriceBook<512>>(), book_type<BusySetBook>(), book_type<BusyPlacedBook>(),
           core_of<ById>(price_levels), book_type<SetById>(), book_type<PlacedById>()},
          rivals(price_levels),
          price_levels,
          config,
          random_stream(profile, config, price_levels, number + 1)};
}

/// What becomes of the handles that a book issues.
struct Handles {
  bool count = true;          ///< whether they go into the hash
  std::uint32_t further = 0;  ///< how many slots further its orders would be in the core, modulo 2^32
};

/// Plays `operations` and adds what the book says to `hash`. Its handles are told, and forged, as those of the
/// core.
void play(const BookType& type, const BookConfig& config, const std::vector<Operation>& operations,
          const Handles& handles, EventHash& hash) {
  const std::unique_ptr<AnyBook> book = type.create(config);
  const auto of_the_core = [&handles](OrderHandle handle) {
    return OrderHandle{handle.index + handles.further, handle.generation};
  };
  const auto of_the_book = [&handles](OrderHandle handle) {
    return OrderHandle{handle.index - handles.further, handle.generation};
  };
  const auto told = [&](auto event, OrderHandle decltype(event)::*member) {
    OrderHandle& handle = event.*member;
    handle = handles.count && handle != OrderHandle{} ? of_the_core(handle) : OrderHandle{};
    return event;
  };
  std::unordered_map<OrderId, OrderHandle> issued;  // by label, the last one, as it is told
  RecordTrades sink;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Operation& operation = operations[i];
    const std::uint64_t handle = issued[operation.order].value() ^ operation.flip;
    sink.trades.clear();
    Result result = book->apply(to_command(operation, of_the_book(OrderHandle::from_value(handle))), sink);
    if (operation.type == CommandType::Reduce || result.status != Status::Success) {
      result.handle = {};  // only the core names it
    }
    if (operation.makes_order() && result.handle != OrderHandle{}) {
      issued[operation.made()] = of_the_core(result.handle);
    }
    hash.add(std::uint64_t{result.handle != OrderHandle{}});
    hash.add(told(result, &Result::handle));
    for (const Trade& trade : sink.trades) hash.add(told(trade, &Trade::maker_handle));
    hash.add(book->best_bid());
    hash.add(book->best_ask());
    if ((i + 1) % state_every != 0 && i + 1 != operations.size()) continue;
    for (const Side side : {Side::Buy, Side::Sell}) {
      book->visit_orders(side, [&](const RestingOrder& order) { hash.add(told(order, &RestingOrder::handle)); });
    }
  }
  hash.add(std::uint64_t{book->broken_invariant().has_value()});
}

/// How far the slots of a book's orders are from the first slot of all: they begin behind the anchors of its
/// levels.
std::uint32_t first_slot(const BookType& type, const BookConfig& config) {
  RecordTrades sink;
  const std::unique_ptr<AnyBook> book = type.create(config);
  return book->apply(Command::add_limit(1, Side::Buy, config.base_price, 1, TimeInForce::GoodTillCancel), sink)
      .handle.index;
}

/// Without forged handles: what one hits, by accident, is another order in each book. And without what the rivals
/// do not know: replaces, calls that never trade, the time in force of a modify, and prices beyond the band of
/// orders that may not rest.
std::vector<Operation> honest(const Match& match) {
  std::vector<Operation> operations = match.operations;
  std::erase_if(operations, [](const Operation& operation) { return is_new_to_old_books(operation.type); });
  for (Operation& operation : operations) {
    operation.flip = 0;
    const bool beyond = operation.price < match.config.base_price ||
                        operation.price >= match.config.base_price + static_cast<Price>(match.price_levels);
    if (operation.type == CommandType::Modify || beyond) operation.time_in_force = TimeInForce::GoodTillCancel;
  }
  return operations;
}

std::uint64_t common_hash(const BookType& type, const Match& match) {
  EventHash hash;
  play(type, match.config, honest(match), {.count = false}, hash);
  return hash.value();
}

/// What the oracle holds against a book, with the shortest sequence that shows it; empty if it agrees.
std::string disagreement(const BookType& type, const Match& match, const std::vector<Operation>& operations) {
  const std::optional<Disagreement> found = run_conformance(type, match.config, operations, state_every);
  if (!found) return {};
  const std::vector<Operation> shortest =
      shortest_failure(type, match.config, operations, found->operation + 1, state_every);
  return found->what + "\n\n" +
         source_of_test(type.name, match.config.base_price, match.config.capacity, shortest);
}

/// Says what is wrong with the product or a rival; empty if all agree, and the product agrees with the oracle.
/// `hash` is that of all that the product said before, and takes in what it says now.
std::string judge(const Match& match, EventHash& hash) {
  std::string wrong = disagreement(match.core, match, match.operations);
  if (!wrong.empty()) return wrong;
  EventHash with_pooled_anchors = hash;
  play(match.core, match.config, match.operations, {}, hash);
  const std::uint32_t further = first_slot(match.core, match.config) - first_slot(match.wide_core, match.config);
  play(match.wide_core, match.config, match.operations, {.further = further}, with_pooled_anchors);
  if (with_pooled_anchors.value() != hash.value()) {
    return match.core.name + " and " + match.wide_core.name + " disagree.\n" +
           disagreement(match.wide_core, match, match.operations);
  }
  for (const BookType& other : match.others) {
    wrong = disagreement(other, match, match.operations);
    if (!wrong.empty()) return other.name + " is wrong.\n" + wrong;
  }
  const std::uint64_t expected = common_hash(match.core, match);
  for (const BookType& rival : match.rivals) {
    if (common_hash(rival, match) == expected) continue;
    wrong = match.core.name + " and " + rival.name + " disagree.\n";
    for (const BookType& type : {match.core, rival}) wrong += disagreement(type, match, honest(match));
    return wrong;
  }
  return {};
}

}  // namespace
}  // namespace llmes::test

int main(int argc, char** argv) {
  using namespace llmes::test;
  const std::uint64_t total = number_flag(
      argc, argv, "Plays N random calls on the core, the oracle and other books, and compares their answers.",
      "operations", 1'000'000, 1'000'000'000'000);
  EventHash hash;
  std::uint64_t done = 0;
  for (std::size_t number = 0; done < total; ++number) {
    const Match match = arrange(number, std::min<std::uint64_t>(stream_length, total - done));
    const std::string wrong = judge(match, hash);
    if (!wrong.empty()) {
      std::fprintf(stderr, "\nstream %zu: %s", number, wrong.c_str());
      return EXIT_FAILURE;
    }
    done += match.operations.size();
    if (number % 10 == 9) {
      std::fprintf(stderr, "\r%ju of %ju operations", std::uintmax_t{done}, std::uintmax_t{total});
    }
  }
  std::fprintf(stderr, "\n");
  std::printf(
      "differential: %ju operations, the core in %zu forms agrees with the oracle and %zu other books, event hash "
      "%016jx\n",
      std::uintmax_t{done}, 2 + arrange(0, 0).others.size(), rivals(128).size(), std::uintmax_t{hash.value()});
}
