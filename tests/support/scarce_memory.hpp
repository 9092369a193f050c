// SPDX-License-Identifier: MIT
//
// Refuses memory to a call at any one of its allocations. It replaces the forms of operator new that do not throw,
// which the library uses, and GoogleTest does not. So only one source of a program may include this.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

#include "llmes/types/types.hpp"
#include "tests/support/print.hpp"

namespace llmes::test {

/// How many more allocations succeed before one that is refused.
inline std::uint64_t allocations_to_refusal = std::numeric_limits<std::uint64_t>::max();

/// What `allocate` returns, or nothing if there is no memory or it is refused.
template <class Allocate>
void* allocated_unless_refused(const Allocate& allocate) noexcept {
  if (allocations_to_refusal-- == 0) return nullptr;
  try {
    return allocate();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

/// Calls `create(status)` and refuses one allocation after so many. Not inlined: a compiler may leave out an
/// allocation of which it sees all uses.
template <class Create>
[[gnu::noinline]] auto created_with_a_refusal_after(std::uint64_t allocations, const Create& create,
                                                    CreateStatus& status) {
  allocations_to_refusal = allocations;
  auto made = create(status);
  allocations_to_refusal = std::numeric_limits<std::uint64_t>::max();
  return made;
}

/// Expects that `create`, which makes so many allocations, makes nothing whichever of them is refused, and says
/// why.
template <class Create>
void expect_out_of_memory_at_each_of(std::uint64_t allocations, const Create& create) {
  CreateStatus status{};
  for (std::uint64_t refused = 0; refused < allocations; ++refused) {
    EXPECT_FALSE(created_with_a_refusal_after(refused, create, status).has_value()) << refused;
    EXPECT_EQ(status, CreateStatus::OutOfMemory) << refused;
  }
  EXPECT_TRUE(created_with_a_refusal_after(allocations, create, status).has_value());
  EXPECT_EQ(status, CreateStatus::Success);
}

}  // namespace llmes::test

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return llmes::test::allocated_unless_refused([&] { return ::operator new(size); });
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return llmes::test::allocated_unless_refused([&] { return ::operator new[](size); });
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return llmes::test::allocated_unless_refused([&] { return ::operator new(size, alignment); });
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return llmes::test::allocated_unless_refused([&] { return ::operator new[](size, alignment); });
}
