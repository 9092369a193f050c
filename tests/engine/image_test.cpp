// SPDX-License-Identifier: MIT
//
// An object that gets the image of another does from then on what that one does: it gives the same results,
// handles, trades and events, and has the same image. An image that does not fit is refused, and changes nothing.
#include "llmes/engine/snapshot/image.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bench/harness/allocation_counter.hpp"
#include "llmes/engine/snapshot/image_check.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/market_data.hpp"
#include "llmes/sets/book_set.hpp"
#include "tests/support/book_inspector.hpp"
#include "tests/support/each_event.hpp"
#include "tests/support/far_commands.hpp"
#include "tests/support/id_inspector.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/random.hpp"
#include "tests/support/record_trades.hpp"
#include "tests/support/sanitized.hpp"

namespace llmes::test {
namespace {

using Image = std::vector<std::byte>;

template <class Object>
Image image_of(const Object& object) {
  Image image;
  EXPECT_TRUE(write_image(object, [&](std::span<const std::byte> bytes) {
    image.insert(image.end(), bytes.begin(), bytes.end());
    return true;
  }));
  EXPECT_EQ(image.size(), image_bytes(object));
  return image;
}

/// Never asks for a byte that the image does not have.
template <class Object>
ImageStatus restore(Object& object, const Image& image) {
  std::size_t at = 0;
  return read_image(object, image.size(), [&](std::span<std::byte> bytes) {
    EXPECT_LE(bytes.size(), image.size() - at);
    if (bytes.size() > image.size() - at) return false;
    std::copy_n(image.begin() + static_cast<std::ptrdiff_t>(at), bytes.size(), bytes.begin());
    at += bytes.size();
    return true;
  });
}

// ---- What is compared.

constexpr BookSetConfig config{.max_books = 3, .capacity = 100, .far_levels = 80, .quantity_max = 1'000};

template <class Index>
typename Index::Config id_config() {
  if constexpr (std::same_as<Index, DenseIds>) return {10, 500};
  return {};
}

template <class Books>
struct Kind;
template <>
struct Kind<BookSet> {
  using CommandOf = BookCommand;
  static BookSet create() { return *BookSet::create(config); }
};
template <class Orders, class Index>
struct Kind<IdBook<BasicBookSet<Orders>, Index>> {
  using CommandOf = BookRequest;
  static auto create() { return *IdBook<BasicBookSet<Orders>, Index>::create(config, id_config<Index>()); }
  /// From a range of the index.
  static OrderId id(Random& random, std::uint64_t step) {
    if constexpr (std::same_as<Index, DenseIds>) return random.below(515);
    const bool old = random.chance(20);
    const OrderId id = old ? random.below(step / 8 + 200) : step / 8 + random.below(200);
    return std::same_as<Index, HashedIds> ? id << 32 | 7 : id;
  }
};

using AnyEvent =
    std::variant<OrderAdded, OrderExecuted, OrderReduced, OrderDeleted, OrderReplaced, LevelChanged, BestChanged>;

struct KeepEvents {
  std::vector<AnyEvent>* events;

  void operator()(const auto& event) const { events->emplace_back(event); }
};

/// Books with a publisher around them, and what they have told.
template <class Books>
struct Published {
  using CommandOf = typename Kind<Books>::CommandOf;
  struct Answer {
    Result result;
    std::vector<Trade> trades;
    std::vector<AnyEvent> events;

    friend bool operator==(const Answer&, const Answer&) = default;
  };

  Answer apply(const CommandOf& command) {
    RecordTrades trades;
    const Result result = publisher.apply(command, trades);
    return {result, std::move(trades.trades), std::exchange(*events, {})};
  }
  [[nodiscard]] const auto& set() const { return book_set_of(publisher); }

  std::unique_ptr<std::vector<AnyEvent>> events = std::make_unique<std::vector<AnyEvent>>();
  Publisher<Books, EachEvent<KeepEvents>> publisher = *Publisher<Books, EachEvent<KeepEvents>>::create(
      Kind<Books>::create(), EachEvent<KeepEvents>{KeepEvents{events.get()}});
};

/// Commands of every type for some books, by handles or by ids.
template <class Books>
class Commands {
 public:
  explicit Commands(std::uint64_t seed) : random_(seed), plan_(seed) {}

  typename Kind<Books>::CommandOf next() {
    ++step_;
    const Command command = plan_.next();
    const bool first = random_.chance(70);
    const auto book = static_cast<BookNumber>(first ? 0 : random_.below(config.max_books));
    if constexpr (std::same_as<Books, BookSet>) {
      return {command, book};
    } else {
      const OrderId id = Kind<Books>::id(random_, step_);
      const OrderId new_id = Kind<Books>::id(random_, step_);
      return {{{id, new_id}, command.price, command.quantity, command.type, command.side, command.time_in_force},
              book};
    }
  }
  void note(const Result& result) {
    if (result.rests()) plan_.note(result.handle);
  }

 private:
  Random random_;
  FarCommands plan_;
  std::uint64_t step_ = 0;
};

/// To the last bit, also where an image might not have looked. Broken links would lead queries astray, so bits
/// come first.
template <class Books>
void expect_same(const Published<Books>& a, const Published<Books>& b) {
  ASSERT_TRUE(BookInspector::image(a.set()) == BookInspector::image(b.set()));
  if constexpr (!std::same_as<Books, BookSet>) {
    EXPECT_TRUE(IdInspector::same_index(a.publisher.book(), b.publisher.book()));
  }
  for (BookNumber book = 0; book < config.max_books; ++book) {
    EXPECT_EQ(a.publisher.positions(book), b.publisher.positions(book));
  }
  EXPECT_EQ(logical_digest(a.publisher), logical_digest(b.publisher));
  EXPECT_TRUE(image_of(a.publisher) == image_of(b.publisher));
  EXPECT_EQ(broken_invariant(b.set()), std::nullopt);
}

template <class Books>
class ImageOf : public ::testing::Test {};
using KindsOfBooks = ::testing::Types<BookSet, IdBook<BookSet, DenseIds>, IdBook<BookSet, HashedIds>,
                                      IdBook<PlacedBookSet, PlacedIds>>;
TYPED_TEST_SUITE(ImageOf, KindsOfBooks);

TYPED_TEST(ImageOf, IsTheWholeState) {
  std::size_t trades = 0;
  std::size_t crossed = 0;
  std::size_t full = 0;
  std::size_t restored = 0;
  unsigned highest = 0;
  for (std::uint64_t seed = 1; seed <= repetitions(5u); ++seed) {
    Random random(seed);
    Commands<TypeParam> commands(seed);
    auto books = std::make_unique<Published<TypeParam>>();
    std::unique_ptr<Published<TypeParam>> before;  // those that `books` have got their state from
    std::uint64_t until = 0;
    for (std::uint64_t i = 0; i < 4'000; ++i) {
      if (i % 300 == 0) {
        static_cast<void>(books->publisher.add_book());
        if (before) static_cast<void>(before->publisher.add_book());
      }
      const auto command = commands.next();
      const auto answer = books->apply(command);
      commands.note(answer.result);
      trades += answer.trades.size();
      full += answer.result.status == Status::PoolFull ? 1 : 0;
      if (before) {
        ASSERT_EQ(before->apply(command), answer) << "seed " << seed << ", command " << i;
        if (i >= until) {
          expect_same(*before, *books);
          before.reset();
        }
      } else if (random.chance(1)) {
        before = std::exchange(books, std::make_unique<Published<TypeParam>>());
        ASSERT_EQ(restore(books->publisher, image_of(before->publisher)), ImageStatus::Success);
        expect_same(*before, *books);
        ASSERT_FALSE(this->HasFailure()) << "seed " << seed << ", command " << i;
        until = i + random.below(200);
        ++restored;
      }
      if (const auto book = books->set().book(0)) {
        crossed += book->best_bid() && book->best_ask() && *book->best_bid() >= *book->best_ask() ? 1 : 0;
        highest = std::max<unsigned>(highest, BookInspector::far_tree(*book, Side::Buy).height);
      }
      if (i % 1'000 == 999) {
        const std::size_t resting = books->set().size();
        EXPECT_EQ(books->publisher.clear(), resting);
        EXPECT_EQ(before ? before->publisher.clear() : resting, resting);
      }
    }
  }
  EXPECT_GT(restored, repetitions(50u));
  EXPECT_GT(trades, 500u);
  EXPECT_GT(crossed, 500u);
  EXPECT_GT(full, 10u);
  EXPECT_GE(highest, 2u);
}

TYPED_TEST(ImageOf, IsOfBooksThatAreEmptyAsWell) {
  Published<TypeParam> fresh;
  Published<TypeParam> books;
  Commands<TypeParam> commands(1);
  EXPECT_EQ(books.publisher.add_book(), BookNumber{0});
  for (int i = 0; i < 300; ++i) commands.note(books.apply(commands.next()).result);
  EXPECT_GT(books.publisher.clear(), 0u);
  Published<TypeParam> copy;
  ASSERT_EQ(restore(copy.publisher, image_of(books.publisher)), ImageStatus::Success);
  expect_same(books, copy);
  ASSERT_EQ(restore(books.publisher, image_of(fresh.publisher)), ImageStatus::Success);
  expect_same(fresh, books);
}

TYPED_TEST(ImageOf, IsTheSameAfterTheSameCalls) {
  Published<TypeParam> a;
  Published<TypeParam> b;
  Commands<TypeParam> commands(2);
  EXPECT_EQ(a.publisher.add_book(), b.publisher.add_book());
  for (int i = 0; i < 1'000; ++i) {
    const auto command = commands.next();
    commands.note(a.apply(command).result);
    b.apply(command);
  }
  expect_same(a, b);
  EXPECT_EQ(state_digest(a.publisher), state_digest(b.publisher));
  for (int i = 0; i < 100; ++i) commands.note(a.apply(commands.next()).result);
  EXPECT_NE(state_digest(a.publisher), state_digest(b.publisher));
}

TYPED_TEST(ImageOf, IsRefusedIfItIsTooShortOrTooLong) {
  Published<TypeParam> books;
  EXPECT_EQ(books.publisher.add_book(), BookNumber{0});
  const Image image = image_of(books.publisher);
  Published<TypeParam> other;
  const Image before = image_of(other.publisher);
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{8}, image.size() / 2,
                                 image.size() - 1, image.size() + 1, 2 * image.size()}) {
    Image cut = image;
    cut.resize(size);
    EXPECT_EQ(restore(other.publisher, cut), ImageStatus::WrongSize) << size;
    EXPECT_TRUE(image_of(other.publisher) == before) << size;
  }
}

TYPED_TEST(ImageOf, CanBeReadAgainAfterTheSourceHasFailed) {
  Published<TypeParam> books;
  EXPECT_EQ(books.publisher.add_book(), BookNumber{0});
  const Image image = image_of(books.publisher);
  Published<TypeParam> other;
  for (int good = 0; good < 20; ++good) {
    int left = good;
    std::size_t at = 0;
    const auto source = [&](std::span<std::byte> bytes) {
      EXPECT_GE(left, 0) << "asked after it has failed";
      if (left-- == 0) return false;
      std::copy_n(image.begin() + static_cast<std::ptrdiff_t>(at), bytes.size(), bytes.begin());
      at += bytes.size();
      return true;
    };
    EXPECT_EQ(read_image(other.publisher, image.size(), source), ImageStatus::Unreadable);
  }
  ASSERT_EQ(restore(other.publisher, image), ImageStatus::Success);
  expect_same(books, other);
}

TYPED_TEST(ImageOf, EndsWhereTheSinkTakesNoMore) {
  const Published<TypeParam> books;
  for (int good = 0; good < 20; ++good) {
    int calls = 0;
    EXPECT_FALSE(write_image(books.publisher, [&](std::span<const std::byte>) { return calls++ < good; }));
    EXPECT_EQ(calls, good + 1);
  }
}

// ---- Images that do not fit.

/// Gives `other` the image of `object`, and sees that nothing has changed.
template <class Object, class Other>
ImageStatus refused(const Object& object, Other other) {
  const Image before = image_of(other);
  const ImageStatus status = restore(other, image_of(object));
  EXPECT_TRUE(image_of(other) == before);
  return status;
}

TEST(Image, IsRefusedByAnObjectThatWasMadeForSomethingElse) {
  constexpr ImageStatus other = ImageStatus::OtherParameters;
  const BookSet set = *BookSet::create(config);
  EXPECT_EQ(refused(set, *BookSet::create({4, 100, 80, 1'000})), other);
  EXPECT_EQ(refused(set, *BookSet::create({3, 101, 80, 1'000})), other);
  EXPECT_EQ(refused(set, *BookSet::create({3, 99, 80, 1'000})), other);
  EXPECT_EQ(refused(set, *BookSet::create({3, 100, 20, 1'000})), other);
  EXPECT_EQ(refused(set, *BookSet::create({3, 90, 90, 1'000})), other) << "as many slots";
  EXPECT_EQ(refused(set, *PlacedBookSet::create(config)), other);

  const auto dense = *IdBook<BookSet, DenseIds>::create(config, {.first = 0, .count = 20});
  const auto hashed = *IdBook<BookSet, HashedIds>::create(config, {});
  EXPECT_EQ(refused(set, *IdBook<BookSet, HashedIds>::create(config, {})), other);
  EXPECT_EQ(refused(hashed, *BookSet::create(config)), other);
  EXPECT_EQ(refused(dense, *IdBook<BookSet, DenseIds>::create(config, {.first = 0, .count = 21})), other);
  EXPECT_EQ(refused(dense, *IdBook<BookSet, HashedIds>::create(config, {})), other);
}

/// Its arrays are gone, or are a zero that it shares with all such objects.
TEST(Image, OfBooksThatHaveBeenMovedFromFitsNoOthers) {
  auto books = *IdBook<BookSet, HashedIds>::create(config, {});
  const auto moved = std::move(books);
  EXPECT_EQ(refused(moved, std::move(books)), ImageStatus::OtherParameters);
  auto others = *IdBook<BookSet, HashedIds>::create(config, {});
  EXPECT_EQ(restore(others, image_of(books)), ImageStatus::OtherParameters);
  auto more = std::move(others);
  EXPECT_EQ(restore(books, image_of(others)), ImageStatus::Success) << "neither has any state";
}

/// So it can be written by a process that has forked off a program with threads.
/// As many orders as make the entries of their index move from one table to another, and an image on the way.
TEST(Image, OfAnIndexWhoseEntriesMoveIsTheWholeState) {
  constexpr BookSetConfig large{.max_books = 1, .capacity = 10'000, .far_levels = 10};
  using Books = IdBook<BookSet, HashedIds>;
  auto books = *Books::create(large, {});
  ASSERT_TRUE(books.add_book());
  const auto add = [](Books& to, OrderId id) {
    return to.add_limit_order(0, id, Side::Buy, 100, 1, TimeInForce::GoodTillCancel, [](const Trade&) {});
  };
  OrderId count = 0;
  while (IdInspector::tables(books).moved < 40) ASSERT_TRUE(add(books, ++count).rests());
  EXPECT_TRUE(ImageCheck::holds(books));

  auto others = *Books::create(large, {});
  ASSERT_EQ(restore(others, image_of(books)), ImageStatus::Success);
  EXPECT_TRUE(ImageCheck::holds(others));
  IdInspector::tables(others).moved += 40;
  EXPECT_FALSE(ImageCheck::holds(others)) << "some would be left behind";
  IdInspector::tables(others).moved -= 40;
  for (OrderId id = 1; id <= 5'000; ++id) {
    for (Books* each : {&books, &others}) {
      ASSERT_TRUE(add(*each, count + id).rests());
      if (id % 2 == 0) {
        ASSERT_EQ(each->cancel_order(id / 2), Status::Success);
      }
    }
    if (id % 100 == 0) {
      ASSERT_TRUE(image_of(books) == image_of(others)) << id;
    }
  }
  EXPECT_TRUE(ImageCheck::holds(others));

  const Image image = image_of(books);
  const auto refuses = [&](auto change) {
    EXPECT_EQ(restore(others, image), ImageStatus::Success);
    EXPECT_TRUE(ImageCheck::holds(others));
    change(IdInspector::tables(others));
    auto victim = *Books::create(large, {});
    EXPECT_EQ(restore(victim, image_of(others)), ImageStatus::Success);
    return !ImageCheck::holds(victim);
  };
  EXPECT_TRUE(refuses([](auto& tables) { tables.goal = ~std::uint32_t{0}; }));
  EXPECT_TRUE(refuses([](auto& tables) { tables.in_use = 2; }));
  EXPECT_TRUE(refuses([](auto& tables) { tables.goal = 1; })) << "without room";
  EXPECT_TRUE(refuses([](auto& tables) { tables.moved = 1; }));
  EXPECT_TRUE(refuses([](auto& tables) { tables = {0, 1, 5'001}; }));
}

TEST(Image, AllocatesNothing) {
  auto books = *IdBook<BookSet, HashedIds>::create(config, {});
  const Image image = image_of(books);
  std::size_t at = 0;
  const std::uint64_t before = bench::allocation_count();
  const bool written = write_image(books, [&](std::span<const std::byte>) { return true; });
  const ImageStatus status = read_image(books, image.size(), [&](std::span<std::byte> bytes) {
    std::copy_n(image.begin() + static_cast<std::ptrdiff_t>(at), bytes.size(), bytes.begin());
    at += bytes.size();
    return true;
  });
  const std::uint64_t digest = logical_digest(books);
  EXPECT_EQ(bench::allocation_count(), before);
  EXPECT_TRUE(written);
  EXPECT_EQ(status, ImageStatus::Success);
  EXPECT_NE(digest, 0u);
}

// ---- The digest.

/// Puts orders into book 0 of a new set, one command after the other, and then shows the set to `change`.
template <class Change>
std::uint64_t digest_after(const Change& change) {
  BookSet set = *BookSet::create({.max_books = 3, .capacity = 8});
  EXPECT_EQ(set.add_book(), BookNumber{0});
  change(set);
  return logical_digest(set);
}

TEST(LogicalDigest, IsThatOfEachOrderAndItsPlace) {
  const auto orders = [](OrderId id, Side side, Price price, Quantity quantity) {
    return digest_after([&](BookSet& set) {
      set.add_resting_order(0, 1, Side::Buy, 10, 5);
      set.add_resting_order(0, id, side, price, quantity);
    });
  };
  const std::uint64_t digest = orders(2, Side::Buy, 10, 6);
  EXPECT_EQ(digest, orders(2, Side::Buy, 10, 6));
  EXPECT_NE(digest, orders(3, Side::Buy, 10, 6));
  EXPECT_NE(digest, orders(2, Side::Sell, 10, 6));
  EXPECT_NE(orders(2, Side::Sell, 10, 6), orders(2, Side::Sell, 11, 6));
  EXPECT_NE(digest, orders(2, Side::Buy, 9, 6));
  EXPECT_NE(digest, orders(2, Side::Buy, 10, 7));
  EXPECT_NE(digest, digest_after([](BookSet& set) {
              const OrderHandle gone = set.add_resting_order(0, 3, Side::Buy, 10, 5).handle;
              EXPECT_EQ(set.cancel_order(gone), Status::Success);
              set.add_resting_order(0, 1, Side::Buy, 10, 5);
              set.add_resting_order(0, 2, Side::Buy, 10, 6);
            }))
      << "the handle of the first order";
  EXPECT_NE(digest, digest_after([](BookSet& set) {
              const OrderHandle first = set.add_resting_order(0, 1, Side::Buy, 10, 5).handle;
              set.add_resting_order(0, 2, Side::Buy, 10, 6);
              set.modify_resting_order(first, 11, 5);
              set.modify_resting_order(first, 10, 5);
            }))
      << "the same orders in another order";
}

TEST(LogicalDigest, IsThatOfTheBooksOneByOne) {
  const std::uint64_t one = digest_after([](BookSet&) {});
  EXPECT_NE(one, digest_after([](BookSet& set) { EXPECT_EQ(set.add_book(), BookNumber{1}); }));
  const auto in_book = [](BookNumber book) {
    return digest_after([book](BookSet& set) {
      EXPECT_EQ(set.add_book(), BookNumber{1});
      set.add_resting_order(book, 1, Side::Buy, 10, 5);
    });
  };
  EXPECT_NE(in_book(0), in_book(1));
}

TEST(LogicalDigest, DoesNotTellWhereThingsAreKept) {
  const auto orders = [](BookSet& set, Price first, Price second) {
    const OrderHandle order = set.add_resting_order(0, 1, Side::Buy, first, 5).handle;
    set.add_resting_order(0, 2, Side::Buy, second, 5);
    return order;
  };
  const std::uint64_t digest = digest_after([&](BookSet& set) { orders(set, 10'000, 9'950); });
  EXPECT_EQ(digest, digest_after([&](BookSet& set) {
              const OrderHandle order = orders(set, 1, 9'950);
              set.modify_resting_order(order, 50'000, 5);
              const OrderHandle third = set.add_resting_order(0, 3, Side::Sell, 100'000, 1).handle;
              EXPECT_EQ(set.cancel_order(third), Status::Success);
              set.modify_resting_order(order, 10'000, 5);
            }))
      << "other windows, other anchors, another generation of a free slot";
}

struct Fills {  // of which there are none
  void executed(const OrderExecuted&) {}
};
struct Added {
  void added(const OrderAdded&) {}
};
struct Levels {
  void level_changed(const LevelChanged&) {}
};
struct Bests {
  void best_changed(const BestChanged&) {}
};

template <class Sink>
std::uint64_t digest_of_one_published_order() {
  using ByIds = IdBook<BookSet, HashedIds>;
  auto publisher = *Publisher<ByIds, Sink>::create(Kind<ByIds>::create(), Sink{});
  EXPECT_EQ(publisher.add_book(), BookNumber{0});
  publisher.add_resting_order(0, 1, Side::Buy, 10, 5);
  EXPECT_EQ(logical_digest(publisher.book()), logical_digest(publisher.book().book()));
  return logical_digest(publisher);
}

TEST(LogicalDigest, IsThatOfThePositionsOfEachStreamAsWell) {
  const std::set digests{digest_of_one_published_order<Fills>(), digest_of_one_published_order<Added>(),
                         digest_of_one_published_order<Levels>(), digest_of_one_published_order<Bests>()};
  EXPECT_EQ(digests.size(), 4u);
}

}  // namespace
}  // namespace llmes::test
