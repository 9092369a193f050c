// SPDX-License-Identifier: MIT
//
// A whole venue with one book: every layer is there, and each command gets its reports of 136 bytes. What it costs
// beside set_ids_single, the same set without what wraps it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "bench/contenders/risk_books.hpp"
#include "bench/streams/digest.hpp"
#include "llmes/book.hpp"
#include "llmes/venue.hpp"

namespace llmes::bench {

/// A venue of one book with `risk_accounts` accounts, each with limits that no stream comes near. Nothing if there
/// is not enough memory.
[[nodiscard]] inline std::unique_ptr<Venue<>> venue_with_accounts(const BookConfig& config) {
  CreateStatus status{};
  std::optional<Venue<>> made = Venue<>::create({.books = {.max_books = 1, .capacity = config.capacity},
                                                 .accounts = risk_accounts,
                                                 .holdings = risk_accounts,
                                                 .fees = {.maker = -1, .taker = 2},
                                                 .lifetimes = config.capacity,
                                                 .matches = 1'024},
                                                status);
  if (!made) return nullptr;
  auto venue = std::make_unique<Venue<>>(*std::move(made));
  const auto say = [&venue](const VenueCommand& command) {
    bool success = false;
    venue->apply(command, 0, [&](const VenueReport& report) { success = report.status == VenueStatus::Success; });
    return success;
  };
  VenueCommand reference;
  reference.type = VenueCommandType::SetReference;
  reference.price = config.base_price;
  bool ready = say(reference);
  AccountLimits limits = wide_limits;  // also for streams whose prices jump by more than a collar
  limits.collar_low = -1'000'000'000'000;
  limits.collar_high = 1'000'000'000'000;
  limits.order_notional = AccountLimits::unlimited;
  for (AccountNumber account = 1; account <= risk_accounts; ++account)
    ready = ready && say(VenueCommand::set_limits(account, limits, 0));
  return ready ? std::move(venue) : nullptr;
}

/// `EveryNth`: which orders are good until a time that does not come, by id; 0: none.
template <OrderId EveryNth>
class VenueRow {
 public:
  /// Each command comes later than the one before, as from the clock of who sends it.
  [[nodiscard]] static VenueCommand message_of(const Request& request) {
    static Nanoseconds now = 0;
    VenueCommand command;
    command.time = ++now;
    command.type = static_cast<VenueCommandType>(request.type);
    command.account = account_of(request.id);
    command.id = request.id;
    command.price = request.price;
    command.quantity = request.quantity;
    command.side = request.side;
    command.time_in_force = request.time_in_force;
    if constexpr (EveryNth != 0) {
      const bool may_rest =
          request.type == CommandType::AddLimit &&
          (request.time_in_force == TimeInForce::GoodTillCancel || request.time_in_force == TimeInForce::PostOnly);
      if (may_rest && request.id % EveryNth == 0) {
        command.lifetime = Lifetime::UntilTime;
        command.expiry = Nanoseconds{1} << 62;
      }
    }
    return command;
  }

  static std::optional<VenueRow> create(const BookConfig& config, std::size_t /*id_count*/) {
    std::unique_ptr<Venue<>> venue = venue_with_accounts(config);
    if (venue == nullptr) return std::nullopt;
    return VenueRow(std::move(venue));
  }

  /// Makes a command, and writes its reports. All are read once, for the digest.
  [[gnu::always_inline]] Status answer(const VenueCommand& command, Digest& digest) noexcept {
    const std::uint64_t first = reports_->count;
    venue_->apply(command, ++sequence_, *reports_);
    Status status = Status::Success;
    for (std::uint64_t i = first; i != reports_->count; ++i) {
      const VenueReport& report = reports_->ring[i % Reports::size];
      if (report.kind == VenueReportKind::Executed) {
        digest({.maker_id = report.other_id, .price = report.price, .quantity = report.quantity});
      } else if (report.kind == VenueReportKind::Done && report.status != VenueStatus::Success) {
        status = Status::InvalidCommand;
      }
    }
    return status;
  }

  [[nodiscard]] std::optional<Price> best_bid() const { return venue_->book().book(0)->best_bid(); }
  [[nodiscard]] std::size_t size() const { return venue_->book().book().size(); }

 private:
  /// The latest reports, as many bytes as other rows keep.
  struct Reports {
    static constexpr std::size_t size = 512;

    [[nodiscard]] VenueReport& next() noexcept { return ring[count++ % size]; }

    std::array<VenueReport, size> ring{};
    std::uint64_t count = 0;
  };

  explicit VenueRow(std::unique_ptr<Venue<>> venue) : venue_(std::move(venue)) {}

  std::unique_ptr<Venue<>> venue_;
  std::unique_ptr<Reports> reports_ = std::make_unique<Reports>();
  std::uint64_t sequence_ = 0;
};

template <std::size_t N>
using UnusedVenueBook = VenueRow<0>;
template <std::size_t N>
using VenueForOnePercentBook = VenueRow<100>;
template <std::size_t N>
using VenueForTenPercentBook = VenueRow<10>;

}  // namespace llmes::bench
