// SPDX-License-Identifier: MIT
//
// The exchange without sockets: what clients send and get, byte for byte, over restarts on its journal.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/harness/temporary_folder.hpp"
#include "examples/venue/core.hpp"
#include "examples/venue/session.hpp"
#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"

namespace exchange {
namespace {

using namespace std::literals;
using llmes::test::Random;
using llmes::test::repetitions;

constexpr Nanoseconds second = 1'000'000'000;
constexpr Nanoseconds morning = 20'000 * 86'400 * second + 32'400 * second;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
template <class M>
std::span<const std::byte> bytes_of(const M& message) {
  return std::as_bytes(std::span(&message, 1));
}

User user(std::string name, AccountNumber account) {
  User made;
  made.name = name;
  made.id = *user_id(name);
  made.account = account;
  made.password = *Password::of("pbkdf2:1:0102030405060708:" +
                                hex_of(*hash_of("SECRET", std::vector<unsigned char>{1, 2, 3, 4, 5, 6, 7, 8}, 1)));
  return made;
}

/// What a message says, for comparison with words.
std::string words(std::span<const std::byte> bytes) {
  std::string text = "?";
  const auto number = [](auto value) { return ' ' + std::to_string(value); };
  struct Words {
    std::string& text;
    decltype(number)& n;
    void operator()(const ouch::Accepted& m) {
      text = "accepted" + n(m.user_reference.value()) + ' ' + static_cast<char>(m.side.value()) +
             n(m.quantity.value()) + ' ' + std::string(m.symbol.view()) + n(m.price.value());
    }
    void operator()(const ouch::Replaced& m) {
      text = "replaced" + n(m.original.value()) + n(m.user_reference.value()) + n(m.quantity.value()) +
             n(m.price.value());
    }
    void operator()(const ouch::Executed& m) {
      text = "executed" + n(m.user_reference.value()) + n(m.quantity.value()) + n(m.price.value()) + ' ' +
             m.liquidity.value();
    }
    void operator()(const ouch::Canceled& m) {
      text = "canceled" + n(m.user_reference.value()) + n(m.quantity.value()) + ' ' +
             static_cast<char>(m.reason.value());
    }
    void operator()(const ouch::SelfTradeCanceled& m) {
      text = "self" + n(m.user_reference.value()) + n(m.decrement.value());
    }
    void operator()(const ouch::Modified& m) {
      text = "modified" + n(m.user_reference.value()) + ' ' + static_cast<char>(m.side.value()) +
             n(m.quantity.value());
    }
    void operator()(const ouch::Rejected& m) {
      text = "rejected" + n(m.user_reference.value()) + n(static_cast<int>(m.reason.value()));
    }
    void operator()(const ouch::PriorityUpdate& m) { text = "priority" + n(m.user_reference.value()); }
    void operator()(const ouch::MassCancelResponse& m) {
      text = "mass" + n(m.user_reference.value()) + ' ' + std::string(m.firm.view()) + ' ' +
             std::string(m.symbol.view());
    }
    void operator()(const ouch::DisableEntryResponse& m) { text = "disabled" + n(m.user_reference.value()); }
    void operator()(const ouch::EnableEntryResponse& m) { text = "enabled" + n(m.user_reference.value()); }
    void operator()(const ouch::QueryResponse& m) { text = "next" + n(m.next_user_reference.value()); }
    void operator()(const ouch::SystemEvent& m) { text = "event "s + static_cast<char>(m.event.value()); }
  };
  EXPECT_EQ(ouch::decode_venue(bytes, Words{text, number}), ouch::DecodeStatus::Success);
  return text;
}

/// An exchange in a directory.
class Program {
 public:
  Program(const std::string& directory, std::vector<User> users, std::uint64_t reference = 0)
      : users_(std::move(users)) {
    std::string wrong;
    core = Core::create({.exchange = {.venue = {.books = {.max_books = 3, .capacity = 200},
                                                .accounts = 4,
                                                .holdings = 12,
                                                .lifetimes = 200,
                                                .matches = 64,
                                                .first_phase = Phase::Closed},
                                      .users = 8},
                         .journal = {.directory = directory, .segment_records = 1'024}},
                        users_, wrong);
    EXPECT_EQ(wrong, "");
    if (core == nullptr) return;
    core->gateway().logins_a_second = 100;
    core->gateway().set_time(morning);
    SymbolLine acme, zinc;
    acme.name = "ACME";
    acme.reference = reference;
    zinc.name = "ZINC";
    zinc.tick = 50;
    EXPECT_TRUE(core->open({acme, zinc}, users_));
  }
  [[nodiscard]] Gateway& gateway() { return core->gateway(); }
  [[nodiscard]] const MessageLog& mailbox(std::string_view name) {
    return gateway().find_client(name)->mailbox->ouch;
  }
  [[nodiscard]] std::vector<std::string> all(std::string_view name) {
    std::vector<std::string> messages;
    const MessageLog& log = mailbox(name);
    for (std::size_t i = 0; i < log.size(); ++i) messages.push_back(text_of(log[i]));
    return messages;
  }
  [[nodiscard]] std::vector<std::string> feed() {
    std::vector<std::string> messages;
    for (std::size_t i = 0; i < gateway().feed()->size(); ++i) messages.push_back(text_of((*gateway().feed())[i]));
    return messages;
  }
  /// What a message of a user brings it and all others, in words: "NAME words".
  template <class M>
  std::vector<std::string> send(std::string_view name, const M& message) {
    return send(name, text_of(bytes_of(message)));
  }
  std::vector<std::string> send(std::string_view name, const std::string& message) {
    std::map<std::string, std::size_t> before;
    for (const User& each : users_) before[each.name] = mailbox(each.name).size();
    EXPECT_TRUE(gateway().enter(*gateway().find_client(name), std::as_bytes(std::span(message))));
    EXPECT_TRUE(core->step());
    return since(before);
  }
  std::vector<std::string> since(const std::map<std::string, std::size_t>& before) {
    std::vector<std::string> said;
    for (const User& each : users_) {
      const MessageLog& log = mailbox(each.name);
      for (std::size_t i = before.at(each.name); i < log.size(); ++i)
        said.push_back(each.name + ' ' + words(log[i]));
    }
    return said;
  }
  std::map<std::string, std::size_t> now() {
    std::map<std::string, std::size_t> sizes;
    for (const User& each : users_) sizes[each.name] = mailbox(each.name).size();
    return sizes;
  }

  std::unique_ptr<Core> core;

 private:
  std::vector<User> users_;
};

ouch::EnterOrder order(std::uint32_t reference, char side, std::uint32_t quantity, std::uint64_t price,
                       std::string_view symbol = "ACME") {
  ouch::EnterOrder message;
  message.user_reference = reference;
  message.side = static_cast<ouch::Side>(side);
  message.quantity = quantity;
  message.symbol = symbol;
  message.price = price;
  message.time_in_force = ouch::TimeInForce::Day;
  message.display = ouch::Display::Visible;
  message.client_id = std::string_view("C" + std::to_string(reference));
  return message;
}
ouch::ReplaceOrder replace(std::uint32_t original, std::uint32_t reference, std::uint32_t quantity,
                           std::uint64_t price) {
  ouch::ReplaceOrder message;
  message.original = original;
  message.user_reference = reference;
  message.quantity = quantity;
  message.price = price;
  message.time_in_force = ouch::TimeInForce::Day;
  message.display = ouch::Display::Visible;
  return message;
}
ouch::CancelOrder cancel(std::uint32_t reference, std::uint32_t quantity = 0) {
  return {.user_reference = reference, .quantity = quantity};
}
using Said = std::vector<std::string>;

class ExchangeTest : public ::testing::Test {
 protected:
  ExchangeTest() {
    users[2].drop_copy = 1;
    users[1].cancel_on_disconnect = true;
  }
  llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_exchange"};
  std::vector<User> users{user("ANN", 1), user("BOB", 2), user("EYE", 3)};
};

TEST_F(ExchangeTest, TellsBothSidesOfATradeAndTheDropCopy) {
  Program program(folder.path(), users);
  EXPECT_EQ(program.send("ANN", order(1, 'S', 30, 100'500)),
            (Said{"ANN accepted 1 S 30 ACME 100500", "EYE accepted 1 S 30 ACME 100500"}));
  EXPECT_EQ(program.send("BOB", order(7, 'B', 40, 100'600)),
            (Said{"ANN executed 1 30 100500 A", "BOB accepted 7 B 40 ACME 100600", "BOB executed 7 30 100500 R",
                  "EYE executed 1 30 100500 A"}));
  EXPECT_EQ(program.send("BOB", ouch::AccountQuery{}), (Said{"BOB next 8"}));
}

TEST_F(ExchangeTest, DoesWhatOuchSaysOfReferencesAndQuantities) {
  Program program(folder.path(), users);
  users.pop_back();
  const auto send = [&](const auto& message) {
    Said said = program.send("BOB", message);
    return said.empty() ? std::string() : said.front().substr(4) + (said.size() > 1 ? " ..." : "");
  };
  EXPECT_EQ(send(order(5, 'B', 50, 100'000)), "accepted 5 B 50 ACME 100000");
  EXPECT_EQ(send(order(5, 'B', 50, 100'000)), "") << "a copy is ignored";
  EXPECT_EQ(send(order(4, 'B', 50, 100'000)), "");
  EXPECT_EQ(send(cancel(5, 60)), "") << "nothing is left to do";
  EXPECT_EQ(send(cancel(5, 20)), "canceled 5 30 U");
  EXPECT_EQ(send(replace(5, 6, 25, 100'100)), "replaced 5 6 25 100100");
  EXPECT_EQ(send(replace(5, 7, 25, 100'100)), "") << "the order is no more, and the number is not used up";
  EXPECT_EQ(send(ouch::ModifyOrder{.user_reference = 6, .side = ouch::Side::Buy, .quantity = 15}),
            "modified 6 B 15");
  EXPECT_EQ(program.send("ANN", order(1, 'S', 5, 100'000)).back(), "EYE executed 1 5 100100 R");
  EXPECT_EQ(send(replace(6, 7, 25, 100'200)), "replaced 6 7 20 100200") << "5 of the 25 have traded";
  EXPECT_EQ(send(cancel(7)), "canceled 7 20 U");
  EXPECT_EQ(send(cancel(7)), "");
  EXPECT_EQ(send(order(8, 'B', 10, 100'000)), "accepted 8 B 10 ACME 100000");
  EXPECT_EQ(send(replace(8, 9, 10, 100'050)), "canceled 8 10 U") << "off the tick: the original is cancelled";
  EXPECT_EQ(send(order(9, 'B', 10, 100'000)), "") << "and the number is used up";
  EXPECT_EQ(send(order(10, 'B', 10, 100'050)), "rejected 10 28");
  EXPECT_EQ(send(order(11, 'B', 10, 100'000, "NONE")), "rejected 11 37");
  EXPECT_EQ(send(order(12, 'X', 10, 100'000)), "rejected 12 9");
  EXPECT_EQ(send(order(13, 'B', 10, 100'050, "ZINC")), "accepted 13 B 10 ZINC 100050");
  EXPECT_EQ(send(order(14, 'S', 10, 0, "ZINC")), "rejected 14 28") << "it would sell at any price";
  EXPECT_EQ(send(order(15, 'S', 10, 100'100, "ZINC")), "accepted 15 S 10 ZINC 100100");
  EXPECT_EQ(send(replace(15, 16, 10, 0)), "canceled 15 10 U");
  ouch::EnterOrder at_once = order(14, 'S', 30, 100'000, "ZINC");
  at_once.time_in_force = ouch::TimeInForce::ImmediateOrCancel;
  EXPECT_EQ(program.send("ANN", at_once),
            (Said{"ANN accepted 14 S 30 ZINC 100000", "ANN executed 14 10 100050 R", "ANN canceled 14 20 I",
                  "BOB executed 13 10 100050 A", "EYE accepted 14 S 30 ZINC 100000", "EYE executed 14 10 100050 R",
                  "EYE canceled 14 20 I"}));
}

TEST_F(ExchangeTest, NoUserSeesOrTouchesAnothersOrders) {
  users[1].account = 1;  // not even those of another user of its account
  Program program(folder.path(), users);
  program.send("ANN", order(1, 'S', 30, 100'500));
  EXPECT_EQ(program.send("BOB", cancel(1)), Said{});
  EXPECT_EQ(program.send("BOB", replace(1, 2, 10, 100'600)), Said{});
  EXPECT_EQ(program.send("BOB", ouch::ModifyOrder{.user_reference = 1, .side = ouch::Side::Sell, .quantity = 5}),
            Said{});
  EXPECT_EQ(program.send("BOB", ouch::MassCancel{.user_reference = 3}).size(), 2u)
      << "to BOB and to the drop copy";
  EXPECT_EQ(program.send("ANN", cancel(1)).front(), "ANN canceled 1 30 U");
  for (const std::string& message : program.all("BOB"))
    EXPECT_TRUE(message.front() == 'S' || message.front() == 'X');
}

TEST_F(ExchangeTest, LimitsOfAnAccountAndOfTheBooksRefuseOrders) {
  users[0].limits.order_quantity = 50;
  users[0].limits.open_orders = 2;
  users.pop_back();
  Program program(folder.path(), users);
  EXPECT_EQ(program.send("ANN", order(1, 'S', 51, 100'500)), (Said{"ANN rejected 1 6"}));
  EXPECT_EQ(program.send("ANN", order(2, 'S', 50, 100'500)), (Said{"ANN accepted 2 S 50 ACME 100500"}));
  EXPECT_EQ(program.send("ANN", order(3, 'S', 50, 100'500)), (Said{"ANN accepted 3 S 50 ACME 100500"}));
  EXPECT_EQ(program.send("ANN", order(4, 'S', 50, 100'500)), (Said{"ANN rejected 4 32"}));
  for (std::uint32_t i = 1; i <= 198; ++i) program.send("BOB", order(i, 'B', 1, 100'000));
  EXPECT_EQ(program.send("BOB", order(199, 'B', 1, 100'000)), (Said{"BOB rejected 199 10"})) << "200 rest";
}

TEST_F(ExchangeTest, ARateOfAnAccountRefusesOrders) {
  users[1].limits.message_burst = 3;
  users[1].limits.message_interval = static_cast<std::uint32_t>(second);
  Program program(folder.path(), users);
  for (std::uint32_t i = 1; i <= 5; ++i) {
    if (i == 5) program.gateway().set_time(morning + second);
    const std::string what = program.send("BOB", order(i, 'B', 1, 100'000)).front();
    EXPECT_EQ(what, i == 4 ? "BOB rejected 4 32" : "BOB accepted " + std::to_string(i) + " B 1 ACME 100000");
  }
}

TEST_F(ExchangeTest, AMassCancelIsOfTheUserAlone) {
  users[2].account = 2;  // EYE trades for BOB's account
  Program program(folder.path(), users);
  const auto mass = [&](std::uint32_t reference, std::string_view symbol) {
    return program.send("BOB", ouch::MassCancel{.user_reference = reference, .firm = "FIRM"sv, .symbol = symbol});
  };
  EXPECT_EQ(mass(1, ""), (Said{"BOB mass 1 FIRM "})) << "there is nothing to cancel";
  program.send("EYE", order(1, 'B', 10, 99'900));
  program.send("BOB", order(2, 'B', 10, 100'000));
  program.send("BOB", order(3, 'B', 20, 100'000, "ZINC"));
  program.send("BOB", order(4, 'B', 30, 100'000));
  program.send("ANN", order(1, 'S', 15, 100'000));
  const auto of = [](const Said& said, std::string_view name) {
    Said some;
    std::ranges::copy_if(said, std::back_inserter(some), [&](const auto& each) { return each.starts_with(name); });
    return some;
  };
  EXPECT_EQ(of(mass(5, "ACME"), "BOB"), (Said{"BOB mass 5 FIRM ACME", "BOB canceled 4 25 U"}));
  EXPECT_EQ(mass(5, ""), Said{}) << "a copy is ignored";
  EXPECT_EQ(mass(6, "NONE"), (Said{"BOB rejected 6 37"}));
  program.send("BOB", order(7, 'B', 30, 100'000));
  EXPECT_EQ(of(mass(8, ""), "BOB"), (Said{"BOB mass 8 FIRM ", "BOB canceled 3 20 U", "BOB canceled 7 30 U"}));
  EXPECT_EQ(program.send("EYE", ouch::CancelOrder{.user_reference = 1}).back(), "EYE canceled 1 10 U");
  ouch::Outgoing some(ouch::MassCancel{.user_reference = 9});
  EXPECT_TRUE(some.append(ouch::Tag::GroupId, 1));
  EXPECT_EQ(program.send("BOB", text_of(some.bytes())), (Said{"BOB rejected 9 10"})) << "it would cancel too much";
}

TEST_F(ExchangeTest, AUserMayDisableItsOrderEntryForTheDay) {
  auto program = std::make_unique<Program>(folder.path(), users);
  program->send("BOB", order(1, 'B', 10, 100'000));
  EXPECT_EQ(program->send("BOB", ouch::DisableEntry{.user_reference = 2}), (Said{"BOB disabled 2"}));
  EXPECT_EQ(program->send("BOB", order(3, 'B', 10, 100'000)), (Said{"BOB rejected 3 32"}));
  EXPECT_EQ(program->send("BOB", replace(1, 4, 10, 100'100)), (Said{"BOB rejected 4 32"})) << "the order stays";
  EXPECT_EQ(program->send("BOB", cancel(1, 5)), (Said{"BOB canceled 1 5 U"}));
  EXPECT_EQ(program->send("ANN", order(1, 'B', 1, 90'000)).front(), "ANN accepted 1 B 1 ACME 90000");
  program.reset();
  program = std::make_unique<Program>(folder.path(), users);
  EXPECT_EQ(program->send("BOB", order(5, 'B', 10, 100'000)), (Said{"BOB rejected 5 32"}))
      << "after a restart, too";
  EXPECT_EQ(program->send("BOB", ouch::EnableEntry{.user_reference = 6}), (Said{"BOB enabled 6"}));
  EXPECT_EQ(program->send("BOB", order(7, 'B', 10, 100'000)), (Said{"BOB accepted 7 B 10 ACME 100000"}));
  program->send("BOB", ouch::DisableEntry{.user_reference = 8});
  EXPECT_TRUE(program->core->begin_day());
  EXPECT_EQ(program->send("BOB", order(1, 'B', 10, 100'000)), (Said{"BOB accepted 1 B 10 ACME 100000"}));
}

TEST_F(ExchangeTest, AReferenceOfTheFileCountsUntilThereIsATrade) {
  const auto reference = [this](std::uint64_t price4, bool trades = false) {
    Program program(folder.path(), users, price4);
    if (trades) {
      program.send("ANN", order(1, 'S', 30, 100'000));
      program.send("BOB", order(1, 'B', 30, 100'000));
    }
    return program.core->ask([](const Exchange& it) { return it.venue().symbol(0)->reference; });
  };
  EXPECT_EQ(reference(100'500), 1'005);
  EXPECT_EQ(reference(100'700), 1'007);
  EXPECT_EQ(reference(100'700, true), 1'000);
  EXPECT_EQ(reference(100'800), 1'000);
}

/// That of the feed; where the feed shows nothing, one that no order of the feed has.
TEST_F(ExchangeTest, EachOrderHasAReferenceOfItsOwn) {
  Program program(folder.path(), users);
  std::uint64_t reference = 0;
  const auto enter = [&](std::string_view name, const ouch::EnterOrder& message) {
    const std::size_t before = program.mailbox(name).size();
    program.send(name, message);
    EXPECT_EQ(ouch::decode_venue(program.mailbox(name)[before],
                                 [&](const ouch::Accepted& m) { reference = m.order_reference.value(); }),
              ouch::DecodeStatus::Success);
    return reference;
  };
  EXPECT_EQ(enter("ANN", order(1, 'S', 30, 100'500)), 1u);
  EXPECT_EQ(enter("BOB", order(7, 'B', 30, 100'500)), order_id(users[1].id, 7)) << "it trades at once";
  ouch::EnterOrder hidden = order(2, 'S', 30, 100'500);
  hidden.display = ouch::Display::Hidden;
  EXPECT_EQ(enter("ANN", hidden), order_id(users[0].id, 2));
  EXPECT_GT(reference, 1ull << 32);
}

TEST_F(ExchangeTest, HonoursSomeElementsAndRefusesOthers) {
  Program program(folder.path(), users);
  const auto send = [&](std::uint32_t reference, char side, ouch::Tag tag, std::uint64_t value,
                        char time_in_force = '0') {
    ouch::EnterOrder message = order(reference, side, 30, 100'000);
    message.time_in_force = static_cast<ouch::TimeInForce>(time_in_force);
    ouch::Outgoing outgoing(message);
    EXPECT_TRUE(outgoing.append(tag, value));
    return program.send("BOB", text_of(outgoing.bytes()));
  };
  EXPECT_EQ(send(1, 'S', ouch::Tag::MaxFloor, 10), (Said{"BOB accepted 1 S 30 ACME 100000"}));
  EXPECT_EQ(program.send("ANN", order(1, 'B', 10, 100'000)).at(2), "BOB executed 1 10 100000 A");
  EXPECT_EQ(words(program.mailbox("BOB")[program.mailbox("BOB").size() - 1]), "priority 1");
  EXPECT_EQ(send(2, 'B', ouch::Tag::PostOnly, 'P'), (Said{"BOB rejected 2 10"}));
  EXPECT_EQ(send(3, 'B', ouch::Tag::MinimumQuantity, 25, '3'), (Said{"BOB rejected 3 10"}));
  EXPECT_EQ(send(4, 'B', ouch::Tag::PegOffset, 1), (Said{"BOB rejected 4 5"}));
  EXPECT_EQ(send(5, 'S', ouch::Tag::MaxFloor, 31), (Said{"BOB rejected 5 4"}));
  EXPECT_EQ(send(6, 'B', ouch::Tag::Route, 1), (Said{"BOB rejected 6 10"}));
  EXPECT_EQ(send(7, 'B', ouch::Tag::TradeNow, 'Y', '6'), (Said{"BOB rejected 7 10"})) << "until when?";
  const auto noon = 43'200u;
  EXPECT_EQ(send(8, 'S', ouch::Tag::ExpireTime, noon, '6'), (Said{"BOB accepted 8 S 30 ACME 100000"}));
  const auto before = program.now();
  program.gateway().advance();
  program.gateway().set_time(morning + 10'800 * second);
  program.gateway().advance();
  EXPECT_TRUE(program.core->step());
  EXPECT_EQ(program.since(before), (Said{"BOB canceled 8 30 T"}));
  // Its own orders do not trade with each other.
  EXPECT_EQ(program.send("BOB", order(9, 'B', 5, 100'000)).back(), "BOB self 1 5");
}

/// A replace states the whole quantity, with what is filled, and a floor within that.
TEST_F(ExchangeTest, RepricesAPartlyFilledReserve) {
  Program program(folder.path(), users);
  ouch::EnterOrder message = order(1, 'S', 100, 100'000);
  ouch::Outgoing outgoing(message);
  EXPECT_TRUE(outgoing.append(ouch::Tag::MaxFloor, 50));
  EXPECT_EQ(program.send("BOB", text_of(outgoing.bytes())), (Said{"BOB accepted 1 S 100 ACME 100000"}));
  program.send("ANN", order(1, 'B', 60, 100'000));
  ouch::ReplaceOrder again = replace(1, 2, 100, 100'100);
  ouch::Outgoing repriced(again);
  EXPECT_TRUE(repriced.append(ouch::Tag::MaxFloor, 50));
  EXPECT_EQ(program.send("BOB", text_of(repriced.bytes())), (Said{"BOB replaced 1 2 40 100100"}));
}

/// Whoever was told something is told the same after a restart, under the same numbers, and copies do no harm.
TEST_F(ExchangeTest, KnowsEveryMessageAgainAfterARestart) {
  Random random(1);
  std::map<std::string, std::uint32_t> last;
  std::vector<std::pair<std::string, std::string>> sent;
  auto program = std::make_unique<Program>(folder.path(), users);
  for (int i = 0; i < 3'000; ++i) {
    const std::string name = random.below(2) == 0 ? "ANN" : "BOB";
    std::uint32_t& reference = last[name];
    std::string message;
    const auto old = static_cast<std::uint32_t>(reference - std::min<std::uint64_t>(reference, random.below(20)));
    const auto lots = static_cast<std::uint32_t>(random.below(40));
    const std::uint64_t price = 100'000 + 100 * random.below(12);
    switch (random.below(5)) {
      case 0: message = text_of(bytes_of(cancel(old, lots / 4))); break;
      case 1: message = text_of(bytes_of(replace(old, ++reference, lots, price))); break;
      default:
        message = text_of(bytes_of(order(++reference, random.below(2) == 0 ? 'B' : 'S', lots, price,
                                         random.below(2) == 0 ? "ACME" : "ZINC")));
    }
    program->gateway().set_time(morning + static_cast<Nanoseconds>(i) * second / 100);
    program->send(name, message);
    sent.emplace_back(name, message);
    if (i % 500 == 499) {
      const Said ann = program->all("ANN");
      const Said bob = program->all("BOB");
      const Said eye = program->all("EYE");
      const Said feed = program->feed();
      program.reset();
      program = std::make_unique<Program>(folder.path(), users);
      EXPECT_EQ(program->all("ANN"), ann);
      EXPECT_EQ(program->all("BOB"), bob);
      EXPECT_EQ(program->all("EYE"), eye);
      EXPECT_EQ(program->feed(), feed);
      for (const auto& [who, copy] : std::span(sent).last(20)) {
        if (copy.front() == 'O') {
          EXPECT_EQ(program->send(who, copy), Said{});
        }
      }
    }
  }
  EXPECT_GT(program->mailbox("ANN").size(), 1'000u);
  EXPECT_GT(program->gateway().count(OutcomeKind::Executed), 500u);
}

TEST_F(ExchangeTest, ADayEndsAllOrdersAndBeginsNumbersAnew) {
  Program program(folder.path(), users);
  EXPECT_EQ(program.gateway().session().view(), "0000000001");
  program.send("BOB", order(3, 'B', 10, 100'000));
  const auto old = program.gateway().find_client("BOB")->mailbox;
  EXPECT_TRUE(program.core->begin_day());
  EXPECT_EQ(words(old->ouch[old->ouch.size() - 2]), "canceled 3 10 T");
  EXPECT_EQ(words(old->ouch[old->ouch.size() - 1]), "event E");
  EXPECT_EQ(program.gateway().session().view(), "0000000002");
  EXPECT_EQ(program.mailbox("BOB").size(), 1u);
  EXPECT_EQ(program.send("BOB", order(1, 'B', 10, 100'000)), (Said{"BOB accepted 1 B 10 ACME 100000"}));
}

// ---- Sessions.

/// A client and its connection.
struct Line {
  Line(Program& to, std::string_view name, std::string_view password = "secret", std::string_view session = "",
       std::uint64_t next = 1)
      : program(to),
        client({.user = name, .password = password, .session = session, .sequence = next}, 0),
        server(std::make_unique<OuchSession>(to.gateway(), 0, 256)) {
    turn();
  }
  void turn() {
    std::array<std::byte, 4'096> room{};
    for (bool more = true; more;) {
      const std::size_t out = client.write(room, 0);
      if (out != 0) server->receive(std::span(room).first(out), 0);
      EXPECT_TRUE(program.core->step());
      const std::size_t in = server->write(room, 0);
      client.receive(std::span(room).first(in), 0, *this);
      bytes += text_of(std::span(room).first(in));
      more = out + in != 0;
    }
  }
  void message(std::uint64_t, std::span<const std::byte> bytes) { got.push_back(words(bytes)); }
  void unsequenced(std::span<const std::byte>) {}
  void send(std::span<const std::byte> message) {
    std::array<std::byte, 512> room{};
    server->receive(std::span(room).first(client.write_message(message, room, 0)), 0);
    turn();
  }

  Program& program;
  llmes::soup::Client client;
  std::unique_ptr<OuchSession> server;
  Said got;
  std::string bytes;  ///< all that came
};

TEST_F(ExchangeTest, LetsInWhoHasThePassword) {
  Program program(folder.path(), users);
  const auto reason = [&](auto... login) { return Line(program, login...).server->reason(); };
  for (const auto& [name, password, why] : {std::tuple("ANN", "wrong", "wrong password of ANN"),
                                            {"NOBODY", "secret", "no user is named 'NOBODY'"},
                                            {"\nAN\x7f", "secret", "no user is named '\\x0aAN\\x7f'"},
                                            {"", "", "no user is named ''"}}) {
    Line line(program, name, password);
    EXPECT_EQ(line.server->reason(), "its login was rejected: "s + why);
    EXPECT_EQ(line.client.reject_reason(), llmes::soup::RejectReason::NotAuthorised) << name;
    EXPECT_TRUE(line.server->is_over());
    EXPECT_EQ(line.server->client(), nullptr);
  }
  EXPECT_TRUE(Line(program, "ann", "SECRET").client.is_logged_in()) << "case does not matter";
  EXPECT_EQ(reason("ANN", "secret", "0000000007"),
            "its login was rejected: session '0000000007', but it is 0000000001");
  EXPECT_EQ(reason("ANN", "secret", "", 9u), "its login was rejected: sequence 9 is beyond the next, 2");
  program.gateway().logins_a_second = 1;
  program.gateway().set_time(morning + 5 * second);
  EXPECT_TRUE(Line(program, "ANN").client.is_logged_in());
  EXPECT_EQ(reason("BOB"), "its login was rejected: too many logins within a second");
}

TEST_F(ExchangeTest, AClientThatComesBackGetsWhatItMissed) {
  auto program = std::make_unique<Program>(folder.path(), users);
  std::uint64_t next = 0;
  {
    Line ann(*program, "ANN");
    ann.send(bytes_of(order(1, 'S', 30, 100'500)));
    EXPECT_EQ(ann.got, (Said{"event S", "accepted 1 S 30 ACME 100500"}));
    next = ann.client.next_sequence();
  }
  program->send("BOB", order(1, 'B', 10, 100'500));
  program.reset();
  program = std::make_unique<Program>(folder.path(), users);
  Line ann(*program, "ANN", "secret", "0000000001", next);
  EXPECT_EQ(ann.got, (Said{"executed 1 10 100500 A"}));
  ann.send(bytes_of(order(1, 'S', 30, 100'500)));
  EXPECT_EQ(ann.got.size(), 1u) << "sent once more, it does nothing";
}

TEST_F(ExchangeTest, ASecondLoginEndsTheFirstConnection) {
  Program program(folder.path(), users);
  auto first = std::make_unique<Line>(program, "BOB");
  first->send(bytes_of(order(1, 'B', 10, 100'000)));
  Line again(program, "BOB");
  EXPECT_TRUE(first->server->is_over());
  EXPECT_EQ(first->server->reason(), "its user has logged in again");
  first.reset();
  again.turn();
  EXPECT_EQ(again.got.size(), 2u) << "and its orders stay";
  for (const auto& [session, next] : {std::pair("0000000007", 1u), {"", 9u}}) {
    Line wrong(program, "BOB", "secret", session, next);
    EXPECT_TRUE(wrong.server->is_over());
    EXPECT_FALSE(again.server->is_over()) << "a login that is rejected changes nothing";
  }
}

TEST_F(ExchangeTest, WhoIsSilentIsDisconnected) {
  Program program(folder.path(), users);
  Line bob(program, "BOB");
  bob.server->advance(14 * second);
  EXPECT_FALSE(bob.server->is_over());
  bob.server->advance(15 * second);
  EXPECT_TRUE(bob.server->is_over());
  EXPECT_EQ(bob.server->reason(), "it was silent for too long");
  OuchSession mute(program.gateway(), 0, 256);
  mute.advance(30 * second);
  EXPECT_TRUE(mute.is_over());
  EXPECT_EQ(mute.reason(), "it did not log in");
}

TEST_F(ExchangeTest, TimeGoesOnWhereTheClockGoesBack) {
  Program program(folder.path(), users);
  program.gateway().set_time(morning + second);
  program.send("BOB", order(1, 'B', 10, 100'000));
  program.gateway().set_time(morning - 3'600 * second);
  EXPECT_EQ(program.send("BOB", order(2, 'B', 10, 100'000)), (Said{"BOB accepted 2 B 10 ACME 100000"}));
  const MessageLog& log = program.mailbox("BOB");
  EXPECT_EQ(text_of(log[1]).substr(1, 8), text_of(log[2]).substr(1, 8)) << "the times are the same";
}

TEST_F(ExchangeTest, WhatComesAfterTheDayOfAConnectionIsNotDone) {
  Program program(folder.path(), users);
  Line bob(program, "BOB");
  EXPECT_TRUE(program.core->begin_day());
  bob.send(bytes_of(order(500, 'B', 10, 100'000)));
  EXPECT_EQ(bob.got.back(), "event E");
  EXPECT_EQ(program.send("BOB", order(1, 'B', 10, 100'000)), (Said{"BOB accepted 1 B 10 ACME 100000"}));
}

TEST_F(ExchangeTest, ADisconnectCancelsTheOrdersOfAUserWhoWantsIt) {
  Program program(folder.path(), users);
  program.send("ANN", order(1, 'S', 30, 100'500));
  {
    Line bob(program, "BOB");
    bob.send(bytes_of(order(1, 'B', 10, 100'000)));
    bob.send(bytes_of(order(2, 'B', 20, 100'100)));
  }
  const auto before = program.now();
  EXPECT_TRUE(program.core->step());
  EXPECT_EQ(program.since(before), (Said{"BOB canceled 1 10 Z", "BOB canceled 2 20 Z"}));
}

// ---- A network.

/// A user who comes back when the connection breaks, and sends again what was not answered.
struct Trader {
  explicit Trader(std::string who) : name(std::move(who)) {}

  void send(Random& random) {
    const auto reference = static_cast<std::uint32_t>(sent.size() + 1);
    sent.push_back(text_of(
        bytes_of(order(reference, random.chance(50) ? 'B' : 'S', static_cast<std::uint32_t>(1 + random.below(40)),
                       100'000 + 100 * random.below(6)))));
  }
  void message(std::uint64_t sequence, std::span<const std::byte> bytes) {
    got.push_back(text_of(bytes));
    EXPECT_EQ(sequence, got.size());
    if (got.back().front() == 'A') {
      EXPECT_EQ(words(bytes).find("accepted " + std::to_string(++answered) + ' '), 0u) << "each once, in order";
    }
  }
  void unsequenced(std::span<const std::byte>) {}
  void begin_day() { *this = Trader(name); }
  /// Of its trades today: price and lots, by match number.
  [[nodiscard]] std::map<std::uint64_t, std::pair<std::uint64_t, std::uint32_t>> fills() const {
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint32_t>> all;
    for (const std::string& message : got) {
      if (message.front() != 'E') continue;
      EXPECT_EQ(ouch::decode_venue(std::as_bytes(std::span(message)),
                                   [&](const ouch::Executed& m) {
                                     all[m.match.value()] = {m.price.value(), m.quantity.value()};
                                   }),
                ouch::DecodeStatus::Success);
    }
    return all;
  }

  std::string name;
  llmes::soup::SessionName session{};
  Said got{};   ///< today, as `sent`
  Said sent{};  ///< orders, by reference - 1
  std::size_t answered = 0;
};

/// A connection of a trader. Bytes are on their way for some time, in pieces.
struct Link {
  Link(Program& program, const Trader& trader, Nanoseconds now)
      : server(program.gateway(), now, 256),
        client({.user = std::string_view(trader.name),
                .password = "secret",
                .session = trader.session,
                .sequence = trader.got.size() + 1},
               now),
        next(trader.answered) {}

  void carry(Program& program, Trader& trader, Nanoseconds now, Random& random) {
    std::array<std::byte, 4'096> room{};
    const auto take = [&random](std::string& bytes) {
      const std::string some = bytes.substr(0, random.chance(20) ? random.below(20) : random.below(2'000));
      bytes.erase(0, some.size());
      return some;
    };
    up += text_of(std::span(room).first(client.write(room, now)));
    for (; next < trader.sent.size(); ++next) {
      const std::size_t size = client.write_message(std::as_bytes(std::span(trader.sent[next])), room, now);
      if (size == 0) break;
      up += text_of(std::span(room).first(size));
    }
    const std::string sent = take(up);
    server.receive(std::as_bytes(std::span(sent)), now);
    if (random.chance(5)) return;  // a kill may come now: what was sent is not in the journal
    EXPECT_TRUE(program.core->step());
    down += text_of(std::span(room).first(server.write(room, now)));
    const std::string told = take(down);
    client.receive(std::as_bytes(std::span(told)), now, trader);
  }

  OuchSession server;
  llmes::soup::Client client;
  std::size_t next;  ///< message to send
  std::string up{};
  std::string down{};
};

/// Days with connections that break, and kills. In the end each knows what the venue has told it, and the other
/// one knows the same trades.
TEST_F(ExchangeTest, ANetworkThatBreaksLeavesAllAgreeing) {
  std::size_t kills = 0, days = 0, whole_days = 0, breaks = 0, trades = 0;
  for (std::uint64_t seed = 0; seed < repetitions(5u); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const llmes::bench::TemporaryFolder disk{std::filesystem::temp_directory_path(), "llmes_network"};
    auto program = std::make_unique<Program>(disk.path(), users);
    std::array<Trader, 2> traders{Trader("ANN"), Trader("BOB")};
    std::array<std::unique_ptr<Link>, 2> links;
    std::map<std::string, Said> ended;  // what each was told on a day that is over
    Nanoseconds now = 0;
    for (int round = 0;; ++round) {
      ASSERT_LT(round, 10'000);
      const bool is_calm = round >= 1'500;
      now += random.below(second / 10);
      program->gateway().set_time(morning + now);
      if (!is_calm && random.below(200) == 0) {
        links = {};
        program.reset();
        program = std::make_unique<Program>(disk.path(), users);
        ++kills;
      }
      if (!is_calm && random.below(500) == 0) {
        const std::string day(program->gateway().session().view());
        std::map<std::string, std::shared_ptr<const Mailbox>> old;
        for (const Trader& trader : traders)
          old[trader.name] = program->gateway().find_client(trader.name)->mailbox;
        EXPECT_TRUE(program->core->begin_day());
        for (const auto& [name, mailbox] : old) {
          for (std::size_t i = 0; i < mailbox->ouch.size(); ++i)
            ended[name + day].push_back(text_of(mailbox->ouch[i]));
        }
        for (const auto& link : links) {
          if (link != nullptr) link->server.close();
        }
        ++days;
      }
      bool all_know = true;
      for (std::size_t i = 0; i < traders.size(); ++i) {
        Trader& trader = traders[i];
        if (!is_calm && random.chance(30)) trader.send(random);
        if (links[i] == nullptr) links[i] = std::make_unique<Link>(*program, trader, now);
        links[i]->carry(*program, trader, now, random);
        trader.session = links[i]->client.session();
        const llmes::soup::End end = links[i]->client.end();
        all_know = all_know && end == llmes::soup::End::None && trader.answered == trader.sent.size() &&
                   trader.got == program->all(trader.name);
        if (end != llmes::soup::End::None) {
          const Said& told = ended[trader.name + std::string(trader.session.view())];
          const bool is_whole = end == llmes::soup::End::EndOfSession;
          ASSERT_TRUE(is_whole || end == llmes::soup::End::Rejected) << links[i]->server.reason();
          ASSERT_TRUE(trader.got.size() == told.size() || (!is_whole && trader.got.size() < told.size()))
              << links[i]->server.reason();
          ASSERT_TRUE(std::equal(trader.got.begin(), trader.got.end(), told.begin()));
          whole_days += is_whole ? 1 : 0;
          trader.begin_day();
          links[i].reset();
        } else if (!is_calm && random.below(100) == 0) {
          links[i].reset();
          ++breaks;
        }
      }
      if (is_calm && all_know) break;
    }
    EXPECT_EQ(traders[0].fills(), traders[1].fills());
    trades += traders[0].fills().size();
  }
  EXPECT_GT(kills, repetitions(20u));
  EXPECT_GT(days, repetitions(8u));
  EXPECT_GT(whole_days, repetitions(5u));
  EXPECT_GT(breaks, repetitions(75u));
  EXPECT_GT(trades, repetitions(250u));
}

TEST_F(ExchangeTest, BytesThatAreNoMessageEndASession) {
  Program program(folder.path(), users);
  for (const auto& [bad, what] : {std::pair("?"s, "type '?', length 1"),
                                  {"\n"s, "type '\\x0a', length 1"},
                                  {std::string(47, 'O'), "type 'O', length 47"},
                                  {""s, "type '', length 0"}}) {
    Line bob(program, "BOB");
    bob.send(std::as_bytes(std::span(bad)));
    EXPECT_TRUE(bob.server->is_over()) << bad;
    EXPECT_EQ(bob.server->reason(), "it sent what is no message of OUCH: "s + what);
    EXPECT_TRUE(bob.bytes.ends_with("+" + bob.server->reason())) << "in a debug packet, as the last one";
  }
  EXPECT_EQ(program.gateway().count(OutcomeKind::Accepted), 0u);
}

/// Messages with any bytes in any place: whatever they are, books, accounts and the feed stay right.
TEST_F(ExchangeTest, NoBytesOfAMessageBreakIt) {
  Random random(7);
  Program program(folder.path(), users);
  auto feed = *llmes::FeedBook::create({.symbols = 3, .capacity = 200});
  std::map<std::string, std::uint32_t> last;
  std::size_t read = 0;
  std::size_t refused = 0;
  for (int i = 0; i < 4'000; ++i) {
    const std::string name = random.chance(50) ? "ANN" : "BOB";
    std::uint32_t& reference = last[name];
    const auto old = static_cast<std::uint32_t>(reference - std::min<std::uint64_t>(reference, random.below(9)));
    const auto lots = static_cast<std::uint32_t>(1 + random.below(40));
    const std::uint64_t price = 100'000 + 100 * random.below(9);
    std::string message;
    switch (random.below(5)) {
      case 0: message = text_of(bytes_of(cancel(old, lots / 4))); break;
      case 1: message = text_of(bytes_of(replace(old, ++reference, lots, price))); break;
      case 2:
        message = text_of(
            bytes_of(ouch::ModifyOrder{.user_reference = old, .side = ouch::Side::Sell, .quantity = lots}));
        break;
      default: {
        ouch::Outgoing outgoing(order(++reference, random.chance(50) ? 'B' : 'S', lots, price));
        if (random.chance(50)) {
          EXPECT_TRUE(outgoing.append(random.chance(50) ? ouch::Tag::MinimumQuantity : ouch::Tag::MaxFloor, 5));
        }
        message = text_of(outgoing.bytes());
      }
    }
    // Not the references: a huge one would leave no room for others.
    const std::size_t at = 9 + random.below(message.size());
    if (at < message.size() && random.chance(30)) message[at] = static_cast<char>(random.next());
    if (random.chance(3)) message.resize(random.below(message.size() + 1));
    refused += std::size_t{
        !program.gateway().enter(*program.gateway().find_client(name), std::as_bytes(std::span(message)))};
    program.gateway().set_time(morning + static_cast<Nanoseconds>(i) * second);
    program.gateway().advance();
    ASSERT_TRUE(program.core->step());
    for (; read < program.gateway().feed()->size(); ++read) feed.apply((*program.gateway().feed())[read]);
    if (i % 100 == 0) {
      ASSERT_TRUE(program.core->ask([](const Exchange& it) { return it.holds(); })) << i;
    }
  }
  EXPECT_EQ(feed.faults().total(), 0u);
  EXPECT_GT(refused, 50u);
  EXPECT_GT(program.gateway().count(OutcomeKind::Executed), 100u);
  EXPECT_GT(program.gateway().count(OutcomeKind::Rejected), 100u);
}

TEST_F(ExchangeTest, ASnapshotIsWhatTheFeedHasBuilt) {
  Program program(folder.path(), users);
  for (std::uint32_t i = 1; i <= 20; ++i) {
    program.send("ANN", order(i, 'S', 10 + i, 100'500 + i % 3 * 100));
    program.send("BOB", order(i, 'B', 5, i % 4 == 0 ? 100'600 : 100'000));
  }
  auto live = *llmes::FeedBook::create({.symbols = 3, .capacity = 200});
  for (const std::string& message : program.feed()) live.apply(std::as_bytes(std::span(message)));
  auto late = *llmes::FeedBook::create({.symbols = 3, .capacity = 200});
  const std::uint64_t next =
      program.gateway().snapshot([&](llmes::itch::MessageBytes message) { late.apply(message); });
  EXPECT_EQ(next, program.feed().size() + 1);
  const auto orders = [](const llmes::FeedBook& book) {
    std::vector<std::pair<Price, Quantity>> all;
    for (const llmes::Side side : {llmes::Side::Buy, llmes::Side::Sell})
      book.visit_orders(llmes::itch::Locate{1}, side,
                        [&](const llmes::RestingOrder& each) { all.emplace_back(each.price, each.quantity); });
    return all;
  };
  EXPECT_GT(orders(live).size(), 10u);
  EXPECT_EQ(orders(live), orders(late));
  EXPECT_EQ(live.faults().total(), 0u);
}

}  // namespace
}  // namespace exchange
