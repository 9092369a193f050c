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
#include <limits>
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

  static constexpr std::uint64_t file_size_max = 1 << 23;

  Files names;
  std::uint64_t size = std::uint64_t{1} << 40;  ///< of the disk, in bytes
  Fault fault;
  bool interrupts = false;    ///< every other call is interrupted
  bool short_writes = false;  ///< of 1 to 70 bytes
  bool allocates = true;      ///< whether the file system can
  bool tells_room = true;     ///< whether it says how much is left
  std::uint64_t calls = 0;
  std::uint64_t syncs = 0;

  /// What a new process finds.
  void revive() {
    locks_.clear();
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

  /// What no file has, not even one that is open and has no name any more.
  [[nodiscard]] std::uint64_t left() const {
    std::set<const File*> files;
    for (const auto& [name, file] : names) files.insert(file.get());
    for (const auto& file : open_) files.insert(file.get());
    std::uint64_t used = 0;
    for (const File* file : files) used += file == nullptr ? 0 : file->bytes.size();
    return size - std::min(size, used);
  }

  // ---- The calls of `SystemFiles`.

  std::int64_t open(int, const char* path, int flags) {
    const std::string name(path);
    if (dead_) return -EIO;
    if ((flags & O_DIRECTORY) != 0) return opened(nullptr);
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
    std::erase_if(locks_, [file](const auto& lock) { return lock.second == file; });
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
    std::size_t count = bytes.size();
    if (error != 0) count = count * fault.written_percent / 100;
    if (error == 0 && short_writes) count = std::min<std::size_t>(count, 1 + random_.below(70));
    std::vector<std::byte>& all = at(file).bytes;
    if (offset + count > all.size() && offset + count - all.size() > left()) return -ENOSPC;
    if (count != 0) {
      all.resize(std::max<std::size_t>(all.size(), offset + count));
      std::copy_n(bytes.begin(), count, all.begin() + static_cast<std::ptrdiff_t>(offset));
    }
    at(file).touch(offset, offset + count);
    return error != 0 ? error : static_cast<std::int64_t>(count);
  }
  /// On a disk that is too small it takes all that is left, and fails.
  std::int64_t allocate(int file, std::uint64_t end) {
    if (const int error = changes()) return error;
    if (!allocates) return -EOPNOTSUPP;
    if (end > file_size_max) return -ENOSPC;
    std::vector<std::byte>& bytes = at(file).bytes;
    const std::uint64_t more = end - std::min<std::uint64_t>(end, bytes.size());
    const std::uint64_t taken = std::min(more, left());
    bytes.resize(bytes.size() + taken);
    return taken == more ? 0 : -ENOSPC;
  }
  std::int64_t truncate(int file, std::uint64_t end) {
    if (const int error = changes()) return error;
    at(file).touch(end, std::max<std::size_t>(end, at(file).bytes.size()));
    at(file).bytes.resize(end);
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
    return locks_.try_emplace(open_[static_cast<std::size_t>(file)].get(), file).second ? 0 : -EWOULDBLOCK;
  }
  std::int64_t size_of(int file) { return static_cast<std::int64_t>(at(file).bytes.size()); }
  /// A sector of zeros is a hole.
  std::int64_t hole(int file, std::uint64_t offset) { return first_sector(file, offset, false); }
  std::int64_t data(int file, std::uint64_t offset) { return first_sector(file, offset, true); }
  std::int64_t rename(int, const char* from, const char* to) {
    if (const int error = changes()) return error;
    auto moved = names.extract(from);
    if (moved.empty()) return -ENOENT;
    names[to] = moved.mapped();
    return 0;
  }
  std::int64_t remove(int, const char* path) {
    if (const int error = changes()) return error;
    return names.erase(path) == 1 ? 0 : -ENOENT;
  }
  template <class Visit>
  std::int64_t list(int, Visit&& visit) {
    for (const auto& [name, file] : names) visit(std::string_view(name));
    return 0;
  }
  std::int64_t free_room(int) {
    return tells_room ? static_cast<std::int64_t>(left()) : std::numeric_limits<std::int64_t>::max();
  }
  std::int64_t random(std::span<std::byte> room) {
    for (std::byte& byte : room) byte = static_cast<std::byte>(numbers_.below(256));
    return static_cast<std::int64_t>(room.size());
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

  std::int64_t first_sector(int file, std::uint64_t offset, bool has_data) {
    const std::span<const std::byte> bytes = at(file).bytes;
    if (offset >= bytes.size()) return -ENXIO;
    for (std::uint64_t begin = offset; begin < bytes.size(); begin = (begin / 512 + 1) * 512) {
      const auto sector = bytes.subspan(begin, std::min<std::size_t>(512 - begin % 512, bytes.size() - begin));
      const auto is_zero = [](std::byte byte) { return byte == std::byte{}; };
      if (std::ranges::all_of(sector, is_zero) != has_data) return static_cast<std::int64_t>(begin);
    }
    return has_data ? -ENXIO : static_cast<std::int64_t>(bytes.size());
  }
  std::int64_t opened(std::shared_ptr<File> file) {
    open_.push_back(std::move(file));
    return static_cast<std::int64_t>(open_.size()) - 1;
  }
  File& at(int file) { return *open_[static_cast<std::size_t>(file)]; }

  Files kept_names_;
  std::vector<std::shared_ptr<File>> open_;
  std::map<const File*, int> locks_;  ///< by what was opened; that of the directory by nothing
  bool dead_ = false;
  bool dead_before_ = false;
  bool interrupted_ = false;
  Random random_{20};
  Random numbers_{21};
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
  auto size(int file) { return disk->size_of(file); }
  auto hole(int file, std::uint64_t offset) { return disk->hole(file, offset); }
  auto data(int file, std::uint64_t offset) { return disk->data(file, offset); }
  auto rename(int directory, const char* from, const char* to) { return disk->rename(directory, from, to); }
  auto remove(int directory, const char* path) { return disk->remove(directory, path); }
  template <class Visit>
  auto list(int directory, Visit&& visit) {
    return disk->list(directory, visit);
  }
  auto free_room(int directory) { return disk->free_room(directory); }
  auto random(std::span<std::byte> room) { return disk->random(room); }
};

}  // namespace llmes::test
