// SPDX-License-Identifier: MIT
//
// A synthetic day of NASDAQ TotalView-ITCH 5.0, fitted to published figures of a day: 268.7 million messages about
// 8,907 symbols. It is the same for the same spec on every machine. Every message is valid: it names only orders
// that rest, and takes no more shares off them than they have.
//
// What it has: adds, deletes, replaces, executions and partial cancels over symbols whose activity follows a power
// law; a session from 4:00 to 20:00 with bursts at its opening and its closing cross; orders that build up until
// the afternoon; prices from cents to thousands of dollars in two tick regimes, some between two ticks; stub
// quotes at both ends; halts during which a book crosses, and the auction at their end; and the messages about the
// market and its symbols. Only small days lack some type of message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/streams/digest.hpp"

namespace llmes::bench {

struct ItchDaySpec {
  std::size_t messages = 20'000'000;
  std::size_t symbols = 8'907;
  std::uint64_t seed = 1;
  /// The most orders that rest at once. By default as many for each symbol as on the published day (1,924,078 for
  /// 8,907), and at most 97 for 1,000 messages.
  std::optional<std::size_t> peak_resting{};
  /// Whether a third of the symbols trade in half pennies, and one of a hundred in hundredths of a cent, from one
  /// dollar on. Nothing else differs: the same orders come, at the same number of steps from a dollar.
  bool has_fine_symbols = false;
};

/// What is on a tape. An order of a replace counts like one of an add.
struct ItchDayCensus {
  std::array<std::uint64_t, 128> by_type{};  ///< messages, by the letter of their type

  std::size_t peak_resting = 0;
  std::size_t peak_levels = 0;     ///< occupied levels of all symbols, with both of a replace
  double levels_at_open = 0;       ///< occupied levels of a symbol, on average, before the opening cross
  std::size_t busiest_levels = 0;  ///< of the symbol that has most then
  std::size_t median_levels = 0;   ///< of the symbol in the middle

  std::uint64_t off_grid = 0;  ///< orders at a dollar or more whose price is no whole cent
  std::uint64_t stubs = 0;     ///< bids at 0.0001 or 0.01 dollars and asks at 199,999.99 dollars
  std::uint64_t crossed = 0;   ///< messages about an order that found its book locked or crossed
  std::uint64_t halts = 0;
  double busiest = 0;  ///< the share of all messages about orders that the busiest symbol gets
  double median = 0;   ///< and that the symbol in the middle gets

  [[nodiscard]] std::uint64_t count(char type) const { return by_type[static_cast<std::size_t>(type)]; }
  [[nodiscard]] std::uint64_t adds() const { return count('A') + count('F'); }
  [[nodiscard]] std::uint64_t deletes() const { return count('D'); }
  [[nodiscard]] std::uint64_t replaces() const { return count('U'); }
  [[nodiscard]] std::uint64_t executes() const { return count('E') + count('C'); }
  [[nodiscard]] std::uint64_t cancels() const { return count('X'); }
  [[nodiscard]] std::uint64_t others() const;
  [[nodiscard]] std::uint64_t messages() const;
};

/// The state after some messages, which a replay must reach too.
struct ItchCheckpoint {
  std::size_t messages = 0;
  std::size_t bytes = 0;  ///< of the tape, up to the end of the last message
  std::size_t resting = 0;
  /// After each message about an order (A, F, E, C, X, D, U) the best prices of its book are folded in with
  /// `fold_best`, in ten-thousandths of a dollar.
  Digest best;
};

struct ItchDay {
  static constexpr std::size_t checkpoint_every = std::size_t{1} << 20;

  std::vector<std::byte> tape;  ///< each message behind its length in two bytes, big-endian, as in a BinaryFILE
  ItchDayCensus census;
  std::vector<ItchCheckpoint> checkpoints;  ///< one every 2^20 messages, and one at the end
  /// The `QueueChecksum` of all orders at the end. The number of a book is its locate; prices are in
  /// ten-thousandths.
  std::uint64_t final_queues = 0;
};

/// Makes the day, in a time that grows like the number of messages: 20 million take less than a minute. Throws
/// std::invalid_argument for no symbols or more than 65,535, for more than 2^32 - 1 messages or fewer than
/// 7 + 5 * symbols, which is what a day has without orders, and for a peak that is 0 or more than a tenth of the
/// messages.
[[nodiscard]] ItchDay make_itch_day(const ItchDaySpec& spec);

/// The shares of the kinds of messages beside the published ones, as a table, and what else was counted.
[[nodiscard]] std::string mix_table(const ItchDayCensus& census);

}  // namespace llmes::bench
