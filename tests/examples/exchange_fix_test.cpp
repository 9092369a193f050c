// SPDX-License-Identifier: MIT
//
// The exchange and clients of FIX without sockets: over a network that cuts and breaks, with an exchange that is
// killed and starts again on its journal, each client is told all, once, and each order is done once.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/harness/temporary_folder.hpp"
#include "examples/venue/core.hpp"
#include "examples/venue/fix_session.hpp"
#include "tests/support/random.hpp"
#include "tests/wire/fix_text.hpp"
#include "tests/wire/message_store.hpp"

namespace exchange::fix_test {
namespace {

using llmes::test::bytes_of;
using llmes::test::fields;
using llmes::test::MessageList;
using llmes::test::Random;
using llmes::test::readable;
using llmes::test::text_of;

constexpr Nanoseconds second = 1'000'000'000;
constexpr Nanoseconds morning = 20'000 * 86'400 * second + 32'400 * second;

using Change = void (*)(User&);

std::vector<User> users(Change change) {
  std::vector<User> all;
  for (const char* const name : {"ANN", "BOB"}) {
    User user;
    user.name = user.fix_id = name;
    user.id = *user_id(name);
    user.account = static_cast<AccountNumber>(all.size() + 1);
    user.password =
        *Password::of("pbkdf2:1:0102030405060708:" +
                      hex_of(*hash_of("SECRET", std::vector<unsigned char>{1, 2, 3, 4, 5, 6, 7, 8}, 1)));
    change(user);
    all.push_back(user);
  }
  return all;
}

/// The exchange as long as it lives, on a journal that outlives it.
struct Program {
  Program(
      const std::string& directory, Nanoseconds now, Change change = [](User&) {}) {
    const std::vector<User> all = users(change);
    std::string wrong;
    core = Core::create({.exchange = {.venue = {.books = {.max_books = 1, .capacity = 1'000},
                                                .accounts = 4,
                                                .holdings = 4,
                                                .lifetimes = 1'000,
                                                .matches = 64,
                                                .first_phase = Phase::Closed},
                                      .users = 4},
                         .journal = {.directory = directory, .segment_records = 1'024}},
                        all, wrong);
    EXPECT_EQ(wrong, "");
    core->gateway().logins_a_second = 1'000'000;
    core->gateway().set_time(now);
    SymbolLine symbol;
    symbol.name = "ACME";
    EXPECT_TRUE(core->open({symbol}, all));
    stores = std::make_unique<FixStores>(core->gateway(), "VENUE", directory, llmes::Durability::Process);
  }

  std::unique_ptr<Core> core;
  std::unique_ptr<FixStores> stores;
};

/// A client: what it has sent, and what it was told.
class Trader : public MessageList {
 public:
  explicit Trader(std::string name) : name_(std::move(name)) {}

  /// What it sends next: an order, or a change or the end of one before.
  void send(Random& random) {
    const std::string id = name_ + std::to_string(size());
    const std::string terms = "|55=ACME|54=" + std::string(name_ == "ANN" ? "1" : "2") + "|60=20241004-08:00:00|";
    const std::string price =
        "38=" + std::to_string(1 + random.below(30)) + "|40=2|44=" + std::to_string(98 + random.below(5)) + "|";
    const std::string begin = "|52=20241004-08:00:00|11=" + id;
    if (size() > 0 && random.chance(40)) {
      const std::string of = "|41=" + name_ + std::to_string(random.below(size()));
      add(fields(random.chance(50) ? "35=F" + begin + of + terms : "35=G" + begin + of + terms + price));
    } else {
      add(fields("35=D" + begin + terms + price));
    }
  }
  void message(const fix::Message& message, bool is_duplicate) {
    EXPECT_FALSE(fix::check(message));
    if (message.type() == "9") {
      if (answered_.insert(std::string(message.text(11))).second) return;
      EXPECT_TRUE(is_duplicate);
      return;
    }
    const std::uint64_t report = message.number(17).value_or(0);
    const bool is_new = reports_.insert(report).second;
    EXPECT_TRUE(is_new || is_duplicate) << report;
    if (!is_new) return;
    if (message.text(150) == "F") filled += *message.number(32);
    const std::string answered(message.text(11));
    const bool is_answer = message.text(150) == "0" || message.text(150) == "8" || message.text(150) == "5" ||
                           message.text(150) == "4";
    if (is_answer) {
      EXPECT_TRUE(answered_.insert(answered).second) << answered;
    }
  }

  [[nodiscard]] const fix::Numbers& numbers() const { return numbers_; }
  void keep(const fix::Change& change) { EXPECT_TRUE(numbers_.apply(change)); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t answers() const { return answered_.size(); }
  [[nodiscard]] const std::set<std::uint64_t>& reports() const { return reports_; }

  std::uint64_t filled = 0;

 private:
  std::string name_;
  fix::Numbers numbers_;
  std::set<std::uint64_t> reports_;
  std::set<std::string> answered_;
};

/// A connection of a trader.
struct Link {
  Link(Program& program, Trader& trader, Nanoseconds now)
      : venue(std::make_unique<FixSession>(program.core->gateway(), *program.stores, now)),
        client({.comp_id = trader.name()}, "VENUE", trader, 30, {.password = "secret"}, now) {}

  /// Some bytes go each way, as they come.
  void carry(Program& program, Trader& trader, Nanoseconds now, Random& random) {
    std::array<std::byte, fix::body_max + fix::frame_size> room{};
    const auto take = [&random](std::string& bytes) {
      const std::string some = bytes.substr(0, random.chance(20) ? random.below(20) : random.below(2'000));
      bytes.erase(0, some.size());
      return some;
    };
    up += text_of(std::span(room).first(client.write(room, now)));
    const std::string sent = take(up);
    venue->receive(bytes_of(sent), now);
    if (random.chance(2)) return;  // a kill may come now: what was sent is not in the journal
    EXPECT_TRUE(program.core->step());
    down += text_of(std::span(room).first(venue->write(room, now)));
    const std::string told = take(down);
    client.receive(bytes_of(told), now, trader);
  }
  [[nodiscard]] bool is_over() const { return venue->is_over() || client.end() != fix::End::None; }

  std::unique_ptr<FixSession> venue;
  fix::Initiator<Trader> client;
  std::string up;
  std::string down;
};

TEST(ExchangeFix, ClientsAreToldAllOnceOverKills) {
  int kills = 0;
  std::uint64_t filled = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
    Nanoseconds now = morning;
    auto program = std::make_unique<Program>(folder.path(), now);
    std::array<Trader, 2> traders{Trader("ANN"), Trader("BOB")};
    std::array<std::unique_ptr<Link>, 2> links;
    const auto is_done = [&] {
      return std::ranges::all_of(traders, [&](const Trader& trader) {
        const Client& client = *program->core->gateway().find_client(trader.name());
        const auto told = static_cast<std::size_t>(std::ranges::count_if(
            client.mailbox->outcomes, [](const Outcome& outcome) { return has_fix_message(outcome); }));
        std::size_t rejects = 0;
        for (const Outcome& outcome : client.mailbox->outcomes)
          rejects += outcome.kind == OutcomeKind::CancelRejected ||
                     (outcome.kind == OutcomeKind::Rejected && outcome.original != 0);
        return trader.size() == 100 && trader.answers() == 100 && trader.reports().size() + rejects == told;
      });
    };
    for (int round = 0; !is_done(); ++round) {
      ASSERT_LT(round, 20'000);
      now += random.below(second / 10);
      program->core->gateway().set_time(now);
      if (random.below(200) == 0) {
        links = {};
        program.reset();
        program = std::make_unique<Program>(folder.path(), now);
        ++kills;
      }
      for (std::size_t i = 0; i < traders.size(); ++i) {
        if (traders[i].size() < 100 && random.chance(30)) traders[i].send(random);
        if (links[i] == nullptr) links[i] = std::make_unique<Link>(*program, traders[i], now);
        links[i]->carry(*program, traders[i], now, random);
        if (links[i]->is_over()) {
          ASSERT_EQ(links[i]->venue->reason(), "");
          ASSERT_EQ(links[i]->client.end(), fix::End::None);
        }
        if (random.below(150) == 0) links[i].reset();
      }
    }
    EXPECT_EQ(traders[0].filled, traders[1].filled);
    filled += traders[0].filled;
  }
  EXPECT_GT(kills, 8);
  EXPECT_GT(filled, 1'000u);
}

TEST(ExchangeFix, SaysWhyALogonIsRefused) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning);
  const auto reason = [&](const char* comp_id, const char* password) {
    Trader trader("ANN");
    FixSession venue(program.core->gateway(), *program.stores, morning);
    fix::Initiator<Trader> client({.comp_id = comp_id}, "VENUE", trader, 30, {.password = password}, morning);
    std::array<std::byte, fix::body_max + fix::frame_size> room{};
    venue.receive(std::span(room).first(client.write(room, morning)), morning);
    return venue.reason();
  };
  EXPECT_EQ(reason("ANN", "wrong"), "its logon was refused: wrong password of ANN");
  EXPECT_EQ(reason("EVE", "secret"), "its logon was refused: no user has fix=EVE");
  EXPECT_EQ(reason("ANN", "secret"), "");
}

/// Else one who does not know the numbers, or has lost them, would end a session that works.
TEST(ExchangeFix, ALogonThatIsRefusedHarmsNoEarlierConnection) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning, [](User& user) { user.cancel_on_disconnect = true; });
  Trader ann("ANN");
  Link first(program, ann, morning);
  Random random(1);
  const auto order = [](const std::string& id) {
    return fields("35=D|52=20241004-08:00:00|11=" + id + "|55=ACME|54=1|60=20241004-08:00:00|38=10|40=2|44=100|");
  };
  ann.add(order("a"));
  for (int i = 0; i < 50; ++i) first.carry(program, ann, morning, random);
  const Client& client = *program.core->gateway().find_client("ANN");
  const Session* const session = client.session;
  ASSERT_EQ(session, first.venue.get());
  {
    Trader forgetful("ANN");
    Link second(program, forgetful, morning);
    for (int i = 0; i < 50; ++i) second.carry(program, forgetful, morning, random);
    EXPECT_EQ(second.venue->reason(), "it used a sequence number again");
    EXPECT_EQ(second.client.end(), fix::End::Refused);
    EXPECT_EQ(second.venue->client(), nullptr);
  }
  EXPECT_EQ(client.session, session);
  ann.add(order("b"));
  for (int i = 0; i < 50; ++i) first.carry(program, ann, morning, random);
  EXPECT_FALSE(first.is_over());
  EXPECT_EQ(ann.reports(), (std::set<std::uint64_t>{1, 2}));  // nothing was canceled
  Link third(program, ann, morning);
  for (int i = 0; i < 50; ++i) third.carry(program, ann, morning, random);
  EXPECT_EQ(client.session, third.venue.get());
  EXPECT_EQ(first.venue->reason(), "its user has logged in again");
}

/// A client that has seen a number would miss it after a restart.
TEST(ExchangeFix, NothingIsSaidWhoseNumberCannotBeKept) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning);
  Trader ann("ANN");
  Link link(program, ann, morning);
  std::array<std::byte, fix::body_max + fix::frame_size> room{};
  link.venue->receive(std::span(room).first(link.client.write(room, morning)), morning);
  ASSERT_TRUE(program.core->step());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit none{0, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  const std::size_t said = link.venue->write(room, morning);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(said, 0u);
  EXPECT_TRUE(link.venue->is_over());
  EXPECT_EQ(link.venue->reason(), "its sequence numbers cannot be kept");
}

/// What a message of a client comes to.
TEST(ExchangeFix, AReplaceOfABadPriceLeavesTheOrder) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning);
  Trader ann("ANN");
  Link link(program, ann, morning);
  Random random(1);
  const std::string rest = "|55=ACME|54=1|60=20241004-08:00:00|38=10|40=2|44=";
  ann.add(fields("35=D|52=20241004-08:00:00|11=a" + rest + "100|"));
  ann.add(fields("35=G|52=20241004-08:00:00|11=b|41=a" + rest + "100.005|"));
  ann.add(fields("35=G|52=20241004-08:00:00|11=c|41=a" + rest + "101|"));
  ann.add(fields("35=F|52=20241004-08:00:00|11=d|41=c|55=ACME|54=1|60=20241004-08:00:00|"));
  ann.add(fields("35=D|52=20241004-08:00:00|11=e" + rest + "0|"));
  for (int i = 0; i < 200; ++i) link.carry(program, ann, morning, random);
  const auto& outcomes = program.core->gateway().find_client("ANN")->mailbox->outcomes;
  std::vector<std::string> told;
  std::array<std::byte, 1'000> room{};
  for (const Outcome& outcome : outcomes) {
    if (!has_fix_message(outcome)) continue;
    std::string text = readable(text_of(write_fix(outcome, told.size() + 1, room)));
    for (const std::string_view left_out : {"|52=", "|60=", "|37="}) {
      const std::size_t at = text.find(left_out) + 1;
      text.erase(at, text.find('|', at) + 1 - at);
    }
    told.push_back(text);
  }
  EXPECT_EQ(told, (std::vector<std::string>{
                      "35=8|17=1|150=0|39=0|11=a|55=ACME|54=1|38=10|44=100|151=10|14=0|6=0|",
                      "35=9|11=b|41=a|39=0|434=2|102=2|58=the price is no multiple of the tick, or out of range|",
                      "35=8|17=3|150=5|39=0|11=c|41=a|55=ACME|54=1|38=10|44=101|151=10|14=0|6=0|",
                      "35=8|17=4|150=4|39=4|11=d|41=c|55=ACME|54=1|38=10|44=101|151=0|14=0|6=0|",
                      "35=8|17=5|150=8|39=8|11=e|55=ACME|54=1|151=0|14=0|6=0|103=99|"
                      "58=the price is no multiple of the tick, or out of range|"}));
}

}  // namespace
}  // namespace exchange::fix_test
