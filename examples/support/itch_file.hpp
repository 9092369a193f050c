// SPDX-License-Identifier: MIT
//
// Files of ITCH messages, as they are or packed, piece by piece.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "llmes/itch.hpp"
#include "llmes/simulator/tape_format.hpp"
#include "packed_file.hpp"

/// Whether the first frame of some bytes is of no type that there is. Then its length is none either, as a rule.
inline bool begins_unknown_message(std::span<const std::byte> bytes) {
  return bytes.size() > 2 && llmes::itch::message_size(bytes[2]) == 0;
}

/// Gives `take` the framed messages of a file in their order, in spans of up to 256, which stand until it returns,
/// for as long as it returns true.
/// `piece_size` bytes of the file are in memory at a time, and no fewer than the largest frame has.
/// @return what is wrong with the file and where; nothing if all that was asked for was read. What came before was
/// given on.
template <class Take>
std::optional<std::string> read_itch_file(const std::string& path, Take take, std::size_t piece_size = 1U << 20U) {
  namespace itch = llmes::itch;
  std::string why;
  const auto fault = [&] { return path + ": " + why; };
  std::optional<PackedFile> file = PackedFile::open(path, why);
  if (!file) return fault();
  std::vector<std::byte> room(std::max(piece_size, itch::frame_size_max));
  std::array<itch::MessageBytes, 256> messages;
  std::uint64_t offset = 0;  // in the file, of what stands first in the room
  std::size_t kept = 0;      // bytes there that the piece before left
  bool is_known = false;     // to be ITCH
  for (;;) {
    const std::optional<std::size_t> size = file->read(std::span(room).subspan(kept), why);
    if (!size) return fault();
    const bool at_end = *size == 0;
    const auto bytes = std::span<const std::byte>(room).first(kept + *size);
    if (!is_known && !bytes.empty()) {
      const std::optional<llmes::TapeFormat> format = llmes::tape_format_of(bytes, at_end);
      kept = bytes.size();
      if (!format) continue;
      why = llmes::tape_format_fault(bytes, *format, llmes::TapeFormat::Itch);
      if (!why.empty()) return fault();
      is_known = true;
    }
    itch::FrameReader reader(bytes);
    for (std::span<const itch::MessageBytes> found = messages; found.size() == messages.size();) {
      found = reader.read(messages);
      if (!found.empty() && !take(found)) return {};
    }
    offset += reader.offset();
    const itch::FramingStatus status = reader.status();
    if (status != itch::FramingStatus::Success && (status != itch::FramingStatus::Truncated || at_end)) {
      const auto rest = bytes.subspan(reader.offset());
      const bool is_garbage = status == itch::FramingStatus::Truncated && begins_unknown_message(rest);
      why.append(is_garbage ? "there is no ITCH 5.0 message behind its length" : words_of(status));
      why.append(", at byte ").append(std::to_string(offset));
      return fault();
    }
    if (at_end) return {};
    kept = bytes.size() - reader.offset();
    std::memmove(room.data(), room.data() + reader.offset(), kept);
  }
}

/// Finds how many symbols the messages of a file are about: their largest locate, and at least 1. Reads all of the
/// file: nothing but the messages themselves says it.
/// @return what is wrong with the file; nothing if it was read.
inline std::optional<std::string> count_symbols(const std::string& path, std::size_t& symbols) {
  namespace itch = llmes::itch;
  symbols = 1;
  return read_itch_file(path, [&](std::span<const itch::MessageBytes> messages) {
    for (const itch::MessageBytes message : messages) {
      static_cast<void>(itch::decode(message, [&](const auto& any) {
        symbols = std::max(symbols, static_cast<std::size_t>(any.header.locate.value()));
      }));
    }
    return true;
  });
}
