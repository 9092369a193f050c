// SPDX-License-Identifier: MIT
//
// One more protocol, made up, on an exchange without the program: what it has written is in tiny_protocol.hpp. And
// the exchange in one thread or two, which nobody can tell by what he is told.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bench/harness/temporary_folder.hpp"
#include "examples/exchange/core.hpp"
#include "tests/examples/tiny_protocol.hpp"
#include "tests/support/random.hpp"

namespace exchange::tiny_test {
namespace {

using llmes::test::Random;

constexpr Nanoseconds second = 1'000'000'000;
constexpr Nanoseconds morning = 20'000 * 86'400 * second + 32'400 * second;

std::vector<User> users() {
  std::vector<User> all;
  for (const char* const name : {"ANN", "BOB"}) {
    User user;
    user.name = name;
    user.id = *user_id(name);
    user.account = static_cast<AccountNumber>(all.size() + 1);
    user.password =
        *Password::of("pbkdf2:1:0102030405060708:" +
                      hex_of(*hash_of("SECRET", std::vector<unsigned char>{1, 2, 3, 4, 5, 6, 7, 8}, 1)));
    all.push_back(user);
  }
  return all;
}

TinyMessage login(std::string_view user, std::string_view password = "secret") {
  return {.type = 'L', .text = tiny_letters(user), .secret = tiny_letters(password)};
}
TinyMessage order(std::uint32_t number, char side, std::uint32_t quantity, std::uint64_t price4) {
  return {.type = 'N',
          .side = side,
          .number = number,
          .quantity = quantity,
          .price4 = price4,
          .text = tiny_letters("ACME")};
}
TinyMessage cancel(std::uint32_t number) {
  return {.type = 'C', .number = number};
}

/// "a1 10": the type, the number of the order and the quantity; of a refusal its reason.
std::string words(const TinyMessage& message) {
  const bool is_refusal = message.type == 'r' || message.type == 'x';
  return message.type + std::to_string(message.number) + ' ' +
         std::to_string(is_refusal ? message.flags : message.quantity);
}
using Said = std::vector<std::string>;

struct Program {
  Program(const std::string& directory, bool has_thread, std::uint32_t orders = 100) {
    const std::vector<User> all = users();
    std::string wrong;
    core = Core::create({.exchange = {.venue = {.books = {.max_books = 1, .capacity = orders},
                                                .accounts = 2,
                                                .holdings = 2,
                                                .lifetimes = orders,
                                                .matches = 64,
                                                .first_phase = Phase::Closed},
                                      .users = 2},
                         .journal = {.directory = directory, .segment_records = 1'024},
                         .protocols = {tiny_protocol},
                         .has_thread = has_thread},
                        all, wrong);
    EXPECT_EQ(wrong, "");
    core->gateway().logins_a_second = 1'000'000;
    core->gateway().set_time(morning);
    SymbolLine symbol;
    symbol.name = "ACME";
    EXPECT_TRUE(core->open({symbol}, all));
    door = tiny_protocol.make_door(core->gateway(), {});
  }
  /// Until all that was sent is done, in one thread or two.
  void settle() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    do {
      ASSERT_TRUE(core->step());
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      if (core->is_busy()) std::this_thread::yield();
    } while (core->is_busy());
  }
  [[nodiscard]] const std::vector<TinyMessage>& told(std::string_view name) {
    return core->gateway().find_client(name)->mailbox->view<TinyView>()->messages;
  }
  [[nodiscard]] Said feed() {
    Said all;
    const MessageLog& log = *core->gateway().feed();
    for (std::size_t i = 0; i < log.size(); ++i)
      all.emplace_back(reinterpret_cast<const char*>(log[i].data()), log[i].size());
    return all;
  }

  std::unique_ptr<Core> core;
  std::unique_ptr<Door> door;
};

/// A connection.
struct Line {
  explicit Line(Program& to) : program(to), session(to.door->connect(0)) {}

  Said send(const TinyMessage& message, std::size_t piece = sizeof(TinyMessage)) {
    std::span<const std::byte> bytes = std::as_bytes(std::span(&message, 1));
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(piece, bytes.size())))
      EXPECT_EQ(session->receive(bytes.first(std::min(piece, bytes.size())), 0), std::min(piece, bytes.size()));
    return hear();
  }
  Said hear() {
    program.settle();
    Said said;
    std::array<std::byte, 1'024> room{};
    while (const std::size_t size = session->write(room, 0)) {
      for (std::size_t at = 0; at < size; at += sizeof(TinyMessage)) {
        TinyMessage message;
        std::memcpy(&message, room.data() + at, sizeof(message));
        said.push_back(words(message));
      }
    }
    return said;
  }

  Program& program;
  std::unique_ptr<Session> session;
};

class TinyProtocol : public ::testing::TestWithParam<bool> {
 protected:
  llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_tiny"};
};

TEST_P(TinyProtocol, LogsInTradesAndCancels) {
  auto program = std::make_unique<Program>(folder.path(), GetParam());
  if (GetParam()) {
    ASSERT_TRUE(program->core->start(false));
  }
  {
    Line stranger(*program);
    EXPECT_EQ(stranger.send(login("ANN", "wrong")), (Said{"J0 0"}));
    EXPECT_EQ(stranger.session->reason(), "wrong password of ANN");
    EXPECT_TRUE(stranger.session->is_over());
    Line mute(*program);
    EXPECT_EQ(mute.send(order(1, 'B', 1, 100'000)), (Said{"J0 0"}));
    Line ann(*program), bob(*program);
    EXPECT_EQ(ann.send(login("ANN"), 7), (Said{"L0 0"}));
    EXPECT_EQ(bob.send(login("BOB")), (Said{"L0 0"}));
    EXPECT_EQ(ann.send(order(1, 'S', 30, 100'500), 5), (Said{"a1 30"}));
    EXPECT_EQ(bob.send(order(1, 'B', 10, 100'600)), (Said{"a1 10", "f1 10"}));
    EXPECT_EQ(ann.hear(), (Said{"f1 10"}));
    EXPECT_EQ(ann.send(cancel(1)), (Said{"c1 20"}));
    EXPECT_EQ(ann.send(cancel(1)), (Said{"x1 0"})) << "it wants an answer";
    const auto refused = [](std::uint32_t number, Reason reason) {
      return Said{"r" + std::to_string(number) + ' ' + std::to_string(static_cast<int>(reason))};
    };
    EXPECT_EQ(ann.send(order(2, 'S', 30, 100'550)), refused(2, Reason::InvalidPrice));
    EXPECT_EQ(ann.send(order(3, '?', 30, 100'500)), refused(3, Reason::InvalidSide));
    EXPECT_EQ(ann.send(order(4, 'S', 0, 100'500)), refused(4, Reason::None)) << "the venue says why";
    Line again(*program);
    EXPECT_EQ(again.send(login("ANN")), (Said{"L0 0", "a1 30", "f1 10", "c1 20", "x1 0", "r2 3", "r3 4", "r4 0"}));
    EXPECT_TRUE(ann.session->is_over()) << "its user has logged in again";
  }
  const std::vector<TinyMessage> before = program->told("ANN");
  const Said feed = program->feed();
  program.reset();
  program = std::make_unique<Program>(folder.path(), false);
  EXPECT_EQ(program->told("ANN"), before);
  EXPECT_EQ(program->feed(), feed);
}
INSTANTIATE_TEST_SUITE_P(Threads, TinyProtocol, ::testing::Bool(),
                         [](const auto& with) { return with.param ? "Two" : "One"; });

/// To check a password takes long: what comes behind the login waits, and a session that is gone is not asked for.
TEST(TinyLogin, WaitsForThePasswordWithoutHoldingAnyoneUp) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_tiny"};
  Program program(folder.path(), false);
  std::vector<std::pair<std::function<void(bool)>, bool>> checks;
  program.core->gateway().in_background = [&](const std::function<bool()>& work,
                                              const std::function<void(bool)>& done) {
    checks.emplace_back(done, work());
  };
  Line ann(program);
  const std::array<TinyMessage, 2> both{login("ANN"), order(1, 'B', 10, 100'000)};
  const std::span<const std::byte> bytes = std::as_bytes(std::span(both));
  EXPECT_EQ(ann.session->receive(bytes, 0), sizeof(TinyMessage));
  EXPECT_EQ(ann.session->receive(bytes.subspan(sizeof(TinyMessage)), 0), 0u);
  EXPECT_EQ(ann.session->takes_at(), Bucket::never);
  EXPECT_EQ(ann.hear(), Said{});
  bool has_news = false;
  ann.session->on_news = [&] { has_news = true; };
  ASSERT_EQ(checks.size(), 1u);
  checks[0].first(checks[0].second);
  EXPECT_TRUE(has_news);
  EXPECT_EQ(ann.session->receive(bytes.subspan(sizeof(TinyMessage)), 0), sizeof(TinyMessage));
  EXPECT_EQ(ann.hear(), (Said{"L0 0", "a1 10"}));
  auto gone = std::make_unique<Line>(program);
  EXPECT_EQ(gone->send(login("BOB")), Said{});
  gone.reset();
  ASSERT_EQ(checks.size(), 2u);
  checks[1].first(checks[1].second);
  EXPECT_EQ(program.core->gateway().find_client("BOB")->session, nullptr);
}

/// By what they are told, users and readers cannot say how many threads there are.
TEST(ExchangeThreads, OneAndTwoTellTheSame) {
  std::vector<std::vector<TinyMessage>> told;
  std::vector<Said> feeds;
  for (const auto& [has_thread, spins] : {std::pair(false, false), {true, false}, {true, true}}) {
    const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_tiny"};
    Program program(folder.path(), has_thread);
    ASSERT_EQ(program.core->start(spins), has_thread) << "a core has a thread if it was made for one";
    Random random(3);
    Line ann(program), bob(program);
    (void)ann.send(login("ANN"));
    (void)bob.send(login("BOB"));
    for (std::uint32_t i = 1; i <= 3'000; ++i) {
      Line& line = i % 2 == 0 ? ann : bob;
      const auto lots = static_cast<std::uint32_t>(1 + random.below(9));
      const TinyMessage message =
          random.chance(20) ? cancel(i - static_cast<std::uint32_t>(random.below(9)))
                            : order(i, random.chance(50) ? 'B' : 'S', lots, 100'000 + 100 * random.below(6));
      ASSERT_EQ(line.session->receive(std::as_bytes(std::span(&message, 1)), 0), sizeof(message));
      if (random.chance(2)) program.settle();
      if (random.chance(1)) {  // at any time
        EXPECT_TRUE(program.core->ask([](const Exchange& it) { return it.holds(); }));
      }
    }
    program.settle();
    EXPECT_GT(program.core->gateway().count(OutcomeKind::Executed), 500u);
    told.push_back(program.told("ANN"));
    feeds.push_back(program.feed());
  }
  for (std::size_t i = 1; i < told.size(); ++i) {
    EXPECT_EQ(told[0], told[i]);
    EXPECT_EQ(feeds[0], feeds[i]);
  }
}

/// The end of a day tells more than a ring holds, and somebody may ask meanwhile: neither thread waits for the
/// other.
TEST(ExchangeThreads, AQuestionWaitsForNoReader) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_tiny"};
  constexpr std::uint32_t orders = 3'000;
  Program program(folder.path(), true, orders);
  ASSERT_TRUE(program.core->start(false));
  ASSERT_FALSE(program.core->start(false)) << "once";
  Line ann(program);
  (void)ann.send(login("ANN"));
  for (std::uint32_t i = 1; i <= orders; ++i) {
    const TinyMessage message = order(i, 'B', 1, 100'000);
    ASSERT_EQ(ann.session->receive(std::as_bytes(std::span(&message, 1)), 0), sizeof(message));
  }
  program.settle();
  ASSERT_EQ(program.told("ANN").size(), orders);
  const std::shared_ptr<Mailbox> old = program.core->gateway().find_client("ANN")->mailbox;
  ASSERT_TRUE(program.core->begin_day());
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (program.core->ask([](const Exchange& it) { return it.day(); }) != 2)
    ASSERT_LT(std::chrono::steady_clock::now(), end);
  program.settle();
  EXPECT_EQ(old->view<TinyView>()->messages.size(), 2 * orders) << "each order ends";
  // Nothing is lost that was handed over before the end.
  const TinyMessage last = order(1, 'B', 1, 100'000);
  Line again(program);
  (void)again.send(login("ANN"));
  ASSERT_EQ(again.session->receive(std::as_bytes(std::span(&last, 1)), 0), sizeof(last));
  ASSERT_TRUE(program.core->step());
  program.core->stop();
  EXPECT_EQ(program.told("ANN").size(), 1u);
}

}  // namespace
}  // namespace exchange::tiny_test
