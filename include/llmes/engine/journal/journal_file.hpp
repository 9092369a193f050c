// SPDX-License-Identifier: MIT
//
// A file of a journal: each system call until it is done, and its error with the names of the call and the file.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "llmes/engine/journal/files.hpp"
#include "llmes/engine/journal/journal_error.hpp"
#include "llmes/engine/journal/journal_format.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Makes a system call, again while signals interrupt it.
/// @return SystemError, or Success.
template <class Call>
[[nodiscard]] JournalError checked(std::string_view what, const JournalName& file, std::uint64_t offset,
                                   Call&& call) {
  const FileResult result = uninterrupted(call);
  return result < 0 ? system_error(what, result, file, offset) : JournalError{};
}

/// A descriptor that closes itself, or none. The calls return SystemError, or Success.
template <FileSystem Files>
class JournalFile {
 public:
  JournalFile() noexcept = default;
  /// @param opened the result of `open`; a negative one is no file.
  JournalFile(const Files& files, FileResult opened, const JournalName& name = {}) noexcept
      : files_(files), file_(static_cast<int>(opened)), name_(name) {}
  JournalFile(JournalFile&& other) noexcept
      : files_(other.files_), file_(std::exchange(other.file_, -1)), name_(other.name_) {}
  JournalFile& operator=(JournalFile&& other) noexcept {
    JournalFile taken(std::move(other));  // and closes the previous file
    std::swap(files_, taken.files_);
    std::swap(file_, taken.file_);
    std::swap(name_, taken.name_);
    return *this;
  }
  ~JournalFile() {
    if (file_ >= 0) (void)files_.close(file_);  // what is to be kept was synced
  }

  [[nodiscard]] int number() const noexcept { return file_; }

  /// Reads until `room` is full or the file ends.
  /// @param size how many bytes were read.
  [[nodiscard]] JournalError read(std::span<std::byte> room, std::uint64_t offset, std::size_t& size) {
    size = 0;
    while (size < room.size()) {
      const FileResult read = uninterrupted([&] { return files_.read(file_, room.subspan(size), offset + size); });
      if (read < 0) return system_error("pread", read, name_, offset);
      if (read == 0) break;
      size += static_cast<std::size_t>(read);
    }
    return {};
  }
  /// Writes all bytes. After an error, some may have been written.
  [[nodiscard]] JournalError write(std::span<const std::byte> bytes, std::uint64_t offset) {
    while (!bytes.empty()) {
      const FileResult written = uninterrupted([&] { return files_.write(file_, bytes, offset); });
      // A disk that takes nothing would never end.
      if (written <= 0) return system_error("pwrite", written < 0 ? written : -EIO, name_, offset);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      offset += static_cast<std::uint64_t>(written);
    }
    return {};
  }
  [[nodiscard]] JournalError allocate(std::uint64_t size) {
    return checked("fallocate", name_, size, [&] { return files_.allocate(file_, size); });
  }
  [[nodiscard]] JournalError truncate(std::uint64_t size) {
    return checked("ftruncate", name_, size, [&] { return files_.truncate(file_, size); });
  }
  [[nodiscard]] JournalError sync_data() {
    return checked("fdatasync", name_, 0, [&] { return files_.sync_data(file_); });
  }
  [[nodiscard]] JournalError sync() {
    return checked("fsync", name_, 0, [&] { return files_.sync(file_); });
  }
  /// @return also Locked: another process or thread has it.
  [[nodiscard]] JournalError lock() {
    const JournalError error = checked("flock", name_, 0, [&] { return files_.lock(file_); });
    return error.number == EWOULDBLOCK ? JournalError{.code = JournalCode::Locked, .file = name_} : error;
  }
  /// @param bytes how many a regular file has. A SystemError with EINVAL if it is none.
  [[nodiscard]] JournalError size(std::uint64_t& bytes) {
    return checked("fstat", name_, 0, [&] {
      const FileResult size = files_.size(file_);
      bytes = static_cast<std::uint64_t>(size);
      return size;
    });
  }

  /// Finds where the data of a file ends and only holes follow. Call it before reading, which may fill holes.
  /// @param end the largest number if the file system does not say, or if data follows a hole.
  [[nodiscard]] JournalError find_data_end(std::uint64_t& end) {
    end = std::numeric_limits<std::uint64_t>::max();
    const FileResult hole = uninterrupted([&] { return files_.hole(file_, 0); });
    if (hole == -EINVAL || hole == -ENXIO) return {};
    if (hole < 0) return system_error("lseek", hole, name_);
    const auto begin = static_cast<std::uint64_t>(hole);
    const FileResult data = uninterrupted([&] { return files_.data(file_, begin); });
    if (data == -ENXIO) end = begin;
    return data < 0 && data != -ENXIO ? system_error("lseek", data, name_) : JournalError{};
  }

 private:
  [[no_unique_address]] Files files_{};
  int file_ = -1;
  JournalName name_{};  ///< empty for a directory
};

}  // namespace llmes::inline LLMES_NAMESPACE
