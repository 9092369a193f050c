// SPDX-License-Identifier: MIT
//
// Requests huge pages for large arrays: random access to plain pages misses the TLB as well as the caches. Linux
// only; plain pages remain where there are no huge ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

#if defined(__linux__)
/// madvise, declared here because <sys/mman.h> would define 62 macros in the user's code.
extern "C" int llmes_madvise(void* address, std::size_t length, int advice) noexcept __asm__("madvise");
#endif

/// Hint: requests huge pages for the whole huge pages that `array` covers.
template <class T>
void prefer_huge_pages([[maybe_unused]] std::span<T> array) noexcept {
#if defined(__linux__)
  constexpr int use_huge_pages = 14;  // MADV_HUGEPAGE
  constexpr std::uintptr_t huge_page = std::uintptr_t{2} << 20;
  const auto begin = reinterpret_cast<std::uintptr_t>(array.data());
  const std::uintptr_t first = (begin + huge_page - 1) / huge_page * huge_page;
  const std::uintptr_t last = (begin + array.size_bytes()) / huge_page * huge_page;
  if (first < last) llmes_madvise(reinterpret_cast<void*>(first), last - first, use_huge_pages);
#endif
}

}  // namespace llmes::inline LLMES_NAMESPACE
