// SPDX-License-Identifier: MIT
//
// The market of an ITCH tape once more as a DBN file of market-by-order records, so that both formats can be
// compared and nobody's data is needed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "llmes/dbn.hpp"
#include "llmes/itch.hpp"
#include "llmes/market_data/feed_book.hpp"

namespace llmes::bench {

/// Writes messages of ITCH as records: instruments are locates, ids are references, and the day is 2026-11-27.
///
///  - An execution is a trade with the aggressor's side, a fill, and a cancel; in a cross without the trade. Those
///  of
///    one symbol at one time are one event.
///  - A replace is a cancel and an add, in one event.
///  - A hidden trade and a cross are a trade without a side.
class DbnDayWriter {
 public:
  static constexpr std::uint64_t midnight = 1'795'737'600'000'000'000;
  static constexpr std::int64_t price4_scale = 100'000;  ///< billionths in a ten-thousandth
  static constexpr std::uint16_t publisher = 2;

  explicit DbnDayWriter(std::span<const itch::MessageBytes> messages)
      : messages_(messages),
        feed_(FeedBook::create({.symbols = symbols_of(messages), .capacity = messages.size() + 1})) {
    if (!feed_) throw std::runtime_error("too little memory for the books of a day");
  }

  [[nodiscard]] std::vector<std::byte> write(std::uint8_t version) {
    write_header(version);
    for (next_ = 0; next_ < messages_.size();) {
      const itch::MessageBytes message = messages_[next_++];
      static_cast<void>(itch::decode(message, [this](const auto& any) { write_message(any); }));
      feed_->apply(message);
    }
    return std::move(file_);
  }

 private:
  [[nodiscard]] static std::size_t symbols_of(std::span<const itch::MessageBytes> messages) {
    std::size_t most = 1;
    for (const itch::MessageBytes message : messages) {
      static_cast<void>(itch::decode(message, [&](const itch::StockDirectory& directory) {
        most = std::max<std::size_t>(most, static_cast<std::uint16_t>(directory.header.locate.value()));
      }));
    }
    return most;
  }

  void write_header(std::uint8_t version) {
    std::vector<std::string> texts;
    for (const itch::MessageBytes message : messages_) {
      static_cast<void>(itch::decode(message, [&](const itch::StockDirectory& directory) {
        texts.emplace_back(directory.symbol.view());
        texts.push_back(std::to_string(static_cast<unsigned>(directory.header.locate.value())));
      }));
    }
    std::vector<dbn::Mapping> mappings;
    for (std::size_t i = 0; i < texts.size(); i += 2) {
      mappings.push_back({.name = texts[i], .begin = 20'261'127, .end = 20'261'128, .symbol = texts[i + 1]});
    }
    const dbn::HeaderFields header{.version = version,
                                   .dataset = "XNAS.ITCH",
                                   .start = midnight,
                                   .end = midnight + 86'400'000'000'000,
                                   .mappings = mappings};
    file_.resize(dbn::Writer::size_of(header));
    if (dbn::Writer(file_).append(header) != dbn::WriteStatus::Success)
      throw std::invalid_argument("no such version");
  }

  template <class M>
  void write_message(const M& message) {
    if constexpr (requires { message.attribution; } || std::is_same_v<M, itch::AddOrder>) {
      const dbn::BidAsk side = message.side == itch::BuySell::Buy ? dbn::BidAsk::Bid : dbn::BidAsk::Ask;
      append(message, dbn::Action::Add, side, message.reference, message.price, message.shares, true);
    } else if constexpr (requires { message.new_reference; }) {
      const RestingOrder old = order(message.reference);
      append(message, dbn::Action::Cancel, side_of(old), message.reference, price_of(old), old.quantity, false);
      append(message, dbn::Action::Add, side_of(old), message.new_reference, message.price, message.shares, true);
    } else if constexpr (
        requires {
          message.reference;
          message.match;
        } && !requires { message.side; }) {
      write_fill(message);
    } else if constexpr (std::is_same_v<M, itch::OrderCancel>) {
      const RestingOrder old = order(message.reference);
      append(message, dbn::Action::Cancel, side_of(old), message.reference, price_of(old), message.shares, true);
    } else if constexpr (std::is_same_v<M, itch::OrderDelete>) {
      const RestingOrder old = order(message.reference);
      append(message, dbn::Action::Cancel, side_of(old), message.reference, price_of(old), old.quantity, true);
    } else if constexpr (std::is_same_v<M, itch::Trade> || std::is_same_v<M, itch::CrossTrade>) {
      if (message.shares.value() == 0) return;
      append(message, dbn::Action::Trade, dbn::BidAsk::None, itch::Reference{0}, message.price, message.shares,
             true);
    }
  }

  template <class M>
  void write_fill(const M& message) {
    const RestingOrder old = order(message.reference);
    itch::Price4 price = price_of(old);
    bool is_cross = false;
    if constexpr (requires { message.printable; }) {
      price = message.price;
      is_cross = message.printable == 'N';
    }
    const dbn::BidAsk aggressor = old.side == Side::Buy ? dbn::BidAsk::Ask : dbn::BidAsk::Bid;
    if (!is_cross)
      append(message, dbn::Action::Trade, aggressor, itch::Reference{0}, price, message.shares, false);
    append(message, dbn::Action::Fill, side_of(old), message.reference, price, message.shares, false);
    append(message, dbn::Action::Cancel, side_of(old), message.reference, price_of(old), message.shares,
           !continues(message.header.locate, message.header.timestamp));
  }
  /// Whether the next message is an execution of the same symbol at the same time.
  [[nodiscard]] bool continues(itch::Locate locate, itch::Timestamp time) const {
    bool is_same = false;
    if (next_ == messages_.size()) return false;
    static_cast<void>(itch::decode(messages_[next_], [&]<class M>(const M& message) {
      constexpr bool is_fill =
          std::is_same_v<M, itch::OrderExecuted> || std::is_same_v<M, itch::OrderExecutedWithPrice>;
      is_same = is_fill && message.header.locate == locate && message.header.timestamp == time;
    }));
    return is_same;
  }

  [[nodiscard]] RestingOrder order(itch::Reference reference) const {
    const std::optional<RestingOrder> found = feed_->find(reference);
    if (!found) throw std::invalid_argument("the tape names an order that does not rest");
    return *found;
  }
  [[nodiscard]] static dbn::BidAsk side_of(const RestingOrder& order) {
    return order.side == Side::Buy ? dbn::BidAsk::Bid : dbn::BidAsk::Ask;
  }
  [[nodiscard]] static itch::Price4 price_of(const RestingOrder& order) {
    return static_cast<itch::Price4>(order.price);
  }

  template <class M>
  void append(const M& message, dbn::Action action, dbn::BidAsk side, itch::Reference reference,
              itch::Price4 price, std::uint64_t size, bool is_last) {
    dbn::Mbo record;
    record.header.publisher = publisher;
    record.header.instrument = static_cast<std::uint32_t>(message.header.locate.value());
    const std::uint64_t time = midnight + static_cast<std::uint64_t>(message.header.timestamp.value().count());
    record.header.event_time = time;
    record.order_id = static_cast<std::uint64_t>(reference);
    record.price = static_cast<std::int64_t>(price) * price4_scale;
    record.size = static_cast<std::uint32_t>(size);
    record.flags = is_last ? static_cast<std::uint8_t>(dbn::Flag::Last) : std::uint8_t{0};
    record.action = action;
    record.side = side;
    // From the venue to the receiver, 20 to 30 microseconds.
    record.receive_time = time + 20'000 + next_ * 7'919 % 10'000;
    record.in_delta = 1'000;
    record.sequence = static_cast<std::uint32_t>(next_);
    file_.resize(file_.size() + sizeof record);
    static_cast<void>(dbn::Writer(std::span(file_).last(sizeof record)).append(record));
  }

  std::span<const itch::MessageBytes> messages_;
  std::optional<FeedBook> feed_;
  std::size_t next_ = 0;
  std::vector<std::byte> file_;
};

/// The messages of an ITCH tape, which stand in it.
[[nodiscard]] inline std::vector<itch::MessageBytes> messages_of(std::span<const std::byte> tape) {
  std::vector<itch::MessageBytes> all(tape.size() / 12 + 1);
  all.resize(itch::FrameReader(tape).read(all).size());
  return all;
}

/// The DBN file of an ITCH tape. Throws std::invalid_argument if the tape is not valid or there is no such
/// version.
[[nodiscard]] inline std::vector<std::byte> make_dbn_day(std::span<const std::byte> tape,
                                                         std::uint8_t version = 3) {
  const std::vector<itch::MessageBytes> messages = messages_of(tape);
  return DbnDayWriter(messages).write(version);
}

}  // namespace llmes::bench
