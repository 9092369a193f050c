// SPDX-License-Identifier: MIT
//
// The search by id counts correctly, comes upon every rejection, and finds a fault at the first length at which it
// can show.
#include "tests/long/exhaustive_ids.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "llmes/ids/id_book.hpp"
#include "tests/support/id_inspector.hpp"

namespace llmes::test {
namespace {

void ignore(std::size_t, std::size_t, std::size_t) {}

/// 32 limit and 4 market orders, a cancel, 2 reduces, 16 modifies, and 16 replaces by each of the ids; and 2 in
/// front of another one by each of the ids.
constexpr std::uint64_t requests = 3 * (32 + 4 + 1 + 2 + 16 + 3 * (16 + 2));

/// @return how many states one request leads to.
template <class Kind>
std::uint64_t states_after_one() {
  ExhaustiveIds<Kind> one;
  EXPECT_EQ(one.run(1, ignore), std::nullopt) << Kind::name;
  EXPECT_EQ(one.sequences(), requests) << Kind::name;
  EXPECT_EQ(one.states(), 1u) << Kind::name;

  ExhaustiveIds<Kind> two;
  EXPECT_EQ(two.run(2, ignore), std::nullopt) << Kind::name;
  EXPECT_EQ(two.sequences(), requests * requests) << Kind::name;
  return two.states();
}

TEST(ExhaustiveIds, CountsSequencesAndStates) {
  // That before the first request, and one for each id that has room, side, price and quantity of a single order.
  EXPECT_EQ(states_after_one<ThreeFromZero>(), 1u + 3 * 8);
  EXPECT_EQ(states_after_one<TheLargestTwo>(), 1u + 2 * 8);
  EXPECT_EQ(states_after_one<OneBucket>(), 1u + 3 * 8);
  // One or two lots can be sold to the orders that stand there.
  EXPECT_EQ(states_after_one<FullBucket>(), 1u + 3 * 8 + 2);
}

/// An `IdBook` whose calls `Alteration` makes.
template <class Kind, class Alteration>
class AlteredIdBook : public IdBook<OrderBook<128>, typename Kind::Index> {
  using Base = IdBook<OrderBook<128>, typename Kind::Index>;

 public:
  static std::optional<AlteredIdBook> create(const BookConfig& config, const typename Kind::Index::Config& ids) {
    return AlteredIdBook(*Base::create(config, ids));
  }

  template <TradeSink Sink>
  Result apply(const Request& request, Sink&& sink) {
    return Alteration::apply(static_cast<Base&>(*this), request, sink);
  }
  template <class At, class Receiver, class Sink>
  void apply(std::size_t count, At at, Receiver receiver, Sink sink) {
    Alteration::apply(static_cast<Base&>(*this), count, at, receiver, sink);
  }

 private:
  explicit AlteredIdBook(Base&& book) : Base(std::move(book)) {}
};

/// As it should be.
struct PlainRequests {
  template <class Book, class Sink>
  static Result apply(Book& book, const Request& request, Sink& sink) {
    return book.apply(request, sink);
  }
  template <class Book, class At, class Receiver, class Sink>
  static void apply(Book& book, std::size_t count, At& at, Receiver& receiver, Sink& sink) {
    book.apply(count, at, receiver, sink);
  }
};

template <class Kind>
struct NotesRejections : PlainRequests {
  static inline std::set<Status> seen;

  using PlainRequests::apply;
  template <class Book, class Sink>
  static Result apply(Book& book, const Request& request, Sink& sink) {
    const Result result = book.apply(request, sink);
    if (result.status != Status::Success) seen.insert(result.status);
    return result;
  }
};

/// What requests are rejected for in sequences of up to this length, beside `more`.
template <class Kind>
void expect_rejections(std::size_t length, std::set<Status> more) {
  using Notes = NotesRejections<Kind>;
  EXPECT_EQ((ExhaustiveIds<Kind, AlteredIdBook<Kind, Notes>>().run(length, ignore)), std::nullopt) << Kind::name;
  more.insert({Status::UnknownOrder, Status::DuplicateId, Status::InvalidQuantity, Status::WouldCross,
               Status::NotFillable});
  EXPECT_EQ(Notes::seen, more) << Kind::name;
}

TEST(ExhaustiveIds, ComesUponEveryRejection) {
  expect_rejections<ThreeFromZero>(3, {Status::PoolFull});
  expect_rejections<TheLargestTwo>(2, {Status::NoRoomForId});
  expect_rejections<OneBucket>(2, {});
}

template <class Kind, class Book>
std::string found_in(std::size_t length) {
  return ExhaustiveIds<Kind, Book>().run(length, ignore).value_or("nothing");
}

/// An index that does what it should but for what `Fault` does otherwise.
template <class Fault, class Index>
struct FaultyIndex : Index {
  explicit FaultyIndex(Index&& index) : Index(std::move(index)) {}

  static std::optional<Fault> create(const typename Index::Config& config, std::size_t capacity,
                                     CreateStatus& status, std::size_t /*slot_count*/ = 0) {
    return Fault(*Index::create(config, capacity, status));
  }
};

/// Shows in two requests: an order, and another one of the same id.
struct AcceptsDuplicates : PlainRequests {
  using PlainRequests::apply;
  template <class Book, class Sink>
  static Result apply(Book& book, const Request& request, Sink& sink) {
    const Result result = book.apply(request, sink);
    if (result.status != Status::DuplicateId || request.type != CommandType::AddLimit) return result;
    return IdInspector::book(book).add_limit_order(request.id, request.side, request.price, request.quantity,
                                                   request.time_in_force, sink);
  }
};

TEST(ExhaustiveIds, FindsADuplicateInTwoRequests) {
  using Book = AlteredIdBook<ThreeFromZero, AcceptsDuplicates>;
  EXPECT_EQ((found_in<ThreeFromZero, Book>(1)), "nothing");
  const std::string found = found_in<ThreeFromZero, Book>(2);
  EXPECT_NE(found.find("result: expected DuplicateId"), std::string::npos) << found;
}

/// Shows in two requests: two orders whose ids share a tag. The second one is found among the recent ids, but not
/// without them.
struct LooksOnce : FaultyIndex<LooksOnce, HashedIds> {
  using FaultyIndex::FaultyIndex;
  template <class Matches>
  SlotIndex find(OrderId id, Matches matches) const {
    return matches(hint(id)) ? hint(id) : 0;
  }
};

TEST(ExhaustiveIds, FindsASearchThatStopsEarly) {
  using Book = IdBook<OrderBook<128>, LooksOnce>;
  EXPECT_EQ((found_in<OneBucket, Book>(1)), "nothing");
  const std::string found = found_in<OneBucket, Book>(2);
  EXPECT_NE(found.find("the book says no handle"), std::string::npos) << found;
}

/// Shows in two requests: an order, and one that meets it.
struct NamesTheFirstTaker : PlainRequests {
  using PlainRequests::apply;
  template <class Book, class At, class Receiver, class Sink>
  static void apply(Book& book, std::size_t count, At& at, Receiver& receiver, Sink& sink) {
    book.apply(count, at, receiver, [&sink](const Trade& trade, std::size_t) { sink(trade, 0); });
  }
};
/// Shows in two requests: an order, and one whose rejection looks as it should.
struct CancelsWhatItRejects : PlainRequests {
  using PlainRequests::apply;
  template <class Book, class At, class Receiver, class Sink>
  static void apply(Book& book, std::size_t count, At& at, Receiver& receiver, Sink& sink) {
    for (std::size_t i = 0; i < count; ++i) {
      const Request& request = at(i);
      const Result result = book.apply(request, [&](const Trade& trade) { sink(trade, i); });
      if (result.status == Status::DuplicateId) std::ignore = book.cancel_order(request.id);
      receiver(result);
    }
  }
};

TEST(ExhaustiveIds, FindsASpanThatIsDifferent) {
  using NamesAnother = AlteredIdBook<ThreeFromZero, NamesTheFirstTaker>;
  EXPECT_EQ((found_in<ThreeFromZero, NamesAnother>(1)), "nothing");
  const std::string named = found_in<ThreeFromZero, NamesAnother>(2);
  EXPECT_NE(named.find("who trades in a span"), std::string::npos) << named;

  using Cancels = AlteredIdBook<ThreeFromZero, CancelsWhatItRejects>;
  EXPECT_EQ((found_in<ThreeFromZero, Cancels>(1)), "nothing");
  const std::string cancelled = found_in<ThreeFromZero, Cancels>(2);
  EXPECT_NE(cancelled.find("the same bits after a span"), std::string::npos) << cancelled;
}

}  // namespace
}  // namespace llmes::test
