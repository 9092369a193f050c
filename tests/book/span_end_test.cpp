// SPDX-License-Identifier: MIT
//
// `apply` reads the commands of its span and nothing beyond, also where it prefetches the orders of later
// commands. The span ends where readable memory ends, so that reading one byte more ends the program.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "llmes/book.hpp"
#include "llmes/sets/book_set.hpp"

namespace llmes::test {
namespace {

/// Commands in pages of their own; the page behind the last command cannot be read.
template <class Command>
class BeforeAGuardPage {
 public:
  explicit BeforeAGuardPage(std::span<const Command> commands) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t readable = (commands.size_bytes() + page - 1) / page * page;
    size_ = readable + page;
    pages_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages_ == MAP_FAILED) return;
    std::byte* const guard = static_cast<std::byte*>(pages_) + readable;
    if (::mprotect(guard, page, PROT_NONE) != 0) return;
    auto* const first = reinterpret_cast<Command*>(guard - commands.size_bytes());
    std::uninitialized_copy(commands.begin(), commands.end(), first);
    commands_ = {first, commands.size()};
  }
  BeforeAGuardPage(const BeforeAGuardPage&) = delete;
  BeforeAGuardPage& operator=(const BeforeAGuardPage&) = delete;
  ~BeforeAGuardPage() {
    if (pages_ != MAP_FAILED) ::munmap(pages_, size_);
  }

  /// Empty if the system has refused the pages.
  [[nodiscard]] std::span<const Command> commands() const { return commands_; }

 private:
  void* pages_ = MAP_FAILED;
  std::size_t size_ = 0;
  std::span<const Command> commands_;
};

TEST(SpanEnd, IsTheLastCommandThatIsRead) {
  for (const std::size_t length : {std::size_t{1}, std::size_t{24}, std::size_t{25}, std::size_t{300}}) {
    SCOPED_TRACE(length);
    // Only the larger book has the 8,192 resting orders from which `apply` prefetches.
    for (const std::size_t standing : {std::size_t{1'000}, std::size_t{10'000}}) {
      auto book = *OrderBook<64>::create({.base_price = 0, .capacity = standing});
      std::vector<Command> cancels;
      for (OrderId id = 0; id < standing; ++id) {
        const auto price = static_cast<Price>(id % 7);
        cancels.push_back(Command::cancel(
            book.add_limit_order(id, Side::Buy, price, 1, TimeInForce::GoodTillCancel, DiscardTrades{}).handle));
      }
      ASSERT_EQ(book.size(), standing);
      const BeforeAGuardPage<Command> pages({cancels.data(), length});
      ASSERT_EQ(pages.commands().size(), length);
      std::vector<Result> results(length, {Status::UnknownOrder});
      EXPECT_EQ(book.apply(pages.commands(), results, DiscardTrades{}), length);
      EXPECT_EQ(results, std::vector(length, Result{.cancelled = 1}));
      EXPECT_EQ(book.size(), standing - length);
    }
  }
}

/// With so many books that a span looks at its commands ahead of time, a block at once.
TEST(SpanEnd, OfManyBooksIsTheLastCommandThatIsRead) {
  BookSet set = *BookSet::create({.max_books = 2'100, .capacity = 300});
  for (std::size_t book = 0; book < set.books(); ++book) static_cast<void>(set.add_book());
  ASSERT_TRUE(set.has_cold_books());
  for (const std::size_t length :
       {std::size_t{1}, BookSet::block - 1, BookSet::block, BookSet::block + 1, 2 * BookSet::block}) {
    std::vector<BookCommand> adds;
    for (OrderId id = 0; id < length; ++id) {
      adds.push_back({Command::add_resting(id, Side::Buy, 0, 1), static_cast<BookNumber>(id)});
    }
    const BeforeAGuardPage<BookCommand> pages(adds);
    ASSERT_EQ(pages.commands().size(), length);
    std::vector<Result> results(length);
    EXPECT_EQ(set.apply(pages.commands(), results, DiscardTrades{}), length);
    EXPECT_EQ(set.clear(), length);
  }
}

}  // namespace
}  // namespace llmes::test
