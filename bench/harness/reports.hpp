// SPDX-License-Identifier: MIT
//
// A report of 64 bytes for each result, as a caller of a book would send. Every row that is played by id writes
// these within its timed window, so no row gains by leaving them out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "llmes/book.hpp"

namespace llmes::bench {

struct alignas(64) Report {
  OrderId id;
  std::uint64_t number;  ///< how many reports came before it
  Price price;
  Quantity quantity;
  Quantity filled;
  Quantity remaining;
  Quantity cancelled;
  CommandType type;
  Side side;
  Status status;
  bool kept_place;

  friend bool operator==(const Report&, const Report&) = default;
};
static_assert(sizeof(Report) == 64);

/// The latest reports, as many as fit the first-level cache.
class ReportRing {
 public:
  static constexpr std::size_t size = 1024;

  /// `Message` is a Command or a Request.
  template <class Message>
  [[gnu::always_inline]] void write(const Message& message, const Result& result) {
    reports_[count_ % size] = {message.id,    count_,           message.price,    message.quantity,
                               result.filled, result.remaining, result.cancelled, message.type,
                               message.side,  result.status,    result.kept_place};
    ++count_;
  }

  [[nodiscard]] const std::array<Report, size>& reports() const { return reports_; }

 private:
  std::array<Report, size> reports_{};
  std::uint64_t count_ = 0;
};

}  // namespace llmes::bench
