// SPDX-License-Identifier: MIT
//
// The messages of a session in memory, as the sessions of llmes/wire read them: they never move.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace exchange {

class MessageLog {
 public:
  /// @param message at most 4,094 bytes
  void append(std::span<const std::byte> message) {
    const auto size = static_cast<std::uint16_t>(message.size());
    if (sizeof(size) + size > free_.size()) {
      const std::size_t more = blocks_.empty() ? std::size_t{4'096} : std::size_t{1} << 20;
      blocks_.push_back(std::make_unique<std::byte[]>(more));
      free_ = std::span(blocks_.back().get(), more);
    }
    std::memcpy(free_.data(), &size, sizeof(size));
    std::ranges::copy(message, free_.begin() + sizeof(size));
    messages_.push_back(free_.data());
    free_ = free_.subspan(sizeof(size) + size);
  }
  [[nodiscard]] std::size_t size() const noexcept { return messages_.size(); }
  [[nodiscard]] std::span<const std::byte> operator[](std::size_t index) const noexcept {
    const std::byte* const message = messages_[index];
    std::uint16_t size = 0;
    std::memcpy(&size, message, sizeof(size));
    return {message + sizeof(size), size};
  }

 private:
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::span<std::byte> free_;
  std::deque<const std::byte*> messages_;  ///< each begins with its size
};

/// Messages that are chosen late; before that there are none.
template <class Log>
class ChosenMessages {
 public:
  void choose(std::shared_ptr<const Log> log) noexcept { log_ = std::move(log); }
  [[nodiscard]] std::size_t size() const noexcept { return log_ == nullptr ? 0 : log_->size(); }
  [[nodiscard]] std::span<const std::byte> operator[](std::size_t index) const noexcept { return (*log_)[index]; }

 private:
  std::shared_ptr<const Log> log_;
};

}  // namespace exchange
