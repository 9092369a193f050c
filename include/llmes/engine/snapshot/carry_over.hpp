// SPDX-License-Identifier: MIT
//
// Writes the resting orders of an engine as a new journal, to upgrade an engine whose first segments are gone.
// Only the minor version that made a snapshot reads it, but every version that knows the format reads a journal.
// So the old program writes this journal, and the new one begins with it.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "llmes/engine/journal/files.hpp"
#include "llmes/engine/journal/journal.hpp"
#include "llmes/engine/journal/journal_directory.hpp"
#include "llmes/engine/journal/journal_error.hpp"
#include "llmes/engine/journal/record.hpp"
#include "llmes/engine/matcher.hpp"
#include "llmes/engine/snapshot/digest.hpp"
#include "llmes/engine/snapshot/snapshot.hpp"
#include "llmes/types/command.hpp"
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
template <FileSystem Files>
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

}  // namespace detail

/// Begins a journal with one `AddResting` for each order of these books: an engine that opens it has the same
/// books, ids, sides, prices, open lots and priorities. Handles, sequences and positions begin anew. Linear.
/// @param books such as `Engine::books` of a stopped engine.
/// @param config what they were made for.
/// @param to a directory without a journal. Its parameters and durability are not read: `config` has the former,
/// and all is on disk afterwards.
/// @return NotEmpty (nothing was changed), or any error of `JournalWriter`; after a SystemError remove the files.
template <class Book, FileSystem Files = SystemFiles>
[[nodiscard]] JournalError carry_over(const Matcher<Book>& books, const MatcherConfig<Book>& config,
                                      JournalConfig to, const Files& files = {}) {
  JournalDirectory<Files> directory(files);
  if (JournalError error = directory.open(to.directory)) return error;
  to.parameters = parameters_of(config);
  to.durability = Durability::Machine;
  JournalSummary summary;
  JournalError error;
  auto writer = JournalWriter<Files>::create(to, 1, detail::NoJournal<Files>{directory}, summary, error, files);
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

}  // namespace llmes::inline LLMES_NAMESPACE
