// SPDX-License-Identifier: MIT
//
// A reader of what a publisher tells about one book. It knows nothing of the book: from each of the three streams
// it builds what the stream promises, with maps and lists, and keeps the first fault that it finds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "llmes/market_data.hpp"
#include "tests/support/snapshot.hpp"

namespace llmes::test {

class EventReader {
 public:
  /// `shares_levels`: whether any order of the best level may be a maker, as with pro-rata.
  explicit EventReader(BookNumber book = 0, bool shares_levels = false)
      : book_(book), shares_levels_(shares_levels) {}

  // ---- As a sink.

  void added(const OrderAdded& event) {
    if (!arrives(event, orders_, 'A')) return;
    touch(event.order);
    insert(event.order, event.in_front_of);
  }
  void executed(const OrderExecuted& event) {
    if (!arrives(event, orders_, 'E')) return;
    const Trade& trade = event.trade;
    trades_.push_back(trade);
    const Side side = opposite(trade.taker_side);
    touched_.insert({side, trade.price});
    const std::optional<RestingOrder> oldest = oldest_of_best(side);
    const RestingOrder maker{trade.maker_handle, trade.maker_id, side, trade.price,
                             trade.quantity + trade.maker_remaining};
    const std::optional<RestingOrder> expected = shares_levels_ ? find(trade.maker_handle) : oldest;
    const bool is_best = oldest && oldest->side == maker.side && oldest->price == maker.price;
    if (!expect(is_best && expected == maker, "the maker is not the oldest order of the best level")) return;
    if (trade.maker_remaining == 0) {
      erase(maker);
    } else {
      places_.at(maker.handle)->quantity = trade.maker_remaining;
    }
  }
  void reduced(const OrderReduced& event) {
    if (!arrives(event, orders_, 'R')) return;
    touch(event.order);
    RestingOrder before = event.order;
    before.quantity += event.by;
    expect(event.by > 0 && event.order.quantity > 0, "reduced by nothing or to nothing");
    if (expect(find(before.handle) == before, "the reduced order was another one")) {
      places_.at(before.handle)->quantity = event.order.quantity;
    }
  }
  void deleted(const OrderDeleted& event) {
    if (!arrives(event, orders_, 'D')) return;
    touch(event.order);
    erase(event.order);
  }
  void replaced(const OrderReplaced& event) {
    if (!arrives(event, orders_, 'P')) return;
    touch(event.old_order);
    touch(event.order);
    expect(event.old_order.side == event.order.side, "replaced by an order of the other side");
    erase(event.old_order);
    insert(event.order);
  }
  void hidden_executed(const HiddenExecuted& event) {
    if (!arrives(event, orders_, 'H')) return;
    expect(event.quantity > 0, "a fill of nothing");
  }
  void crossed(const OrdersCrossed& event) {
    if (!arrives(event, orders_, 'C')) return;
    expect(event.quantity > 0 && event.buy.by <= event.quantity && event.sell.by <= event.quantity,
           "more of an order than of the trade");
    cross(event.buy, Side::Buy);
    cross(event.sell, Side::Sell);
  }
  void level_changed(const LevelChanged& event) {
    if (!arrives(event, levels_, 'L')) return;
    expect(told_levels_.insert({event.side, event.level.price}).second, "a level is told twice");
    keep_level(event);
  }
  void best_changed(const BestChanged& event) {
    if (!arrives(event, best_, 'B')) return;
    bid_ = event.bid;
    ask_ = event.ask;
  }

  // ---- Commands.

  /// The order of a handle, by what has been told of orders.
  [[nodiscard]] std::optional<RestingOrder> find(OrderHandle handle) const {
    const auto place = places_.find(handle);
    return place == places_.end() ? std::nullopt : std::optional(*place->second);
  }

  /// Says that a command is over, which named the order `before`, if it rested, and compares what was told of it
  /// with its result and its trades.
  void end_command(const std::optional<RestingOrder>& before, const Result& result,
                   const std::vector<Trade>& trades) {
    std::string kinds(trades.size(), 'E');
    if (result.status == Status::Success) {
      if (before && !result.rests()) {
        kinds += 'D';
      } else if (before && !result.kept_place) {
        kinds += 'P';
      } else if (before && result.remaining < before->quantity) {
        kinds += 'R';
      } else if (!before && result.rests()) {
        kinds += 'A';
      }
    }
    expect(trades == trades_, "the fills are not the trades");
    end_command(kinds);
  }
  /// The same with the events of orders that are expected, one letter each.
  void end_command(const std::string& kinds) {
    expect(orders_.kinds == kinds, "events of orders: expected " + kinds + ", told " + orders_.kinds);
    expect(told_levels_ == touched_, "the levels that are told are not those that were touched");
    const std::pair best{best_level(Side::Buy), best_level(Side::Sell)};
    expect(best_.kinds == (best == last_best_ ? "" : "B"), "best prices: told " + best_.kinds);
    for (Stream* stream : {&orders_, &levels_, &best_}) {
      expect(stream->kinds.empty() || stream->ended, "the last event does not end the command");
      stream->kinds.clear();
      stream->ended = false;
    }
    last_best_ = best;
    trades_.clear();
    touched_.clear();
    told_levels_.clear();
  }

  /// The same with whatever events of orders there are.
  /// @return these, one letter each.
  std::string end_any_command() {
    const std::string kinds = orders_.kinds;
    end_command(kinds);
    return kinds;
  }

  /// Compares what has been built with what a book says. Linear in the orders.
  template <class Book>
  void compare(const Book& book) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      std::vector<RestingOrder> orders;
      const auto add_level = [&](const auto& level) {
        orders.insert(orders.end(), level.second.begin(), level.second.end());
      };
      const auto& levels = side_levels(side);
      if (side == Side::Buy) std::for_each(levels.rbegin(), levels.rend(), add_level);
      if (side == Side::Sell) std::for_each(levels.begin(), levels.end(), add_level);
      expect(orders == orders_of(book, side), "the orders are not those of the book");

      std::vector<DepthLevel> depth;
      for (const auto& [name, level] : depth_) {
        if (name.first == side) depth.push_back(level);
      }
      if (side == Side::Buy) std::reverse(depth.begin(), depth.end());
      expect(depth == depth_of(book, side), "the levels are not those of the book");
      expect((side == Side::Buy ? bid_ : ask_) == (depth.empty() ? DepthLevel{} : depth[0]),
             "the best price is not that of the book");
    }
  }

  /// Begins with a snapshot, and ignores events that it includes.
  template <class Book>
  void load(const Book& book, const StreamPositions& positions) {
    late_ = true;
    orders_.sequence = positions.orders;
    levels_.sequence = positions.levels;
    best_.sequence = positions.best;
    Loader loader{*this};
    give_snapshot(book, positions, loader, book_);
    expect(loader.orders == book.size(), "orders of a snapshot");
    expect(loader.ends == (book.size() == 0 ? 1u : 3u), "ends of a snapshot");
    last_best_ = {best_level(Side::Buy), best_level(Side::Sell)};
  }

  [[nodiscard]] StreamPositions positions() const { return {orders_.sequence, levels_.sequence, best_.sequence}; }
  /// The first fault; empty if there is none.
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  using LevelName = std::pair<Side, Price>;
  using Queue = std::list<RestingOrder>;

  struct Stream {
    std::uint64_t sequence = 0;
    std::string kinds;   ///< one letter for each event of the command
    bool ended = false;  ///< whether its last event ended it
  };

  /// Takes a snapshot.
  struct Loader {
    EventReader& reader;
    std::size_t orders = 0;
    std::size_t ends = 0;
    bool orders_ended = false;
    bool levels_ended = false;

    void added(const OrderAdded& event) {
      place(event, reader.orders_, orders_ended);
      ++orders;
      reader.insert(event.order);
    }
    void level_changed(const LevelChanged& event) {
      place(event, reader.levels_, levels_ended);
      reader.keep_level(event);
    }
    void best_changed(const BestChanged& event) {
      bool ended = false;
      place(event, reader.best_, ended);
      reader.bid_ = event.bid;
      reader.ask_ = event.ask;
    }
    void place(const Event& event, const Stream& stream, bool& ended) {
      reader.expect(event.sequence == stream.sequence && event.book == reader.book_, "the place of a snapshot");
      reader.expect(!ended, "a snapshot goes on after its end");
      ended = event.ends_command;
      ends += event.ends_command;
    }
  };

  bool expect(bool holds, const std::string& what) {
    if (!holds && fault_.empty()) fault_ = what;
    return holds;
  }

  bool arrives(const Event& event, Stream& stream, char kind) {
    if (late_ && event.sequence <= stream.sequence) return false;
    expect(event.book == book_, "an event of another book");
    expect(event.sequence == stream.sequence + 1, "a gap, or an event that comes twice");
    expect(!stream.ended, "an event after the one that ended the command");
    stream.sequence = event.sequence;
    stream.ended = event.ends_command;
    stream.kinds += kind;
    return true;
  }

  void touch(const RestingOrder& order) { touched_.insert({order.side, order.price}); }

  [[nodiscard]] std::map<Price, Queue>& side_levels(Side side) { return side == Side::Buy ? bids_ : asks_; }

  void insert(const RestingOrder& order, OrderHandle in_front_of = {}) {
    if (!expect(!find(order.handle) && order.quantity > 0, "a handle that is in use, or an empty order")) return;
    Queue& queue = side_levels(order.side)[order.price];
    auto place = queue.end();
    if (in_front_of != OrderHandle{}) {
      const std::optional<RestingOrder> next = find(in_front_of);
      if (!expect(next && next->side == order.side && next->price == order.price, "a neighbour of another level"))
        return;
      place = places_.at(in_front_of);
    }
    places_[order.handle] = queue.insert(place, order);
  }
  void erase(const RestingOrder& order) {
    if (!expect(find(order.handle) == order, "an order leaves that was another one")) return;
    auto& levels = side_levels(order.side);
    Queue& queue = levels.at(order.price);
    queue.erase(places_.at(order.handle));
    places_.erase(order.handle);
    if (queue.empty()) levels.erase(order.price);
  }

  [[nodiscard]] const Queue* best_queue(Side side) {
    const auto& levels = side_levels(side);
    if (levels.empty()) return nullptr;
    return side == Side::Buy ? &std::prev(levels.end())->second : &levels.begin()->second;
  }
  [[nodiscard]] std::optional<RestingOrder> oldest_of_best(Side side) {
    const Queue* queue = best_queue(side);
    return queue == nullptr ? std::nullopt : std::optional(queue->front());
  }
  [[nodiscard]] DepthLevel best_level(Side side) {
    DepthLevel best;
    const Queue* queue = best_queue(side);
    if (queue == nullptr) return best;
    best.price = queue->front().price;
    best.order_count = queue->size();
    for (const RestingOrder& order : *queue) best.quantity += order.quantity;
    return best;
  }

  void cross(const OrdersCrossed::Part& part, Side side) {
    if (part.by == 0) {
      expect(part == OrdersCrossed::Part{}, "something of an order that is not told of");
      return;
    }
    touch(part.order);
    RestingOrder before = part.order;
    before.quantity += part.by;
    const std::optional<RestingOrder> best = oldest_of_best(side);
    const bool is_best = shares_levels_ ? best && best->price == before.price : best == before;
    if (!expect(is_best && find(before.handle) == before, "not the oldest order of the best level has crossed"))
      return;
    if (part.order.quantity == 0) {
      erase(before);
    } else {
      places_.at(before.handle)->quantity = part.order.quantity;
    }
  }

  void keep_level(const LevelChanged& event) {
    if (event.level.order_count == 0) {
      expect(event.level.quantity == 0, "lots without an order");
      depth_.erase({event.side, event.level.price});
    } else {
      depth_[{event.side, event.level.price}] = event.level;
    }
  }

  BookNumber book_;
  bool shares_levels_;
  bool late_ = false;
  Stream orders_, levels_, best_;
  std::map<Price, Queue> bids_, asks_;
  std::map<OrderHandle, Queue::iterator> places_;
  std::map<LevelName, DepthLevel> depth_;
  DepthLevel bid_, ask_;

  // Of the command.
  std::vector<Trade> trades_;
  std::set<LevelName> touched_, told_levels_;
  std::pair<DepthLevel, DepthLevel> last_best_;

  std::string fault_;
};

}  // namespace llmes::test
