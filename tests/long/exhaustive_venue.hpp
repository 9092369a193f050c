// SPDX-License-Identifier: MIT
//
// Every sequence of commands up to a length to a venue of one book with two accounts: orders that trade, stops of
// each kind, lifetimes, a pair, a bracket, and cancel, reduce and modify of all that rests or waits. It begins
// with orders on both sides and a last trade. After each command its reports and all that is open are compared
// with the naive oracle.
//
// An order gets the least id that is free. Two states are the same if all bytes of the venues are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "llmes/engine/snapshot/image.hpp"
#include "llmes/venue.hpp"
#include "tests/long/search.hpp"
#include "tests/support/state_bytes.hpp"
#include "tests/support/venue_pair.hpp"

namespace llmes::test {

class WorldOfVenue {
 public:
  /// A venue and its oracle, after a few orders and a trade.
  struct State {
    State() {
      for (const VenueCommand& command : {limit(1, 2, Side::Sell, 101, 1), limit(2, 2, Side::Sell, 102, 2),
                                          limit(3, 1, Side::Buy, 99, 2), limit(4, 1, Side::Buy, 101, 1)}) {
        pair.make(command);
      }
    }

    VenuePair pair{config};
    Nanoseconds time = 1;
  };

  [[nodiscard]] std::size_t call_count(const State& state) const {
    return plain_.size() + on_order_.size() * open(state).size();
  }

  void make(std::size_t index, State& state, std::string& difference) const {
    const VenueCommand command = call(index, state);
    state.time = command.time;
    state.pair.make(command);
    if (difference.empty()) difference = state.pair.difference();
  }
  static void compare(State& state, std::string& difference) {
    state.pair.compare();
    if (difference.empty()) difference = state.pair.difference();
  }

  static void copy(const State& from, State& to) {
    Restore restore{state_of(from.pair.venue)};
    Venue<>::visit_state(to.pair.venue, restore);
    to.pair.oracle = from.pair.oracle;
    to.time = from.time;
  }

  static std::string key(const State& state) {
    const std::vector<std::byte> bytes = state_of(state.pair.venue);
    Digest forward, backward;
    for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      std::uint64_t word = 0, mirrored = 0;
      std::memcpy(&word, &bytes[i], 8);
      std::memcpy(&mirrored, &bytes[bytes.size() - 8 - i], 8);
      forward.add(word);
      backward.add(mirrored);
    }
    return std::to_string(forward.value()) + ' ' + std::to_string(backward.value()) + ' ' +
           std::to_string(state.time);
  }

  /// One line for each command.
  std::string describe(const std::vector<std::uint32_t>& calls) const {
    State state;
    std::string difference;
    std::string text;
    for (const std::uint32_t index : calls) {
      const VenueCommand command = call(index, state);
      text += to_string(command) + '\n';
      make(index, state, difference);
    }
    return text;
  }

 private:
  static constexpr VenueConfig config{.books = {.max_books = 1, .capacity = 6, .far_levels = 8},
                                      .accounts = 2,
                                      .holdings = 2,
                                      .stops = 3,
                                      .lifetimes = 2,
                                      .links = 2,
                                      .matches = 1};

  static constexpr OrderId ids_max = 16;  ///< more than can be open

  /// Gives a venue the bytes of another one.
  struct Restore {
    std::vector<std::byte> bytes;
    std::size_t at = 0;

    template <class... Parts>
    void operator()(Parts&&... parts) {
      (take(parts), ...);
    }

   private:
    template <class Part>
    void take(Part& part) {
      if constexpr (requires { Part::visit_state(part, *this); }) {
        Part::visit_state(part, *this);
      } else if constexpr (requires { std::span(part); }) {
        const auto to = std::as_writable_bytes(std::span(part));
        if (!to.empty()) std::memcpy(to.data(), bytes.data() + at, to.size());
        at += to.size();
      } else {
        std::memcpy(&part, bytes.data() + at, sizeof(part));
        at += sizeof(part);
      }
    }
  };

  static VenueCommand limit(OrderId id, AccountNumber account, Side side, Price price, Quantity quantity) {
    VenueCommand command;
    command.time = 1;
    command.id = id;
    command.account = account;
    command.side = side;
    command.price = price;
    command.quantity = quantity;
    return command;
  }

  /// Times and expiries count from the time of the state; ids of new orders are set when they come.
  static std::vector<VenueCommand> plain_commands() {
    using enum VenueCommandType;
    std::vector<VenueCommand> commands;
    const auto add = [&](AccountNumber account, Side side, Price price, Quantity quantity,
                         VenueCommand other = {}) {
      other.account = account;
      other.side = side;
      other.price = price;
      other.quantity = quantity;
      commands.push_back(other);
    };
    add(1, Side::Buy, 101, 1);
    add(2, Side::Buy, 102, 2);
    add(1, Side::Sell, 99, 1);
    add(2, Side::Sell, 100, 2);
    const auto stop = [](StopTrigger by, Price trigger, Price trail, VenueCommandType type) {
      VenueCommand command;
      command.type = type;
      command.stop = by;
      command.trigger = trigger;
      command.trail = trail;
      return command;
    };
    add(1, Side::Buy, 0, 1, stop(StopTrigger::LastTrade, 102, 0, AddMarket));
    add(2, Side::Buy, 102, 2, stop(StopTrigger::LastTrade, 102, 0, AddLimit));
    add(1, Side::Sell, 0, 1, stop(StopTrigger::LastTrade, 99, 0, AddMarket));
    add(2, Side::Sell, 99, 1, stop(StopTrigger::OppositeBest, 98, 0, AddLimit));
    add(1, Side::Buy, 101, 1, stop(StopTrigger::OppositeBest, 102, 0, AddLimit));
    add(1, Side::Sell, 100, 2, stop(StopTrigger::LastTrade, 0, 1, AddLimit));
    add(2, Side::Buy, 0, 1, stop(StopTrigger::LastTrade, 0, 2, AddMarket));
    VenueCommand lives = stop(StopTrigger::LastTrade, 100, 0, AddLimit);
    lives.lifetime = Lifetime::UntilTime;
    lives.expiry = 2;
    add(1, Side::Sell, 100, 1, lives);
    lives.stop = StopTrigger::None;
    lives.expiry = 1;
    add(2, Side::Sell, 103, 1, lives);
    lives.lifetime = Lifetime::Day;
    add(1, Side::Buy, 98, 1, lives);

    const auto linked = [](std::uint64_t link, LinkRole role, VenueCommand command = {}) {
      command.link = link;
      command.link_role = role;
      return command;
    };
    add(1, Side::Buy, 100, 2, linked(1, LinkRole::OneCancelsOther));
    add(1, Side::Sell, 102, 2, linked(1, LinkRole::OneCancelsOther));
    add(2, Side::Sell, 103, 2, linked(2, LinkRole::BracketChild));
    add(2, Side::Sell, 0, 2, linked(2, LinkRole::BracketChild, stop(StopTrigger::LastTrade, 99, 0, AddMarket)));
    add(2, Side::Buy, 101, 2, linked(2, LinkRole::BracketParent));

    VenueCommand other;
    other.type = Advance;
    for (const Nanoseconds later : {Nanoseconds{1}, Nanoseconds{2}}) {
      other.time = later;
      commands.push_back(other);
    }
    other.time = 0;
    other.type = SetPhase;
    other.book = VenueCommand::all_books;
    for (const Phase phase : {Phase::PreOpen, Phase::Continuous, Phase::Closed}) {
      other.phase = phase;
      commands.push_back(other);
    }
    other.type = MassCancel;
    other.account = 1;
    other.side = VenueCommand::both_sides;
    other.price = 98;
    other.trigger = 101;
    commands.push_back(other);
    return commands;
  }
  static std::vector<VenueCommand> commands_on_order() {
    std::vector<VenueCommand> commands(3);
    commands[0].type = VenueCommandType::Cancel;
    commands[1].type = VenueCommandType::Reduce;
    commands[1].quantity = 1;
    commands[2].type = VenueCommandType::Modify;
    commands[2].price = 100;
    commands[2].quantity = 2;
    commands[2].trigger = 100;
    return commands;
  }

  /// What rests or waits.
  struct Open {
    OrderId id;
    AccountNumber account;
    bool trails;
  };
  static std::vector<Open> open(const State& state) {
    std::vector<Open> all;
    for (const RuledOrder& order : state.pair.oracle.resting())
      all.push_back({order.shown.id, order.owner, false});
    for (const VenueCommand& stop : state.pair.oracle.stops().stops()) {
      all.push_back({stop.id, stop.account, stop.trail != 0});
    }
    for (OrderId id = 1; id <= ids_max; ++id) {
      if (const auto child = state.pair.venue.links().find_waiting(id)) all.push_back({id, child->account, false});
    }
    return all;
  }

  [[nodiscard]] VenueCommand call(std::size_t index, const State& state) const {
    const std::vector<Open> all = open(state);
    VenueCommand command;
    if (index < plain_.size()) {
      command = plain_[index];
      const auto taken = [&](OrderId id) {
        return std::any_of(all.begin(), all.end(), [id](const Open& order) { return order.id == id; });
      };
      if (command.type <= VenueCommandType::AddMarket) {
        for (command.id = 1; taken(command.id);) ++command.id;
      }
    } else {
      const std::size_t rest = index - plain_.size();
      const Open& order = all[rest / on_order_.size()];
      command = on_order_[rest % on_order_.size()];
      command.id = order.id;
      command.account = order.account;
      if (order.trails) command.trail = 2;
    }
    command.time += state.time;
    if (command.expiry != 0) command.expiry += state.time;
    return command;
  }

  const std::vector<VenueCommand> plain_ = plain_commands();
  const std::vector<VenueCommand> on_order_ = commands_on_order();
};

}  // namespace llmes::test
