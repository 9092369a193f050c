// SPDX-License-Identifier: MIT
//
// An object that gets the image of another does from then on what that one does: it gives the same results,
// handles, trades and events, and has the same image. An image that does not fit is refused, and changes nothing.
#include "llmes/engine/image.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "llmes/book_set.hpp"
#include "llmes/engine/digest.hpp"
#include "llmes/id_book.hpp"
#include "llmes/market_data.hpp"
#include "tests/support/book_inspector.hpp"
#include "tests/support/each_event.hpp"
#include "tests/support/far_commands.hpp"
#include "tests/support/id_inspector.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/random.hpp"
#include "tests/support/record_trades.hpp"

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

/// Pages so small that each is closed soon, and its last order moved.
using SmallPagedIds = BasicPagedIds<4, 1, 2>;

constexpr BookSetConfig config{.books = 3, .capacity = 100, .far_levels = 80, .quantity_max = 1'000};

template <class Index>
typename Index::Config id_config() {
  if constexpr (std::same_as<Index, DenseIds>) return {10, 500};
  if constexpr (std::same_as<Index, PagedIds>) return {2};
  if constexpr (std::same_as<Index, SmallPagedIds>) return {12};
  return {};
}

template <class Books>
struct Kind;
template <>
struct Kind<BookSet> {
  using CommandOf = BookCommand;
  static BookSet create() { return *BookSet::create(config); }
};
template <class Index>
struct Kind<IdBook<BookSet, Index>> {
  using CommandOf = BookRequest;
  static auto create() { return *IdBook<BookSet, Index>::create(config, id_config<Index>()); }
  /// From a range of the index; or such that pages come and go.
  static OrderId id(Random& random, std::uint64_t step) {
    if constexpr (std::same_as<Index, DenseIds>) return random.below(515);
    const bool old = random.chance(20);
    const OrderId id = old ? random.below(step / 8 + 200) : step / 8 + random.below(200);
    return std::same_as<Index, HashedIds> ? id << 32 | 7 : id * (std::same_as<Index, PagedIds> ? 64 : 1);
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
  [[nodiscard]] const BookSet& set() const { return book_set_of(publisher); }

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
    const auto book = static_cast<BookNumber>(first ? 0 : random_.below(config.books));
    if constexpr (std::same_as<Books, BookSet>) {
      return {command, book};
    } else {
      const OrderId id = Kind<Books>::id(random_, step_);
      const OrderId new_id = Kind<Books>::id(random_, step_);
      return {{id, new_id, command.price, command.quantity, command.type, command.side, command.time_in_force},
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

/// To the last bit, also where an image might not have looked.
template <class Books>
void expect_same(const Published<Books>& a, const Published<Books>& b) {
  EXPECT_EQ(BookInspector::image(a.set()), BookInspector::image(b.set()));
  if constexpr (!std::same_as<Books, BookSet>) {
    EXPECT_TRUE(IdInspector::same_index(a.publisher.book(), b.publisher.book()));
  }
  for (BookNumber book = 0; book < config.books; ++book) {
    EXPECT_EQ(a.publisher.positions(book), b.publisher.positions(book));
  }
  EXPECT_EQ(logical_digest(a.publisher), logical_digest(b.publisher));
  EXPECT_EQ(image_of(a.publisher), image_of(b.publisher));
  EXPECT_EQ(broken_invariant(b.set()), std::nullopt);
}

template <class Books>
class ImageOf : public ::testing::Test {};
using KindsOfBooks = ::testing::Types<BookSet, IdBook<BookSet, DenseIds>, IdBook<BookSet, HashedIds>,
                                      IdBook<BookSet, PagedIds>, IdBook<BookSet, SmallPagedIds>>;
TYPED_TEST_SUITE(ImageOf, KindsOfBooks);

TYPED_TEST(ImageOf, IsTheWholeState) {
  std::size_t trades = 0;
  std::size_t crossed = 0;
  std::size_t full = 0;
  std::size_t in_table = 0;
  std::size_t restored = 0;
  unsigned highest = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
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
      if constexpr (std::same_as<TypeParam, IdBook<BookSet, SmallPagedIds>>) {
        in_table = std::max(in_table, IdInspector::orders_in_table(IdInspector::index(books->publisher.book())));
      }
      if (i % 1'000 == 999) {
        EXPECT_EQ(books->publisher.clear(), before ? before->publisher.clear() : books->set().size());
      }
    }
  }
  EXPECT_GT(restored, 50u);
  EXPECT_GT(trades, 500u);
  EXPECT_GT(crossed, 500u);
  EXPECT_GT(full, 10u);
  EXPECT_GE(highest, 2u);
  EXPECT_EQ(in_table > 10, (std::same_as<TypeParam, IdBook<BookSet, SmallPagedIds>>));
}

}  // namespace
}  // namespace llmes::test
