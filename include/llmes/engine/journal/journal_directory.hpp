// SPDX-License-Identifier: MIT
//
// The directory of a journal: lists, opens and locks its files. All are looked up in one descriptor, so two
// directories never mix, even if the path is moved or replaced meanwhile. Files are regular: no links, no pipes.
#pragma once

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "llmes/engine/journal/files.hpp"
#include "llmes/engine/journal/journal_error.hpp"
#include "llmes/engine/journal/journal_file.hpp"
#include "llmes/engine/journal/journal_format.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The numbers that files are named by, in rising order.
class FileNumbers {
 public:
  [[nodiscard]] std::span<const std::uint64_t> all() const noexcept { return {numbers_.get(), count_}; }

  /// @return false if there is no memory.
  [[nodiscard]] bool add(std::uint64_t number) noexcept {
    if (count_ == room_) {
      const std::size_t room = std::max<std::size_t>(2 * room_, 64);
      std::unique_ptr<std::uint64_t[]> more(new (std::nothrow) std::uint64_t[room]);
      if (more == nullptr) return false;
      std::ranges::copy(all(), more.get());
      numbers_ = std::move(more);
      room_ = room;
    }
    numbers_[count_++] = number;
    return true;
  }
  void sort() noexcept { std::sort(numbers_.get(), numbers_.get() + count_); }

 private:
  std::unique_ptr<std::uint64_t[]> numbers_;
  std::size_t count_ = 0;
  std::size_t room_ = 0;
};

template <FileSystem Files>
class JournalDirectory {
 public:
  explicit JournalDirectory(const Files& files) noexcept : files_(files) {}

  /// @return InvalidConfig (this is no path), SystemError, or Success.
  [[nodiscard]] JournalError open(std::string_view path) {
    std::array<char, 4'096> text{};  // as long as Linux allows, with a 0 behind it, and without an allocation
    if (path.empty() || path.size() >= text.size() || path.find('\0') != path.npos)
      return {.code = JournalCode::InvalidConfig};
    std::ranges::copy(path, text.begin());
    const FileResult opened =
        uninterrupted([&] { return files_.open(AT_FDCWD, text.data(), O_RDONLY | O_DIRECTORY); });
    directory_ = JournalFile<Files>(files_, opened);
    return opened < 0 ? system_error("open", opened) : JournalError{};
  }

  /// Keeps other engines away for its lifetime, by a lock on the directory itself.
  /// @return Locked, SystemError, or Success.
  [[nodiscard]] JournalError lock() { return directory_.lock(); }

  /// Opens a file.
  /// @return NotAFile (a link, a pipe or the like), SystemError, or Success. After an error `file` is none.
  [[nodiscard]] JournalError open_file(const JournalName& name, int flags, JournalFile<Files>& file) {
    // Opening a pipe would wait for its writer.
    const FileResult opened = uninterrupted(
        [&] { return files_.open(directory_.number(), name.text().data(), flags | O_NOFOLLOW | O_NONBLOCK); });
    file = JournalFile<Files>(files_, opened, name);
    const JournalError not_a_file{.code = JournalCode::NotAFile, .file = name};
    if (opened == -ELOOP || opened == -ENXIO || opened == -EISDIR) return not_a_file;
    if (opened < 0) return system_error("open", opened, name);
    std::uint64_t size = 0;
    const JournalError error = file.size(size);
    if (error) file = {};
    return error.number == EINVAL ? not_a_file : error;
  }

  /// These return SystemError, or Success.
  [[nodiscard]] JournalError remove(const JournalName& name) {
    return checked("unlink", name, 0, [&] { return files_.remove(directory_.number(), name.text().data()); });
  }
  [[nodiscard]] JournalError rename(const JournalName& from, const JournalName& to) {
    return checked("rename", to, 0,
                   [&] { return files_.rename(directory_.number(), from.text().data(), to.text().data()); });
  }
  /// Waits until the names are on disk.
  [[nodiscard]] JournalError sync() { return directory_.sync(); }
  /// Fills `numbers`, of up to 256 bytes, with random ones.
  [[nodiscard]] JournalError random(std::span<std::uint64_t> numbers) {
    return checked("getrandom", {}, 0, [&] { return files_.random(std::as_writable_bytes(numbers)); });
  }

  /// How many bytes the disk has left.
  [[nodiscard]] FileResult free_room() const {
    Files files = files_;
    return files.free_room(directory_.number());
  }

  /// Lists the files whose names are a sequence, in twenty digits, and an ending.
  /// @param stray the last name with the ending and no such number, if there is one.
  /// @return OutOfMemory, SystemError, or Success.
  [[nodiscard]] JournalError list(std::string_view ending, FileNumbers& numbers, JournalName& stray) {
    numbers = {};
    bool fits = true;
    const FileResult listed = files_.list(directory_.number(), [&](std::string_view name) {
      if (!name.ends_with(ending)) return;
      const std::optional<std::uint64_t> number = JournalName::number_of(name, ending);
      const bool named = number && *number >= 1 && *number <= sequence_max;
      if (!named) stray = JournalName(name);
      if (named) fits = fits && numbers.add(*number);
    });
    if (listed < 0) return system_error("opendir or readdir", listed);
    if (!fits) return {.code = JournalCode::OutOfMemory};
    numbers.sort();
    return {};
  }
  /// The segments, by the sequences of their first records.
  /// @return StrayFile (the ending without the name of a segment), OutOfMemory, SystemError, or Success.
  [[nodiscard]] JournalError list_segments(FileNumbers& segments) {
    JournalName stray;
    const JournalError error = list(JournalName::segment_ending, segments, stray);
    if (error || stray.text().empty()) return error;
    return {.code = JournalCode::StrayFile, .file = stray};
  }
  /// The snapshots, by the sequences of their last commands. Files with other names are ignored.
  /// @return OutOfMemory, SystemError, or Success.
  [[nodiscard]] JournalError list_snapshots(FileNumbers& snapshots) {
    JournalName stray;
    return list(JournalName::snapshot_ending, snapshots, stray);
  }

  /// Deletes the segments of which every record comes before `sequence`, the oldest first; never the last one.
  /// @return StrayFile, OutOfMemory or SystemError, after which some may be deleted, or Success.
  [[nodiscard]] JournalError remove_segments_before(std::uint64_t sequence) {
    FileNumbers segments;
    if (JournalError error = list_segments(segments)) return error;
    const std::span<const std::uint64_t> all = segments.all();
    for (std::size_t i = 0; i + 1 < all.size() && all[i + 1] <= sequence; ++i) {
      if (JournalError error = remove(JournalName::of_segment(all[i]))) return error;
    }
    return {};
  }

 private:
  [[no_unique_address]] Files files_;
  JournalFile<Files> directory_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
