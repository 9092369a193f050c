// SPDX-License-Identifier: MIT
//
// The messages of a session in memory, and bytes as words for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace llmes::test {

[[nodiscard]] inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}
[[nodiscard]] inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class MessageList {
 public:
  void add(std::string message) { messages_.push_back(std::move(message)); }
  [[nodiscard]] std::size_t size() const { return messages_.size(); }
  [[nodiscard]] std::span<const std::byte> operator[](std::size_t index) const {
    return bytes_of(messages_[index]);
  }
  [[nodiscard]] const std::vector<std::string>& all() const { return messages_; }

 private:
  std::vector<std::string> messages_;
};

}  // namespace llmes::test
