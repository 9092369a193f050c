// SPDX-License-Identifier: MIT
//
// The files of a journal: the system calls as a class, which tests replace by a disk that is full or fails; a
// file; and the directory, which lists, opens and locks files. All are looked up in one descriptor, so two
// directories never mix, even if the path is moved or replaced meanwhile. Files are regular: no links, no pipes.
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
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "llmes/detail/algorithm.hpp"
#include "llmes/engine/journal/journal_error.hpp"
#include "llmes/engine/journal/journal_format.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The result of a system call: 0 or more, or the negative `errno`.
using FileResult = std::int64_t;

/// The files of the system. Each call is one system call: it may write less than it was given, or be interrupted.
/// Paths end with a 0, names are those of a directory. Whatever takes its place has these calls, and equal copies.
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
    if (!S_ISREG(found.st_mode)) return -EINVAL;
    return found.st_size;
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

/// Repeats a call while signals interrupt it.
template <class Call>
FileResult uninterrupted(Call&& call) {
  FileResult result = call();
  while (result == -EINTR) result = call();
  return result;
}

/// The same, and an error has the names of the call and the file.
/// @return SystemError, or Success.
template <class Call>
[[nodiscard]] JournalError checked(std::string_view what, const JournalName& file, std::uint64_t offset,
                                   Call&& call) {
  const FileResult result = uninterrupted(call);
  return result < 0 ? system_error(what, result, file, offset) : JournalError{};
}

/// A descriptor that closes itself, or none. The calls return SystemError, or Success.
template <class Files>
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
  /// The same of an object.
  /// @param whole whether all of it was read.
  template <class Block>
  [[nodiscard]] JournalError read(Block& block, std::uint64_t offset, bool& whole) {
    std::size_t size = 0;
    const JournalError error = read(std::as_writable_bytes(std::span(&block, 1)), offset, size);
    whole = size == sizeof block;
    return error;
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
      detail::copy(all(), more.get());
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

template <class Files>
class JournalDirectory {
 public:
  explicit JournalDirectory(const Files& files) noexcept : files_(files) {}

  /// @return InvalidConfig (this is no path), SystemError, or Success.
  [[nodiscard]] JournalError open(std::string_view path) {
    std::array<char, 4'096> text{};  // as long as Linux allows, with a 0 behind it, and without an allocation
    if (path.empty() || path.size() >= text.size() || path.find('\0') != path.npos)
      return {.code = JournalCode::InvalidConfig};
    detail::copy(path, text.begin());
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
      const bool named = number && is_sequence(*number);
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
