// SPDX-License-Identifier: MIT
//
// The exchange without sockets: what clients send and get, byte for byte, over restarts on its journal.
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/harness/temporary_folder.hpp"
#include "examples/exchange/clock.hpp"
#include "examples/exchange/core.hpp"
#include "examples/exchange/fair_queue.hpp"
#include "examples/exchange/ouch/session.hpp"
#include "examples/exchange/snapshot/session.hpp"
#include "examples/venue/output_lines.hpp"
#include "tests/examples/enter_ouch.hpp"
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
  Program(const std::string& directory, std::vector<User> users, std::uint64_t reference = 0,
          Quantity zinc_lot = 1)
      : users_(std::move(users)) {
    std::string wrong;
    core = Core::create({.exchange = config(),
                         .journal = {.directory = directory, .segment_records = 1'024},
                         .protocols = {ouch_protocol, snapshot_protocol}},
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
    zinc.lot = zinc_lot;
    EXPECT_TRUE(core->open({acme, zinc}, users_));
  }
  [[nodiscard]] static ExchangeConfig config() {
    return {.venue = {.books = {.max_books = 3, .capacity = 200},
                      .accounts = 4,
                      .holdings = 12,
                      .lifetimes = 200,
                      .matches = 64,
                      .first_phase = Phase::Closed},
            .users = 8};
  }
  [[nodiscard]] Gateway& gateway() { return core->gateway(); }
  [[nodiscard]] const MessageLog& mailbox(std::string_view name) {
    return messages_of(*gateway().find_client(name)->mailbox);
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
    EXPECT_TRUE(enter_ouch(gateway(), *gateway().find_client(name), std::as_bytes(std::span(message))));
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
  const auto modify = [](std::uint32_t reference, char side, std::uint32_t quantity) {
    return ouch::ModifyOrder{
        .user_reference = reference, .side = static_cast<ouch::Side>(side), .quantity = quantity};
  };
  EXPECT_EQ(send(modify(6, 'B', 15)), "modified 6 B 15") << "each one that is allowed is answered";
  EXPECT_EQ(send(modify(6, 'B', 16)), "") << "more lots are not";
  EXPECT_EQ(program.send("ANN", order(1, 'S', 5, 100'000)).back(), "EYE executed 1 5 100100 R");
  EXPECT_EQ(send(replace(6, 7, 25, 100'200)), "replaced 6 7 20 100200") << "5 of the 25 have traded";
  EXPECT_EQ(send(cancel(7)), "canceled 7 20 U");
  EXPECT_EQ(send(cancel(7)), "");
  EXPECT_EQ(send(order(8, 'B', 10, 100'000)), "accepted 8 B 10 ACME 100000");
  EXPECT_EQ(send(replace(8, 9, 10, 100'050)), "canceled 8 10 U") << "off the tick: the original is cancelled";
  EXPECT_EQ(send(order(9, 'B', 10, 100'000)), "") << "and the number is used up";
  EXPECT_EQ(send(order(10, 'B', 10, 100'050)), "rejected 10 29");
  EXPECT_EQ(send(order(11, 'B', 10, 100'000, "NONE")), "rejected 11 23");
  EXPECT_EQ(send(order(12, 'X', 10, 100'000)), "rejected 12 9");
  EXPECT_EQ(send(order(13, 'B', 10, 100'050, "ZINC")), "accepted 13 B 10 ZINC 100050");
  EXPECT_EQ(send(order(14, 'S', 10, 0, "ZINC")), "rejected 14 29") << "it would sell at any price";
  EXPECT_EQ(send(order(15, 'S', 10, 100'100, "ZINC")), "accepted 15 S 10 ZINC 100100");
  EXPECT_EQ(send(replace(15, 16, 10, 0)), "canceled 15 10 U");
  // A sale may become one that is exempt, and each one short, never back.
  EXPECT_EQ(send(order(17, 'S', 10, 100'500)), "accepted 17 S 10 ACME 100500");
  EXPECT_EQ(send(modify(17, 'E', 9)), "modified 17 E 9");
  EXPECT_EQ(send(modify(17, 'S', 8)), "");
  EXPECT_EQ(send(modify(17, 'T', 9)), "modified 17 T 9");
  for (const char side : {'E', 'S', 'B', 'X'}) EXPECT_EQ(send(modify(17, side, 5)), "") << side;
  EXPECT_EQ(send(modify(17, 'S', 0)), "");
  EXPECT_EQ(send(modify(17, 'T', 0)), "canceled 17 9 U") << "0 cancels";
  EXPECT_EQ(send(modify(17, 'T', 0)), "");
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
  EXPECT_EQ(mass(6, "NONE"), (Said{"BOB rejected 6 23"}));
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

/// No order may have the number 0.
TEST_F(ExchangeTest, AQueryAnswers0WhereNoNumberIsLeft) {
  Program program(folder.path(), users);
  program.send("BOB", order(4'294'967'294, 'B', 1, 90'000));
  EXPECT_EQ(program.send("BOB", ouch::AccountQuery{}), (Said{"BOB next 4294967295"}));
  program.send("BOB", order(4'294'967'295, 'B', 1, 90'000));
  EXPECT_EQ(program.send("BOB", ouch::AccountQuery{}), (Said{"BOB next 0"}));
}

/// The program has flags, and neither the calls nor the members of the library.
TEST_F(ExchangeTest, AFullDiskIsToldInTheWordsOfTheProgram) {
  const llmes::JournalError full{
      .code = llmes::JournalCode::NoRoom, .file = llmes::JournalName("one.log"), .expected = 200, .found = 100};
  const std::string words = journal_words(full, "journal");
  EXPECT_NE(words.find("100 bytes"), words.npos) << words;
  EXPECT_NE(words.find("200"), words.npos) << words;
  EXPECT_NE(words.find("--segment-records"), words.npos) << words;
  EXPECT_EQ(words.find("remove_covered"), words.npos) << words;
  EXPECT_EQ(words.find("segment_records"), words.npos) << words;
  EXPECT_EQ(words.find("snapshot"), words.npos) << words;
}

/// What a user disables ends with its day; what the operator stops goes on until the operator restores it.
TEST_F(ExchangeTest, AnAccountThatIsKilledStaysSoOverDaysAndRestarts) {
  auto program = std::make_unique<Program>(folder.path(), users);
  const auto operate = [&](VenueCommandType type) {
    Entry record;
    record.command.type = type;
    record.command.account = 2;
    program->gateway().submit(record);
    EXPECT_TRUE(program->core->step());
  };
  const auto enter = [&](std::uint32_t reference) {
    return program->send("BOB", order(reference, 'B', 10, 100'000)).back();
  };
  EXPECT_EQ(enter(1), "BOB accepted 1 B 10 ACME 100000");
  operate(VenueCommandType::Kill);
  EXPECT_EQ(enter(2), "BOB rejected 2 32");
  EXPECT_EQ(program->send("BOB", ouch::EnableEntry{.user_reference = 3}).back(), "BOB enabled 3");
  EXPECT_EQ(enter(4), "BOB rejected 4 32") << "which is not the user's to enable";
  EXPECT_TRUE(program->core->begin_day());
  EXPECT_EQ(enter(1), "BOB rejected 1 32");
  program.reset();
  program = std::make_unique<Program>(folder.path(), users);
  EXPECT_EQ(enter(2), "BOB rejected 2 32");
  EXPECT_TRUE(program->core->begin_day());
  EXPECT_EQ(enter(1), "BOB rejected 1 32");
  operate(VenueCommandType::Restore);
  EXPECT_EQ(enter(2), "BOB accepted 2 B 10 ACME 100000");
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
  EXPECT_EQ(send(6, 'B', ouch::Tag::Route, 1), (Said{"BOB rejected 6 22"}));
  EXPECT_EQ(send(7, 'B', ouch::Tag::TradeNow, 'Y', '6'), (Said{"BOB rejected 7 10"})) << "until when?";
  const auto noon = 10'800u;  // it is nine
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

/// Of an order that does not end by time, beyond the day, or for the second time: 10, as the time in force.
TEST_F(ExchangeTest, RefusesElementsThatDoNotGoTogether) {
  Program program(folder.path(), users);
  using Elements = std::vector<std::pair<ouch::Tag, std::uint64_t>>;
  auto send = [&, reference = 0u](char time_in_force, const Elements& elements) mutable {
    ouch::EnterOrder message = order(++reference, 'S', 30, 100'000);
    message.time_in_force = static_cast<ouch::TimeInForce>(time_in_force);
    ouch::Outgoing outgoing(message);
    for (const auto& [tag, value] : elements) EXPECT_TRUE(outgoing.append(tag, value));
    const std::string said = program.send("BOB", text_of(outgoing.bytes())).front();
    if (said.find("accepted") != said.npos) return "accepted"s;
    return said.substr(said.rfind(' ') + 1);
  };
  using enum ouch::Tag;
  constexpr std::uint64_t life = 43'200;
  EXPECT_EQ(send('0', {{ExpireTime, life}}), "10");
  EXPECT_EQ(send('3', {{ExpireTime, life}}), "10");
  EXPECT_EQ(send('0', {{ExpireTime, 0}}), "accepted") << "0 is none";
  EXPECT_EQ(send('6', {{ExpireTime, 0}}), "10");
  EXPECT_EQ(send('6', {{ExpireTime, 86'399}}), "accepted");
  EXPECT_EQ(send('6', {{ExpireTime, 86'400}}), "10");
  EXPECT_EQ(send('6', {{ExpireTime, 0xffff'ffff}}), "10");
  EXPECT_EQ(send('6', {{ExpireTime, life}, {ExpireTime, life}}), "10");
  EXPECT_EQ(send('0', {{MaxFloor, 10}, {MaxFloor, 20}}), "10");
  EXPECT_EQ(send('0', {{MaxFloor, 10}, {PostOnly, 'N'}, {MaxFloor, 10}}), "10");
  EXPECT_EQ(send('0', {{Firm, 1}, {Firm, 1}}), "10") << "also where it means nothing here";
  EXPECT_EQ(send('0', {{PostOnly, 'N'}, {PostOnly, 'P'}}), "10");
  EXPECT_EQ(send('0', {{Firm, 1}, {CustomerType, 'R'}, {GroupId, 1}, {MaxFloor, 10}, {PostOnly, 'P'}}),
            "accepted");
  // A replace with wrong details cancels its order.
  ouch::Outgoing twice(replace(3, 100, 20, 100'000));
  EXPECT_TRUE(twice.append(MaxFloor, 10) && twice.append(MaxFloor, 10));
  EXPECT_EQ(program.send("BOB", text_of(twice.bytes())), (Said{"BOB canceled 3 30 U"}));
}

/// Each auction by its own letter, also of lots that an account would have traded with itself.
TEST_F(ExchangeTest, AFillSaysWhichAuctionHasMadeIt) {
  Program program(folder.path(), users);
  const auto operate = [&](VenueCommand command) {
    Entry record;
    record.command = command;
    const auto before = program.now();
    program.gateway().submit(record);
    EXPECT_TRUE(program.core->step());
    return program.since(before);
  };
  const auto begin = [&](Phase phase, BookNumber book = 0) {
    return operate({.book = book, .type = VenueCommandType::SetPhase, .phase = phase});
  };
  const auto letters = [&](const Said& said, std::string_view name) {
    std::string all;
    for (const std::string& one : said) {
      if (one.starts_with(name) && one.find("executed") != one.npos) all += one.back();
    }
    return all;
  };
  std::uint32_t reference = 0;
  const auto enter = [&](std::string_view symbol = "ACME") {
    ++reference;
    program.send("ANN", order(reference, 'S', 10, 100'000, symbol));
    program.send("BOB", order(reference, 'B', 10, 100'000, symbol));
  };
  begin(Phase::OpeningAuction);
  enter();
  enter();
  Said said = begin(Phase::Continuous);
  EXPECT_EQ(letters(said, "ANN"), "OO");
  EXPECT_EQ(letters(said, "BOB"), "OO");
  begin(Phase::ClosingAuction);
  enter();
  said = begin(Phase::Closed);
  EXPECT_EQ(letters(said, "ANN"), "C");
  EXPECT_EQ(letters(said, "BOB"), "C");
  begin(Phase::OpeningAuction);
  enter();
  operate({.book = 0, .type = VenueCommandType::Halt});
  EXPECT_EQ(letters(begin(Phase::Continuous), "ANN"), "");
  said = operate({.book = 0, .type = VenueCommandType::Resume});
  EXPECT_EQ(letters(said, "ANN"), "H");
  EXPECT_EQ(letters(said, "BOB"), "H");
  // Both books at once, each from its own phase.
  begin(Phase::OpeningAuction, 0);
  begin(Phase::ClosingAuction, 1);
  enter();
  enter("ZINC");
  said = begin(Phase::Continuous, VenueCommand::all_books);
  EXPECT_EQ(letters(said, "ANN"), "OC");
  EXPECT_EQ(letters(said, "BOB"), "OC");
  // In continuous trading nothing changes; nor does it where one would have traded with itself there.
  ++reference;
  program.send("BOB", order(reference, 'B', 10, 100'000));
  program.send("ANN", order(reference, 'S', 5, 100'000));
  EXPECT_EQ(words(program.mailbox("ANN")[program.mailbox("ANN").size() - 1]).back(), 'R');
  const auto prevented = [&] {
    char letter = '?';
    const MessageLog& log = program.mailbox("BOB");
    EXPECT_EQ(ouch::decode_venue(log[log.size() - 1],
                                 [&](const ouch::SelfTradeCanceled& m) { letter = m.liquidity.value(); }),
              ouch::DecodeStatus::Success);
    return letter;
  };
  program.send("BOB", order(++reference, 'S', 5, 100'000));
  EXPECT_EQ(prevented(), 'A') << "of the one that rested, which is told last";
  begin(Phase::ClosingAuction);
  program.send("BOB", order(++reference, 'B', 5, 100'000));
  program.send("BOB", order(++reference, 'S', 5, 100'000));
  begin(Phase::Closed);
  EXPECT_EQ(prevented(), 'C');
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

/// Of each command: what users are told, then what it brings the feed, then that it is done.
TEST_F(ExchangeTest, TheFeedComesAfterWhatUsersAreTold) {
  {
    Program program(folder.path(), users);
    Random random(4);
    for (std::uint32_t i = 1; i <= 300; ++i) {
      const std::string_view name = random.chance(50) ? "ANN" : "BOB";
      program.send(name, order(i, random.chance(50) ? 'B' : 'S', static_cast<std::uint32_t>(1 + random.below(30)),
                               100'000 + 100 * random.below(5)));
    }
    EXPECT_TRUE(program.core->begin_day());
    program.send("BOB", order(1, 'B', 10, 100'000));
  }
  struct Kept final : llmes::BasicReportTarget<Outcome> {
    std::span<Outcome> room() noexcept override { return some; }
    void take(std::size_t written) noexcept override {
      all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(written));
    }
    std::vector<Outcome> some = std::vector<Outcome>(64);
    std::vector<Outcome> all{};
  } kept;
  llmes::JournalError error;
  const auto replay = llmes::ReportReplay<Exchange>::create(folder.path(), Program::config(), 1, error);
  ASSERT_NE(replay, nullptr);
  EXPECT_FALSE(replay->tell(kept));
  std::uint64_t sequence = 0, both = 0, days = 0;
  bool has_feed = false, has_user = false, is_done = true;
  for (const Outcome& outcome : kept.all) {
    if (outcome.sequence != sequence) {
      EXPECT_TRUE(is_done) << sequence;
      EXPECT_GT(outcome.sequence, sequence);
      sequence = outcome.sequence;
      has_feed = has_user = is_done = false;
    }
    ASSERT_FALSE(is_done) << sequence;
    is_done = outcome.kind == OutcomeKind::Done;
    if (outcome.kind == OutcomeKind::DayBegan) {
      has_feed = has_user = false;  // the old one has ended in the same order
      ++days;
    }
    if (outcome.kind == OutcomeKind::Feed) {
      both += has_user && !std::exchange(has_feed, true) ? 1 : 0;
      has_feed = true;
    } else if (outcome.user != 0 || outcome.kind == OutcomeKind::MessagesBegin ||
               outcome.kind == OutcomeKind::MessagesEnd) {
      has_user = true;
      EXPECT_FALSE(has_feed) << sequence;
    }
  }
  EXPECT_TRUE(is_done);
  EXPECT_GT(both, 200u);
  EXPECT_EQ(days, 2u);
}

TEST_F(ExchangeTest, ADayEndsAllOrdersAndBeginsNumbersAnew) {
  Program program(folder.path(), users);
  EXPECT_EQ(program.gateway().day_name(), "0000000001");
  program.send("BOB", order(3, 'B', 10, 100'000));
  const auto old = program.gateway().find_client("BOB")->mailbox;
  EXPECT_TRUE(program.core->begin_day());
  EXPECT_EQ(words(messages_of(*old)[messages_of(*old).size() - 2]), "canceled 3 10 T");
  EXPECT_EQ(words(messages_of(*old)[messages_of(*old).size() - 1]), "event E");
  EXPECT_EQ(program.gateway().day_name(), "0000000002");
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
  const llmes::bench::TemporaryFolder other{std::filesystem::temp_directory_path(), "llmes_exchange"};
  Program slow(other.path(), users);
  slow.gateway().logins_a_second = 1;
  EXPECT_TRUE(Line(slow, "BOB").client.is_logged_in());
  EXPECT_EQ(Line(slow, "EYE").server->reason(), "its login was rejected: too many logins within a second");
  EXPECT_TRUE(Line(slow, "BOB").client.is_logged_in()) << "it is known from there";
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

// ---- Days, clocks and limits.

std::string packet(llmes::soup::PacketType type, std::string_view payload = {}) {
  std::array<std::byte, 512> room{};
  llmes::soup::PacketWriter writer(room);
  EXPECT_TRUE(writer.append(type, std::as_bytes(std::span(payload))));
  return text_of(std::span(room).first(writer.size()));
}
std::string login(std::string_view user, std::string_view session = "", std::uint64_t sequence = 1,
                  std::string_view password = "secret") {
  const llmes::soup::LoginRequest request{
      .user = user, .password = password, .session = session, .sequence = sequence};
  return packet(llmes::soup::PacketType::LoginRequest, text_of(bytes_of(request)));
}
template <class M>
std::string unsequenced(const M& message) {
  return packet(llmes::soup::PacketType::Unsequenced, text_of(bytes_of(message)));
}
/// What it says now, packet by packet: the letter of the type, and the payload.
Said packets(Session& session, Nanoseconds now) {
  Said all;
  std::array<std::byte, 4'096> room{};
  while (const std::size_t size = session.write(room, now)) {
    const std::span<const std::byte> bytes = std::span(room).first(size);
    llmes::soup::PacketReader reader(bytes);
    while (const auto one = reader.next()) all.push_back(static_cast<char>(one->type) + text_of(one->payload));
    EXPECT_EQ(reader.offset(), size);
  }
  return all;
}
std::size_t give(Session& session, std::string_view bytes, Nanoseconds now,
                 std::size_t most = Session::any_number) {
  return session.receive(std::as_bytes(std::span(bytes)), now, most);
}

TEST_F(ExchangeTest, AConnectionThatIsOlderThanTheDayGetsTheDay) {
  Program program(folder.path(), users);
  const auto answer = [&](std::string_view session, std::uint64_t sequence) {
    OuchSession old(program.gateway(), 0, 256);
    EXPECT_TRUE(program.core->begin_day());
    give(old, login("BOB", session, sequence) + unsequenced(order(1, 'B', 10, 100'000)), 0);
    EXPECT_TRUE(program.core->step());
    Said said = packets(old, 0);
    said.resize(std::min<std::size_t>(said.size(), 3));
    for (std::string& one : said) one = one.substr(0, one.front() == 'A' ? 11 : 2);
    return said;
  };
  EXPECT_EQ(answer("0000000001", 1), (Said{"JS"})) << "that session has ended";
  EXPECT_EQ(answer("", 1), (Said{"A0000000003", "SS", "SA"}));
  EXPECT_EQ(answer("0000000004", 2), (Said{"A0000000004", "SA"}));
  EXPECT_EQ(answer("0000000005", 9), (Said{"JS"}));
}

/// A client may say something for whoever looks for a fault at any time, as the protocol has it.
TEST_F(ExchangeTest, ADebugPacketBeforeTheLoginHarmsNothing) {
  Program program(folder.path(), users);
  const std::string debug = packet(llmes::soup::PacketType::Debug);
  const std::string bytes = debug + debug + login("BOB") + unsequenced(ouch::AccountQuery{});
  std::size_t expected = 2;
  for (const std::size_t piece : {std::size_t{1}, debug.size(), debug.size() + 5, bytes.size()}) {
    OuchSession bob(program.gateway(), 0, 256);
    for (std::size_t at = 0; at < bytes.size();) at += give(bob, std::string_view(bytes).substr(at, piece), 0);
    EXPECT_TRUE(program.core->step());
    const Said said = packets(bob, 0);
    ASSERT_EQ(said.size(), ++expected) << bob.reason();
    EXPECT_TRUE(said.front().starts_with("A"));
    EXPECT_TRUE(said.back().starts_with("SQ"));
  }
}

/// Whatever comes around the end of a day, in whatever pieces: each connection gets the session that its login was
/// answered with, from the number that it asked for, and what it sends after the day is not done.
TEST_F(ExchangeTest, LoginsAroundTheEndOfADayGetTheRightSession) {
  struct Conn {
    std::unique_ptr<Session> session;
    bool is_orders = false;
    bool is_closed = false;
    std::string up{};
    std::string day{};
    std::shared_ptr<Mailbox> mailbox{};
    std::size_t next = 0;
  };
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < repetitions(12u); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const llmes::bench::TemporaryFolder disk{std::filesystem::temp_directory_path(), "llmes_days"};
    Random random(seed);
    Program program(disk.path(), users);
    Gateway& gateway = program.gateway();
    SharedSnapshots snapshots(gateway);
    std::array<Conn, 4> conns;
    Nanoseconds now = 0;
    std::uint64_t day = 1;
    std::map<std::string, std::uint32_t> references;
    std::vector<std::pair<std::function<void(bool)>, bool>> checks;  // passwords that are being checked
    gateway.in_background = [&](const std::function<bool()>& work, const std::function<void(bool)>& done) {
      if (random.chance(50)) return done(work());
      checks.emplace_back(done, work());
    };
    const auto name_of = [](std::uint64_t number) {
      std::string digits = std::to_string(number);
      return digits.insert(0, 10 - digits.size(), '0');
    };
    const auto look = [&](Conn& conn) {
      if (!conn.day.empty() || !conn.session->is_logged_in()) return;
      conn.day = gateway.day_name();
      conn.mailbox = gateway.find_client(conn.session->client()->user.name)->mailbox;
    };
    bool has_ended = false;  // a day, and the program has not looked yet: clients log in to the next one before
    const auto end_day = [&] {
      ++day;
      ++seen["day"];
      has_ended = true;
    };
    const auto see_day = [&] {
      has_ended = false;
      for (Conn& conn : conns) {
        if (conn.session == nullptr) continue;
        conn.session->end_day();
        conn.is_closed = !conn.day.empty() && conn.day != gateway.day_name();
        if (!conn.day.empty() && !conn.is_closed) ++seen["early"];
      }
    };
    for (int round = 0; round < 1'500; ++round) {
      if (has_ended && random.chance(2)) see_day();
      Conn& conn = conns[random.below(conns.size())];
      if (conn.session == nullptr) {
        conn.is_orders = random.chance(80);
        if (conn.is_orders) {
          conn.session = std::make_unique<OuchSession>(gateway, now, 256);
        } else {
          conn.session = std::make_unique<SnapshotSession>(gateway, snapshots, now, 256);
        }
      }
      const std::string user = users[random.below(3)].name;
      switch (random.below(12)) {
        case 0:
        case 1: {
          if (conn.session->is_logged_in() && random.chance(95)) break;
          const std::array<std::string, 4> names{name_of(day), name_of(day - 1), "", name_of(day + 1)};
          const std::array<std::uint64_t, 4> from{0, 1, 2, 99};
          conn.up +=
              login(user, names[random.below(4)], from[random.below(4)], random.chance(90) ? "secret" : "x");
          break;
        }
        case 2:
        case 3:
        case 4: conn.up += unsequenced(order(++references[user], 'B', 1, 100'000)); break;
        case 5:
          conn.up += packet(random.chance(50) ? llmes::soup::PacketType::ClientHeartbeat
                                              : llmes::soup::PacketType::Debug);
          break;
        case 6:
          if (random.chance(10)) conn.up += packet(llmes::soup::PacketType::LogoutRequest);
          if (random.chance(3)) conn.up += '\0';
          break;
        case 7:
          if (!random.chance(10)) break;
          if (random.chance(50)) {
            EXPECT_TRUE(program.core->begin_day());
          } else {  // what comes before the exchange has done it would come after the day
            Entry record;
            record.sender.type = EntryType::NewDay;
            gateway.submit(record);
            for (Conn& each : conns) {
              if (each.session == nullptr || !each.session->is_logged_in()) continue;
              give(*each.session, each.up + unsequenced(order(900'000, 'B', 1, 100'000)), now);
              each.up.clear();
            }
            EXPECT_TRUE(program.core->step());
            for (const User& each : users) EXPECT_EQ(program.mailbox(each.name).size(), 1u);
          }
          references.clear();
          end_day();
          break;
        case 8:
          now += random.below(2 * second);
          gateway.set_time(morning + now);
          for (Conn& each : conns) {
            if (each.session != nullptr) each.session->advance(now);
          }
          break;
        default: {
          while (!checks.empty() && random.chance(50)) {
            const auto [done, is_right] = checks.back();
            checks.pop_back();
            done(is_right);
            for (Conn& each : conns) {
              if (each.session != nullptr) look(each);
            }
          }
          const std::string some = conn.up.substr(0, random.below(conn.up.size() + 1));
          const std::size_t taken = give(*conn.session, some, now, 1 + random.below(4));
          look(conn);
          ASSERT_LE(taken, some.size());
          conn.up.erase(0, taken);
          EXPECT_TRUE(program.core->step());
          for (const std::string& one : packets(*conn.session, now)) {
            ++seen[one.substr(0, 1)];
            if (one.front() == 'A') {
              ASSERT_EQ(one.substr(1, 10), conn.day);
              conn.next = std::stoul(one.substr(11));
            }
            if (one.front() == 'S' && conn.is_orders) {
              ASSERT_LE(conn.next, messages_of(*conn.mailbox).size());
              ASSERT_EQ(one.substr(1), text_of(messages_of(*conn.mailbox)[conn.next - 1]));
              ++conn.next;
            }
            if (one.front() == 'Z' && conn.is_orders) {
              ASSERT_TRUE(conn.is_closed) << "its day goes on";
              ASSERT_EQ(conn.next, messages_of(*conn.mailbox).size() + 1);
            }
          }
        }
      }
      for (Conn& each : conns) {
        if (each.session != nullptr && each.session->is_over()) {
          ++seen[each.session->reason().substr(0, 20)];
          each = {};
        }
      }
    }
  }
  EXPECT_GT(seen["early"], repetitions(5));
  for (const char* const what : {"A", "J", "S", "Z", "day", "its login was reject", "the session has ende"})
    EXPECT_GT(seen[what], repetitions(20)) << what;
}

TEST(VenueClock, FollowsTheWallAndGoesOnWhereThatSteps) {
  constexpr Nanoseconds tick = second / 10, hour = 3'600 * second;
  Clock clock;
  clock.begin(7 * second, morning, 0);
  Nanoseconds monotonic = 7 * second, wall = morning, before = clock.now();
  const auto go = [&](int ticks) {
    for (int i = 0; i < ticks; ++i) {
      monotonic += tick;
      wall += tick;
      clock.set(monotonic, wall);
      ASSERT_GE(clock.now(), before + tick / 2);
      ASSERT_LE(clock.now(), before + tick + tick / 2);
      before = clock.now();
    }
  };
  go(10);
  EXPECT_EQ(clock.now(), wall);
  wall += 24 * hour;  // for half a second
  go(5);
  wall -= 24 * hour;
  go(5);
  EXPECT_EQ(clock.now(), wall) << "it had gone a quarter of a second too far";
  wall -= hour;
  go(1);
  EXPECT_GT(clock.skew(), static_cast<std::int64_t>(hour - second));
  go(2 * 36'000 + 10);
  EXPECT_EQ(clock.skew(), 0);
  wall += hour;
  go(2 * 36'000 + 10);
  EXPECT_EQ(clock.skew(), 0);
  Clock again;
  again.begin(0, morning, morning + hour);
  EXPECT_EQ(again.now(), morning + hour) << "where the journal has been";
  EXPECT_EQ(again.skew(), static_cast<std::int64_t>(hour));
}

/// Orders end when the wall says so, however far the venue's time is off when they come.
TEST_F(ExchangeTest, AnOrderEndsByTheWallWhateverTheVenuesTimeIs) {
  for (const std::int64_t step : {0, -20, 20, -1, 1, -3'600, 3'600}) {
    SCOPED_TRACE(step);
    const llmes::bench::TemporaryFolder disk{std::filesystem::temp_directory_path(), "llmes_exchange"};
    Program program(disk.path(), users);
    Clock clock;
    Nanoseconds monotonic = 5 * second, wall = morning + 7'200 * second;
    const auto go = [&](Nanoseconds by) {
      monotonic += by;
      wall += by;
      clock.set(monotonic, wall);
      program.gateway().set_time(clock.now(), clock.skew());
    };
    clock.begin(monotonic, wall, program.gateway().now());
    wall += static_cast<Nanoseconds>(step * static_cast<std::int64_t>(second));
    go(0);
    std::uint32_t reference = 0;
    for (const std::uint64_t seconds : {1u, 3u, 8u, 39u, 41u, 100u}) {
      ouch::EnterOrder until = order(++reference, 'B', 5, 90'000);
      until.time_in_force = static_cast<ouch::TimeInForce>('6');
      ouch::Outgoing outgoing(until);
      EXPECT_TRUE(outgoing.append(ouch::Tag::ExpireTime, seconds));
      program.send("ANN", text_of(outgoing.bytes()));
      const auto told = program.now();
      go(seconds * second - second / 100);
      program.gateway().advance();
      EXPECT_TRUE(program.core->step());
      EXPECT_EQ(program.since(told), Said{}) << seconds;
      go(second / 50);
      program.gateway().advance();
      EXPECT_TRUE(program.core->step());
      const std::string canceled = " canceled " + std::to_string(reference) + " 5 T";
      EXPECT_EQ(program.since(told), (Said{"ANN" + canceled, "EYE" + canceled})) << seconds;
    }
  }
}

/// Whoever was heard before the program stood still, and whose bytes wait, is not silent.
TEST_F(ExchangeTest, AStallOfTheProgramDisconnectsNobodyWhoseBytesWait) {
  Program program(folder.path(), users);
  Clock clock;
  clock.begin(0, morning, 0);
  Line bob(program, "BOB");
  const std::string heartbeat = packet(llmes::soup::PacketType::ClientHeartbeat);
  Nanoseconds monotonic = 0;
  for (int stall = 0; stall < 3; ++stall) {
    monotonic += 18 * second;
    clock.set(monotonic, morning + monotonic);
    bob.server->advance(clock.served());
    ASSERT_FALSE(bob.server->is_over());
    give(*bob.server, heartbeat, clock.served());
  }
  for (int i = 0; i < 149; ++i) {
    monotonic += second / 10;
    clock.set(monotonic, morning + monotonic);
    bob.server->advance(clock.served());
    ASSERT_FALSE(bob.server->is_over());
  }
  monotonic += second / 10;
  clock.set(monotonic, morning + monotonic);
  bob.server->advance(clock.served());
  EXPECT_TRUE(bob.server->is_over()) << "it was silent while the program ran";
}

TEST_F(ExchangeTest, ServesItsClientsWhereTheClockSteps) {
  users[1].limits.message_burst = 2;
  users[1].limits.message_interval = static_cast<std::uint32_t>(second / 100);
  auto program = std::make_unique<Program>(folder.path(), users);
  program->gateway().logins_a_second = 20;
  Clock clock;
  std::uint32_t reference = 1;
  Nanoseconds monotonic = 5 * second, wall = morning + second;
  const auto begin = [&] {
    clock = {};
    clock.begin(monotonic, wall, program->gateway().now());
    program->gateway().set_time(clock.now(), clock.skew());
  };
  const auto go = [&](Nanoseconds by, std::int64_t step = 0) {
    monotonic += by;
    wall += by + static_cast<Nanoseconds>(step);
    clock.set(monotonic, wall);
    program->gateway().set_time(clock.now(), clock.skew());
  };
  const auto hour = static_cast<std::int64_t>(3'600 * second);
  begin();
  go(0, 24 * hour);  // a day ahead for half a second, and an order comes then
  go(second / 2);
  program->send("ANN", order(1, 'B', 10, 90'000));
  go(0, -24 * hour);
  program.reset();
  program = std::make_unique<Program>(folder.path(), users);
  begin();
  EXPECT_LT(clock.skew(), static_cast<std::int64_t>(second));
  go(second);
  for (const std::int64_t step : {-hour, hour, -hour}) {
    go(second / 10, step);
    // Logins: as many as may be, all the time.
    for (int i = 0; i < 50; ++i) {
      go(second / 5);
      OuchSession stranger(program->gateway(), clock.served(), 256);
      stranger.from = 1;
      give(stranger, login("EYE", "", 1, "wrong"), clock.served());
      EXPECT_EQ(stranger.reason(), "its login was rejected: wrong password of EYE");
    }
    // Messages: the limit refills.
    OuchSession bob(program->gateway(), clock.served(), 256);
    give(bob, login("BOB"), clock.served());
    ASSERT_TRUE(bob.is_logged_in());
    for (int i = 0; i < 20; ++i) {
      go(second / 50);
      const std::string two = unsequenced(ouch::AccountQuery{}) + unsequenced(ouch::AccountQuery{});
      EXPECT_EQ(give(bob, two, clock.served()), two.size());
    }
    // Orders for some time, whatever the wall says.
    ouch::EnterOrder until = order(++reference, 'B', 5, 90'000);
    until.time_in_force = static_cast<ouch::TimeInForce>('6');
    ouch::Outgoing outgoing(until);
    EXPECT_TRUE(outgoing.append(ouch::Tag::ExpireTime, std::uint64_t{2}));
    EXPECT_TRUE(program->send("ANN", text_of(outgoing.bytes())).front().starts_with("ANN accepted"));
    const auto before = program->now();
    go(second / 2);
    program->gateway().advance();
    EXPECT_TRUE(program->core->step());
    EXPECT_EQ(program->since(before), Said{});
    for (int i = 0; i < 50; ++i) {
      go(second / 10);
      program->gateway().advance();
    }
    EXPECT_TRUE(program->core->step());
    EXPECT_EQ(program->since(before).front(), "ANN canceled " + std::to_string(reference) + " 5 T");
  }
}

/// Each kind counts before the journal; above the limit the connection is not read, and nothing is lost.
TEST_F(ExchangeTest, EveryMessageCountsAgainstTheLimitOfItsAccount) {
  users[1].limits.message_burst = 3;
  users[1].limits.message_interval = static_cast<std::uint32_t>(second);
  Program program(folder.path(), users);
  Nanoseconds now = 0;
  const std::vector<std::string> kinds{unsequenced(ouch::AccountQuery{}),
                                       unsequenced(cancel(77)),
                                       unsequenced(order(1, 'B', 1, 100'000)),
                                       unsequenced(replace(77, 78, 1, 100'000)),
                                       unsequenced(ouch::ModifyOrder{.user_reference = 77}),
                                       unsequenced(ouch::MassCancel{.user_reference = 1}),
                                       unsequenced(ouch::DisableEntry{.user_reference = 1}),
                                       unsequenced(ouch::EnableEntry{.user_reference = 1}),
                                       unsequenced(order(2, '?', 1, 100'000))};
  for (const std::string& kind : kinds) {
    now += 100 * second;
    OuchSession bob(program.gateway(), now, 256);
    give(bob, login("BOB"), now);
    ASSERT_TRUE(bob.is_logged_in());
    std::string flood;
    for (int i = 0; i < 10; ++i) flood += kind;
    const std::uint64_t journaled = program.core->commands();
    // Three at once, then one a second; after a minute three again.
    for (const auto& [expected, pause] : {std::pair(3u, second), {1u, second}, {1u, 60 * second}, {3u, second}}) {
      std::size_t taken = 0;
      for (std::size_t more = 1; more != 0; taken += more) more = give(bob, flood.substr(taken), now);
      EXPECT_EQ(taken, expected * kind.size()) << kind[3];
      flood.erase(0, taken);
      EXPECT_EQ(give(bob, flood, now), 0u);
      EXPECT_EQ(bob.takes_at(), now + second);
      EXPECT_TRUE(program.core->step());
      now += pause;
      bob.heard(now);  // more has come, such as a heartbeat
      bob.advance(now);
      EXPECT_FALSE(bob.is_over()) << "it waits for the venue, and is not silent";
    }
    EXPECT_LE(program.core->commands() - journaled, 8u);
  }
}

/// Messages that wait are taken one after the other, and are no sign of life.
TEST_F(ExchangeTest, WhoIsSilentIsDisconnectedAlsoAtItsLimit) {
  users[1].limits.message_burst = 1;
  users[1].limits.message_interval = static_cast<std::uint32_t>(second);
  Program program(folder.path(), users);
  OuchSession bob(program.gateway(), 0, 256);
  give(bob, login("BOB"), 0);
  const std::string query = unsequenced(ouch::AccountQuery{});
  std::string flood;
  for (int i = 0; i < 60; ++i) flood += query;
  const auto go = [&](Nanoseconds now) {
    bob.advance(now);
    EXPECT_TRUE(program.core->step());
    std::array<std::byte, 4'096> room{};
    while (bob.write(room, now) != 0) continue;
    if (bob.is_over()) return true;
    const std::size_t taken = give(bob, flood, now);
    EXPECT_EQ(taken, query.size()) << now / second;
    flood.erase(0, taken);
    return false;
  };
  for (Nanoseconds now = second; now < 11 * second; now += second) ASSERT_FALSE(go(now));
  bob.heard(11 * second - 1);
  for (Nanoseconds now = 11 * second; now < 26 * second - 1; now += second) ASSERT_FALSE(go(now)) << now / second;
  EXPECT_TRUE(go(26 * second));
  EXPECT_EQ(bob.reason(), "it was silent for too long");
}

/// Its session goes on with the next start.
TEST_F(ExchangeTest, AStopWithinADayEndsNoSession) {
  auto program = std::make_unique<Program>(folder.path(), users);
  std::uint64_t next = 0;
  {
    Line bob(*program, "BOB");
    program->send("BOB", order(1, 'B', 10, 100'000));
    bob.server->stop();
    EXPECT_FALSE(bob.server->is_over()) << "it lacks a message";
    bob.turn();
    EXPECT_EQ(bob.got.back(), "accepted 1 B 10 ACME 100000");
    EXPECT_TRUE(bob.server->is_over());
    EXPECT_EQ(bob.server->reason(), "the venue stops");
    EXPECT_EQ(bob.client.end(), llmes::soup::End::None);
    next = bob.client.next_sequence();
  }
  program.reset();
  program = std::make_unique<Program>(folder.path(), users);
  Line again(*program, "BOB", "secret", "0000000001", next);
  again.send(bytes_of(order(2, 'B', 10, 100'000)));
  EXPECT_EQ(again.got, (Said{"accepted 2 B 10 ACME 100000"}));
}

/// Answers follow from the journal; what nobody answers is not there.
TEST_F(ExchangeTest, WhatIsSilentIsNotInTheJournal) {
  Program program(folder.path(), users);
  const auto journaled = [&](const auto& message) {
    const std::uint64_t before = program.core->commands();
    const bool is_told = !program.send("BOB", message).empty();
    const std::uint64_t records = program.core->commands() - before;
    EXPECT_EQ(records, is_told ? 1u : 0u);
    return is_told;
  };
  const auto modify = [](std::uint32_t reference, char side, std::uint32_t quantity) {
    return ouch::ModifyOrder{
        .user_reference = reference, .side = static_cast<ouch::Side>(side), .quantity = quantity};
  };
  EXPECT_TRUE(journaled(ouch::AccountQuery{}));
  EXPECT_FALSE(journaled(cancel(1)));
  EXPECT_FALSE(journaled(replace(1, 2, 5, 100'000)));
  EXPECT_FALSE(journaled(modify(1, 'B', 5)));
  EXPECT_TRUE(journaled(order(1, 'B', 10, 100'000)));
  EXPECT_FALSE(journaled(order(1, 'B', 10, 100'000)));
  EXPECT_FALSE(journaled(cancel(1, 10)));
  EXPECT_FALSE(journaled(cancel(1, 11)));
  EXPECT_FALSE(journaled(modify(1, 'S', 5)));
  EXPECT_FALSE(journaled(modify(1, 'B', 11)));
  EXPECT_FALSE(journaled(modify(1, 'X', 5)));
  EXPECT_FALSE(journaled(modify(1, 'X', 0)));
  EXPECT_TRUE(journaled(modify(1, 'B', 9)));
  EXPECT_TRUE(journaled(modify(1, 'B', 9))) << "it changes nothing, and is answered";
  EXPECT_FALSE(journaled(cancel(1, 9)));
  EXPECT_TRUE(journaled(cancel(1, 8)));
  program.send("ANN", order(1, 'S', 3, 100'000));
  EXPECT_FALSE(journaled(cancel(1, 8)));
  EXPECT_TRUE(journaled(cancel(1, 7)));
  EXPECT_TRUE(journaled(replace(1, 2, 12, 100'000)));
  EXPECT_FALSE(journaled(replace(1, 3, 12, 100'000)));
  EXPECT_FALSE(journaled(order(2, 'B', 10, 100'000)));
  EXPECT_TRUE(journaled(replace(2, 3, 12, 100'050))) << "its price is wrong, which ends the original";
  EXPECT_FALSE(journaled(cancel(2)));
  EXPECT_TRUE(journaled(order(4, 'B', 10, 100'050))) << "rejected";
  EXPECT_FALSE(journaled(order(4, 'B', 10, 100'000)));
  EXPECT_FALSE(journaled(cancel(4)));
  EXPECT_TRUE(journaled(order(5, 'B', 10, 100'000)));
  program.send("ANN", order(2, 'S', 10, 100'000));
  EXPECT_FALSE(journaled(cancel(5))) << "it has traded";
  EXPECT_TRUE(journaled(order(6, 'B', 10, 90'000)));
  program.send("ANN", order(3, 'S', 3, 90'000));
  EXPECT_TRUE(journaled(modify(6, 'B', 3))) << "they have traded: nothing is left";
  EXPECT_FALSE(journaled(modify(6, 'B', 3)));
  EXPECT_TRUE(journaled(ouch::MassCancel{.user_reference = 7}));
  EXPECT_FALSE(journaled(ouch::MassCancel{.user_reference = 7}));
  EXPECT_FALSE(journaled(ouch::DisableEntry{.user_reference = 7}));
  EXPECT_FALSE(journaled(ouch::EnableEntry{.user_reference = 6}));
  // In one batch: the second of each pair is known before the first is done.
  const std::uint64_t before = program.core->commands();
  const auto enter = [&](const auto& message) {
    EXPECT_TRUE(enter_ouch(program.gateway(), *program.gateway().find_client("BOB"), bytes_of(message)));
  };
  for (int i = 0; i < 2; ++i) enter(order(8, 'B', 10, 90'000));
  for (int i = 0; i < 2; ++i) enter(replace(8, 9, 10, 90'100));
  enter(cancel(9, 5));
  for (int i = 0; i < 2; ++i) enter(cancel(9));
  for (std::uint32_t i = 10; i < 12; ++i) enter(replace(9, i, 10, 90'100));
  EXPECT_TRUE(program.core->step());
  EXPECT_EQ(program.core->commands() - before, 4u);
  EXPECT_FALSE(journaled(cancel(9)));
  // A disconnect of one who has no order.
  { const Line bob(program, "BOB"); }
  EXPECT_TRUE(program.core->step());
  EXPECT_EQ(program.core->commands() - before, 4u);
}

/// A change of an order waits while another one of it is on its way, as it may be silent then: in whatever pieces
/// the bytes come, all are taken in the end, and each record is answered.
TEST_F(ExchangeTest, AChangeWaitsForTheOneBefore) {
  const auto modify = [](char side, std::uint32_t quantity) {
    return unsequenced(
        ouch::ModifyOrder{.user_reference = 1, .side = static_cast<ouch::Side>(side), .quantity = quantity});
  };
  const auto moves = [](std::uint32_t from, std::uint32_t by) {
    std::string all;
    for (std::uint32_t i = 0; i < 10; ++i)
      all += unsequenced(replace(from == 0 ? i + 1 : from, i + 2, 5, by == 0 ? 100'050 : 100'500 + by * i));
    return all;
  };
  const std::vector<std::tuple<std::string, std::uint64_t, Said>> cases{
      {moves(1, 100), 1, {"replaced 1 2 5 100500"}},
      {moves(1, 0), 1, {"canceled 1 10 U"}},
      {moves(0, 0), 1, {"canceled 1 10 U"}},
      {modify('S', 5) + modify('S', 10) + modify('T', 5) + modify('E', 4),
       2,
       {"modified 1 S 5", "modified 1 T 5"}},
      {unsequenced(cancel(1, 5)) + unsequenced(cancel(1, 5)) + unsequenced(cancel(1, 6)) +
           unsequenced(cancel(1, 4)),
       2,
       {"canceled 1 5 U", "canceled 1 1 U"}},
      {modify('S', 5) + unsequenced(cancel(1, 5)) + unsequenced(cancel(1, 4)),
       2,
       {"modified 1 S 5", "canceled 1 1 U"}},
      {unsequenced(replace(1, 2, 5, 100'500)) + unsequenced(cancel(1)) + modify('S', 2),
       1,
       {"replaced 1 2 5 100500"}}};
  for (const auto& [bytes, records, expected] : cases) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
      const llmes::bench::TemporaryFolder disk{std::filesystem::temp_directory_path(), "llmes_exchange"};
      Program program(disk.path(), users);
      program.send("BOB", order(1, 'S', 10, 100'500));
      OuchSession bob(program.gateway(), 0, 256);
      give(bob, login("BOB"), 0);
      ASSERT_TRUE(bob.is_logged_in());
      const std::map<std::string, std::size_t> told = program.now();
      const std::uint64_t before = program.core->commands();
      std::size_t at = 0;
      for (int turns = 0; (at < bytes.size() || bob.has_kept()) && turns < 1'000; ++turns) {
        at += give(bob, std::string_view(bytes).substr(at, piece), 0);
        EXPECT_LE(bob.takes_at(), 0u);
        if (at % 2 == 0 || at == bytes.size() || bob.has_kept()) {
          EXPECT_TRUE(program.core->step());
        }
      }
      EXPECT_EQ(at, bytes.size());
      EXPECT_EQ(program.core->commands() - before, records) << piece;
      Said said;
      for (const std::string& each : program.since(told)) {
        if (each.starts_with("BOB ")) said.push_back(each.substr(4));
      }
      EXPECT_EQ(said, expected) << piece;
    }
  }
}

/// A change that does nothing, and is on its way, takes nothing from the one behind it.
TEST_F(ExchangeTest, AChangeBehindOneThatDoesNothingIsAnswered) {
  const auto modify = [](std::uint32_t reference, std::uint32_t quantity) {
    return unsequenced(
        ouch::ModifyOrder{.user_reference = reference, .side = ouch::Side::Sell, .quantity = quantity});
  };
  const std::string element =
      packet(llmes::soup::PacketType::Unsequenced, text_of(bytes_of(cancel(1))) + "\0\6\5\2FIRM"s);
  const std::string odd = unsequenced(cancel(2, 55));  // no multiple of the lot
  const std::string twice = modify(1, 0) + unsequenced(replace(1, 5, 10, 100'500)) +
                            unsequenced(order(5, 'S', 100, 100'500));  // the replace does nothing
  const std::vector<std::pair<std::string, Said>> cases{
      {element + unsequenced(cancel(1)), {"canceled 1 100 U"}},
      {element + modify(1, 30), {"modified 1 S 30"}},
      {element + unsequenced(replace(1, 3, 30, 100'500)), {"replaced 1 3 30 100500"}},
      {odd + unsequenced(cancel(2, 60)), {"canceled 2 40 U"}},
      {odd + modify(2, 60), {"modified 2 S 60"}},
      {odd + odd + unsequenced(replace(2, 3, 30, 100'500)), {"replaced 2 3 30 100500"}},
      {twice + unsequenced(cancel(5, 50)),
       {"canceled 1 100 U", "accepted 5 S 100 ACME 100500", "canceled 5 50 U"}},
      {twice + modify(5, 50), {"canceled 1 100 U", "accepted 5 S 100 ACME 100500", "modified 5 S 50"}},
      {modify(1, 0) + unsequenced(replace(1, 5, 10, 100'500)) + unsequenced(cancel(5)) +
           unsequenced(order(5, 'S', 100, 100'500)) + modify(5, 70),
       {"canceled 1 100 U", "accepted 5 S 100 ACME 100500", "modified 5 S 70"}}};
  for (const auto& [bytes, expected] : cases) {
    const llmes::bench::TemporaryFolder disk{std::filesystem::temp_directory_path(), "llmes_exchange"};
    Program program(disk.path(), users, 0, 10);
    program.send("BOB", order(1, 'S', 100, 100'500));
    program.send("BOB", order(2, 'S', 100, 100'500, "ZINC"));
    OuchSession bob(program.gateway(), 0, 256);
    give(bob, login("BOB"), 0);
    ASSERT_TRUE(bob.is_logged_in());
    const std::map<std::string, std::size_t> told = program.now();
    std::size_t at = 0;
    for (int turns = 0; (at < bytes.size() || bob.has_kept()) && turns < 100; ++turns) {
      at += give(bob, std::string_view(bytes).substr(at), 0);
      EXPECT_TRUE(program.core->step());
    }
    EXPECT_EQ(at, bytes.size());
    Said said;
    for (const std::string& each : program.since(told)) {
      if (each.starts_with("BOB ")) said.push_back(each.substr(4));
    }
    EXPECT_EQ(said, expected);
  }
}

/// What the gateway leaves out is silent in the exchange, too: with and without it, all are told the same.
TEST_F(ExchangeTest, TheJournalLacksNothingThatAnyoneIsTold) {
  const llmes::bench::TemporaryFolder other{std::filesystem::temp_directory_path(), "llmes_exchange"};
  Program program(folder.path(), users, 0, 5), all(other.path(), users, 0, 5);
  Random random(3);
  std::map<std::string, std::uint32_t> last;
  std::uint64_t sent = 0;
  for (int i = 0; i < 4'000; ++i) {
    const std::string name = random.chance(50) ? "ANN" : "BOB";
    const auto old = static_cast<std::uint32_t>(last[name] - std::min<std::uint64_t>(last[name], random.below(6)));
    const std::uint32_t next = random.chance(80) ? ++last[name] : old;
    const auto lots = static_cast<std::uint32_t>(random.below(20));
    const std::uint64_t price = 100'000 + 50 * random.below(12);
    const char side = "BSTX"[random.below(random.chance(5) ? 4 : 3)];
    std::string message;
    switch (random.below(9)) {
      case 0:
        message = text_of(bytes_of(cancel(old, lots)));
        if (random.chance(20)) message += "\0\6\5\2FIRM"s;
        break;
      case 1: message = text_of(bytes_of(replace(old, next, lots, price))); break;
      case 2:
        message = text_of(bytes_of(
            ouch::ModifyOrder{.user_reference = old, .side = static_cast<ouch::Side>(side), .quantity = lots}));
        break;
      case 3:
        if (random.chance(20)) message = text_of(bytes_of(ouch::MassCancel{.user_reference = next}));
        break;
      case 4:
        if (!random.chance(10)) break;
        message = random.chance(50) ? text_of(bytes_of(ouch::DisableEntry{.user_reference = next}))
                                    : text_of(bytes_of(ouch::EnableEntry{.user_reference = next}));
        break;
      default: message = text_of(bytes_of(order(next, side, lots, price, random.chance(50) ? "ACME" : "ZINC")));
    }
    if (message.empty()) continue;
    ++sent;
    Gateway& gateway = program.gateway();
    const std::span<const std::byte> bytes = std::as_bytes(std::span(message));
    EXPECT_TRUE(enter_ouch(gateway, *gateway.find_client(name), bytes));
    const Client& client = *all.gateway().find_client(name);
    OuchReader reader(all.gateway(), client.user.id, client.user.account, client.user.self_trade, Nanoseconds{0});
    all.gateway().submit(*reader.read(bytes));
    if (random.chance(70)) continue;  // several in a batch
    EXPECT_TRUE(program.core->step());
    EXPECT_TRUE(all.core->step());
    for (const User& each : users)
      ASSERT_EQ(program.mailbox(each.name).size(), all.mailbox(each.name).size()) << i;
  }
  for (const User& each : users) EXPECT_EQ(program.all(each.name), all.all(each.name));
  EXPECT_LT(program.core->commands(), all.core->status().sequence - sent / 10);
}

/// Others have their turn after so many messages, of whatever kind.
TEST_F(ExchangeTest, ATurnOfAConnectionHasABound) {
  Program program(folder.path(), users);
  OuchSession bob(program.gateway(), 0, 256);
  give(bob, login("BOB"), 0);
  std::string queries, cancels, mass;
  for (std::uint32_t i = 1; i <= 40; ++i) {
    queries += unsequenced(ouch::AccountQuery{});
    cancels += unsequenced(cancel(i));
    mass += unsequenced(ouch::MassCancel{.user_reference = i});
  }
  EXPECT_EQ(give(bob, queries, 0, 8), queries.size() / 5);
  EXPECT_EQ(bob.takes_at(), 0u);
  EXPECT_EQ(give(bob, cancels, 0, 8), cancels.size() / 5);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(give(bob, mass, 0), mass.size() / 40) << "to cancel all may take long";
}

/// Each user's orders, in the order in which they came, whatever comes and goes.
TEST(ExchangeOrders, AreFoundByUser) {
  llmes::CreateStatus status{};
  auto table = OrderTable::create(20, status);
  ASSERT_TRUE(table.has_value());
  std::array<OrderList, 3> lists{};
  std::array<std::vector<OrderId>, 3> expected;
  Random random(1);
  std::uint32_t reference = 0;
  for (int i = 0; i < repetitions(20'000); ++i) {
    const auto user = static_cast<UserId>(random.below(3));
    std::vector<OrderId>& own = expected[user];
    const std::size_t at = own.empty() ? 0 : random.below(own.size());
    if (random.chance(40) && !table->full()) {
      own.push_back(order_id(user, ++reference));
      table->add(own.back(), lists[user]);
    } else if (!own.empty() && random.chance(30)) {
      const OrderId id = std::exchange(own[at], order_id(user, ++reference));
      table->rename(id, own[at]);
    } else if (!own.empty()) {
      table->erase(own[at], lists[user]);
      own.erase(own.begin() + static_cast<std::ptrdiff_t>(at));
    }
    std::vector<OrderId> found;
    table->visit(lists[user], [&](OrderId id, const KnownOrder&) { found.push_back(id); });
    ASSERT_EQ(found, own);
    ASSERT_EQ(table->count(lists[user], user), own.size());
    ASSERT_FALSE(!own.empty() && table->count(lists[user], user + 1)) << "they are of another user";
  }
  std::swap(lists[0].first, lists[0].last);
  EXPECT_TRUE(expected[0].size() < 2 || !table->count(lists[0], 0));
}

/// With a name alone nobody is kept out: not who was there before, and not who comes for the first time.
TEST_F(ExchangeTest, WrongLoginsKeepNobodyOut) {
  Program program(folder.path(), users);
  program.gateway().logins_a_second = 20;
  int checked = 0;
  program.gateway().in_background = [&](const auto& work, const auto& done) {
    ++checked;
    done(work());
  };
  Nanoseconds now = 0;
  const auto reason = [&](std::string_view name, std::string_view password, Address from) {
    OuchSession session(program.gateway(), now, 256);
    session.from = from;
    give(session, login(name, "", 1, password), now);
    return session.reason();
  };
  EXPECT_EQ(reason("BOB", "secret", 1), "");
  for (int i = 0; i < 730; ++i) {  // for ten seconds
    now += second / 73;
    ASSERT_NE(reason("BOB", "guess", 1 + static_cast<Address>(i % 2)), "");
    if (i % 70 == 9) {
      EXPECT_EQ(reason("BOB", "secret", 1), "") << "it was there before";
      EXPECT_EQ(reason("ANN", "secret", 3 + static_cast<Address>(i)), "") << "it comes from elsewhere";
    }
    if (i == 300) {
      EXPECT_EQ(reason("EYE", "secret", 1), "") << "it comes from there, too";
    }
  }
  EXPECT_LE(checked, 3) << "a password that is known takes no time";
  checked = 0;
  for (int i = 0; i < 100'000; ++i) {  // by somebody with all addresses and names
    now += second / 10'000;
    ASSERT_NE(reason(users[static_cast<std::size_t>(i) % 3].name, "guess", 1'000 + static_cast<Address>(i)), "");
  }
  EXPECT_LE(checked, 20 * 11);
  EXPECT_EQ(reason("BOB", "secret", 1), "");
}

/// Many addresses guess all the time, from the first moment on. Who has never been there gets in at each of its
/// tries.
TEST(VenueLimits, GuessesFromManyAddressesKeepNoNewcomerOut) {
  for (const std::uint32_t a_second : {4u, 20u, 100u}) {
    for (const std::uint64_t guessers : {1u, 8u, 64u}) {
      LoginLimits limits(guessers);
      Random random(guessers);
      std::size_t checked = 0, newcomers = 0;
      std::vector<Address> under_way;
      // Each guesser is new once.
      const Nanoseconds begin = (guessers * 4 / a_second + 3) * second, end = begin + 60 * second;
      for (Nanoseconds now = second; now < end; now += second / 1'000) {
        const Address from = 1 + random.below(guessers);
        if (limits.may_try(from, 1 + static_cast<UserId>(random.below(3)), a_second, now)) {
          ++checked;
          under_way.push_back(from);  // a check takes a while
        }
        if (random.chance(20)) {
          for (const Address one : std::exchange(under_way, {})) limits.tried(one, false, now);
        }
        if (now % second != 0 || now < begin) continue;
        const Address there = 1'000'000 + now;
        EXPECT_TRUE(limits.may_try(there, 7, a_second, now)) << a_second << ' ' << guessers << ' ' << now / second;
        limits.tried(there, true, now);
        ++newcomers;
      }
      EXPECT_LE(checked + newcomers, a_second * (end / second + 1));
      EXPECT_GE(checked, a_second * (end / second) / 3) << "they are not shut out";
    }
  }
}

/// Whatever others send, a request is answered within a few turns.
/// One command may bring more than a client may be behind, such as the end of a day.
TEST(VenueLimits, WhoReadsIsNotTooSlow) {
  constexpr std::uint64_t most = 100;
  constexpr Nanoseconds tick = second / 10;
  Nanoseconds now = second;
  const auto ends = [&](Backlog& backlog, std::uint64_t behind, std::int64_t by, int ticks) {
    bool is_too_long = false;
    for (int i = 0; i < ticks && !is_too_long; ++i) {
      is_too_long = backlog.is_too_long(behind, most, now += tick);
      behind = static_cast<std::uint64_t>(std::max<std::int64_t>(static_cast<std::int64_t>(behind) - by, 0));
    }
    return is_too_long;
  };
  Backlog newcomer;
  EXPECT_FALSE(ends(newcomer, 1'000, 0, 100)) << "it gets what it has missed";
  Backlog reader;
  for (const std::uint64_t burst : {0u, 100u, 101u, 5'000u}) EXPECT_FALSE(ends(reader, burst, 1, 6'000)) << burst;
  Backlog silent;
  EXPECT_FALSE(ends(silent, 0, 0, 1));
  EXPECT_FALSE(ends(silent, 101, 0, 10));
  EXPECT_TRUE(ends(silent, 101, 0, 1));
  Backlog slower;
  EXPECT_FALSE(ends(slower, 0, 0, 1));
  EXPECT_TRUE(ends(slower, 150, -1, 12)) << "more come than it reads";
}

TEST(VenueLimits, AFloodOfRequestsLeavesTheAnswersOfOthers) {
  struct Request {
    Address from = 0;
    int number = 0;
  };
  constexpr int requests_in_a_turn = 256, answers_in_a_turn = 16;
  for (const std::uint64_t flooders : {1u, 3u, 100'000u}) {
    for (const bool is_known : {false, true}) {
      if (flooders > 1'000 && !is_known) continue;  // addresses that are made up may take all room of strangers
      FairQueue<Request> queue;
      EXPECT_FALSE(queue.pop());
      Random random(flooders);
      int answered = 0, late = 0;
      std::size_t of_flooders = 0, waiting = 0;
      for (int turn = 0; turn < 1'000; ++turn) {
        for (int i = 0; i < requests_in_a_turn; ++i)
          waiting +=
              queue.push(1 + random.below(flooders), flooders < 1'000 && random.chance(is_known ? 10 : 0), {1, 0});
        EXPECT_TRUE(queue.push(1'000'000, is_known, {1'000'000, turn}));
        ++waiting;
        for (int i = 0; i < answers_in_a_turn; ++i) {
          const auto next = queue.pop();
          if (!next) break;
          --waiting;
          if (next->from != 1'000'000) {
            ++of_flooders;
            continue;
          }
          EXPECT_EQ(next->number, answered) << "in their order";
          ++answered;
          late = std::max(late, turn - next->number);
        }
      }
      EXPECT_GE(answered, 1'000 - 2);
      EXPECT_LE(late, 2) << flooders << is_known;
      EXPECT_GE(of_flooders, 1'000u) << "they are not shut out";
      EXPECT_LE(waiting, 2 * FairQueue<Request>::addresses_max * FairQueue<Request>::requests_of_an_address);
      while (queue.pop()) --waiting;
      EXPECT_EQ(waiting, 0u);
      EXPECT_TRUE(queue.empty());
    }
  }
}

TEST_F(ExchangeTest, ReadersShareASnapshotWhereManyAsk) {
  Program program(folder.path(), users);
  program.send("ANN", order(1, 'S', 30, 100'500));
  SharedSnapshots snapshots(program.gateway());
  const auto first = snapshots.get(0);
  EXPECT_EQ(snapshots.get(0), first) << "nothing is new";
  std::set<SharedSnapshots::Shared> made;
  for (std::uint32_t i = 0; i < 100; ++i) {
    program.send("ANN", order(2 + i, 'S', 1, 100'500));
    made.insert(snapshots.get(second + i * (second / 100)));
  }
  EXPECT_LE(made.size(), 8u + 4u);
  EXPECT_NE(snapshots.get(3 * second), *made.rbegin());
  const auto last = snapshots.get(3 * second);
  EXPECT_TRUE(program.core->begin_day());
  EXPECT_NE(snapshots.get(3 * second), last) << "that is of another day";
  SnapshotSession one(program.gateway(), snapshots, 0, 256), other(program.gateway(), snapshots, 0, 256);
  give(one, login("BOB"), 0);
  give(other, login("BOB"), 0);
  EXPECT_TRUE(one.is_over());
  EXPECT_EQ(one.reason(), "its user has logged in again");
  EXPECT_EQ(packets(other, 0).back().substr(0, 1), "Z");
}

/// A reader that has stopped, or is gone: the program goes on, and knows how many lines are lost.
TEST(VenueOutput, WaitsForNobody) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  OutputLines lines(ends[1]);
  std::ostream out(&lines);
  const std::string text(100, 'x');
  for (int i = 0; i < 10'000; ++i) out << text << std::endl;
  EXPECT_GT(lines.lost(), 5'000u);
  std::string read;
  std::array<char, 65'536> room{};
  const auto read_all = [&] {
    for (pollfd some{ends[0], POLLIN, 0}; poll(&some, 1, 0) > 0; lines.write_some())
      read.append(room.data(), static_cast<std::size_t>(::read(ends[0], room.data(), room.size())));
  };
  read_all();
  EXPECT_EQ(static_cast<std::uint64_t>(std::ranges::count(read, 'x')), (10'000 - lines.lost()) * 100);
  EXPECT_TRUE(read.ends_with("\n" + std::to_string(lines.lost()) +
                             " lines of the output are lost: nobody has read them\n"));
  out << "more" << std::endl;
  read_all();
  EXPECT_TRUE(read.ends_with("\nmore\n"));
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  ::close(ends[0]);
  const std::uint64_t lost = lines.lost();
  for (int i = 0; i < 10; ++i) out << text << std::endl;
  EXPECT_EQ(lines.lost(), lost + 10);
  lines.finish();
  std::signal(SIGPIPE, before);
  ::close(ends[1]);
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
        const std::string day = program->gateway().day_name();
        std::map<std::string, std::shared_ptr<const Mailbox>> old;
        for (const Trader& trader : traders)
          old[trader.name] = program->gateway().find_client(trader.name)->mailbox;
        EXPECT_TRUE(program->core->begin_day());
        for (const auto& [name, mailbox] : old) {
          for (std::size_t i = 0; i < messages_of(*mailbox).size(); ++i)
            ended[name + day].push_back(text_of(messages_of(*mailbox)[i]));
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

TEST_F(ExchangeTest, RefusesByTheNumbersOfTheDocument) {
  Program program(folder.path(), users);
  auto refused = [&, reference = 0u](auto change) mutable {
    ouch::EnterOrder message = order(++reference, 'S', 10, 100'500);
    ouch::Outgoing outgoing(change(message));
    const Said said = program.send("BOB", text_of(outgoing.bytes()));
    return said.empty() ? "" : said.front().substr(said.front().rfind(' ') + 1);
  };
  using Order = ouch::EnterOrder;
  EXPECT_EQ(refused([](Order o) { return o.symbol = "NONE"sv, o; }), "23") << "Invalid Symbol";
  EXPECT_EQ(refused([](Order o) { return o.price = 100'501, o; }), "29") << "Invalid Price";
  EXPECT_EQ(refused([](Order o) { return o.quantity = 0, o; }), "19") << "Invalid Quantity";
  EXPECT_EQ(refused([](Order o) { return o.cross_type = 'O', o; }), "20") << "Invalid Cross Order";
  const auto minimum = [](Order o) {
    ouch::Outgoing outgoing(o);
    EXPECT_TRUE(outgoing.append(ouch::Tag::MinimumQuantity, 5));
    return outgoing;
  };
  EXPECT_EQ(program.send("BOB", text_of(minimum(order(9, 'S', 10, 100'500)).bytes())),
            (Said{"BOB rejected 9 13"}));
}

TEST_F(ExchangeTest, LettersThatNobodyChoseAreThoseOfTheDocument) {
  Program program(folder.path(), users);
  ouch::EnterOrder first = order(1, 'S', 10, 100'500);
  first.capacity = 'P';
  program.send("ANN", first);
  struct Reader {
    std::string letters{};
    void operator()(const ouch::Replaced& m) { letters = {m.capacity, m.intermarket_sweep, m.cross_type}; }
    void operator()(const ouch::SelfTradeCanceled& m) { letters = {m.liquidity, m.strategy}; }
    void operator()(const ouch::Executed& m) { letters = {m.liquidity}; }
  };
  const auto last = [&] {
    const auto& mailbox = program.mailbox("ANN");
    Reader reader;
    EXPECT_EQ(ouch::decode_venue(mailbox[mailbox.size() - 1], reader), ouch::DecodeStatus::Success);
    return reader.letters;
  };
  program.send("ANN", replace(1, 2, 20, 100'600));
  EXPECT_EQ(last(), "PNN");
  program.send("ANN", order(3, 'B', 5, 100'600));
  EXPECT_EQ(last(), "AD") << "it rested, and both are decremented";
  program.send("ANN", ouch::CancelOrder{.user_reference = 2});
  ouch::EnterOrder hidden = order(4, 'S', 10, 100'600);
  hidden.display = ouch::Display::Hidden;
  program.send("ANN", hidden);
  program.send("BOB", order(1, 'B', 10, 100'600));
  EXPECT_EQ(last(), "J") << "it rested unseen";
}

TEST_F(ExchangeTest, AnAppendageOfLaterEditionsMayFollow) {
  Program program(folder.path(), users);
  const auto send = [&](const auto& message, const std::string& more) {
    return program.send("BOB", std::string(reinterpret_cast<const char*>(&message), sizeof message) + more);
  };
  program.send("BOB", order(1, 'S', 10, 100'500));
  EXPECT_EQ(send(ouch::AccountQuery{}, "\0\0"s), (Said{"BOB next 2"}));
  const std::string of_others = "\0\3\2\x1c\1"s;  // another sequence of orders, which nobody has
  EXPECT_EQ(send(ouch::CancelOrder{.user_reference = 1}, of_others), Said{});
  const ouch::ModifyOrder smaller{.user_reference = 1, .side = ouch::Side::Sell, .quantity = 4};
  EXPECT_EQ(send(smaller, of_others), Said{});
  EXPECT_EQ(send(smaller, "\0\0"s), (Said{"BOB modified 1 S 4"}));
  EXPECT_EQ(send(ouch::CancelOrder{.user_reference = 1}, "\0\0"s), (Said{"BOB canceled 1 4 U"}));
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
        !enter_ouch(program.gateway(), *program.gateway().find_client(name), std::as_bytes(std::span(message)))};
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
