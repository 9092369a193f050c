// SPDX-License-Identifier: MIT
//
// An exchange that runs for long: a keeper beside it makes snapshots on schedule, deletes the segments that they
// cover, and warns before the disk is full.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "llmes/engine.hpp"
#include "temporary_directory.hpp"
#include "usage.hpp"

namespace {

using namespace llmes;
using Books = IdBook<BookSet, HashedIds>;
using Exchange = Engine<Books, BlockWait>;

Exchange::Config config_for(const std::string& directory) {
  return {.books = {.books = 2, .capacity = 1'000},
          .journal = {.directory = directory, .durability = Durability::Process, .segment_records = 1'024}};
}

/// Looks after the journal of an exchange, on a thread of its own. It may as well be another process that asks for
/// the numbers by some other way: `make_snapshot` and `remove_covered` need nothing but the directory.
class Keeper {
 public:
  /// @param every so many commands there is a snapshot: what a restart has to replay at most.
  Keeper(const Exchange& exchange, const std::string& directory, std::uint64_t every)
      : exchange_(exchange), directory_(directory), every_(every), thread_([this] { run(); }) {}
  ~Keeper() {
    stop_ = true;
    thread_.join();
  }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  /// The last command that a snapshot has.
  [[nodiscard]] std::uint64_t covered() const { return covered_; }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  void run() {
    while (!stop_ && !failed_) {
      const EngineStatus status = exchange_.status();
      // A real one tells somebody: a snapshot frees segments, and nothing else of the disk.
      if (status.room_is_short()) std::cerr << "keeper: " << to_string(status) << '\n';
      if (status.sequence >= covered_ + every_) keep();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // a real one looks once a second
    }
  }
  void keep() {
    RecoverySummary summary;
    JournalError error = make_snapshot<Books>(directory_, config_for(directory_).books, summary);
    if (!error) error = remove_covered(directory_);
    if (error) {
      std::cerr << "keeper: " << to_string(error, directory_) << '\n';
      failed_ = true;
      return;
    }
    covered_ = summary.journal.next_sequence - 1;
  }

  const Exchange& exchange_;
  std::string directory_;
  std::uint64_t every_;
  std::atomic<std::uint64_t> covered_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> failed_ = false;
  std::thread thread_;
};

/// Orders come and go, so the books stay small while the journal grows.
void trade(Exchange& exchange, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t number = first; number < first + count; ++number) {
    const OrderId id = number / 2;
    const Request request = number % 2 == 0
                                ? Request::add_limit(id, Side::Buy, 100, 1, TimeInForce::GoodTillCancel)
                                : Request::cancel(id);
    const std::span<Record> room = exchange.wait_claim(1);
    if (room.empty()) return;  // it has ended: see its state
    room.front() = record_of(BookRequest{request, 0}, 0);
    exchange.publish(1);
  }
}

int run(const std::string& directory) {
  constexpr std::uint64_t every = 5'000;
  EngineError error;
  std::unique_ptr<Exchange> exchange = Exchange::create(config_for(directory), error);
  if (exchange == nullptr) {
    std::cerr << "keeper: " << to_string(error) << '\n';
    return 1;
  }
  exchange->start();
  std::thread reader([&exchange = *exchange] {
    for (auto some = exchange.wait_reports(256); !some.empty(); some = exchange.wait_reports(256))
      exchange.release(some.size());
  });
  {
    Keeper keeper(*exchange, directory, every);
    for (std::uint64_t part = 0; part < 4; ++part) {
      trade(*exchange, part * every, every);
      // So that the output is the same each time; an exchange does not wait for its keeper.
      const auto may_come = [&] { return !keeper.failed() && exchange->state() == EngineState::Running; };
      while (keeper.covered() < (part + 1) * every && may_come()) std::this_thread::yield();
      std::cout << "snapshot at command " << keeper.covered() << '\n';
    }
  }
  exchange->stop();
  reader.join();

  std::size_t segments = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    segments += static_cast<std::size_t>(entry.path().extension() == ".journal");
  std::cout << "segments left: " << segments << " of 20\n";
  exchange.reset();
  exchange = Exchange::create(config_for(directory), error);
  std::cout << "started again: " << (exchange ? to_string(exchange->recovery()) : to_string(error)) << '\n';
  return exchange ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (const std::optional<int> status =
          answer_arguments(argc, argv, "an exchange whose snapshots are made on schedule while it runs")) {
    return *status;
  }
  const std::optional<std::string> directory = make_temporary_directory("keeper");
  if (!directory) return 1;
  const int status = run(*directory);
  std::filesystem::remove_all(*directory);
  return status;
}
