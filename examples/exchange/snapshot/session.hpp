// SPDX-License-Identifier: MIT
//
// Snapshots of the books over SoupBinTCP, for a reader of the feed that comes late.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "examples/exchange/gateway.hpp"
#include "examples/exchange/message_log.hpp"
#include "examples/exchange/protocol.hpp"
#include "examples/exchange/soup/session.hpp"
#include "llmes/wire.hpp"

namespace exchange {

/// Its messages are those of a snapshot. Then the session ends. A user reads one at a time, so that no one fills
/// the memory with them.
class SnapshotSession final : public SoupSession<ChosenMessages<llmes::glimpse::Snapshot>> {
 public:
  SnapshotSession(Gateway& gateway, Nanoseconds now, std::size_t longest)
      : SoupSession(gateway, now, longest, &Client::reader) {}

 private:
  void enter(std::span<const std::byte>) override {}
  void choose_messages(Client&) override { store_.choose(gateway_.snapshot(now_)); }
  void logged_in() override { close(); }
};

class SnapshotDoor final : public Door {
 public:
  SnapshotDoor(Gateway& gateway, const DoorConfig& config) : gateway_(gateway), longest_(config.message_length) {}
  [[nodiscard]] std::unique_ptr<Session> connect(Nanoseconds now) override {
    return std::make_unique<SnapshotSession>(gateway_, now, longest_);
  }

 private:
  Gateway& gateway_;
  std::size_t longest_;
};

inline constexpr Protocol snapshot_protocol{
    .name = "snapshots",
    .flag = "--snapshot-port",
    .help = "of snapshots",
    .is_always_open = true,
    .make_door = [](Gateway& gateway, const DoorConfig& config) -> std::unique_ptr<Door> {
      return std::make_unique<SnapshotDoor>(gateway, config);
    }};

}  // namespace exchange
