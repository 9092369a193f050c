// SPDX-License-Identifier: MIT
//
// Reads a journal from a given record to its end, and judges the end. A write that a crash cut short leaves a torn
// tail, which was never acknowledged. Any other fault is damage, which a person must decide about:
//
//  - Only the last segment has a tail: the next one is made when a segment is full.
//  - A write that ends too early leaves an incomplete record or header, with zeros behind it.
//  - A machine that fails during a write may keep a later part and lose an earlier one, which reads as zeros. Such
//    a hole is torn if all valid records behind it are of the same write (see `Record::index_in_write`).
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "llmes/detail/algorithm.hpp"
#include "llmes/engine/journal/files.hpp"
#include "llmes/engine/journal/journal_error.hpp"
#include "llmes/engine/journal/journal_format.hpp"
#include "llmes/engine/journal/record.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What a scan does besides reading.
struct ScanMode {
  /// A writer may be running: an unfinished write of it is neither torn nor damaged.
  bool live = false;
  /// Reads on behind the last valid record to look for damage.
  bool judge = true;
  /// Waits until everything read is on disk.
  bool sync = false;
};

/// Reads the header of the segment that is named by a sequence.
/// @param whole whether it has one.
/// @return NotAFile, SystemError, or Success.
template <class Files>
[[nodiscard]] JournalError read_segment_header(JournalDirectory<Files>& directory, std::uint64_t first,
                                               JournalHeader& header, bool& whole) {
  JournalFile<Files> file;
  whole = false;
  if (JournalError error = directory.open_file(JournalName::of_segment(first), O_RDONLY, file)) return error;
  const JournalError error = file.read(header, 0, whole);
  whole = whole && header.whole();
  return error;
}

/// One pass over a journal. What `replay` and `JournalWriter` share.
template <class Files, JournalRecord Record = llmes::Record>
class JournalScan {
 public:
  /// Where the journal ends. Without a segment, or where `header_torn`, its capacity is 0.
  struct End {
    std::uint64_t first = 0;       ///< the sequence that the last segment is named by
    std::uint64_t capacity = 0;    ///< how many records it has room for
    std::uint64_t next = 0;        ///< the sequence of the next record
    std::uint64_t last_write = 0;  ///< that of the first record that was written at once with the last one
    bool header_torn = false;      ///< the last segment must be made again
    JournalId journal{};           ///< none if no header says
    std::uint64_t chain = 0;       ///< of all records
  };

  /// @param directory must outlive this.
  JournalScan(JournalDirectory<Files>& directory, const JournalParameters& parameters, ScanMode mode)
      : directory_(directory), parameters_(parameters), mode_(mode) {}

  /// Gives `receiver` spans of the records behind `after`, in order. Reads from the segment that holds the first
  /// of them; if the mark has no chain, from the one before. Records before damage are given.
  template <class Receiver>
  [[nodiscard]] JournalError run(const JournalMark& after, Receiver&& receiver, JournalSummary& summary) {
    summary = {};
    block_ = std::unique_ptr<Record[]>(new (std::nothrow) Record[block_records]);
    if (block_ == nullptr) return {.code = JournalCode::OutOfMemory};
    after_ = after;
    const std::uint64_t from = from_ = after.sequence + 1;
    end_.journal = after.journal;
    end_.chain = after.chain;

    FileNumbers segments;
    if (JournalError error = directory_.list_segments(segments)) return error;
    const std::span<const std::uint64_t> all = segments.all();
    summary.empty = all.empty();
    end_.next = from;
    if (!summary.empty) {
      auto start = detail::upper_bound(all, from);
      if (start == all.begin()) return {.code = JournalCode::MissingSegment, .sequence = from, .other = all[0]};
      --start;
      if (*start == from && start != all.begin() && !after.journal) --start;
      for (auto at = start; at != all.end(); ++at) {
        end_.first = *at;
        const std::uint64_t following = at + 1 != all.end() ? at[1] : 0;
        if (JournalError error = read_segment(following, at == start, receiver, summary)) return error;
      }
    }
    summary.next_sequence = end_.next;
    if (from > end_.next) return {.code = JournalCode::MissingRecords, .sequence = from, .other = end_.next};
    return {};
  }

  [[nodiscard]] const End& end() const noexcept { return end_; }

  /// Writes the last write of the journal once more, with the header if no record comes before it, and syncs; also
  /// beside a writer. If its sync failed, it is in the page cache alone, marked as clean: a sync has no effect.
  [[nodiscard]] JournalError write_again() {
    if (end_.capacity == 0) return {};
    name_ = JournalName::of_segment(end_.first);
    JournalFile<Files> file;
    if (JournalError error = directory_.open_file(name_, O_RDWR, file)) return error;
    std::uint64_t offset = end_.last_write <= end_.first ? 0 : record_offset<Record>(end_.last_write - end_.first);
    const std::uint64_t behind = record_offset<Record>(end_.next - end_.first);
    const std::span<std::byte> block = std::as_writable_bytes(std::span(block_.get(), block_records));
    while (offset < behind) {
      const auto bytes =
          block.first(static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), behind - offset)));
      std::size_t size = 0;
      if (JournalError error = file.read(bytes, offset, size)) return error;
      if (size != bytes.size()) return system_error("pread", -EIO, name_, offset);
      if (JournalError error = file.write(bytes, offset)) return error;
      offset += bytes.size();
    }
    return file.sync_data();
  }

 private:
  static constexpr std::size_t block_records = 65'536 / sizeof(Record);  // checking them outweighs the system call
  static constexpr std::uint16_t longer_by = JournalHeader::longer_by_of<Record>;

  /// Reads segment `end_.first`.
  /// @param following the name of the next one, or 0.
  template <class Receiver>
  [[nodiscard]] JournalError read_segment(std::uint64_t following, bool first, Receiver& receiver,
                                          JournalSummary& summary) {
    name_ = JournalName::of_segment(end_.first);
    JournalFile<Files> file;
    if (JournalError error = directory_.open_file(name_, O_RDONLY, file)) return error;
    JournalError error = file.find_data_end(data_end_);
    if (!error) error = read_header(file, following, first, summary);
    if (error || end_.header_torn) return error;
    error = read_records(file, receiver, summary);
    if (!error && mode_.sync) error = file.sync_data();
    if (error) return error;
    const std::uint64_t index = end_.next - end_.first;
    if (index == end_.capacity) {
      if (following == 0 && mode_.judge && !mode_.live) summary.full_file = name_;
      return {};
    }
    if (following != 0) return unless_no_segment(following, damaged(index));
    if (!mode_.judge) return {};
    const std::uint64_t offset = record_offset<Record>(index);
    error = judge_tail(file, index, offset, offset, summary);
    Record record{};
    bool whole = false;  // a writer may have finished it meanwhile
    if (error && mode_.live && !file.read(record, offset, whole) && whole && is_valid(record, end_.next))
      return {};
    return error;
  }

  /// The error if the records do not reach the next segment: `error`, unless that one is of another journal.
  [[nodiscard]] JournalError unless_no_segment(std::uint64_t following, const JournalError& error) {
    JournalHeader header;
    bool whole = false;
    if (JournalError failed = read_segment_header(directory_, following, header, whole)) return failed;
    const JournalName name = JournalName::of_segment(following);
    if (!whole) return {.code = JournalCode::NoSegment, .file = name, .sequence = end_.next};
    return header.journal == end_.journal ? error : JournalError{.code = JournalCode::OtherJournal, .file = name};
  }

  /// @param first whether it is the first segment read; then only the mark can give the id and the chain.
  [[nodiscard]] JournalError read_header(JournalFile<Files>& file, std::uint64_t following, bool first,
                                         JournalSummary& summary) {
    JournalHeader header;
    const std::span<std::byte> bytes = std::as_writable_bytes(std::span(&header, 1));
    std::size_t size = 0;
    if (JournalError error = file.read(bytes, 0, size)) return error;
    end_.next = end_.last_write = end_.first;
    end_.header_torn = size < sizeof header || !header.whole();
    if (!end_.header_torn) {
      end_.capacity = header.segment_records;
      if (JournalError error = judge_header(header, first)) return error;
      end_.journal = header.journal;
      end_.chain = header.chain;
      return judge_following(following);
    }
    end_.capacity = 0;
    const JournalError damage{.code = JournalCode::DamagedHeader, .file = name_, .sequence = end_.first};
    if (following != 0) return damage;
    if (!mode_.judge) return {};
    const auto found = bytes.first(size);
    JournalError error = damage;
    if (is_cut_short(header, found)) {
      error = judge_tail(file, 0, 0, extent(found), summary);
      if (error.code == JournalCode::DamagedRecord) error = damage;
    }
    if (!error && !mode_.live) {
      summary.begun_file = name_;
      return file.size(summary.begun_bytes);
    }
    bool whole = false;  // a writer may have finished it meanwhile
    if (error && mode_.live && !file.read(header, 0, whole) && whole && header.whole()) return {};
    return error;
  }

  /// Whether an incomplete header is the beginning of this segment's header, with zeros behind it.
  [[nodiscard]] bool is_cut_short(const JournalHeader& header, std::span<const std::byte> found) const noexcept {
    JournalHeader expected{.longer_by = longer_by,
                           .checksum = header.checksum,  // where it was written, it cannot be judged alone
                           .first_sequence = end_.first,
                           .segment_records = header.segment_records,
                           .parameters = parameters_,
                           .journal = end_.journal,
                           .chain = end_.chain};
    if (!end_.journal) {
      expected.journal = header.journal;
      expected.journal.numbers.back() |= JournalId::mark;
      expected.chain = header.chain;
    }
    const auto written = std::as_bytes(std::span(&expected, 1));
    const std::size_t used = extent(found);
    return detail::equal(found.first(used), written.first(used)) &&
           (found.size() < sizeof expected || used < extent(written));
  }

  /// Gives the valid records to the receiver, up to the first one that is not.
  template <class Receiver>
  [[nodiscard]] JournalError read_records(JournalFile<Files>& file, Receiver& receiver, JournalSummary& summary) {
    for (std::uint64_t index = 0; index < end_.capacity;) {
      const std::uint64_t wanted = std::min<std::uint64_t>(block_records, end_.capacity - index);
      const std::span<Record> block(block_.get(), static_cast<std::size_t>(wanted));
      std::size_t size = 0;
      if (JournalError error = file.read(std::as_writable_bytes(block), record_offset<Record>(index), size))
        return error;
      const std::size_t whole = size / sizeof(Record);
      std::size_t good = 0;
      for (; good < whole && is_valid(block[good], end_.next + good); ++good) {
        end_.chain = next_chain(end_.chain, block[good]);
        if (block[good].sequence == after_.sequence && after_.journal && end_.chain != after_.chain) {
          return {.code = JournalCode::OtherHistory, .file = name_, .other = after_.sequence};
        }
      }
      const std::uint64_t before = from_ - std::min(from_, end_.next);  // how many are not wanted
      if (before < good) {
        const std::span<const Record> given = block.first(good).subspan(static_cast<std::size_t>(before));
        receiver(given);
        summary.replayed += given.size();
      }
      if (good != 0) end_.last_write = block[good - 1].sequence - block[good - 1].index_in_write;
      index += good;
      end_.next += good;
      if (good < wanted) break;
    }
    return {};
  }

  [[nodiscard]] JournalError judge_header(const JournalHeader& header, bool first) const {
    JournalError error{.file = name_, .sequence = end_.first};
    if (header.version != JournalHeader::version_now) {
      error.code = JournalCode::UnknownVersion;
      error.other = header.version;
    } else if (header.first_sequence != end_.first) {
      error.code = JournalCode::RenamedSegment;
      error.other = header.first_sequence;
    } else if (header.parameters != parameters_) {
      return other_parameters(name_, header.parameters, parameters_);
    } else if (header.longer_by != longer_by) {
      return {.code = JournalCode::OtherMachine,
              .file = name_,
              .expected = sizeof(Record),
              .found = header.record_bytes()};
    } else if (end_.journal && header.journal != end_.journal) {
      return {.code = JournalCode::OtherJournal, .file = name_, .other = first ? after_.sequence : 0};
    } else if (end_.journal && header.chain != end_.chain && (!first || end_.first == from_)) {
      return {.code = JournalCode::OtherHistory, .file = name_, .other = first ? after_.sequence : 0};
    }
    return error;
  }

  /// Whether the segment after `end_.first` begins where that one ends.
  [[nodiscard]] JournalError judge_following(std::uint64_t following) {
    const std::uint64_t expected = end_.first + end_.capacity;
    if (following == 0 || following == expected) return {};
    if (following > expected) {
      return unless_no_segment(following,
                               {.code = JournalCode::MissingSegment, .sequence = expected, .other = following});
    }
    return unless_no_segment(following, {.code = JournalCode::OverlappingSegment,
                                         .file = JournalName::of_segment(following),
                                         .sequence = following});
  }

  /// Judges the bytes behind the valid part of the last segment: a torn tail goes into the summary, else damage.
  /// @param index of the first record that is not valid.
  /// @param torn,torn_end where the bytes begin and end that are known to be torn, the last of which is not 0.
  [[nodiscard]] JournalError judge_tail(JournalFile<Files>& file, std::uint64_t index, std::uint64_t torn,
                                        std::uint64_t torn_end, JournalSummary& summary) {
    const std::uint64_t torn_index = index;
    const std::uint64_t torn_sequence = end_.first + index;
    bool hole = torn == torn_end;  // until there is what was cut short, behind which nothing was written
    for (bool more = true; more && record_offset<Record>(index) < data_end_;) {
      const std::span<Record> block(block_.get(), block_records);
      const std::span<std::byte> bytes = std::as_writable_bytes(block);
      std::size_t size = 0;
      if (JournalError error = file.read(bytes, record_offset<Record>(index), size)) return error;
      more = size == bytes.size();
      for (std::size_t begin = 0; begin < size; begin += sizeof(Record), ++index) {
        const std::size_t used = extent(bytes.subspan(begin, std::min(sizeof(Record), size - begin)));
        if (used == 0) continue;
        torn_end = record_offset<Record>(index) + used;
        const Record& record = block[begin / sizeof(Record)];
        const bool later = size - begin >= sizeof(Record) && record.sequence >= torn_sequence &&
                           record.checksum == checksum_of(record);
        const bool same_write =
            record.sequence == end_.first + index && record.sequence - record.index_in_write <= torn_sequence;
        if (!hole || (later && !same_write)) return damaged(torn_index);
        hole = later;
      }
    }
    if (!mode_.live && end_.capacity != 0) {
      std::uint64_t size = 0;
      if (JournalError error = file.size(size)) return error;
      const std::uint64_t room = record_offset<Record>(end_.capacity);
      summary.cut_bytes = room - std::min(room, size);
      if (summary.cut_bytes != 0) summary.cut_file = name_;
    }
    if (torn != torn_end && !mode_.live) {
      summary.torn_file = name_;
      summary.torn_offset = torn;
      summary.torn_bytes = torn_end - torn;
    }
    return {};
  }

  /// How many bytes there are up to the last one that is not 0.
  [[nodiscard]] static std::size_t extent(std::span<const std::byte> bytes) noexcept {
    const auto last =
        std::find_if(bytes.rbegin(), bytes.rend(), [](std::byte byte) { return byte != std::byte{}; });
    return static_cast<std::size_t>(bytes.rend() - last);
  }

  [[nodiscard]] static bool is_valid(const Record& record, std::uint64_t sequence) noexcept {
    return record.sequence == sequence && record.checksum == checksum_of(record);
  }

  [[nodiscard]] JournalError damaged(std::uint64_t index) const {
    return {.code = JournalCode::DamagedRecord,
            .file = name_,
            .offset = record_offset<Record>(index),
            .sequence = end_.first + index};
  }

  JournalDirectory<Files>& directory_;
  const JournalParameters& parameters_;
  ScanMode mode_;
  std::unique_ptr<Record[]> block_;
  JournalMark after_{};
  std::uint64_t from_ = 0;      ///< the sequence behind it
  JournalName name_{};          ///< of the segment that is read
  std::uint64_t data_end_ = 0;  ///< behind it the segment has nothing but zeros
  End end_{};
};

}  // namespace llmes::inline LLMES_NAMESPACE
