// SPDX-License-Identifier: MIT
//
// An array of zeros that is allocated once. An array that was moved from, or could not be allocated, refers to one
// zero shared by all such arrays. That zero may be read and never written, so reading needs no test for "empty".
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "llmes/detail/huge_pages.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

template <class T>
class ZeroedArray {
  static_assert(std::is_trivial_v<T>, "allocated without a write, so that huge pages can be asked for first");

 public:
  /// The single zero.
  ZeroedArray() noexcept = default;

  /// Allocates `size` zeros and writes to all of them, so no later call touches a page for the first time.
  explicit ZeroedArray(std::size_t size) noexcept {
    // GCC's `new` ends the program if the size is the largest possible, or a few bytes less.
    constexpr std::size_t size_max = std::size_t{std::numeric_limits<std::ptrdiff_t>::max()} / 2 / sizeof(T);
    if (size == 0 || size > size_max) return;
    owned_ = std::unique_ptr<T[]>(new (std::nothrow) T[size]);
    if (owned_ == nullptr) return;
    data_ = owned_.get();
    size_ = size;
    prefer_huge_pages(std::span(data_, size_));
    std::fill_n(data_, size_, T{});
  }

  ZeroedArray(ZeroedArray&& other) noexcept { *this = std::move(other); }

  ZeroedArray& operator=(ZeroedArray&& other) noexcept {
    owned_ = std::move(other.owned_);
    data_ = std::exchange(other.data_, shared_zero());
    size_ = std::exchange(other.size_, 1);
    return *this;
  }

  [[nodiscard]] bool allocated() const noexcept { return owned_ != nullptr; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }

  [[nodiscard]] T& operator[](std::size_t index) noexcept { return data_[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return data_[index]; }

  void clear() noexcept {
    if (allocated()) std::fill_n(data_, size_, T{});
  }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept {
    visit(std::span(self.owned_.get(), self.allocated() ? self.size_ : 0));
  }

 private:
  static constexpr T zero_{};
  /// Never written.
  [[nodiscard]] static T* shared_zero() noexcept { return const_cast<T*>(&zero_); }

  std::unique_ptr<T[]> owned_;
  T* data_ = shared_zero();
  std::size_t size_ = 1;
};

}  // namespace llmes::inline LLMES_NAMESPACE
