// SPDX-License-Identifier: MIT
//
// One call to a book with rules, or to a set of them, by labels as in operation.hpp: with its terms, the number of
// its book, and how the call is made. And the calls that are not about one order: mass cancel, auction, clear,
// recenter, and a move of the whole book to another object and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "llmes/types/command.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "tests/support/operation.hpp"

namespace llmes::test {

/// How a call is made. Each must lead to the same.
enum class Way : std::uint8_t {
  Apply,    ///< as a command
  Name,     ///< by the call of its name
  Details,  ///< as a span of one command, whose receiver wants to know what the command changes
  View,     ///< of a set: by the book that the call names, which may not be that of the order
};
inline constexpr unsigned ways = 4;

struct RuledOperation {
  enum class What : std::uint8_t { Call, MassCancel, Clear, Recenter, Move, Auction };

  What what = What::Call;
  Way way = Way::Apply;
  /// Of a clear only the side, of a recenter only the price. Of an auction the price of reference, and also of the
  /// auction if the quantity is not 0.
  Operation call{};
  BookNumber book = 0;  ///< of a new order, of a view, or the one to clear
  OrderTerms terms{};
  CancelScope scope{};

  friend bool operator==(const RuledOperation&, const RuledOperation&) = default;
};

/// The same call as a value of the product's vocabulary.
inline RuledBookCommand to_command(const RuledOperation& operation, OrderHandle handle) {
  const Command plain = to_command(operation.call, handle);
  RuledBookCommand command;
  command.id = plain.id;
  command.handle = plain.handle;
  command.price = plain.price;
  command.quantity = plain.quantity;
  command.type = plain.type;
  command.side = plain.side;
  command.time_in_force = plain.time_in_force;
  command.terms = operation.terms;
  command.book = operation.book;
  return command;
}

/// A command as a book's own type has it. `named` is the id of the order that its handle names, for a book by ids.
template <class Own>
[[nodiscard]] Own own_command(const RuledBookCommand& command, OrderId named) {
  Own own{};
  if constexpr (requires { own.new_id; }) {
    own.id = adds(command.type) ? command.id : named;
    own.new_id = command.id;
  } else {
    own.id = command.id;
    own.handle = command.handle;
  }
  own.price = command.price;
  own.quantity = command.quantity;
  own.type = command.type;
  own.side = command.side;
  own.time_in_force = command.time_in_force;
  own.terms = command.terms;
  if constexpr (requires { own.book; }) own.book = command.book;
  return own;
}

// ---- Operations as source text.

inline std::string source_of(const RuledOperation& operation) {
  std::ostringstream out;
  const auto number = [](auto value) { return std::to_string(static_cast<unsigned>(value)); };
  out << "{RuledOperation::What{" << number(operation.what) << "}, Way{" << number(operation.way) << "}, ";
  switch (operation.what) {
    case RuledOperation::What::Clear:
      out << "{.side = " << source_of(operation.call.side) << "}, " << operation.book;
      break;
    case RuledOperation::What::Recenter: out << "{.price = " << source_of(operation.call.price) << '}'; break;
    case RuledOperation::What::Move: out << "{}"; break;
    case RuledOperation::What::Auction:
      out << "{.price = " << source_of(operation.call.price)
          << ", .quantity = " << source_of(operation.call.quantity) << "}, " << operation.book
          << ", {.self_trade = SelfTrade{" << number(operation.terms.self_trade) << "}}";
      break;
    case RuledOperation::What::MassCancel: {
      const CancelScope& scope = operation.scope;
      out << "{}, " << operation.book << ", {}, {" << scope.owner << ", "
          << (scope.side ? source_of(*scope.side) : "{}") << ", " << source_of(scope.lowest) << ", "
          << source_of(scope.highest) << ", " << (scope.book ? std::to_string(*scope.book) : "{}") << '}';
      break;
    }
    default: {
      const OrderTerms& terms = operation.terms;
      out << source_of(operation.call) << ", " << operation.book;
      if (terms == OrderTerms{}) break;
      out << ", {" << terms.owner << ", SelfTrade{" << number(terms.self_trade) << "}, Display{"
          << number(terms.display) << "}, " << source_of(terms.peak) << ", " << source_of(terms.minimum) << '}';
    }
  }
  out << '}';
  return out.str();
}

/// A test that replays `operations` on a book of the kind `kind`.
inline std::string source_of_test(std::string_view kind, std::size_t capacity,
                                  const std::vector<RuledOperation>& operations) {
  std::ostringstream out;
  out << "TEST(RulesRegression, ShrunkSequence) {\n  expect_rules(\"" << kind << "\", " << capacity << ", {\n";
  for (const RuledOperation& operation : operations) out << "      " << source_of(operation) << ",\n";
  out << "  });\n}\n";
  return out.str();
}

}  // namespace llmes::test
