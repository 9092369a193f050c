// SPDX-License-Identifier: MIT
//
// ITCH 5.0: messages and frames, byte for byte.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>

#include "llmes/itch/framing.hpp"

namespace llmes::itch {
namespace {

TEST(ItchFrames, AreReadAsTheyWereWritten) {
  std::array<std::byte, 64> room{};
  FrameWriter writer(room);
  EXPECT_EQ(writer.append(OrderDelete{.header = {}, .reference = Reference{7}}), WriteStatus::Success);
  EXPECT_EQ(writer.append(SystemEvent{}), WriteStatus::Success);
  EXPECT_EQ(writer.append(AddOrder{}), WriteStatus::Full);
  EXPECT_EQ(writer.append_end(), WriteStatus::Success);
  EXPECT_EQ(writer.written().size(), 2U + 19 + 2 + 12 + 2);

  FrameReader reader(writer.written());
  std::array<MessageBytes, 4> messages;
  const std::span<const MessageBytes> read = reader.read(messages);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(reader.status(), FramingStatus::Success);
  EXPECT_EQ(reader.offset(), 35U);
  const auto check = [](const OrderDelete& message) { EXPECT_EQ(message.reference, Reference{7}); };
  EXPECT_EQ(decode(read[0], check), DecodeStatus::Success);
  EXPECT_EQ(read[1].size(), 12U);
}

}  // namespace
}  // namespace llmes::itch
