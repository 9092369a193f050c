// SPDX-License-Identifier: MIT
//
// Messages of OUCH to the exchange, and back, without a session.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "examples/exchange/ouch/session.hpp"

namespace exchange {

[[nodiscard]] inline const MessageLog& messages_of(const Mailbox& mailbox) {
  return mailbox.view<OuchView>()->messages;
}
/// Sends what a message of a client means, unless nobody would be told. It never waits.
/// @return false if it is no such message
[[nodiscard]] inline bool enter_ouch(Gateway& gateway, const Client& client, std::span<const std::byte> message) {
  const std::optional<Entry> record = read_ouch(gateway, client, message);
  if (record && !client.sent.is_silent(*record)) gateway.submit(*record);
  return record.has_value();
}

}  // namespace exchange
