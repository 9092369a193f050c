// SPDX-License-Identifier: MIT
//
// How a command of a venue passes the risk stage and the book, and what is told meanwhile. A part of venue.hpp.
//
// Each thing that a book tells goes to the accounts, the log of trades, the layers and the reports at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "llmes/types/auction.hpp"
#include "llmes/types/command.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/open_orders.hpp"
#include "llmes/venue/risk_types.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/venue/venue_report.hpp"
#include "llmes/venue/venue_state.hpp"
#include "llmes/venue/venue_status.hpp"
#include "llmes/venue/venue_teller.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// One command at work. The accounts know each order that rests, so they book all that the books tell of it.
template <class Book, class Reports>
class VenueBooks {
 public:
  VenueBooks(VenueState<Book>& of, Reports& reports, std::uint64_t sequence, Nanoseconds at) noexcept
      : venue(of), tell(reports, sequence, at), time(at) {}

  using Answer = VenueAnswer;
  using Kind = VenueReportKind;

  /// What a book tells while it works.
  struct Told {
    VenueBooks& work;
    BookNumber book;
    DeleteReason reason = DeleteReason::None;

    void operator()(const RuledTrade& trade) const noexcept { work.traded(trade, book); }
    void operator()(const AuctionTrade& trade) const noexcept { work.traded(trade, book); }
    void prevented(const PreventedMatch& match) const noexcept { work.prevented(match, book); }
    void prevented(const PreventedAuctionTrade& match) const noexcept { work.prevented(match, book); }
    void refilled(const RestingOrder& order) const noexcept { work.refilled(order); }
    void cancelled(const RestingOrder& order) const noexcept { work.cancelled(order, reason); }
  };

  /// A command through the risk stage and the book, as one of `type`. Once the risk stage accepts it, its time is
  /// that of the venue.
  /// @param book,named where it goes, and the order that it names
  template <CommandType type>
  [[nodiscard]] Answer to_book(const VenueCommand& command, BookNumber book, OrderHandle named,
                               MessageRate rate) noexcept {
    const RiskStatus risk = venue.risk.accept(command.account, command.by_handle<type>(named), time, named,
                                              takes_off(type) ? PositionEffect::Any : command.effect, rate);
    if (risk == RiskStatus::UnknownOrder) return {VenueStatus::UnknownOrder, risk};
    if (risk != RiskStatus::Success) return {VenueStatus::RefusedByRisk, risk};
    venue.now = time;
    taker_left = command.quantity;
    taker_tag = venue.risk.client_tag();
    Told told{*this, book};
    NoDetails none;
    const Result result = venue.book.template execute<type>(FoundOrder<VenueCommand>{command, named}, told, none);
    (void)venue.risk.on_result(result);
    if (result.status != Status::Success) return {VenueStatus::RefusedByBook, RiskStatus::Success, result};
    touch(book);
    return {VenueStatus::Success, RiskStatus::Success, result};
  }

  /// Takes all orders of a scope off the books, without a look at whether an account may.
  [[nodiscard]] Answer cancel_scope(const CancelScope& scope, DeleteReason reason) noexcept {
    const Result result = venue.book.mass_cancel(scope, Told{*this, scope.book.value_or(0), reason});
    if (result.status == Status::Success) return {VenueStatus::Success, RiskStatus::Success, result};
    return {result.status == Status::UnknownBook ? VenueStatus::UnknownBook : VenueStatus::InvalidCommand};
  }

  /// Takes an open order off its book, and tells it. The accounts do not learn it here.
  void take_off_book(const OpenOrder& order, DeleteReason reason) noexcept {
    (void)venue.book.cancel_order(order.id);
    tell.deleted(order, reason);
    touch(order.book);
    ended(order.id);
  }
  /// The same, and the accounts learn it.
  void cancel(const OpenOrder& order, DeleteReason reason) noexcept {
    take_off_book(order, reason);
    (void)venue.risk.on_cancelled(order.handle, order.quantity);
  }

  // ---- What follows an order through its life.

  /// An order neither rests nor waits any more.
  void ended(OrderId id) noexcept {
    forget_lifetime(id);
    if (venue.links.size() != 0) venue.links.on_end(id);
  }
  void forget_lifetime(OrderId id) noexcept {
    if (venue.expiry.size() != 0) venue.expiry.remove(id);
  }
  void filled(OrderId id, Quantity lots) noexcept {
    if (lots != 0 && venue.links.size() != 0) venue.links.on_fill(id, lots);
  }
  /// A resting order has another id.
  void renamed(OrderId id, OrderId new_id) noexcept {
    if (venue.expiry.size() != 0) (void)venue.expiry.rename(id, new_id);
    if (venue.links.size() != 0) venue.links.rename(id, new_id);
  }
  /// Prices of a book may have changed, so that stops of it may fire.
  void touch(BookNumber book) noexcept {
    touched = touched == no_book || touched == book ? book : VenueCommand::all_books;
  }

  /// Counts lots that leave, at most the largest number of them.
  static void count(Quantity& lots, Quantity more) noexcept {
    lots += std::min(more, std::numeric_limits<Quantity>::max() - lots);
  }
  /// Lots that an order shows.
  [[nodiscard]] Quantity displayed(OrderHandle handle) const noexcept {
    return venue.set().find(handle)->quantity;
  }
  [[nodiscard]] std::optional<OpenOrder> open_order(OrderId id) const noexcept {
    return venue.risk.find(venue.ids().handle_of(id));
  }

  static constexpr BookNumber no_book = VenueCommand::all_books - 1;

  VenueState<Book>& venue;
  VenueTeller<Reports> tell;
  Nanoseconds time;
  BookNumber touched = no_book;  ///< whose stops are to be looked at; all_books: of all
  Quantity taker_left = 0;       ///< lots of the order in its book, after what was last told of it there
  std::uint32_t taker_tag = 0;   ///< its client's tag

 private:
  void traded(const RuledTrade& trade, BookNumber book) noexcept {
    const ClientTags tags{taker_tag, venue.risk.client_tag_of(trade.maker_handle)};  // before it may be gone
    (void)venue.risk.on_trade(trade);
    traded_at(book, trade.price);
    taker_left = trade.taker_remaining;
    const std::uint64_t match = venue.matches.add({.price = trade.price,
                                                   .quantity = trade.quantity,
                                                   .taker = trade.taker_owner,
                                                   .maker = trade.maker_owner,
                                                   .book = book,
                                                   .taker_side = trade.taker_side});
    tell.traded(trade, book, match, tags);
    filled(trade.maker_id, trade.quantity);
    if (trade.maker_remaining == 0) ended(trade.maker_id);
  }
  void traded(const AuctionTrade& trade, BookNumber book) noexcept {
    const ClientTags tags = tags_of(trade);
    (void)venue.risk.on_match(trade.buy.handle, trade.sell.handle, trade.price, trade.quantity);
    traded_at(book, trade.price);
    const std::uint64_t match = venue.matches.add({.price = trade.price,
                                                   .quantity = trade.quantity,
                                                   .taker = trade.buy.owner,
                                                   .maker = trade.sell.owner,
                                                   .book = book,
                                                   .in_auction = 1});
    tell.met(Kind::Executed, trade, book, match, 1, tags);
    for (const AuctionOrder& order : {trade.buy, trade.sell}) {
      filled(order.id, trade.quantity);
      if (order.remaining == 0) ended(order.id);
    }
  }
  /// Of a pair that is open yet.
  [[nodiscard]] ClientTags tags_of(const AuctionMatch& pair) const noexcept {
    return {venue.risk.client_tag_of(pair.buy.handle), venue.risk.client_tag_of(pair.sell.handle)};
  }
  /// Stops that trail follow each price: when they are looked at, only the last one is left.
  [[gnu::always_inline]] void traded_at(BookNumber book, Price price) noexcept {
    venue.symbols[book].on_trade(price);
    if (venue.stops.size() != 0) venue.stops.follow(book, {.last = price, .best_bid = {}, .best_ask = {}});
  }
  void prevented(const PreventedMatch& match, BookNumber book) noexcept {
    taker_left = match.taker_remaining;
    const OpenOrder maker = *venue.risk.find(match.maker_handle);
    if (maker.quantity != match.maker_remaining) {
      (void)venue.risk.on_cancelled(match.maker_handle, maker.quantity - match.maker_remaining);
    }
    tell.prevented(match, book, std::min(match.maker_showed, match.maker_remaining),
                   {taker_tag, maker.client_tag});
    if (match.maker_remaining == 0) ended(match.maker_id);
  }
  void prevented(const PreventedAuctionTrade& match, BookNumber book) noexcept {
    const ClientTags tags = tags_of(match);
    (void)venue.risk.on_cancelled(match.buy.handle, match.quantity);
    (void)venue.risk.on_cancelled(match.sell.handle, match.quantity);
    tell.met(Kind::Prevented, match, book, 0, static_cast<std::uint8_t>(SelfTrade::Decrement), tags);
    for (const AuctionOrder& order : {match.buy, match.sell}) {
      if (order.remaining == 0) ended(order.id);
    }
  }
  void refilled(const RestingOrder& order) noexcept {
    tell.rests(Kind::Refilled, *venue.risk.find(order.handle), order.quantity);
  }
  void cancelled(const RestingOrder& order, DeleteReason reason) noexcept {
    const OpenOrder open = *venue.risk.find(order.handle);
    (void)venue.risk.on_cancelled(order.handle, open.quantity);
    tell.deleted(open, reason);
    touch(open.book);
    ended(open.id);
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
