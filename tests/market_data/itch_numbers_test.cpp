// SPDX-License-Identifier: MIT
//
// The numbers of ITCH by themselves: how many orders have one, and images of them that may come from anybody. What
// they are: itch_restart_test.cpp.
#include "llmes/market_data/itch_sink.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "llmes/engine/snapshot/image.hpp"
#include "tests/support/print.hpp"

namespace llmes::test {
namespace {

using Bytes = std::vector<std::byte>;

template <class Object>
Bytes image_of(const Object& object) {
  Bytes image;
  EXPECT_TRUE(write_image(object, [&](std::span<const std::byte> bytes) {
    image.insert(image.end(), bytes.begin(), bytes.end());
    return true;
  }));
  return image;
}
template <class Object>
void restore(Object& object, const Bytes& image) {
  auto at = image.begin();
  ASSERT_EQ(read_image(object, image.size(),
                       [&](std::span<std::byte> bytes) {
                         std::copy_n(at, bytes.size(), bytes.begin());
                         at += static_cast<std::ptrdiff_t>(bytes.size());
                         return true;
                       }),
            ImageStatus::Success);
}

/// Any one number of an image is another: it is refused, or all references are where they are looked for.
TEST(ItchNumbersImage, OfAnybodyIsRefusedOrSafe) {
  constexpr std::size_t capacity = 4;
  constexpr std::array<std::uint64_t, 5> values{0, 1, 2, 9, ~std::uint64_t{0}};
  CreateStatus status{};
  auto numbers = *ItchNumbers::create(capacity, status);
  for (std::uint32_t i = 1; i <= 3; ++i) (void)numbers.add({i, 1});
  std::vector<OrderHandle> handles;
  for (const std::uint64_t value : values) handles.push_back(OrderHandle::from_value(value));
  for (std::uint32_t i = 0; i < 20; ++i) handles.push_back({i, 1});
  const Bytes image = image_of(numbers);
  std::size_t refused = 0, taken = 0;
  for (std::size_t at = 8; at + 8 <= image.size(); at += 8) {
    for (const std::uint64_t value : values) {
      Bytes forged = image;
      const auto bytes = std::as_bytes(std::span(&value, 1));
      std::ranges::copy(bytes, forged.begin() + static_cast<std::ptrdiff_t>(at));
      auto other = *ItchNumbers::create(capacity, status);
      restore(other, forged);
      if (!other.holds()) {
        ++refused;
        continue;
      }
      ++taken;
      const auto has = [&](OrderHandle handle) { return other.find(handle) != ItchNumbers::none; };
      ASSERT_EQ(static_cast<std::size_t>(std::ranges::count_if(handles, has)), other.size()) << at << ' ' << value;
      for (const OrderHandle handle : handles) {
        if (!has(handle)) (void)other.add(handle);
      }
      ASSERT_EQ(other.size(), capacity);
      for (const OrderHandle handle : handles) other.remove(handle);
      ASSERT_EQ(other.size(), 0u);
    }
  }
  EXPECT_GT(refused, 40u);
  EXPECT_GT(taken, 5u);
}

TEST(ItchSinkImage, WithATickOfNothingIsRefused) {
  CreateStatus status{};
  auto sink = *ItchSink<std::function<void(itch::MessageBytes)>>::create(
      {.books = 1, .capacity = 1}, [](itch::MessageBytes) {}, status);
  EXPECT_TRUE(sink.holds());
  sink.directory(0, "ABC", 123'456'789);
  Bytes image = image_of(sink);
  const std::uint32_t tick = 123'456'789;
  const auto found = std::ranges::search(image, std::as_bytes(std::span(&tick, 1)));
  ASSERT_EQ(found.size(), 4u);
  std::ranges::fill(found, std::byte{0});
  restore(sink, image);
  EXPECT_FALSE(sink.holds());
}

TEST(ItchNumbersCreate, RefusesWhatCannotBe) {
  CreateStatus status{};
  EXPECT_FALSE(ItchNumbers::create(0, status));
  EXPECT_EQ(status, CreateStatus::InvalidCapacity);
}

TEST(ItchNumbersMoved, HasRoomForNothing) {
  CreateStatus status{};
  auto from = *ItchNumbers::create(4, status);
  EXPECT_EQ(from.add({7, 1}), itch::Reference{1});
  const ItchNumbers to = std::move(from);
  EXPECT_EQ(to.find({7, 1}), itch::Reference{1});
  EXPECT_EQ(from.add({8, 1}), ItchNumbers::none);  // NOLINT(bugprone-use-after-move)
  from.remove({7, 1});
  EXPECT_EQ(from.find({7, 1}), ItchNumbers::none);
  EXPECT_TRUE(from.holds());
  EXPECT_EQ(from.size(), 0u);
}

}  // namespace
}  // namespace llmes::test
