// SPDX-License-Identifier: MIT
//
// The stage before a book: it decides whether an account may give a command, and keeps what the account owns.
//
// It stands before one book or set, by handle or by id, and sees every command to it. `apply` is the whole round:
// `accept` the command, hand it to the book, tell each trade by `on_trade`, then the result by `on_result`. Who
// needs other steps between makes them himself. What leaves the book without a command is told by `on_cancelled`.
//
// Its state is a function of these calls: time comes with the command. After `create`, no call allocates. The
// cost of each is constant on average, whatever rests; that of `on_trade` is for each trade.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "llmes/detail/zeroed_array.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/account_guard.hpp"
#include "llmes/venue/accounts.hpp"
#include "llmes/venue/open_orders.hpp"
#include "llmes/venue/risk_state.hpp"
#include "llmes/venue/risk_types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The stage before a book or set, by handle or by id.
class RiskStage : public RiskState {
 public:
  /// Makes a stage without limits and cash, or nothing, and `status` says why. All memory is allocated and
  /// touched here: 72 to 144 bytes an order, 110 a holding, 216 an account, 40 a book.
  /// @param status InvalidCapacity (no accounts, orders or holdings, or more than 2^30), InvalidBookCount (0, or
  /// more than 2^30), OutOfMemory, or Success.
  [[nodiscard]] static std::optional<RiskStage> create(const RiskConfig& config,
                                                       CreateStatus& status = NoStatus{}) noexcept {
    const auto fits = [](std::size_t count) { return count - 1 < OpenOrders::capacity_max; };
    status = !fits(config.accounts) || !fits(config.orders) || !fits(config.holdings)
                 ? CreateStatus::InvalidCapacity
             : !fits(config.books) ? CreateStatus::InvalidBookCount
                                   : CreateStatus::Success;
    if (status != CreateStatus::Success) return {};
    std::optional<IdSlots> pairs = IdSlots::create(config.holdings, status);
    if (!pairs) return {};
    std::optional<RiskStage> stage{RiskStage(config, std::move(*pairs))};
    if (stage->accounts_.allocated() && stage->guards_.allocated() && stage->references_.allocated() &&
        stage->orders_.allocated()) {
      for (AccountNumber account = 1; account <= config.accounts; ++account) {
        stage->guards_[account].set(AccountLimits{});
      }
      return stage;
    }
    status = CreateStatus::OutOfMemory;
    return {};
  }

  // ---- What the venue decides.

  /// Sets the limits of an account. They hold for later commands; what is open stays. Constant; linear in its open
  /// orders where its credit is limited now and was not before.
  /// Rejections: UnknownAccount, InvalidLimit, InvalidRange.
  [[nodiscard]] RiskStatus set_limits(AccountNumber account, const AccountLimits& limits) noexcept {
    if (!accounts_.has(account)) return RiskStatus::UnknownAccount;
    const RiskStatus status = check(limits);
    if (status != RiskStatus::Success) return status;
    Guard& guard = guards_[account];
    const bool had_credit_limit = guard.has_credit_limit;
    guard.set(limits);
    if (!guard.has_credit_limit) {
      accounts_.forget_reserved(account);
    } else if (!had_credit_limit) {
      orders_.for_each(account, [&](Slot slot) {
        const OpenOrders::Order& order = orders_[slot];
        accounts_.reserve(account, side_of(order), order.price, order.quantity);
      });
    }
    return RiskStatus::Success;
  }

  /// Pays so many micro-units in, or out if negative.
  /// Rejections: UnknownAccount, CashLimit (what is paid out is reserved, or above cash and credit).
  [[nodiscard]] RiskStatus pay(AccountNumber account, std::int64_t amount) noexcept {
    if (!accounts_.has(account)) return RiskStatus::UnknownAccount;
    if (amount < 0 && !affords(account, -Amount{amount})) return RiskStatus::CashLimit;
    accounts_.cash_[account].cash += amount;
    return RiskStatus::Success;
  }

  /// Sets the day's price of reference, for a book without a trade and a best price. Rejections: UnknownBook.
  [[nodiscard]] RiskStatus set_reference(BookNumber book, Price price) noexcept {
    if (!has_book(book)) return RiskStatus::UnknownBook;
    references_[book].of_day(price);
    return RiskStatus::Success;
  }

  // ---- What was there before: a stage that starts beside a book with orders takes them in, and what accounts
  // own. One that goes on where another stopped is its image instead (see engine/snapshot/image.hpp).

  /// Counts an order that rests in a book already as an open order of an account, and the youngest. No limit is
  /// looked at, and all that are looked at later count it. Constant on average.
  /// Rejections: UnknownAccount, InvalidCommand (its side is not an enumerator), UnknownBook, QuantityLimit (0
  /// lots), NotionalOverflow, Mismatch (a command is at work, or an open order has its slot), NoRoomForOrder,
  /// PositionOverflow, NoRoomForHolding.
  [[nodiscard]] RiskStatus adopt(AccountNumber account, const RestingOrder& order, BookNumber book = 0) noexcept {
    if (!accounts_.has(account)) return RiskStatus::UnknownAccount;
    if (!is_side(order.side)) return RiskStatus::InvalidCommand;
    if (!has_book(book)) return RiskStatus::UnknownBook;
    if (order.quantity == 0) return RiskStatus::QuantityLimit;
    if (Guard::notional(order.price, order.quantity) == Guard::too_large) return RiskStatus::NotionalOverflow;
    const Slot slot = orders_.slot_of(order.handle);
    if (pending_.account != 0 || orders_[slot].quantity != 0) return RiskStatus::Mismatch;
    if (orders_.full()) return RiskStatus::NoRoomForOrder;
    Place place = accounts_.place_of(account, book);
    const Holding& holding = accounts_.holdings_[place];
    const Quantity open = holding.open[index_of(order.side)];
    if (!Guard::position_fits(holding.position, order.side, open, order.quantity))
      return RiskStatus::PositionOverflow;
    if (place == Accounts::none && accounts_.full()) return RiskStatus::NoRoomForHolding;
    place = accounts_.hold(place, account, book);
    open_order(slot, order, account, book, place);
    accounts_.settle(place);
    return RiskStatus::Success;
  }

  /// Sets what an account has in a book; `open` is not read, since orders are adopted. Whoever sets all of them
  /// sees to it that the positions in a book sum to zero.
  /// Rejections: UnknownAccount, UnknownBook, Mismatch (a command is at work), PositionOverflow (also with what is
  /// open), NoRoomForHolding.
  [[nodiscard]] RiskStatus restore(const Holding& from) noexcept {
    if (!accounts_.has(from.account)) return RiskStatus::UnknownAccount;
    if (!has_book(from.book)) return RiskStatus::UnknownBook;
    if (pending_.account != 0) return RiskStatus::Mismatch;
    if (from.position < -AccountLimits::unlimited) return RiskStatus::PositionOverflow;
    Place place = accounts_.place_of(from.account, from.book);
    const Holding& now = accounts_.holdings_[place];
    for (const Side side : {Side::Buy, Side::Sell}) {
      if (!Guard::position_fits(from.position, side, now.open[index_of(side)], 0))
        return RiskStatus::PositionOverflow;
    }
    if (place == Accounts::none && accounts_.full()) return RiskStatus::NoRoomForHolding;
    place = accounts_.hold(place, from.account, from.book);
    Holding& holding = accounts_.holdings_[place];
    holding.position = from.position;
    holding.cost = from.cost;
    holding.realised = from.realised;
    accounts_.settle(place);
    return RiskStatus::Success;
  }

  /// Sets an account's cash and what it has paid in fees; of account 0, the venue's. Rejections: UnknownAccount.
  [[nodiscard]] RiskStatus restore(AccountNumber account, Amount cash, Amount fees) noexcept {
    if (account != 0 && !accounts_.has(account)) return RiskStatus::UnknownAccount;
    if (accounts_.size() == 0) return RiskStatus::UnknownAccount;
    accounts_.cash_[account].cash = cash;
    accounts_.cash_[account].fees = fees;
    return RiskStatus::Success;
  }

  // ---- Actions on accounts.

  /// Does to an account what `command` says. Where that cancels, each open order, oldest first, goes to
  /// `cancel(order)`, which takes it off the book and returns the book's status. An order that it does not take
  /// off stays open. `cancel` must not call the stage. Linear in the open orders of the account.
  /// Rejections: UnknownAccount, InvalidCommand (action is not an enumerator).
  template <class Cancel>
  [[nodiscard]] RiskStatus apply(const AccountCommand& command, Cancel&& cancel) noexcept {
    if (!accounts_.has(command.account)) return RiskStatus::UnknownAccount;
    Guard& guard = guards_[command.account];
    switch (command.action) {
      case AccountAction::Kill: guard.killed = true; break;
      case AccountAction::Restore: guard.killed = false; return RiskStatus::Success;
      case AccountAction::Disconnect:
        if (!guard.cancel_on_disconnect) return RiskStatus::Success;
        break;
      default: return RiskStatus::InvalidCommand;
    }
    orders_.for_each(command.account, [&](Slot slot) {
      const Place place = orders_[slot].holding;
      if (cancel(orders_.shown(slot)) == Status::Success) {
        close(slot);
        accounts_.settle(place);
      }
    });
    return RiskStatus::Success;
  }

  // ---- Commands, and what comes back.

  /// Applies an account's command to `book`, which has no rules, if it is accepted. `sink` gets the trades and
  /// must call neither. Rejections: those of `accept`, and Mismatch, after which the book has made the command.
  template <class Book, class CommandOf, TradeSink Sink>
  [[gnu::always_inline]] CheckedResult apply(Book& book, AccountNumber account, const CommandOf& command,
                                             Nanoseconds time, Sink&& sink,
                                             PositionEffect effect = PositionEffect::Any) noexcept {
    static_assert(std::same_as<typename CommandOf::TradeType, Trade>,
                  "llmes: before a book with rules stands a Venue: accounts must hear of prevented matches");
    OrderHandle named{};
    if constexpr (std::derived_from<CommandOf, Command>) {
      named = command.handle;
    } else if (!adds(command.type)) {
      named = book.handle_of(command.id);
    }
    RiskStatus risk = accept(account, command, time, named, effect);
    if (risk != RiskStatus::Success) return {risk, {Status::InvalidCommand}};
    const Result result = book.apply(command, [&](const Trade& trade) {
      if (const RiskStatus status = on_trade(trade); status != RiskStatus::Success) risk = status;
      sink(trade);
    });
    if (const RiskStatus status = on_result(result); status != RiskStatus::Success) risk = status;
    return {risk, result};
  }

  /// Decides whether an account may give a command now. If so, the trades and the result that come next are of
  /// this command. Cancels and reduces are always accepted from the order's account: no limit, rate or kill is
  /// looked at, and they are not counted. A replace or modify is looked at as if the old order had gone.
  /// InvalidCommand is also the answer to AddRestingBefore: no account may choose its place in a queue.
  /// A command without a number of a book is for book 0; one that names an order, for that of the order.
  /// Rejections, in this order: UnknownAccount, InvalidCommand, TimeWentBack, UnknownOrder, UnknownBook,
  /// AccountKilled, TooManyMessages, QuantityLimit, NoReference, OutsideCollar, NotionalOverflow, NotionalLimit;
  /// of an order that may rest OpenOrdersLimit, OpenQuantityLimit, NoRoomForOrder; PositionOverflow,
  /// PositionLimit or WouldIncrease, NoRoomForHolding, NeedsPrice, CashLimit. Other faults are the book's to tell.
  /// @param effect is looked at now alone: what the account sends later may leave less to reduce.
  /// @param named the handle of the order that it names; where it adds one, of no meaning
  /// @param rate whether it counts as a message
  template <class CommandOf>
  [[nodiscard, gnu::always_inline]] RiskStatus accept(AccountNumber account, const CommandOf& command,
                                                      Nanoseconds time, OrderHandle named,
                                                      PositionEffect effect = PositionEffect::Any,
                                                      MessageRate rate = MessageRate::Counted) noexcept {
    if (!accounts_.has(account)) return RiskStatus::UnknownAccount;
    const CommandType type = command.type;
    const bool added = adds(type);
    if (type >= CommandType::AddRestingBefore || (added && !is_side(command.side))) {
      return RiskStatus::InvalidCommand;
    }
    if (time < now_) return RiskStatus::TimeWentBack;

    Slot slot = OpenOrders::none;
    BookNumber number = 0;
    Side side = command.side;
    Quantity old_lots = 0;
    Amount old_paid = 0;
    if (added) {
      if constexpr (requires { command.book; }) number = command.book;
      if (!has_book(number)) return RiskStatus::UnknownBook;
    } else {
      slot = orders_.find(named);
      if (slot == OpenOrders::none) return RiskStatus::UnknownOrder;
      const OpenOrders::Order& old = orders_[slot];
      if (old.account != account) return RiskStatus::UnknownOrder;
      number = static_cast<BookNumber>(old.book);
      side = side_of(old);
      if (detail::takes_off(type)) {
        orders_.fetch_neighbours(slot);
        now_ = time;
        pending_.begin(account, type, slot, number, side);
        pending_.holding = old.holding;
        return RiskStatus::Success;
      }
      old_lots = old.quantity;
      old_paid = Accounts::to_pay(side, old.price, old.quantity);
    }

    Guard& guard = guards_[account];
    const Quantity lots = command.quantity;
    if (guard.killed) return RiskStatus::AccountKilled;
    const std::uint64_t backlog = guard.backlog_at(time);
    const bool counted = rate == MessageRate::Counted;
    if (counted && backlog > guard.backlog_max) return RiskStatus::TooManyMessages;
    const bool at_market = type == CommandType::AddMarket;
    RiskStatus status = guard.check_price(references_[number], at_market, side, command.price, lots);
    if (status != RiskStatus::Success) return status;
    const Place place = accounts_.place_of(account, number, guard.holding);
    const Holding& holding = accounts_.holdings_[place];
    const Quantity open = holding.open[index_of(side)] - old_lots;
    if (detail::may_rest(type, command.time_in_force)) {
      status = check_open(guard, added, open, lots);
      if (status != RiskStatus::Success) return status;
    }
    status = guard.check_position(holding.position, side, open, lots, effect == PositionEffect::OnlyReduce);
    if (status != RiskStatus::Success) return status;
    if (place == Accounts::none && accounts_.full()) return RiskStatus::NoRoomForHolding;
    if (guard.has_credit_limit) {
      if (at_market) return RiskStatus::NeedsPrice;
      const Amount more_paid = Accounts::to_pay(side, command.price, lots) - old_paid;
      if (!affords(account, accounts_.in_cash(more_paid, Amount{lots} - old_lots))) return RiskStatus::CashLimit;
    }

    guard.holding = place;
    if (counted) count_message(guard, backlog, time);
    now_ = time;
    pending_.begin(account, type, slot, number, side);
    pending_.left = lots;
    pending_.holding = place;
    pending_.price = command.price;
    pending_.new_id = added ? command.id : replaces(type) ? command.replacing_id() : orders_[slot].id;
    if constexpr (requires { command.terms.client_tag; }) {  // others have none, and never had
      const bool is_said = added || (replaces(type) && command.terms.client_tag != 0);
      pending_.client_tag = is_said ? command.terms.client_tag : orders_[slot].client_tag;
    }
    return RiskStatus::Success;
  }

  template <std::derived_from<Command> CommandOf>
  [[nodiscard, gnu::always_inline]] RiskStatus accept(AccountNumber account, const CommandOf& command,
                                                      Nanoseconds time) noexcept {
    return accept(account, command, time, command.handle);
  }

  /// Decides whether an account may send an order that waits outside of the book, such as a stop; `accept` looks
  /// at the rest when it comes to the book. Rejections, in this order: UnknownAccount, TimeWentBack,
  /// AccountKilled, TooManyMessages, QuantityLimit.
  [[nodiscard]] RiskStatus accept_waiting(AccountNumber account, Quantity lots, Nanoseconds time,
                                          MessageRate rate = MessageRate::Counted) noexcept {
    if (!accounts_.has(account)) return RiskStatus::UnknownAccount;
    if (time < now_) return RiskStatus::TimeWentBack;
    Guard& guard = guards_[account];
    if (guard.killed) return RiskStatus::AccountKilled;
    const std::uint64_t backlog = guard.backlog_at(time);
    const bool counted = rate == MessageRate::Counted;
    if (counted && backlog > guard.backlog_max) return RiskStatus::TooManyMessages;
    if (lots > guard.order_quantity) return RiskStatus::QuantityLimit;
    if (counted) count_message(guard, backlog, time);
    now_ = time;
    return RiskStatus::Success;
  }

  /// The tag of the order of the command accepted last; and that of an open order, which the handle must name.
  [[nodiscard]] std::uint32_t client_tag() const noexcept {
    return static_cast<std::uint32_t>(pending_.client_tag);
  }
  [[nodiscard]] std::uint32_t client_tag_of(OrderHandle open) const noexcept {
    return static_cast<std::uint32_t>(orders_[orders_.slot_of(open)].client_tag);
  }

  /// Books a trade of the command accepted last.
  /// Rejections: Mismatch (no command is at work that trades, the maker is no open order of the other side of its
  /// book, or price or quantities are not those of the two).
  [[nodiscard]] RiskStatus on_trade(const Trade& trade) noexcept {
    const Slot slot = orders_.find(trade.maker_handle);
    if (slot == OpenOrders::none || !accounts_.has(pending_.account)) return RiskStatus::Mismatch;
    const OpenOrders::Order& maker = orders_[slot];
    if (maker.book != pending_.book || side_of(maker) == pending_.side || trade.taker_side != pending_.side ||
        maker.price != trade.price || trade.quantity == 0 || trade.quantity > maker.quantity ||
        trade.quantity > pending_.left) {
      return RiskStatus::Mismatch;
    }
    const Place made = maker.holding;
    accounts_.fill(take_off(slot, trade.quantity), opposite(pending_.side), trade.price, trade.quantity,
                   accounts_.fees_.maker);
    hold_pending(pending_.account);
    accounts_.fill(accounts_.holdings_[pending_.holding], pending_.side, trade.price, trade.quantity,
                   accounts_.fees_.taker);
    accounts_.settle(made);
    pending_.left -= trade.quantity;
    references_[pending_.book].traded(trade.price);
    return RiskStatus::Success;
  }

  /// Ends the command accepted last: counts the order as open that rests now, and no more what has gone. A result
  /// that is a rejection changes nothing.
  /// Rejections: Mismatch (no command is at work, or more rests than the command can have left, or under a
  /// handle whose slot another open order has); the command is at its end then, too.
  [[nodiscard, gnu::always_inline]] RiskStatus on_result(const Result& result) noexcept {
    const AccountNumber account = std::exchange(pending_.account, 0);
    if (!accounts_.has(account)) return RiskStatus::Mismatch;
    const RiskStatus status = end(result, account);
    accounts_.settle(pending_.holding);
    return status;
  }

  /// Its state, part by part, for an image.
  static void visit_state(auto& self, auto& visit) noexcept {
    RiskState::visit_state(self, visit);
    visit(self.now_);
  }

 private:
  RiskStage(const RiskConfig& config, IdSlots&& pairs) noexcept : RiskState(config, std::move(pairs)) {}

  /// The command at work trades or rests, so the account has a holding in its book: one that came to nothing has
  /// made none. There is room, as `accept` has seen it and no other pair has come since.
  [[gnu::always_inline]] void hold_pending(AccountNumber account) noexcept {
    if (pending_.holding != Accounts::none) [[likely]]
      return;
    pending_.holding = accounts_.hold(account, pending_.book);
    guards_[account].holding = pending_.holding;
  }
  /// What `on_result` does to orders.
  [[gnu::always_inline]] RiskStatus end(const Result& result, AccountNumber account) noexcept {
    const detail::CommandAtWork& done = pending_;
    if (result.status != Status::Success) return RiskStatus::Success;
    if (detail::takes_off(done.type)) {
      const Quantity open = orders_[done.slot].quantity;
      if (result.remaining >= open) return RiskStatus::Mismatch;
      take_off(done.slot, open - result.remaining);
      return RiskStatus::Success;
    }
    if (result.remaining > done.left) return RiskStatus::Mismatch;
    const Slot slot = orders_.slot_of(result.handle);
    if (result.rests() && orders_[slot].quantity != 0 && slot != done.slot) return RiskStatus::Mismatch;
    if (done.slot != OpenOrders::none) close(done.slot);
    if (!result.rests()) return RiskStatus::Success;
    hold_pending(account);
    open_order(slot, {result.handle, done.new_id, done.side, done.price, result.remaining}, account, done.book,
               done.holding, done.client_tag);
    return RiskStatus::Success;
  }

  static void count_message(Guard& guard, std::uint64_t backlog, Nanoseconds time) noexcept {
    guard.backlog = backlog + guard.message_interval;
    guard.backlog_time = time;
  }

  Nanoseconds now_ = 0;  ///< of the command accepted last
  detail::CommandAtWork pending_{};
};

}  // namespace llmes::inline LLMES_NAMESPACE
