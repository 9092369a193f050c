// SPDX-License-Identifier: MIT
#include "bench/streams/market_plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bench/streams/many.hpp"

namespace llmes::bench {

void MarketCensus::add(const MarketCensus& other) {
  Census::add(other);
  replaces += other.replaces;
  reduces += other.reduces;
  taken_off += other.taken_off;
  near += other.near;
  far += other.far;
  crossed += other.crossed;
}

MarketCensus census_of(const MarketPlan& plan) {
  MarketCensus census;
  for (const MarketBatch& batch : plan.batches) census.add(batch.census);
  return census;
}

MarketPlan make_market_plan(const MarketSpec& spec) {
  if (spec.batch == 0) throw std::invalid_argument("a batch needs at least one event");
  ManyFlow flow(spec);
  MarketPlanner& planner = flow.planner();
  const auto play = [&](std::size_t messages) {
    for (std::size_t i = 0; i < messages; ++i) flow.step();
  };
  flow.seed();
  play(spec.warm_up);
  for (std::size_t i = 0; i < spec.batches; ++i) {
    planner.start_batch();
    play(spec.rewarm);
    planner.start_window();
    play(spec.batch);
    planner.end_window();
  }
  return std::move(planner).finish();
}

double bytes_to_play(const MarketSpec& spec, std::size_t books) {
  // Of the planner, which goes when the plan is made: two numbers an order, and for one that rests, of which there
  // is room for twice as many, its slot, its place among those that rest, and half a level.
  constexpr double bytes_an_order = 8;
  constexpr double bytes_of_planner = 140;
  // Of a contestant, beside the requests of its window: an order, its level and its reference.
  constexpr double bytes_a_resting_order = 300;
  const std::size_t requests = MarketPlanner::message_count(spec) + books * spec.batch;
  const auto standing = static_cast<double>(spec.standing);
  return static_cast<double>(sizeof(MarketRequest) * requests) +
         std::max(
             bytes_an_order * static_cast<double>(MarketPlanner::order_count(spec)) + bytes_of_planner * standing,
             bytes_a_resting_order * static_cast<double>(books) * standing);
}

}  // namespace llmes::bench
