// SPDX-License-Identifier: MIT
//
// Snapshots of the books over SoupBinTCP, for a reader of the feed that comes late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "examples/exchange/gateway.hpp"
#include "examples/exchange/limits.hpp"
#include "examples/exchange/message_log.hpp"
#include "examples/exchange/protocol.hpp"
#include "examples/exchange/soup/session.hpp"
#include "llmes/market_data.hpp"
#include "llmes/wire.hpp"

namespace exchange {

/// To make a snapshot takes long, so readers share it while the feed brings nothing new, and for a quarter of a
/// second once many have asked.
class SharedSnapshots {
 public:
  using Shared = std::shared_ptr<const llmes::glimpse::Snapshot>;

  explicit SharedSnapshots(const Gateway& gateway) : gateway_(gateway) {}

  /// One for one more reader.
  [[nodiscard]] Shared get(Nanoseconds now) {
    constexpr std::uint64_t burst = 8;
    constexpr Nanoseconds interval = 250'000'000;
    const bool is_new = shared_ == nullptr || of_ != gateway_.feed();
    const bool is_same = !is_new && at_ == gateway_.feed()->size();
    if (is_same || (!is_new && asked_.next(burst, interval) > now)) return shared_;
    asked_.take(interval, now);
    const auto made = std::make_shared<llmes::glimpse::Snapshot>();
    made->finish(gateway_.snapshot([&made](llmes::itch::MessageBytes message) { made->add(message); }));
    of_ = gateway_.feed();
    at_ = of_->size();
    return shared_ = made;
  }

 private:
  const Gateway& gateway_;
  Bucket asked_;
  Shared shared_;
  std::shared_ptr<MessageLog> of_;  ///< the feed of its day
  std::size_t at_ = 0;              ///< messages of that feed
};

/// Its messages are those of a snapshot. Then the session ends. A user reads one at a time, so that no one fills
/// the memory with them.
class SnapshotSession final : public SoupSession<ChosenMessages<llmes::glimpse::Snapshot>> {
 public:
  SnapshotSession(Gateway& gateway, SharedSnapshots& snapshots, Nanoseconds now, std::size_t longest)
      : SoupSession(gateway, now, longest, &Client::reader), snapshots_(snapshots) {}

 private:
  void enter(std::span<const std::byte>) override {}
  void choose_messages(Client&) override { store_.choose(snapshots_.get(now_)); }
  void logged_in() override { close(); }

  SharedSnapshots& snapshots_;
};

class SnapshotDoor final : public Door {
 public:
  SnapshotDoor(Gateway& gateway, const DoorConfig& config)
      : gateway_(gateway), snapshots_(gateway), longest_(config.message_length) {}
  [[nodiscard]] std::unique_ptr<Session> connect(Nanoseconds now) override {
    return std::make_unique<SnapshotSession>(gateway_, snapshots_, now, longest_);
  }

 private:
  Gateway& gateway_;
  SharedSnapshots snapshots_;
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
