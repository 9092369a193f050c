// SPDX-License-Identifier: MIT
//
// The commands of a venue for an engine: many books, each of which has a stream to itself, so that they trade, and
// which are active by a power law. The stream is `macro`, or `gaps`, whose best prices jump. Everything is planned
// before any clock starts, and played once on a matcher by itself: so it is known what books it meets, and what
// every later replay must come to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "bench/streams/digest.hpp"
#include "llmes/engine.hpp"
#include "llmes/ids/id_book.hpp"

namespace llmes::bench {

/// The books of the engine: ids are looked up by hashing, so nothing is assumed about them.
using EngineBooks = IdBook<BookSet, HashedIds>;

struct OrderFlowSpec {
  std::string workload = "macro";  ///< the stream of each book: macro or gaps
  std::size_t symbols = 256;
  std::size_t standing = 500;  ///< the number of resting orders that each book is held near
  std::size_t warm_up = 100'000;
  std::size_t messages = 1'000'000;  ///< behind the warm-up
  std::uint64_t seed = 1;
};

/// What happened behind the warm-up. Orders and levels are means over samples.
struct FlowCensus {
  static constexpr std::size_t types = 6;
  static constexpr std::size_t kinds = 7;

  std::size_t messages = 0;
  std::array<std::uint64_t, types> of_type{};    ///< by `CommandType`; the flow has no others
  std::array<std::uint64_t, kinds> of_report{};  ///< by `ReportKind`
  std::uint64_t rejected = 0;
  double resting = 0;
  std::size_t resting_peak = 0;
  double levels = 0;
  double busiest = 0;  ///< the share of the messages that the busiest book gets
  /// The shares of the messages, those of the warm-up too, that move a best price by more than 64 and 4,096 ticks.
  double jumps_64 = 0;
  double jumps_4096 = 0;
  Price jump_max = 0;  ///< by how many ticks at most

  [[nodiscard]] double per_message(ReportKind kind) const {
    return static_cast<double>(of_report[static_cast<std::size_t>(kind)]) / static_cast<double>(messages);
  }
};

struct OrderFlow {
  OrderFlowSpec spec;
  MatcherConfig<EngineBooks> books;
  std::vector<Record> records;  ///< without numbers and times
  std::size_t warm_up = 0;      ///< so many of them come first: they fill the books and the caches
  FlowCensus census;
  std::map<std::size_t, Digest> expected;  ///< by the number of messages behind the warm-up
};

/// What a client makes of a report.
inline void fold_report(Digest& digest, const Report& report) noexcept {
  std::uint64_t word = 0;
  if (report.kind == ReportKind::Executed) {
    word = report.fill.maker_id ^ (static_cast<std::uint64_t>(report.fill.price) << 20) ^
           (report.fill.quantity << 44);
    ++digest.fills;
  } else if (report.kind == ReportKind::Done) {
    word = report.sequence ^ (report.outcome.filled << 32) ^ (report.outcome.remaining << 48);
    digest.count(report.status);
  } else {
    return;
  }
  digest.checksum = (digest.checksum ^ word) * 0x9e3779b97f4a7c15u;
  digest.checksum ^= digest.checksum >> 29;
}

/// Plans the flow, and plays it once. `counts` are the numbers of messages after which the digest is asked for.
/// Throws std::invalid_argument for another workload, and for no symbols, messages or orders.
[[nodiscard]] OrderFlow make_order_flow(const OrderFlowSpec& spec, std::span<const std::size_t> counts);

/// About how many bytes it takes to plan it and to play it with all latencies kept.
[[nodiscard]] double bytes_to_play(const OrderFlowSpec& spec);

}  // namespace llmes::bench
