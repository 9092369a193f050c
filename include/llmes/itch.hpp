// SPDX-License-Identifier: MIT
//
// NASDAQ TotalView-ITCH 5.0, reading and writing: every message, byte for byte, and its frames.
//
// Received bytes become messages without a copy. FrameReader or MessageReader finds each message, and decode()
// gives it to a handler as a struct over its bytes. order_fields() reads all messages about orders in one form,
// which is faster for millions of them. To send a message, fill in such a struct; FrameWriter puts it into the
// caller's memory.
//
//     std::array<itch::MessageBytes, 64> messages;
//     itch::FrameReader reader(bytes);
//     for (const itch::MessageBytes& message : reader.read(messages)) {
//       itch::decode(message, [&](const itch::AddOrder& add) { use(add.symbol.view(), add.price); });
//     }
//
// Nothing here knows a book, allocates, or reads a file.
#pragma once

#include "llmes/itch/decode.hpp"
#include "llmes/itch/framing.hpp"
#include "llmes/itch/messages.hpp"
