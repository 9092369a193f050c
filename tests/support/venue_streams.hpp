// SPDX-License-Identifier: MIT
//
// Random commands to a small venue: few prices, lots, ids and accounts, so that most of them meet something.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "llmes/venue.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {

/// A venue that these commands fill at times.
inline constexpr VenueConfig planned_venue{.books = {.max_books = 2, .capacity = 24, .far_levels = 24},
                                           .accounts = 4,
                                           .holdings = 8,
                                           .stops = 6,
                                           .lifetimes = 6,
                                           .links = 3,
                                           .matches = 8};

class VenuePlanner {
 public:
  explicit VenuePlanner(std::uint64_t seed) : random_(seed) {}

  VenueCommand next() {
    VenueCommand command = script_.empty() ? one() : from_script();
    time_ += random_.chance(3) ? random_.below(30) : random_.below(4);
    command.time = random_.chance(1) && time_ > 3 ? time_ - 3 : time_;
    if (random_.chance(4)) spoil(command);
    return command;
  }

 private:
  using Type = VenueCommandType;

  // Each number is drawn in a statement of its own: compilers may evaluate arguments in any order.

  VenueCommand one() {
    if (std::exchange(has_closed_, false) && random_.chance(70)) {
      VenueCommand command = plain(Type::SetSymbol);
      command.quantity = random_.chance(60) ? 1 : 2;
      return command;
    }
    if (random_.chance(3)) return begin_bracket();
    if (random_.chance(1)) return begin_late_auction();
    const std::uint64_t kind = random_.below(100);
    if (kind < 50) return add();
    if (kind < 62) return leave();
    if (kind < 78) return move();
    if (kind < 81) return mass_cancel();
    if (kind < 85) return plain(Type::Advance);
    VenueCommand command = plain(Type::SetPhase);
    command.book = book();
    if (kind < 86) return command.type = Type::ShowIndicative, command;
    if (kind < 89) return set_phase(command);
    if (kind < 92) return command.type = random_.chance(20) ? Type::Halt : Type::Resume, command;
    if (kind < 95) return reference(command);
    if (kind < 97) {
      command = plain(Type::Bust);
      command.id = random_.below(2 * ++busts_ + 8);
      return command;
    }
    command.account = account();
    const std::uint64_t act = random_.below(10);
    command.type = act < 1 ? Type::Kill : act < 7 ? Type::Restore : act < 8 ? Type::Disconnect : Type::Pay;
    command.price = price();
    return command;
  }

  VenueCommand add() {
    VenueCommand command;
    const std::uint64_t type = random_.below(20);
    command.type = type < 16 ? Type::AddLimit : type < 18 ? Type::AddMarket : Type::AddProtected;
    command.id = id();
    command.account = owner_of(command.id);
    command.book = book();
    command.side = side();
    command.price = price();
    command.quantity = quantity();
    command.time_in_force = time_in_force();
    if (random_.chance(25)) command.self_trade = static_cast<SelfTrade>(random_.below(5));
    if (random_.chance(35)) command.display = static_cast<Display>(random_.below(3));
    command.peak = 1 + random_.below(3);
    if (random_.chance(3)) command.minimum = 1 + random_.below(4);
    command.protection = static_cast<std::uint32_t>(random_.below(3));
    if (random_.chance(30)) {
      command.stop = random_.chance(70) ? StopTrigger::LastTrade : StopTrigger::OppositeBest;
      command.trigger = price();
      if (random_.chance(25)) command.trail = 1 + static_cast<Price>(random_.below(3));
    }
    if (random_.chance(20)) {
      command.lifetime = random_.chance(50) ? Lifetime::Day : Lifetime::UntilTime;
      command.expiry = time_ + random_.below(60);
    }
    if (random_.chance(15)) {
      const auto role = static_cast<LinkRole>(1 + random_.below(3));
      command.link = role == LinkRole::OneCancelsOther ? 1 : 2;
      command.link_role = role;
    }
    command.client_tag = static_cast<std::uint32_t>((7 * command.id + command.quantity) % 5);
    return command;
  }
  // ---- What takes several commands, of which now and then another one comes between.

  VenueCommand from_script() {
    if (random_.chance(20)) return one();
    const VenueCommand command = script_.front();
    script_.erase(script_.begin());
    return command;
  }
  /// Two children, then their parent.
  VenueCommand begin_bracket() {
    const AccountNumber owner = account();
    OrderId place = random_.below(6);
    const auto part = [&](LinkRole role) {
      VenueCommand command = add();
      if (role == LinkRole::BracketParent) {
        command.stop = StopTrigger::None;
      } else if (random_.chance(50)) {
        command.stop = StopTrigger::LastTrade;
      }
      command.account = owner;
      command.id = 24 + 4 * (place++ % 6) + owner - 1;  // as `owner_of` has it
      command.link = 2;
      command.link_role = role;
      return command;
    };
    VenueCommand first = part(LinkRole::BracketChild);
    VenueCommand second = part(LinkRole::BracketChild);
    VenueCommand parent = part(LinkRole::BracketParent);
    script_ = {first, second, parent};
    if (random_.chance(30)) return from_script();
    // Mostly there is room for it, and it fills in two parts, between which a child gets as many lots as there
    // are.
    parent.type = Type::AddLimit;
    parent.time_in_force = TimeInForce::GoodTillCancel;
    parent.minimum = 0;
    parent.quantity = 6;
    for (VenueCommand* const child : {&first, &second}) child->lifetime = Lifetime::UntilCancelled;
    const bool gets_most = random_.chance(40);
    if (gets_most) {  // a stop at the market, far away
      first.type = Type::AddMarket;
      first.stop = StopTrigger::LastTrade;
      first.display = Display::Whole;
      first.minimum = 0;
      first.trail = 0;
      first.trigger = first.side == Side::Buy ? 108 : 92;
    }
    script_ = {first, second, parent};
    VenueCommand other;
    other.account = 1 + owner % 4;
    other.book = parent.book;
    other.side = opposite(parent.side);
    other.price = parent.price;
    for (const Quantity lots : {Quantity{2}, Quantity{8}}) {
      other.id = id();
      other.quantity = lots;
      script_.push_back(other);
      if (lots != 2 || !gets_most) continue;
      VenueCommand change = first;
      change.type = Type::Modify;
      change.quantity = std::numeric_limits<Quantity>::max() - random_.below(4);
      script_.push_back(change);
    }
    VenueCommand room = plain(Type::MassCancel);
    room.account = owner;
    room.book = VenueCommand::all_books;
    room.side = VenueCommand::both_sides;
    room.price = std::numeric_limits<Price>::min();
    room.trigger = std::numeric_limits<Price>::max();
    return room;
  }
  /// Orders collect, and their auction comes only when the book has closed and its tick is another one.
  VenueCommand begin_late_auction() {
    VenueCommand command = plain(Type::SetPhase);
    command.book = book();
    command.phase = Phase::PreOpen;
    VenueCommand first = command;
    for (std::uint64_t left = 2 + random_.below(4); left > 0; --left) {
      VenueCommand order = add();
      order.type = Type::AddLimit;
      order.book = command.book;
      script_.push_back(order);
    }
    command.type = Type::Halt;
    script_.push_back(command);
    command.type = Type::SetPhase;
    command.phase = Phase::Closed;
    script_.push_back(command);
    VenueCommand tick = plain(Type::SetTick);
    tick.book = command.book;
    tick.price = 90;
    tick.quantity = random_.below(6);
    script_.push_back(tick);
    command.type = Type::Resume;
    script_.push_back(command);
    command.type = Type::SetPhase;
    VenueCommand opens = command;
    opens.phase = Phase::Continuous;
    tick.quantity = 0;
    script_.insert(script_.end(), {opens, command, tick, opens});
    return first;
  }
  VenueCommand leave() {
    VenueCommand command = plain(random_.chance(60) ? Type::Cancel : Type::Reduce);
    command.id = id();
    command.account = owner_of(command.id);
    command.quantity = quantity();
    return command;
  }
  VenueCommand move() {
    VenueCommand command = add();
    command.type = random_.chance(60) ? Type::Modify : Type::Replace;
    command.new_id = random_.chance(20) ? command.id : id();
    command.trigger = price();
    if (random_.chance(2)) command.quantity = std::numeric_limits<Quantity>::max() - random_.below(4);
    return command;
  }
  VenueCommand mass_cancel() {
    VenueCommand command = plain(Type::MassCancel);
    command.account = random_.chance(10) ? 0 : account();
    command.book = random_.chance(50) ? VenueCommand::all_books : book();
    command.side = random_.chance(50) ? VenueCommand::both_sides : side();
    command.price = price();
    command.trigger = random_.chance(5) ? command.price - 1 : command.price + 3;
    return command;
  }
  VenueCommand set_phase(VenueCommand command) {
    if (random_.chance(30)) command.book = VenueCommand::all_books;
    command.phase = random_.chance(70) ? Phase::Continuous : static_cast<Phase>(random_.below(5));
    has_closed_ = command.phase == Phase::Closed && command.book != 1;
    if (!random_.chance(30)) return command;
    command.type = Type::Schedule;
    command.expiry = time_ + 1 + random_.below(30);
    return command;
  }
  VenueCommand reference(VenueCommand command) {
    switch (random_.below(4)) {
      case 0:
        command.type = Type::SetSymbol;
        command.quantity = random_.chance(80) ? 1 : random_.below(3);
        break;
      case 1:
        command.type = Type::SetTick;
        command.price = price();
        command.quantity = random_.chance(60) ? 0 : 1 + random_.below(5);
        break;
      case 2:
        command.type = Type::SetBands;
        command.price = random_.chance(70) ? 90 : price();
        command.trigger = random_.chance(70) ? 110 : price();
        break;
      default: command.type = Type::SetReference; command.price = price();
    }
    return command;
  }

  static VenueCommand plain(Type type) {
    VenueCommand command;
    command.type = type;
    return command;
  }
  /// Makes one member what it may not be.
  void spoil(VenueCommand& command) {
    const auto odd = static_cast<std::uint8_t>(5 + random_.below(250));
    switch (random_.below(13)) {
      case 0: command.account = 5 + odd; break;
      case 1: command.account = 0; break;
      case 2: command.book = 2; break;
      case 3: command.side = static_cast<Side>(odd); break;
      case 4: command.time_in_force = static_cast<TimeInForce>(odd); break;
      case 5: command.self_trade = static_cast<SelfTrade>(odd); break;
      case 6: command.display = static_cast<Display>(odd); break;
      case 7: command.effect = static_cast<PositionEffect>(odd); break;
      case 8: command.stop = static_cast<StopTrigger>(odd); break;
      case 9: command.lifetime = static_cast<Lifetime>(odd); break;
      case 10: command.phase = static_cast<Phase>(odd); break;
      case 11: command.quantity = 0; break;
      default: command.type = static_cast<Type>(200 + odd % 50);
    }
  }

  AccountNumber account() { return 1 + static_cast<AccountNumber>(random_.below(4)); }
  /// Mostly the same of an id, so that accounts change what is theirs.
  AccountNumber owner_of(OrderId id) {
    return random_.chance(90) ? 1 + static_cast<AccountNumber>(id % 4) : account();
  }
  BookNumber book() { return random_.chance(75) ? 0 : 1; }
  /// From 24 on are those of brackets.
  OrderId id() { return random_.chance(85) ? 1 + random_.below(23) : 24 + random_.below(24); }
  Side side() { return random_.chance(50) ? Side::Buy : Side::Sell; }
  Price price() { return 95 + static_cast<Price>(random_.below(11)); }
  Quantity quantity() { return 1 + random_.below(6); }
  TimeInForce time_in_force() {
    return random_.chance(75) ? TimeInForce::GoodTillCancel : static_cast<TimeInForce>(random_.below(4));
  }

  Random random_;
  Nanoseconds time_ = 0;
  std::uint64_t busts_ = 0;
  bool has_closed_ = false;  ///< the first book: its lot may change now
  std::vector<VenueCommand> script_;
};

}  // namespace llmes::test
