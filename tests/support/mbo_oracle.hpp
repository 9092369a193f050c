// SPDX-License-Identifier: MIT
//
// The books of market-by-order records in their simplest form: a list of orders a price, searched from its front.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "llmes/dbn/records.hpp"
#include "llmes/types/types.hpp"

namespace llmes::test {

class MboOracle {
 public:
  struct Order {
    std::uint64_t id;
    std::uint64_t size;
  };
  /// By price, each oldest first.
  using Levels = std::map<std::int64_t, std::list<Order>>;
  struct Book {
    std::array<Levels, 2> sides;  ///< bids, asks
    bool is_settled = true;
    char aggressor = 'N';  ///< the side of the event's latest trade
    std::map<std::uint64_t, std::uint64_t>
        filled;  ///< by id: lots that its fills have told of, and nothing took off
  };
  using Name = std::pair<std::uint16_t, std::uint32_t>;

  MboOracle(std::size_t instruments, std::size_t capacity) : instruments_(instruments), capacity_(capacity) {}

  void apply(const dbn::Mbo& record) {
    const Name name{record.header.publisher.value(), record.header.instrument.value()};
    if (!books.contains(name)) {
      if (books.size() == instruments_) return fault("unknown symbol");
      books[name];
    }
    Book& book = books[name];
    act(book, record);
    book.is_settled = record.flags.value() >= 128;
    if (!book.is_settled) return;
    book.aggressor = 'N';
    book.filled.clear();
  }

 private:
  void act(Book& book, const dbn::Mbo& record) {
    const char action = static_cast<char>(record.action.value());
    const char letter = static_cast<char>(record.side.value());
    const std::size_t side = letter == 'A' ? 1 : 0;
    const bool has_side = letter == 'A' || letter == 'B';
    const std::int64_t price = record.price;
    const bool has_price = price > std::numeric_limits<std::int64_t>::min() + 1 && price < dbn::undefined_price;
    if (action == 'T') {
      book.aggressor = letter;
    } else if (action == 'F') {
      if (letter == 'N' || letter != book.aggressor) book.filled[record.order_id] += record.size;
    } else if (action == 'R') {
      book.filled.clear();
      book.sides[0].clear();
      book.sides[1].clear();
    } else if (action == 'A' || action == 'M') {
      if (!has_side) return fault("invalid side");
      if (action == 'A' && (record.flags & 64) != 0) {
        const bool is_empty = price == dbn::undefined_price;
        if (!is_empty && !has_price) return fault("invalid price");
        if (!is_empty && record.size == 0u) return fault("zero quantity");
        book.sides[side].clear();
        book.filled.erase(std::numeric_limits<std::uint64_t>::max() - side);
        if (!is_empty) enter(book, side, price, {std::numeric_limits<std::uint64_t>::max() - side, record.size});
        return;
      }
      const auto found = find(book, record.order_id);
      if (found && action == 'M') {
        if (found->side != side) return fault("invalid side");
        if (!has_price) return fault("invalid price");
        const std::uint64_t filled = std::exchange(book.filled[record.order_id], 0);
        if (record.size == 0u) return fault("zero quantity");
        if (found->price == price && record.size + filled <= found->order->size) {
          found->order->size = record.size;
        } else {
          remove(book, *found);
          book.sides[side][price].push_back({record.order_id, record.size});
        }
        return;
      }
      if (!has_price) return fault("invalid price");
      book.filled.erase(record.order_id);
      if (found) return fault("duplicate reference");
      enter(book, side, price, {record.order_id, record.size});
    } else if (action == 'C') {
      std::uint64_t& filled = book.filled[record.order_id];
      filled -= std::min<std::uint64_t>(filled, record.size);
      const auto found = find(book, record.order_id);
      if (!found) return fault("unknown reference");
      if (record.size == 0u) return fault("zero quantity");
      if (record.size > found->order->size) return fault("over-execution");
      found->order->size -= record.size;
      if (found->order->size == 0) remove(book, *found);
    } else if (action != 'N') {
      fault("unknown type");
    }
  }

 public:
  [[nodiscard]] std::size_t size() const {
    std::size_t count = 0;
    for (const auto& [name, book] : books) count += size(book);
    return count;
  }
  [[nodiscard]] static std::size_t size(const Book& book) {
    std::size_t count = 0;
    for (const Levels& levels : book.sides) {
      for (const auto& [price, orders] : levels) count += orders.size();
    }
    return count;
  }
  /// The orders of a side in priority order, without handles.
  [[nodiscard]] static std::vector<RestingOrder> queue(const Book& book, Side side) {
    std::vector<RestingOrder> all;
    const auto add = [&](const auto& level) {
      for (const Order& order : level.second) all.push_back({{}, order.id, side, level.first, order.size});
    };
    const Levels& levels = book.sides[static_cast<std::size_t>(side)];
    if (side == Side::Sell) {
      std::for_each(levels.begin(), levels.end(), add);
    } else {
      std::for_each(levels.rbegin(), levels.rend(), add);
    }
    return all;
  }

  std::map<Name, Book> books;
  std::map<std::string, std::uint64_t> faults;

 private:
  struct Place {
    std::size_t side;
    std::int64_t price;
    std::list<Order>::iterator order;
  };
  static std::optional<Place> find(Book& book, std::uint64_t id) {
    for (const std::size_t side : {0u, 1u}) {
      for (auto& [price, orders] : book.sides[side]) {
        for (auto order = orders.begin(); order != orders.end(); ++order) {
          if (order->id == id) return Place{side, price, order};
        }
      }
    }
    return {};
  }
  static void remove(Book& book, const Place& place) {
    std::list<Order>& orders = book.sides[place.side][place.price];
    orders.erase(place.order);
    if (orders.empty()) book.sides[place.side].erase(place.price);
  }
  void enter(Book& book, std::size_t side, std::int64_t price, Order order) {
    if (order.size == 0) return fault("zero quantity");
    if (size() == capacity_) return fault("no room");
    book.sides[side][price].push_back(order);
  }
  void fault(const std::string& what) { ++faults[what]; }

  std::size_t instruments_;
  std::size_t capacity_;
};

}  // namespace llmes::test
