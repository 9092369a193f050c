// SPDX-License-Identifier: MIT
//
// The system calls that the engine's files need, and nothing around them. They are the members of a class, so that
// tests put a disk in its place that is full, or fails, or loses power.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <utility>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What a system call came to: 0 or more, or the negative `errno`.
using FileResult = std::int64_t;

/// What each call does, see `SystemFiles`. A copy is as good as the original, and one made from nothing opens
/// nothing. Paths end with a 0, descriptors are those of the system.
template <class F>
concept FileSystem =
    requires(F& files, const char* path, int number, std::uint64_t offset, std::span<const std::byte> bytes,
             std::span<std::byte> room, void (*visit)(std::string_view)) {
      requires std::semiregular<F>;
      { files.open(number, path, number) } -> std::same_as<FileResult>;
      { files.close(number) } -> std::same_as<FileResult>;
      { files.read(number, room, offset) } -> std::same_as<FileResult>;
      { files.write(number, bytes, offset) } -> std::same_as<FileResult>;
      { files.allocate(number, offset) } -> std::same_as<FileResult>;
      { files.truncate(number, offset) } -> std::same_as<FileResult>;
      { files.sync_data(number) } -> std::same_as<FileResult>;
      { files.sync(number) } -> std::same_as<FileResult>;
      { files.lock(number) } -> std::same_as<FileResult>;
      { files.rename(path, path) } -> std::same_as<FileResult>;
      { files.remove(path) } -> std::same_as<FileResult>;
      { files.list(path, visit) } -> std::same_as<FileResult>;
    };

/// The files of the system. One call is one system call, with what it may do: write less than it was given, or be
/// interrupted.
struct SystemFiles {
  /// @param directory that a relative path begins in: an open one, or `AT_FDCWD`, the one that the process works
  /// in.
  /// @param flags `O_RDONLY` and its like. A file that is made can be written by its owner and read by its group.
  /// All are closed by `exec`.
  FileResult open(int directory, const char* path, int flags) const noexcept {
    return result(::openat(directory, path, flags | O_CLOEXEC, S_IRUSR | S_IWUSR | S_IRGRP));
  }
  [[nodiscard]] FileResult close(int file) const noexcept { return result(::close(file)); }

  /// @return how many bytes.
  [[nodiscard]] FileResult read(int file, std::span<std::byte> room, std::uint64_t offset) const noexcept {
    return result(::pread(file, room.data(), room.size(), static_cast<off_t>(offset)));
  }
  [[nodiscard]] FileResult write(int file, std::span<const std::byte> bytes, std::uint64_t offset) const noexcept {
    return result(::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset)));
  }
  /// Makes room on the disk for the first `size` bytes. Where the file was shorter, it reads as zeros.
  [[nodiscard]] FileResult allocate(int file, std::uint64_t size) const noexcept {
    return result(::fallocate(file, 0, 0, static_cast<off_t>(size)));
  }
  [[nodiscard]] FileResult truncate(int file, std::uint64_t size) const noexcept {
    return result(::ftruncate(file, static_cast<off_t>(size)));
  }
  /// Waits until the disk has the bytes of a file; `sync`: and all else about it, or the names of a directory.
  [[nodiscard]] FileResult sync_data(int file) const noexcept { return result(::fdatasync(file)); }
  [[nodiscard]] FileResult sync(int file) const noexcept { return result(::fsync(file)); }

  /// Locks a file against every other that is opened, until it is closed here and in each child that was forked
  /// meanwhile. Never waits.
  [[nodiscard]] FileResult lock(int file) const noexcept { return result(::flock(file, LOCK_EX | LOCK_NB)); }

  FileResult rename(const char* from, const char* to) const noexcept { return result(std::rename(from, to)); }
  FileResult remove(const char* path) const noexcept { return result(::unlink(path)); }

  /// Calls `visit` with the name of each entry of a directory, in no order.
  template <class Visit>
  FileResult list(const char* path, Visit&& visit) const noexcept {
    DIR* directory = ::opendir(path);
    if (directory == nullptr) return -errno;
    const auto next = [&] {
      errno = 0;
      return ::readdir(directory);  // NOLINT(concurrency-mt-unsafe): no other thread has this one
    };
    const dirent* entry = next();
    for (; entry != nullptr; entry = next()) visit(std::string_view(entry->d_name));
    const FileResult end = -errno;
    ::closedir(directory);
    return end;
  }

 private:
  static FileResult result(FileResult returned) noexcept { return returned < 0 ? -errno : returned; }
};
static_assert(FileSystem<SystemFiles>);

/// Makes a call again for as long as signals interrupt it.
template <class Call>
FileResult uninterrupted(Call&& call) {
  FileResult result = call();
  while (result == -EINTR) result = call();
  return result;
}

/// Writes all bytes.
/// @return 0, or the negative `errno` of the call that failed, before which some may have been written.
template <FileSystem Files>
FileResult write_all(Files& files, int file, std::span<const std::byte> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const FileResult written = uninterrupted([&] { return files.write(file, bytes, offset); });
    if (written < 0) return written;
    if (written == 0) return -EIO;  // it would never end
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return 0;
}

/// Reads until `room` is full or the file ends.
/// @return how many bytes, or a negative `errno`.
template <FileSystem Files>
FileResult read_all(Files& files, int file, std::span<std::byte> room, std::uint64_t offset) {
  std::size_t size = 0;
  while (size < room.size()) {
    const FileResult read = uninterrupted([&] { return files.read(file, room.subspan(size), offset + size); });
    if (read < 0) return read;
    if (read == 0) break;
    size += static_cast<std::size_t>(read);
  }
  return static_cast<FileResult>(size);
}

/// A descriptor that closes itself, or none.
template <FileSystem Files>
class OpenFile {
 public:
  OpenFile() noexcept = default;
  /// @param opened what `open` came to; a negative one is no file.
  OpenFile(const Files& files, FileResult opened) noexcept : files_(files), file_(static_cast<int>(opened)) {}
  OpenFile(OpenFile&& other) noexcept : files_(other.files_), file_(std::exchange(other.file_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    OpenFile taken(std::move(other));  // and what was open here is closed now
    std::swap(files_, taken.files_);
    std::swap(file_, taken.file_);
    return *this;
  }
  ~OpenFile() {
    if (file_ >= 0) (void)files_.close(file_);  // what is to be kept was synced
  }

  [[nodiscard]] int number() const noexcept { return file_; }

 private:
  [[no_unique_address]] Files files_{};
  int file_ = -1;
};

}  // namespace llmes::inline LLMES_NAMESPACE
