// SPDX-License-Identifier: MIT
//
// The same order is the same command by whatever protocol it comes: random orders and cancels, as bytes, through
// each door.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "examples/exchange/fix/session.hpp"
#include "examples/exchange/gateway.hpp"
#include "examples/exchange/ouch/session.hpp"
#include "llmes/wire.hpp"
#include "tests/examples/tiny_protocol.hpp"
#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/wire/fix_text.hpp"

namespace exchange::doors_test {
namespace {

using llmes::test::framed;
using llmes::test::Random;
using llmes::test::repetitions;

constexpr Nanoseconds second = 1'000'000'000;
constexpr Nanoseconds morning = 20'000 * 86'400 * second + 32'400 * second;

/// An order as a client means it, or a replace or a cancel of one.
struct Wish {
  bool is_cancel = false;
  std::uint32_t number = 0;
  std::uint32_t original = 0;  ///< of a replace: the number of the order that it replaces
  bool buys = false;
  std::uint32_t lots = 0;
  std::uint64_t price4 = 0;
  std::string symbol{};
  TimeWord time = TimeWord::Day;
  bool is_hidden = false;
  std::uint32_t peak = 0;
  std::uint32_t minimum = 0;
  bool is_post_only = false;
  std::uint32_t expiry = 0;  ///< seconds to live

  [[nodiscard]] std::string name() const { return name_of(number); }
  [[nodiscard]] static std::string name_of(std::uint32_t number) { return "n" + std::to_string(number); }
};

Wish any_wish(Random& random, std::uint32_t number) {
  Wish wish{
      .number = number,
      .buys = random.chance(50),
      .lots = static_cast<std::uint32_t>(1 + random.below(5)),
      .price4 = 900'000 + 100 * random.below(5),
      .symbol = random.chance(5) ? "NONE" : "B",
      .time = std::array{TimeWord::Day, TimeWord::ImmediateOrCancel, TimeWord::GoodTillTime}[random.below(3)]};
  if (random.chance(5)) wish.price4 = random.chance(50) ? wish.price4 + 50 : 0;
  wish.is_hidden = random.chance(10);
  if (!wish.is_hidden && random.chance(60)) wish.peak = static_cast<std::uint32_t>(1 + random.below(6));
  if (random.chance(20)) wish.minimum = 2;
  wish.is_post_only = random.chance(15);
  if (wish.time == TimeWord::GoodTillTime) wish.expiry = 10'800;  // nine o'clock it is
  return wish;
}

std::string words(const Wish& wish) {
  return std::string(wish.is_cancel       ? "cancel "
                     : wish.original != 0 ? "replace by "
                     : wish.buys          ? "buy "
                                          : "sell ") +
         std::to_string(wish.number) + ": " + std::to_string(wish.lots) + ' ' + wish.symbol + " at " +
         std::to_string(wish.price4) + ", time " + std::to_string(static_cast<int>(wish.time)) + ", expiry " +
         std::to_string(wish.expiry) + ", peak " + std::to_string(wish.peak) + ", minimum " +
         std::to_string(wish.minimum) + (wish.is_hidden ? ", hidden" : "") +
         (wish.is_post_only ? ", post-only" : "");
}

/// A mass quote as a client means it.
struct WishedSide {
  std::uint32_t quote = 0;
  bool buys = false;
  std::uint32_t lots = 0;
  std::uint64_t price4 = 0;
  std::string symbol{};
};
struct WishedQuotes {
  std::uint32_t number = 0;
  bool is_all_or_none = false;
  std::vector<WishedSide> sides{};  ///< the bid and the offer of a quote behind each other
};

WishedQuotes any_quotes(Random& random, std::uint32_t number) {
  WishedQuotes wish{.number = number, .is_all_or_none = random.chance(30)};
  const std::uint64_t most = random.chance(5) ? 100 : 6;
  for (std::uint64_t left = random.below(most + 1); left > 0; --left) {
    const auto quote = static_cast<std::uint32_t>(random.chance(90) ? 1 + random.below(9) : quotes_max);
    const std::string symbol = random.chance(5) ? "NONE" : "B";
    const std::uint64_t sides = 1 + random.below(3);  // a bit each
    for (const bool buys : {true, false}) {
      if ((sides & (buys ? 1 : 2)) == 0) continue;
      WishedSide& side = wish.sides.emplace_back(WishedSide{
          quote, buys, static_cast<std::uint32_t>(random.below(5)), 900'000 + 100 * random.below(5), symbol});
      if (random.chance(10)) side.price4 = random.chance(50) ? side.price4 + 50 : 0;
    }
  }
  return wish;
}

/// One gateway with one user, and one door; what comes through it is not done, but kept.
class Way {
 public:
  explicit Way(const Protocol& protocol)
      : gateway(
            users(), {protocol.make_view}, [this](const Entry& record) { records.push_back(record); },
            [](const auto&) { return std::uint64_t{0}; }),
        door(protocol.make_door(gateway, {})) {
    gateway.set_time(morning);
    Outcome day;
    day.kind = OutcomeKind::DayBegan;
    day.quantity = 1;
    gateway.take(day);
    Outcome known;
    known.kind = OutcomeKind::SymbolKnown;
    known.symbol = pack_symbol("B");
    known.book = 1;
    known.price4 = 100;
    known.quantity = 1;
    gateway.take(known);
    session = door->connect(0);
  }
  virtual ~Way() = default;

  /// The record that a wish comes to.
  template <class W>
  [[nodiscard]] std::optional<Entry> send(const W& wish) {
    records.clear();
    give(bytes_of(wish));
    EXPECT_LE(records.size(), 1u);
    return records.empty() ? std::nullopt : std::optional(records[0]);
  }
  /// The exchange has taken the order, or it is gone.
  void tell(OutcomeKind kind, const Entry& record, const Wish& wish) {
    Outcome outcome;
    outcome.kind = kind;
    outcome.user = record.sender.user;
    outcome.account = record.command.account;
    outcome.reference = wish.number;
    outcome.original = wish.original;
    outcome.client_id = client_id_of(wish.name());
    outcome.leaves = outcome.ordered = kind == OutcomeKind::Canceled ? 0 : wish.lots;
    gateway.take(outcome);
  }
  /// All that was sent is done.
  void settle() { gateway.set_done(gateway.submitted()); }
  [[nodiscard]] virtual std::string bytes_of(const Wish& wish) = 0;
  [[nodiscard]] virtual std::string bytes_of(const WishedQuotes& wish) = 0;

 protected:
  void give(std::string_view bytes) {
    EXPECT_EQ(session->receive(std::as_bytes(std::span(bytes)), 0), bytes.size());
  }
  template <class M>
  static std::string text_of(const M& message) {
    return {reinterpret_cast<const char*>(&message), sizeof(message)};
  }

  std::vector<Entry> records;
  Gateway gateway;
  std::unique_ptr<Door> door;
  std::unique_ptr<Session> session;

 private:
  static std::vector<User> users() {
    User user;
    user.name = user.names["fix"] = "ANN";
    user.id = *user_id("ANN");
    user.account = 7;
    user.password =
        *Password::of("pbkdf2:1:0102030405060708:" +
                      hex_of(*hash_of("SECRET", std::vector<unsigned char>{1, 2, 3, 4, 5, 6, 7, 8}, 1)));
    return {user};
  }
};

class OuchWay final : public Way {
 public:
  OuchWay() : Way(ouch_protocol) {
    const llmes::soup::LoginRequest login{.user = "ANN", .password = "secret", .sequence = 1};
    give(packet(llmes::soup::PacketType::LoginRequest, text_of(login)));
    EXPECT_TRUE(session->is_logged_in());
  }
  [[nodiscard]] std::string bytes_of(const Wish& wish) override {
    if (wish.is_cancel)
      return unsequenced(text_of(ouch::CancelOrder{.user_reference = wish.number, .quantity = 0}));
    if (wish.original != 0) {
      ouch::ReplaceOrder replace;
      replace.original = wish.original;
      return of_order(replace, wish);
    }
    ouch::EnterOrder order;
    order.side = wish.buys ? ouch::Side::Buy : ouch::Side::Sell;
    order.symbol = std::string_view(wish.symbol);
    return of_order(order, wish);
  }

  [[nodiscard]] std::string bytes_of(const WishedQuotes& wish) override {
    ouch::MassQuote message{.user_reference = wish.number, .all_or_none = wish.is_all_or_none ? 'Y' : 'N'};
    message.client_id = std::string_view(Wish::name_of(wish.number));
    message.appendage_size = static_cast<std::uint16_t>(wish.sides.size() * sizeof(ouch::QuoteSide));
    std::string bytes = text_of(message);
    for (const WishedSide& side : wish.sides) {
      bytes += text_of(ouch::QuoteSide{.quote = side.quote,
                                       .side = side.buys ? ouch::Side::Buy : ouch::Side::Sell,
                                       .symbol = std::string_view(side.symbol),
                                       .quantity = side.lots,
                                       .price = side.price4});
    }
    return unsequenced(bytes);
  }

 private:
  template <class M>
  static std::string of_order(M order, const Wish& wish) {
    order.user_reference = wish.number;
    order.quantity = wish.lots;
    order.price = wish.price4;
    order.time_in_force = ouch_time(wish.time);
    order.display = wish.is_hidden ? ouch::Display::Hidden : ouch::Display::Visible;
    order.client_id = std::string_view(wish.name());
    ouch::Outgoing outgoing(order);
    if (wish.peak != 0) {
      EXPECT_TRUE(outgoing.append(ouch::Tag::MaxFloor, wish.peak));
    }
    if (wish.minimum != 0) {
      EXPECT_TRUE(outgoing.append(ouch::Tag::MinimumQuantity, wish.minimum));
    }
    if (wish.is_post_only) {
      EXPECT_TRUE(outgoing.append(ouch::Tag::PostOnly, 'P'));
    }
    if (wish.expiry != 0) {
      EXPECT_TRUE(outgoing.append(ouch::Tag::ExpireTime, wish.expiry));
    }
    const std::span<const std::byte> bytes = outgoing.bytes();
    return unsequenced({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  static std::string packet(llmes::soup::PacketType type, std::string_view payload) {
    std::array<std::byte, 8'192> room{};
    llmes::soup::PacketWriter writer(room);
    EXPECT_TRUE(writer.append(type, std::as_bytes(std::span(payload))));
    return {reinterpret_cast<const char*>(room.data()), writer.size()};
  }
  static std::string unsequenced(std::string_view payload) {
    return packet(llmes::soup::PacketType::Unsequenced, payload);
  }
};

class FixWay final : public Way {
 public:
  FixWay() : Way(fix_protocol) {
    give(message("35=A|", "98=0|108=30|554=secret|"));
    EXPECT_TRUE(session->is_logged_in());
  }
  [[nodiscard]] std::string bytes_of(const Wish& wish) override {
    const std::string side = std::string("54=") + (wish.buys ? '1' : '2') + "|60=20241004-08:00:00|";
    if (wish.is_cancel)
      return message("35=F|", "11=c" + wish.name() + "|41=" + wish.name() + "|55=" + wish.symbol + '|' + side);
    std::string body = "11=" + wish.name() + "|55=" + wish.symbol + '|' + side +
                       "38=" + std::to_string(wish.lots) + "|40=2|44=" + decimal(wish.price4) + '|';
    if (wish.time == TimeWord::ImmediateOrCancel) body += "59=3|";
    if (wish.time == TimeWord::GoodTillTime) body += "59=6|";
    if (wish.expiry != 0) body += "126=20241004-12:00:00|";
    if (wish.is_hidden) body += "111=0|";
    if (wish.peak != 0)
      body += std::string(wish.number % 2 == 0 ? "111=" : "1138=") + std::to_string(wish.peak) + '|';
    if (wish.minimum != 0) body += "110=" + std::to_string(wish.minimum) + '|';
    if (wish.is_post_only) body += "18=6|";
    if (wish.original == 0) return message("35=D|", body);
    return message("35=G|", "41=" + Wish::name_of(wish.original) + '|' + body);
  }

  [[nodiscard]] std::string bytes_of(const WishedQuotes& wish) override {
    std::string entries;
    std::size_t count = 0;
    for (std::size_t i = 0; i < wish.sides.size();) {
      const std::span all(wish.sides);
      const bool is_both =
          i + 1 < all.size() && all[i + 1].quote == all[i].quote && all[i].buys && !all[i + 1].buys;
      const auto both = all.subspan(i, is_both ? 2 : 1);
      entries += "299=" + std::to_string(both[0].quote) + "|55=" + both[0].symbol + '|';
      for (const WishedSide& side : both) entries += (side.buys ? "132=" : "133=") + decimal(side.price4) + '|';
      for (const WishedSide& side : both)
        entries += (side.buys ? "134=" : "135=") + std::to_string(side.lots) + '|';
      i += both.size();
      ++count;
    }
    const std::string size = std::to_string(count);
    return message("35=i|", "117=" + Wish::name_of(wish.number) + (wish.is_all_or_none ? "|5296=Y" : "") +
                                "|296=1|302=set|304=" + size + "|295=" + size + '|' + entries);
  }

 private:
  static std::string decimal(std::uint64_t price4) {
    return std::to_string(price4 / 10'000) + '.' + std::to_string(10'000 + price4 % 10'000).substr(1);
  }
  std::string message(const std::string& type, const std::string& body) {
    return framed(type + "34=" + std::to_string(++sequence_) + "|49=ANN|52=20241004-09:00:00|56=VENUE|" + body);
  }
  std::uint64_t sequence_ = 0;
};

class TinyWay final : public Way {
 public:
  TinyWay() : Way(tiny_protocol) {
    give(text_of(TinyMessage{.type = 'L', .text = tiny_letters("ANN"), .secret = tiny_letters("secret")}));
    EXPECT_TRUE(session->is_logged_in());
  }
  [[nodiscard]] std::string bytes_of(const Wish& wish) override {
    if (wish.is_cancel) return text_of(TinyMessage{.type = 'C', .number = wish.number});
    return text_of(
        TinyMessage{.type = wish.original != 0 ? 'R' : 'N',
                    .side = wish.buys ? 'B' : 'S',
                    .time = wish.time == TimeWord::Day                 ? 'D'
                            : wish.time == TimeWord::ImmediateOrCancel ? 'I'
                                                                       : 'T',
                    .flags = static_cast<std::uint8_t>((wish.is_hidden ? 1 : 0) + (wish.is_post_only ? 2 : 0)),
                    .number = wish.number,
                    .quantity = wish.lots,
                    .peak = wish.peak,
                    .minimum = wish.minimum,
                    .expiry = wish.original != 0 ? wish.original : wish.expiry,
                    .price4 = wish.price4,
                    .text = tiny_letters(wish.symbol)});
  }
  [[nodiscard]] std::string bytes_of(const WishedQuotes& wish) override {
    std::string bytes;
    for (const WishedSide& side : wish.sides) {
      bytes += text_of(TinyMessage{.type = 'S',
                                   .side = side.buys ? 'B' : 'S',
                                   .number = side.quote,
                                   .quantity = side.lots,
                                   .price4 = side.price4,
                                   .text = tiny_letters(side.symbol)});
    }
    const auto flags = static_cast<std::uint8_t>(wish.is_all_or_none ? 1 : 0);
    return bytes + text_of(TinyMessage{.type = 'Q', .flags = flags, .number = wish.number});
  }
};

TEST(ExchangeDoors, TheSameQuotesAreTheSameCommand) {
  OuchWay by_ouch;
  FixWay by_fix;
  TinyWay by_tiny;
  const std::array<Way*, 3> ways{&by_ouch, &by_fix, &by_tiny};
  Random random(6);
  std::size_t sides = 0, refused = 0, taken_off = 0, whole = 0;
  std::uint32_t number = 1;
  for (std::uint32_t i = 0; i < repetitions(1'000u); ++i) {
    const WishedQuotes wish = any_quotes(random, number);
    std::vector<Entry> records;
    for (Way* const way : ways) {
      const std::optional<Entry> record = way->send(wish);
      ASSERT_TRUE(record.has_value()) << i;
      records.push_back(*record);
    }
    for (const Entry& record : records) {
      ASSERT_EQ(record.sender.type, EntryType::MassQuote);
      ASSERT_EQ(record.sender.refused, Reason::None);
      ASSERT_EQ(record.sender.user, *user_id("ANN"));
      ASSERT_GE(record.sender.reference, number);  // FIX counts two for each entry
      ASSERT_EQ(record.quotes.size(), wish.sides.size());
      ASSERT_EQ(record.quotes, records[0].quotes);
      ASSERT_EQ(record.command, records[0].command);
      ASSERT_EQ(record.command.quote_mode == llmes::QuoteMode::AllOrNone, wish.is_all_or_none);
    }
    for (const QuoteEntry& side : records[0].quotes) {
      refused += refused_of(side) != Reason::None ? 1 : 0;
      taken_off += side.quantity == 0 ? 1 : 0;
    }
    sides += wish.sides.size();
    whole += wish.sides.size() > 100 ? 1 : 0;
    number += std::max(1u, static_cast<std::uint32_t>(wish.sides.size()));
    for (Way* const way : ways) way->settle();
  }
  EXPECT_GT(sides, repetitions(4'000u));
  EXPECT_GT(refused, repetitions(300u));
  EXPECT_GT(taken_off, repetitions(300u));
  EXPECT_GT(whole, repetitions(5u));
}

TEST(ExchangeDoors, TheSameOrderIsTheSameCommand) {
  OuchWay by_ouch;
  FixWay by_fix;
  TinyWay by_tiny;
  const std::array<Way*, 3> ways{&by_ouch, &by_fix, &by_tiny};
  Random random(5);
  std::size_t taken = 0, refused = 0, whole_peaks = 0, cancels = 0, replaces = 0;
  Wish last;  // that is there
  for (std::uint32_t number = 1; number <= repetitions(3'000u);) {
    Wish wish = any_wish(random, number);
    if (last.number != 0 && random.chance(30)) {
      wish = last;
      wish.original = 0;
      wish.is_cancel = true;
    } else {
      ++number;
      if (last.number != 0 && random.chance(40)) {
        wish.original = last.number;
        wish.buys = last.buys;
        wish.symbol = last.symbol;
        if (wish.price4 % 100 != 0)
          wish.price4 = 0;  // by OUCH the exchange asks for the tick, as it knows the symbol
      }
    }
    std::vector<Entry> records;
    for (Way* const way : ways) {
      const std::optional<Entry> record = way->send(wish);
      ASSERT_TRUE(record.has_value()) << number;
      records.push_back(*record);
    }
    SCOPED_TRACE(words(wish));
    const bool is_refused = records[0].sender.refused != Reason::None;
    for (const Entry& record : records) {
      ASSERT_EQ(record.sender.refused != Reason::None, is_refused);
      ASSERT_EQ(record.sender.type, records[0].sender.type);
      ASSERT_EQ(record.sender.user, records[0].sender.user);
      ASSERT_EQ(record.sender.reference, wish.number);
      if (wish.original != 0) {
        ASSERT_EQ(record.sender.original, wish.original);
      }
      if (is_refused) continue;
      ASSERT_EQ(record.sender.price4, records[0].sender.price4);
      if (!wish.is_cancel) {
        if (wish.original == 0) {  // a replace by OUCH says none
          ASSERT_EQ(record.sender.terms.side, records[0].sender.terms.side);
        }
        ASSERT_EQ(record.sender.terms.time_in_force, records[0].sender.terms.time_in_force);
        ASSERT_EQ(record.sender.terms.display, records[0].sender.terms.display);
      }
      ASSERT_EQ(record.command, records[0].command);
    }
    refused += is_refused ? 1 : 0;
    cancels += wish.is_cancel ? 1 : 0;
    replaces += wish.original != 0 && !is_refused ? 1 : 0;
    for (Way* const way : ways) way->settle();
    if (is_refused) continue;
    taken += wish.is_cancel ? 0 : 1;
    whole_peaks += wish.peak == wish.lots ? 1 : 0;
    for (Way* const way : ways)
      way->tell(wish.is_cancel       ? OutcomeKind::Canceled
                : wish.original != 0 ? OutcomeKind::Replaced
                                     : OutcomeKind::Accepted,
                records[0], wish);
    last = wish.is_cancel ? Wish{} : wish;
  }
  EXPECT_GT(taken, repetitions(800u));
  EXPECT_GT(refused, repetitions(300u));
  EXPECT_GT(whole_peaks, repetitions(80u));
  EXPECT_GT(cancels, repetitions(200u));
  EXPECT_GT(replaces, repetitions(150u));
}

}  // namespace
}  // namespace exchange::doors_test
