// SPDX-License-Identifier: MIT
//
// What goes into a risk stage beside commands, and what comes out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "llmes/types/command.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/accounts.hpp"
#include "llmes/venue/open_orders.hpp"
#include "llmes/venue/risk_status.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What a risk stage is made for.
struct RiskConfig {
  std::uint32_t accounts = 0;  ///< they are 1 to this number
  std::uint32_t books = 1;     ///< they are 0 to this number less one
  std::size_t orders = 0;      ///< the most open orders: at least the capacity of the book or set behind
  std::size_t holdings = 0;    ///< the most pairs of an account and a book that it trades
  Fees fees{};
};

/// What happens to an account as a whole; a value, for queues and journals.
enum class AccountAction : std::uint8_t {
  Kill,        ///< from now on it may only cancel and reduce; its open orders are cancelled
  Restore,     ///< the opposite of `Kill`; nothing comes back
  Disconnect,  ///< its open orders are cancelled if its limits say so
};
struct AccountCommand {
  AccountNumber account = 0;
  AccountAction action = AccountAction::Kill;
};

/// What a command may do to the position of its account.
enum class PositionEffect : std::uint8_t {
  Any,
  OnlyReduce,  ///< with all that is open on its side it may close the position, and go no further
};

/// Whether a command counts as a message of its account.
enum class MessageRate : std::uint8_t {
  Counted,
  Free,  ///< it was counted before: the order of a stop that has fired
};

/// How a command went: `result` is the book's, if `risk` is `Success` or `Mismatch`; else its status is
/// `InvalidCommand` and the book has not seen the command.
struct CheckedResult {
  RiskStatus risk = RiskStatus::Success;
  Result result{};
};

namespace detail {
[[nodiscard]] constexpr bool takes_off(CommandType type) noexcept {
  return type == CommandType::Cancel || type == CommandType::Reduce;
}
template <class Name, class Terms>
[[nodiscard]] constexpr bool may_rest(const BasicCommand<Name, Terms>& command) noexcept {
  return has_time_in_force(command.type) ? command.time_in_force != TimeInForce::ImmediateOrCancel &&
                                               command.time_in_force != TimeInForce::FillOrKill
                                         : command.type != CommandType::AddMarket;
}
/// The command that was accepted last; of account 0 if it has had its result.
struct CommandAtWork {
  AccountNumber account;
  BookNumber book;
  Side side;
  CommandType type;
  OpenOrders::Slot slot;  ///< of the order that it names
  std::uint32_t holding;  ///< the place of the account's holding
  Quantity left;          ///< lots that may still trade or rest
  Price price;
  OrderId new_id;  ///< of the order that it adds, or by which it replaces
  bool first;      ///< whether it has made the holding, which goes if the book refuses it

  /// Starts one that may not trade: it has no lots left. Member by member, because what has just been written
  /// cannot be copied in larger pieces without a wait.
  void begin(AccountNumber of, CommandType what, OpenOrders::Slot named, BookNumber in, Side from) noexcept {
    account = of;
    book = in;
    side = from;
    type = what;
    slot = named;
    left = 0;
    first = false;
  }
};
}  // namespace detail

}  // namespace llmes::inline LLMES_NAMESPACE
