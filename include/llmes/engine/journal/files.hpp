// SPDX-License-Identifier: MIT
//
// The system calls that the engine's files need. They are members of a class, so that tests can replace it by a
// disk that is full, fails or loses power.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The result of a system call: 0 or more, or the negative `errno`.
using FileResult = std::int64_t;

/// `SystemFiles` documents each call. Copies are equivalent. Paths end with a 0; descriptors are those of the
/// system. A name is looked up in an open directory, even after that has been moved.
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
      { files.size(number) } -> std::same_as<FileResult>;
      { files.hole(number, offset) } -> std::same_as<FileResult>;
      { files.data(number, offset) } -> std::same_as<FileResult>;
      { files.rename(number, path, path) } -> std::same_as<FileResult>;
      { files.remove(number, path) } -> std::same_as<FileResult>;
      { files.list(number, visit) } -> std::same_as<FileResult>;
      { files.free_room(number) } -> std::same_as<FileResult>;
      { files.random(room) } -> std::same_as<FileResult>;
    };

/// The files of the system. Each call is one system call: it may write less than it was given, or be interrupted.
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
  /// Reserves disk space for the first `size` bytes. A shorter file is extended with zeros. A size above this
  /// process's limit is refused here; a write beyond the limit could raise SIGXFSZ.
  [[nodiscard]] FileResult allocate(int file, std::uint64_t size) const noexcept {
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && size > limit.rlim_cur) return -EFBIG;
    return result(::fallocate(file, 0, 0, static_cast<off_t>(size)));
  }
  [[nodiscard]] FileResult truncate(int file, std::uint64_t size) const noexcept {
    return result(::ftruncate(file, static_cast<off_t>(size)));
  }
  /// Waits until the bytes of a file are on the disk; `sync` also waits for its metadata, or for the names of a
  /// directory.
  [[nodiscard]] FileResult sync_data(int file) const noexcept { return result(::fdatasync(file)); }
  [[nodiscard]] FileResult sync(int file) const noexcept { return result(::fsync(file)); }

  /// Locks a file or directory against everyone who opens and locks it, until it is closed here and in each child
  /// that was forked meanwhile. Never waits.
  [[nodiscard]] FileResult lock(int file) const noexcept { return result(::flock(file, LOCK_EX | LOCK_NB)); }

  /// How many bytes a regular file has; -EINVAL if it is none.
  [[nodiscard]] FileResult size(int file) const noexcept {
    struct stat found {};
    if (::fstat(file, &found) != 0) return -errno;
    return S_ISREG(found.st_mode) ? static_cast<FileResult>(found.st_size) : -EINVAL;
  }
  /// The start of the first hole at or after `offset`: space that was never written and reads as zeros. A hole
  /// follows the last data. -ENXIO if the file ends before `offset`. A file system without holes reports all as
  /// data, or returns -EINVAL. Reading a hole may turn it into data.
  [[nodiscard]] FileResult hole(int file, std::uint64_t offset) const noexcept {
    return result(::lseek(file, static_cast<off_t>(offset), SEEK_HOLE));
  }
  /// The start of the first data at or after `offset`; -ENXIO if there is none.
  [[nodiscard]] FileResult data(int file, std::uint64_t offset) const noexcept {
    return result(::lseek(file, static_cast<off_t>(offset), SEEK_DATA));
  }

  FileResult rename(int directory, const char* from, const char* to) const noexcept {
    return result(::renameat(directory, from, directory, to));
  }
  FileResult remove(int directory, const char* path) const noexcept {
    return result(::unlinkat(directory, path, 0));
  }

  /// Calls `visit` with the name of each entry of a directory, in no order.
  template <class Visit>
  FileResult list(int directory, Visit&& visit) const noexcept {
    const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // with a position of its own
    if (copy < 0) return -errno;
    DIR* const entries = ::fdopendir(copy);
    if (entries == nullptr) {
      const FileResult failed = -errno;
      ::close(copy);
      return failed;
    }
    const auto next = [&] {
      errno = 0;
      return ::readdir(entries);  // NOLINT(concurrency-mt-unsafe): no other thread has this one
    };
    const dirent* entry = next();
    for (; entry != nullptr; entry = next()) visit(std::string_view(entry->d_name));
    const FileResult end = -errno;
    ::closedir(entries);
    return end;
  }

  /// How many bytes the disk of a directory has free for this process; the largest number if the system does not
  /// say.
  [[nodiscard]] FileResult free_room(int directory) const noexcept {
    constexpr FileResult unknown = std::numeric_limits<FileResult>::max();
    struct statvfs found {};
    if (::fstatvfs(directory, &found) != 0) return -errno;
    const std::uint64_t block = found.f_frsize;
    if (found.f_blocks == 0 || block == 0) return unknown;
    return static_cast<FileResult>(std::min(found.f_bavail, unknown / block) * block);
  }

  /// Fills `room`, of up to 256 bytes, with random numbers.
  [[nodiscard]] FileResult random(std::span<std::byte> room) const noexcept {
    return result(::getrandom(room.data(), room.size(), 0));
  }

 private:
  static FileResult result(FileResult returned) noexcept { return returned < 0 ? -errno : returned; }
};
static_assert(FileSystem<SystemFiles>);

/// Repeats a call while signals interrupt it.
template <class Call>
FileResult uninterrupted(Call&& call) {
  FileResult result = call();
  while (result == -EINTR) result = call();
  return result;
}

/// Writes all bytes.
/// @return 0, or the negative `errno` of the call that failed; some bytes may have been written before.
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
  /// @param opened the result of `open`; a negative one is no file.
  OpenFile(const Files& files, FileResult opened) noexcept : files_(files), file_(static_cast<int>(opened)) {}
  OpenFile(OpenFile&& other) noexcept : files_(other.files_), file_(std::exchange(other.file_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    OpenFile taken(std::move(other));  // and closes the previous file
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
