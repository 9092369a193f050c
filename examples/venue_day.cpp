// SPDX-License-Identifier: MIT
//
// A day of a venue in an engine with a journal: orders before the open, an opening auction, stops, an iceberg and
// a prevented self-trade in continuous trading, a halt, an expiry, and a closing auction. It may be killed in the
// middle and started again on the same journal: it goes on where it was, to the same end.
#include <charconv>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "llmes/engine.hpp"
#include "support/program.hpp"
#include "temporary_directory.hpp"

namespace {

using namespace llmes;
using Type = VenueCommandType;
using VenueEngine = Engine<VenueMachine<>, BlockWait>;

constexpr AccountNumber alice = 1;
constexpr AccountNumber bob = 2;
constexpr AccountNumber carol = 3;

constexpr std::string_view usage = R"(usage: venue_day [DIRECTORY [COMMANDS]]

Plays a day of a venue whose journal is in DIRECTORY, or goes on with the one that is there. With COMMANDS it kills
itself after so many of them, as a crash would. Without arguments the journal is in a temporary directory.
)";

VenueEngine::Config config_for(const std::string& directory) {
  return {.books = {.books = {.max_books = 1, .capacity = 1'000},
                    .accounts = 3,
                    .holdings = 3,
                    .fees = {.maker = -1, .taker = 2},
                    .stops = 10,
                    .lifetimes = 10,
                    .matches = 100,
                    .first_phase = Phase::Closed},
          .journal = {.directory = directory, .durability = Durability::Process, .segment_records = 1'024}};
}

/// Minutes since midnight.
constexpr Nanoseconds at(int hour, int minute) {
  return static_cast<Nanoseconds>(hour * 60 + minute) * 60'000'000'000;
}

/// Commands with the words that they are printed with.
using Script = std::vector<std::pair<std::string, VenueCommand>>;

Script day() {
  Script script;
  Nanoseconds now = at(8, 0);
  const auto say = [&](std::string words, VenueCommand command) {
    command.time = now;
    script.emplace_back(std::move(words), command);
  };
  const auto order = [&](std::string words, AccountNumber account, OrderId id, Side side, Price price,
                         Quantity quantity, VenueCommand more = {}) {
    more.account = account;
    more.id = id;
    more.side = side;
    more.price = price;
    more.quantity = quantity;
    say(std::move(words), more);
  };
  const auto phase = [&](Phase to) { say(std::string(to_string(to)), {.type = Type::SetPhase, .phase = to}); };
  using enum Side;

  say("prices are multiples of 1, lots of 5", {.id = 1, .quantity = 5, .type = Type::SetSymbol});
  say("yesterday's close was 100", {.price = 100, .type = Type::SetReference});
  now = at(9, 0);
  phase(Phase::PreOpen);
  order("alice sells 20 at 99", alice, 1, Sell, 99, 20);
  order("bob buys 30 at 101", bob, 2, Buy, 101, 30);
  order("carol buys 10 at 100, for today", carol, 3, Buy, 100, 10, {.lifetime = Lifetime::Day});
  order("alice sells 15 at 101", alice, 4, Sell, 101, 15);
  say("what would an auction do?", {.type = Type::ShowIndicative});
  now = at(9, 25);
  phase(Phase::OpeningAuction);
  now = at(9, 30);
  phase(Phase::Continuous);

  now = at(10, 0);
  order("alice sells 40 at 103 and shows 10", alice, 5, Sell, 103, 40, {.peak = 10, .display = Display::Reserve});
  order("bob buys 5 at the market once there is a trade at 103", bob, 6, Buy, 0, 5,
        {.trigger = 103, .type = Type::AddMarket, .stop = StopTrigger::LastTrade});
  order("carol buys 10 at 103", carol, 7, Buy, 103, 10);
  order("alice buys 10 at 103, and would rather not trade with herself", alice, 8, Buy, 103, 10,
        {.self_trade = SelfTrade::CancelTaker});
  order("carol buys 10 at 98, until noon", carol, 9, Buy, 98, 10,
        {.expiry = at(12, 0), .lifetime = Lifetime::UntilTime});
  order("bob buys 7, which is no multiple of the lot", bob, 10, Buy, 98, 7);
  now = at(11, 0);
  say("halt", {.type = Type::Halt});
  order("bob buys 5 at 103", bob, 11, Buy, 103, 5);
  say("alice takes 10 off her iceberg", {.id = 5, .quantity = 10, .account = alice, .type = Type::Reduce});
  say("resume", {.type = Type::Resume});
  now = at(12, 0);
  say("noon", {.type = Type::Advance});

  now = at(16, 0);
  phase(Phase::ClosingAuction);
  order("bob sells 20 at 100", bob, 12, Sell, 100, 20);
  order("carol buys 15 at 102, for today", carol, 13, Buy, 102, 15, {.lifetime = Lifetime::Day});
  phase(Phase::Closed);
  return script;
}

void print(const VenueReport& report) {
  std::cout << "    " << to_string(report.kind);
  if (report.kind == VenueReportKind::Done) {
    std::cout << ": " << report.status;
    if (report.fired != 0) std::cout << ", stops fired: " << report.fired;
    std::cout << '\n';
    return;
  }
  if (report.kind == VenueReportKind::PhaseChanged) std::cout << ": " << to_string(report.phase);
  if (report.id != 0) std::cout << " order " << report.id;
  if (report.other_id != 0) std::cout << " with " << report.other_id;
  if (report.quantity != 0) std::cout << ", " << report.quantity << " at " << report.price;
  if (report.remaining != 0) std::cout << ", left " << report.remaining;
  if (report.displayed != 0) std::cout << ", shown " << report.displayed;
  if (report.reason != DeleteReason::None) std::cout << ", " << to_string(report.reason);
  std::cout << '\n';
}

/// Hands in a command and prints its reports. @return whether all of them came.
bool play(VenueEngine& engine, const std::string& words, const VenueCommand& command) {
  const auto minutes = command.time / 60'000'000'000;
  std::cout << "  " << (minutes < 600 ? "0" : "") << minutes / 60 << (minutes % 60 < 10 ? ":0" : ":")
            << minutes % 60 << ' ' << words << '\n';
  if (engine.submit(records_of(command)) != SubmitStatus::Accepted) return false;
  while (true) {
    const std::span<const VenueReport> report = engine.wait_reports(1);
    if (report.empty()) return false;
    print(report.front());
    const bool done = report.front().kind == VenueReportKind::Done;
    engine.release(1);
    if (done) return true;
  }
}

void print_end(const VenueEngine& engine) {
  const Accounts& accounts = engine.books().venue().risk().accounts();
  for (const auto& [account, name] :
       {std::pair(alice, "alice"), std::pair(bob, "bob"), std::pair(carol, "carol")}) {
    const Holding holding = accounts.holding(account, 0);
    std::cout << name << " has " << holding.position << " lots, which cost "
              << static_cast<std::int64_t>(holding.cost) << "; realised "
              << static_cast<std::int64_t>(holding.realised) << '\n';
  }
  std::cout << "digest " << std::hex << engine.books().digest() << std::dec << '\n';
}

int run(const std::string& directory, std::uint64_t kill_after) {
  EngineError error;
  const std::unique_ptr<VenueEngine> engine = VenueEngine::create(config_for(directory), error);
  if (!engine) {
    std::cerr << "venue_day: " << to_string(error) << '\n';
    return 1;
  }
  const Script script = day();
  const std::uint64_t done = engine->books().commands();  // that the journal has
  std::cout << "begins after " << done << " of " << script.size() << " commands\n";
  engine->start();
  for (std::uint64_t i = done; i < script.size(); ++i) {
    if (!play(*engine, script[i].first, script[i].second)) {
      std::cerr << "venue_day: " << to_string(engine->journal_error(), engine->journal_directory()) << '\n';
      return 1;
    }
    if (i + 1 == kill_after) {
      std::cout << "killed\n" << std::flush;
      raise(SIGKILL);
    }
  }
  engine->stop();
  print_end(*engine);
  return 0;
}

int run_in_temporary_directory() {
  const std::optional<std::string> directory = make_temporary_directory("venue_day");
  if (!directory) return 1;
  const int status = run(*directory, 0);
  std::filesystem::remove_all(*directory);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, {"venue_day", usage, "a directory and a number of commands", 0, 2},
                     [](std::span<const std::string> arguments) {
                       if (arguments.empty()) return run_in_temporary_directory();
                       std::uint64_t kill_after = 0;
                       if (arguments.size() == 2) {
                         const std::string& text = arguments[1];
                         const auto [end, error] =
                             std::from_chars(text.data(), text.data() + text.size(), kill_after);
                         if (error != std::errc{} || end != text.data() + text.size() || kill_after == 0) {
                           std::cerr << "venue_day: '" << text << "' is no number of commands (see --help)\n";
                           return 2;
                         }
                       }
                       return run(arguments[0], kill_after);
                     });
}
