// SPDX-License-Identifier: MIT
//
// NASDAQ TotalView-ITCH 5.0, both ways: every message, byte for byte, and the frames that they come in.
//
// Received bytes become messages without a copy: FrameReader or MessageReader says where each one stands, and
// decode() gives it to a handler as a struct that lies over its bytes; order_fields() reads those about orders,
// all in one form, for who takes millions of them. A message to be sent is such a struct filled in; FrameWriter
// puts it into room of the caller's.
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
#include "llmes/itch/fields.hpp"
#include "llmes/itch/framing.hpp"
#include "llmes/itch/messages.hpp"
#include "llmes/itch/order_fields.hpp"
