// SPDX-License-Identifier: MIT
//
// The machine that the engine of the exchange runs: a venue whose books are published in ITCH, and what has to be
// known to tell each user of its orders. Outcomes are a function of the records alone.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
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

/// Who wants to know when the exchange is at work. It is called in the thread in which that is.
class ExchangeWatcher {
 public:
  virtual void begins() noexcept = 0;
  /// Some outcomes are told, and more come.
  virtual void told() noexcept = 0;
  virtual void ends() noexcept = 0;

 protected:
  ~ExchangeWatcher() = default;
};

struct ExchangeConfig {
  llmes::VenueConfig venue{};
  std::size_t users = 0;               ///< the most that may send orders in a day
  ExchangeWatcher* watcher = nullptr;  ///< outlives the exchange; what it does depends on it in no way
};

class Exchange {
  /// Takes the messages of the feed. It stays where it is, as the sink and the books refer to it.
  struct Output {
    Exchange* exchange = nullptr;
    void operator()(llmes::itch::MessageBytes message) const noexcept { exchange->keep_for_feed(message); }
  };
  using Sink = llmes::ItchSink<Output&>;
  using Books = llmes::Publisher<llmes::VenueBook, Sink&>;
  using Venue = llmes::Venue<Books>;

 public:
  using Record = llmes::PartRecord;
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
    auto users = llmes::IdSlots::create(config.users, status);
    if (!users) return {};
    llmes::ZeroedArray<Entered> entered(users->slot_count());
    llmes::ZeroedArray<Fill> fills(config.venue.matches);
    llmes::ZeroedArray<Listed> symbols(books);
    status = CreateStatus::OutOfMemory;
    if (!entered.allocated() || !fills.allocated() || !symbols.allocated()) return {};
    status = CreateStatus::Success;
    return Exchange(std::move(output), std::move(sink), std::move(*venue), std::move(*orders), std::move(*users),
                    std::move(entered), std::move(fills), std::move(symbols), config.watcher);
  }

  Exchange(Exchange&&) noexcept = default;

  void apply(std::span<const Record> records, llmes::BasicReportTarget<Report>& target) noexcept {
    if (watcher_ != nullptr) watcher_->begins();
    output_->exchange = this;
    writer_.begin(target);
    for (const Record& record : records) {
      entry_ = reader_.take(record);
      if (entry_ == nullptr) continue;
      sequence_ = record.sequence;
      const VenueCommand& command = entry_->command;
      const Sender& sender = entry_->sender;
      const SenderTexts& texts = sender.texts;
      if (sender.type == EntryType::Original) {
        original_ = client_id_of(texts.client_id());
      } else if (!texts.has_original_before()) {
        original_ = client_id_of(texts.original());
      }
      sink_->set_time(std::chrono::nanoseconds(command.time % day_length));
      run(command, sender);
      write_feed();
      tell(OutcomeKind::Done);
    }
    writer_.end();
    if (watcher_ != nullptr) watcher_->ends();
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
    parameters.kind = llmes::JournalParameters("exchange, by parts").kind;
    (void)parameters.add("users", config.users);
    return parameters;
  }
  /// Of its whole state, as the same records leave the same bytes.
  [[nodiscard]] std::uint64_t digest() const noexcept { return llmes::state_digest(*this); }
  [[nodiscard]] bool holds() const noexcept {
    return llmes::ImageCheck::holds(venue_.book().book()) && venue_.holds() && sink_->holds() && orders_.holds() &&
           users_.holds() && reader_.holds() && lists_hold();
  }
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(self.venue_, self.orders_, self.users_, self.entered_, self.fills_, self.symbols_, self.day_,
          self.day_began_at_, self.original_, self.reader_);
  }

 private:
  static constexpr Nanoseconds day_length = 86'400'000'000'000;

  /// Where the venue makes its reports.
  struct Kept {
    std::vector<VenueReport>& reports;

    VenueReport& next() noexcept { return reports.emplace_back(); }
  };
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
  struct FeedMessage {
    std::uint8_t size = 0;
    decltype(Outcome::message) bytes{};
  };
  struct Listed {
    std::uint64_t name;  ///< 0: none
    std::uint64_t tick;  ///< in ten-thousandths
    Quantity lot;
  };

  Exchange(std::unique_ptr<Output> output, std::unique_ptr<Sink> sink, Venue&& venue, OrderTable&& orders,
           llmes::IdSlots&& users, llmes::ZeroedArray<Entered>&& entered, llmes::ZeroedArray<Fill>&& fills,
           llmes::ZeroedArray<Listed>&& symbols, ExchangeWatcher* watcher)
      : output_(std::move(output)),
        sink_(std::move(sink)),
        venue_(std::move(venue)),
        orders_(std::move(orders)),
        users_(std::move(users)),
        entered_(std::move(entered)),
        fills_(std::move(fills)),
        symbols_(std::move(symbols)),
        watcher_(watcher) {}

  // ---- Records.

  void run(const VenueCommand& command, const Sender& sender) noexcept {
    if (sender.user >= users_end) return;  // nobody
    user_ = users_.find(sender.user);
    switch (sender.type) {
      case EntryType::Operate: return operate(command);
      case EntryType::Enter: return enter(command, sender);
      case EntryType::Replace: return replace(command, sender);
      case EntryType::Cancel:
      case EntryType::Modify: return reduce(command, sender);
      case EntryType::Query: return answer_query(sender);
      case EntryType::LogOut: return cancel_all_of(sender, CancelReason::LoggedOut);
      case EntryType::MassCancel: return manage(OutcomeKind::MassCanceled, sender);
      case EntryType::DisableEntry: return manage(OutcomeKind::EntryDisabled, sender);
      case EntryType::EnableEntry: return manage(OutcomeKind::EntryEnabled, sender);
      case EntryType::NewDay: return begin_day(command);
      case EntryType::Original: return;  // the next record is about it
      case EntryType::MassQuote: return quote(command, sender, entry_->quotes);
    }
  }

  /// Runs a command of the venue. Its reports are kept until all have come, because a user hears of its order
  /// before it hears of its fills.
  /// @return the last one, Done
  const VenueReport& apply(const VenueCommand& command, std::span<const QuoteEntry> quotes = {}) noexcept {
    reports_.clear();
    marked_book_ = VenueCommand::all_books;
    venue_.quote(command, quotes, sequence_, Kept{reports_});
    return reports_.back();
  }

  /// The same of a new order, a replace or quotes, which their user may have disabled.
  [[nodiscard]] VenueReport apply_entry(const VenueCommand& command,
                                        std::span<const QuoteEntry> quotes = {}) noexcept {
    if (!is_disabled()) return apply(command, quotes);
    reports_.clear();
    VenueReport refused;
    refused.status = VenueStatus::RefusedByRisk;
    refused.risk = llmes::RiskStatus::AccountKilled;
    return refused;
  }
  /// Whether the sender of the entry at work takes no new orders.
  [[nodiscard]] bool is_disabled() const noexcept {
    return user_ != llmes::IdSlots::none && entered_[user_].is_disabled != 0;
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
    const Sender sender = numbered(asker);
    if (!takes_reference(sender)) return;
    if (sender.refused != Reason::None) return reject(sender, sender.refused);
    const OrderId id = order_id(sender.user, sender.reference);
    VenueCommand command = asked;
    command.id = id;
    const VenueReport done = apply_entry(command);
    if (done.status != VenueStatus::Success) return reject(sender, done, command.book);
    KnownOrder& order = orders_.add(id, entered_[user_].open);
    order.leaves = order.ordered = command.quantity;
    order.account = command.account;
    order.book = command.book;
    note(order, sender);
    order.client_tag = command.client_tag;
    Outcome& outcome = tell_order(OutcomeKind::Accepted, id, order, done);
    if (command.lifetime == llmes::Lifetime::UntilTime) outcome.expiry = command.expiry;
    follow();
    if (command.stop == llmes::StopTrigger::None) drop_rest(id, done);
  }

  /// The user hears of all sides, and then of their fills.
  void quote(const VenueCommand& command, const Sender& asker, std::span<const QuoteEntry> sides) noexcept {
    const Sender sender = numbered(asker);
    if (!takes_reference(sender)) return;
    if (sender.refused != Reason::None) return reject(sender, sender.refused);
    const VenueReport done = apply_entry(command, sides);
    // One that is refused as a whole before its first side has none of these.
    const auto each_side = [&](const auto& visit) {
      auto from = reports_.begin();
      for (std::uint32_t i = 0; i < sides.size(); ++i) {
        const auto end = std::find_if(from, reports_.end(), [](const VenueReport& report) {
          return report.kind == VenueReportKind::Quoted;
        });
        if (end == reports_.end()) break;
        visit(sides[i], sender.reference + i, std::span(from, end), *end);
        from = end + 1;
      }
      return std::span(from, reports_.end());
    };
    (void)each_side([&](const QuoteEntry& side, std::uint32_t reference, auto, const VenueReport& quoted) {
      tell_side(sender, side, reference, quoted.status == VenueStatus::Success ? done : quoted);
    });
    Outcome& outcome = tell(OutcomeKind::MassQuoted);
    fill_in_refused(outcome, sender, original_, false);
    fill_in(outcome, done);
    if (is_disabled()) outcome.reason = Reason::EntryDisabled;
    const auto rest = each_side([&](const QuoteEntry& side, std::uint32_t reference,
                                    std::span<const VenueReport> reports, const VenueReport& quoted) {
      const bool stands = quoted.status == VenueStatus::Success && side.quantity != 0;
      if (stands) know_side(sender, side, reference);  // and so a reduction in its place
      for (const VenueReport& report : reports) {
        const bool is_known = stands && report.kind == VenueReportKind::Reduced && report.id == side.id;
        if (!is_known) follow(report, CancelReason::Asked);
      }
      if (stands) drop_rest(side.id, quoted);
    });
    for (const VenueReport& report : rest) follow(report, CancelReason::Asked);
    reports_.clear();
  }
  void tell_side(const Sender& sender, const QuoteEntry& side, std::uint32_t reference,
                 const VenueReport& result) noexcept {
    Outcome& outcome = tell(OutcomeKind::Quoted);
    fill_in(outcome, sender);
    outcome.reference = reference;
    outcome.client_tag = quote_of(side.id);
    outcome.terms.side = word_of(side.side);
    outcome.quantity = side.quantity;
    outcome.reason = refused_of(side);
    fill_in(outcome, result);
    if (side.book >= symbols_.size()) return;
    outcome.book = side.book;
    outcome.symbol = symbols_[side.book].name;
    outcome.price4 = price4_of(side.price, side.book);
  }
  /// A side that stands now, with all its lots.
  void know_side(const Sender& sender, const QuoteEntry& side, std::uint32_t reference) noexcept {
    KnownOrder* const known = orders_.find(side.id);
    KnownOrder& order = known != nullptr ? *known : orders_.add(side.id, entered_[user_].open);
    note(order, sender);
    order.leaves = side.quantity;
    order.ordered = order.cumulative + side.quantity;
    order.account = entry_->command.account;
    order.book = side.book;
    order.price4 = price4_of(side.price, side.book);
    order.terms.side = word_of(side.side);
    order.terms.time_in_force = TimeWord::Day;
    order.terms.display = DisplayWord::Visible;
    order.client_tag = quote_of(side.id);
    order.reference = reference;
  }

  void replace(const VenueCommand& command, const Sender& asker) noexcept {
    const OrderId old_id = order_id(asker.user, asker.original);
    KnownOrder* order = find_named(old_id, asker);
    if (order == nullptr) return reject_cancel(asker, {}, asker.refused);  // and the number is not used up
    const bool is_empty = command.quantity <= order->cumulative;
    const std::uint64_t tick = symbols_[order->book].tick;
    const bool is_off_tick = asker.price4 % tick != 0;
    Reason wrong = asker.refused != Reason::None ? asker.refused : mismatch(*order, asker);
    if (wrong == Reason::None && is_empty) wrong = Reason::NothingLeft;
    if (wrong == Reason::None && is_off_tick) wrong = Reason::InvalidPrice;
    const bool cancels = asker.has(SenderRule::WrongReplaceCancels);
    if (wrong != Reason::None && !cancels) return reject_cancel(asker, {}, wrong, order);
    const Sender sender = numbered(asker);
    if (!takes_reference(sender, order)) return;
    if (wrong != Reason::None) return cancel(old_id, *order, CancelReason::Asked);
    VenueCommand change = command;
    change.type = VenueCommandType::Replace;
    change.account = order->account;
    change.id = old_id;
    change.new_id = order_id(sender.user, sender.reference);
    change.price = static_cast<Price>(sender.price4 / tick);
    change.quantity = command.quantity - order->cumulative;
    change.peak = std::min(command.peak, change.quantity);  // whose bound is the quantity with what is filled
    const VenueReport done = apply_entry(change);
    if (done.status != VenueStatus::Success) return reject(sender, done, order->book, order);
    KnownOrder& now = orders_.rename(old_id, change.new_id);
    now.ordered = command.quantity;
    now.leaves = change.quantity;
    const ClientTerms terms = now.terms;
    const ClientId original = now.client_id;
    note(now, sender);
    if (command.client_tag != 0) now.client_tag = command.client_tag;
    now.terms.side = terms.side;
    now.terms.capacity = terms.capacity;
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
    const bool modifies_only = sender.type == EntryType::Modify;
    const Reason wrong =
        sender.refused != Reason::None || modifies_only ? sender.refused : mismatch(*order, sender);
    if (wrong != Reason::None) return reject_cancel(sender, {}, wrong, order);
    const Quantity left = command.quantity - std::min(command.quantity, order->cumulative);
    const bool modifies = modifies_only && left != 0;
    if (modifies_only) {
      if (!may_become(order->terms.side, sender.terms.side))
        return reject_cancel(sender, {}, Reason::OtherSide, order);
      if (left > order->leaves) return reject_cancel(sender, {}, Reason::InvalidQuantity, order);
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
      if (done.status != VenueStatus::Success) return reject_cancel(sender, done, Reason::None, order);
    }
    if (modifies) {
      order->terms.side = sender.terms.side;
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
    constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
    const std::uint32_t last = user_ == llmes::IdSlots::none ? 0 : entered_[user_].reference;
    Outcome& outcome = tell(OutcomeKind::QueryResponse);
    outcome.user = sender.user;
    outcome.reference = last == most ? 0 : last + 1;  // 0: none is left today
  }

  /// Of the user, whatever its account. Linear in its own open orders.
  void cancel_all_of(const Sender& sender, CancelReason reason) noexcept {
    if (user_ == llmes::IdSlots::none) return;
    const bool all = sender.type == EntryType::LogOut || sender.symbol == pack_symbol({});
    ids_.clear();  // one that is cancelled may take others with it
    orders_.visit(entered_[user_].open, [&](OrderId id, const KnownOrder& order) {
      if (all || symbols_[order.book].name == sender.symbol) ids_.push_back(id);
    });
    for (const OrderId id : ids_) {
      if (const KnownOrder* const order = orders_.find(id)) cancel(id, *order, reason);
    }
  }
  /// A command about all orders of a user.
  void manage(OutcomeKind kind, const Sender& asker) noexcept {
    const Sender sender = numbered(asker);
    if (!takes_reference(sender)) return;
    if (sender.refused != Reason::None) return reject(sender, sender.refused);
    fill_in(tell(kind), sender);
    if (kind == OutcomeKind::MassCanceled) return cancel_all_of(sender, CancelReason::Asked);
    entered_[user_].is_disabled = kind == OutcomeKind::EntryDisabled ? 1 : 0;
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
      follow(CancelReason::DayEnded);
      tell(OutcomeKind::MessagesEnd);
      sink_->system_event(llmes::itch::EventCode::EndOfMessages);
      write_feed();  // that of the day which ends
    }
    ++day_;
    // Numbers begin anew, so a user without an order has nothing that the exchange would have to keep: its place
    // is free for others, as the users of the file may be others by now.
    for (llmes::IdSlots::Slot slot = 1; slot < users_.slot_count(); ++slot) {
      entered_[slot].reference = 0;
      entered_[slot].is_disabled = 0;
      if (users_.used(slot) && orders_.is_empty(entered_[slot].open)) users_.erase(slot);
    }
    tell(OutcomeKind::DayBegan).quantity = day_;
    day_began_at_ = sink_->messages();
    tell(OutcomeKind::MessagesBegin);
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

  /// A price of a book in ten-thousandths.
  [[nodiscard]] std::uint64_t price4_of(Price price, BookNumber book) const noexcept {
    return static_cast<std::uint64_t>(price) * symbols_[book].tick;
  }
  [[nodiscard]] static SideWord word_of(Side side) noexcept {
    return side == Side::Buy ? SideWord::Buy : SideWord::Sell;
  }
  /// Whether its reference is above all before, and counts now, as do those of all its quotes. Else it is a copy
  /// of what came before a reconnect, which is silent, or its sender is told why not.
  /// @param replaced the order that it would replace, if it would
  [[nodiscard]] bool takes_reference(const Sender& sender, const KnownOrder* replaced = nullptr) noexcept {
    if (user_ == llmes::IdSlots::none) {
      if (users_.full()) return reject(sender, Reason::NoRoom), false;
      user_ = users_.insert(sender.user);
      entered_[user_] = {};
    }
    const auto more = static_cast<std::uint32_t>(std::max<std::size_t>(entry_->quotes.size(), 1) - 1);
    const bool has_room = more <= std::numeric_limits<std::uint32_t>::max() - sender.reference;
    if (sender.reference > entered_[user_].reference && has_room) {
      entered_[user_].reference = sender.reference + more;
      return true;
    }
    if (sender.has(SenderRule::AssignsReference)) {
      replaced != nullptr ? reject_cancel(sender, {}, Reason::NoReference, replaced)
                          : reject(sender, Reason::NoReference);
    }
    return false;
  }
  void forget(OrderId id) noexcept { orders_.erase(id, entered_[users_.find(user_of(id))].open); }
  /// With the number that its new order gets, if its client knows none: the gateway knows those alone that were
  /// told.
  [[nodiscard]] Sender numbered(const Sender& sender) const noexcept {
    Sender numbered = sender;
    if (!sender.has(SenderRule::AssignsReference) || user_ == llmes::IdSlots::none) return numbered;
    const std::uint32_t last = entered_[user_].reference;
    const bool has_next = last != std::numeric_limits<std::uint32_t>::max();
    if (sender.reference <= last && has_next) numbered.reference = last + 1;
    return numbered;
  }
  /// The order that a message names; nullptr if there is none.
  [[nodiscard]] KnownOrder* find_named(OrderId id, const Sender& sender) noexcept {
    KnownOrder* const order = orders_.find(id);
    const bool is_other = order != nullptr && sender.has(SenderRule::NamesByText) && order->client_id != original_;
    return is_other ? nullptr : order;
  }
  /// What the sender of a change says of its order, and is not so.
  [[nodiscard]] Reason mismatch(const KnownOrder& order, const Sender& sender) const noexcept {
    using enum SideWord;
    const auto side_of = [](SideWord side) {
      return side == SellShortExempt ? SellShort : side;
    };  // some know one
    if (sender.symbol == 0) return Reason::None;
    if (sender.symbol != symbols_[order.book].name) return Reason::OtherSymbol;
    return side_of(sender.terms.side) != side_of(order.terms.side) ? Reason::OtherSide : Reason::None;
  }
  void cancel(OrderId id, const KnownOrder& order, CancelReason reason) noexcept {
    VenueCommand change;
    change.time = entry_->command.time;
    change.type = VenueCommandType::Cancel;
    change.account = order.account;
    change.id = id;
    apply(change);
    follow(reason);
  }
  /// What is left of an order that does not rest is gone.
  void drop_rest(OrderId id, const VenueReport& done) noexcept {
    if (done.remaining != 0) return;
    KnownOrder* const order = orders_.find(id);
    if (order == nullptr) return;
    take_off(id, *order, order->leaves, CancelReason::NotImmediate);
  }

  // ---- What reports mean for users and for the feed.

  void follow(CancelReason asked = CancelReason::Asked) noexcept {
    for (const VenueReport& report : reports_) follow(report, asked);
    reports_.clear();
  }
  /// Of a trade that is followed: the phase before the auction that has made it; nothing if none has. An auction
  /// tells its trades, and then that the book is uncrossed, before the next phase. Linear in the reports of the
  /// command over all its trades.
  [[nodiscard]] std::optional<Phase> auction_of(const VenueReport& followed) noexcept {
    using Kind = VenueReportKind;
    const BookNumber book = followed.book;
    const auto index = static_cast<std::size_t>(&followed - reports_.data());
    if (book != marked_book_ || mark_ <= index) {
      marked_book_ = book;
      mark_ = index + 1;
      const auto ends_trades = [&](const VenueReport& report) {
        const bool is_mark = report.kind == Kind::Uncrossed || report.kind == Kind::PhaseChanged ||
                             report.kind == Kind::Halted || report.kind == Kind::Resumed;
        return is_mark && report.book == book;
      };
      while (mark_ < reports_.size() && !ends_trades(reports_[mark_])) ++mark_;
    }
    if (mark_ == reports_.size() || reports_[mark_].kind != Kind::Uncrossed) return {};
    return reports_[mark_].phase;
  }
  void follow(const VenueReport& report, CancelReason asked) noexcept {
    using Kind = VenueReportKind;
    switch (report.kind) {
      case Kind::Executed:
        fills_[report.match % fills_.size()] = {traded(report, report.id), traded(report, report.other_id)};
        return;
      case Kind::Prevented: prevented(report, report.id); return prevented(report, report.other_id);
      case Kind::Refilled:
        if (KnownOrder* const order = orders_.find(report.id)) {
          tell_order(OutcomeKind::PriorityUpdate, report.id, *order, report);
        }
        return;
      case Kind::Reduced:
      case Kind::Deleted:
        if (KnownOrder* const order = orders_.find(report.id)) {
          take_off(report.id, *order, std::min(report.quantity, order->leaves), reason_of(report.reason, asked));
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

  [[nodiscard]] Liquidity liquidity_of(const VenueReport& report, OrderId id, const KnownOrder& order) noexcept {
    if (const std::optional<Phase> before = auction_of(report)) return exchange::liquidity_of(*before);
    if (id == report.id) return Liquidity::Removed;
    return order.terms.display == DisplayWord::Hidden ? Liquidity::AddedHidden : Liquidity::Added;
  }
  /// @return what its user calls it, if it is an order
  OrderId traded(const VenueReport& report, OrderId id) noexcept {
    KnownOrder* const order = orders_.find(id);
    if (order == nullptr) return id;
    const OrderId name = order_id(user_of(id), reference_of(id, *order));
    const std::uint64_t price4 = price4_of(report.price, report.book);
    order->cumulative += report.quantity;
    order->leaves -= std::min(order->leaves, report.quantity);
    order->value += price4 * report.quantity;
    Outcome& outcome = tell_order(OutcomeKind::Executed, id, *order);
    outcome.quantity = report.quantity;
    outcome.price4 = price4;
    outcome.match = report.match;
    outcome.liquidity = liquidity_of(report, id, *order);
    if (order->leaves == 0) forget(id);
    return name;
  }
  void prevented(const VenueReport& report, OrderId id) noexcept {
    KnownOrder* const order = orders_.find(id);
    if (order == nullptr) return;
    const Quantity by = std::min(order->leaves, report.quantity);
    order->leaves -= by;
    Outcome& outcome = tell_order(OutcomeKind::SelfTradeCanceled, id, *order);
    outcome.quantity = by;
    outcome.price4 = price4_of(report.price, report.book);
    outcome.cancel = CancelReason::SelfTrade;
    outcome.liquidity = liquidity_of(report, id, *order);
    if (order->leaves == 0) forget(id);
  }
  void take_off(OrderId id, KnownOrder& order, Quantity by, CancelReason reason) noexcept {
    order.leaves -= by;
    Outcome& outcome = tell_order(OutcomeKind::Canceled, id, order);
    outcome.quantity = by;
    outcome.cancel = reason;
    const Sender& sender = entry_->sender;
    if (sender.has(SenderRule::NamesByText) && sender.type == EntryType::Cancel &&
        id == order_id(sender.user, sender.reference)) {  // the cancel has a name of its own
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
      outcome.price4 = price4_of(report.price, report.book);
      outcome.cancel = CancelReason::Killed;
    }
  }

  // ---- Outcomes.

  Outcome& tell(OutcomeKind kind) noexcept {
    constexpr std::size_t many = 512;
    if (watcher_ != nullptr && ++told_ % many == 0) {
      writer_.end();
      watcher_->told();
    }
    Outcome& outcome = writer_.next();
    outcome = {};
    outcome.sequence = sequence_;
    outcome.time = entry_->command.time;
    outcome.kind = kind;
    return outcome;
  }
  /// About an order as it is now. Each has a reference, which is the feed's where the feed shows it.
  Outcome& tell_order(OutcomeKind kind, OrderId id, const KnownOrder& order,
                      const VenueReport& report = {}) noexcept {
    Outcome& outcome = tell(kind);
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
  void reject(const Sender& sender, Reason reason) noexcept {
    Outcome& outcome = tell(sender.type == EntryType::MassQuote ? OutcomeKind::MassQuoted : OutcomeKind::Rejected);
    fill_in_refused(outcome, sender, original_, reason == sender.refused);
    outcome.reason = reason;
    outcome.quantity = entry_->command.quantity;
    if (outcome.client_tag == 0) outcome.client_tag = entry_->command.client_tag;
  }
  /// @param order that stays as it is, if there is one
  void reject(const Sender& sender, const VenueReport& done, BookNumber book,
              const KnownOrder* order = nullptr) noexcept {
    Outcome& outcome = tell(OutcomeKind::Rejected);
    fill_in_refused(outcome, sender, original_, refuses_terms(done));
    if (order != nullptr) fill_in_state(outcome, *order);
    outcome.quantity = entry_->command.quantity;
    if (outcome.client_tag == 0) outcome.client_tag = entry_->command.client_tag;
    fill_in(outcome, done);
    if (is_disabled()) outcome.reason = Reason::EntryDisabled;
    outcome.book = book;
    if (book < symbols_.size()) outcome.symbol = symbols_[book].name;
  }
  /// Who wants an answer hears that there is nothing to cancel or to replace.
  /// @param reason why, if the message itself is wrong
  /// @param order that it names, if that is there
  void reject_cancel(const Sender& sender, const VenueReport& done = {}, Reason reason = Reason::None,
                     const KnownOrder* order = nullptr) noexcept {
    if (!sender.has(SenderRule::WantsAnswer)) return;
    Outcome& outcome = tell(OutcomeKind::CancelRejected);
    fill_in_refused(outcome, sender, original_, reason != Reason::None && reason == sender.refused);
    if (order != nullptr) fill_in_state(outcome, *order);
    outcome.quantity = entry_->command.quantity;
    if (outcome.client_tag == 0) outcome.client_tag = entry_->command.client_tag;
    outcome.reason = reason;
    const bool is_unknown = done.status == VenueStatus::Success && reason == Reason::None;
    outcome.status = is_unknown ? VenueStatus::UnknownOrder : done.status;
    outcome.risk = done.risk;
    outcome.result = done.result;
  }
  /// Keeps a message of the feed, which is told after what users are told.
  void keep_for_feed(llmes::itch::MessageBytes message) noexcept {
    FeedMessage& kept = feed_.emplace_back();
    kept.size = static_cast<std::uint8_t>(std::min(message.size(), kept.bytes.size()));
    std::copy_n(message.begin(), kept.size, kept.bytes.begin());
  }
  void write_feed() noexcept {
    for (const FeedMessage& kept : feed_) {
      Outcome& outcome = tell(OutcomeKind::Feed);
      outcome.size = kept.size;
      outcome.message = kept.bytes;
    }
    feed_.clear();
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
  llmes::IdSlots users_;
  llmes::IdSlots::Slot user_ = llmes::IdSlots::none;  ///< of the sender of the entry at work
  llmes::ZeroedArray<Entered> entered_;               ///< of each user, by its slot
  llmes::ZeroedArray<Fill> fills_;                    ///< by match number
  llmes::ZeroedArray<Listed> symbols_;                ///< by book
  std::uint64_t day_ = 0;
  std::uint64_t day_began_at_ = 0;  ///< how many messages the feed had before
  ClientId original_{};             ///< what the sender of the last record calls the order that it names
  EntryReader reader_;
  // Of the entry at work.
  std::vector<VenueReport> reports_;
  BookNumber marked_book_ = VenueCommand::all_books;  ///< of which `mark_` is known
  std::size_t mark_ = 0;  ///< the report that ends the trades of an auction, if one does
  std::vector<OrderId> ids_;
  std::vector<FeedMessage> feed_;  ///< what it brings the feed
  llmes::ReportWriter<Outcome> writer_;
  std::uint64_t sequence_ = 0;
  const Entry* entry_ = nullptr;
  ExchangeWatcher* watcher_ = nullptr;
  std::size_t told_ = 0;  ///< outcomes, if somebody watches
};

}  // namespace exchange
