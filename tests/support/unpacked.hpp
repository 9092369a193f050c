// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "examples/support/packed_file.hpp"

namespace llmes::test {

/// All bytes of a file, unpacked if it is packed. Throws with words if that cannot be done.
inline std::vector<std::byte> unpacked(const std::filesystem::path& path) {
  std::string why;
  std::optional<PackedFile> file = PackedFile::open(path.string(), why);
  if (!file) throw std::runtime_error(path.string() + ": " + why);
  std::vector<std::byte> bytes;
  std::vector<std::byte> room(1 << 20);
  while (true) {
    const std::optional<std::size_t> size = file->read(room, why);
    if (!size) throw std::runtime_error(path.string() + ": " + why);
    if (*size == 0) return bytes;
    bytes.insert(bytes.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*size));
  }
}

}  // namespace llmes::test

/// Skips the test, with words, in a program without libzstd, which the real files are packed by.
#ifdef LLMES_HAS_ZSTD
#define LLMES_NEEDS_ZSTD() static_cast<void>(0)
#else
#define LLMES_NEEDS_ZSTD() GTEST_SKIP() << "the file is packed by zstd, and there is no libzstd"
#endif
