// SPDX-License-Identifier: MIT
//
// A reader that comes back: the engine has gone on without it, and it misses no report. What its ring has lost is
// told again from the journal.
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "llmes/engine.hpp"
#include "temporary_directory.hpp"
#include "usage.hpp"

namespace {

using namespace llmes;
using Books = IdBook<BookSet, HashedIds>;
using Exchange = Engine<Books, BlockWait>;
using Replay = ReportReplay<Books>;

/// A small ring, whose reader is disconnected when it is full.
Exchange::Config config_for(const std::string& directory) {
  return {.books = {.books = 1, .capacity = 1'000},
          .reports = 64,
          .slow_reader = SlowReader::Disconnect,
          .journal = {.directory = directory, .segment_records = 1'024}};
}

/// A reader that counts the commands whose reports it has all had. A real one keeps the reports of a command until
/// its `Done`, as a ring that it is disconnected from may end before that.
class Reader final : public ReportTarget {
 public:
  explicit Reader(std::string directory) : directory_(std::move(directory)) {}

  void read(const Report& report) {
    if (report.sequence == next_ && report.kind == ReportKind::Done) ++next_;
  }
  /// Reads what the ring has.
  void read_ring(Exchange& exchange) {
    for (auto some = exchange.reports(64); !some.empty(); some = exchange.reports(64)) {
      for (const Report& report : some) read(report);
      exchange.release(some.size());
    }
  }

  /// Attaches to the ring again, and reads what has been missed.
  JournalError come_back(Exchange& exchange) {
    JournalError error;
    const std::unique_ptr<Replay> replay = Replay::create(directory_, config_for(directory_).books, next_, error);
    if (replay == nullptr) return error;
    error = replay->tell(*this, exchange.status().sequence);  // most of it, while the engine goes on
    const Attachment attachment = exchange.attach();
    std::cout << "attached: " << to_string(attachment.status) << ", the ring begins with command "
              << attachment.first << '\n';
    if (!error) error = replay->tell(*this, attachment.first - 1);  // what came meanwhile
    return error;
  }

  /// The command whose reports it needs next.
  [[nodiscard]] std::uint64_t next() const { return next_; }

  // What a replay writes to.
  [[nodiscard]] std::span<Report> room() noexcept override { return room_; }
  void take(std::size_t written) noexcept override {
    for (const Report& report : std::span(room_).first(written)) read(report);
  }

 private:
  std::string directory_;
  std::uint64_t next_ = 1;
  std::array<Report, 64> room_;
};

/// Sends orders, and waits until they are done.
void send(Exchange& exchange, OrderId first, std::uint64_t count) {
  for (OrderId id = first; id < first + count; ++id) {
    const Request add = Request::add_limit(id, Side::Buy, 100, 1, TimeInForce::GoodTillCancel);
    if (exchange.submit(record_of(BookRequest{add, 0}, 0)) != SubmitStatus::Accepted) return;
  }
  exchange.drain();
}

int run(const std::string& directory) {
  EngineError failed;
  const std::unique_ptr<Exchange> exchange = Exchange::create(config_for(directory), failed);
  if (exchange == nullptr) {
    std::cerr << "catch_up: " << to_string(failed) << '\n';
    return 1;
  }
  Reader reader(directory);
  exchange->start();
  send(*exchange, 1, 200);  // two reports each, and nobody reads
  std::cout << "disconnected: " << (exchange->disconnected() ? "yes" : "no") << '\n';
  reader.read_ring(*exchange);
  std::cout << "read from the ring: up to command " << reader.next() - 1 << '\n';
  if (const JournalError error = reader.come_back(*exchange)) {
    std::cerr << "catch_up: " << to_string(error, directory) << '\n';
    return 1;
  }
  std::cout << "told again: up to command " << reader.next() - 1 << '\n';
  send(*exchange, 201, 20);
  reader.read_ring(*exchange);
  std::cout << "read from the ring: up to command " << reader.next() - 1 << '\n';
  exchange->stop();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (const std::optional<int> status =
          answer_arguments(argc, argv, "a reader that comes back and misses no report")) {
    return *status;
  }
  const std::optional<std::string> directory = make_temporary_directory("catch_up");
  if (!directory) return 1;
  const int status = run(*directory);
  std::filesystem::remove_all(*directory);
  return status;
}
