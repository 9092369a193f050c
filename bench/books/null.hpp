// SPDX-License-Identifier: MIT
//
// No book at all: the dispatch on the kind of a command and nothing behind it. A floor under every row, not a
// part to subtract: a processor overlaps the mispredicted dispatch with the work of a book.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "llmes/llmes.hpp"

namespace llmes::bench {

template <std::size_t PriceLevels>
class NullBook {
 public:
  static std::optional<NullBook> create(const BookConfig&) { return NullBook(); }

  template <TradeSink Sink>
  Result apply(const Command& command, Sink&&) noexcept {
    switch (command.type) {
      case CommandType::AddLimit: use(command.price); break;
      case CommandType::AddMarket: use(command.quantity); break;
      case CommandType::Cancel: use(command.handle.index); break;
      case CommandType::Modify: use(command.handle.generation); break;
      case CommandType::Reduce: use(command.id); break;
    }
    return {};
  }

  [[nodiscard]] std::size_t size() const noexcept { return 0; }

 private:
  /// Pretends to need `value`, so that the cases stay apart and the dispatch stays a jump.
  template <class T>
  static void use(T value) noexcept {
    asm volatile("" : : "r"(value));
  }
};

}  // namespace llmes::bench
