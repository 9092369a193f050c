// SPDX-License-Identifier: MIT
#include "bench/programs/engine/order_flow.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bench/streams/market_symbols.hpp"
#include "bench/streams/plan.hpp"
#include "bench/streams/random.hpp"

namespace llmes::bench {
namespace {

/// The stream `macro` begins with 5,000 orders in a book, and this many events take it down to its standing
/// number. `gaps` begins with that number, and this many events give its orders their places.
std::size_t events_to_settle(const OrderFlowSpec& spec) {
  constexpr std::size_t first = 5'000;
  constexpr std::size_t events_per_order = 25;
  if (spec.workload == "gaps") return 1'000 + events_per_order * spec.standing;
  return 1'000 + events_per_order * (first - std::min(first, spec.standing));
}

/// For each message of the stream its book.
std::vector<BookNumber> draw_books(const OrderFlowSpec& spec, std::size_t messages) {
  Random random(spec.seed);
  Weights activity;
  for (std::size_t rank = 0; rank < spec.symbols; ++rank) activity.add((std::uint64_t{1} << 32) / (rank + 10));
  std::vector<BookNumber> ranked(spec.symbols);
  for (std::size_t rank = 0; rank < spec.symbols; ++rank) ranked[rank] = static_cast<BookNumber>(rank);
  for (std::size_t rank = spec.symbols; rank > 1; --rank) std::swap(ranked[rank - 1], ranked[random.below(rank)]);
  std::vector<BookNumber> books(messages);
  for (BookNumber& book : books) book = ranked[activity.draw(random)];
  return books;
}

Record record_for(const Event& event, BookNumber book, OrderId id) {
  return {.id = id,
          .price = event.price,
          .quantity = event.quantity,
          .book = book,
          .type = event.type,
          .side = event.side,
          .time_in_force = event.time_in_force};
}

/// Plans a book by itself and puts its events where they belong. The id of an order is the place of its add in the
/// whole stream, so ids grow and have gaps.
class BookPlanner {
 public:
  BookPlanner(OrderFlow& flow, std::size_t messages) : flow_(flow), tail_(messages) {}

  /// `places` are those of its messages in the tail, behind the orders that rest at the beginning.
  void plan(BookNumber book, std::span<const std::size_t> places) {
    const Plan plan = make_plan({.workload = flow_.spec.workload,
                                 .standing = flow_.spec.standing,
                                 .seed = flow_.spec.seed * 1'000'003 + book,
                                 .batches = 1,
                                 .batch = std::max<std::size_t>(places.size(), 1),
                                 .rewarm = 0,
                                 .warm_up = events_to_settle(flow_.spec),
                                 .snapshots = true});
    capacity_ += plan.capacity;
    ids_.assign(plan.order_count, 0);
    const Batch& batch = plan.batches.front();
    census_.add(batch.census);
    for (const Event& event : batch.snapshot) {
      // Adds that never trade, so that a book is as it was.
      flow_.records.push_back(record_for(event, book, ids_[event.order] = next_id_++));
      flow_.records.back().type = CommandType::AddResting;
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Event& event = plan.events[batch.begin + i];
      OrderId& id = ids_[event.order];
      if (adds(event.type)) id = first_id + places[i];
      tail_[places[i]] = record_for(event, book, id);
    }
  }

  /// The most orders that can ever rest.
  std::size_t finish() {
    flow_.census.jumps_64 = census_.per_event(census_.jumps_64);
    flow_.census.jumps_4096 = census_.per_event(census_.jumps_4096);
    flow_.census.jump_max = census_.jump_max;
    flow_.records.insert(flow_.records.end(), tail_.begin(), tail_.end());
    return capacity_;
  }

 private:
  static constexpr OrderId first_id = OrderId{1} << 32;  // above those that rest at the beginning

  OrderFlow& flow_;
  std::vector<Record> tail_;
  std::vector<OrderId> ids_;
  OrderId next_id_ = 1;
  std::size_t capacity_ = 0;
  Census census_;
};

/// Folds the reports of a span.
class CensusTarget final : public ReportTarget {
 public:
  explicit CensusTarget(FlowCensus& census) : census_(census) {}

  [[nodiscard]] std::span<Report> room() noexcept override { return room_; }
  void take(std::size_t written) noexcept override {
    for (std::size_t i = 0; i < written; ++i) {
      fold_report(digest, room_[i]);
      ++census_.of_report[static_cast<std::size_t>(room_[i].kind)];
    }
  }

  Digest digest;

 private:
  FlowCensus& census_;
  std::array<Report, 64> room_;
};

std::size_t level_count(const BookSet& books, std::size_t symbols) {
  constexpr std::size_t most = 4'096;
  std::vector<DepthLevel> levels(most);
  std::size_t count = 0;
  for (std::size_t book = 0; book < symbols; ++book) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      count += books.book(static_cast<BookNumber>(book))->depth(side, levels);
    }
  }
  return count;
}

/// Plays the flow on a matcher; so it finds the census and the digests.
void prove(OrderFlow& flow, std::span<const std::size_t> counts) {
  auto matcher = Matcher<EngineBooks>::create(flow.books);
  if (!matcher) throw std::runtime_error("the books could not be made: too little memory?");
  FlowCensus& census = flow.census;
  FlowCensus ignored;
  std::uint64_t sequence = 0;
  const auto apply = [&](std::span<const Record> records, CensusTarget& target) {
    std::array<Record, 64> span;
    std::ranges::copy(records, span.begin());
    for (std::size_t i = 0; i < records.size(); ++i) span[i].sequence = ++sequence;
    matcher->apply(std::span(span).first(records.size()), target);
    census.resting_peak = std::max(census.resting_peak, matcher->book().book().size());
  };
  const std::span<const Record> all = flow.records;
  CensusTarget warm_up(ignored);
  for (std::size_t at = 0; at < flow.warm_up; at += 64) {
    apply(all.subspan(at, std::min<std::size_t>(64, flow.warm_up - at)), warm_up);
  }

  CensusTarget target(census);
  const std::span<const Record> timed = all.subspan(flow.warm_up);
  const std::size_t sample_every = std::max<std::size_t>(1, timed.size() / 16);
  std::size_t samples = 0;
  std::vector<std::size_t> stops(counts.begin(), counts.end());
  stops.push_back(timed.size());
  std::sort(stops.begin(), stops.end());
  std::vector<std::size_t> of_book(flow.spec.symbols);
  for (std::size_t at = 0, next_sample = 0; const std::size_t stop : stops) {
    while (at < stop) {
      const std::span<const Record> span = timed.subspan(at, std::min<std::size_t>(64, stop - at));
      apply(span, target);
      for (const Record& record : span) {
        ++census.of_type[static_cast<std::size_t>(record.type)];
        ++of_book[record.book];
      }
      at += span.size();
      if (at < next_sample) continue;
      next_sample += sample_every;
      ++samples;
      census.resting += static_cast<double>(matcher->book().book().size());
      census.levels += static_cast<double>(level_count(matcher->book().book(), flow.spec.symbols));
    }
    flow.expected[stop] = target.digest;
  }
  census.messages = timed.size();
  census.rejected = target.digest.misses;
  census.resting /= static_cast<double>(samples);
  census.levels /= static_cast<double>(samples);
  census.busiest = static_cast<double>(std::ranges::max(of_book)) / static_cast<double>(timed.size());
}

}  // namespace

OrderFlow make_order_flow(const OrderFlowSpec& spec, std::span<const std::size_t> counts) {
  if (spec.symbols == 0) throw std::invalid_argument("--symbols must be at least 1");
  if (spec.messages == 0) throw std::invalid_argument("--messages must be at least 1");
  if (spec.standing == 0) throw std::invalid_argument("--standing must be at least 1");
  if (spec.workload != "macro" && spec.workload != "gaps")
    throw std::invalid_argument("--workload is macro or gaps, not '" + spec.workload + "'");
  OrderFlow flow;
  flow.spec = spec;
  const std::vector<BookNumber> books = draw_books(spec, spec.warm_up + spec.messages);
  std::vector<std::vector<std::size_t>> places(spec.symbols);
  for (std::size_t i = 0; i < books.size(); ++i) places[books[i]].push_back(i);
  BookPlanner planner(flow, books.size());
  for (std::size_t book = 0; book < spec.symbols; ++book) {
    planner.plan(static_cast<BookNumber>(book), places[book]);
    places[book] = {};
  }
  flow.warm_up = flow.records.size() + spec.warm_up;
  flow.books = {.books = spec.symbols, .capacity = planner.finish()};
  prove(flow, counts);
  // Room for half as many orders more than there ever are: what a venue would leave.
  flow.books.capacity = flow.census.resting_peak * 3 / 2 + 64;
  return flow;
}

double bytes_to_play(const OrderFlowSpec& spec) {
  constexpr double bytes_a_message =
      2 * sizeof(Record) + 64;  // the stream grows; places, and what is kept of each
  constexpr double bytes_an_order = 400;
  constexpr double bytes_a_book = 300'000;  // of which most is for planning it
  return bytes_a_message * static_cast<double>(spec.messages + spec.warm_up) +
         bytes_an_order * static_cast<double>(spec.symbols * spec.standing) +
         bytes_a_book * static_cast<double>(spec.symbols);
}

}  // namespace llmes::bench
