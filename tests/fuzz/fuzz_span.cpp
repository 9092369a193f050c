// SPDX-License-Identifier: MIT
//
// Spans of commands that libFuzzer makes up, against the same commands one by one on a twin, message for message,
// and the oracle beside the twin. Somewhere among them the band is moved, if there is one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "llmes/book.hpp"
#include "tests/fuzz/bands.hpp"
#include "tests/fuzz/decoder.hpp"
#include "tests/fuzz/expect.hpp"
#include "tests/support/invariants.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/tape.hpp"

namespace llmes::test {
namespace {

void expect_oracle_agrees(const Tape& tape, Oracle& oracle) {
  std::vector<Trade> trades;
  for (std::size_t i = 0; i < tape.commands.size(); ++i) {
    const Oracle::Outcome outcome = oracle.apply(tape.commands[i]);
    const Result& result = tape.results[i];
    expect(result.status == outcome.status, "the status of a single call");
    expect(result.filled == outcome.filled, "the fills of a single call");
    expect(result.remaining == outcome.remaining, "what rests after a single call");
    expect(result.cancelled == outcome.cancelled, "what a single call cancels");
    expect(result.kept_place == outcome.kept_place, "whether an order keeps its place in a single call");
    expect((result.handle != OrderHandle{}) == (outcome.remaining > 0), "whether a single call names an order");
    const CommandType type = tape.commands[i].type;
    if ((adds(type) || has_new_id(type)) && outcome.status == Status::Success && outcome.remaining > 0) {
      oracle.name_newest(result.handle);
    }
    trades.insert(trades.end(), outcome.trades.begin(), outcome.trades.end());
  }
  expect(tape.trades == trades, "the trades of single calls");
}

/// How many commands are handed over and how many results there is room for, in turns.
using Lengths = std::pair<std::size_t, std::size_t>;

template <class Book>
Tape apply_in_spans(Book& book, const std::vector<Command>& commands, Lengths lengths) {
  Tape tape;
  RecordTrades sink;
  std::vector<Result> results(commands.size() + 1);
  for (std::span<const Command> left(commands); !left.empty(); std::swap(lengths.first, lengths.second)) {
    const std::span<const Command> span = left.first(std::min(left.size(), lengths.first));
    const std::size_t count =
        book.apply(span, std::span(results).first(std::min(results.size(), lengths.second)), sink);
    expect(count == std::min({span.size(), lengths.second, results.size()}), "the number of commands applied");
    tape.results.insert(tape.results.end(), results.begin(), results.begin() + static_cast<std::ptrdiff_t>(count));
    left = left.subspan(count);
  }
  tape.trades = sink.trades;
  return tape;
}

/// Two books that get the same commands, one by one and in spans, and the oracle of both.
template <class Book>
class SingleAndSpanned {
 public:
  SingleAndSpanned(const BookConfig& config, Lengths lengths)
      : config_(config), lengths_(lengths), oracle_(single_.price_min(), single_.price_max(), config.capacity) {}

  void play(std::span<const Operation> operations) {
    const Tape tape = record_tape(single_, operations, handles_);
    expect_oracle_agrees(tape, oracle_);
    const Tape by_spans = apply_in_spans(spanned_, tape.commands, lengths_);
    expect(by_spans.results == tape.results, "the results of spans");
    expect(by_spans.trades == tape.trades, "the trades of spans");
    expect_same_state();
  }

  void recenter(Price base_price) {
    const Status status = oracle_.recenter(base_price);
    expect(single_.recenter(base_price) == status, "the status of recenter");
    expect(spanned_.recenter(base_price) == status, "the status of recenter after spans");
    expect_same_state();
  }

  void expect_whole() { expect(!broken_invariant(single_) && !broken_invariant(spanned_), "an invariant"); }

 private:
  void expect_same_state() {
    for (const Side side : {Side::Buy, Side::Sell}) {
      expect(orders_of(single_, side) == oracle_.orders(side), "the orders of single calls");
    }
    expect(snapshot_of(spanned_) == snapshot_of(single_), "the book after spans");
  }

  BookConfig config_;
  Lengths lengths_;
  Book single_ = Book::create(config_).value();
  Book spanned_ = Book::create(config_).value();
  Oracle oracle_;
  Handles handles_;
};

template <class Book>
void check(Decoder& decoder) {
  const BookConfig config = decoder.config(price_count<Book>);
  const Lengths lengths{1 + decoder.below(40), 1 + decoder.below(40)};
  const std::size_t calls_before = decoder.below(256);
  const Price base_price = decoder.price();
  const std::vector<Operation> operations = decoder.operations();
  const std::span<const Operation> before = std::span(operations).first(std::min(calls_before, operations.size()));

  SingleAndSpanned<Book> books(config, lengths);
  books.play(before);
  if constexpr (Book::has_band) books.recenter(base_price);
  books.play(std::span(operations).subspan(before.size()));
  books.expect_whole();
}

}  // namespace
}  // namespace llmes::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace llmes::test;
  Decoder decoder({data, size});
  with_book(decoder.below(64), [&]<class Book> { check<Book>(decoder); });
  return 0;
}
