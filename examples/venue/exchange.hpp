// SPDX-License-Identifier: MIT
//
// The machine that the engine of the exchange runs: a venue whose books are published in ITCH, and what has to be
// known to tell each user of its orders. Outcomes are a function of the records alone.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "entry.hpp"
#include "fill_outcome.hpp"
#include "llmes/engine.hpp"
#include "llmes/market_data.hpp"
#include "llmes/venue.hpp"
#include "llmes/wire.hpp"
#include "order_table.hpp"
#include "outcome.hpp"

namespace exchange {

using llmes::CreateStatus;
using llmes::Phase;
using llmes::Side;
using llmes::VenueCommandType;
using llmes::VenueReport;
using llmes::VenueReportKind;
using llmes::VenueStatus;

struct ExchangeConfig {
  llmes::VenueConfig venue{};
  std::size_t users = 0;  ///< the most that may send orders in a day
};

class Exchange {
  /// Takes the messages of the feed. It stays where it is, as the sink and the books refer to it.
  struct Output {
    Exchange* exchange = nullptr;
    void operator()(llmes::itch::MessageBytes message) const noexcept { exchange->tell_feed(message); }
  };
  using Sink = llmes::ItchSink<Output&>;
  using Books = llmes::Publisher<llmes::VenueBook, Sink&>;
  using Venue = llmes::Venue<Books>;

 public:
  using Record = EntryRecord;
  using Report = Outcome;
  using Config = ExchangeConfig;

  [[nodiscard]] static std::optional<Exchange> create(const Config& config, CreateStatus& status) noexcept {
    auto output = std::unique_ptr<Output>(new (std::nothrow) Output);
    status = CreateStatus::OutOfMemory;
    if (output == nullptr) return {};
    const std::size_t books = config.venue.books.max_books;
    std::optional<Sink> made =
        Sink::create({.books = books, .capacity = config.venue.books.capacity}, *output, status);
    if (!made) return {};
    auto sink = std::unique_ptr<Sink>(new (std::nothrow) Sink(std::move(*made)));
    status = CreateStatus::OutOfMemory;
    if (sink == nullptr) return {};
    auto book = llmes::VenueBook::create(config.venue.books, config.venue.ids, status);
    if (!book) return {};
    auto published = Books::create(std::move(*book), *sink, status);
    if (!published) return {};
    auto venue = Venue::create(config.venue, std::move(*published), status);
    if (!venue) return {};
    // All that rest or wait. An order that trades at once is known for a moment, though the books may be full.
    auto orders =
        OrderTable::create(config.venue.books.capacity + config.venue.stops + 3 * config.venue.links + 2, status);
    if (!orders) return {};
    auto users = llmes::detail::IdSlots::create(config.users, status);
    if (!users) return {};
    llmes::ZeroedArray<Entered> entered(users->slot_count());
    llmes::ZeroedArray<Fill> fills(config.venue.matches);
    llmes::ZeroedArray<Listed> symbols(books);
    status = CreateStatus::OutOfMemory;
    if (!entered.allocated() || !fills.allocated() || !symbols.allocated()) return {};
    status = CreateStatus::Success;
    return Exchange(std::move(output), std::move(sink), std::move(*venue), std::move(*orders), std::move(*users),
                    std::move(entered), std::move(fills), std::move(symbols));
  }

  Exchange(Exchange&&) noexcept = default;

  void apply(std::span<const Record> records, llmes::BasicReportTarget<Report>& target) noexcept {
    output_->exchange = this;
    writer_.begin(target);
    for (const Record& record : records) {
      record_ = &record;
      const SenderTexts& texts = record.sender.texts;
      if (record.sender.type == EntryType::Original) {
        original_ = client_id_of(texts.client_id());
      } else if (!texts.has_original_before()) {
        original_ = client_id_of(texts.original());
      }
      sink_->set_time(std::chrono::nanoseconds(record.command.time % day_length));
      run(record.command, record.sender);
    }
    writer_.end();
  }

  // ---- Queries.

  [[nodiscard]] const Venue& venue() const noexcept { return venue_; }
  [[nodiscard]] std::uint64_t day() const noexcept { return day_; }
  /// Gives `to` the messages of ITCH that a reader needs who has none yet.
  /// @return the sequence of the message from which on it needs all
  template <class To>
  std::uint64_t snapshot(To&& to) const noexcept {
    return sink_->snapshot(venue_.book().book().book(), to) - day_began_at_;
  }

  // ---- What an engine asks of a machine.

  [[nodiscard]] static llmes::JournalParameters parameters_of(const Config& config) noexcept {
    llmes::JournalParameters parameters = llmes::VenueMachine<>::parameters_of(config.venue);
    parameters.kind = llmes::JournalParameters("exchange, long ids").kind;
    (void)parameters.add("users", config.users);
    return parameters;
  }
  /// Of its whole state, as the same records leave the same bytes.
  [[nodiscard]] std::uint64_t digest() const noexcept {
    llmes::Digest digest;
    std::ignore = llmes::detail::walk_state(*this, [&](auto part) {
      for (const std::byte byte : std::as_bytes(part)) digest.add(std::to_integer<std::uint64_t>(byte));
      return true;
    });
    return digest.value();
  }
  [[nodiscard]] bool holds() const noexcept {
    return llmes::ImageCheck::holds(venue_.book().book()) && venue_.holds() && sink_->holds() && orders_.holds() &&
           users_.holds() && lists_hold();
  }
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.venue_, self.orders_, self.users_, self.entered_, self.fills_, self.symbols_, self.day_,
          self.day_began_at_, self.original_);
  }

 private:
  static constexpr Nanoseconds day_length = 86'400'000'000'000;

  /// Of a trade that can still be undone.
  struct Fill {
    OrderId taker;
    OrderId maker;
  };
  /// What a user has done today.
  struct Entered {
    std::uint32_t reference;    ///< the last one
    OrderList open;             ///< orders
    std::uint32_t is_disabled;  ///< 1 if it takes no new orders
  };
  struct Listed {
    std::uint64_t name;  ///< 0: none
    std::uint64_t tick;  ///< in ten-thousandths
    Quantity lot;
  };

  Exchange(std::unique_ptr<Output> output, std::unique_ptr<Sink> sink, Venue&& venue, OrderTable&& orders,
           llmes::detail::IdSlots&& users, llmes::ZeroedArray<Entered>&& entered, llmes::ZeroedArray<Fill>&& fills,
           llmes::ZeroedArray<Listed>&& symbols)
      : output_(std::move(output)),
        sink_(std::move(sink)),
        venue_(std::move(venue)),
        orders_(std::move(orders)),
        users_(std::move(users)),
        entered_(std::move(entered)),
        fills_(std::move(fills)),
        symbols_(std::move(symbols)) {}

  // ---- Records.

  void run(const VenueCommand& command, const Sender& sender) noexcept {
    switch (sender.type) {
      case EntryType::Operate: return operate(command);
      case EntryType::Enter: return enter(command, sender);
      case EntryType::Replace: return replace(command, sender);
      case EntryType::Cancel:
      case EntryType::Modify: return reduce(command, sender);
      case EntryType::Query: return answer_query(sender);
      case EntryType::LogOut: return cancel_all_of(sender, llmes::ouch::CancelReason::SystemCancel);
      case EntryType::MassCancel: return manage(OutcomeKind::MassCanceled, sender);
      case EntryType::DisableEntry: return manage(OutcomeKind::EntryDisabled, sender);
      case EntryType::EnableEntry: return manage(OutcomeKind::EntryEnabled, sender);
      case EntryType::NewDay: return begin_day(command);
      case EntryType::Original: return;  // the next record is about it
    }
  }

  /// Runs a command of the venue. Its reports are kept until all have come, because a user hears of its order
  /// before it hears of its fills.
  /// @return the last one, Done
  const VenueReport& apply(const VenueCommand& command) noexcept {
    reports_.clear();
    venue_.apply(command, record_->sequence, [this](const VenueReport& report) { reports_.push_back(report); });
    return reports_.back();
  }

  /// The same of a new order or a replace, which its user may have disabled.
  [[nodiscard]] VenueReport apply_entry(const VenueCommand& command, UserId user) noexcept {
    const auto slot = users_.find(user);
    if (slot == llmes::detail::IdSlots::none || entered_[slot].is_disabled == 0) return apply(command);
    VenueReport refused;
    refused.status = VenueStatus::RefusedByRisk;
    refused.risk = llmes::RiskStatus::AccountKilled;
    return refused;
  }

  void operate(const VenueCommand& command) noexcept {
    const VenueReport done = apply(command);
    const bool lists = command.type == VenueCommandType::SetSymbol && done.status == VenueStatus::Success;
    if (lists) {
      Listed& listed = symbols_[command.book];
      listed = {command.id, std::max<std::uint64_t>(static_cast<std::uint64_t>(command.price), 1),
                command.quantity};
      tell_symbol(command.book);
    }
    follow();
  }

  void enter(const VenueCommand& asked, const Sender& asker) noexcept {
    VenueCommand command = asked;
    const Sender sender = numbered(asker);
    if (sender.protocol == Protocol::Fix) command.id = order_id(sender.user, sender.reference);
    if (!is_next(sender)) return sender.protocol == Protocol::Fix ? reject(sender, refused::number) : void();
    if (sender.refused != 0) return reject(sender, sender.refused);
    const VenueReport done = apply_entry(command, sender.user);
    if (done.status != VenueStatus::Success) return reject(sender, done, command.book);
    const OrderId id = order_id(sender.user, sender.reference);
    KnownOrder& order = orders_.add(id, entered_[users_.find(sender.user)].open);
    order.leaves = order.ordered = command.quantity;
    order.account = command.account;
    order.book = command.book;
    note(order, sender);
    Outcome& outcome = tell_order(OutcomeKind::Accepted, id, order, done);
    if (command.lifetime == llmes::Lifetime::UntilTime) outcome.expiry = command.expiry;
    follow();
    if (command.stop == llmes::StopTrigger::None) drop_rest(id, done);
  }

  void replace(const VenueCommand& command, const Sender& asker) noexcept {
    const OrderId old_id = order_id(asker.user, asker.original);
    KnownOrder* order = find_named(old_id, asker);
    if (order == nullptr) return reject_cancel(asker, {}, asker.refused);  // and the number is not used up
    const bool is_empty = command.quantity <= order->cumulative;
    const std::uint64_t tick = symbols_[order->book].tick;
    const bool is_off_tick = asker.price4 % tick != 0;
    const bool is_wrong = asker.refused != 0 || is_empty || is_off_tick;
    if (asker.protocol == Protocol::Fix) {
      const auto invalid_price = static_cast<std::uint16_t>(llmes::ouch::RejectReason::InvalidPrice);
      std::uint16_t number = asker.refused != 0 ? asker.refused : mismatch(*order, asker);
      if (number == 0 && is_empty) number = refused::traded;
      if (number == 0 && is_off_tick) number = invalid_price;
      if (number != 0) return reject_cancel(asker, {}, number, order);
    }
    const Sender sender = numbered(asker);
    if (!is_next(sender))
      return sender.protocol == Protocol::Fix ? reject_cancel(sender, {}, refused::number, order) : void();
    if (is_wrong) {
      cancel(old_id, *order, llmes::ouch::CancelReason::ByUser);
      return;
    }
    VenueCommand change = command;
    change.type = VenueCommandType::Replace;
    change.account = order->account;
    change.id = old_id;
    change.new_id = order_id(sender.user, sender.reference);
    change.price = static_cast<Price>(sender.price4 / tick);
    change.quantity = command.quantity - order->cumulative;
    change.peak = std::min(command.peak, change.quantity);  // whose bound is the quantity with what is filled
    const VenueReport done = apply_entry(change, sender.user);
    if (done.status != VenueStatus::Success) return reject(sender, done, order->book, order);
    KnownOrder& now = orders_.rename(old_id, change.new_id);
    now.ordered = command.quantity;
    now.leaves = change.quantity;
    const char side = now.side, capacity = now.capacity;
    const ClientId original = now.client_id;
    note(now, sender);
    now.side = side;
    now.capacity = capacity;
    Outcome& outcome = tell_order(OutcomeKind::Replaced, change.new_id, now, done);
    outcome.original = sender.original;
    outcome.original_client_id = original;
    follow();
    drop_rest(change.new_id, done);
  }

  /// Cancel and Modify. A Cancel that changes nothing is silent, and so is a Modify that is not allowed. To modify
  /// to no more than has traded is to cancel what is left.
  void reduce(const VenueCommand& command, const Sender& sender) noexcept {
    const OrderId id = order_id(sender.user, sender.reference);
    KnownOrder* const order = find_named(id, sender);
    if (order == nullptr) return reject_cancel(sender, {}, sender.refused);
    std::uint16_t number = sender.refused;
    if (number == 0 && sender.protocol == Protocol::Fix) number = mismatch(*order, sender);
    if (number != 0) return reject_cancel(sender, {}, number, order);
    const Quantity left = command.quantity - std::min(command.quantity, order->cumulative);
    const bool modifies = sender.type == EntryType::Modify && left != 0;
    if (sender.type == EntryType::Modify) {
      if (!may_become(order->side, sender.side) || left > order->leaves) return;
    } else if (left >= order->leaves) {
      return reject_cancel(sender);
    }
    if (left < order->leaves) {
      VenueCommand change = command;
      change.type = left == 0 ? VenueCommandType::Cancel : VenueCommandType::Reduce;
      change.account = order->account;
      change.id = id;
      change.quantity = order->leaves - left;
      const VenueReport done = apply(change);
      if (done.status != VenueStatus::Success) return reject_cancel(sender, done, 0, order);
    }
    if (modifies) {
      order->side = sender.side;
      order->leaves = left;
      order->ordered = order->cumulative + left;
      Outcome& outcome = tell_order(OutcomeKind::Modified, id, *order);
      outcome.quantity = order->ordered;
      reports_.clear();
      return;
    }
    follow();
  }

  void answer_query(const Sender& sender) noexcept {
    Outcome& outcome = tell(OutcomeKind::QueryResponse);
    outcome.user = sender.user;
    const auto slot = users_.find(sender.user);
    outcome.reference = slot == llmes::detail::IdSlots::none ? 1 : entered_[slot].reference + 1;
  }

  /// Of the user, whatever its account. Linear in its own open orders.
  void cancel_all_of(const Sender& sender, llmes::ouch::CancelReason reason) noexcept {
    const auto slot = users_.find(sender.user);
    if (slot == llmes::detail::IdSlots::none) return;
    const bool all = sender.type == EntryType::LogOut || sender.symbol == pack_symbol({});
    ids_.clear();  // one that is cancelled may take others with it
    orders_.visit(entered_[slot].open, [&](OrderId id, const KnownOrder& order) {
      if (all || symbols_[order.book].name == sender.symbol) ids_.push_back(id);
    });
    for (const OrderId id : ids_) {
      if (const KnownOrder* const order = orders_.find(id)) cancel(id, *order, reason);
    }
  }
  /// A command about all orders of a user.
  void manage(OutcomeKind kind, const Sender& sender) noexcept {
    if (!is_next(sender)) return;
    if (sender.refused != 0) return reject(sender, sender.refused);
    fill_in(tell(kind), sender);
    if (kind == OutcomeKind::MassCanceled) return cancel_all_of(sender, llmes::ouch::CancelReason::ByUser);
    entered_[users_.find(sender.user)].is_disabled = kind == OutcomeKind::EntryDisabled ? 1 : 0;
  }

  void begin_day(const VenueCommand& command) noexcept {
    VenueCommand change;
    change.time = command.time;
    change.type = VenueCommandType::SetPhase;
    change.book = VenueCommand::all_books;
    change.phase = Phase::Closed;
    if (day_ != 0) {
      apply(change);
      follow();
      VenueCommand all = {.time = command.time,
                          .price = std::numeric_limits<Price>::min(),
                          .trigger = std::numeric_limits<Price>::max(),
                          .book = VenueCommand::all_books,
                          .type = VenueCommandType::MassCancel,
                          .side = VenueCommand::both_sides};
      apply(all);
      follow(llmes::ouch::CancelReason::Closed);
      tell(OutcomeKind::SystemEvent).reason = 'E';
      sink_->system_event(llmes::itch::EventCode::EndOfMessages);
    }
    ++day_;
    for (std::size_t slot = 0; slot < entered_.size(); ++slot) {
      entered_[slot].reference = 0;
      entered_[slot].is_disabled = 0;
    }
    tell(OutcomeKind::DayBegan).quantity = day_;
    day_began_at_ = sink_->messages();
    tell(OutcomeKind::SystemEvent).reason = 'S';
    sink_->system_event(llmes::itch::EventCode::StartOfMessages);
    change.phase = Phase::Continuous;
    for (BookNumber book = 0; book < symbols_.size(); ++book) {
      if (symbols_[book].name == 0) continue;
      tell_symbol(book);
      change.book = book;
      apply(change);
      follow();
    }
  }

  /// Whether each order is in the list of its user.
  [[nodiscard]] bool lists_hold() const noexcept {
    std::size_t all = 0;
    for (std::uint32_t slot = 1; slot < users_.slot_count(); ++slot) {
      const std::optional<std::size_t> own =
          orders_.count(entered_[slot].open, static_cast<UserId>(users_.id_at(slot)));
      if (!own) return false;
      all += *own;
    }
    return all == orders_.size();
  }

  // ---- Parts of them.

  /// Whether its reference is above all before; else it is a copy of what came before a reconnect. A user for whom
  /// there is no room is refused.
  [[nodiscard]] bool is_next(const Sender& sender) noexcept {
    auto slot = users_.find(sender.user);
    if (slot == llmes::detail::IdSlots::none) {
      if (users_.full()) {
        reject(sender, static_cast<std::uint16_t>(llmes::ouch::RejectReason::ProcessingError));
        return false;
      }
      slot = users_.insert(sender.user);
      entered_[slot] = {};
    }
    if (sender.reference <= entered_[slot].reference) return false;
    entered_[slot].reference = sender.reference;
    return true;
  }
  void forget(OrderId id) noexcept { orders_.erase(id, entered_[users_.find(user_of(id))].open); }
  /// With the number that its new order gets. A client of FIX knows none, and its gateway only those that were
  /// told.
  [[nodiscard]] Sender numbered(const Sender& sender) const noexcept {
    Sender numbered = sender;
    const auto slot = users_.find(sender.user);
    if (sender.protocol != Protocol::Fix || slot == llmes::detail::IdSlots::none) return numbered;
    const std::uint32_t last = entered_[slot].reference;
    const bool has_next = last != std::numeric_limits<std::uint32_t>::max();
    if (sender.reference <= last && has_next) numbered.reference = last + 1;
    return numbered;
  }
  /// The order that a message names; nullptr if there is none. A client of FIX means what it calls so.
  [[nodiscard]] KnownOrder* find_named(OrderId id, const Sender& sender) noexcept {
    KnownOrder* const order = orders_.find(id);
    const bool is_other = order != nullptr && sender.protocol == Protocol::Fix && order->client_id != original_;
    return is_other ? nullptr : order;
  }
  /// What a client of FIX says of an order, and is not so; 0: nothing.
  [[nodiscard]] std::uint16_t mismatch(const KnownOrder& order, const Sender& sender) const noexcept {
    const auto side_of = [](char letter) { return letter == 'E' ? 'T' : letter; };  // FIX has one of both
    if (sender.symbol != symbols_[order.book].name) return refused::symbol;
    return side_of(sender.side) != side_of(order.side) ? refused::side : std::uint16_t{0};
  }
  void cancel(OrderId id, const KnownOrder& order, llmes::ouch::CancelReason reason) noexcept {
    VenueCommand change;
    change.time = record_->command.time;
    change.type = VenueCommandType::Cancel;
    change.account = order.account;
    change.id = id;
    apply(change);
    follow(reason);
  }
  /// What is left of an order that does not rest is gone.
  void drop_rest(OrderId id, const VenueReport& done) noexcept {
    KnownOrder* const order = orders_.find(id);
    if (order == nullptr || done.remaining != 0) return;
    take_off(id, *order, order->leaves, llmes::ouch::CancelReason::ImmediateOrCancel);
  }

  // ---- What reports mean for users and for the feed.

  void follow(llmes::ouch::CancelReason asked = llmes::ouch::CancelReason::ByUser) noexcept {
    for (const VenueReport& report : reports_) follow(report, asked);
    reports_.clear();
  }
  void follow(const VenueReport& report, llmes::ouch::CancelReason asked) noexcept {
    using Kind = VenueReportKind;
    switch (report.kind) {
      case Kind::Executed:
        fills_[report.match % fills_.size()] = {report.id, report.other_id};
        traded(report, report.id);
        return traded(report, report.other_id);
      case Kind::Prevented: prevented(report, report.id); return prevented(report, report.other_id);
      case Kind::Refilled:
        if (KnownOrder* const order = orders_.find(report.id)) {
          tell_order(OutcomeKind::PriorityUpdate, report.id, *order, report);
        }
        return;
      case Kind::Reduced:
      case Kind::Deleted:
        if (KnownOrder* const order = orders_.find(report.id)) {
          take_off(report.id, *order, std::min(report.quantity, order->leaves), letter_of(report.reason, asked));
        }
        return;
      case Kind::Fired: return drop_rest(report.id, report);
      case Kind::PhaseChanged:
      case Kind::Halted:
      case Kind::Resumed: return tell_phase(report);
      case Kind::Uncrossed:
        if (report.quantity != 0) sink_->cross(report.book, report.price, report.quantity, cross_of(report.phase));
        return;
      case Kind::Busted: return broken(report);
      default: return;
    }
  }

  /// As OUCH has the letters: it took, it rested unseen, or it rested.
  [[nodiscard]] static char liquidity_of(const VenueReport& report, OrderId id, const KnownOrder& order) noexcept {
    if (report.in_auction()) return 'O';
    if (id == report.id) return 'R';
    return order.display == static_cast<char>(llmes::ouch::Display::Hidden) ? 'J' : 'A';
  }
  void traded(const VenueReport& report, OrderId id) noexcept {
    KnownOrder* const order = orders_.find(id);
    if (order == nullptr) return;
    const std::uint64_t price4 = static_cast<std::uint64_t>(report.price) * symbols_[report.book].tick;
    order->cumulative += report.quantity;
    order->leaves -= std::min(order->leaves, report.quantity);
    order->value += price4 * report.quantity;
    Outcome& outcome = tell_order(OutcomeKind::Executed, id, *order);
    outcome.quantity = report.quantity;
    outcome.price4 = price4;
    outcome.match = report.match;
    outcome.liquidity = liquidity_of(report, id, *order);
    if (order->leaves == 0) forget(id);
  }
  void prevented(const VenueReport& report, OrderId id) noexcept {
    KnownOrder* const order = orders_.find(id);
    if (order == nullptr) return;
    const Quantity by = std::min(order->leaves, report.quantity);
    order->leaves -= by;
    Outcome& outcome = tell_order(OutcomeKind::SelfTradeCanceled, id, *order);
    outcome.quantity = by;
    outcome.price4 = static_cast<std::uint64_t>(report.price) * symbols_[report.book].tick;
    outcome.reason = static_cast<char>(llmes::ouch::CancelReason::SelfTrade);
    outcome.liquidity = liquidity_of(report, id, *order);
    if (order->leaves == 0) forget(id);
  }
  void take_off(OrderId id, KnownOrder& order, Quantity by, llmes::ouch::CancelReason reason) noexcept {
    order.leaves -= by;
    Outcome& outcome = tell_order(OutcomeKind::Canceled, id, order);
    outcome.quantity = by;
    outcome.reason = static_cast<char>(reason);
    const Sender& sender = record_->sender;
    if (sender.protocol == Protocol::Fix && sender.type == EntryType::Cancel &&
        id == order_id(sender.user, sender.reference)) {
      outcome.original_client_id = order.client_id;
      outcome.client_id = client_id_of(sender.texts.client_id());
    }
    if (order.leaves == 0) forget(id);
  }
  void broken(const VenueReport& report) noexcept {
    sink_->broken(report.book, llmes::itch::MatchNumber{report.match});
    const Fill fill = fills_[report.match % fills_.size()];
    for (const OrderId id : {fill.taker, fill.maker}) {
      Outcome& outcome = tell(OutcomeKind::Broken);
      outcome.user = user_of(id);
      outcome.reference = reference_of(id);
      outcome.book = report.book;
      outcome.match = report.match;
      outcome.quantity = report.quantity;
      outcome.price4 = static_cast<std::uint64_t>(report.price) * symbols_[report.book].tick;
      outcome.reason = 'S';
    }
  }

  // ---- Outcomes.

  Outcome& tell(OutcomeKind kind) noexcept {
    Outcome& outcome = writer_.next();
    outcome = {};
    outcome.sequence = record_->sequence;
    outcome.time = record_->command.time;
    outcome.kind = kind;
    return outcome;
  }
  /// About an order as it is now. Each has a reference, which is the feed's where the feed shows it.
  Outcome& tell_order(OutcomeKind kind, OrderId id, const KnownOrder& order,
                      const VenueReport& report = {}) noexcept {
    Outcome& outcome = tell(kind);
    outcome.protocol = record_->sender.protocol;
    fill_in(outcome, id, order);
    outcome.symbol = symbols_[order.book].name;
    const bool rests = report.handle.value() != 0;
    const auto shown = rests ? static_cast<std::uint64_t>(sink_->numbers().find(report.handle)) : 0;
    outcome.order_reference = shown != 0 ? shown : id;
    return outcome;
  }
  [[nodiscard]] static bool refuses_terms(const VenueReport& done) noexcept {
    const bool is_of_book =
        done.status == VenueStatus::RefusedByBook && done.result == llmes::Status::InvalidCommand;
    return is_of_book || done.status == VenueStatus::InvalidCommand;
  }
  void reject(const Sender& sender, std::uint16_t number) noexcept {
    Outcome& outcome = tell(OutcomeKind::Rejected);
    fill_in_refused(outcome, sender, original_, number == sender.refused);
    outcome.reject = number;
    outcome.quantity = record_->command.quantity;
  }
  /// @param order that stays as it is, if there is one
  void reject(const Sender& sender, const VenueReport& done, BookNumber book,
              const KnownOrder* order = nullptr) noexcept {
    Outcome& outcome = tell(OutcomeKind::Rejected);
    fill_in_refused(outcome, sender, original_, refuses_terms(done));
    if (order != nullptr) fill_in_state(outcome, *order);
    outcome.quantity = record_->command.quantity;
    outcome.reject = reject_number_of(done);
    outcome.status = done.status;
    outcome.risk = done.risk;
    outcome.result = done.result;
    outcome.book = book;
    if (book < symbols_.size()) outcome.symbol = symbols_[book].name;
  }
  /// A client of FIX hears that there is nothing to cancel or to replace; OUCH is silent.
  /// @param number why, if the message itself is wrong
  /// @param order that it names, if that is there
  void reject_cancel(const Sender& sender, const VenueReport& done = {}, std::uint16_t number = 0,
                     const KnownOrder* order = nullptr) noexcept {
    if (sender.protocol != Protocol::Fix) return;
    Outcome& outcome = tell(OutcomeKind::CancelRejected);
    fill_in_refused(outcome, sender, original_, number != 0 && number == sender.refused);
    if (order != nullptr) fill_in_state(outcome, *order);
    outcome.quantity = record_->command.quantity;
    outcome.reject = number;
    outcome.status = done.status == VenueStatus::Success && number == 0 ? VenueStatus::UnknownOrder : done.status;
    outcome.risk = done.risk;
    outcome.result = done.result;
  }
  void tell_feed(llmes::itch::MessageBytes message) noexcept {
    Outcome& outcome = tell(OutcomeKind::Feed);
    outcome.size = static_cast<std::uint8_t>(std::min(message.size(), outcome.message.size()));
    std::copy_n(message.begin(), outcome.size, outcome.message.begin());
  }
  void tell_symbol(BookNumber book) noexcept {
    const Listed& listed = symbols_[book];
    Outcome& outcome = tell(OutcomeKind::SymbolKnown);
    outcome.symbol = listed.name;
    outcome.book = book;
    outcome.price4 = listed.tick;
    outcome.quantity = listed.lot;
    const std::array<char, 8> letters = symbol_letters(listed.name);
    llmes::itch::StockDirectory directory{.symbol = std::string_view(letters.data(), letters.size())};
    directory.round_lot = static_cast<std::uint32_t>(listed.lot);
    sink_->directory(book, directory, static_cast<std::uint32_t>(listed.tick));
  }
  void tell_phase(const VenueReport& report) noexcept {
    using enum llmes::itch::TradingState;
    if (symbols_[report.book].name == 0) return;
    const bool halted = venue_.symbol(report.book)->halted != 0;
    const bool trades = report.phase == Phase::Continuous;
    sink_->trading(report.book, halted || report.phase == Phase::Closed ? Halted
                                : trades                                ? Trading
                                                                        : QuotationOnly);
  }

  std::unique_ptr<Output> output_;
  std::unique_ptr<Sink> sink_;
  Venue venue_;
  OrderTable orders_;
  llmes::detail::IdSlots users_;
  llmes::ZeroedArray<Entered> entered_;  ///< of each user, by its slot
  llmes::ZeroedArray<Fill> fills_;       ///< by match number
  llmes::ZeroedArray<Listed> symbols_;   ///< by book
  std::uint64_t day_ = 0;
  std::uint64_t day_began_at_ = 0;  ///< how many messages the feed had before
  ClientId original_{};             ///< what the sender of the last record calls the order that it names
  // Of the record at work.
  std::vector<VenueReport> reports_;
  std::vector<OrderId> ids_;
  llmes::ReportWriter<Outcome> writer_;
  const Record* record_ = nullptr;
};

}  // namespace exchange
