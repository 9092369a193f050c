// SPDX-License-Identifier: MIT
//
// An exchange that survives: an engine with a journal trades, is killed in the middle of it, and starts again with
// the same book and the same next sequence.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "llmes/engine.hpp"
#include "temporary_directory.hpp"
#include "usage.hpp"

namespace {

using namespace llmes;

// Clients name orders by ids of their own, and all threads wait in the kernel when there is nothing to do.
using Books = IdBook<BookSet, HashedIds>;
using Exchange = Engine<Books, BlockWait>;

constexpr BookNumber apples = 0;
constexpr BookNumber pears = 1;

/// What the exchange is made for: it must be the same each time.
Exchange::Config config_for(const std::string& directory) {
  return {.books = {.books = 2, .capacity = 1'000},
          .journal = {.directory = directory, .durability = Durability::Process, .segment_records = 1'024}};
}

std::unique_ptr<Exchange> start(const std::string& directory) {
  EngineError error;
  std::unique_ptr<Exchange> exchange = Exchange::create(config_for(directory), error);
  if (!exchange) {
    std::cerr << "exchange: " << to_string(error) << '\n';
    return {};
  }
  std::cout << "started: " << to_string(exchange->recovery()) << '\n';
  exchange->start();
  return exchange;
}

/// Hands in a request and prints what comes of it.
void trade(Exchange& exchange, BookNumber book, const Request& request) {
  constexpr std::uint64_t now = 0;  // a real exchange takes the time here
  if (exchange.submit(record_of(BookRequest{request, book}, now)) != SubmitStatus::Accepted) {
    std::cerr << "exchange: it takes no more\n";
    return;
  }
  for (bool done = false; !done;) {
    const std::span<const Report> report = exchange.wait_reports(1);
    if (report.empty()) {
      std::cerr << "exchange: " << to_string(exchange.journal_error(), exchange.journal_directory()) << '\n';
      return;
    }
    std::cout << "  " << to_string(report.front()) << '\n';
    done = report.front().kind == ReportKind::Done;
    exchange.release(1);
  }
}

void print_books(const Exchange& exchange) {
  for (const BookNumber number : {apples, pears}) {
    std::cout << (number == apples ? "apples:" : "pears:");
    const std::optional<const BookSet::Book> book = exchange.book(number);
    for (const Side side : {Side::Buy, Side::Sell}) {
      book->visit_orders(side, [](const RestingOrder& order) {
        std::cout << ' ' << to_string(order.side) << " id " << order.id << ' ' << order.quantity << " at "
                  << order.price << ';';
      });
    }
    std::cout << '\n';
  }
}

/// Trades until it is killed.
void first_day(const std::string& directory) {
  const std::unique_ptr<Exchange> exchange = start(directory);
  if (!exchange) return;
  constexpr TimeInForce rests = TimeInForce::GoodTillCancel;
  trade(*exchange, apples, Request::add_limit(1, Side::Sell, 105, 10, rests));
  trade(*exchange, apples, Request::add_limit(2, Side::Sell, 104, 5, rests));
  trade(*exchange, pears, Request::add_limit(3, Side::Buy, 80, 7, rests));
  trade(*exchange, apples, Request::add_limit(4, Side::Buy, 105, 8, TimeInForce::ImmediateOrCancel));
  trade(*exchange, pears, Request::cancel(99));
  std::cout << "killed\n" << std::flush;
  raise(SIGKILL);
}

/// Goes on.
int second_day(const std::string& directory) {
  const std::unique_ptr<Exchange> exchange = start(directory);
  if (!exchange) return 1;
  trade(*exchange, apples, Request::modify(1, 103, 6));
  trade(*exchange, pears, Request::add_market(5, Side::Sell, 2));
  exchange->stop();
  print_books(*exchange);

  // While the exchange is closed or, from another thread or process, while it is open.
  RecoverySummary summary;
  if (const JournalError error = make_snapshot<Books>(directory, config_for(directory).books, summary)) {
    std::cerr << "exchange: " << to_string(error, directory) << '\n';
    return 1;
  }
  std::cout << "snapshot made at " << summary.journal.next_sequence - 1 << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (const std::optional<int> status =
          answer_arguments(argc, argv, "an exchange that is killed and starts again with the same book")) {
    return *status;
  }
  const std::optional<std::string> directory = make_temporary_directory("exchange");
  if (!directory) return 1;
  if (fork() == 0) {
    first_day(*directory);
    _exit(1);
  }
  wait(nullptr);
  int status = second_day(*directory);
  if (status == 0) status = start(*directory) == nullptr ? 1 : 0;
  std::filesystem::remove_all(*directory);
  return status;
}
