// SPDX-License-Identifier: MIT
#include "bench/harness/allocation_counter.hpp"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint64_t> calls = 0;
std::atomic<std::uint64_t> bytes = 0;

/// Not an atomic increment, which would slow down the books that allocate.
void add(std::atomic<std::uint64_t>& count, std::uint64_t more) noexcept {
  count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
}

bool watched = false;     // by a HeapPeak
std::ptrdiff_t held = 0;  // bytes on the heap beyond those at its start
std::ptrdiff_t peak = 0;

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  add(calls, 1);
  add(bytes, size);
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;  // aligned_alloc requires it
  if (rounded < size) return nullptr;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (watched) peak = std::max(peak, held += static_cast<std::ptrdiff_t>(malloc_usable_size(memory)));
  return memory;
}
void free_block(void* memory) noexcept {
  if (watched) held -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  std::free(memory);
}
void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  if (void* memory = allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}
constexpr std::size_t usual = alignof(std::max_align_t);

}  // namespace

namespace llmes::bench {
std::uint64_t allocation_count() noexcept {
  return calls;
}
std::uint64_t allocated_bytes() noexcept {
  return bytes;
}

HeapPeak::HeapPeak() noexcept {
  watched = true;
  held = peak = 0;
}
HeapPeak::~HeapPeak() {
  watched = false;
}
std::size_t HeapPeak::bytes() const noexcept {
  return static_cast<std::size_t>(peak);
}
}  // namespace llmes::bench

// The array forms call these by default.
void* operator new(std::size_t size) {
  return allocate_or_throw(size, usual);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, usual);
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  free_block(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  free_block(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  free_block(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  free_block(memory);
}
