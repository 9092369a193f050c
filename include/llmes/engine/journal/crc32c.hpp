// SPDX-License-Identifier: MIT
//
// CRC32C, the checksum of records and headers: it finds every error of one bit, two bits, or a burst of up to 32.
// By an instruction, detected at run time on x86-64 and at compile time on ARM, or else by tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#if defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Folds bytes into a checksum by tables, eight bytes at a time. Works everywhere.
struct Crc32cByTable {
  /// `tables[n][b]` is the checksum of byte `b` followed by `n` zero bytes.
  static constexpr auto tables = [] {
    std::array<std::array<std::uint32_t, 256>, 8> made{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      std::uint32_t crc = byte;
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f6'3b78U : 0U);
      made[0][byte] = crc;
    }
    for (std::size_t n = 1; n < 8; ++n) {
      for (std::size_t byte = 0; byte < 256; ++byte) {
        const std::uint32_t before = made[n - 1][byte];
        made[n][byte] = (before >> 8) ^ made[0][before & 0xff];
      }
    }
    return made;
  }();

  [[nodiscard]] static constexpr std::uint32_t fold(std::uint32_t crc, std::uint64_t word) noexcept {
    word ^= crc;
    std::uint32_t folded = 0;
    for (std::size_t i = 0; i < 8; ++i) folded ^= tables[7 - i][(word >> (8 * i)) & 0xff];
    return folded;
  }
  [[nodiscard]] static constexpr std::uint32_t fold_byte(std::uint32_t crc, std::uint8_t byte) noexcept {
    return (crc >> 8) ^ tables[0][(crc ^ byte) & 0xff];
  }
};

#if defined(__x86_64__)
#define LLMES_CRC32C_TARGET [[gnu::target("sse4.2")]]
struct Crc32cByInstruction {
  [[nodiscard]] static bool available() noexcept { return __builtin_cpu_supports("sse4.2") != 0; }
  LLMES_CRC32C_TARGET [[nodiscard]] static std::uint32_t fold(std::uint32_t crc, std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(__builtin_ia32_crc32di(crc, word));
  }
};
#elif defined(__ARM_FEATURE_CRC32)
#define LLMES_CRC32C_TARGET
struct Crc32cByInstruction {
  [[nodiscard]] static constexpr bool available() noexcept { return true; }
  [[nodiscard]] static std::uint32_t fold(std::uint32_t crc, std::uint64_t word) noexcept {
    return __crc32cd(crc, word);
  }
};
#else
#define LLMES_CRC32C_TARGET
struct Crc32cByInstruction : Crc32cByTable {
  [[nodiscard]] static constexpr bool available() noexcept { return false; }
};
#endif

/// The checksum of 64-bit words, lowest byte first.
template <class Fold, std::size_t count>
[[nodiscard, gnu::always_inline]] constexpr std::uint32_t crc32c_by(
    const std::array<std::uint64_t, count>& words) noexcept {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const std::uint64_t word : words) crc = Fold::fold(crc, word);
  return ~crc;
}

/// The checksum of bytes that follow others, whose checksum is `before`.
template <class Fold>
[[nodiscard, gnu::always_inline]] constexpr std::uint32_t crc32c_by(std::span<const std::byte> bytes,
                                                                    std::uint32_t before = 0) noexcept {
  std::uint32_t crc = ~before;
  std::size_t i = 0;
  for (; bytes.size() - i >= 8; i += 8) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8; ++k) word |= std::to_integer<std::uint64_t>(bytes[i + k]) << (8 * k);
    crc = Fold::fold(crc, word);
  }
  for (; i < bytes.size(); ++i) crc = Crc32cByTable::fold_byte(crc, std::to_integer<std::uint8_t>(bytes[i]));
  return ~crc;
}

/// The same by the instruction, for which `Crc32cByInstruction::available()` must hold.
template <class Bytes, class... Before>
LLMES_CRC32C_TARGET [[nodiscard]] inline std::uint32_t crc32c_by_instruction(const Bytes& bytes,
                                                                             Before... before) noexcept {
  return crc32c_by<Crc32cByInstruction>(bytes, before...);
}

/// The CRC32C of bytes, or of bytes that follow others of the checksum `before`. Linear.
[[nodiscard]] inline std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept {
  return Crc32cByInstruction::available() ? crc32c_by_instruction(bytes, before)
                                          : crc32c_by<Crc32cByTable>(bytes, before);
}

/// The CRC32C of words, lowest byte first: no loop, and one instruction a word where there is one.
template <std::size_t count>
[[nodiscard]] inline std::uint32_t crc32c(const std::array<std::uint64_t, count>& words) noexcept {
  return Crc32cByInstruction::available() ? crc32c_by_instruction(words) : crc32c_by<Crc32cByTable>(words);
}

#undef LLMES_CRC32C_TARGET

}  // namespace llmes::inline LLMES_NAMESPACE
