// SPDX-License-Identifier: MIT
//
// A command of a venue in words, for logs, error messages and tests.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "llmes/types/terms.hpp"
#include "llmes/types/text.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/order_words.hpp"
#include "llmes/venue/risk_types.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// "AddLimit: time 3, id 7, price 100, quantity 5, account 1": the type, then each member that is not as in a new
/// command, by its name. The account's limits stand where `VenueCommand::set_limits` has put them.
[[nodiscard]] inline std::string to_string(const VenueCommand& command) {
  const VenueCommand plain;
  std::string text(to_string(command.type));
  char before = ':';
  const auto add = [&](std::string_view name, const auto& value, const auto& usual, const auto& words) {
    if (value == usual) return;
    text += before;
    text += ' ';
    text += name;
    text += name.empty() ? "" : " ";
    text += words(value);
    before = ',';
  };
  const auto number = [&](std::string_view name, auto value, auto usual) {
    add(name, value, usual, [](auto one) { return std::to_string(one); });
  };
  const auto word = [&](auto value, auto usual) {
    add("", value, usual, [](auto one) { return std::string(to_string(one)); });
  };
  number("time", command.time, plain.time);
  number("id", command.id, plain.id);
  number("new_id", command.new_id, plain.new_id);
  add("", command.side, plain.side, [](Side side) {
    return side == VenueCommand::both_sides ? std::string("both sides") : std::string(to_string(side));
  });
  number("price", command.price, plain.price);
  number("quantity", command.quantity, plain.quantity);
  number("peak", command.peak, plain.peak);
  number("minimum", command.minimum, plain.minimum);
  number("trigger", command.trigger, plain.trigger);
  number("trail", command.trail, plain.trail);
  number("expiry", command.expiry, plain.expiry);
  number("link", command.link, plain.link);
  number("account", command.account, plain.account);
  add("book", command.book, plain.book,
      [](BookNumber book) { return book == VenueCommand::all_books ? std::string("all") : std::to_string(book); });
  number("protection", command.protection, plain.protection);
  number("client_tag", command.client_tag, plain.client_tag);
  word(command.time_in_force, plain.time_in_force);
  word(command.self_trade, plain.self_trade);
  word(command.display, plain.display);
  word(command.effect, plain.effect);
  word(command.stop, plain.stop);
  word(command.lifetime, plain.lifetime);
  word(command.link_role, plain.link_role);
  word(command.phase, plain.phase);
  word(command.quote_mode, plain.quote_mode);
  return text;
}

template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const VenueCommand& command) {
  return out << to_string(command);
}

}  // namespace llmes::inline LLMES_NAMESPACE
