// SPDX-License-Identifier: MIT
//
// The system calls of the engine's files, as a class. Tests replace it by a disk that is full or fails.
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

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The result of a system call: 0 or more, or the negative `errno`.
using FileResult = std::int64_t;

/// `SystemFiles` documents each call. Copies are equivalent. Paths end with a 0, names are those of a directory.
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
  /// @param directory where a relative path begins: an open one, or `AT_FDCWD`.
  /// @param flags `O_RDONLY` and its like. A new file is for its owner, its group may read. `exec` closes all.
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
  /// Waits until the bytes of a file are on disk; `sync` also waits for its metadata, or a directory's names.
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
  /// The start of the first hole at or after `offset`: space that was never written and reads as zeros. One
  /// follows the last data. -ENXIO if the file ends before `offset`; -EINVAL if the file system has no holes, or
  /// it reports all as data. Reading a hole may turn it into data.
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

  /// How many bytes a directory's disk has free for this process; the largest number if the system does not say.
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

}  // namespace llmes::inline LLMES_NAMESPACE
