// SPDX-License-Identifier: MIT
//
// A member that a move leaves as it was when it was made without a value. So a class with one needs no move
// constructor of its own to be empty once it is moved from.
#pragma once

#include <utility>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

template <class T>
class ResetOnMove {
 public:
  constexpr ResetOnMove(T value = {}) noexcept : value_(value) {}
  constexpr ResetOnMove(ResetOnMove&& other) noexcept : value_(std::exchange(other.value_, T{})) {}
  constexpr ResetOnMove& operator=(ResetOnMove&& other) noexcept {
    value_ = std::exchange(other.value_, T{});
    return *this;
  }

  /// For templates that take their argument by value: the span of GCC 11.
  [[nodiscard]] constexpr T get() const noexcept { return value_; }
  constexpr operator T&() noexcept { return value_; }
  constexpr operator const T&() const noexcept { return value_; }
  constexpr T* operator->() noexcept { return &value_; }
  constexpr const T* operator->() const noexcept { return &value_; }

  /// Its state, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept { visit(self.value_); }

 private:
  T value_;
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
