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
#include "llmes/engine/journal/journal_error.hpp"
#include "llmes/engine/journal/record.hpp"
#include "llmes/engine/matcher.hpp"
#include "llmes/engine/snapshot/digest.hpp"
#include "llmes/engine/snapshot/snapshot.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Begins a journal with one `AddResting` for each order of these books: an engine that opens it has the same
/// books, ids, sides, prices, open lots and priorities. Handles, sequences and positions begin anew. Linear.
/// @param books such as `Engine::books` of a stopped engine.
/// @param config what they were made for.
/// @param to a directory without a journal. Its parameters are not read: `config` has them.
/// @return NotEmpty (nothing was changed), or any error of `JournalWriter`; after a SystemError remove the files.
template <class Book, FileSystem Files = SystemFiles>
[[nodiscard]] JournalError carry_over(const Matcher<Book>& books, const MatcherConfig<Book>& config,
                                      JournalConfig to, const Files& files = {}) {
  struct Empty {
    void operator()(std::span<const Record> /*records*/) const noexcept {}
    [[nodiscard]] JournalError check(const JournalSummary& summary) const noexcept {
      return {.code = summary.empty ? JournalCode::Success : JournalCode::NotEmpty};
    }
  };
  to.parameters = parameters_of(config);
  JournalSummary summary;
  JournalError error;
  auto writer = JournalWriter<Files>::create(to, 1, Empty{}, summary, error, files);
  if (!writer) return error;

  std::array<Record, 256> records;
  std::size_t count = 0;
  bool good = true;
  const auto write = [&] {
    const std::span<Record> some = std::span(records).first(count);
    stamp(some, writer->next_sequence());
    count = 0;
    good = writer->append(some) == AppendStatus::Success;
  };
  const auto& set = book_set_of(books);
  for (BookNumber number = 0; number < set.book_count() && good; ++number) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      set.book(number)->visit_orders(side, [&](const RestingOrder& order) {
        const Command add = Command::add_resting(order.id, order.side, order.price, order.quantity);
        records[count] = record_of(BookCommand{add, number}, 0);
        if (++count == records.size()) write();
        return good;
      });
    }
  }
  if (good) write();
  return writer->failure();
}

}  // namespace llmes::inline LLMES_NAMESPACE
