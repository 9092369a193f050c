// SPDX-License-Identifier: MIT
//
// From flags to what the exchange is made for. A size that no flag gives follows from the others, so that no table
// is full before the one that its flag names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "examples/exchange/core.hpp"
#include "protocols.hpp"
#include "settings.hpp"

namespace exchange {

struct Sizes {
  std::uint32_t symbols;
  std::uint32_t orders;
  std::uint32_t accounts;
  std::uint32_t users;
  std::size_t holdings;
  std::size_t stops;
  std::size_t lifetimes;
  std::size_t trades;
};

[[nodiscard]] inline Sizes sizes_of(const Settings& settings) noexcept {
  const std::size_t accounts = settings.max_accounts;
  const std::size_t orders = settings.max_orders;
  const std::size_t holdings =
      std::min(accounts * settings.max_symbols, std::max<std::size_t>(1'000'000, 16 * accounts));
  const std::size_t stops = settings.max_stops.value_or(std::max(settings.max_orders / 4, 1u));
  return {.symbols = settings.max_symbols,
          .orders = settings.max_orders,
          .accounts = settings.max_accounts,
          .users = settings.max_users.value_or(settings.max_accounts),
          .holdings = settings.max_holdings ? std::size_t{*settings.max_holdings} : holdings,
          .stops = stops,
          .lifetimes = settings.max_lifetimes ? std::size_t{*settings.max_lifetimes} : orders + stops,
          .trades = settings.max_trades ? std::size_t{*settings.max_trades} : orders};
}

/// For the line that the program prints when it starts.
[[nodiscard]] inline std::string words_of(const Sizes& sizes) {
  std::string words;
  for (const auto& [name, size] : {std::pair("symbols", std::size_t{sizes.symbols}),
                                   {"orders", std::size_t{sizes.orders}},
                                   {"accounts", std::size_t{sizes.accounts}},
                                   {"users", std::size_t{sizes.users}},
                                   {"holdings", sizes.holdings},
                                   {"stops", sizes.stops},
                                   {"lifetimes", sizes.lifetimes},
                                   {"trades", sizes.trades}}) {
    words += (words.empty() ? "" : ", ") + std::to_string(size) + ' ' + name;
  }
  return words;
}

namespace detail {
/// A new member of a config does not compile here: decide in `config_of` what it is.
inline void know_all_members(const Core::Config& config) noexcept {
  [[maybe_unused]] const auto& [exchange, journal, protocols, has_thread] = config;
  [[maybe_unused]] const auto& [venue, users, watcher] = exchange;
  [[maybe_unused]] const auto& [books, ids, accounts, holdings, fees, stops, lifetimes, links, matches,
                                first_phase, self_trade] = venue;
  [[maybe_unused]] const auto& [max_books, capacity, far_levels, quantity_max] = books;
  [[maybe_unused]] const auto& [maker, taker] = fees;
  [[maybe_unused]] const auto& [directory, parameters, durability, segment_records, reserve] = journal;
  static_assert(std::is_empty_v<std::remove_cvref_t<decltype(ids)>>);
}
}  // namespace detail

[[nodiscard]] inline Core::Config config_of(const Settings& settings) {
  const Sizes sizes = sizes_of(settings);
  Core::Config config{
      .exchange = {.venue = {.books = {.max_books = sizes.symbols,
                                       .capacity = sizes.orders,
                                       .far_levels = sizes.orders,  // each order may be alone on its level
                                       .quantity_max = std::numeric_limits<Quantity>::max()},
                             .ids = {},
                             .accounts = sizes.accounts,
                             .holdings = sizes.holdings,
                             .fees = {.maker = 0, .taker = 0},
                             .stops = sizes.stops,
                             .lifetimes = sizes.lifetimes,
                             .links = 1,  // no protocol here links orders
                             .matches = sizes.trades,
                             .first_phase = Phase::Closed,
                             .auction_self_trade = llmes::SelfTrade::Decrement},
                   .users = sizes.users,
                   .watcher = nullptr},
      .journal = {.directory = settings.journal,
                  .parameters = {},  // the engine has those of the exchange
                  .durability = settings.durability,
                  .segment_records = settings.segment_records,
                  .reserve = 0},
      .protocols = all_protocols(),
      .has_thread = settings.threads == 2};
  detail::know_all_members(config);
  return config;
}

}  // namespace exchange
