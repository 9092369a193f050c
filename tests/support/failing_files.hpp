// SPDX-License-Identifier: MIT
//
// The calls to a disk in memory, of which any one fails, those that change nothing included, or a read that comes
// to the end of its file too early.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tests/support/faulty_disk.hpp"

namespace llmes::test {

struct FailingFiles {
  /// Which call fails, counted from 1, and how many there were.
  struct Plan {
    std::uint64_t at = 0;
    bool only_ends = false;  ///< call `at` fails only if it is a read, and that finds nothing
    std::uint64_t calls = 0;
  };

  FaultyDisk* disk = nullptr;
  Plan* plan = nullptr;

  auto open(int directory, const char* path, int flags) {
    return unless_failed([&] { return disk->open(directory, path, flags); });
  }
  auto close(int file) { return disk->close(file); }
  std::int64_t read(int file, std::span<std::byte> room, std::uint64_t offset) {
    if (plan->only_ends) return ++plan->calls == plan->at ? 0 : disk->read(file, room, offset);
    return unless_failed([&] { return disk->read(file, room, offset); });
  }
  auto write(int file, std::span<const std::byte> bytes, std::uint64_t offset) {
    return unless_failed([&] { return disk->write(file, bytes, offset); });
  }
  auto allocate(int file, std::uint64_t size) {
    return unless_failed([&] { return disk->allocate(file, size); });
  }
  auto truncate(int file, std::uint64_t size) {
    return unless_failed([&] { return disk->truncate(file, size); });
  }
  auto sync_data(int file) {
    return unless_failed([&] { return disk->sync_data(file); });
  }
  auto sync(int file) {
    return unless_failed([&] { return disk->sync(file); });
  }
  auto lock(int file) {
    return unless_failed([&] { return disk->lock(file); });
  }
  auto size(int file) {
    return unless_failed([&] { return disk->size_of(file); });
  }
  auto hole(int file, std::uint64_t offset) {
    return unless_failed([&] { return disk->hole(file, offset); });
  }
  auto data(int file, std::uint64_t offset) {
    return unless_failed([&] { return disk->data(file, offset); });
  }
  auto rename(int directory, const char* from, const char* to) {
    return unless_failed([&] { return disk->rename(directory, from, to); });
  }
  auto remove(int directory, const char* path) {
    return unless_failed([&] { return disk->remove(directory, path); });
  }
  template <class Visit>
  auto list(int directory, Visit&& visit) {
    return unless_failed([&] { return disk->list(directory, visit); });
  }
  auto free_room(int directory) {
    return unless_failed([&] { return disk->free_room(directory); });
  }
  auto random(std::span<std::byte> room) {
    return unless_failed([&] { return disk->random(room); });
  }

 private:
  template <class Call>
  std::int64_t unless_failed(const Call& call) {
    if (plan->only_ends) return call();
    return ++plan->calls == plan->at ? -EIO : call();
  }
};

}  // namespace llmes::test
