// SPDX-License-Identifier: MIT
//
// A snapshot on disk: a header, and the image of a matcher behind it.
#pragma once

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "llmes/engine/journal/crc32c.hpp"
#include "llmes/engine/journal/files.hpp"
#include "llmes/engine/journal/journal_directory.hpp"
#include "llmes/engine/journal/journal_error.hpp"
#include "llmes/engine/journal/journal_file.hpp"
#include "llmes/engine/journal/journal_format.hpp"
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

  [[nodiscard]] std::uint32_t checksum_now() const noexcept { return header_checksum(*this); }
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
template <FileSystem Files>
[[nodiscard]] JournalError open_snapshot(JournalDirectory<Files>& directory, std::uint64_t sequence,
                                         JournalFile<Files>& file, SnapshotHeader& header, bool& whole) {
  whole = false;
  const JournalName name = JournalName::of(sequence, JournalName::snapshot_ending);
  const JournalError error = directory.open_file(name, O_RDONLY, file);
  if (error) return error.number == ENOENT ? JournalError{} : error;
  std::size_t size = 0;
  const JournalError failed = file.read(std::as_writable_bytes(std::span(&header, 1)), 0, size);
  whole = size == sizeof header && header.whole(sequence);
  return failed;
}

/// How much of an image is in memory at a time.
inline constexpr std::size_t image_room = 1'024 * 1'024;

/// Whether the image behind a valid header is the one that was written.
/// @param room to read it into, piece by piece.
/// @return SystemError, or Success.
template <FileSystem Files>
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

}  // namespace llmes::inline LLMES_NAMESPACE
