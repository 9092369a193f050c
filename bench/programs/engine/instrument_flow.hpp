// SPDX-License-Identifier: MIT
//
// The case of a trading program that follows a market: messages about many instruments come in as bytes, the book
// of each instrument is kept, and each message is answered by a signal from it. The messages are those of the
// stream `many`, which nothing in a book matches, in two forms: binary numbers of fixed size, and JSON text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/contenders/set_market.hpp"
#include "bench/programs/engine/order_flow.hpp"
#include "bench/streams/digest.hpp"
#include "bench/streams/market_plan.hpp"
#include "llmes/itch/messages.hpp"

namespace llmes::bench {

/// A message as it comes from a venue: big-endian numbers, without gaps.
struct BinaryMessage {
  itch::Field<std::uint64_t> id;
  itch::Field<std::uint64_t> new_id;
  itch::Field<std::uint64_t> price;  ///< two's complement
  itch::Field<std::uint32_t> quantity;
  itch::Field<std::uint16_t> instrument;
  itch::Field<std::uint8_t> type;
  itch::Field<std::uint8_t> side;
};
static_assert(sizeof(BinaryMessage) == 32);

/// The same as text, with the room behind it that its parser wants.
struct JsonMessage {
  static constexpr std::size_t longest = 188;
  static constexpr std::size_t padding = 64;

  std::uint32_t length;
  char text[longest + padding];
};
static_assert(sizeof(JsonMessage) == 256);

/// The answer to a message. `imbalance` is that of the lots at the best prices, from -1,000,000 if all of them are
/// for sale to 1,000,000; 0 without any.
struct Signal {
  std::uint64_t message = 0;
  std::uint64_t due = 0;
  std::int64_t imbalance = 0;
  std::uint32_t instrument = 0;
  Status status = Status::Success;
};

inline void fold_signal(Digest& digest, const Signal& signal) noexcept {
  digest.count(signal.status);
  const std::uint64_t word =
      static_cast<std::uint64_t>(signal.imbalance) ^ (std::uint64_t{signal.instrument} << 32);
  digest.checksum = (digest.checksum ^ word) * 0x9e3779b97f4a7c15u;
  digest.checksum ^= digest.checksum >> 29;
}

/// The books, and what is read from them.
class SignalMarket : public SetMarket {
 public:
  /// Throws std::runtime_error if there is too little memory.
  [[nodiscard]] static SignalMarket create(const MarketConfig& config);

  /// Applies a request and reads the signal of its book.
  [[nodiscard]] Signal answer(const MarketRequest& request);

 private:
  explicit SignalMarket(SetMarket&& market) : SetMarket(std::move(market)) {}
};

struct InstrumentFlow {
  MarketConfig books;
  std::vector<BinaryMessage> binary;
  std::vector<char> json;               ///< all texts, one after the other; none without the parser
  std::vector<std::size_t> json_begin;  ///< where each begins, and where the last one ends
  std::size_t warm_up = 0;
  double resting = 0;
  std::size_t levels_peak = 0;
  std::map<std::size_t, Digest> expected;  ///< as of `OrderFlow`

  [[nodiscard]] std::string_view json_of(std::size_t message) const {
    return {json.data() + json_begin[message], json_begin[message + 1] - json_begin[message]};
  }
};

/// Plans the flow, and answers it once. `with_json`: whether to write it as text too.
[[nodiscard]] InstrumentFlow make_instrument_flow(const OrderFlowSpec& spec, std::span<const std::size_t> counts,
                                                  bool with_json);

}  // namespace llmes::bench
