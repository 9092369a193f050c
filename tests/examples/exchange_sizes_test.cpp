// SPDX-License-Identifier: MIT
//
// The exchange from its flags and files: each table takes what its flag says and not one more, what needs no room
// is never refused for want of it, the files are checked whole, and a restart is a disconnect.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/harness/temporary_folder.hpp"
#include "examples/exchange/core.hpp"
#include "examples/exchange/fix/codec.hpp"
#include "examples/exchange/fix/view.hpp"
#include "examples/exchange/ouch/session.hpp"
#include "examples/venue/settings.hpp"
#include "examples/venue/venue_config.hpp"
#include "tests/examples/enter_ouch.hpp"
#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/venue_streams.hpp"

namespace exchange::sizes_test {
namespace {

using llmes::test::Random;
using llmes::test::repetitions;

constexpr Nanoseconds second = 1'000'000'000;
constexpr Nanoseconds midnight = 20'000 * 86'400 * second;
constexpr Nanoseconds morning = midnight + 32'400 * second;

User user(const std::string& name, AccountNumber account) {
  User made;
  made.name = name;
  made.id = *user_id(name);
  made.account = account;
  made.password = *Password::of("pbkdf2:1:0102030405060708:" +
                                hex_of(*hash_of("SECRET", std::vector<unsigned char>{1, 2, 3, 4, 5, 6, 7, 8}, 1)));
  return made;
}
ouch::EnterOrder order(std::uint32_t reference, char side, std::uint32_t quantity, std::uint64_t price,
                       std::string_view symbol = "A", char time_in_force = '0') {
  ouch::EnterOrder message;
  message.user_reference = reference;
  message.side = static_cast<ouch::Side>(side);
  message.quantity = quantity;
  message.symbol = symbol;
  message.price = price;
  message.time_in_force = static_cast<ouch::TimeInForce>(time_in_force);
  message.display = ouch::Display::Visible;
  return message;
}
/// The body of a message of FIX, as its session hands it on.
Entry read_fix(const Gateway& symbols, const User& sender, const std::string& body, std::uint32_t reference,
               std::uint32_t original = 0) {
  std::string text = body;
  std::ranges::replace(text, '|', '\x01');
  const fix::Message message(fix::Frame{.begin_string = "FIX.4.4", .body = text});
  return FixReader(symbols, sender.id, sender.account, sender.self_trade)
      .read(message, reference, original, false);
}

/// An exchange made as the program makes it.
struct Program {
  Program(const std::string& directory, Settings settings, std::vector<User> of,
          std::vector<std::string> names = {"A", "B", "C"}, Nanoseconds grace = 0)
      : users(std::move(of)) {
    settings.journal = directory;
    settings.segment_records = 1'024;
    std::string wrong;
    core = Core::create(config_of(settings), users, wrong);
    EXPECT_EQ(wrong, "");
    if (core == nullptr) return;
    core->gateway().set_time(morning);
    std::vector<SymbolLine> symbols;
    for (const std::string& name : names) symbols.push_back({.name = name});
    EXPECT_TRUE(core->open(symbols, users));
    EXPECT_TRUE(core->wait_for_clients(grace));
  }
  [[nodiscard]] Gateway& gateway() { return core->gateway(); }
  /// The letters of the messages that a record brings its user, with the reason of a reject.
  std::string send(std::string_view name, const Entry& record) {
    const MessageLog& log = messages_of(*gateway().find_client(name)->mailbox);
    const std::size_t before = log.size();
    gateway().submit(record);
    EXPECT_TRUE(core->step());
    std::string letters;
    for (std::size_t i = before; i < log.size(); ++i) {
      letters += static_cast<char>(log[i][0]);
      if (letters.back() == 'J') letters += std::to_string(std::to_integer<int>(log[i][14]));
    }
    return letters;
  }
  template <class M>
  std::string send(std::string_view name, const M& message) {
    const User& sender = gateway().find_client(name)->user;
    OuchReader reader(gateway(), sender.id, sender.account, sender.self_trade, morning);
    const std::optional<Entry> record = reader.read(std::as_bytes(std::span(&message, 1)));
    EXPECT_TRUE(record.has_value());
    return send(name, *record);
  }
  std::string stop(std::string_view name, std::uint32_t reference, const std::string& trigger) {
    return send(name, read_fix(gateway(), gateway().find_client(name)->user,
                               "35=D|11=s|55=A|54=1|38=1|40=3|99=" + trigger + "|", reference));
  }
  [[nodiscard]] std::size_t open(std::string_view name) {
    const AccountNumber account = gateway().find_client(name)->user.account;
    return core->ask([&](const Exchange& it) { return std::size_t{it.venue().risk().open_count(account)}; });
  }

  std::vector<User> users;
  std::unique_ptr<Core> core;
};

class ExchangeSizes : public ::testing::Test {
 protected:
  llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_sizes"};
  std::vector<User> users{user("ANN", 1), user("BOB", 2), user("EVE", 3)};
};

TEST_F(ExchangeSizes, FollowFromEachOther) {
  Settings settings;
  EXPECT_EQ(words_of(sizes_of(settings)),
            "256 symbols, 200000 orders, 1000 accounts, 1000 users, 256000 holdings, 50000 stops, "
            "250000 lifetimes, 200000 trades");
  std::array<std::string, 17> words{"venue", "--journal",    "j",  "--symbols",       "s", "--users",
                                    "u",     "--max-users",  "2",  "--max-holdings",  "3", "--max-stops",
                                    "4",     "--max-trades", "10", "--max-lifetimes", "5"};
  std::array<char*, 17> arguments{};
  std::ranges::transform(words, arguments.begin(), [](std::string& word) { return word.data(); });
  EXPECT_EQ(read_flags(17, arguments.data(), settings), "");
  EXPECT_EQ(words_of(sizes_of(settings)),
            "256 symbols, 200000 orders, 1000 accounts, 2 users, 3 holdings, 4 stops, 5 lifetimes, 10 trades");
  settings = {};
  settings.max_orders = settings.max_symbols = settings.max_accounts = 1;
  EXPECT_EQ(words_of(sizes_of(settings)),
            "1 symbols, 1 orders, 1 accounts, 1 users, 1 holdings, 1 stops, 2 lifetimes, 1 trades");
  settings.max_accounts = settings.max_symbols = 1'000'000;
  EXPECT_EQ(sizes_of(settings).holdings, 16'000'000u);
}

/// Each as its flag says, by what clients send, and no one more.
TEST_F(ExchangeSizes, AreThoseOfTheFlags) {
  Settings settings;
  settings.max_symbols = 3;
  settings.max_accounts = 3;
  settings.max_orders = 6;
  settings.max_stops = 3;
  settings.max_holdings = 4;
  Program program(folder.path(), settings, users);
  for (std::uint32_t i = 1; i <= 3; ++i) EXPECT_EQ(program.stop("ANN", i, "2" + std::to_string(i)), "A");
  EXPECT_EQ(program.stop("ANN", 4, "24"), "J10") << "3 stops wait";
  for (std::uint32_t i = 1; i <= 6; ++i) EXPECT_EQ(program.send("BOB", order(i, 'B', 2, 90'000)), "A");
  EXPECT_EQ(program.send("BOB", order(7, 'B', 2, 90'000)), "J10") << "6 orders rest";
  // What does not rest needs no room, whatever its time in force.
  EXPECT_EQ(program.send("ANN", order(5, 'S', 1, 90'000, "A", '3')), "AE");
  EXPECT_EQ(program.send("ANN", order(6, 'S', 1, 90'000, "A", '0')), "AE");
  EXPECT_EQ(program.send("ANN", order(7, 'S', 3, 90'000, "A", '0')), "AEE")
      << "and 1 lot rests where 2 orders were";
  // Holdings: those of ANN and BOB in A, and two more.
  for (std::uint32_t i = 8; i <= 11; ++i) (void)program.send("BOB", ouch::CancelOrder{.user_reference = i - 5});
  EXPECT_EQ(program.send("BOB", order(12, 'B', 1, 90'000, "B")), "A");
  EXPECT_EQ(program.send("BOB", order(13, 'B', 1, 90'000, "C")), "A");
  EXPECT_EQ(program.send("EVE", order(1, 'B', 1, 90'000, "C")), "J32") << "4 pairs have a position or an order";
  EXPECT_EQ(program.send("BOB", ouch::CancelOrder{.user_reference = 13}), "C");
  EXPECT_EQ(program.send("EVE", order(2, 'B', 1, 90'000, "C")), "A");
}

/// 63 accounts with an order in each of 256 symbols used up all pairs for ever.
TEST_F(ExchangeSizes, HoldingsComeBackWithTheOrders) {
  Settings settings;
  settings.max_symbols = 3;
  settings.max_accounts = 3;
  settings.max_orders = 10;
  settings.max_holdings = 3;
  auto program = std::make_unique<Program>(folder.path(), settings, users);
  const auto one_each = [&](std::string_view name, std::uint32_t reference) {
    std::string said;
    for (const std::string_view symbol : {"A", "B", "C"})
      said += program->send(name, order(reference++, 'B', 1, 90'000, symbol));
    return said;
  };
  EXPECT_EQ(one_each("ANN", 1), "AAA");
  EXPECT_EQ(one_each("BOB", 1), "J32J32J32");
  for (std::uint32_t i = 1; i <= 3; ++i)
    EXPECT_EQ(program->send("ANN", ouch::CancelOrder{.user_reference = i}), "C");
  EXPECT_EQ(one_each("BOB", 11), "AAA") << "after a cancel";
  ASSERT_TRUE(program->core->begin_day());
  EXPECT_EQ(one_each("EVE", 1), "AAA") << "after the end of a day";
  program.reset();
  program = std::make_unique<Program>(folder.path(), settings, users);
  for (std::uint32_t i = 1; i <= 3; ++i)
    EXPECT_EQ(program->send("EVE", ouch::CancelOrder{.user_reference = i}), "C");
  EXPECT_EQ(one_each("ANN", 21), "AAA") << "after a restart";
  EXPECT_TRUE(program->core->ask([](const Exchange& it) { return it.holds(); }));
}

TEST_F(ExchangeSizes, LifetimesRefuseOnlyWhatWouldRest) {
  Settings settings;
  settings.max_symbols = settings.max_accounts = 3;
  settings.max_orders = 6;
  settings.max_lifetimes = 2;
  Program program(folder.path(), settings, users);
  EXPECT_EQ(program.send("BOB", order(1, 'B', 2, 90'000)), "A");
  EXPECT_EQ(program.send("BOB", order(2, 'B', 2, 90'000)), "A");
  EXPECT_EQ(program.send("BOB", order(3, 'B', 2, 90'000)), "J10");
  EXPECT_EQ(program.send("ANN", order(1, 'S', 1, 90'000)), "AE");
  EXPECT_EQ(program.send("ANN", order(2, 'S', 2, 90'000)), "AEE");
  EXPECT_EQ(program.send("ANN", order(3, 'S', 9, 90'000)), "AE") << "and rests, with the lifetime of what is gone";
  EXPECT_EQ(program.send("ANN", ouch::CancelOrder{.user_reference = 3}), "C");
}

/// An answer, whoever sends: nothing is dropped.
TEST_F(ExchangeSizes, AUserBeyondTheLastIsRefused) {
  Settings settings;
  settings.max_symbols = settings.max_accounts = 3;
  settings.max_users = 2;
  Program program(folder.path(), settings, users);
  EXPECT_EQ(program.send("ANN", order(1, 'B', 2, 90'000)), "A");
  EXPECT_EQ(program.send("BOB", order(1, 'B', 2, 90'000)), "A");
  EXPECT_EQ(program.send("EVE", order(1, 'B', 2, 90'000)), "J10");
  EXPECT_EQ(program.send("EVE", ouch::MassCancel{.user_reference = 2}), "J10");
}

/// Those of earlier days had their places for ever, also when the file has others now.
TEST_F(ExchangeSizes, UsersWithoutOrdersLeaveTheirPlacesWithTheDay) {
  Settings settings;
  settings.max_symbols = settings.max_accounts = 3;
  settings.max_users = 2;
  auto program = std::make_unique<Program>(folder.path(), settings, users);
  EXPECT_EQ(program->send("ANN", order(5, 'B', 2, 90'000)), "A");
  EXPECT_EQ(program->send("BOB", ouch::DisableEntry{.user_reference = 5}), "G");
  EXPECT_EQ(program->send("EVE", order(1, 'B', 2, 90'000)), "J10");
  for (int day = 0; day < 3; ++day) {
    ASSERT_TRUE(program->core->begin_day());
    EXPECT_EQ(program->send("EVE", order(1, 'B', 2, 90'000)), "A");
    EXPECT_EQ(program->send("BOB", order(1, 'B', 2, 90'000)), "A") << "and its entry is enabled";
    EXPECT_EQ(program->send("ANN", order(1, 'B', 2, 90'000)), "J10");
    EXPECT_TRUE(program->core->ask([](const Exchange& it) { return it.holds(); }));
    program.reset();
    program = std::make_unique<Program>(folder.path(), settings, users);
  }
  EXPECT_EQ(program->send("EVE", ouch::CancelOrder{.user_reference = 1}), "C");
}

/// By FIX once, with the reason: it had two answers.
TEST_F(ExchangeSizes, AUserOfFixBeyondTheLastIsRefusedOnce) {
  users[2].names["fix"] = "EVE";
  Settings settings;
  settings.max_symbols = settings.max_accounts = 3;
  settings.max_users = 2;
  Program program(folder.path(), settings, users);
  EXPECT_EQ(program.send("ANN", order(1, 'B', 2, 90'000)), "A");
  EXPECT_EQ(program.send("BOB", order(1, 'B', 2, 90'000)), "A");
  EXPECT_EQ(program.send("EVE", read_fix(program.gateway(), program.gateway().find_client("EVE")->user,
                                         "35=D|11=e|55=A|54=1|38=2|40=2|44=9|", 1)),
            "J10");
  const auto& told = program.gateway().find_client("EVE")->mailbox->view<FixView>()->outcomes();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].reason, Reason::NoRoom);
}

TEST_F(ExchangeSizes, AModifyThatIsAllowedIsAnswered) {
  Settings settings;
  settings.max_symbols = settings.max_accounts = 3;
  Program program(folder.path(), settings, users);
  const auto modify = [&](char side, std::uint32_t quantity) {
    return program.send(
        "ANN",
        ouch::ModifyOrder{.user_reference = 1, .side = static_cast<ouch::Side>(side), .quantity = quantity});
  };
  EXPECT_EQ(program.send("ANN", order(1, 'S', 9, 90'000)), "A");
  EXPECT_EQ(modify('S', 9), "M") << "it changes nothing";
  EXPECT_EQ(modify('T', 9), "M") << "another kind of sale";
  EXPECT_EQ(modify('T', 9), "M");
  EXPECT_EQ(modify('T', 10), "");
  EXPECT_EQ(modify('T', 8), "M");
}

// ---- A restart.

class ExchangeRestart : public ExchangeSizes {
 protected:
  ExchangeRestart() {
    settings.max_symbols = settings.max_accounts = 3;
    settings.max_orders = 100;
    users[0].cancel_on_disconnect = users[1].cancel_on_disconnect = true;
  }
  std::unique_ptr<Program> start(Nanoseconds grace = 0) {
    return std::make_unique<Program>(folder.path(), settings, users, std::vector<std::string>{"A"}, grace);
  }
  Settings settings;
};

TEST_F(ExchangeRestart, IsADisconnect) {
  auto program = start();
  for (const std::string_view name : {"ANN", "BOB", "EVE"})
    EXPECT_EQ(program->send(name, order(1, 'B', 2, 90'000)), "A");
  program.reset();
  program = start();
  EXPECT_EQ(program->open("ANN"), 0u);
  EXPECT_EQ(program->open("BOB"), 0u);
  EXPECT_EQ(program->open("EVE"), 1u) << "it does not want that";
  const MessageLog& log = messages_of(*program->gateway().find_client("ANN")->mailbox);
  EXPECT_EQ(static_cast<char>(log[log.size() - 1][0]), 'C');
  const std::size_t told = log.size();
  program.reset();
  program = start();  // the cancels are in the journal
  EXPECT_EQ(messages_of(*program->gateway().find_client("ANN")->mailbox).size(), told);
}

/// Where the clock steps, the venue's time goes at another rate; the time to come back does not.
TEST_F(ExchangeRestart, TheTimeToComeBackIsOfAClockThatNeverSteps) {
  for (const Nanoseconds rate : {1u, 2u, 3u}) {  // in halves
    auto program = start();
    EXPECT_EQ(program->send("ANN", order(static_cast<std::uint32_t>(rate), 'B', 2, 90'000)), "A");
    program.reset();
    program = start(30 * second);
    const Nanoseconds begin = program->gateway().now();
    const auto pass = [&](Nanoseconds seconds) {
      program->gateway().set_time(begin + seconds * second * rate / 2, 0, (7 + seconds) * second);
      program->gateway().advance();
      EXPECT_TRUE(program->core->step());
    };
    pass(0);
    pass(29);
    EXPECT_EQ(program->open("ANN"), 1u) << rate;
    pass(30);
    EXPECT_EQ(program->open("ANN"), 0u) << rate;
  }
}

TEST_F(ExchangeRestart, WhoComesBackInTimeKeepsItsOrders) {
  auto program = start();
  for (const std::string_view name : {"ANN", "BOB"}) EXPECT_EQ(program->send(name, order(1, 'B', 2, 90'000)), "A");
  program.reset();
  program = start(30 * second);
  const auto pass = [&](Nanoseconds time) {
    program->gateway().set_time(morning + time);
    program->gateway().advance();
    EXPECT_TRUE(program->core->step());
  };
  pass(100 * second);  // the machine was off for that long, and time counts from now on
  EXPECT_EQ(program->open("ANN") + program->open("BOB"), 2u);
  pass(129 * second);
  {
    // BOB logs in.
    llmes::soup::Client client({.user = "BOB", .password = "secret", .sequence = 1}, 0);
    OuchSession session(program->gateway(), 0, 256);
    std::array<std::byte, 256> room{};
    session.receive(std::span(room).first(client.write(room, 0)), 0);
    ASSERT_NE(session.client(), nullptr);
    EXPECT_EQ(program->open("ANN") + program->open("BOB"), 2u);
    pass(130 * second);
    EXPECT_EQ(program->open("ANN"), 0u);
    EXPECT_EQ(program->open("BOB"), 1u);
    pass(500 * second);
    EXPECT_EQ(program->open("BOB"), 1u);
  }
  EXPECT_TRUE(program->core->step());
  EXPECT_EQ(program->open("BOB"), 0u) << "a disconnect is one, as before";
}

TEST_F(ExchangeSizes, AFloorOfAllItsLotsIsAWholeOrder) {
  Settings settings;
  settings.max_symbols = settings.max_accounts = 3;
  Program program(folder.path(), settings, users);
  EXPECT_EQ(program.send("BOB", order(1, 'B', 2, 90'000)), "A");
  ouch::Outgoing at_once(order(1, 'S', 2, 90'000, "A", '3'));
  ASSERT_TRUE(at_once.append(ouch::Tag::MaxFloor, 2));
  OuchReader reader(program.gateway(), users[0].id, 1, users[0].self_trade, morning);
  EXPECT_EQ(program.send("ANN", *reader.read(at_once.bytes())), "AE");
}

// ---- The files.

class ExchangeFiles : public ExchangeSizes {
 protected:
  std::string faults_of_users(const std::string& text, AccountNumber accounts = 9, std::size_t most = 9) {
    const std::string path = folder.path() + "/users";
    std::ofstream(path) << text;
    Faults faults;
    read.clear();
    read_users(path, accounts, most, read, faults);
    return without_folder(words_of(faults));
  }
  std::string faults_of_symbols(const std::string& text) {
    const std::string path = folder.path() + "/symbols";
    std::ofstream(path) << text;
    Faults faults;
    std::vector<SymbolLine> symbols;
    read_symbols(path, 3, symbols, faults);
    return without_folder(words_of(faults));
  }
  std::string without_folder(std::string text) {
    const std::string begin = folder.path() + "/";
    for (std::size_t at = 0; (at = text.find(begin)) != std::string::npos;) text.erase(at, begin.size());
    return text;
  }
  const std::string hash = " pbkdf2:1:0102030405060708:" + std::string(64, '0');
  std::vector<User> read;
};

TEST_F(ExchangeFiles, AllThatIsWrongIsToldAtOnce) {
  EXPECT_EQ(faults_of_users("ANN 1" + hash +
                            " order-quantity=5 order-quantity=5\n"
                            "# a comment\n"
                            "BOB 10" +
                            hash +
                            "\n"
                            "EVE 2" +
                            hash +
                            " colour=red\n"
                            "eve 2" +
                            hash +
                            "\n"
                            "JOE 3" +
                            hash +
                            " open-orders=many\n"
                            "SAM 3 secret\n"
                            "TOM 4" +
                            hash +
                            " position-min=5\n"
                            "EVE 4" +
                            hash + " drop-copy=7\n"),
            "users:1: option order-quantity stands there twice\n"
            "  users:3: '10' is no account from 1 to 9 (see --max-accounts)\n"
            "  users:4: there is no option 'colour=red' (see venue --help)\n"
            "  users:6: 'many' is no number for open-orders\n"
            "  users:7: the password is no hash that `venue hash-password` made\n"
            "  users:9: user EVE stands there twice, first in line 5\n"
            "  users:8: the limits of account 4 are not possible: InvalidRange");
  EXPECT_EQ(faults_of_symbols("A tick=0\nB\nB\nC tick=1 tick=2\nLONGERTHAN8\nD reference=5\nE\nF\nG\n"),
            "symbols:1: 'tick=0' is none of tick=N, lot=N and reference=N\n"
            "  symbols:3: symbol B stands there twice, first in line 2\n"
            "  symbols:4: option tick stands there twice\n"
            "  symbols:5: 'LONGERTHAN8' is no symbol of one to eight letters\n"
            "  symbols:6: the reference is no multiple of the tick\n"
            "  symbols:9: there are more than 3 symbols (see --max-symbols)");
  EXPECT_EQ(faults_of_users(""), "users: has no user");
  EXPECT_EQ(faults_of_users("ANN 1" + hash + "\nBOB 2" + hash + "\nEVE 3" + hash + "\n", 9, 2),
            "users:3: there are more than 2 users (see --max-users)");
}

TEST_F(ExchangeFiles, NamesInProtocolsCanBeSaid) {
  constexpr std::array protocols{std::string_view("fix")};
  const auto wrong = [&](const std::string& name) {
    User user;
    LimitLines lines;
    const std::string words = take_option(user, lines, "fix=" + name, 1, protocols);
    EXPECT_EQ(user.name_in("fix"), words.empty() ? name : "");
    Settings settings;
    std::array<std::string, 9> flags{"venue", "--journal",     "j", "--symbols", "s", "--users",
                                     "u",     "--fix-comp-id", name};
    std::array<char*, 9> arguments{};
    std::ranges::transform(flags, arguments.begin(), [](std::string& word) { return word.data(); });
    EXPECT_EQ(read_flags(9, arguments.data(), settings).empty(), words.empty());
    return words;
  };
  EXPECT_EQ(wrong("DESK=1"), "");
  EXPECT_EQ(wrong(std::string(64, 'L')), "");
  EXPECT_EQ(wrong(std::string(65, 'L')), "'" + std::string(65, 'L') + "' is no name of one to 64 letters for fix");
  EXPECT_EQ(wrong("A\x01"), "'A\\x01' is no name of one to 64 letters for fix");
  EXPECT_EQ(wrong(""), "'' is no name of one to 64 letters for fix");
}

/// Whichever of its users has them, in whatever order the lines stand.
TEST_F(ExchangeFiles, LimitsAreThoseOfTheAccount) {
  EXPECT_EQ(faults_of_users("ANN 1" + hash + " order-quantity=5\nBOB 1" + hash +
                            " open-orders=7 order-quantity=5\n"
                            "EVE 1" +
                            hash + "\nJOE 2" + hash + "\n"),
            "");
  ASSERT_EQ(read.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read[i].limits.order_quantity, 5u);
    EXPECT_EQ(read[i].limits.open_orders, 7u);
  }
  EXPECT_EQ(read[3].limits.order_quantity, llmes::AccountLimits{}.order_quantity);
  EXPECT_EQ(faults_of_users("ANN 1" + hash + " order-quantity=5\nBOB 1" + hash + " order-quantity=6\n"),
            "users:2: account 1 has order-quantity=6, but order-quantity=5 in line 1");
}

// ---- Records of the journal.

std::vector<Entry> read_records(EntryReader& reader, std::span<const llmes::PartRecord> records) {
  std::vector<Entry> entries;
  for (const llmes::PartRecord& record : records) {
    if (const Entry* const entry = reader.take(record)) entries.push_back(*entry);
  }
  return entries;
}
bool same(const Entry& one, const Entry& other) {
  return one.command == other.command && std::memcmp(&one.sender, &other.sender, sizeof(Sender)) == 0 &&
         one.quotes == other.quotes;
}
std::vector<llmes::PartRecord> records_of(const Entry& entry) {
  EntryRecords::Room room;
  const auto records = EntryRecords::of(entry, room);
  return {records.begin(), records.end()};
}

TEST(ExchangeRecords, KeepEachEntryAsItIs) {
  llmes::test::Random random(7);
  llmes::test::VenuePlanner planner(7);
  EntryReader reader;
  for (int i = 0; i < 5'000; ++i) {
    Entry entry;
    if (random.chance(70)) entry.command = planner.next();
    EntryRecords::Words words{};
    for (std::uint64_t& word : words) word = random.chance(70) ? 0 : random.below(~std::uint64_t{0});
    entry.sender = std::bit_cast<Sender>(words);
    if (random.chance(20)) entry.quotes.resize(random.below(llmes::quote_entries_max + 1));
    for (QuoteEntry& side : entry.quotes) {
      side.id = quote_id(5, static_cast<std::uint32_t>(1 + random.below(quotes_max)), llmes::Side::Sell);
      side.quantity = random.below(5);
      side.book = static_cast<BookNumber>(random.below(3));
      side.side = llmes::Side::Sell;
      if (random.chance(10)) refuse(side, Reason::InvalidPrice);
    }
    const auto read = read_records(reader, records_of(entry));
    ASSERT_EQ(read.size(), 1u) << i;
    ASSERT_TRUE(same(read[0], entry)) << i;
  }
}

/// A side of a quote has a name of its own, whatever user and number it has, and gives them back.
TEST(ExchangeRecords, NamesOfQuotesAreThoseOfNoOrder) {
  for (const UserId user : {1u, *user_id("ANN"), *user_id("zzzzzz"), users_end - 1}) {
    EXPECT_LT(user, users_end);
    EXPECT_LT(order_id(user, 0xffff'ffff), quotes_begin);
    EXPECT_EQ(user_of(order_id(user, 0xffff'ffff)), user);
    OrderId last = quotes_begin;
    for (const std::uint32_t quote : {1u, 2u, quotes_max}) {
      for (const llmes::Side side : {llmes::Side::Buy, llmes::Side::Sell}) {
        const OrderId id = quote_id(user, quote, side);
        EXPECT_GT(id, std::exchange(last, id));
        EXPECT_EQ(user_of(id), user);
        EXPECT_EQ(quote_of(id), quote);
      }
    }
    EXPECT_LT(last, quote_id(user + 1, 1, llmes::Side::Buy));
  }
}

TEST(ExchangeRecords, TakeRoomForWhatIsSaid) {
  Entry entry;
  EXPECT_EQ(records_of(entry).size(), 1u);
  entry.sender.user = 5;
  entry.sender.reference = 6;
  entry.sender.terms.side = SideWord::Buy;
  EXPECT_EQ(records_of(entry).size(), 2u);
  entry.sender.texts.set_client_id("an order of ours");
  EXPECT_EQ(records_of(entry).size(), 3u);
  entry.command.client_tag = 7;
  EXPECT_EQ(records_of(entry).size(), 4u);
}

/// The first records of an entry that never ended do nothing; those that begin in the middle are an entry of
/// nobody.
TEST(ExchangeRecords, MakeNoEntryOfAPart) {
  Entry entry;
  entry.command.id = 1;
  entry.command.client_tag = 2;
  entry.sender.user = 3;
  entry.sender.texts.set_client_id("an order of ours");
  entry.quotes.resize(2);
  const std::vector<llmes::PartRecord> records = records_of(entry);
  const std::span<const llmes::PartRecord> all(records);
  ASSERT_EQ(all.size(), 6u);
  for (std::size_t begin = 0; begin < all.size(); ++begin) {
    for (std::size_t end = begin; end <= all.size(); ++end) {
      EntryReader reader;
      const auto read = read_records(reader, all.subspan(begin, end - begin));
      const bool ends = end == all.size() && begin != end;
      ASSERT_EQ(read.size(), ends ? 1u : 0u) << begin << ' ' << end;
      if (ends && begin != 0) {
        EXPECT_EQ(read[0].sender.user, 0u);
        EXPECT_EQ(llmes::to_string(read[0].command.type), "?");
      }
      EXPECT_TRUE(same(read_records(reader, all).at(0), entry)) << begin << ' ' << end;
    }
  }
}

}  // namespace
}  // namespace exchange::sizes_test
