// SPDX-License-Identifier: MIT
//
// A disk in memory, with one directory, that does what real ones do on bad days: it is full, fails, writes less
// than it was given, is interrupted, dies in the middle of a call, and loses power. It shares no code with
// `SystemFiles`.
#pragma once

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/random.hpp"

namespace llmes::test {

class FaultyDisk {
 public:
  struct File {
    std::vector<std::byte> bytes;  ///< as the system shows them
    std::vector<std::byte> kept;   ///< as they were when they were last synced
    /// The sectors that the next sync writes. A sync that fails forgets them, as that of Linux does.
    std::set<std::size_t> dirty;
    bool locked = false;

    void touch(std::size_t begin, std::size_t end) {
      for (std::size_t sector = begin / 512; sector * 512 < end; ++sector) dirty.insert(sector);
    }
    /// Makes the kept bytes of a sector what the system shows.
    void keep(std::size_t sector) {
      const std::size_t begin = 512 * sector;
      if (begin >= bytes.size()) return;
      const auto at = static_cast<std::ptrdiff_t>(begin);
      const auto count = static_cast<std::ptrdiff_t>(std::min<std::size_t>(512, bytes.size() - begin));
      std::copy_n(bytes.begin() + at, count, kept.begin() + at);
    }
  };
  using Files = std::map<std::string, std::shared_ptr<File>, std::less<>>;

  /// What happens at call number `at` of those that change or sync something, counted from 1.
  struct Fault {
    std::uint64_t at = 0;
    int error = EIO;
    bool dies = false;             ///< and nothing changes any more, until `revive`
    unsigned written_percent = 0;  ///< of a write, before that
  };

  static constexpr std::uint64_t file_size_max = 1 << 20;

  Files names;
  Fault fault;
  bool interrupts = false;    ///< every other call is interrupted
  bool short_writes = false;  ///< of 1 to 70 bytes
  bool allocates = true;      ///< whether the file system can
  std::uint64_t calls = 0;
  std::uint64_t syncs = 0;

  /// What a new process finds.
  void revive() {
    for (auto& [name, file] : names) file->locked = false;
    fault = {};
    dead_ = false;
    calls = 0;
  }

  /// What a new process finds after the machine has failed: of every sector and name that was not synced, by
  /// chance the old or the new one.
  void lose_power(Random& random) {
    Files found;
    for (const Files* files : {&kept_names_, &names}) {
      const Files& others = files == &names ? kept_names_ : names;
      for (const auto& [name, file] : *files) {
        if (others.contains(name) || random.chance(50)) found[name] = file;
      }
    }
    for (auto& [name, file] : found) {
      const std::size_t size = random.chance(50) ? file->bytes.size() : file->kept.size();
      file->bytes.resize(size);
      file->kept.resize(size);
      for (const std::size_t sector : file->dirty) {
        if (random.chance(50)) file->keep(sector);
      }
      file->dirty.clear();
      file->bytes = file->kept;
    }
    names = kept_names_ = found;
    revive();
  }

  // ---- The calls of a `FileSystem`.

  std::int64_t open(int, const char* path, int flags) {
    const std::string name = name_in(path);
    if (dead_) return -EIO;
    if (name.empty()) return opened(nullptr);
    const auto known = names.find(name);
    const bool creates = known == names.end() && (flags & O_CREAT) != 0;
    if (known == names.end() && !creates) return -ENOENT;
    if (known != names.end() && (flags & O_EXCL) != 0) return -EEXIST;
    if (creates || (flags & O_TRUNC) != 0) {
      if (const int error = changes()) return error;
    }
    if (creates) names[name] = std::make_shared<File>();
    File& file = *names[name];
    if ((flags & O_TRUNC) != 0) file.bytes.clear();
    return opened(names[name]);
  }
  std::int64_t close(int file) {
    if (locker_ == file) open_[static_cast<std::size_t>(file)]->locked = false;
    if (locker_ == file) locker_ = -1;
    open_[static_cast<std::size_t>(file)] = nullptr;
    return 0;
  }
  std::int64_t read(int file, std::span<std::byte> room, std::uint64_t offset) {
    const std::vector<std::byte>& bytes = at(file).bytes;
    const std::size_t begin = std::min<std::size_t>(offset, bytes.size());
    const std::size_t size = std::min(room.size(), bytes.size() - begin);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(begin), size, room.begin());
    return static_cast<std::int64_t>(size);
  }
  std::int64_t write(int file, std::span<const std::byte> bytes, std::uint64_t offset) {
    const int error = changes();
    if (error != 0 && (error == -EINTR || dead_before_)) return error;
    std::size_t size = bytes.size();
    if (error != 0) size = size * fault.written_percent / 100;
    if (error == 0 && short_writes) size = std::min<std::size_t>(size, 1 + random_.below(70));
    std::vector<std::byte>& all = at(file).bytes;
    if (size != 0) {
      all.resize(std::max<std::size_t>(all.size(), offset + size));
      std::copy_n(bytes.begin(), size, all.begin() + static_cast<std::ptrdiff_t>(offset));
    }
    at(file).touch(offset, offset + size);
    return error != 0 ? error : static_cast<std::int64_t>(size);
  }
  std::int64_t allocate(int file, std::uint64_t size) {
    if (const int error = changes()) return error;
    if (!allocates) return -EOPNOTSUPP;
    if (size > file_size_max) return -ENOSPC;
    std::vector<std::byte>& bytes = at(file).bytes;
    bytes.resize(std::max<std::size_t>(bytes.size(), size));
    return 0;
  }
  std::int64_t truncate(int file, std::uint64_t size) {
    if (const int error = changes()) return error;
    at(file).touch(size, std::max<std::size_t>(size, at(file).bytes.size()));
    at(file).bytes.resize(size);
    return 0;
  }
  std::int64_t sync_data(int file) {
    ++syncs;
    const int error = changes();
    if (error == -EINTR || dead_) return error;
    if (error == 0) {
      at(file).kept.resize(at(file).bytes.size());
      for (const std::size_t sector : at(file).dirty) at(file).keep(sector);
    }
    at(file).dirty.clear();
    return error;
  }
  std::int64_t sync(int file) {
    if (open_[static_cast<std::size_t>(file)] != nullptr) return sync_data(file);
    if (const int error = changes()) return error;
    kept_names_ = names;
    return 0;
  }
  std::int64_t lock(int file) {
    if (at(file).locked) return -EWOULDBLOCK;
    at(file).locked = true;
    locker_ = file;
    return 0;
  }
  std::int64_t rename(const char* from, const char* to) {
    if (const int error = changes()) return error;
    auto moved = names.extract(name_in(from));
    if (moved.empty()) return -ENOENT;
    names[name_in(to)] = moved.mapped();
    return 0;
  }
  std::int64_t remove(const char* path) {
    if (const int error = changes()) return error;
    return names.erase(name_in(path)) == 1 ? 0 : -ENOENT;
  }
  template <class Visit>
  std::int64_t list(const char*, Visit&& visit) {
    for (const auto& [name, file] : names) visit(std::string_view(name));
    return 0;
  }

 private:
  /// Counts a call, and is what it returns if it fails before it changes anything.
  int changes() {
    dead_before_ = dead_;
    if (dead_) return -EIO;
    if (interrupts && (interrupted_ = !interrupted_)) return -EINTR;
    if (++calls != fault.at) return 0;
    dead_ = fault.dies;
    return -fault.error;
  }

  static std::string name_in(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

  std::int64_t opened(std::shared_ptr<File> file) {
    open_.push_back(std::move(file));
    return static_cast<std::int64_t>(open_.size()) - 1;
  }
  File& at(int file) { return *open_[static_cast<std::size_t>(file)]; }

  Files kept_names_;
  std::vector<std::shared_ptr<File>> open_;
  int locker_ = -1;
  bool dead_ = false;
  bool dead_before_ = false;
  bool interrupted_ = false;
  Random random_{20};
};

/// The calls to such a disk as the journal makes them.
struct FaultyFiles {
  FaultyDisk* disk = nullptr;

  auto open(int directory, const char* path, int flags) { return disk->open(directory, path, flags); }
  auto close(int file) { return disk->close(file); }
  auto read(int file, std::span<std::byte> room, std::uint64_t offset) { return disk->read(file, room, offset); }
  auto write(int file, std::span<const std::byte> bytes, std::uint64_t offset) {
    return disk->write(file, bytes, offset);
  }
  auto allocate(int file, std::uint64_t size) { return disk->allocate(file, size); }
  auto truncate(int file, std::uint64_t size) { return disk->truncate(file, size); }
  auto sync_data(int file) { return disk->sync_data(file); }
  auto sync(int file) { return disk->sync(file); }
  auto lock(int file) { return disk->lock(file); }
  auto rename(const char* from, const char* to) { return disk->rename(from, to); }
  auto remove(const char* path) { return disk->remove(path); }
  template <class Visit>
  auto list(const char* path, Visit&& visit) {
    return disk->list(path, visit);
  }
};

}  // namespace llmes::test
