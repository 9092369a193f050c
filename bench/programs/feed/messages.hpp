// SPDX-License-Identifier: MIT
//
// What a feed does with ITCH messages before it comes to its books: which of them are about an order, and what
// they ask of a book. Every contestant but the feed book of the library, which has this inside, uses it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bench/contenders/market_book.hpp"
#include "llmes/book.hpp"
#include "llmes/itch/decode.hpp"
#include "llmes/itch/framing.hpp"
#include "llmes/itch/messages.hpp"

namespace llmes::bench {

/// What a message does to an order.
enum class FeedOperation : std::uint8_t { Add, Execute, Cancel, Delete, Replace, None };
inline constexpr std::size_t feed_operations = static_cast<std::size_t>(FeedOperation::None);
inline constexpr std::array<std::string_view, feed_operations> feed_operation_names{"add", "execute", "cancel",
                                                                                    "delete", "replace"};

/// The operation of a message that a FrameReader has given.
[[nodiscard, gnu::always_inline]] inline FeedOperation operation_of(itch::MessageBytes message) {
  static constexpr auto operations = [] {
    std::array<FeedOperation, 256> all{};
    all.fill(FeedOperation::None);
    for (const char type : {'A', 'F'}) all[static_cast<std::size_t>(type)] = FeedOperation::Add;
    for (const char type : {'E', 'C'}) all[static_cast<std::size_t>(type)] = FeedOperation::Execute;
    all['X'] = FeedOperation::Cancel;
    all['D'] = FeedOperation::Delete;
    all['U'] = FeedOperation::Replace;
    return all;
  }();
  return operations[std::to_integer<std::size_t>(message.front())];
}

/// The book of a message that has an operation: the locate of its symbol.
[[nodiscard, gnu::always_inline]] inline std::uint16_t book_of(itch::MessageBytes message) {
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(message[1]) << 8 |
                                    std::to_integer<unsigned>(message[2]));
}

/// Gives `take` what a message asks of the books, with prices in ten-thousandths of a dollar, if it is about an
/// order.
template <class Take>
struct RequestHandler {
  const Take& take;

  void operator()(const itch::AddOrder& order) const { add(order); }
  void operator()(const itch::AddAttributedOrder& order) const { add(order); }
  void operator()(const itch::OrderExecuted& execution) const { reduce(execution); }
  void operator()(const itch::OrderExecutedWithPrice& execution) const { reduce(execution); }
  void operator()(const itch::OrderCancel& cancel) const { reduce(cancel); }
  void operator()(const itch::OrderDelete& order) const {
    take(MarketRequest{Request::cancel(id(order.reference)), book(order)});
  }
  void operator()(const itch::OrderReplace& order) const {
    take(MarketRequest{
        Request::replace_resting(id(order.reference), id(order.new_reference), price(order), order.shares.value()),
        book(order)});
  }

 private:
  [[nodiscard]] static OrderId id(itch::Reference reference) { return static_cast<OrderId>(reference); }
  template <class Message>
  [[nodiscard]] static BookNumber book(const Message& message) {
    return static_cast<BookNumber>(message.header.locate.value());
  }
  template <class Message>
  [[nodiscard]] static Price price(const Message& message) {
    return static_cast<Price>(message.price.value());
  }

  template <class Order>
  [[gnu::always_inline]] void add(const Order& order) const {
    const Side side = order.side.value() == itch::BuySell::Buy ? Side::Buy : Side::Sell;
    take(MarketRequest{Request::add_resting(id(order.reference), side, price(order), order.shares.value()),
                       book(order)});
  }
  template <class Message>
  [[gnu::always_inline]] void reduce(const Message& message) const {
    take(MarketRequest{Request::reduce(id(message.reference), message.shares.value()), book(message)});
  }
};

template <class Take>
[[gnu::always_inline]] inline void request_of(itch::MessageBytes message, const Take& take) {
  static_cast<void>(itch::decode(message, RequestHandler<Take>{take}));
}

/// How many messages a reader gives at a time.
inline constexpr std::size_t feed_span = 256;

/// Gives `take` all messages of a tape, in spans of `feed_span` and fewer at the end.
template <class Take>
[[gnu::always_inline]] inline void read_spans(std::span<const std::byte> tape, const Take& take) {
  itch::FrameReader reader(tape);
  std::array<itch::MessageBytes, feed_span> room;
  for (;;) {
    const std::span<const itch::MessageBytes> messages = reader.read(room);
    if (messages.empty()) return;
    take(messages);
  }
}

}  // namespace llmes::bench
