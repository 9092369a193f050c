// SPDX-License-Identifier: MIT
//
// The simulator in its simplest form, for one strategy and impact `none`: own orders stand in the queues among
// those of the market, and everything is a linear search. It shares no code with the product.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "tests/simulator/scripted.hpp"

namespace llmes::test {

struct NaiveFill {
  OwnOrderId order = 0;
  Price price = 0;
  Quantity quantity = 0;
  Nanoseconds time = 0;
  std::uint64_t record = 0;
  OrderId other = 0;
  FillCause cause = FillCause::Took;

  friend bool operator==(const NaiveFill&, const NaiveFill&) = default;
};

class NaiveSimulator {
 public:
  enum class Queue : std::uint8_t { Exact, Front, ThroughOnly };

  struct Change {
    OwnCommand command;  // as it came
    bool is_done = false;
    QueuePosition ahead{};
  };
  struct Own {
    OwnCommand command;
    Quantity open = 0;
    bool rests = false;
    QueuePosition entered{};
    std::vector<Change> changes{};
  };

  explicit NaiveSimulator(std::size_t books, Queue queue = Queue::Exact, bool takes_part_in_auctions = false)
      : sides_(2 * books),
        phases_(books),
        was_crossed_(books),
        queue_(queue),
        takes_part_in_auctions_(takes_part_in_auctions) {}

  /// Plays a tape with the script's commands, each at the venue `latency` after it was sent.
  void play(const std::vector<MarketEvent>& events, Script script, Nanoseconds latency = 0) {
    // Commands go out in order of time, and of the script among equals; times before the start are the start.
    for (OwnCommand& command : script)
      command.time = std::max(command.time, events.empty() ? 0 : events.front().time);
    std::stable_sort(script.begin(), script.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
    std::size_t next = 0;
    const auto run_before = [&](Nanoseconds time) {
      for (; next < script.size() && script[next].time + latency < time; ++next) arrive(script[next], latency);
    };
    bool in_event = false;
    for (const MarketEvent& event : events) {
      if (!in_event) run_before(event.time);
      now_ = event.time;
      record_ = event.record;
      apply(event);
      in_event = !event.last;
      if (event.last) end_event();
      if (event.last) std::erase_if(filled_, [&](const auto& one) { return one.first.first == event.book; });
    }
    if (in_event) end_event();
    run_before(now_ + 1);
  }

  [[nodiscard]] const std::vector<NaiveFill>& fills() const { return fills_; }
  [[nodiscard]] const std::vector<Own>& own() const { return own_; }
  [[nodiscard]] QueuePosition ahead(OwnOrderId id) const {
    QueuePosition place;
    for (const Entry& entry : side_of(own_[id].command.book, own_[id].command.side)) {
      if (entry.is_own && entry.id == id) return place;
      if (!entry.is_own && entry.price == own_[id].command.price)
        place = {place.quantity + entry.open, place.order_count + 1};
    }
    return {};
  }
  /// The market alone: id, side, price, lots, in the order of the queues.
  [[nodiscard]] std::vector<std::tuple<OrderId, Price, Quantity>> market(BookNumber book, Side side) const {
    std::vector<std::tuple<OrderId, Price, Quantity>> orders;
    for (const Entry& entry : side_of(book, side)) {
      if (!entry.is_own) orders.emplace_back(entry.id, entry.price, entry.open);
    }
    return orders;
  }

 private:
  struct Entry {
    bool is_own;
    OrderId id;
    Price price;
    Quantity open;   // of the market
    Quantity taken;  // by us, of those
  };
  using Entries = std::vector<Entry>;
  struct Executed {
    BookNumber book;
    Side side;
    Entry entry;  // as it was
    Quantity lots;
    std::uint64_t record;
    bool off_price;
    std::vector<OwnOrderId> had_it_behind;  // own orders of its level before it
  };
  using Name = std::pair<BookNumber, OrderId>;

  Entries& side_of(BookNumber book, Side side) { return sides_[2 * book + (side == Side::Sell)]; }
  [[nodiscard]] const Entries& side_of(BookNumber book, Side side) const {
    return sides_[2 * book + (side == Side::Sell)];
  }
  static bool better(Side side, Price a, Price b) { return side == Side::Buy ? a > b : a < b; }
  static bool meets(Side side, Price price, Price other) {
    return side == Side::Buy ? price >= other : price <= other;
  }

  void insert(BookNumber book, Side side, Entry entry) {
    Entries& entries = side_of(book, side);
    std::size_t at = 0;
    while (at < entries.size() && !better(side, entry.price, entries[at].price)) ++at;
    entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(at), entry);
  }
  struct Where {
    BookNumber book;
    Side side;
    std::size_t at;
  };
  bool find(OrderId id, Where& where) {
    for (BookNumber book = 0; book < phases_.size(); ++book) {
      for (const Side side : {Side::Buy, Side::Sell}) {
        const Entries& entries = side_of(book, side);
        for (std::size_t i = 0; i < entries.size(); ++i) {
          if (!entries[i].is_own && entries[i].id == id) {
            where = {book, side, i};
            return true;
          }
        }
      }
    }
    return false;
  }
  void erase(const Where& where) {
    Entries& entries = side_of(where.book, where.side);
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(where.at));
  }

  void apply(const MarketEvent& event) {
    Where where{};
    const bool has = event.type != MarketEventType::Add && find(event.id, where);
    switch (event.type) {
      case MarketEventType::Add:
        came_.emplace_back(event.book, event.side);
        insert(event.book, event.side, {false, event.id, event.price, event.quantity, 0});
        break;
      case MarketEventType::Cancel:
        if (has) erase(where);
        break;
      case MarketEventType::Fill:
        if (has) fill_of(event, where);
        break;
      case MarketEventType::Execute:
      case MarketEventType::Reduce: {
        if (!has) break;
        Entry& entry = side_of(where.book, where.side)[where.at];
        if (event.type == MarketEventType::Execute) execute(event, where, event.quantity, where.at);
        Quantity& filled = filled_[{where.book, event.id}];
        filled -= std::min(filled, event.quantity);
        if (event.quantity > entry.open) break;
        entry.open -= event.quantity;
        if (entry.open == 0) erase(where);
        break;
      }
      case MarketEventType::Modify: {
        if (!has) {
          came_.emplace_back(event.book, event.side);
          insert(event.book, event.side, {false, event.id, event.price, event.quantity, 0});
          break;
        }
        Entry entry = side_of(where.book, where.side)[where.at];
        Quantity& filled = filled_[{where.book, event.id}];
        const Quantity left = entry.open > filled ? entry.open - filled : 0;
        const bool is_refill = entry.price == event.price && event.quantity <= entry.open && event.quantity > left;
        filled = 0;
        if (entry.price == event.price && event.quantity <= left) {
          side_of(where.book, where.side)[where.at].open = event.quantity;
        } else {
          erase(where);
          entry.price = event.price;
          entry.open = event.quantity;
          if (is_refill) entry.taken = 0;  // other lots than those that we took
          came_.emplace_back(where.book, where.side);
          insert(where.book, where.side, entry);
        }
        break;
      }
      case MarketEventType::Replace:
        if (!has) break;
        erase(where);
        came_.emplace_back(where.book, where.side);
        insert(where.book, where.side, {false, event.new_id, event.price, event.quantity, 0});
        break;
      case MarketEventType::Clear:
        for (const Side side : {Side::Buy, Side::Sell})
          std::erase_if(side_of(event.book, side), [](const Entry& entry) { return !entry.is_own; });
        break;
      case MarketEventType::Phase:
        phases_[event.book] = event.phase;
        came_.emplace_back(event.book, Side::Buy);
        came_.emplace_back(event.book, Side::Sell);
        break;
      case MarketEventType::Trade:
        if (event.cross) print_ = &event;
        if (!event.cross) hidden_.push_back(event);
        break;
      default: break;
    }
  }

  /// Lots of an order trade, and are behind the own orders among the first `before` entries.
  void execute(const MarketEvent& event, const Where& where, Quantity lots, std::size_t before) {
    const Entries& entries = side_of(where.book, where.side);
    const Entry& entry = entries[where.at];
    Executed executed{
        where.book, where.side, entry, lots, event.record, event.off_price && event.price != entry.price, {}};
    for (std::size_t i = 0; i < before; ++i) {
      if (entries[i].is_own && entries[i].price == entry.price)
        executed.had_it_behind.push_back(static_cast<OwnOrderId>(entries[i].id));
    }
    if (lots != 0) executed_.push_back(executed);
  }
  /// An order trades what it shows first, and then from its reserve, which is behind all own orders of its level.
  void fill_of(const MarketEvent& event, const Where& where) {
    Quantity& filled = filled_[{where.book, event.id}];
    const Quantity open = side_of(where.book, where.side)[where.at].open;
    const Quantity shown = std::min(event.quantity, open > filled ? open - filled : 0);
    execute(event, where, shown, where.at);
    execute(event, where, event.quantity - shown, side_of(where.book, where.side).size());
    filled += event.quantity;
  }
  [[nodiscard]] const Entry* best(BookNumber book, Side side) const {
    for (const Entry& entry : side_of(book, side)) {
      if (!entry.is_own) return &entry;
    }
    return nullptr;
  }
  [[nodiscard]] bool is_crossed(BookNumber book) const {
    const Entry* const bid = best(book, Side::Buy);
    const Entry* const ask = best(book, Side::Sell);
    return bid != nullptr && ask != nullptr && bid->price >= ask->price;
  }

  void end_event() {
    for (BookNumber book = 0; book < phases_.size(); ++book) {
      const bool has_uncrossed = was_crossed_[book] != 0 && !is_crossed(book);
      was_crossed_[book] = is_crossed(book);
      if (has_uncrossed) {
        came_.emplace_back(book, Side::Buy);
        came_.emplace_back(book, Side::Sell);
      }
      for (const Side side : {Side::Buy, Side::Sell}) {
        const bool is_auction = print_ != nullptr && print_->book == book;
        if (is_auction && takes_part_in_auctions_) auction(book, side);
        if (phases_[book] != MarketPhase::Continuous) continue;
        if (!is_auction) {
          executions(book, side);
          for (const MarketEvent& print : hidden_) {
            if (print.book == book && queue_ != Queue::ThroughOnly) hidden(print, side);
          }
        }
        if (!is_auction || has_uncrossed) arrivals(book, side);
      }
    }
    executed_.clear();
    came_.clear();
    print_ = nullptr;
    hidden_.clear();
  }

  /// Own orders of a side, the best first.
  std::vector<OwnOrderId> own_of(BookNumber book, Side side) const {
    std::vector<OwnOrderId> ids;
    for (const Entry& entry : side_of(book, side)) {
      if (entry.is_own) ids.push_back(static_cast<OwnOrderId>(entry.id));
    }
    return ids;
  }
  void fill(OwnOrderId id, Price price, Quantity lots, std::uint64_t record, OrderId other, FillCause cause) {
    Own& own = own_[id];
    own.open -= lots;
    fills_.push_back({id, price, lots, now_, record, other, cause});
    if (own.open == 0 && own.rests) remove(id);
  }
  void remove(OwnOrderId id) {
    own_[id].rests = false;
    std::erase_if(side_of(own_[id].command.book, own_[id].command.side),
                  [&](const Entry& entry) { return entry.is_own && entry.id == id; });
  }

  void executions(BookNumber book, Side side) {
    std::vector<Executed> lots;
    for (const Executed& one : executed_) {
      if (one.book != book || one.side != side) continue;
      std::size_t at = 0;  // the worst first, and of one price the last
      while (at < lots.size() && better(side, one.entry.price, lots[at].entry.price)) ++at;
      lots.insert(lots.begin() + static_cast<std::ptrdiff_t>(at), one);
    }
    if (lots.empty()) return;
    for (const OwnOrderId id : own_of(book, side)) {
      for (Executed& one : lots) {
        const Price price = own_[id].command.price;
        const bool through = better(side, price, one.entry.price) && !one.off_price;
        bool behind = std::ranges::find(one.had_it_behind, id) != one.had_it_behind.end();
        if (queue_ == Queue::Front) behind = price == one.entry.price;
        if (queue_ == Queue::ThroughOnly) behind = false;
        const Quantity got = std::min(own_[id].open, one.lots);
        if ((!through && !behind) || got == 0) continue;
        one.lots -= got;
        fill(id, price, got, one.record, one.entry.id, through ? FillCause::Through : FillCause::Behind);
      }
    }
  }
  void hidden(const MarketEvent& print, Side side) {
    Quantity left = print.quantity;
    for (const OwnOrderId id : own_of(print.book, side)) {
      const Price price = own_[id].command.price;
      bool is_first = true;
      for (const Entry& before : side_of(print.book, side)) {
        if (before.is_own && before.id == id) break;
        if (!before.is_own && (queue_ == Queue::Exact || before.price != price)) is_first = false;
      }
      const Quantity got = std::min(own_[id].open, left);
      if (!is_first || got == 0 || better(side, print.price, price)) continue;
      left -= got;
      fill(id, price, got, print.record, 0, price == print.price ? FillCause::Behind : FillCause::Through);
    }
  }
  void auction(BookNumber book, Side side) {
    Quantity left = print_->quantity;
    for (const OwnOrderId id : own_of(book, side)) {
      const Price price = own_[id].command.price;
      if (better(side, price, print_->price)) {
        const Quantity got = std::min(own_[id].open, left);
        left -= got;
        if (got != 0) fill(id, print_->price, got, print_->record, 0, FillCause::Auction);
        continue;
      }
      for (std::size_t i = executed_.size(); i-- > 0;) {
        Executed& one = executed_[i];
        const bool is_behind = std::ranges::find(one.had_it_behind, id) != one.had_it_behind.end();
        if (one.book != book || one.side != side || one.entry.price != print_->price || !is_behind) continue;
        const Quantity got = std::min({own_[id].open, left, one.lots});
        one.lots -= got;
        left -= got;
        if (got != 0) fill(id, price, got, one.record, one.entry.id, FillCause::Auction);
      }
    }
  }
  void arrivals(BookNumber book, Side side) {
    const Side other = side == Side::Buy ? Side::Sell : Side::Buy;
    if (std::ranges::find(came_, std::pair(book, other)) == came_.end()) return;
    const Entry* const facing = best(book, other);
    if (facing == nullptr || is_crossed(book)) return;
    std::vector<OwnOrderId> ids;
    for (const Entry& entry : side_of(book, side)) {
      if (!meets(side, entry.price, facing->price)) break;
      ids.push_back(static_cast<OwnOrderId>(entry.id));  // of the market none does
    }
    for (const OwnOrderId id : ids) take(id, false);
  }

  /// A crossed or locked book collects orders.
  [[nodiscard]] MarketPhase phase_of(BookNumber book) const {
    const bool collects = phases_[book] == MarketPhase::Continuous && is_crossed(book);
    return collects ? MarketPhase::Auction : phases_[book];
  }
  Quantity could_take(OwnOrderId id) {
    Quantity sum = 0;
    const OwnCommand& command = own_[id].command;
    for (const Entry& entry : side_of(command.book, command.side == Side::Buy ? Side::Sell : Side::Buy)) {
      if (!entry.is_own && meets(command.side, command.price, entry.price) && entry.open > entry.taken)
        sum += entry.open - entry.taken;
    }
    return sum;
  }
  void take(OwnOrderId id, bool comes) {
    const OwnCommand command = own_[id].command;
    for (Entry& entry : side_of(command.book, command.side == Side::Buy ? Side::Sell : Side::Buy)) {
      if (entry.is_own || !meets(command.side, command.price, entry.price) || entry.open <= entry.taken) continue;
      const Quantity lots = std::min(entry.open - entry.taken, own_[id].open);
      if (lots == 0) break;
      entry.taken += lots;
      fill(id, comes ? entry.price : command.price, lots, record_, entry.id,
           comes ? FillCause::Took : FillCause::Crossed);
    }
  }
  bool faces_own(const OwnCommand& command) const {
    const std::vector<OwnOrderId> facing =
        own_of(command.book, command.side == Side::Buy ? Side::Sell : Side::Buy);
    return !facing.empty() && meets(command.side, command.price, own_[facing.front()].command.price);
  }
  void rest(OwnOrderId id) {
    Own& own = own_[id];
    own.rests = true;
    insert(own.command.book, own.command.side, {true, id, own.command.price, 0, 0});
  }

  void arrive(const OwnCommand& command, Nanoseconds latency) {
    const Nanoseconds before = now_;
    now_ = command.time + latency;
    const std::size_t orders = own_.size();
    const bool is_done = arrive_now(command);
    if (own_.size() != orders) own_.back().entered = ahead(static_cast<OwnOrderId>(orders));
    if (command.kind == OwnCommand::Kind::Modify && command.order < own_.size()) {
      own_[command.order].changes.push_back({command, is_done, is_done ? ahead(command.order) : QueuePosition{}});
      own_[command.order].changes.back().command.time = now_;
    }
    now_ = std::max(before, now_);
  }
  /// @return whether it was done
  bool arrive_now(const OwnCommand& command) {
    using Kind = OwnCommand::Kind;
    if (command.kind == Kind::Add) {
      const auto id = static_cast<OwnOrderId>(own_.size());
      own_.push_back({command, command.quantity});
      const MarketPhase phase = phase_of(command.book);
      const bool is_fok = command.time_in_force == TimeInForce::FillOrKill;
      const bool is_ioc = command.time_in_force == TimeInForce::ImmediateOrCancel;
      if (phase == MarketPhase::Halted || phase == MarketPhase::Closed || faces_own(command)) return false;
      if (phase == MarketPhase::Auction) {
        if (!is_fok && !is_ioc) rest(id);
        return true;
      }
      if (is_fok && could_take(id) < command.quantity) return false;
      if (command.time_in_force == TimeInForce::PostOnly && could_take(id) != 0) return false;
      take(id, true);
      if (own_[id].open != 0 && !is_ioc) rest(id);
      return true;
    }
    if (command.order >= own_.size() || !own_[command.order].rests) return false;
    Own& own = own_[command.order];
    if (command.kind == Kind::Cancel) {
      remove(command.order);
      return true;
    }
    if (command.price == own.command.price && command.quantity <= own.open) {
      own.open = command.quantity;
      return true;
    }
    const MarketPhase phase = phase_of(own.command.book);
    OwnCommand moved = own.command;
    moved.price = command.price;
    if (phase == MarketPhase::Halted || phase == MarketPhase::Closed || faces_own(moved)) return false;
    if (own.command.time_in_force == TimeInForce::PostOnly && phase == MarketPhase::Continuous) {
      const OwnCommand old = own.command;
      own.command = moved;
      const bool would = could_take(command.order) != 0;
      own.command = old;
      if (would) return false;
    }
    remove(command.order);
    own.command.price = command.price;
    own.open = command.quantity;
    if (phase == MarketPhase::Continuous) take(command.order, true);
    if (own_[command.order].open != 0) rest(command.order);
    return true;
  }

  std::vector<Entries> sides_;
  std::vector<MarketPhase> phases_;
  std::vector<std::uint8_t> was_crossed_;  // by book, as the latest event left it
  std::map<Name, Quantity> filled_;  // lots of the event at work that have not been taken off their orders yet
  Queue queue_;
  bool takes_part_in_auctions_;
  const MarketEvent* print_ = nullptr;
  std::vector<MarketEvent> hidden_;
  std::vector<Own> own_;
  std::vector<NaiveFill> fills_;
  std::vector<Executed> executed_;
  std::vector<std::pair<BookNumber, Side>> came_;
  std::uint64_t record_ = 0;
  Nanoseconds now_ = 0;
};

}  // namespace llmes::test
