// SPDX-License-Identifier: MIT
//
// Order entry by OUCH over SoupBinTCP.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec.hpp"
#include "examples/exchange/gateway.hpp"
#include "examples/exchange/mailbox.hpp"
#include "examples/exchange/message_log.hpp"
#include "examples/exchange/protocol.hpp"
#include "examples/exchange/soup/session.hpp"

namespace exchange {

/// The messages of a user in a day.
class OuchView final : public View {
 public:
  void told(const Outcome& outcome) override {
    const auto send = [this](std::span<const std::byte> message) { messages.append(message); };
    if (outcome.kind == OutcomeKind::Quoted || outcome.kind == OutcomeKind::MassQuoted)
      return write_ouch_quotes(outcome, quotes_, send);
    write_ouch(outcome, send);
  }

  MessageLog messages;

 private:
  std::vector<std::byte> quotes_;  ///< the answer to a mass quote, as far as it is told
};

/// What a message of a client means now; nothing if it is none of OUCH.
[[nodiscard]] inline std::optional<Entry> read_ouch(const Gateway& gateway, const Client& client,
                                                    std::span<const std::byte> message) {
  OuchReader reader(gateway, client.user.id, client.user.account, client.user.self_trade, gateway.wall());
  std::optional<Entry> record = reader.read(message);
  if (record && record->command.expiry != 0) record->command.expiry = gateway.from_wall(record->command.expiry);
  return record;
}

class OuchSession final : public SoupSession<ChosenMessages<MessageLog>> {
 public:
  OuchSession(Gateway& gateway, Nanoseconds now, std::size_t longest)
      : SoupSession(gateway, now, longest, &Client::session) {}

  [[nodiscard]] bool has_kept() const noexcept override { return kept_.has_value(); }

 private:
  void enter_kept() override {
    if (!has_kept()) return;
    const Entry record = *std::exchange(kept_, {});
    if (takes_messages()) offer(record);
  }
  void enter(std::span<const std::byte> bytes) override {
    if (!takes_messages()) return;
    const std::string_view type(reinterpret_cast<const char*>(bytes.data()), bytes.empty() ? 0 : 1);
    if (type == "C" || type == "i") left_ = 0;  // these may take long: others have their turn next
    if (const std::optional<Entry> record = read_ouch(gateway_, *client_, bytes)) return offer(*record);
    bad_ = "it sent what is no message of OUCH: type '" + printable(type) + "', length " +
           std::to_string(bytes.size());
  }
  void offer(const Entry& record) {
    if (gateway_.offer(*client_, record) == Offer::Waits) kept_ = record;
  }
  /// What a connection sends after its day nobody would answer.
  [[nodiscard]] bool takes_messages() const { return is_of_today() && !gateway_.day_ends(); }
  void choose_messages(Client& client) override {
    store_.choose({client.mailbox, &client.mailbox->view<OuchView>()->messages});
  }

  std::optional<Entry> kept_;  ///< a message that waits
};

class OuchDoor final : public Door {
 public:
  OuchDoor(Gateway& gateway, const DoorConfig& config) : gateway_(gateway), longest_(config.message_length) {}
  [[nodiscard]] std::unique_ptr<Session> connect(Nanoseconds now) override {
    return std::make_unique<OuchSession>(gateway_, now, longest_);
  }

 private:
  Gateway& gateway_;
  std::size_t longest_;
};

inline constexpr Protocol ouch_protocol{
    .name = "orders",
    .flag = "--port",
    .help = "of order entry (0: a free one, as for all ports; it says which)",
    .is_always_open = true,
    .make_view = [](const User&) -> std::unique_ptr<View> { return std::make_unique<OuchView>(); },
    .make_door = [](Gateway& gateway, const DoorConfig& config) -> std::unique_ptr<Door> {
      return std::make_unique<OuchDoor>(gateway, config);
    }};

}  // namespace exchange
