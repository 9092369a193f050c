// SPDX-License-Identifier: MIT
#include "bench/programs/engine/instrument_flow.hpp"

#include <stdexcept>
#include <string>

#include "absl/strings/str_format.h"

namespace llmes::bench {
namespace {

BinaryMessage binary_of(const MarketRequest& request) {
  return {request.id,
          request.new_id,
          static_cast<std::uint64_t>(request.price),
          static_cast<std::uint32_t>(request.quantity),
          static_cast<std::uint16_t>(request.book),
          static_cast<std::uint8_t>(request.type),
          static_cast<std::uint8_t>(request.side)};
}

std::string json_text_of(const MarketRequest& request) {
  return absl::StrFormat(R"({"instrument":%d,"type":%d,"id":%d,"new_id":%d,"side":%d,"price":%d,"quantity":%d})",
                         request.book, static_cast<int>(request.type), request.id, request.new_id,
                         static_cast<int>(request.side), request.price, request.quantity);
}

}  // namespace

SignalMarket SignalMarket::create(const MarketConfig& config) {
  std::optional<SetMarket> market = SetMarket::create(config);
  if (!market) throw std::runtime_error("the books could not be made: too little memory?");
  return SignalMarket(*std::move(market));
}

Signal SignalMarket::answer(const MarketRequest& request) {
  Signal signal{.instrument = request.book, .status = apply(request).status};
  const auto book = set_.book(request.book);
  if (!book) return signal;
  const auto lots = [&](Side side) {
    const std::optional<Price> best = book->best(side);
    return best ? static_cast<std::int64_t>(book->level(side, *best).quantity) : 0;
  };
  const std::int64_t bid = lots(Side::Buy);
  const std::int64_t ask = lots(Side::Sell);
  if (bid + ask > 0) signal.imbalance = (bid - ask) * 1'000'000 / (bid + ask);
  return signal;
}

InstrumentFlow make_instrument_flow(const OrderFlowSpec& spec, std::span<const std::size_t> counts,
                                    bool with_json) {
  MarketSpec market_spec;
  market_spec.standing = spec.symbols * spec.standing;
  market_spec.seed = spec.seed;
  market_spec.batches = 1;
  market_spec.batch = spec.messages;
  market_spec.rewarm = 0;
  market_spec.warm_up = spec.warm_up;
  market_spec.symbols = spec.symbols;
  const MarketPlan plan = make_market_plan(market_spec);
  const MarketCensus census = census_of(plan);

  InstrumentFlow flow;
  flow.books = {spec.symbols, plan.capacity, plan.levels};
  flow.warm_up = plan.batches.front().begin;
  flow.resting = census.per_event(census.resting_sum);
  flow.levels_peak = plan.levels;
  flow.binary.reserve(plan.requests.size());
  for (const MarketRequest& request : plan.requests) {
    flow.binary.push_back(binary_of(request));
    if (!with_json) continue;
    const std::string text = json_text_of(request);
    if (text.size() > JsonMessage::longest) throw std::logic_error("a message is too long: " + text);
    flow.json_begin.push_back(flow.json.size());
    flow.json.insert(flow.json.end(), text.begin(), text.end());
  }
  if (with_json) flow.json_begin.push_back(flow.json.size());

  SignalMarket market = SignalMarket::create(flow.books);
  Digest digest;
  for (std::size_t i = 0; i < plan.requests.size(); ++i) {
    if (i == flow.warm_up) digest = {};
    fold_signal(digest, market.answer(plan.requests[i]));
    for (const std::size_t count : counts) {
      if (i + 1 == flow.warm_up + count) flow.expected[count] = digest;
    }
  }
  return flow;
}

}  // namespace llmes::bench
