// SPDX-License-Identifier: MIT
//
// Snapshots: the state of an engine's books as a file beside its journal, so that a restart need not apply every
// command there ever was, and old segments can go.
//
// Nobody takes a snapshot from a running engine. `make_snapshot` does what a restart does: it reads the newest
// snapshot and the journal after it into books of its own, and writes those. So the engine loses no time, and each
// snapshot proves that the journal can be read. It may be called from another thread, or another process.
//
// A snapshot is written under another name, put on the disk, and then renamed. So it is there as a whole or not at
// all; its checksum is for what happens to it later.
//
// What an upgrade does. A journal holds commands, and outlives versions of the library for as long as their format
// does. A snapshot is an image of arrays, and only the minor version that has made it reads it.
//
//  - If the segments go back to the first command, nobody has to do anything. A new version replays all of them,
//    refuses if that leads to other books than the newest snapshot had, and makes snapshots of its own from then
//    on.
//  - If the first segments have been deleted, it refuses to start. So copy them elsewhere before that, and bring
//    them back for an upgrade. Without copies the program of the old version writes its orders to an empty
//    directory, where the new one begins (see carry_over.hpp).
#pragma once

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "llmes/engine/crc32c.hpp"
#include "llmes/engine/digest.hpp"
#include "llmes/engine/files.hpp"
#include "llmes/engine/image.hpp"
#include "llmes/engine/journal.hpp"
#include "llmes/engine/journal_directory.hpp"
#include "llmes/engine/journal_error.hpp"
#include "llmes/engine/journal_format.hpp"
#include "llmes/engine/journal_scan.hpp"
#include "llmes/engine/matcher.hpp"
#include "llmes/engine/record.hpp"
#include "llmes/engine/report.hpp"
#include "llmes/text.hpp"
#include "llmes/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What lies before the image in the file of a snapshot, in each version.
struct SnapshotHeader {
  static constexpr std::array<char, 8> magic_text = fixed_text<8>("llmessnp");

  std::array<char, 8> magic = magic_text;
  std::uint32_t version = library_version;
  std::uint32_t checksum = 0;  ///< the CRC32C of this block with a checksum of 0
  std::uint64_t sequence = 0;  ///< of the last command that the books have seen
  std::uint64_t digest = 0;    ///< what users see of them: see `logical_digest`
  std::uint64_t image_bytes = 0;
  std::uint64_t image_checksum = 0;  ///< the CRC32C of the image
  JournalParameters parameters{};

  [[nodiscard]] std::uint32_t checksum_now() const noexcept { return header_checksum(*this); }
  /// Whether this was written as it is.
  [[nodiscard]] bool intact() const noexcept { return magic == magic_text && checksum == checksum_now(); }
  /// And for a snapshot of this name.
  [[nodiscard]] bool whole(std::uint64_t named) const noexcept { return intact() && sequence == named; }
};
static_assert(std::has_unique_object_representations_v<SnapshotHeader>);
static_assert(sizeof(SnapshotHeader) == 528, "other versions know a snapshot by its header");

/// What a recovery has found.
struct RecoverySummary {
  std::uint64_t snapshot_sequence = 0;            ///< of the snapshot that was used; 0 if there was none
  std::uint64_t snapshots_damaged = 0;            ///< how many newer ones could not be used
  std::uint64_t snapshots_of_other_versions = 0;  ///< how many newer ones this version does not read
  JournalSummary journal{};
};

[[nodiscard]] inline std::string to_string(const RecoverySummary& summary) {
  std::string text =
      summary.snapshot_sequence == 0 ? "no snapshot" : "snapshot at " + std::to_string(summary.snapshot_sequence);
  const auto say = [&text](std::uint64_t count, std::string_view why) {
    if (count != 0) text += " (" + std::to_string(count) + " newer: " + std::string(why) + ", not used)";
  };
  say(summary.snapshots_damaged, "damaged");
  say(summary.snapshots_of_other_versions, "of another version");
  return text + "; " + to_string(summary.journal);
}

/// What a journal calls such books. The name stands for all that decides which handles they give, so for the pool
/// of the orders as well as for the index. Books without one cannot have a journal.
template <class Book>
inline constexpr std::string_view kind_of_books{};
template <>
inline constexpr std::string_view kind_of_books<BookSet> = "books, by handle";
template <>
inline constexpr std::string_view kind_of_books<IdBook<BookSet, DenseIds>> = "books, by dense id";
template <>
inline constexpr std::string_view kind_of_books<IdBook<BookSet, PagedIds>> = "books, by paged id";
template <>
inline constexpr std::string_view kind_of_books<IdBook<BookSet, HashedIds>> = "books, by hashed id";
template <>
inline constexpr std::string_view kind_of_books<IdBook<PlacedBookSet, PlacedIds>> = "books, by placed id";

/// What the files of these books say that they were made for.
template <class Book>
[[nodiscard]] constexpr JournalParameters parameters_of(const MatcherConfig<Book>& config) noexcept {
  static_assert(!kind_of_books<Book>.empty(), "such a set with such an index can have no journal");
  JournalParameters parameters(kind_of_books<Book>);
  (void)parameters.add("books", config.books);
  (void)parameters.add("capacity", config.capacity);
  (void)parameters.add("far levels", config.far_levels);
  (void)parameters.add("largest quantity", config.quantity_max);
  if constexpr (std::is_same_v<decltype(config.ids), DenseIds::Config>) {
    (void)parameters.add("first id", config.ids.first);
    (void)parameters.add("ids", config.ids.count);
  } else if constexpr (std::is_same_v<decltype(config.ids), PagedIds::Config>) {
    (void)parameters.add("pages of ids", config.ids.page_count);
  }
  return parameters;
}

/// The newest snapshot of a directory that does not come after command `limit`; 0 for none. Snapshots are named by
/// the sequence of the last command that they have, in twenty digits.
/// @return SystemError, or Success.
template <FileSystem Files>
[[nodiscard]] JournalError find_snapshot(Files& files, JournalPath& path, std::uint64_t limit,
                                         std::uint64_t& newest) {
  newest = 0;
  return for_each_file(files, path, [&](std::string_view name) {
    const std::optional<std::uint64_t> sequence = JournalName::number_of(name, JournalName::snapshot_ending);
    if (sequence && *sequence <= limit) newest = std::max(newest, *sequence);
  });
}

/// Opens a snapshot, and reads its header.
/// @param whole whether it has one. One that `make_snapshot` has deleted meanwhile has none.
/// @return SystemError, or Success.
template <FileSystem Files>
[[nodiscard]] JournalError open_snapshot(Files& files, JournalPath& path, std::uint64_t sequence,
                                         OpenFile<Files>& file, SnapshotHeader& header, bool& whole) {
  whole = false;
  const JournalName name = JournalName::of(sequence, JournalName::snapshot_ending);
  const JournalError error = open_file(files, path, name, O_RDONLY, file);
  if (error) return error.number == ENOENT ? JournalError{} : error;
  const FileResult read = read_all(files, file.number(), std::as_writable_bytes(std::span(&header, 1)), 0);
  whole = read == FileResult{sizeof header} && header.whole(sequence);
  return read < 0 ? system_error("pread", read, name) : JournalError{};
}

/// How much of an image is in memory at a time.
inline constexpr std::size_t image_room = 1'024 * 1'024;

/// Finds out whether the image behind a whole header is the one that was written.
/// @param room to read it into, piece by piece.
/// @return 0, or the negative `errno` of a read.
template <FileSystem Files>
[[nodiscard]] FileResult check_image(Files& files, const OpenFile<Files>& file, const SnapshotHeader& header,
                                     std::span<std::byte> room, bool& whole) {
  whole = false;
  std::uint32_t checksum = 0;
  for (std::uint64_t done = 0; done < header.image_bytes;) {
    const auto bytes = room.first(std::min<std::uint64_t>(header.image_bytes - done, room.size()));
    const FileResult read = read_all(files, file.number(), bytes, sizeof header + done);
    if (read < 0) return read;
    if (static_cast<std::size_t>(read) != bytes.size()) return 0;
    checksum = crc32c(bytes, checksum);
    done += bytes.size();
  }
  whole = checksum == header.image_checksum;
  return 0;
}

/// The snapshots of a directory: what engines and the functions below are made of.
template <class Book, FileSystem Files = SystemFiles>
class Snapshots {
 public:
  static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

  /// @param directory that of the journal.
  Snapshots(const JournalPath& directory, const MatcherConfig<Book>& config, const Files& files) noexcept
      : files_(files), path_(directory), parameters_(parameters_of(config)) {}

  /// Gives new books the state of the newest snapshot that is whole, of this version, and does not come after
  /// command `last`; they stay as they are if there is none. The commands after it are for `apply`.
  /// @return OtherParameters (the newest one is of other books), UnknownVersion (a newer one is of another
  /// version, and the segments do not go back far enough to do without it), OtherBooks, MissingRecords (there is a
  /// snapshot and no segment), StrayFile, OutOfMemory, SystemError, or Success.
  [[nodiscard]] JournalError load(std::uint64_t last, Matcher<Book>& books, RecoverySummary& summary) {
    summary = {};
    newest_ = 0;
    other_ = {};
    leads_to_other_books_ = false;
    if (!make_buffer()) return {.code = JournalCode::OutOfMemory};
    for (std::uint64_t limit = last; limit > 0 && summary.snapshot_sequence == 0;) {
      std::uint64_t newest = 0;
      if (JournalError error = find_snapshot(files_, path_, limit, newest)) return error;
      if (newest == 0) break;
      if (JournalError error = load_one(newest, books, summary)) return error;
      limit = newest - 1;
    }
    return expect_segments(summary.snapshot_sequence);
  }

  /// Applies commands that follow the snapshot that was loaded, in order.
  void apply(std::span<const Record> records, Matcher<Book>& books, ReportTarget& target) {
    if (records.empty()) return;
    const std::uint64_t first = records.front().sequence;
    if (first <= other_.sequence && other_.sequence <= records.back().sequence) {
      const auto before = records.first(static_cast<std::size_t>(other_.sequence - first + 1));
      books.apply(before, target);
      leads_to_other_books_ = logical_digest(books) != other_.digest;
      records = records.subspan(before.size());
    }
    books.apply(records, target);
  }

  /// Compares what all commands were applied to with the snapshots that could not be loaded.
  /// @return MissingRecords (one has seen more commands, though it may be damaged), OtherBooks (the newest of
  /// another version was of other books), or Success.
  [[nodiscard]] JournalError compare(const JournalSummary& summary) const {
    if (summary.next_sequence <= newest_) {
      return {.code = JournalCode::MissingRecords, .sequence = newest_ + 1, .other = summary.next_sequence};
    }
    if (!leads_to_other_books_) return {};
    return {.code = JournalCode::OtherBooks,
            .file = name_of(other_.sequence),
            .sequence = other_.sequence,
            .other = other_.version};
  }

  /// Writes a snapshot of books that have seen all commands up to `sequence`. One that cannot be finished goes:
  /// the journal may need its room.
  /// @return OutOfMemory, SystemError, or Success.
  [[nodiscard]] JournalError save(const Matcher<Book>& books, std::uint64_t sequence) {
    const JournalError error = write(books, sequence);
    if (error) (void)remove_file(files_, path_, new_name);
    return error;
  }

  /// Keeps others from making snapshots, for as long as this lives.
  /// @return Locked, SystemError, or Success.
  [[nodiscard]] JournalError lock() { return lock_file(files_, path_, lock_name, lock_); }

  /// Deletes the snapshots that come before command `sequence`.
  /// @return SystemError, or Success.
  [[nodiscard]] JournalError remove_before(std::uint64_t sequence) {
    for (std::uint64_t newest = 0; sequence > 0;) {
      if (JournalError error = find_snapshot(files_, path_, sequence - 1, newest)) return error;
      if (newest == 0) break;
      if (JournalError error = remove_file(files_, path_, name_of(newest))) return error;
    }
    return {};
  }

  [[nodiscard]] static JournalName name_of(std::uint64_t sequence) noexcept {
    return JournalName::of(sequence, JournalName::snapshot_ending);
  }

 private:
  static constexpr JournalName new_name{"snapshot.new"};
  static constexpr JournalName lock_name{"snapshot.lock"};

  [[nodiscard]] bool make_buffer() noexcept {
    if (buffer_ == nullptr) buffer_.reset(new (std::nothrow) std::byte[image_room]);
    return buffer_ != nullptr;
  }

  /// Writes a snapshot under another name, and then renames it.
  [[nodiscard]] JournalError write(const Matcher<Book>& books, std::uint64_t sequence) {
    if (!make_buffer()) return {.code = JournalCode::OutOfMemory};
    OpenFile<Files> file;
    if (!open(file, new_name, O_WRONLY | O_CREAT | O_TRUNC)) return error_;
    SnapshotHeader header{.sequence = sequence, .digest = logical_digest(books), .parameters = parameters_};
    std::size_t used = 0;
    const auto flush = [&] {
      const auto bytes = std::span<const std::byte>(buffer_.get(), used);
      used = 0;
      header.image_checksum = crc32c(bytes, static_cast<std::uint32_t>(header.image_checksum));
      header.image_bytes += bytes.size();
      return succeeded(write_all(files_, file.number(), bytes, sizeof header + header.image_bytes - bytes.size()),
                       "pwrite", new_name);
    };
    const bool written = write_image(books, [&](std::span<const std::byte> bytes) {
      while (!bytes.empty()) {
        const std::size_t size = std::min(bytes.size(), image_room - used);
        std::memcpy(buffer_.get() + used, bytes.data(), size);
        used += size;
        bytes = bytes.subspan(size);
        if (used == image_room && !flush()) return false;
      }
      return true;
    });
    if (!written || !flush()) return error_;
    header.checksum = header.checksum_now();
    const JournalName name = name_of(sequence);
    const bool done =
        succeeded(write_all(files_, file.number(), std::as_bytes(std::span(&header, 1)), 0), "pwrite", new_name) &&
        succeeded(uninterrupted([&] { return files_.sync(file.number()); }), "fsync", new_name) && rename(name);
    return done ? JournalError{} : error_;
  }

  /// A snapshot is made of segments, and the last one is never deleted. Without any, nobody knows what came after;
  /// and without the first ones, one that cannot be read cannot be made again.
  /// @param loaded the sequence of the snapshot that was loaded, or 0.
  [[nodiscard]] JournalError expect_segments(std::uint64_t loaded) {
    if (newest_ == 0) return {};
    std::uint64_t oldest = no_limit;
    if (JournalError error =
            for_each_segment(files_, path_, [&](std::uint64_t first) { oldest = std::min(oldest, first); })) {
      return error;
    }
    if (oldest == no_limit) return {.code = JournalCode::MissingRecords, .sequence = newest_ + 1, .other = 1};
    if (other_.sequence == 0 || oldest <= loaded + 1) return {};
    return {.code = JournalCode::UnknownVersion, .file = name_of(other_.sequence), .other = other_.version};
  }

  /// Loads a snapshot into new books, or counts why not. First all of it is read and checked, so that the books
  /// are as they were if it is not whole.
  [[nodiscard]] JournalError load_one(std::uint64_t sequence, Matcher<Book>& books, RecoverySummary& summary) {
    const JournalName name = name_of(sequence);
    OpenFile<Files> file;
    SnapshotHeader header;
    bool whole = false;
    if (JournalError error = open_snapshot(files_, path_, sequence, file, header, whole)) return error;
    newest_ = std::max(newest_, header.intact() ? header.sequence : sequence);
    if (whole && header.version != library_version) {
      if (other_.sequence == 0) other_ = header;
      ++summary.snapshots_of_other_versions;
      return {};
    }
    if (whole) {
      if (header.parameters != parameters_) return other_parameters(name, header.parameters, parameters_);
      if (JournalError error = load_image(name, file, header, books, whole)) return error;
    }
    if (whole) {
      summary.snapshot_sequence = sequence;
    } else {
      ++summary.snapshots_damaged;
    }
    return {};
  }

  [[nodiscard]] JournalError load_image(const JournalName& name, const OpenFile<Files>& file,
                                        const SnapshotHeader& header, Matcher<Book>& books, bool& whole) {
    whole = false;
    std::uint64_t offset = sizeof header;
    const auto read = [&](std::span<std::byte> bytes) {
      const FileResult size = read_all(files_, file.number(), bytes, offset);
      offset += bytes.size();
      return succeeded(size, "pread", name) && static_cast<std::size_t>(size) == bytes.size();
    };
    error_ = {};
    const FileResult checked = check_image(files_, file, header, {buffer_.get(), image_room}, whole);
    if (!succeeded(checked, "pread", name) || !std::exchange(whole, false)) return error_;
    const ImageStatus status = read_image(books, header.image_bytes, read);
    if (status == ImageStatus::OtherParameters) {  // than the header tells of
      JournalError error{.code = JournalCode::OtherParameters,
                         .file = name,
                         .name = fixed_text<24>("shape of the image"),
                         .expected = detail::ImageShape::of(books).digest};
      offset = sizeof header;
      (void)read(std::as_writable_bytes(std::span(&error.found, 1)));
      return error;
    }
    if (status == ImageStatus::Unreadable && !error_) {
      return system_error("pread", -EIO, name);
    }
    whole = status == ImageStatus::Success;
    if (whole && logical_digest(books) != header.digest) {
      return {.code = JournalCode::OtherBooks, .file = name, .sequence = header.sequence};
    }
    return error_;
  }

  /// Before that, it waits for the names of the segments: a snapshot must not outlive them, and a writer that does
  /// not wait for the disk leaves them to chance.
  [[nodiscard]] bool rename(const JournalName& name) {
    OpenFile<Files> directory;
    const auto sync = [&] {
      return succeeded(uninterrupted([&] { return files_.sync(directory.number()); }), "fsync", {});
    };
    if (!open(directory, {}, O_RDONLY | O_DIRECTORY) || !sync()) return false;
    JournalPath from = path_;
    const char* const old_path = from.file(new_name);
    const char* const path = path_.file(name);
    return succeeded(uninterrupted([&] { return files_.rename(old_path, path); }), "rename", name) && sync();
  }

  [[nodiscard]] bool open(OpenFile<Files>& file, const JournalName& name, int flags) {
    error_ = open_file(files_, path_, name, flags, file);
    return !error_;
  }
  [[nodiscard]] bool succeeded(FileResult result, std::string_view call, const JournalName& name) {
    if (result < 0) error_ = system_error(call, result, name);
    return result >= 0;
  }

  Files files_;
  JournalPath path_;
  JournalParameters parameters_;
  std::unique_ptr<std::byte[]> buffer_;
  OpenFile<Files> lock_;
  std::uint64_t newest_ =
      0;                    ///< the last command of the newest snapshot that `load` has found, also a damaged one
  SnapshotHeader other_{};  ///< of the newest snapshot of another version that `load` has found; else empty
  bool leads_to_other_books_ = false;
  JournalError error_{};
};

/// Why there are no books to read files into.
/// @return OutOfMemory or InvalidConfig.
[[nodiscard]] constexpr JournalError no_books(CreateStatus why) noexcept {
  if (why == CreateStatus::OutOfMemory) return {.code = JournalCode::OutOfMemory};
  return {.code = JournalCode::InvalidConfig, .name = fixed_text<24>(to_string(why))};
}

/// Makes a snapshot of what a journal holds now, beside the engine or without it, and deletes the snapshots before
/// the last one that was there. It takes the memory of a second set of books, and the time of a restart.
///
/// It needs leave to write to the directory and to its last segment: it writes the last write there once more as
/// it is. If the sync of that write had failed, the disk might not have what a snapshot then has.
/// @param directory that of the journal.
/// @param config that of the engine's books.
/// @param summary what was read; the snapshot is at the last command of it. If there is none since the last
/// snapshot, nothing is written.
/// @return Locked (another one makes a snapshot now), InvalidConfig (of the directory or of the books), any error
/// of `Snapshots::load`, `Snapshots::compare` or `replay`, or that a file cannot be written.
template <class Book, FileSystem Files = SystemFiles>
[[nodiscard]] JournalError make_snapshot(std::string_view directory, const MatcherConfig<Book>& config,
                                         RecoverySummary& summary, const Files& files = {}) {
  const std::optional<JournalPath> path = JournalPath::create(directory);
  if (!path) return {.code = JournalCode::InvalidConfig};
  Snapshots<Book, Files> snapshots(*path, config, files);
  if (JournalError error = snapshots.lock()) return error;
  CreateStatus status{};
  std::optional<Matcher<Book>> books = Matcher<Book>::create(config, status);
  if (!books) return no_books(status);
  if (JournalError error = snapshots.load(snapshots.no_limit, *books, summary)) return error;
  NoReports nobody;
  // The disk must not lose of the journal what a snapshot has.
  const JournalParameters parameters = parameters_of(config);
  JournalScan<Files> scan(files, *path, parameters, {.live = true, .sync = true});
  const auto apply = [&](std::span<const Record> records) { snapshots.apply(records, *books, nobody); };
  if (JournalError error = scan.run(summary.snapshot_sequence + 1, apply, summary.journal)) return error;
  if (JournalError error = snapshots.compare(summary.journal)) return error;
  if (summary.journal.replayed == 0) return {};
  if (JournalError failed = scan.write_again()) return failed;
  if (JournalError failed = snapshots.save(*books, summary.journal.next_sequence - 1)) return failed;
  return snapshots.remove_before(summary.snapshot_sequence);
}

/// Deletes the segments whose commands are in both of the two newest snapshots of this version that are whole; to
/// know that, it reads them. Also beside the engine. From then on another minor version cannot start here (see the
/// top of this file).
/// @return SystemError, StrayFile, OutOfMemory or InvalidConfig, after which some may be deleted.
template <FileSystem Files = SystemFiles>
[[nodiscard]] JournalError remove_covered(std::string_view directory, Files files = {}) {
  std::optional<JournalPath> path = JournalPath::create(directory);
  if (!path) return {.code = JournalCode::InvalidConfig};
  const std::unique_ptr<std::byte[]> room(new (std::nothrow) std::byte[image_room]);
  if (room == nullptr) return {.code = JournalCode::OutOfMemory};
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  for (int readable = 0;;) {
    std::uint64_t newest = 0;
    const JournalError error = find_snapshot(files, *path, limit, newest);
    if (error || newest == 0) return error;
    OpenFile<Files> file;
    SnapshotHeader header;
    bool whole = false;
    if (JournalError failed = open_snapshot(files, *path, newest, file, header, whole)) return failed;
    if (whole && header.version == library_version) {
      const FileResult checked = check_image(files, file, header, {room.get(), image_room}, whole);
      if (checked < 0)
        return system_error("pread", checked, JournalName::of(newest, JournalName::snapshot_ending));
      readable += whole;
    }
    if (readable == 2) return remove_before(directory, newest + 1, files);
    limit = newest - 1;
  }
}

/// Gives `target` the reports of all commands of a journal from `first` on, as the engine gave them: for a reader
/// who has missed some.
///
/// Beside an engine it may be ahead of what the engine has reported. With Machine these may be commands that the
/// disk does not have yet, and that a failure of the machine takes back. A reader who must not act on those goes
/// no further than the last report of the engine itself, or than a snapshot that was made before this call.
/// @return any error of `make_snapshot` that concerns reading; MissingRecords if the journal ends before `first`.
/// Reports before the error may have been given.
template <class Book, FileSystem Files = SystemFiles>
[[nodiscard]] JournalError report_again(std::string_view directory, const MatcherConfig<Book>& config,
                                        std::uint64_t first, ReportTarget& target, RecoverySummary& summary,
                                        const Files& files = {}) {
  const std::optional<JournalPath> path = JournalPath::create(directory);
  if (!path || first == 0) return {.code = JournalCode::InvalidConfig};
  CreateStatus status{};
  std::optional<Matcher<Book>> books = Matcher<Book>::create(config, status);
  if (!books) return no_books(status);
  Snapshots<Book, Files> snapshots(*path, config, files);
  if (JournalError error = snapshots.load(first - 1, *books, summary)) return error;
  NoReports nobody;
  const auto apply = [&](std::span<const Record> records) {
    const std::uint64_t before = first - std::min(first, records.front().sequence);
    const std::size_t quiet = std::min<std::uint64_t>(before, records.size());
    snapshots.apply(records.first(quiet), *books, nobody);
    snapshots.apply(records.subspan(quiet), *books, target);
  };
  const JournalError error =
      replay(directory, summary.snapshot_sequence + 1, parameters_of(config), apply, summary.journal, files);
  if (!error && first > summary.journal.next_sequence) {
    return {.code = JournalCode::MissingRecords, .sequence = first, .other = summary.journal.next_sequence};
  }
  return error ? error : snapshots.compare(summary.journal);
}

}  // namespace llmes::inline LLMES_NAMESPACE
