// SPDX-License-Identifier: MIT
//
// The latest trades of a venue by their match numbers, so that they can be undone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <type_traits>

#include "llmes/detail/reset_on_move.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/accounts.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A trade that is kept.
struct LoggedMatch {
  std::uint64_t match = 0;
  Price price = 0;
  Quantity quantity = 0;
  AccountNumber taker = 0;  ///< in an auction, the buyer
  AccountNumber maker = 0;
  BookNumber book = 0;
  Side taker_side = Side::Buy;
  std::uint8_t in_auction = 0;  ///< 1: nobody took
  std::uint8_t busted = 0;      ///< 1: it has been undone
  std::uint8_t unused = 0;

  friend constexpr bool operator==(const LoggedMatch&, const LoggedMatch&) = default;
};
static_assert(std::has_unique_object_representations_v<LoggedMatch>);

/// Gives trades their numbers, 1 for the first, and keeps the latest ones.
class MatchLog {
 public:
  /// Keeps `size` trades. Where memory is refused, it keeps none.
  explicit MatchLog(std::size_t size) noexcept
      : matches_(new(std::nothrow) LoggedMatch[size]), size_(matches_ == nullptr ? 0 : size) {}
  [[nodiscard]] bool allocated() const noexcept { return matches_ != nullptr; }

  /// Numbers a trade and keeps it; the oldest makes room.
  std::uint64_t add(LoggedMatch match) noexcept {
    match.match = ++last_;
    if (size_ != 0) matches_[last_ % size_] = match;
    return last_;
  }
  /// The trade of that number, if it is kept. Constant.
  [[nodiscard]] LoggedMatch* find(std::uint64_t match) noexcept {
    if (match == 0 || size_ == 0 || matches_[match % size_].match != match) return nullptr;
    return &matches_[match % size_];
  }
  [[nodiscard]] std::optional<LoggedMatch> at(std::uint64_t match) const noexcept {
    const LoggedMatch* const found = const_cast<MatchLog*>(this)->find(match);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }

  /// Whether its state is one that calls can lead to, if it comes from an untrusted image. Linear in its size.
  [[nodiscard]] bool holds() const noexcept {
    for (std::size_t i = 0; i < size_; ++i) {
      const LoggedMatch& kept = matches_[i];
      const std::uint64_t age = (last_ + size_ - i) % size_;  // of the trade that has this place
      if (kept != LoggedMatch{} && (age >= last_ || kept.match != last_ - age)) return false;
      if (kept == LoggedMatch{} && age < last_) return false;
      if (kept.taker_side > Side::Sell || kept.in_auction > 1 || kept.busted > 1) return false;
    }
    return true;
  }

  /// Its state, part by part, for an image.
  static void visit_state(auto& self, auto& visit) noexcept {
    visit(std::span(self.matches_.get(), self.size_.get()), self.last_);
  }

 private:
  std::unique_ptr<LoggedMatch[]> matches_;
  detail::ResetOnMove<std::size_t> size_;
  std::uint64_t last_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE
