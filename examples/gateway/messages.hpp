// SPDX-License-Identifier: MIT
//
// What goes into a gateway and what comes out of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "llmes/book.hpp"

namespace gateway {

using llmes::Price;
using llmes::Quantity;
using llmes::Side;
using llmes::TimeInForce;

using SessionId = std::uint32_t;
using SymbolId = std::uint32_t;

enum class ReportType : std::uint8_t { New, PartialFill, Fill, Cancelled, Replaced, Rejected };

[[nodiscard]] constexpr std::string_view to_string(ReportType type) {
  constexpr std::string_view names[]{"New", "PartialFill", "Fill", "Cancelled", "Replaced", "Rejected"};
  return names[static_cast<std::size_t>(type)];
}

/// What a session is told of an order. Of a rejected request only the type, the session, the ids and the reason
/// are set. The texts are valid during the call that gets them.
struct Report {
  ReportType type = ReportType::New;
  SessionId session = 0;
  std::string_view id{};           ///< of the order, or of the request that is rejected
  std::string_view original_id{};  ///< the id that a replace takes away, or would have taken; else empty
  std::string_view reason{};       ///< why it is rejected; else empty
  SymbolId symbol = 0;
  Side side = Side::Buy;
  Price last_price = 0;  ///< of a fill, as is the next
  Quantity last_quantity = 0;
  Quantity ordered = 0;
  Quantity cumulative = 0;
  Quantity leaves = 0;

  friend bool operator==(const Report&, const Report&) = default;
};

/// The best price of a side and what rests there; a quantity of 0 says that nothing does.
struct Quote {
  Price price = 0;
  Quantity quantity = 0;

  friend bool operator==(const Quote&, const Quote&) = default;
};

struct TopOfBook {
  Quote bid;
  Quote ask;

  friend bool operator==(const TopOfBook&, const TopOfBook&) = default;
};

/// The way out. It is called while a request is being handled, so it must not call the gateway, nor throw.
template <class L>
concept Listener = requires(L& listener, const Report& report, SymbolId symbol, const TopOfBook& top) {
  listener.on_report(report);
  listener.on_top_of_book(symbol, top);  // after the reports of a request that changed it
};

enum class OrderType : std::uint8_t { Limit, Market };

/// A market order needs neither price nor time in force.
struct NewOrder {
  SymbolId symbol = 0;
  Side side = Side::Buy;
  Price price = 0;
  Quantity quantity = 0;
  TimeInForce time_in_force = TimeInForce::GoodTillCancel;
  OrderType type = OrderType::Limit;
};

}  // namespace gateway
