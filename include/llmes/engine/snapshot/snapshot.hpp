// SPDX-License-Identifier: MIT
//
// Snapshots: books as a file beside their journal. A restart applies later commands alone; old segments can go.
//
// `make_snapshot` does what a restart does, in another thread or process: it reads the newest snapshot and the
// journal after it into books of its own, and writes those. So the engine does not wait, and each snapshot proves
// that the journal since the last one can be read; it proves nothing about earlier segments.
//
// A snapshot is written under another name, synced and renamed, so it exists as a whole or not at all. Its
// checksum detects damage, but is no signature: anyone who can write to the directory can make any books.
//
// Upgrades. Every version that knows the format reads a journal. Only the minor version that made a snapshot reads
// it, as it is an image of arrays.
//
//  - If the segments go back to the first command, there is nothing to do. A new version replays them, refuses if
//    that leads to other books than the newest snapshot had, and makes snapshots of its own.
//  - If the first segments are gone, a new version refuses to start. So copy segments before they are deleted, and
//    bring them back. Or the old program writes its orders to an empty directory for the new one (grow.hpp).
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
#include <type_traits>
#include <utility>

#include "llmes/engine/journal/crc32c.hpp"
#include "llmes/engine/journal/journal.hpp"
#include "llmes/engine/machine.hpp"
#include "llmes/engine/matcher.hpp"
#include "llmes/engine/snapshot/image.hpp"
#include "llmes/types/text.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The header before the image, the same in each version.
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
  JournalId journal{};
  std::uint64_t chain = 0;  ///< of the commands that the books have seen

  [[nodiscard]] std::uint32_t checksum_now() const noexcept { return checksum_of(*this); }
  /// Whether the magic number and the checksum are right.
  [[nodiscard]] bool intact() const noexcept { return magic == magic_text && checksum == checksum_now(); }
  /// And whether the name fits.
  [[nodiscard]] bool whole(std::uint64_t named) const noexcept { return intact() && sequence == named; }
};
static_assert(std::has_unique_object_representations_v<SnapshotHeader>);
static_assert(sizeof(SnapshotHeader) == 528, "other versions know a snapshot by its header");

/// What a recovery found.
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

/// Opens a snapshot, and reads its header.
/// @param whole whether it has one. One that `make_snapshot` has deleted meanwhile has none.
/// @return NotAFile, SystemError, or Success.
template <class Files>
[[nodiscard]] JournalError open_snapshot(JournalDirectory<Files>& directory, std::uint64_t sequence,
                                         JournalFile<Files>& file, SnapshotHeader& header, bool& whole) {
  whole = false;
  const JournalName name = JournalName::of(sequence, JournalName::snapshot_ending);
  const JournalError error = directory.open_file(name, O_RDONLY, file);
  if (error) return error.number == ENOENT ? JournalError{} : error;
  const JournalError failed = file.read(header, 0, whole);
  whole = whole && header.whole(sequence);
  return failed;
}

/// How much of an image is in memory at a time.
inline constexpr std::size_t image_room = 1'024 * 1'024;

/// Whether the image behind a valid header is the one that was written.
/// @param room to read it into, piece by piece.
/// @return SystemError, or Success.
template <class Files>
[[nodiscard]] JournalError check_image(JournalFile<Files>& file, const SnapshotHeader& header,
                                       std::span<std::byte> room, bool& whole) {
  whole = false;
  std::uint32_t checksum = 0;
  for (std::uint64_t done = 0; done < header.image_bytes;) {
    const auto bytes = room.first(std::min<std::uint64_t>(header.image_bytes - done, room.size()));
    std::size_t size = 0;
    if (JournalError error = file.read(bytes, sizeof header + done, size)) return error;
    if (size != bytes.size()) return {};
    checksum = crc32c(bytes, checksum);
    done += size;
  }
  whole = checksum == header.image_checksum;
  return {};
}

/// The snapshots of a directory: what engines and the functions below are made of.
/// @tparam T a machine, or the books of a `Matcher`.
template <class T, class Files = SystemFiles>
class Snapshots {
  using M = MachineOf<T>;
  using Record = typename M::Record;
  using ReportTarget = BasicReportTarget<typename M::Report>;

 public:
  static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

  /// @param directory that of the journal, for as long as anything is read or written.
  Snapshots(JournalDirectory<Files>& directory, const typename M::Config& config) noexcept
      : directory_(directory), parameters_(M::parameters_of(config)) {}

  /// Gives new books the state of the newest whole snapshot of this version that does not come after command
  /// `last`, if there is one. The commands after it are for `apply`.
  /// @return OtherParameters or OtherMachine (the newest is of other books), UnknownVersion (a newer one is of
  /// another version, and the segments do not go back far enough without it), OtherBooks, MissingRecords (there is
  /// a snapshot and no segment), StrayFile, OutOfMemory, SystemError, or Success.
  [[nodiscard]] JournalError load(std::uint64_t last, M& books, RecoverySummary& summary) {
    summary = {};
    mark_ = {};
    newest_ = 0;
    other_ = {};
    leads_to_other_books_ = false;
    if (!make_buffer()) return {.code = JournalCode::OutOfMemory};
    FileNumbers numbers;
    if (JournalError error = directory_.list_snapshots(numbers)) return error;
    const std::span<const std::uint64_t> all = numbers.all();
    for (auto at = all.rbegin(); at != all.rend() && summary.snapshot_sequence == 0; ++at) {
      if (*at > last) continue;
      if (JournalError error = load_one(*at, books, summary)) return error;
    }
    return expect_segments(summary.snapshot_sequence);
  }

  /// The place in the journal of the snapshot that was loaded.
  [[nodiscard]] const JournalMark& mark() const noexcept { return mark_; }

  /// Applies commands that follow the snapshot that was loaded, in order.
  void apply(std::span<const Record> records, M& books, ReportTarget& target) {
    if (records.empty()) return;
    const std::uint64_t first = records.front().sequence;
    if (first <= other_.sequence && other_.sequence <= records.back().sequence) {
      const auto before = records.first(other_.sequence - first + 1);
      books.apply(before, target);
      leads_to_other_books_ = books.digest() != other_.digest;
      records = records.subspan(before.size());
    }
    books.apply(records, target);
  }

  /// Compares the books, after all commands, with the snapshots that could not be loaded.
  /// @return MissingRecords (one has seen more commands, maybe a damaged one), OtherBooks, or Success.
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

  /// Writes a snapshot of books that have seen all commands up to a place. Deletes one that cannot be completed,
  /// since the journal may need its space, and what a killed process left.
  /// @return OutOfMemory, SystemError, or Success.
  [[nodiscard]] JournalError save(const M& books, const JournalMark& mark) {
    FileNumbers left;
    JournalName stray;
    if (JournalError error = directory_.list(JournalName::new_ending, left, stray)) return error;
    for (const std::uint64_t number : left.all()) {
      if (JournalError error = directory_.remove(JournalName::of(number, JournalName::new_ending))) return error;
    }
    // A random name, so that nobody can have put a file or link there.
    std::uint64_t number = 0;
    if (JournalError error = directory_.random({&number, 1})) return error;
    new_name_ = JournalName::of(number / 2 | 1, JournalName::new_ending);
    const JournalError error = write(books, mark);
    if (error) (void)directory_.remove(new_name_);
    return error;
  }

  /// How many bytes a snapshot of these books takes, with some for the metadata of the disk.
  [[nodiscard]] static std::uint64_t room_for(const M& books) noexcept {
    return sizeof(SnapshotHeader) + image_bytes(books) + 64 * 1'024;
  }

  /// Keeps others from making snapshots for its lifetime.
  /// @return Locked, NotAFile, SystemError, or Success.
  [[nodiscard]] JournalError lock() {
    const JournalError error = directory_.open_file(JournalName("snapshot.lock"), O_RDWR | O_CREAT, lock_);
    return error ? error : lock_.lock();
  }

  /// Deletes the snapshots that come before command `sequence`.
  /// @return SystemError, or Success.
  [[nodiscard]] JournalError remove_before(std::uint64_t sequence) {
    FileNumbers numbers;
    if (JournalError error = directory_.list_snapshots(numbers)) return error;
    for (const std::uint64_t number : numbers.all()) {
      if (number >= sequence) break;
      if (JournalError error = directory_.remove(name_of(number))) return error;
    }
    return {};
  }

  [[nodiscard]] static JournalName name_of(std::uint64_t sequence) noexcept {
    return JournalName::of(sequence, JournalName::snapshot_ending);
  }

 private:
  [[nodiscard]] bool make_buffer() noexcept {
    if (buffer_ == nullptr) buffer_.reset(new (std::nothrow) std::byte[image_room]);
    return buffer_ != nullptr;
  }

  /// Writes a snapshot, and renames it last.
  [[nodiscard]] JournalError write(const M& books, const JournalMark& mark) {
    if (!make_buffer()) return {.code = JournalCode::OutOfMemory};
    JournalFile<Files> file;
    if (JournalError error = directory_.open_file(new_name_, O_WRONLY | O_CREAT | O_EXCL, file)) return error;
    JournalError error = file.allocate(sizeof(SnapshotHeader) + image_bytes(books));
    if (error && error.number != EOPNOTSUPP) return error;
    SnapshotHeader header{.sequence = mark.sequence,
                          .digest = books.digest(),
                          .parameters = parameters_,
                          .journal = mark.journal,
                          .chain = mark.chain};
    std::size_t used = 0;
    const auto flush = [&] {
      const auto bytes = std::span<const std::byte>(buffer_.get(), used);
      used = 0;
      header.image_checksum = crc32c(bytes, static_cast<std::uint32_t>(header.image_checksum));
      header.image_bytes += bytes.size();
      error = file.write(bytes, sizeof header + header.image_bytes - bytes.size());
      return !error;
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
    if (!written || !flush()) return error;
    header.checksum = header.checksum_now();
    error = file.write(std::as_bytes(std::span(&header, 1)), 0);
    if (!error) error = file.sync();
    // A snapshot must not outlive the names of the segments, which a writer without durability does not sync.
    if (!error) error = directory_.sync();
    if (!error) error = directory_.rename(new_name_, name_of(mark.sequence));
    return error ? error : directory_.sync();
  }

  /// Every snapshot has a segment beside it, as the last one is never deleted. Without any, later commands are
  /// lost. Without the first ones, a snapshot that cannot be read cannot be made again.
  /// @param loaded the sequence of the snapshot that was loaded, or 0.
  [[nodiscard]] JournalError expect_segments(std::uint64_t loaded) {
    if (newest_ == 0) return {};
    FileNumbers segments;
    if (JournalError error = directory_.list_segments(segments)) return error;
    const auto all = segments.all();
    if (all.empty()) return {.code = JournalCode::MissingRecords, .sequence = newest_ + 1, .other = 1};
    if (other_.sequence == 0 || all.front() <= loaded + 1) return {};
    return {.code = JournalCode::UnknownVersion, .file = name_of(other_.sequence), .other = other_.version};
  }

  /// Loads a snapshot into new books, or counts why not. It checks the whole file before it changes the books.
  [[nodiscard]] JournalError load_one(std::uint64_t sequence, M& books, RecoverySummary& summary) {
    const JournalName name = name_of(sequence);
    JournalFile<Files> file;
    SnapshotHeader header;
    bool whole = false;
    if (JournalError error = open_snapshot(directory_, sequence, file, header, whole)) return error;
    newest_ = std::max(newest_, header.intact() && is_sequence(header.sequence) ? header.sequence : sequence);
    if (whole && header.version != library_version) {
      if (other_.sequence == 0) other_ = header;
      ++summary.snapshots_of_other_versions;
      return {};
    }
    if (whole) {
      if (header.parameters != parameters_) return other_parameters(name, header.parameters, parameters_);
      if (JournalError error = load_image(file, header, books, whole)) return error;
    }
    if (whole) {
      summary.snapshot_sequence = sequence;
      mark_ = {.sequence = sequence, .journal = header.journal, .chain = header.chain};
    } else {
      ++summary.snapshots_damaged;
    }
    return {};
  }

  [[nodiscard]] JournalError load_image(JournalFile<Files>& file, const SnapshotHeader& header, M& books,
                                        bool& whole) {
    JournalError error = check_image(file, header, {buffer_.get(), image_room}, whole);
    if (error || !std::exchange(whole, false)) return error;
    const JournalName name = name_of(header.sequence);
    std::uint64_t offset = sizeof header;
    const auto read = [&](std::span<std::byte> bytes) {
      std::size_t size = 0;
      error = file.read(bytes, offset, size);
      if (!error && size != bytes.size()) error = system_error("pread", -EIO, name, offset);
      offset += size;
      return !error;
    };
    const ImageStatus status = read_image(books, header.image_bytes, read);
    if (status == ImageStatus::OtherParameters) {  // other sizes than the header says
      error = {.code = JournalCode::OtherParameters,
               .file = name,
               .name = fixed_text<24>("shape of the image"),
               .expected = detail::ImageShape::of(books).digest};
      (void)file.read(error.found, sizeof header, whole);
      whole = false;
      return error;
    }
    whole = status == ImageStatus::Success;
    if (whole && (!books.holds() || books.digest() != header.digest))
      return {.code = JournalCode::OtherBooks, .file = name, .sequence = header.sequence};
    return error;
  }

  JournalDirectory<Files>& directory_;
  JournalParameters parameters_;
  std::unique_ptr<std::byte[]> buffer_;
  JournalFile<Files> lock_;
  JournalName new_name_{};  ///< of the snapshot that is written, until it is whole
  JournalMark mark_{};
  std::uint64_t newest_ = 0;  ///< the last command of the newest snapshot found, also of a damaged one
  SnapshotHeader other_{};    ///< of the newest snapshot found of another version; else empty
  bool leads_to_other_books_ = false;
};

/// Why the books for reading files could not be made.
/// @return OutOfMemory or InvalidConfig.
[[nodiscard]] constexpr JournalError no_books(CreateStatus why) noexcept {
  if (why == CreateStatus::OutOfMemory) return {.code = JournalCode::OutOfMemory};
  return {.code = JournalCode::InvalidConfig, .name = fixed_text<24>(to_string(why))};
}

/// Makes a snapshot of a journal as it is now, with or without a running engine, and deletes those older than the
/// previous one. It takes the memory of a second set of books, and the time of a restart.
///
/// It needs write permission for the directory and its last segment, whose last write it repeats. If the sync of
/// that write failed, the snapshot would otherwise hold commands that the journal on disk lacks.
/// @param directory,config those of the engine.
/// @param summary what was read. Without a command since the last snapshot, none is written.
/// @return Locked (another one makes a snapshot now), InvalidConfig (of the directory or of the books), any error
/// of `Snapshots::load`, `Snapshots::compare` or `replay`, or that a file cannot be written.
template <Machine M, class Files = SystemFiles>
[[nodiscard]] JournalError make_snapshot(std::string_view directory, const typename M::Config& config,
                                         RecoverySummary& summary, const Files& files = {}) {
  JournalDirectory<Files> opened(files);
  if (JournalError error = opened.open(directory)) return error;
  Snapshots<M, Files> snapshots(opened, config);
  if (JournalError error = snapshots.lock()) return error;
  CreateStatus status{};
  std::optional<M> books = M::create(config, status);
  if (!books) return no_books(status);
  if (JournalError error = snapshots.load(snapshots.no_limit, *books, summary)) return error;
  BasicNoReports<typename M::Report> nobody;
  // The journal on disk must not lose what a snapshot has.
  const JournalParameters parameters = M::parameters_of(config);
  JournalScan<Files, typename M::Record> scan(opened, parameters, {.live = true, .sync = true});
  const auto apply = [&](std::span<const typename M::Record> records) {
    snapshots.apply(records, *books, nobody);
  };
  if (JournalError error = scan.run(snapshots.mark(), apply, summary.journal)) return error;
  if (JournalError error = snapshots.compare(summary.journal)) return error;
  if (summary.journal.replayed == 0) return {};
  if (JournalError failed = scan.write_again()) return failed;
  const JournalMark mark{
      .sequence = scan.end().next - 1, .journal = scan.end().journal, .chain = scan.end().chain};
  if (JournalError failed = snapshots.save(*books, mark)) return failed;
  return snapshots.remove_before(summary.snapshot_sequence);
}

/// The same for the books of a `Matcher`.
template <class Book, class Files = SystemFiles>
[[nodiscard]] JournalError make_snapshot(std::string_view directory, const MatcherConfig<Book>& config,
                                         RecoverySummary& summary, const Files& files = {}) {
  return make_snapshot<Matcher<Book>>(directory, config, summary, files);
}

/// Deletes the segments whose commands are in each of the newest whole snapshots of this version, which it reads
/// to check them. Also beside the engine. Another minor version cannot start here afterwards (see above).
/// @param snapshots how many must have the commands. With 1, which frees more space, damage of it loses the books.
/// @return SystemError, NotAFile, StrayFile, DamagedHeader (of the first segment), OutOfMemory or InvalidConfig
/// (of the directory, or no snapshots), after which some may be deleted.
template <class Files = SystemFiles>
[[nodiscard]] JournalError remove_covered(std::string_view directory, std::size_t snapshots = 2,
                                          const Files& files = {}) {
  if (snapshots == 0) return {.code = JournalCode::InvalidConfig};
  JournalDirectory<Files> opened(files);
  if (JournalError error = opened.open(directory)) return error;
  const std::unique_ptr<std::byte[]> room(new (std::nothrow) std::byte[image_room]);
  if (room == nullptr) return {.code = JournalCode::OutOfMemory};
  FileNumbers segments;
  if (JournalError error = opened.list_segments(segments)) return error;
  if (segments.all().size() < 2) return {};
  JournalHeader first;
  bool known = false;
  if (JournalError error = read_segment_header(opened, segments.all().front(), first, known)) return error;
  if (!known) {
    const std::uint64_t named = segments.all().front();
    return {.code = JournalCode::DamagedHeader, .file = JournalName::of_segment(named), .sequence = named};
  }
  FileNumbers numbers;
  if (JournalError error = opened.list_snapshots(numbers)) return error;
  const std::span<const std::uint64_t> all = numbers.all();
  for (auto at = all.rbegin(); at != all.rend(); ++at) {
    JournalFile<Files> file;
    SnapshotHeader header;
    bool whole = false;
    if (JournalError failed = open_snapshot(opened, *at, file, header, whole)) return failed;
    if (!whole || header.version != library_version || header.journal != first.journal) continue;
    if (JournalError failed = check_image(file, header, {room.get(), image_room}, whole)) return failed;
    snapshots -= std::size_t{whole};
    if (snapshots == 0) return opened.remove_segments_before(*at + 1);
  }
  return {};
}

namespace detail {

/// Gives a new machine the state of the newest snapshot of a directory and of the later commands, and opens the
/// journal behind them.
template <class M, class Files>
[[nodiscard]] JournalError recover(const JournalConfig& config, const typename M::Config& machine_config,
                                   const Files& files, M& machine,
                                   std::optional<JournalWriter<Files, typename M::Record>>& journal,
                                   RecoverySummary& summary) {
  // The previous owner of the directory may have written and deleted segments until it is locked here.
  JournalDirectory<Files> directory(files);
  JournalError error = directory.open(config.directory);
  if (!error) error = directory.lock();
  if (error) return error;
  Snapshots<M, Files> snapshots(directory, machine_config);
  error = snapshots.load(snapshots.no_limit, machine, summary);
  if (error) return error;
  struct Follow {
    void operator()(std::span<const typename M::Record> records) { snapshots.apply(records, machine, nobody); }
    [[nodiscard]] JournalError check(const JournalSummary& read) const { return snapshots.compare(read); }
    Snapshots<M, Files>& snapshots;
    M& machine;
    BasicNoReports<typename M::Report> nobody{};
  };
  journal = JournalWriter<Files, typename M::Record>::create(std::move(directory), config, snapshots.mark(),
                                                             Follow{snapshots, machine}, summary.journal, error);
  return error;
}

}  // namespace detail

}  // namespace llmes::inline LLMES_NAMESPACE
