// SPDX-License-Identifier: MIT
//
// Reports from the journal, for a reader that has missed some: after a restart, or because the engine went on
// without it. The commands of the journal go once more through books of the reader's own, which make the same
// reports.
//
// How a reader that was disconnected comes back:
//
//  1. It reads the reports that the ring still has. The last `Done` says which command it needs next.
//  2. It makes a replay from that command, and tells reports up to the end of the journal. The engine goes on
//     meanwhile, and no report waits for this reader.
//  3. `Engine::attach` says from which command on the ring has all reports.
//  4. The replay tells what is missing before that one: few commands, as its books have seen all others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "llmes/detail/algorithm.hpp"
#include "llmes/engine/journal/journal.hpp"
#include "llmes/engine/machine.hpp"
#include "llmes/engine/matcher.hpp"
#include "llmes/engine/snapshot/snapshot.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Tells the reports of a journal again, each as the engine told it, byte for byte. It reads files alone, beside
/// an engine or without one, and changes none. It takes the memory of a second set of books. One thread at a time
/// may use it.
/// @tparam T a machine, or the books of a `Matcher`.
template <class T, class Files = SystemFiles>
class ReportReplay {
  using M = MachineOf<T>;
  using Record = typename M::Record;
  using ReportTarget = BasicReportTarget<typename M::Report>;

 public:
  /// Makes a replay whose first report is of command `first`, or nothing, and `error` says why. It begins at the
  /// newest snapshot before that command.
  /// @param directory that of the journal.
  /// @param config that of the engine's books.
  /// @param error RemovedRecords (commands that lead to `first` are deleted; its `other` is the earliest command
  /// from which on reports can be told), InvalidConfig (of the directory, the books or `first`), any error of
  /// `Snapshots::load`, or Success.
  [[nodiscard]] static std::unique_ptr<ReportReplay> create(std::string_view directory,
                                                            const typename M::Config& config, std::uint64_t first,
                                                            JournalError& error,
                                                            const Files& files = {}) noexcept {
    error = {};
    if (!is_sequence(first)) error.code = JournalCode::InvalidConfig;
    JournalDirectory<Files> opened(files);
    if (!error) error = opened.open(directory);
    if (error) return {};
    CreateStatus status{};
    std::optional<M> books = M::create(config, status);
    if (!books) error = no_books(status);
    if (error) return {};
    std::unique_ptr<ReportReplay> replay(new (std::nothrow)
                                             ReportReplay(std::move(opened), std::move(*books), config, first));
    error = replay == nullptr ? JournalError{.code = JournalCode::OutOfMemory} : replay->load();
    if (error) replay.reset();
    return replay;
  }

  ReportReplay(const ReportReplay&) = delete;
  ReportReplay& operator=(const ReportReplay&) = delete;
  ~ReportReplay() = default;

  /// Gives `target` the reports of all commands from `next` up to `last`, or up to the end of the journal.
  ///
  /// The end of the journal may be ahead of the reports of a running engine. With Machine it may then have
  /// commands that a failure of the machine would lose. A reader that must not act on those asks up to a command
  /// that the engine has reported: `EngineStatus::sequence`, or the one before `Attachment::first`.
  /// @param last has no effect if it is told already.
  /// @return MissingRecords (the valid records end before `last` or before the first command: they come later, or
  /// are torn or damaged), any other error of `replay` or of `Snapshots::compare`, or Success. `next` says which
  /// reports were given.
  [[nodiscard]] JournalError tell(ReportTarget& target, std::uint64_t last = sequence_max) {
    if (last < next()) return {};
    const bool to_the_end = last >= sequence_max;
    JournalScan<Files, Record> scan(directory_, parameters_, {.live = true, .judge = false});
    const auto apply = [&](std::span<const Record> records) {
      const std::uint64_t from = records.front().sequence;
      if (!to_the_end) records = records.first(count_before(last + 1, from, records.size()));
      const std::size_t quiet = count_before(first_, from, records.size());
      BasicNoReports<typename M::Report> nobody;
      snapshots_.apply(records.first(quiet), books_, nobody);
      snapshots_.apply(records.subspan(quiet), books_, target);
      for (const Record& record : records) {
        mark_.sequence = record.sequence;
        mark_.chain = next_chain(mark_.chain, record);
      }
    };
    if (JournalError error = scan.run(JournalMark(mark_), apply, recovery_.journal)) return error;
    mark_.journal = scan.end().journal;
    const bool reached = to_the_end ? mark_.sequence + 1 >= first_ : mark_.sequence >= last;
    if (!reached) {
      return {.code = JournalCode::MissingRecords,
              .sequence = to_the_end ? first_ : last,
              .other = mark_.sequence + 1};
    }
    return snapshots_.compare(recovery_.journal);
  }

  /// The sequence of the first command whose reports have not been given.
  [[nodiscard]] std::uint64_t next() const noexcept { return std::max(first_, mark_.sequence + 1); }

  /// What was found: the snapshot that it began at, and the journal as the last `tell` read it.
  [[nodiscard]] const RecoverySummary& recovery() const noexcept { return recovery_; }

 private:
  ReportReplay(JournalDirectory<Files>&& directory, M&& books, const typename M::Config& config,
               std::uint64_t first) noexcept
      : directory_(std::move(directory)),
        books_(std::move(books)),
        parameters_(M::parameters_of(config)),
        snapshots_(directory_, config),
        first_(first) {}

  [[nodiscard]] JournalError load() {
    if (JournalError error = snapshots_.load(first_ - 1, books_, recovery_)) return error;
    mark_ = snapshots_.mark();
    FileNumbers segments;
    if (JournalError error = directory_.list_segments(segments)) return error;
    if (segments.all().empty() || segments.all().front() <= mark_.sequence + 1) return {};
    FileNumbers snapshots;
    if (JournalError error = directory_.list_snapshots(snapshots)) return error;
    const auto usable = detail::lower_bound(snapshots.all(), segments.all().front() - 1);
    // Without one, a segment is missing, which is for `tell` to say.
    if (usable == snapshots.all().end()) return {};
    return {.code = JournalCode::RemovedRecords, .sequence = first_, .other = *usable + 1};
  }

  /// How many of `size` commands in a row, of which the first is `from`, come before `sequence`.
  [[nodiscard]] static std::size_t count_before(std::uint64_t sequence, std::uint64_t from,
                                                std::size_t size) noexcept {
    return static_cast<std::size_t>(std::min<std::uint64_t>(sequence - std::min(sequence, from), size));
  }

  JournalDirectory<Files> directory_;
  M books_;
  JournalParameters parameters_;
  Snapshots<M, Files> snapshots_;
  std::uint64_t first_;
  JournalMark mark_{};  ///< what the books have seen
  RecoverySummary recovery_{};
};

}  // namespace llmes::inline LLMES_NAMESPACE
