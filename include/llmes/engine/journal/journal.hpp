// SPDX-License-Identifier: MIT
//
// The journal: every command of an engine, in order, on disk before its result is reported. Books are a function
// of their commands, so a journal with a snapshot restores them.
//
//  - A record for which `append` returned Success survives what the `Durability` names.
//  - Opening a journal removes a write that a crash cut short. With any other damage it changes nothing and fails.
//  - After a failed write or sync the writer takes nothing more. What the disk kept is unknown, and a second sync
//    would not tell (see fsync(2)). Opened anew, the journal ends at a record that is on disk.
//  - Once opened, a writer allocates nothing.
//  - A segment is begun only if the disk has room for it and the reserve. One that cannot be completed is deleted.
//  - With Machine, the kernel must report a failed sync to each descriptor of a file, also if another process
//    (`make_snapshot`) syncs it. Linux does so since 4.13.
//  - The limit on file size (RLIMIT_FSIZE) is checked when a segment is opened. Lowered later, it raises SIGXFSZ.
//
// Layout on disk: journal_format.hpp. Rules for a damaged end: journal_scan.hpp.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "llmes/detail/enumerator_name.hpp"
#include "llmes/detail/member_names.hpp"
#include "llmes/engine/journal/files.hpp"           // IWYU pragma: export
#include "llmes/engine/journal/journal_error.hpp"   // IWYU pragma: export
#include "llmes/engine/journal/journal_format.hpp"  // IWYU pragma: export
#include "llmes/engine/journal/journal_scan.hpp"    // IWYU pragma: export
#include "llmes/engine/journal/record.hpp"          // IWYU pragma: export
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What an acknowledged record survives.
enum class Durability : std::uint8_t {
  None,     ///< nothing: the journal is read when it is opened, and not written
  Process,  ///< the end of the process by any cause: the kernel has it
  Machine,  ///< a failure of the machine: the disk has it
};

struct JournalConfig {
  /// An existing directory on a local disk, in which only segments have names that end in ".journal".
  std::string directory{};
  JournalParameters parameters{};
  std::optional<Durability> durability{};  ///< if it is not said, Process
  /// How many records a new segment has room for, 1 to 2^28; here 64 MiB. Those that are there keep theirs.
  std::uint64_t segment_records = std::uint64_t{1} << 20;
  /// How many bytes of the disk a new segment leaves free; an engine takes what a snapshot needs, if that is more.
  std::uint64_t reserve = 0;

  static constexpr std::uint64_t reserve_max = std::uint64_t{1} << 62;  // more counts as this: no sum wraps
};

/// The outcome of appending records.
enum class AppendStatus : std::uint8_t {
  Success,
  OutOfOrder,  ///< they do not have the next sequences; the journal is as it was
  Failed,      ///< a system call failed, now or earlier: see `failure`
};

namespace detail {
struct CheckName {
  int check;
};

template <JournalRecord Record, class Receiver, class Files>
[[nodiscard]] JournalError read_journal(std::string_view directory, std::uint64_t from,
                                        const JournalParameters& parameters, ScanMode mode, Receiver& receiver,
                                        JournalSummary& summary, const Files& files) {
  if (!is_sequence(from)) return {.code = JournalCode::InvalidConfig};
  JournalDirectory<Files> opened(files);
  if (JournalError error = opened.open(directory)) return error;
  JournalScan<Files, Record> scan(opened, parameters, mode);
  return scan.run({.sequence = from - 1}, receiver, summary);
}
}  // namespace detail

/// Reads a journal, also beside a writer in another thread or process: takes no lock and changes nothing. It gives
/// all records written before the call, and maybe later ones. It ends before the first invalid record of the last
/// segment, which may be damaged or not yet written: `JournalWriter::create`, `make_snapshot` and `verify` tell.
/// @param from the sequence of the first record to give, 1 to 2^63 - 1.
/// @param receiver takes spans of records, in order. They last until it returns.
/// @return any error but Locked. Records before the error have been given.
template <JournalRecord Record = llmes::Record, class Receiver, class Files = SystemFiles>
[[nodiscard]] JournalError replay(std::string_view directory, std::uint64_t from,
                                  const JournalParameters& parameters, Receiver&& receiver,
                                  JournalSummary& summary, const Files& files = {}) {
  return detail::read_journal<Record>(directory, from, parameters, {.live = true, .judge = false}, receiver,
                                      summary, files);
}

/// The same without a writer, with a check of the end: damage is an error, a torn tail goes into the summary.
template <JournalRecord Record = llmes::Record, class Receiver, class Files = SystemFiles>
[[nodiscard]] JournalError verify(std::string_view directory, std::uint64_t from,
                                  const JournalParameters& parameters, Receiver&& receiver,
                                  JournalSummary& summary, const Files& files = {}) {
  return detail::read_journal<Record>(directory, from, parameters, {}, receiver, summary, files);
}

/// Deletes the segments of which every record comes before `sequence`, the oldest first; never the last one. Also
/// beside a writer. For an engine, `remove_covered` chooses a sequence that snapshots cover.
/// @return InvalidConfig, StrayFile, OutOfMemory or SystemError, after which some may be deleted.
template <class Files = SystemFiles>
[[nodiscard]] JournalError remove_before(std::string_view directory, std::uint64_t sequence,
                                         const Files& files = {}) {
  JournalDirectory<Files> opened(files);
  const JournalError error = opened.open(directory);
  return error ? error : opened.remove_segments_before(sequence);
}

/// Appends to a journal, from one thread at a time. One that was moved from may only be assigned to or destroyed.
template <class Files = SystemFiles, JournalRecord Record = llmes::Record>
class JournalWriter {
 public:
  /// Locks the directory, reads the journal from record `from` on as `replay` does, cuts off a torn tail, and is
  /// ready to append; or nothing, and `error` says why: no file was changed, unless it is a SystemError or NoRoom.
  /// A directory without segments is a new journal that begins with `from`. With None, no segment is changed. With
  /// Machine, all that was read is on disk, except parts of writes whose sync failed earlier. A receiver may have
  /// a member `check(summary)`, called after reading and before changes, that returns an error of this call.
  template <class Receiver>
  [[nodiscard]] static std::optional<JournalWriter> create(const JournalConfig& config, std::uint64_t from,
                                                           Receiver&& receiver, JournalSummary& summary,
                                                           JournalError& error, const Files& files = {}) {
    error = {};
    if (!is_sequence(from)) error.code = JournalCode::InvalidConfig;
    JournalDirectory<Files> directory(files);
    if (!error) error = directory.open(config.directory);
    if (!error) error = directory.lock();
    if (error) return {};
    return create(std::move(directory), config, {.sequence = from - 1}, receiver, summary, error);
  }
  /// The same from a place that a snapshot gives, in a locked directory, which is moved from.
  template <class Receiver>
  [[nodiscard]] static std::optional<JournalWriter> create(JournalDirectory<Files>&& directory,
                                                           const JournalConfig& config, const JournalMark& after,
                                                           Receiver&& receiver, JournalSummary& summary,
                                                           JournalError& error) {
    error = check(config);
    if (error) return {};
    std::optional<JournalWriter> writer{JournalWriter(config, std::move(directory))};
    if (!writer->open(after, receiver, summary)) {
      error = writer->failure_;
      writer.reset();
    }
    return writer;
  }

  /// Appends records with the next sequences and their checksums (see `stamp`), and waits for the durability: one
  /// system call for Process, two for Machine, and more for a new segment.
  AppendStatus append(std::span<const Record> records) noexcept {
    if (failure_) return AppendStatus::Failed;
    if (records.empty()) return AppendStatus::Success;
    for (std::uint64_t next = next_; const Record& record : records) {
      if (record.sequence != next++) return AppendStatus::OutOfOrder;
    }
    if (durability_ != Durability::None && !write(records)) return AppendStatus::Failed;
    next_ += records.size();
    return AppendStatus::Success;
  }

  /// The sequence that the next record must have.
  [[nodiscard]] std::uint64_t next_sequence() const noexcept { return next_; }

  /// The place behind the last record.
  [[nodiscard]] JournalMark mark() const noexcept {
    return {.sequence = next_ - 1, .journal = journal_, .chain = chain_};
  }

  /// How many records the segment that is written has room for.
  [[nodiscard]] std::uint64_t segment_left() const noexcept {
    return segment_end_ > next_ ? segment_end_ - next_ : 0;
  }

  /// How many bytes the disk has left, or a negative `errno`; for any thread.
  [[nodiscard]] FileResult free_room() const noexcept { return directory_.free_room(); }

  /// Why the writer takes nothing more, if it does not.
  [[nodiscard]] const JournalError& failure() const noexcept { return failure_; }

 private:
  [[nodiscard]] static JournalError check(const JournalConfig& config) noexcept {
    const bool valid = config.segment_records >= 1 && config.segment_records <= JournalHeader::segment_records_max;
    return {.code = valid ? JournalCode::Success : JournalCode::InvalidConfig};
  }

  JournalWriter(const JournalConfig& config, JournalDirectory<Files>&& directory) noexcept
      : directory_(std::move(directory)),
        parameters_(config.parameters),
        segment_records_(config.segment_records),
        reserve_(std::min(config.reserve, JournalConfig::reserve_max)),
        durability_(config.durability.value_or(Durability::Process)) {}

  // Each of these returns false if a system call failed; `failure_` then has the error.

  template <class Receiver>
  bool open(const JournalMark& after, Receiver& receiver, JournalSummary& summary) {
    JournalScan<Files, Record> scan(directory_, parameters_, {.sync = durability_ == Durability::Machine});
    failure_ = scan.run(after, receiver, summary);
    if constexpr (requires { receiver.check(summary); }) {
      if (!failure_) failure_ = receiver.check(summary);
    } else {
      static_assert(!detail::has_member(
                        requires { &Receiver::check; },
                        requires { &detail::WithNames<Receiver, detail::CheckName>::check; }),
                    "llmes: the receiver's member `check` cannot take a JournalSummary");
    }
    if (failure_) return false;
    const auto& end = scan.end();
    next_ = end.next;
    chain_ = end.chain;
    journal_ = end.journal;
    if (durability_ == Durability::None) return true;
    if (!journal_ && !make_id()) return false;
    if (summary.empty) return begin_segment(next_);
    set_segment(end.first, end.header_torn ? segment_records_ : end.capacity);
    if (!open_segment(O_RDWR)) return false;
    if (end.header_torn) return cut(0) && make_room() && write_header() && sync_directory();
    if (summary.torn_bytes != 0 && !cut(record_offset<Record>(next_ - segment_first_))) return false;
    if (!make_room()) return false;
    return (durability_ != Durability::Machine || done(scan.write_again())) && sync_directory();
  }

  bool make_id() noexcept {
    const bool made = done(directory_.random(journal_.numbers));
    journal_.numbers.back() |= JournalId::mark;
    return made;
  }

  /// Clears the segment from `offset` on, and syncs: an old record there could follow a new one that gets lost.
  bool cut(std::uint64_t offset) noexcept { return done(segment_.truncate(offset)) && done(segment_.sync()); }

  bool write(std::span<const Record> records) noexcept {
    for (std::uint64_t next = next_; !records.empty();) {
      if (next == segment_end_) {
        // The full segment must be on disk before the next one exists.
        if (!sync() || !begin_segment(next)) return false;
      }
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(records.size(), segment_end_ - next));
      const std::uint64_t offset = record_offset<Record>(next - segment_first_);
      if (!done(segment_.write(std::as_bytes(records.first(count)), offset))) return false;
      for (const Record& record : records.first(count)) chain_ = next_chain(chain_, record);
      records = records.subspan(count);
      next += count;
    }
    return sync();
  }

  /// Makes the segment whose first record has the sequence `first`. If that fails it is deleted, and truncated
  /// first: the open descriptor would keep its space, which a snapshot may need on a full disk.
  bool begin_segment(std::uint64_t first) noexcept {
    set_segment(first, segment_records_);
    if (!open_segment(O_RDWR | O_CREAT | O_EXCL)) return false;
    if (make_room() && write_header() && sync_directory()) return true;
    (void)segment_.truncate(0);
    (void)directory_.remove(name_);
    return false;
  }

  void set_segment(std::uint64_t first, std::uint64_t capacity) noexcept {
    segment_first_ = first;
    segment_end_ = first + capacity;
    name_ = JournalName::of_segment(first);
  }

  bool write_header() noexcept {
    JournalHeader header{.longer_by = JournalHeader::longer_by_of<Record>,
                         .first_sequence = segment_first_,
                         .segment_records = segment_records_,
                         .parameters = parameters_,
                         .journal = journal_,
                         .chain = chain_};
    header.checksum = header.checksum_now();
    return done(segment_.write(std::as_bytes(std::span(&header, 1)), 0));
  }

  /// Reserves the space of the whole segment; a file system that cannot only sets the size. It checks the free
  /// space first: a call that fails keeps what it got, and may take minutes.
  bool make_room() noexcept {
    const std::uint64_t size = record_offset<Record>(segment_end_ - segment_first_);
    std::uint64_t had = 0;
    if (!done(segment_.size(had))) return false;
    if (had < size) {
      const FileResult left = directory_.free_room();
      if (left < 0) return done(system_error("fstatvfs", left, name_));
      const auto found = static_cast<std::uint64_t>(left);
      const std::uint64_t needed = size - had + reserve_;
      if (found < needed)
        return done({.code = JournalCode::NoRoom, .file = name_, .expected = needed, .found = found});
    }
    JournalError error = segment_.allocate(size);
    if (error.number == EOPNOTSUPP) {
      if (had >= size) return true;
      error = segment_.truncate(size);
    }
    if (error && had < size) (void)segment_.truncate(had);
    return done(error);
  }

  bool sync() noexcept { return durability_ != Durability::Machine || done(segment_.sync_data()); }
  bool sync_directory() noexcept { return durability_ != Durability::Machine || done(directory_.sync()); }
  bool open_segment(int flags) noexcept { return done(directory_.open_file(name_, flags, segment_)); }

  bool done(const JournalError& error) noexcept {
    if (error) failure_ = error;
    return !error;
  }

  JournalDirectory<Files> directory_;
  JournalParameters parameters_;
  std::uint64_t segment_records_;
  std::uint64_t reserve_;
  Durability durability_;
  JournalFile<Files> segment_;       ///< the one that is written
  JournalName name_{};               ///< its name
  std::uint64_t segment_first_ = 0;  ///< the sequence of its first record
  std::uint64_t segment_end_ = 0;    ///< one more than the last that it has room for
  std::uint64_t next_ = 0;
  JournalId journal_{};
  std::uint64_t chain_ = 0;  ///< of all records up to the last one
  JournalError failure_{};
};

}  // namespace llmes::inline LLMES_NAMESPACE
