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
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/harness/temporary_folder.hpp"
#include "examples/exchange/core.hpp"
#include "examples/exchange/fix/session.hpp"
#include "examples/exchange/ouch/session.hpp"
#include "tests/examples/enter_ouch.hpp"
#include "tests/support/random.hpp"
#include "tests/wire/fix_text.hpp"
#include "tests/wire/message_store.hpp"

namespace exchange::fix_test {
namespace {

using namespace std::literals;

using llmes::test::bytes_of;
using llmes::test::fields;
using llmes::test::framed;
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
    user.name = user.names["fix"] = name;
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
                         .journal = {.directory = directory, .segment_records = 1'024},
                         .protocols = {ouch_protocol, fix_protocol}},
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
    if (random.chance(15)) {
      const std::string count = std::to_string(1 + random.below(3)) + "|";
      std::string quotes = "35=i|52=20241004-08:00:00|117=" + id + "|296=1|302=s|304=" + count + "295=" + count;
      for (int left = count[0] - '0'; left > 0; --left) {
        quotes += "299=" + std::to_string(1 + random.below(4)) +
                  (name_ == "ANN" ? "|55=ACME|132=" : "|55=ACME|133=") + std::to_string(98 + random.below(5)) +
                  (name_ == "ANN" ? "|134=" : "|135=") + std::to_string(random.below(20)) + "|";
      }
      add(fields(quotes));
    } else if (size() > 0 && random.chance(40)) {
      const std::string of = "|41=" + name_ + std::to_string(random.below(size()));
      add(fields(random.chance(50) ? "35=F" + begin + of + terms : "35=G" + begin + of + terms + price));
    } else {
      add(fields("35=D" + begin + terms + price));
    }
  }
  void message(const fix::Message& message, bool is_duplicate) {
    EXPECT_FALSE(fix::check(message));
    if (message.type() == "9" || message.type() == "b") {
      if (answered_.insert(std::string(message.text(message.type() == "9" ? 11 : 117))).second) return;
      EXPECT_TRUE(is_duplicate);
      return;
    }
    const std::uint64_t report = message.number(17).value_or(0);
    const bool is_new = reports_.insert(report).second;
    EXPECT_TRUE(is_new || is_duplicate) << report;
    if (!is_new) return;
    if (message.text(150) == "F") filled += *message.number(32);
    const std::string answered(message.text(11));
    const bool is_of_quote = message.find(526) != nullptr;
    const bool is_answer = !is_of_quote && (message.text(150) == "0" || message.text(150) == "8" ||
                                            message.text(150) == "5" || message.text(150) == "4");
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
        const auto& outcomes = client.mailbox->view<FixView>()->outcomes();
        const std::size_t told = outcomes.size();
        std::size_t rejects = 0;
        for (const Outcome& outcome : outcomes)
          rejects += outcome.kind == OutcomeKind::CancelRejected || outcome.kind == OutcomeKind::MassQuoted ||
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

/// A part of a change stayed in the file, and each start after that found it damaged.
TEST(ExchangeFix, AFullDiskLeavesTheNumbersWhole) {
  for (const rlim_t more : {rlim_t{1}, rlim_t{8}, rlim_t{16}, rlim_t{24}}) {
    SCOPED_TRACE(more);
    const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
    Nanoseconds now = morning;
    auto program = std::make_unique<Program>(folder.path(), now);
    Trader ann("ANN");
    Random random(1);
    const auto talk = [&] {
      Link link(*program, ann, now);
      for (int i = 0; i < 50; ++i) link.carry(*program, ann, now, random);
      EXPECT_FALSE(link.is_over()) << link.venue->reason();
    };
    talk();
    {
      Link link(*program, ann, now);
      std::array<std::byte, fix::body_max + fix::frame_size> room{};
      link.venue->receive(std::span(room).first(link.client.write(room, now)), now);
      ASSERT_TRUE(program->core->step());
      rlimit before{};
      ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
      const rlimit little{std::filesystem::file_size(folder.path() + "/fix-ANN-1") + more, before.rlim_max};
      const auto handler = std::signal(SIGXFSZ, SIG_IGN);
      ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
      const std::size_t said = link.venue->write(room, now);
      ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
      std::signal(SIGXFSZ, handler);
      EXPECT_EQ(said, 0u);
      EXPECT_TRUE(link.venue->is_over());
    }
    talk();
    program.reset();
    program = std::make_unique<Program>(folder.path(), now);
    talk();
  }
}

/// A connection whose messages are written by hand: a day of one user, in bytes and time.
class Line {
 public:
  Line(Program& program, std::string name, Nanoseconds now)
      : program_(program),
        name_(std::move(name)),
        now_(now),
        venue_(std::make_unique<FixSession>(program.core->gateway(), *program.stores, now)) {}

  /// @param body without a head, such as `35=D|11=one|`, or with a part of it
  [[nodiscard]] std::string bytes(const std::string& body) {
    std::string head = "34=" + std::to_string(sequence) + "|49=" + name_ + "|52=" + time() + "|56=VENUE|";
    const std::size_t at = body.find('|') + 1;
    return framed(body.substr(0, at) + head + body.substr(at));
  }
  /// Sends a message with the next number. @return the bodies of what is said
  std::vector<std::string> send(const std::string& body) {
    const std::string text = bytes(body);
    ++sequence;
    return raw(text);
  }
  std::vector<std::string> raw(const std::string& text) {
    venue_->receive(bytes_of(text), now_);
    return hear();
  }
  std::vector<std::string> hear() {
    EXPECT_TRUE(program_.core->step());
    std::array<std::byte, 16'384> room{};
    std::string said;
    while (const std::size_t size = venue_->write(room, now_)) said += text_of(std::span(room).first(size));
    fix::FrameReader reader(bytes_of(said));
    std::vector<std::string> bodies;
    while (const std::optional<fix::Frame> frame = reader.next()) {
      EXPECT_FALSE(fix::check(fix::Message(*frame))) << readable(std::string(frame->body));
      bodies.push_back(readable(std::string(frame->body)));
    }
    EXPECT_EQ(reader.offset(), said.size());
    EXPECT_EQ(reader.garbled(), 0u);
    return bodies;
  }
  std::vector<std::string> log_on(const std::string& more = "") {
    return send("35=A|98=0|108=30|554=secret|" + more);
  }
  std::vector<std::string> wait(Nanoseconds how_long) {
    now_ += how_long;
    program_.core->gateway().set_time(now_);
    venue_->advance(now_);
    return hear();
  }
  std::vector<std::string> end_day() {
    venue_->end_day();
    return hear();
  }
  [[nodiscard]] std::string time() const { return std::string(fix::ValueText::of_time(now_, 3).view()); }
  [[nodiscard]] const FixSession& venue() const { return *venue_; }

  std::uint64_t sequence = 1;

 private:
  Program& program_;
  std::string name_;
  Nanoseconds now_;
  std::unique_ptr<FixSession> venue_;
};

/// The value of a field in a body; empty if there is none.
std::string value(const std::string& body, int tag) {
  const std::string name = "|" + std::to_string(tag) + "=";
  const std::string text = "|" + body;
  const std::size_t at = text.find(name);
  return at == text.npos ? "" : text.substr(at + name.size(), text.find('|', at + 1) - at - name.size());
}
/// Some fields of one message, which is all that was said.
std::string values(const std::vector<std::string>& said, const std::vector<int>& tags) {
  std::string all;
  for (const std::string& body : said) {
    for (const int tag : tags) all += std::to_string(tag) + "=" + value(body, tag) + "|";
  }
  return all;
}
const std::string terms = "55=ACME|54=1|60=20241004-08:00:00|";
std::string new_order(const std::string& id, const std::string& more = "38=10|40=2|44=100|") {
  return "35=D|11=" + id + "|" + terms + more;
}
std::string cancel(const std::string& id, const std::string& of, const std::string& about = terms) {
  return "35=F|11=" + id + "|41=" + of + "|" + about;
}
std::string replace(const std::string& id, const std::string& of, const std::string& about = terms,
                    const std::string& more = "38=20|40=2|44=101|") {
  return "35=G|11=" + id + "|41=" + of + "|" + about + more;
}

TEST(ExchangeFix, IdsStayWhole) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  auto program = std::make_unique<Program>(folder.path(), morning);
  const std::string uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
  const auto id = [&uuid](char letter, std::size_t size) {
    return (letter + uuid + std::string(64, letter)).substr(0, size);
  };
  auto line = std::make_unique<Line>(*program, "ANN", morning);
  line->log_on();
  const std::vector<int> ids{35, 150, 11, 41};
  EXPECT_EQ(values(line->send(new_order(uuid)), ids), "35=8|150=0|11=" + uuid + "|41=|");
  EXPECT_EQ(values(line->send(new_order(id('a', 64))), ids), "35=8|150=0|11=" + id('a', 64) + "|41=|");
  EXPECT_EQ(values(line->send(replace(id('b', 64), id('a', 64))), ids),
            "35=8|150=5|11=" + id('b', 64) + "|41=" + id('a', 64) + "|");
  EXPECT_EQ(values(line->send(cancel(id('c', 64), id('x', 64))), ids),
            "35=9|150=|11=" + id('c', 64) + "|41=" + id('x', 64) + "|");
  EXPECT_EQ(values(line->send(cancel(id('d', 49), id('b', 63))), ids),
            "35=9|150=|11=" + id('d', 49) + "|41=" + id('b', 63) + "|");
  // One that is longer is refused, not cut.
  const std::vector<int> reject{35, 45, 371, 372, 373};
  EXPECT_EQ(values(line->send(new_order(id('e', 65))), reject), "35=3|45=7|371=11|372=D|373=5|");
  EXPECT_EQ(values(line->send(cancel("f", id('b', 65))), reject), "35=3|45=8|371=41|372=F|373=5|");
  EXPECT_EQ(values(line->send("35=D|11=g|55=ACMEACMEX|54=1|60=20241004-08:00:00|38=1|40=1|"), reject),
            "35=3|45=9|371=55|372=D|373=5|");

  // After a restart, and when it is sent again.
  line.reset();
  program.reset();
  program = std::make_unique<Program>(folder.path(), morning);
  Line again(*program, "ANN", morning);
  again.sequence = 10;
  again.log_on();
  const std::vector<std::string> told = again.send("35=2|7=2|16=6|");
  EXPECT_EQ(values(told, {43, 11, 41}), "43=Y|11=" + uuid + "|41=|43=Y|11=" + id('a', 64) +
                                            "|41=|43=Y|11=" + id('b', 64) + "|41=" + id('a', 64) +
                                            "|43=Y|11=" + id('c', 64) + "|41=" + id('x', 64) +
                                            "|43=Y|11=" + id('d', 49) + "|41=" + id('b', 63) + "|");
  EXPECT_EQ(values(again.send(cancel(id('h', 64), id('b', 64))), ids),
            "35=8|150=4|11=" + id('h', 64) + "|41=" + id('b', 64) + "|");
  EXPECT_EQ(values(again.send(cancel("i", uuid)), ids), "35=8|150=4|11=i|41=" + uuid + "|");
}

void copy_ann_to_bob(User& user) {
  if (user.name == "BOB") user.drop_copy = 1;
}

/// ANN, and BOB who gets copies of what ANN is told.
struct Copied {
  llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  std::unique_ptr<Program> program = std::make_unique<Program>(folder.path(), morning, copy_ann_to_bob);
  std::unique_ptr<Line> ann = std::make_unique<Line>(*program, "ANN", morning);
  std::unique_ptr<Line> bob = std::make_unique<Line>(*program, "BOB", morning);

  Copied() {
    ann->log_on();
    bob->log_on();
  }
  /// The program alone: nobody has logged on.
  void restart() {
    ann.reset();
    bob.reset();
    program.reset();
    program = std::make_unique<Program>(folder.path(), morning, copy_ann_to_bob);
  }
};

/// A number of the client's own is in each report of its order, also in a drop copy and after a restart.
TEST(ExchangeFix, TagsComeBackInEachReport) {
  Copied all;
  const auto& [folder, program, ann, bob] = all;
  const std::vector<int> tags{150, 11, 526};
  const std::string price = "38=10|40=2|44=100|";
  EXPECT_EQ(values(ann->send(new_order("a", price + "526=4294967295|")), tags), "150=0|11=a|526=4294967295|");
  EXPECT_EQ(values(bob->hear(), tags), "150=0|11=a|526=4294967295|");
  const std::string sale = "|55=ACME|54=2|60=20241004-08:00:00|38=4|40=2|44=100|";
  EXPECT_EQ(values(bob->send("35=D|11=b" + sale + "526=7|"), tags),
            "150=0|11=b|526=7|150=F|11=b|526=7|150=F|11=a|526=4294967295|");
  EXPECT_EQ(values(ann->hear(), tags), "150=F|11=a|526=4294967295|");
  // A replace keeps it unless it has one itself; a refused change has that of the order.
  EXPECT_EQ(values(ann->send(replace("c", "a")), tags), "150=5|11=c|526=4294967295|");
  EXPECT_EQ(values(ann->send(replace("d", "c", terms, "38=21|40=2|44=101|526=12|")), tags), "150=5|11=d|526=12|");
  EXPECT_EQ(values(ann->send(cancel("d", "d")), {35, 11, 526}), "35=9|11=d|526=12|");
  EXPECT_EQ(values(ann->send(new_order("e")), tags), "150=0|11=e|526=|");
  for (const std::string odd : {"0", "4294967296", "-1", "x", "1.5", "99999999999999999999"}) {
    EXPECT_EQ(values(ann->send(new_order("odd" + odd, price + "526=" + odd + "|")), {150, 58}),
              "150=8|58=the tag is no number from 1 to 4294967295: 526=" + odd + "|");
  }
  all.restart();
  Line again(*program, "ANN", morning);
  again.sequence = 13;
  again.log_on();
  EXPECT_EQ(values(again.send(cancel("f", "d")), tags), "150=4|11=f|526=12|");
}

// ---- Mass quotes.

std::string quotes(const std::string& id, int count, const std::string& entries, const std::string& more = "") {
  const std::string size = std::to_string(count) + "|";
  return "35=i|117=" + id + "|" + more + "296=1|302=one|304=" + size + "295=" + size + entries;
}
std::string two_sides(int entry, const std::string& bid, const std::string& offer, int lots = 5) {
  const std::string size = std::to_string(lots) + "|";
  return "299=" + std::to_string(entry) + "|55=ACME|132=" + bid + "|133=" + offer + "|134=" + size + "135=" + size;
}
/// What an answer has of each entry: its number, the sizes of the sides that are taken, and why one is refused.
std::string entries_of(const std::string& answer) {
  std::string all;
  for (std::size_t at = answer.find("|299="); at != answer.npos; at = answer.find("|299=", at + 1)) {
    const std::string entry = answer.substr(at, answer.find("|299=", at + 1) - at);
    all += value(entry, 299) + " " + value(entry, 134) + "x" + value(entry, 135);
    all += (value(entry, 368).empty() ? "" : ":" + value(entry, 368)) + ", ";
  }
  return all;
}

/// Each entry has a status and replaces the quote of its number. Fills are told as those of orders are, also in a
/// drop copy, after a restart, and when they are sent again.
TEST(ExchangeFix, QuotesReplaceEachOther) {
  Copied all;
  const auto& [folder, program, ann, bob] = all;
  const auto resting = [&] {
    return program->core->ask([](const Exchange& it) { return it.venue().book().book().book().size(); });
  };
  const std::vector<int> answer{35, 117, 297, 296, 302, 304, 295, 300};
  std::vector<std::string> said =
      ann->send(quotes("q1", 2, two_sides(1, "99", "101") + two_sides(7, "98", "102")));
  EXPECT_EQ(values(said, answer), "35=b|117=q1|297=0|296=1|302=one|304=2|295=2|300=|");
  EXPECT_EQ(entries_of(said.at(0)), "1 5x5, 7 5x5, ");
  EXPECT_EQ(resting(), 4u);
  const std::vector<std::string> copy = bob->hear();
  EXPECT_EQ(values(copy, answer), values(said, answer));
  EXPECT_EQ(entries_of(copy.at(0)), "1 5x5, 7 5x5, ");
  // One side alone; a worse price; a symbol that there is not; no such quote to take off; no price.
  said = ann->send(quotes("q2", 5,
                          "299=1|55=ACME|132=99.5|134=3|" + two_sides(7, "97.001", "103") +
                              "299=8|55=NONE|132=1|134=1|" + "299=9|55=ACME|135=0|" + "299=10|55=ACME|134=1|"));
  EXPECT_EQ(values(said, answer), "35=b|117=q2|297=0|296=1|302=one|304=5|295=5|300=|");
  EXPECT_EQ(entries_of(said.at(0)), "1 3x, 7 x5:8, 8 x:1, 9 x:5, 10 x:8, ");
  EXPECT_EQ(resting(), 4u);
  bob->hear();
  // The bid is of q2 now, with 3 lots; the offer of q1.
  const std::vector<int> report{35, 150, 39, 11, 526, 54, 32, 31, 151, 14};
  const std::string sale = "35=D|11=s|55=ACME|54=2|60=20241004-08:00:00|38=4|40=2|44=98|";
  bob->send(sale);
  said = ann->hear();
  EXPECT_EQ(values(said, report),
            "35=8|150=F|39=2|11=q2|526=1|54=1|32=3|31=99.5|151=0|14=3|"
            "35=8|150=F|39=1|11=q1|526=7|54=1|32=1|31=98|151=4|14=1|");
  EXPECT_EQ(values(bob->send("35=D|11=b|55=ACME|54=1|60=20241004-08:00:00|38=1|40=2|44=101|"), report),
            "35=8|150=0|39=0|11=b|526=|54=1|32=|31=|151=1|14=0|"
            "35=8|150=F|39=2|11=b|526=|54=1|32=1|31=101|151=0|14=1|"
            "35=8|150=F|39=1|11=q1|526=1|54=2|32=1|31=101|151=4|14=1|");
  ann->hear();
  // A quote that trades as it comes is told of first.
  bob->send("35=D|11=c|55=ACME|54=1|60=20241004-08:00:00|38=2|40=2|44=100|");
  said = ann->send(quotes("q3", 1, two_sides(7, "98", "100")));
  EXPECT_EQ(values(said, report),
            "35=b|150=|39=|11=|526=|54=|32=|31=|151=|14=|"
            "35=8|150=F|39=1|11=q3|526=7|54=2|32=2|31=100|151=3|14=2|");
  // 0 lots take off, and a QuoteID is used once.
  EXPECT_EQ(values(ann->send(quotes("q4", 1, two_sides(7, "0", "0", 0))), {35, 150, 526, 54}),
            "35=b|150=|526=|54=|35=8|150=4|526=7|54=1|35=8|150=4|526=7|54=2|");
  EXPECT_EQ(values(ann->send(quotes("q4", 1, two_sides(7, "98", "102"))), {35, 297, 300, 58}),
            "35=b|297=5|300=6|58=QuoteID was used before: 117=q4|");
  EXPECT_EQ(resting(), 1u);
  ann->send(quotes("q5", 1, two_sides(7, "98", "102")));
  EXPECT_EQ(values(ann->send("35=2|7=2|16=3|"), {35, 43, 117}), "35=b|43=Y|117=q1|35=b|43=Y|117=q2|");

  all.restart();
  EXPECT_EQ(resting(), 3u);
  Line again(*program, "ANN", morning);
  again.sequence = 9;
  again.log_on();
  said = again.send("35=2|7=3|16=3|");
  EXPECT_EQ(entries_of(said.at(0)), "1 3x, 7 x5:8, 8 x:1, 9 x:5, 10 x:8, ");
  // A copy of what was done before is not done again.
  EXPECT_TRUE(
      again.send("35=i|43=Y|122=" + again.time() + "|" + quotes("q5", 1, two_sides(7, "50", "150")).substr(5))
          .empty());
  EXPECT_EQ(values(again.send(quotes("q6", 1, two_sides(7, "97", "102", 2))), {35, 297}), "35=b|297=0|");
  Line seller(*program, "BOB", morning);
  seller.sequence = 5;
  seller.log_on();
  seller.send("35=D|11=s2|55=ACME|54=2|60=20241004-08:00:00|38=9|40=2|44=97|59=3|");
  EXPECT_EQ(values(again.hear(), report), "35=8|150=F|39=2|11=q6|526=7|54=1|32=2|31=97|151=0|14=2|");
}

TEST(ExchangeFix, QuotesAreAllOrNoneByAFlag) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning);
  Line ann(program, "ANN", morning);
  ann.log_on();
  const auto resting = [&] {
    return program.core->ask([](const Exchange& it) { return it.venue().book().book().book().size(); });
  };
  EXPECT_EQ(values(ann.send(quotes("q1", 1, two_sides(1, "99", "101"), "5296=Y|")), {35, 297}), "35=b|297=0|");
  EXPECT_EQ(resting(), 2u);
  const std::vector<std::string> said =
      ann.send(quotes("q2", 2, two_sides(1, "98", "102") + "299=2|55=NONE|132=1|134=1|", "5296=Y|"));
  EXPECT_EQ(values(said, {35, 297, 300, 150, 526, 54}),
            "35=b|297=5|300=99|150=|526=|54=|35=8|297=|300=|150=4|526=1|54=1|35=8|297=|300=|150=4|526=1|54=2|");
  EXPECT_EQ(entries_of(said.at(0)), "1 x:99, 2 x:1, ");
  EXPECT_EQ(resting(), 0u);
}

/// 100 entries of the longest values go in one message, by both protocols; none of 101.
TEST(ExchangeFix, QuotesMayBeMany) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning);
  Line ann(program, "ANN", morning);
  ann.log_on();
  std::string entries;
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    const std::string number = std::to_string(1'073'741'823 - i);
    expected += number + " 4000000000x4000000000, ";
    entries += "299=" + number + "|55=ACME    |132=1000.0000|133=2000.0000|134=4000000000|135=4000000000|";
  }
  std::vector<std::string> said = ann.send(quotes("q1", 100, entries));
  EXPECT_EQ(values(said, {35, 297, 295}), "35=b|297=0|295=100|");
  EXPECT_EQ(entries_of(said.at(0)), expected);
  EXPECT_EQ(values(ann.send(quotes("q2", 101, entries + two_sides(1, "1", "2"))), {35, 371, 373, 58}),
            "35=3|371=295|373=5|58=A set has more than 100 entries: 295=101|");
  // By OUCH the sides have the numbers behind those of the quotes before.
  Gateway& gateway = program.core->gateway();
  const Client& client = *gateway.find_client("ANN");
  llmes::ouch::MassQuote message{.user_reference = 1'001, .client_id = "of ouch"};
  message.appendage_size = static_cast<std::uint16_t>(200 * sizeof(llmes::ouch::QuoteSide));
  std::string bytes = text_of(std::as_bytes(std::span(&message, 1)));
  for (std::uint32_t i = 0; i < 200; ++i) {
    const bool buys = i % 2 == 0;
    const llmes::ouch::QuoteSide side{.quote = 1'073'741'823 - i / 2,
                                      .side = buys ? llmes::ouch::Side::Buy : llmes::ouch::Side::Sell,
                                      .symbol = i == 7 ? "NONE" : "ACME",
                                      .quantity = 5,
                                      .price = buys ? 9'990'000u : 20'010'000u};
    bytes += text_of(std::as_bytes(std::span(&side, 1)));
  }
  EXPECT_LE(bytes.size(), DoorConfig{}.message_length);
  const MessageLog& log = messages_of(*client.mailbox);
  EXPECT_TRUE(enter_ouch(gateway, client, bytes_of(bytes)));
  said = ann.hear();
  EXPECT_EQ(values(said, {35, 117, 297, 295}), "35=b|117=of ouch|297=0|295=100|");
  EXPECT_EQ(entries_of(said.at(0)).find("1073741820 5x:1, "), 48u);
  const std::span<const std::byte> answer = log[log.size() - 1];
  const auto& head = *reinterpret_cast<const llmes::ouch::MassQuoteResponse*>(answer.data());
  ASSERT_EQ(answer.size(), sizeof(head) + 200 * sizeof(llmes::ouch::QuoteStatus));
  EXPECT_EQ(head.type, 'b');
  EXPECT_EQ(head.user_reference, 1'001u);
  EXPECT_EQ(head.reason, llmes::ouch::RejectReason{});
  for (std::uint32_t i = 0; i < 200; ++i) {
    const auto& status = *reinterpret_cast<const llmes::ouch::QuoteStatus*>(
        answer.subspan(sizeof(head) + i * sizeof(llmes::ouch::QuoteStatus)).data());
    EXPECT_EQ(status.quote, 1'073'741'823 - i / 2);
    EXPECT_EQ(status.reason, i == 7 ? llmes::ouch::RejectReason::InvalidSymbol : llmes::ouch::RejectReason{});
  }
  // A copy of it is silent. A fill has the number of its side: the first bid at the price.
  EXPECT_TRUE(enter_ouch(gateway, client, bytes_of(bytes)));
  EXPECT_TRUE(ann.hear().empty());
  Line bob(program, "BOB", morning);
  bob.log_on();
  bob.send("35=D|11=s|55=ACME|54=2|60=20241004-08:00:00|38=1|40=2|44=1|");
  const auto& fill = *reinterpret_cast<const llmes::ouch::Executed*>(log[log.size() - 1].data());
  EXPECT_EQ(fill.type, 'E');
  EXPECT_EQ(fill.user_reference, 1'001u);
}

/// What clients are told of their quotes is what rests, whatever these meet: those of others, of their own, and
/// themselves in the same message.
TEST(ExchangeFix, QuotesRestAsTheyAreTold) {
  int filled = 0, refused = 0, prevented = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Random random(seed);
    const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
    Program program(folder.path(), morning, [](User& user) {
      if (user.name == "BOB") user.self_trade = llmes::SelfTrade::Allow;
    });
    std::array<std::unique_ptr<Line>, 2> lines;
    const std::array<std::string, 2> names{"ANN", "BOB"};
    for (std::size_t i = 0; i < 2; ++i) {
      lines[i] = std::make_unique<Line>(program, names[i], morning);
      lines[i]->log_on();
    }
    struct Told {
      int step = -1;  // of the mass quote that it is of: reports of those before say nothing of it
      Quantity lots = 0;
    };
    std::map<OrderId, Told> told;
    const auto take = [&](std::size_t i, const std::vector<std::string>& said) {
      const auto side_of = [&](const std::string& number, llmes::Side side) -> Told& {
        return told[quote_id(*user_id(names[i]), static_cast<std::uint32_t>(std::stoul(number)), side)];
      };
      for (const std::string& body : said) {
        filled += value(body, 150) == "F" ? 1 : 0;
        prevented += value(body, 150) == "D" ? 1 : 0;
        refused += value(body, 297) == "5" ? 1 : 0;
        if (const std::string number = value(body, 526); !number.empty()) {
          Told& side = side_of(number, value(body, 54) == "1" ? llmes::Side::Buy : llmes::Side::Sell);
          const int step = std::stoi(value(body, 11));
          if (side.step <= step) side = {step, std::stoul(value(body, 151))};
        }
        for (std::size_t at = body.find("|299="); at != body.npos; at = body.find("|299=", at + 1)) {
          const std::string entry = body.substr(at, body.find("|299=", at + 1) - at);
          for (const auto& [tag, side] : {std::pair(134, llmes::Side::Buy), {135, llmes::Side::Sell}}) {
            if (const std::string lots = value(entry, tag); !lots.empty())
              side_of(value(entry, 299), side) = {std::stoi(value(body, 117)), std::stoul(lots)};
          }
        }
      }
    };
    for (int step = 0; step < 300; ++step) {
      const std::size_t i = random.below(2);
      const auto price = [&] { return std::to_string(98 + random.below(5)) + "|"; };
      const auto lots = [&] { return std::to_string(random.below(6)) + "|"; };
      std::string body;
      int count = 0;
      for (; count < 1 + static_cast<int>(random.below(4)); ++count) {
        body += "299=" + std::to_string(1 + random.below(4)) + (random.chance(95) ? "|55=ACME|" : "|55=NONE|");
        const std::uint64_t sides = 1 + random.below(3);
        if ((sides & 1) != 0) body += "132=" + price();
        if ((sides & 2) != 0) body += "133=" + price();
        if ((sides & 1) != 0) body += "134=" + lots();
        if ((sides & 2) != 0) body += "135=" + lots();
      }
      const std::string id = std::to_string(step);
      const std::string order = std::string("35=D|11=") + id + "|55=ACME|54=" + (random.chance(50) ? "1" : "2") +
                                "|60=20241004-08:00:00|38=3|40=2|44=" + price() + "59=3|";
      const std::string flag = random.chance(30) ? "5296=Y|" : "";
      take(i, lines[i]->send(random.chance(15) ? order : quotes(id, count, body, flag)));
      take(1 - i, lines[1 - i]->hear());
      program.core->ask([&](const Exchange& it) {
        std::size_t resting = 0;
        for (const auto& [side, last] : told) {
          const auto rests = it.venue().book().book().find(side);
          ASSERT_EQ(rests ? rests->quantity : 0, last.lots) << seed << ", " << step << ": " << quote_of(side);
          resting += rests ? 1 : 0;
        }
        ASSERT_EQ(it.venue().book().book().book().size(), resting) << "no other order rests";
        ASSERT_TRUE(it.holds());
      });
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(filled, 500);
  EXPECT_GT(prevented, 20);
  EXPECT_GT(refused, 50);
}

/// A disconnect, a cancel of all and the switch of a user are for quotes too.
TEST(ExchangeFix, QuotesEndWithTheOrders) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning, [](User& user) { user.cancel_on_disconnect = true; });
  Gateway& gateway = program.core->gateway();
  const auto resting = [&] {
    return program.core->ask([](const Exchange& it) { return it.venue().book().book().book().size(); });
  };
  auto ann = std::make_unique<Line>(program, "ANN", morning);
  ann->log_on();
  ann->send(quotes("q1", 1, two_sides(1, "99", "101")));
  const auto manage = [&](const auto& message) {
    EXPECT_TRUE(enter_ouch(gateway, *gateway.find_client("ANN"), std::as_bytes(std::span(&message, 1))));
    return ann->hear();
  };
  EXPECT_EQ(values(manage(llmes::ouch::MassCancel{.user_reference = 11}), {150, 11, 526, 54}),
            "150=4|11=q1|526=1|54=1|150=4|11=q1|526=1|54=2|");
  manage(llmes::ouch::DisableEntry{.user_reference = 12});
  EXPECT_EQ(values(ann->send(quotes("q2", 1, two_sides(1, "99", "101"))), {35, 297, 295}), "35=b|297=5|295=|");
  manage(llmes::ouch::EnableEntry{.user_reference = 100});
  EXPECT_EQ(values(ann->send(quotes("q3", 1, two_sides(1, "99", "101"))), {35, 297}), "35=b|297=0|");
  EXPECT_EQ(resting(), 2u);
  ann.reset();
  EXPECT_TRUE(program.core->step());
  EXPECT_EQ(resting(), 0u);
}

/// Stops end by time as other orders do, while they wait and when they have fired.
TEST(ExchangeFix, StopsExpire) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning);
  Line line(program, "ANN", morning);
  line.log_on();
  Nanoseconds now = morning;
  for (const std::string type : {"40=3|99=130|", "40=4|44=130|99=130|"}) {  // there is room for one at a time
    const std::string end(fix::ValueText::of_time(now + 2 * second, 3).view());
    EXPECT_EQ(values(line.send(new_order(type.substr(0, 4), "38=10|" + type + "59=6|126=" + end + "|")), {150}),
              "150=0|");
    now += 3 * second;
    program.core->gateway().set_time(now);
    program.core->gateway().advance();
    EXPECT_EQ(values(line.hear(), {150, 11}), "150=C|11=" + type.substr(0, 4) + "|");
  }
  // A market order takes: it cannot be one that only adds.
  EXPECT_EQ(values(line.send(new_order("c", "38=10|40=1|18=6|")), {150, 103}), "150=8|103=11|");
}

TEST(ExchangeFix, AChangeThatIsRefusedIsNotDone) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning);
  Line ann(program, "ANN", morning);
  Line bob(program, "BOB", morning);
  ann.log_on();
  bob.log_on();
  const std::vector<int> reject{35, 39, 434, 102, 58};
  const auto wrong = [](const std::string& symbol, const std::string& side) {
    return "55=" + symbol + "|54=" + side + "|60=20241004-08:00:00|";
  };
  const std::string order = value(ann.send(new_order("a")).at(0), 37);
  EXPECT_EQ(values(ann.send(cancel("a", "a")), reject), "35=9|39=0|434=1|102=6|58=ClOrdID was used before: 11=a|");
  EXPECT_EQ(values(ann.send(replace("a", "a")), reject),
            "35=9|39=0|434=2|102=6|58=ClOrdID was used before: 11=a|");
  EXPECT_EQ(values(ann.send(cancel("b", "a", wrong("ZINC", "1"))), reject),
            "35=9|39=0|434=1|102=2|58=the symbol is not that of the order: 55=ZINC|");
  EXPECT_EQ(values(ann.send(cancel("c", "a", wrong("ACME", "2"))), reject),
            "35=9|39=0|434=1|102=2|58=the side is not that of the order: 54=2|");
  EXPECT_EQ(values(ann.send(replace("d", "a", wrong("ACME", "5"))), reject),
            "35=9|39=0|434=2|102=2|58=the side is not that of the order: 54=5|");
  EXPECT_EQ(values(ann.send(replace("e", "a", wrong("ZINC", "1"))), reject),
            "35=9|39=0|434=2|102=2|58=unknown symbol: 55=ZINC|");
  EXPECT_EQ(values(ann.send(cancel("f", "a", terms + "1=77|")), reject),
            "35=9|39=0|434=1|102=2|58=the account is not that of the user: 1=77|");
  EXPECT_EQ(values(ann.send(cancel("g", "a", terms + "37=123|")), reject),
            "35=9|39=0|434=1|102=2|58=the OrderID is not that of the order: 37=123|");
  // Nothing of that was done.
  bob.send("35=D|11=b|55=ACME|54=2|60=20241004-08:00:00|38=4|40=2|44=100|");
  EXPECT_EQ(values(ann.hear(), {150, 39, 32, 151}), "150=F|39=1|32=4|151=6|");
  EXPECT_EQ(values(ann.send(cancel("a", "a")), reject), "35=9|39=1|434=1|102=6|58=ClOrdID was used before: 11=a|");
  EXPECT_EQ(values(ann.send(replace("h", "a", terms, "38=4|40=2|44=101|")), reject),
            "35=9|39=1|434=2|102=2|58=the quantity is not above what has traded: 38=4|");
  EXPECT_EQ(values(ann.send(cancel("i", "nothing")), reject),
            "35=9|39=8|434=1|102=1|58=unknown order: 41=nothing|");
  EXPECT_EQ(values(ann.send(cancel("j", "a", terms + "37=" + order + "|")), {35, 150, 39, 14}),
            "35=8|150=4|39=4|14=4|");
}

TEST(ExchangeFix, OrdersOfBothProtocolsGetAnAnswer) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning);
  Line line(program, "ANN", morning);
  line.log_on();
  Gateway& gateway = program.core->gateway();
  const auto enter = [&](std::uint32_t reference) {
    llmes::ouch::EnterOrder order;
    order.user_reference = reference;
    order.side = llmes::ouch::Side::Buy;
    order.quantity = 10;
    order.symbol = std::string_view("ACME");
    order.price = 1'000'000;
    order.time_in_force = llmes::ouch::TimeInForce::Day;
    order.display = llmes::ouch::Display::Visible;
    order.capacity = 'P';
    order.intermarket_sweep = 'N';
    order.cross_type = 'N';
    order.client_id = std::string_view("of ouch");
    std::string bytes = text_of(std::as_bytes(std::span(&order, 1)));
    EXPECT_TRUE(enter_ouch(gateway, *gateway.find_client("ANN"), bytes_of(bytes)));
  };
  // Both take the first number at the same time.
  enter(1);
  const std::vector<int> tags{35, 150, 39, 11};
  EXPECT_EQ(values(line.send(new_order("a")), tags), "35=8|150=0|39=0|11=of ouch|35=8|150=0|39=0|11=a|");
  EXPECT_EQ(values(line.send(cancel("b", "a")), tags), "35=8|150=4|39=4|11=b|");
  EXPECT_EQ(values(line.send(cancel("c", "of ouch")), tags), "35=8|150=4|39=4|11=c|");
  enter(4'294'967'295);
  line.hear();
  const std::vector<int> reject{35, 11, 58};
  EXPECT_EQ(values(line.send(new_order("d")), reject),
            "35=8|11=d|58=the user has no number for another order today: 11=d|");
  EXPECT_EQ(values(line.send(replace("e", "of ouch")), reject),
            "35=9|11=e|58=the user has no number for another order today: 11=e|");
  EXPECT_EQ(values(line.send(new_order("f")), reject),
            "35=8|11=f|58=the user has no number for another order today: 11=f|");
}

/// Nobody waits for what a user was told and has kept: it is read when the program starts.
/// Texts of other protocols may have any byte; one of them ends a field.
TEST(ExchangeFix, ADropCopyIsWholeWhateverTextsComeByOtherProtocols) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning, copy_ann_to_bob);
  Line bob(program, "BOB", morning);
  EXPECT_EQ(values(bob.log_on(), {35}), "35=A|");
  const Client& ann = *program.core->gateway().find_client("ANN");
  const auto enter = [&](const auto& message) {
    std::vector<std::string> said;
    EXPECT_TRUE(enter_ouch(program.core->gateway(), ann, std::as_bytes(std::span(&message, 1))));
    return bob.hear();
  };
  ouch::EnterOrder order;
  order.side = ouch::Side::Buy;
  order.quantity = 10;
  order.symbol = "ACME"sv;
  order.price = 900'000;
  order.time_in_force = ouch::TimeInForce::Day;
  order.display = ouch::Display::Visible;
  std::uint32_t reference = 0;
  for (const std::string_view id : {"A\x01"
                                    "B=2"sv,
                                    "\x01"sv, "a\nb"sv, "a\x7f"sv, "\x1f"sv}) {
    order.user_reference = ++reference;
    order.client_id = id;
    std::string shown(id);
    std::ranges::replace(shown, '\x01', '?');
    EXPECT_EQ(values(enter(order), {11, 55, 54, 150, 39, 151, 103}),
              "11=" + shown + "|55=?|54=1|150=8|39=8|151=0|103=99|");
    EXPECT_EQ(values(enter(ouch::MassCancel{.user_reference = ++reference, .symbol = "\x01"sv}), {150, 55}),
              "150=8|55=?|");
    EXPECT_EQ(values(enter(ouch::DisableEntry{.user_reference = ++reference, .firm = id.substr(0, 4)}), {150}),
              "150=8|");
  }
  order.user_reference = ++reference;
  order.client_id = "a b~"sv;
  EXPECT_EQ(values(enter(order), {11, 150}), "11=a b~|150=0|");
  ouch::ReplaceOrder other;
  other.original = reference;
  other.user_reference = ++reference;
  other.quantity = 5;
  other.price = 900'000;
  other.time_in_force = ouch::TimeInForce::Day;
  other.display = ouch::Display::Visible;
  other.client_id = "\x01"sv;
  EXPECT_EQ(values(enter(other), {11, 150}), "11=a b~|150=4|") << "wrong details cancel the order";
  EXPECT_EQ(values(enter(ouch::MassQuote{.user_reference = ++reference, .client_id = "q\x01"sv}), {35, 117, 297}),
            "35=b|117=q?|297=5|");
}

TEST(ExchangeFix, TheNumbersOfADayAreReadBeforeTheFirstLogon) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  auto program = std::make_unique<Program>(folder.path(), morning);
  {
    Line line(*program, "ANN", morning);
    line.log_on();
    for (int i = 0; i < 300; ++i) line.send("35=1|112=x|");
    line.send(new_order("a"));
  }
  program.reset();
  program = std::make_unique<Program>(folder.path(), morning);
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    if (file.path().filename().string().starts_with("fix-")) std::filesystem::remove(file.path());
  }
  Line again(*program, "ANN", morning);
  again.sequence = 303;
  EXPECT_EQ(values(again.log_on(), {35, 34}), "35=A|34=303|");
}

TEST(ExchangeFix, TheTimeIsThatOfTheVenueWhenAMessageIsSent) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning);
  // The clock of the connection is another one, and that of the venue was read some time before.
  constexpr Nanoseconds steady = 5 * second;
  Line line(program, "ANN", steady);
  Gateway& gateway = program.core->gateway();
  const auto at = [&](Nanoseconds late) {
    gateway.set_time(morning + late);
    return std::string(fix::ValueText::of_time(morning + late, 3).view());
  };
  const auto send = [&](const std::string& body, Nanoseconds late) {
    const std::string head = "34=" + std::to_string(line.sequence++) + "|49=ANN|52=" + at(late) + "|56=VENUE|";
    const std::size_t end = body.find('|') + 1;
    return line.raw(framed(body.substr(0, end) + head + body.substr(end)));
  };
  EXPECT_EQ(values(send("35=A|98=0|108=30|554=secret|", 118'000'000), {35, 52}),
            "35=A|52=" + at(118'000'000) + "|");
  const std::vector<std::string> told = send(new_order("a"), 250'000'001);
  EXPECT_EQ(values(told, {52}), "52=" + at(251'000'000) + "|");
  EXPECT_LE(*fix::read_time(value(told.at(0), 60)), *fix::read_time(value(told.at(0), 52)));
  EXPECT_EQ(values(send("35=2|7=1|16=0|", 400'000'000), {35, 43, 52, 122}),
            "35=4|43=Y|52=" + at(400'000'000) + "|122=" + at(400'000'000) + "|35=8|43=Y|52=" + at(400'000'000) +
                "|122=20241004-09:00:00.251|");
  // The clock of the venue goes an hour on: nobody is silent for that, and all times follow.
  gateway.set_time(morning + 3'600 * second);
  EXPECT_EQ(values(line.wait(0), {35}), "");
  EXPECT_FALSE(line.venue().is_over());
  EXPECT_EQ(values(send("35=1|112=x|", 3'601 * second), {35, 52}), "35=0|52=" + at(3'601 * second) + "|");
}

TEST(ExchangeFix, WhatIsNotTakenIsAnsweredWithWords) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning);
  Line stranger(program, "EVE", morning);
  EXPECT_EQ(values(stranger.log_on(), {35, 56, 58}),
            "35=5|56=EVE|58=Not authorised: SenderCompID (49) or Password (554) is wrong|");
  program.core->gateway().logins_a_second = 1;
  program.core->gateway().set_time(morning + 2 * second);
  Line guess(program, "ANN", morning + 2 * second);
  EXPECT_EQ(values(guess.send("35=A|98=0|108=30|554=guess|"), {35, 58}),
            "35=5|58=Not authorised: SenderCompID (49) or Password (554) is wrong|");
  Line many(program, "ANN", morning + 2 * second);
  EXPECT_EQ(values(many.log_on(), {35, 58}), "35=5|58=too many logins within a second|");
  program.core->gateway().logins_a_second = 1'000;
  program.core->gateway().set_time(morning + 4 * second);
  Line broken(program, "ANN", morning + 4 * second);
  EXPECT_EQ(values(broken.raw(fields("8=FIX.4.4|9=5|35=A|10=000|")), {35}), "");
  EXPECT_EQ(values(broken.wait(10 * second), {35, 58}),
            "35=5|58=No Logon came in time; BodyLength (9) or CheckSum (10) of what came is wrong|");
  Line line(program, "ANN", morning + 14 * second);
  line.log_on();
  line.send(new_order("a"));
  EXPECT_EQ(values(line.send("35=D|97=Y|" + new_order("a").substr(5)), {35, 371, 58}),
            "35=3|371=11|58=A message with this ClOrdID has come before, and is answered: 11=a|");
  int lacking = 0;
  for (const auto& [lacks, tag] : {std::pair("38=10|40=2|", "44"),
                                   {"38=10|40=4|99=101|", "44"},
                                   {"38=10|40=4|44=100|", "99"},
                                   {"38=10|40=3|", "99"},
                                   {"38=10|40=2|44=100|59=6|", "126"}}) {
    EXPECT_EQ(values(line.send(new_order("lacks" + std::to_string(++lacking), lacks)), {35, 103, 58}),
              std::string("35=8|103=99|58=an order of this type needs the field: ") + tag + "|");
  }
  ASSERT_TRUE(program.core->begin_day());
  line.hear();
  EXPECT_EQ(values(line.send(new_order("b")), {35, 58}), "35=3|58=The day has ended: 11=b|");
}

/// The program looks some steps after the exchange has begun a day.
TEST(ExchangeFix, TheEndOfADayIsToldToThoseWhoWereThere) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning);
  Line old(program, "ANN", morning);
  Line mute(program, "BOB", morning);
  old.log_on();
  ASSERT_TRUE(program.core->begin_day());
  Line early(program, "BOB", morning);
  EXPECT_EQ(values(early.log_on(), {35, 34}), "35=A|34=1|");
  EXPECT_EQ(values(old.end_day(), {35, 58}), "35=5|58=The session ends|");
  EXPECT_EQ(values(early.end_day(), {35}), "");
  EXPECT_EQ(values(mute.end_day(), {35}), "");
  EXPECT_EQ(values(early.send(new_order("a")), {35, 34, 150}), "35=8|34=2|150=0|");
  ASSERT_TRUE(program.core->begin_day());
  EXPECT_EQ(values(early.end_day(), {35, 150, 58}),
            "35=8|150=C|58=it has expired: its time or the day has ended|35=5|150=|58=The session ends|")
      << "what happened comes first";
}

/// Whatever the door, the exchange, the books or the limits refuse, at each of their reasons that an order by FIX
/// can meet: Text (58) ends with a tag and its value, as the message has them, or with a tag that it lacks.
TEST(ExchangeFix, EachRefusalNamesTagValueAndReason) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning, [](User& user) {
    if (user.name != "BOB") return;
    user.limits = {.order_quantity = 1'000, .open_quantity = 5'000, .position_max = 3'000};
    user.limits.open_orders = 8;
  });
  Line ann(program, "ANN", morning);
  Line bob(program, "BOB", morning);
  ann.log_on();
  bob.log_on();
  std::set<std::string> reasons;
  int id = 0;
  const auto next = [&] { return "n" + std::to_string(++id); };
  const auto refused = [&](Line& line, const std::string& body) {
    const std::vector<std::string> said = line.send(body);
    EXPECT_EQ(said.size(), 1u) << body;
    if (said.empty()) return std::string();
    const std::string text = value(said.back(), 58);
    const std::size_t about = text.rfind(": ");
    EXPECT_NE(about, text.npos) << text << " of " << body;
    if (about == text.npos) return text;
    const std::string named = text.substr(about + 2);
    const std::string tag = named.substr(0, named.find('='));
    const bool has_value = tag.size() < named.size();
    EXPECT_EQ(tag.find_first_not_of("0123456789"), tag.npos) << text;
    EXPECT_EQ(has_value ? named.substr(tag.size() + 1) : "", value(body, std::stoi(tag)))
        << text << " of " << body;
    EXPECT_NE(text.substr(0, about).find(' '), text.npos) << "no name of the code: " << text;
    reasons.insert(text.substr(0, about));
    return text;
  };
  const auto order = [&](const std::string& more) { return new_order(next(), more); };
  const std::string limit = "38=10|40=2|44=100|";
  const auto operate = [&](VenueCommand command) {
    Entry record;
    record.command = command;
    program.core->gateway().submit(record);
    ann.hear();
    bob.hear();
  };
  const std::string noon(fix::ValueText::of_time(morning + 10'800 * second, 3).view());
  const std::string past(fix::ValueText::of_time(morning - second, 3).view());
  // What the door refuses.
  EXPECT_EQ(refused(ann, order(limit + "126=" + noon + "|")),
            "an ExpireTime needs TimeInForce (59) 6: 126=" + noon);
  EXPECT_EQ(refused(ann, order(limit + "59=3|126=" + noon + "|")),
            "an ExpireTime needs TimeInForce (59) 6: 126=" + noon);
  EXPECT_EQ(refused(ann, order("38=10|40=3|99=130|126=" + noon + "|")),
            "an ExpireTime needs TimeInForce (59) 6: 126=" + noon);
  EXPECT_EQ(refused(ann, order(limit + "59=6|126=" + past + "|")),
            "the time until which the order is good has passed: 126=" + past);
  EXPECT_EQ(refused(ann, order(limit + "111=3|1138=4|")), "MaxFloor (111) and DisplayQty (1138) differ: 111=3");
  EXPECT_EQ(refused(ann, order(limit + "111=0|1138=4|")), "MaxFloor (111) and DisplayQty (1138) differ: 111=0");
  EXPECT_EQ(refused(ann, order(limit + "99=101|")), "an order of this type has no such field: 99=101");
  EXPECT_EQ(refused(ann, order("38=10|40=1|44=100|")), "an order of this type has no such field: 44=100");
  EXPECT_EQ(refused(ann, order("38=10|40=1|99=101|")), "an order of this type has no such field: 99=101");
  EXPECT_EQ(refused(ann, order("38=10|40=3|44=100|99=101|")), "an order of this type has no such field: 44=100");
  for (const std::string& more : {limit + "59=1|",
                                  limit + "18=6|59=3|",
                                  limit + "110=5|",
                                  limit + "111=11|",
                                  limit + "1138=11|",
                                  limit + "111=0.5|",
                                  limit + "526=x|",
                                  limit + "526=4294967296|",
                                  "38=0|40=2|44=100|"s,
                                  "38=10.5|40=2|44=100|"s,
                                  "38=4294967296|40=2|44=100|"s,
                                  "38=10|40=2|44=100.001|"s,
                                  "38=10|40=2|44=0|"s,
                                  "38=10|40=2|44=-1|"s,
                                  "38=10|40=2|"s,
                                  "38=10|40=4|44=100|99=0.001|"s,
                                  "38=10|40=3|"s,
                                  limit + "59=6|"s,
                                  "38=10|40=1|18=6|"s,
                                  limit + "1=77|",
                                  "38=10|40=1|111=5|"s,
                                  "38=10|40=2|44=100|111=5|18=6|59=4|"s})
    refused(ann, order(more));
  refused(ann, "35=D|11=" + next() + "|55=NONE|54=1|60=20241004-08:00:00|" + limit);
  // Changes of what there is, of what is gone, and of a stop that waits.
  ann.send(new_order("rests"));
  ann.send(new_order("waits", "38=10|40=3|99=130|"));
  refused(ann, new_order("rests"));
  EXPECT_EQ(refused(ann, replace(next(), "waits")),
            "the order waits for its trigger, and cannot be replaced: 41=waits");
  refused(ann, replace(next(), "nothing"));
  refused(ann, cancel(next(), "nothing"));
  refused(ann, cancel(next(), "rests", "55=NONE|54=1|60=20241004-08:00:00|"));
  refused(ann, cancel(next(), "rests", "55=ACME|54=2|60=20241004-08:00:00|"));
  refused(ann, cancel(next(), "rests", terms + "37=1|"));
  refused(ann, cancel(next(), "rests", terms + "1=77|"));
  refused(ann, replace(next(), "rests", terms, "38=20|40=2|44=101.001|"));
  refused(ann, replace(next(), "rests", terms, "38=0|40=2|44=101|"));
  refused(ann, replace(next(), "rests", terms, "38=20|40=4|44=101|99=130|"));
  refused(ann, replace(next(), "rests", terms, "38=20|40=1|"));
  refused(ann, replace(next(), "rests", terms, "38=20|40=2|44=101|59=6|126=" + noon + "|"));
  refused(ann, replace(next(), "rests", terms, "38=20|40=2|44=101|126=" + noon + "|"));
  // What the books refuse.
  refused(ann, order("38=10|40=3|99=131|"));  // there is room for one stop
  EXPECT_EQ(refused(ann, order("38=10|40=2|44=90|59=4|")),
            "fill-or-kill, and not all of it would trade at once: 38=10");
  refused(ann, order("38=10|40=2|44=90|59=3|110=5|"));
  EXPECT_EQ(refused(bob, "35=D|11=" + next() + "|55=ACME|54=2|60=20241004-08:00:00|38=10|40=2|44=100|18=6|"),
            "post-only, and some of it would trade at once: 44=100");
  EXPECT_EQ(refused(ann, replace(next(), "rests", terms, limit + "99=101|")),
            "an order of this type has no such field: 99=101");
  // What the limits refuse.
  refused(bob, order("38=1001|40=2|44=90|"));
  for (int i = 0; i < 3; ++i) bob.send(order("38=999|40=2|44=90|"));
  refused(bob, order("38=999|40=2|44=90|"));
  for (int i = 0; i < 3; ++i) bob.send(order("38=1|40=2|44=90|"));
  bob.send(order("38=1|40=2|44=90|"));
  bob.send(order("38=1|40=2|44=90|"));
  refused(bob, order("38=1|40=2|44=90|"));
  // What the operator has said.
  operate({.book = 0, .type = VenueCommandType::Halt});
  refused(ann, order(limit));
  refused(ann, replace(next(), "rests"));
  operate({.book = 0, .type = VenueCommandType::Resume});
  operate({.book = 0, .type = VenueCommandType::SetPhase, .phase = Phase::OpeningAuction});
  refused(ann, order(limit + "59=3|"));
  refused(ann, order(limit + "59=4|"));
  operate({.book = 0, .type = VenueCommandType::SetPhase, .phase = Phase::Closed});
  refused(ann, order(limit));
  operate({.book = 0, .type = VenueCommandType::SetPhase, .phase = Phase::Continuous});
  operate({.price = 90, .trigger = 110, .book = 0, .type = VenueCommandType::SetBands});
  refused(ann, order("38=10|40=2|44=120|"));
  Entry disable;
  disable.sender.type = EntryType::DisableEntry;
  disable.sender.user = *user_id("BOB");
  disable.sender.rules = static_cast<std::uint8_t>(SenderRule::AssignsReference);
  program.core->gateway().submit(disable);
  bob.hear();
  EXPECT_EQ(refused(bob, new_order("off", limit)), "order entry is disabled by its user: 11=off");
  EXPECT_EQ(
      values(bob.send("35=i|117=quotes|296=1|302=s|304=1|295=1|299=1|55=ACME|132=100|134=5|"), {35, 297, 300, 58}),
      "35=b|297=5|300=3|58=order entry is disabled by its user: 117=quotes|");
  operate({.account = 1, .type = VenueCommandType::Kill});
  EXPECT_EQ(refused(ann, new_order("killed", "38=10|40=2|44=1|")),
            "the operator has stopped the account: 11=killed");
  ASSERT_TRUE(program.core->begin_day());
  ann.hear();
  refused(ann, order(limit));
  EXPECT_GE(reasons.size(), 25u);
}

/// Of lots that go without a fill and unasked, Text (58) says why; a price is that of the order, or is left out.
TEST(ExchangeFix, ReportsSayWhyLotsWent) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning, [](User& user) {
    user.cancel_on_disconnect = user.name == "ANN";
    copy_ann_to_bob(user);
  });
  auto ann = std::make_unique<Line>(program, "ANN", morning);
  Line bob(program, "BOB", morning);
  ann->log_on();
  bob.log_on();
  const std::vector<int> report{11, 150, 44, 151, 58};
  const auto sale = [](const std::string& id, const std::string& more) {
    return "35=D|11=" + id + "|55=ACME|54=2|60=20241004-08:00:00|" + more;
  };
  const std::string met = "self-trade prevention: it met an order of its own account|";
  ann->send(sale("s", "38=10|40=2|44=10.2|"));
  EXPECT_EQ(values(ann->send(new_order("b", "38=15|40=2|44=10.25|")), report),
            "11=b|150=0|44=10.25|151=15|58=|11=b|150=D|44=|151=5|58=" + met + "11=s|150=4|44=|151=0|58=" + met);
  ann->send(sale("t", "38=3|40=2|44=10.3|"));
  EXPECT_EQ(values(ann->send(new_order("m", "38=7|40=1|")), report),
            "11=m|150=0|44=|151=7|58=|11=m|150=D|44=|151=4|58=" + met + "11=t|150=4|44=|151=0|58=" + met +
                "11=m|150=4|44=|151=0|58=what is left may not rest|");
  EXPECT_EQ(values(ann->send(cancel("c", "b")), report), "11=c|150=4|44=10.25|151=0|58=|") << "its user knows";
  const std::string end(fix::ValueText::of_time(morning + 10 * second, 3).view());
  ann->send(new_order("e", "38=1|40=2|44=10|59=6|126=" + end + "|"));
  ann->wait(10 * second);
  program.core->gateway().advance();
  EXPECT_EQ(values(ann->hear(), report),
            "11=e|150=C|44=10|151=0|58=it has expired: its time or the day has ended|");
  const auto operate = [&](VenueCommand command) {
    Entry record;
    record.command = command;
    program.core->gateway().submit(record);
    return ann->hear();
  };
  ann->send(new_order("o", "38=1|40=2|44=10|"));
  EXPECT_EQ(
      values(operate({.price = 1'001, .trigger = 1'100, .book = 0, .type = VenueCommandType::SetBands}), report),
      "11=o|150=4|44=10|151=0|58=its price is outside the bands|");
  ann->send(new_order("l", "38=1|40=2|44=10.1|"));
  ann.reset();
  EXPECT_EQ(values({bob.hear().back()}, report),
            "11=l|150=4|44=10.1|151=0|58=its user has disconnected or logged out|");
  bob.send(new_order("k", "38=1|40=2|44=10.1|"));
  Entry kill;
  kill.command = {.account = 2, .type = VenueCommandType::Kill};
  program.core->gateway().submit(kill);
  EXPECT_EQ(values(bob.hear(), report), "11=k|150=4|44=10.1|151=0|58=the operator has stopped the account|");
}

/// Whatever the exchange says why lots went.
TEST(ExchangeFix, EachCancelReasonHasWords) {
  std::set<std::string> words;
  std::array<std::byte, 1'000> room{};
  for (int i = 0; i <= static_cast<int>(CancelReason::QuoteRefused); ++i) {
    Outcome outcome;
    outcome.kind = OutcomeKind::Canceled;
    outcome.cancel = static_cast<CancelReason>(i);
    outcome.symbol = pack_symbol("ACME");
    const std::string text = value(readable(text_of(write_fix(outcome, 1, room))), 58);
    const bool is_known = outcome.cancel == CancelReason::None || outcome.cancel == CancelReason::Asked;
    EXPECT_EQ(text.empty(), is_known) << i;
    EXPECT_TRUE(is_known || words.insert(text).second) << text;
  }
}

/// Each kind of message with each field absent, empty, repeated, too long and wrong is answered, and each
/// rejection says which tag, which value, and why.
TEST(ExchangeFix, EachMessageIsAnswered) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning, [](User& user) { user.cancel_on_disconnect = true; });
  const std::string head = "34=SEQ|49=ANN|52=NOW|56=VENUE|";
  const std::vector<std::string> kinds{"0|112=x|",
                                       "1|112=x|",
                                       "2|7=1|16=0|",
                                       "3|45=1|58=x|",
                                       "4|123=Y|36=9|",
                                       "4|36=9|",
                                       "5|58=bye|",
                                       "A|98=0|108=30|",
                                       "8|37=1|",
                                       "9|11=a|",
                                       "j|372=D|380=1|",
                                       "AE|571=x|",
                                       "ZZ|58=x|",
                                       "D|11=ID|" + terms + "38=10|40=2|44=100|",
                                       "F|11=ID|41=rest|" + terms,
                                       "G|11=ID|41=rest|" + terms + "38=10|40=2|44=99|",
                                       "D|11=ID|" + terms + "38=10|40=2|44=100|59=3|110=5|",
                                       "D|11=ID|" + terms + "38=10|40=1|111=5|",
                                       "D|11=ID|" + terms + "38=10|40=4|44=100|99=101|1138=5|",
                                       "D|11=ID|" + terms + "38=10|40=2|44=100|59=6|126=20241005-00:00:00|",
                                       "D|11=ID|" + terms + "38=10|40=2|44=100|111=5|18=6|59=4|",
                                       "i|117=ID|296=1|302=s|304=2|295=2|299=1|55=ACME|132=99|133=101|134=5|"
                                       "135=5|299=2|55=ACME|134=0|"};
  const std::vector<int> all_tags{1, 7, 8, 9, 10, 11, 15, 16, 18, 21, 34, 35, 36, 37, 38, 40, 41, 43, 44, 45, 49,
                                  50, 52, 54, 55, 56, 58, 59, 60, 97, 98, 99, 108, 110, 111, 112, 122, 123, 126,
                                  141, 369, 453, 789, 1138, 5001,
                                  // Those of mass quotes, which others know as well as they know 5001.
                                  117, 132, 133, 134, 135, 295, 296, 299, 301, 302, 304, 537, 5296};
  std::map<std::string, int> answers;
  int orders = 0;
  for (const std::string& kind : kinds) {
    const std::string base = "35=" + kind.substr(0, kind.find('|') + 1) + head + kind.substr(kind.find('|') + 1);
    for (const int tag : all_tags) {
      if (tag == 117 && kind[0] != 'i') break;
      const std::string name = "|" + std::to_string(tag) + "=";
      const bool is_there = base.find(name) != base.npos || tag == 35;
      std::vector<std::pair<std::string, std::string>> changes;  // what is done, and the value
      if (is_there) changes = {{"absent", ""}, {"repeated", ""}};
      for (const std::string& wrong :
           {std::string(), std::string(1'000, '9'), std::string(100, 'x'), std::string("-1"), std::string("0"),
            std::string("7"), std::string("Y"), std::string("20991231-00:00:00"), std::string("\x02") + "?"})
        changes.emplace_back("changed", wrong);
      for (const auto& [what, wrong] : changes) {
        std::string body = base;
        const std::size_t at = tag == 35 ? 0 : body.find(name) + 1;
        const std::string field = std::to_string(tag) + "=" + wrong + "|";
        const bool is_of_head = tag == 43 || tag == 50 || tag == 97 || tag == 122 || tag == 369;
        if (!is_there) {
          body.insert(is_of_head ? body.find("|56=") + 1 : body.size(), field);
        } else if (what == "absent") {
          body.erase(at, body.find('|', at) + 1 - at);
        } else if (what == "repeated") {
          body.insert(at, body.substr(at, body.find('|', at) + 1 - at));
        } else {
          body.replace(at, body.find('|', at) + 1 - at, field);
        }
        ASSERT_TRUE(program.core->step());  // the orders of the line before end
        Line line(program, "ANN", morning);
        const auto fill = [&](const std::string& word, const std::string& text) {
          if (const std::size_t place = body.find(word); place != body.npos)
            body.replace(place, word.size(), text);
        };
        fill("SEQ", "3");
        fill("NOW", line.time());
        fill("=ID", "=" + std::to_string(++orders));
        SCOPED_TRACE(body.substr(0, 300));
        ASSERT_EQ(values(line.send("35=A|98=0|108=30|554=secret|141=Y|"), {35}), "35=A|");
        line.send(new_order("rest" + std::to_string(orders)));
        fill("41=rest|", "41=rest" + std::to_string(orders) + "|");
        // The client answers each ResendRequest with a gap fill.
        std::vector<std::string> said;
        const auto hear = [&](std::vector<std::string> got) {
          for (std::size_t one = 0; one < got.size(); ++one) {
            if (value(got[one], 35) != "2" || value(got[one], 43) == "Y") continue;
            for (std::string& last :
                 line.raw(framed("35=4|34=" + value(got[one], 7) + "|49=ANN|52=" + line.time() +
                                 "|56=VENUE|43=Y|123=Y|36=" + std::to_string(line.sequence) + "|")))
              got.push_back(std::move(last));
          }
          said.insert(said.end(), got.begin(), got.end());
        };
        const auto pinged = [](const std::string& one) {
          return value(one, 35) == "0" && value(one, 112) == "ping";
        };
        line.sequence = 4;
        hear(line.raw(framed(body)));
        const std::size_t at_once = said.size();
        // What is no message at all is noticed with the next one, and is then asked for.
        for (int i = 0; i < 4 && !line.venue().is_over() && std::ranges::none_of(said, pinged); ++i)
          hear(line.send("35=1|112=ping|"));
        bool is_alive = false;
        bool has_words = false;
        for (std::size_t one = 0; one < said.size(); ++one) {
          const std::string type = value(said[one], 35);
          const std::string words = value(said[one], 58);
          ++answers[type + value(said[one], 150)];
          if (pinged(said[one])) is_alive = true;
          if (type == "5" && (!words.empty() || kind[0] == '5')) has_words = true;
          const bool rejects = type == "3" || type == "9" || type == "j" || value(said[one], 150) == "8" ||
                               !value(said[one], 300).empty();
          if (!rejects) continue;
          const std::size_t about = words.find(": ");
          EXPECT_NE(about, words.npos) << said[one];
          const std::string named = value(said[one], 371);
          if (type == "3" && !named.empty()) {
            EXPECT_NE(words.find(": " + named), words.npos) << said[one];
          }
          if (named == std::to_string(tag) && what == "changed" && !wrong.empty() && wrong[0] > ' ') {
            EXPECT_NE(words.find("=" + wrong.substr(0, 48)), words.npos) << said[one];
          }
        }
        EXPECT_TRUE(is_alive || has_words) << line.venue().reason();
        const bool is_order = std::string_view("DFGi").find(kind[0]) != std::string_view::npos;
        if (is_order && what != "absent" && tag != 8 && tag != 9 && tag != 10) {
          EXPECT_TRUE(at_once != 0 || has_words);
        }
        if (HasFailure()) return;
      }
    }
  }
  for (const char* const type : {"3", "5", "j", "9", "80", "88", "85", "84", "2", "b"})
    EXPECT_GT(answers[type], 10) << type;
}

/// The SendingTime of a message is that of the client's clock, by the second.
std::string message(const std::string& body, std::uint64_t sequence, Nanoseconds wall) {
  const fix::ValueText time = fix::ValueText::of_time(wall, 3);
  return framed("35=" + body.substr(0, 2) + "34=" + std::to_string(sequence) +
                "|49=ANN|56=VENUE|52=" + std::string(time.view()) + "|" + body.substr(2));
}
std::vector<std::string> said(Session& session, Nanoseconds now) {
  std::string all;
  std::array<std::byte, fix::body_max + fix::frame_size> room{};
  while (const std::size_t size = session.write(room, now)) all += text_of(std::span(room).first(size));
  std::vector<std::string> messages;
  const std::string text = readable(all);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find("8=FIX", at + 1), text.size());
    messages.push_back(text.substr(at, end - at));
    at = end;
  }
  return messages;
}

/// The clock of the machine steps back by an hour, to the right time: the venue's time does not go back, and a
/// client whose clock was right all the time is served.
TEST(ExchangeFix, AClientWithARightClockIsServedWhereThatOfTheVenueIsNot) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  constexpr Nanoseconds hour = 3'600 * second;
  Program program(folder.path(), morning);
  for (const std::int64_t skew :
       {std::int64_t{0}, static_cast<std::int64_t>(hour), -static_cast<std::int64_t>(hour)}) {
    const Nanoseconds venue = std::max(program.core->gateway().now(), morning + hour);
    const Nanoseconds wall = venue - static_cast<Nanoseconds>(skew);
    program.core->gateway().set_time(venue, skew);
    FixSession session(program.core->gateway(), *program.stores, 5 * second);
    const std::string logon = message("A|98=0|108=30|141=Y|554=secret|", 1, wall);
    session.receive(bytes_of(logon), 5 * second);
    ASSERT_TRUE(session.is_logged_in()) << session.reason() << skew;
    const std::string time = "|52=" + std::string(fix::ValueText::of_time(venue, 3).view()) + "|";
    const std::string answer = said(session, 5 * second).at(0);
    EXPECT_NE(answer.find(time), std::string::npos) << "that of the venue, as its reports";
    const std::string told =
        "|58=The venue's time is 3600000 ms " + std::string(skew > 0 ? "ahead of" : "behind") + " its clock|";
    EXPECT_EQ(answer.find(told) != std::string::npos, skew != 0) << answer;
    const std::string off = message("1|112=x|", 2, wall + (skew == 0 ? hour : 3 * hour));
    session.receive(bytes_of(off), 5 * second);
    EXPECT_EQ(session.reason(), "it sent a message with a wrong head");
  }
}

/// Of what is less than a client would see, no word is said.
TEST(ExchangeFix, ALogonTellsOfASkewAboveASecond) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning);
  for (const std::int64_t skew : {-1'001'000'000, -1'000'000'000, 0, 1'000'000'000, 1'001'999'999}) {
    program.core->gateway().set_time(morning, skew);
    FixSession session(program.core->gateway(), *program.stores, 5 * second);
    for (std::uint64_t i = 1; i <= 2; ++i) {  // the second one resets the numbers once more
      session.receive(bytes_of(message("A|98=0|108=30|141=Y|554=secret|", 1, morning)), 5 * second);
      const std::string answer = said(session, 5 * second).at(0);
      EXPECT_EQ(answer.find("|58=The venue's time is 1001 ms ahead of its clock|") != std::string::npos,
                skew > 1'000'000'000)
          << answer;
      EXPECT_EQ(answer.find("|58=The venue's time is 1001 ms behind its clock|") != std::string::npos,
                skew < -1'000'000'000)
          << answer;
      EXPECT_EQ(answer.find("|58=") != std::string::npos, skew / 1'000'000'000 != 0 && skew % 1'000'000'000 != 0)
          << answer;
    }
  }
}

/// Each kind but a heartbeat, which tells only that the client is there.
TEST(ExchangeFix, EveryMessageCountsAgainstTheLimitOfItsAccount) {
  const llmes::bench::TemporaryFolder folder{std::filesystem::temp_directory_path(), "llmes_fix"};
  Program program(folder.path(), morning, [](User& user) {
    user.limits.message_burst = 2;
    user.limits.message_interval = static_cast<std::uint32_t>(second);
  });
  Nanoseconds now = 0;
  program.core->gateway().set_time(morning);
  for (const char* const kind :
       {"1|112=x|", "2|7=1|16=0|", "F|11=a|41=b|55=ACME|54=1|60=20241004-08:00:00|",
        "D|11=c|55=NONE|54=1|60=20241004-08:00:00|38=10|40=2|44=100|", "j|45=1|372=8|380=0|", "3|45=1|", "0|"}) {
    now += 100 * second;
    FixSession session(program.core->gateway(), *program.stores, now);
    session.receive(bytes_of(message("A|98=0|108=30|141=Y|554=secret|", 1, morning)), now);
    ASSERT_TRUE(session.is_logged_in()) << session.reason();
    std::vector<std::string> sent;
    std::string flood;
    for (std::uint64_t i = 0; i < 10; ++i) sent.push_back(message(kind, 2 + i, morning));
    for (const std::string& one : sent) flood += one;
    const bool counts = kind[0] != '0';
    const auto give = [&](std::size_t most) {
      const std::size_t taken = session.receive(bytes_of(flood), now, most);
      flood.erase(0, taken);
      EXPECT_TRUE(program.core->step());
      static_cast<void>(said(session, now));
      return taken;
    };
    EXPECT_EQ(give(1), sent[0].size()) << "a turn of one";
    const std::size_t rest = flood.size();
    EXPECT_EQ(give(100), counts ? sent[1].size() : rest) << kind;
    if (!counts) continue;
    EXPECT_EQ(session.takes_at(), now + second);
    for (std::size_t i = 2; i < 5; ++i) {
      now += i == 3 ? 100 * second : second;  // after that time there are two again, of which one is taken below
      session.heard(now);                     // more has come, such as a heartbeat
      session.advance(now);
      ASSERT_FALSE(session.is_over()) << session.reason() << kind;
      EXPECT_EQ(give(1), sent[i].size()) << kind;
    }
    // Nothing comes any more. What waits is taken, and is no sign of life.
    for (int i = 1; i < 72; ++i) {
      session.advance(now + static_cast<Nanoseconds>(i) * second);
      ASSERT_FALSE(session.is_over()) << i << kind;
      if (i % 30 == 0) {
        EXPECT_EQ(session.receive(bytes_of(flood), now + static_cast<Nanoseconds>(i) * second, 1),
                  sent[4 + static_cast<std::size_t>(i) / 30].size());
        flood.erase(0, sent[4 + static_cast<std::size_t>(i) / 30].size());
        EXPECT_TRUE(program.core->step());
      }
      static_cast<void>(said(session, now + static_cast<Nanoseconds>(i) * second));
    }
    session.advance(now + 72 * second);
    EXPECT_TRUE(program.core->step());
    static_cast<void>(said(session, now + 72 * second));
    EXPECT_TRUE(session.is_over()) << kind;
    EXPECT_EQ(session.reason(), "it was silent for too long");
  }
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
  const auto& outcomes = program.core->gateway().find_client("ANN")->mailbox->view<FixView>()->outcomes();
  std::vector<std::string> told;
  std::array<std::byte, 1'000> room{};
  for (const Outcome& outcome : outcomes) {
    std::string text = readable(text_of(write_fix(outcome, told.size() + 1, room)));
    for (const std::string_view left_out : {"|52=", "|60=", "|37="}) {
      const std::size_t at = text.find(left_out) + 1;
      text.erase(at, text.find('|', at) + 1 - at);
    }
    told.push_back(text);
  }
  EXPECT_EQ(told, (std::vector<std::string>{
                      "35=8|17=1|150=0|39=0|11=a|55=ACME|54=1|38=10|44=100|151=10|14=0|6=0|",
                      "35=9|11=b|41=a|39=0|434=2|102=2|58=the price is no multiple of the tick, or out of range: "
                      "44=100.005|",
                      "35=8|17=3|150=5|39=0|11=c|41=a|55=ACME|54=1|38=10|44=101|151=10|14=0|6=0|",
                      "35=8|17=4|150=4|39=4|11=d|41=c|55=ACME|54=1|38=10|44=101|151=0|14=0|6=0|",
                      "35=8|17=5|150=8|39=8|11=e|55=ACME|54=1|38=10|151=0|14=0|6=0|103=99|"
                      "58=the price is no multiple of the tick, or out of range: 44=0|"}));
}

}  // namespace
}  // namespace exchange::fix_test
