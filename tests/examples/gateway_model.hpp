// SPDX-License-Identifier: MIT
//
// What a gateway must report, written only to be obviously right: open orders in vectors in order of arrival,
// searched from end to end, and a line of text for each message.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/gateway/messages.hpp"

namespace llmes::test {

using namespace gateway;

/// The messages as lines, in the order in which they were sent. It listens to a gateway, and the model writes to
/// another one.
struct Transcript {
  std::vector<std::string> lines;
  std::map<std::string, int> count;  ///< of reports, by type or reason

  void on_report(const Report& report) {
    const std::string name(to_string(report.type));
    ++count[report.reason.empty() ? name : std::string(report.reason)];
    std::string line = name;
    for (const std::string_view text : {report.id, report.original_id, report.reason}) {
      line.append(" '").append(text).append("'");
    }
    for (const std::uint64_t number :
         {std::uint64_t{report.session}, std::uint64_t{report.symbol}, static_cast<std::uint64_t>(report.side),
          static_cast<std::uint64_t>(report.last_price), report.last_quantity, report.ordered, report.cumulative,
          report.leaves}) {
      line.append(" ").append(std::to_string(number));
    }
    lines.push_back(line);
  }

  void on_top_of_book(SymbolId symbol, const TopOfBook& top) {
    ++count["top"];
    std::string line = "top " + std::to_string(symbol);
    for (const Quote& quote : {top.bid, top.ask}) {
      line.append(" ").append(std::to_string(quote.quantity));
      line.append(" at ").append(std::to_string(quote.price));
    }
    lines.push_back(line);
  }
};

class GatewayModel {
 public:
  struct Order {
    SessionId session = 0;
    std::string id;
    SymbolId symbol = 0;
    Side side = Side::Buy;
    Price price = 0;
    Quantity ordered = 0;
    Quantity cumulative = 0;
    TimeInForce time_in_force = TimeInForce::GoodTillCancel;

    [[nodiscard]] Quantity leaves() const { return ordered - cumulative; }
  };

  GatewayModel(SymbolId symbol_count, Price price_max, const BookConfig& config)
      : tops_(symbol_count), price_max_(price_max), config_(config) {}

  void add(SessionId session, const std::string& id, const NewOrder& request) {
    if (!valid(id)) return reject(session, id, "id is empty or too long");
    if (request.symbol >= tops_.size()) return reject(session, id, "unknown symbol");
    if (find(session, id) != open.size()) return reject(session, id, "duplicate id");
    Order order{session,          id, request.symbol,       request.side, request.price,
                request.quantity, 0,  request.time_in_force};
    if (request.type == OrderType::Market) {
      order.price = request.side == Side::Buy ? price_max_ : 0;
      order.time_in_force = TimeInForce::ImmediateOrCancel;
    }
    const std::string_view refusal = enter(order, {.type = ReportType::New});
    if (!refusal.empty()) reject(session, id, refusal);
  }

  void replace(SessionId session, const std::string& original, const std::string& id, Price price,
               Quantity quantity) {
    if (!valid(id)) return reject(session, id, "id is empty or too long", original);
    const std::size_t place = find(session, original);
    if (place == open.size()) return reject(session, id, "unknown id", original);
    if (find(session, id) != open.size()) return reject(session, id, "duplicate id", original);
    Order order = open[place];
    if (quantity <= order.cumulative) return reject(session, id, "so much has traded already", original);

    const bool keeps_place = price == order.price && quantity <= order.ordered;
    order.id = id;
    order.price = price;
    order.ordered = quantity;
    const Report replaced{.type = ReportType::Replaced, .original_id = original};
    if (keeps_place) {
      open[place] = order;
      send(replaced, order);
      return send_top(order.symbol);
    }
    const std::vector<Order> before = open;
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));
    const std::string_view refusal = enter(order, replaced);
    if (refusal.empty()) return;
    open = before;
    reject(session, id, refusal, original);
  }

  void cancel(SessionId session, const std::string& id) {
    const std::size_t place = find(session, id);
    if (place == open.size()) return reject(session, id, "unknown id");
    const Order order = open[place];
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));
    send({.type = ReportType::Cancelled}, order);
    send_top(order.symbol);
  }

  std::vector<Order> open;
  Transcript sent;

 private:
  static bool valid(const std::string& id) { return !id.empty() && id.size() <= 23; }

  [[nodiscard]] std::size_t find(SessionId session, const std::string& id) const {
    std::size_t place = 0;
    while (place < open.size() && (open[place].session != session || open[place].id != id)) ++place;
    return place;
  }

  /// Trades and rests an order. Returns why it cannot, after no change.
  std::string_view enter(Order taker, const Report& acknowledgement) {
    if (taker.ordered == 0 || taker.leaves() > config_.quantity_max) return "InvalidQuantity";
    const bool rests =
        taker.time_in_force == TimeInForce::GoodTillCancel || taker.time_in_force == TimeInForce::PostOnly;
    if (rests && (taker.price < 0 || taker.price > price_max_)) return "PriceOutOfBand";
    Quantity available = 0;
    std::size_t resting = 0;
    for (const Order& order : open) {
      if (order.symbol == taker.symbol) ++resting;
      if (crosses(taker, order)) available += order.leaves();
    }
    if (taker.time_in_force == TimeInForce::PostOnly && available > 0) return "WouldCross";
    if (taker.time_in_force == TimeInForce::FillOrKill && available < taker.leaves()) return "NotFillable";
    if (rests && available == 0 && resting == config_.capacity) return "PoolFull";

    send(acknowledgement, taker);
    for (std::size_t place = best_maker(taker); taker.leaves() > 0 && place < open.size();
         place = best_maker(taker)) {
      Order& maker = open[place];
      const Quantity lots = std::min(taker.leaves(), maker.leaves());
      for (Order* order : {&taker, &maker}) {
        order->cumulative += lots;
        send({.type = order->leaves() == 0 ? ReportType::Fill : ReportType::PartialFill,
              .last_price = maker.price,
              .last_quantity = lots},
             *order);
      }
      if (maker.leaves() == 0) open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));
    }
    if (taker.leaves() > 0 && rests) open.push_back(taker);
    if (taker.leaves() > 0 && !rests) send({.type = ReportType::Cancelled}, taker);
    send_top(taker.symbol);
    return {};
  }

  static bool crosses(const Order& taker, const Order& maker) {
    return maker.symbol == taker.symbol && maker.side != taker.side &&
           (taker.side == Side::Buy ? maker.price <= taker.price : maker.price >= taker.price);
  }

  static bool better(const Order& a, const Order& b) {
    return a.side == Side::Buy ? a.price > b.price : a.price < b.price;
  }

  [[nodiscard]] std::size_t best_maker(const Order& taker) const {
    std::size_t best = open.size();
    for (std::size_t place = 0; place < open.size(); ++place) {
      if (crosses(taker, open[place]) && (best == open.size() || better(open[place], open[best]))) best = place;
    }
    return best;
  }

  void send(Report report, const Order& order) {
    report.session = order.session;
    report.id = order.id;
    report.symbol = order.symbol;
    report.side = order.side;
    report.ordered = order.ordered;
    report.cumulative = order.cumulative;
    report.leaves = report.type == ReportType::Cancelled ? 0 : order.leaves();
    sent.on_report(report);
  }

  void reject(SessionId session, std::string_view id, std::string_view reason, std::string_view original = {}) {
    sent.on_report(
        {.type = ReportType::Rejected, .session = session, .id = id, .original_id = original, .reason = reason});
  }

  void send_top(SymbolId symbol) {
    TopOfBook top;
    for (const Order& order : open) {
      if (order.symbol != symbol) continue;
      Quote& quote = order.side == Side::Buy ? top.bid : top.ask;
      const bool best =
          quote.quantity == 0 || (order.side == Side::Buy ? order.price > quote.price : order.price < quote.price);
      if (best) {
        quote = {order.price, order.leaves()};
      } else if (order.price == quote.price) {
        quote.quantity += order.leaves();
      }
    }
    if (top == tops_[symbol]) return;
    tops_[symbol] = top;
    sent.on_top_of_book(symbol, top);
  }

  std::vector<TopOfBook> tops_;
  Price price_max_;
  BookConfig config_;
};

}  // namespace llmes::test
