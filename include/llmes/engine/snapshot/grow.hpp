// SPDX-License-Identifier: MIT
//
// Moves a stopped engine to an empty directory: to books of other sizes (`grow`), or to another version of the
// library (`carry_over`). The old directory stays as it was.
//
// The journal of an engine is for books of one size, as the size decides which commands are rejected. In more
// books, orders, far levels or ids the engine goes on as if nothing had happened: with the next sequence, and the
// same positions of the streams. The first file there is a snapshot, so no old segment is needed, and none is
// read. Reports of the commands before are told again from the old directory, for the old sizes.
//
// Only the minor version that made a snapshot reads it, but every version that knows the format reads a journal.
// So an engine whose first segments are gone writes its resting orders as a journal, and a new version begins with
// it.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "llmes/book/order_pool.hpp"
#include "llmes/engine/journal/journal.hpp"
#include "llmes/engine/matcher.hpp"
#include "llmes/engine/report.hpp"
#include "llmes/engine/snapshot/image.hpp"
#include "llmes/engine/snapshot/snapshot.hpp"
#include "llmes/market_data/events.hpp"
#include "llmes/sets/book_set.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/text.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

namespace detail {

/// Gives `visit` an `AddResting` for each order of these books, in the order of books, sides and priority, until
/// it answers false.
template <class Book, class Visit>
void visit_resting(const Matcher<Book>& books, const Visit& visit) noexcept {
  bool good = true;
  const auto& set = book_set_of(books);
  for (BookNumber number = 0; number < set.book_count() && good; ++number) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      set.book(number)->visit_orders(side, [&](const RestingOrder& order) {
        const Command add = Command::add_resting(order.id, order.side, order.price, order.quantity);
        good = good && visit(record_of(BookCommand{add, number}, 0));
        return good;
      });
    }
  }
}

/// Receives the records of a journal that is to begin: there must be none, and no snapshot of one.
template <class Files>
struct NoJournal {
  void operator()(std::span<const Record> /*records*/) const noexcept {}
  [[nodiscard]] JournalError check(const JournalSummary& summary) {
    FileNumbers snapshots;
    if (JournalError error = directory.list_snapshots(snapshots)) return error;
    const bool none = summary.empty && snapshots.all().empty();
    return {.code = none ? JournalCode::Success : JournalCode::NotEmpty};
  }

  JournalDirectory<Files>& directory;
};

/// Begins a journal in a directory without one, and opens that.
template <class Book, class Files>
[[nodiscard]] std::optional<JournalWriter<Files>> begin_journal(const MatcherConfig<Book>& config,
                                                                JournalConfig to, std::uint64_t first,
                                                                JournalDirectory<Files>& directory,
                                                                const Files& files, JournalError& error) {
  error = directory.open(to.directory);
  if (error) return {};
  to.parameters = parameters_of(config);
  to.durability = Durability::Machine;
  JournalSummary summary;
  return JournalWriter<Files>::create(to, first, NoJournal<Files>{directory}, summary, error, files);
}

/// Keeps how the last command went.
class LastStatus final : public ReportTarget {
 public:
  [[nodiscard]] std::span<Report> room() noexcept override { return room_; }
  void take(std::size_t written) noexcept override {
    if (written != 0) status = room_[written - 1].status;
  }

  Status status = Status::Success;

 private:
  std::array<Report, 4> room_;
};

[[nodiscard]] constexpr JournalError too_small(BookNumber book, Status why, OrderId order) noexcept {
  return {.code = JournalCode::TooSmall,
          .other = order,
          .name = fixed_text<24>(to_string(why)),
          .expected = why == Status::UnknownBook ? std::uint64_t{book} + 1 : 0,
          .found = book};
}

/// Slots move, so a handle of the old books must not name an order of the new ones: all generations of these come
/// later.
inline void outdate_handles(const Matcher<BookSet>& from, Matcher<BookSet>& to) noexcept {
  const auto orders_of = [](const Matcher<BookSet>& books, auto slots) {
    return slots.last(books.book().capacity());
  };
  std::uint32_t latest = 0;
  visit_spans<OrderSlot>(from, [&](std::span<const OrderSlot> slots) {
    for (const OrderSlot& slot : orders_of(from, slots)) latest = std::max(latest, slot.generation);
  });
  visit_spans<OrderSlot>(to, [&](std::span<OrderSlot> slots) {
    for (OrderSlot& slot : orders_of(to, slots)) slot.generation = latest / 2 * 2 + 2;
  });
}

/// Fills new books from old ones.
/// @return TooSmall, or Success.
template <class Book>
[[nodiscard]] JournalError fill(const Matcher<Book>& from, Matcher<Book>& to) noexcept {
  if constexpr (std::same_as<Book, BookSet>) outdate_handles(from, to);
  JournalError error;
  visit_resting(from, [&](const Record& record) {
    LastStatus done;
    to.apply({&record, 1}, done);
    if (done.status != Status::Success) error = too_small(record.book, done.status, record.id);
    return !error;
  });
  auto book = static_cast<BookNumber>(book_set_of(to).book_count());
  for (; !error && book < book_set_of(from).book_count(); ++book) {
    if (from.positions(book) != StreamPositions{}) error = too_small(book, Status::UnknownBook, 0);
  }
  if (error) return error;
  visit_spans<StreamPositions>(to, [&](std::span<StreamPositions> all) {
    for (BookNumber number = 0; number < all.size(); ++number) all[number] = from.positions(number);
  });
  return {};
}

}  // namespace detail

/// Begins a journal with one `AddResting` for each order of these books: an engine that opens it has the same
/// books, ids, sides, prices, open lots and priorities. Handles, sequences and positions begin anew. Linear.
/// @param books such as `Engine::books` of a stopped engine.
/// @param config what they were made for.
/// @param to a directory without a journal. Its parameters and durability are not read: `config` has the former,
/// and all is on disk afterwards.
/// @return NotEmpty (nothing was changed), or any error of `JournalWriter`; after a SystemError remove the files.
template <class Book, class Files = SystemFiles>
[[nodiscard]] JournalError carry_over(const Matcher<Book>& books, const MatcherConfig<Book>& config,
                                      JournalConfig to, const Files& files = {}) {
  JournalDirectory<Files> directory(files);
  JournalError error;
  auto writer = detail::begin_journal(config, std::move(to), 1, directory, files, error);
  if (!writer) return error;

  std::array<Record, 256> records;
  std::size_t count = 0;
  const auto write = [&] {
    const std::span<Record> some = std::span(records).first(count);
    stamp(some, writer->next_sequence());
    count = 0;
    return writer->append(some) == AppendStatus::Success;
  };
  bool good = true;
  detail::visit_resting(books, [&](const Record& record) {
    records[count] = record;
    if (++count == records.size()) good = write();
    return good;
  });
  if (good) (void)write();
  return writer->failure();
}

/// Begins, in an empty directory, the journal of an engine with the state of these books and with other sizes.
/// Each order has the same book, id, side, price, open lots and priority; sequences and the positions of the
/// streams go on. Handles are others: in books by handle, those of the old ones are unknown. Linear in the memory
/// of both.
///
/// Sizes may also shrink, as long as everything fits that lives in the books.
/// @param books such as `Engine::books` of a stopped engine.
/// @param sequence of their last command: that of `Engine::sequence`.
/// @param config what the new books are for.
/// @param to where the journal begins: a directory without one. Its parameters and durability are not read: all is
/// on disk afterwards.
/// @return TooSmall (an order does not fit, or a book that had one is not among the new ones: the error names
/// them), InvalidConfig (of the books, the journal or `sequence`), NotEmpty, Locked, NoRoom: nothing was written.
/// Any other error of `JournalWriter` or `Snapshots::save`: remove what is in the directory. Or Success.
template <class Book, class Files = SystemFiles>
[[nodiscard]] JournalError grow(const Matcher<Book>& books, std::uint64_t sequence,
                                const MatcherConfig<Book>& config, JournalConfig to, const Files& files = {}) {
  CreateStatus status{};
  std::optional<Matcher<Book>> grown = Matcher<Book>::create(config, status);
  if (!grown) return no_books(status);
  if (JournalError error = detail::fill(books, *grown)) return error;
  JournalDirectory<Files> directory(files);
  to.reserve = std::max(to.reserve, Snapshots<Book, Files>::room_for(*grown));
  JournalError error;
  const auto writer = detail::begin_journal(config, std::move(to), sequence + 1, directory, files, error);
  if (!writer || sequence == 0) return error;
  return Snapshots<Book, Files>(directory, config).save(*grown, writer->mark());
}

}  // namespace llmes::inline LLMES_NAMESPACE
