// SPDX-License-Identifier: MIT
//
// The messages of a session in memory, as the sessions of llmes/wire read them: they never move.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace exchange {

class MessageLog {
 public:
  void append(std::span<const std::byte> message) {
    if (message.size() > free_.size()) {
      const std::size_t size =
          std::max(message.size(), blocks_.empty() ? std::size_t{4'096} : std::size_t{1} << 20);
      blocks_.push_back(std::make_unique<std::byte[]>(size));
      free_ = std::span(blocks_.back().get(), size);
    }
    std::ranges::copy(message, free_.begin());
    messages_.push_back(free_.first(message.size()));
    free_ = free_.subspan(message.size());
  }
  void clear() noexcept {
    messages_.clear();
    blocks_.clear();
    free_ = {};
  }
  [[nodiscard]] std::size_t size() const noexcept { return messages_.size(); }
  [[nodiscard]] std::span<const std::byte> operator[](std::size_t index) const noexcept {
    return messages_[index];
  }

 private:
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::span<std::byte> free_;
  std::deque<std::span<const std::byte>> messages_;
};

/// Messages of a log that is chosen late; before that there are none.
class ChosenLog {
 public:
  void choose(std::shared_ptr<const MessageLog> log) noexcept { log_ = std::move(log); }
  [[nodiscard]] std::size_t size() const noexcept { return log_ == nullptr ? 0 : log_->size(); }
  [[nodiscard]] std::span<const std::byte> operator[](std::size_t index) const noexcept { return (*log_)[index]; }

 private:
  std::shared_ptr<const MessageLog> log_;
};

}  // namespace exchange
