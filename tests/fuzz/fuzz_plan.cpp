// SPDX-License-Identifier: MIT
//
// Plans of streams as the flags of the benchmarks request them, from small to empty. The core must do what the
// plan expects of each batch.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/streams/plan.hpp"
#include "llmes/book.hpp"
#include "tests/fuzz/decoder.hpp"
#include "tests/fuzz/expect.hpp"

namespace llmes::test {
namespace {

using bench::Batch;
using bench::Digest;
using bench::Event;
using bench::Plan;
using bench::PlanSpec;

/// The core, as a plan's events go by.
template <std::size_t PriceLevels>
class PlanRunner {
 public:
  explicit PlanRunner(const Plan& plan)
      : book_(OrderBook<PriceLevels>::create({plan.base_price, plan.capacity}).value()),
        handles_(plan.order_count) {}

  Digest play(std::span<const Event> events) {
    Digest digest;
    for (const Event& event : events) {
      OrderHandle& handle = handles_[event.order];
      const Result result = book_.apply(
          {{event.order, handle}, event.price, event.quantity, event.type, event.side, event.time_in_force},
          digest);
      digest.count(result.status);
      if (result.handle != OrderHandle{}) handle = result.handle;
    }
    return digest;
  }
  [[nodiscard]] std::size_t size() const { return book_.size(); }

 private:
  OrderBook<PriceLevels> book_;
  std::vector<OrderHandle> handles_;
};

template <std::size_t PriceLevels>
void check(const Plan& plan) {
  expect(plan.price_levels == PriceLevels, "the band of the plan");
  PlanRunner<PriceLevels> runner(plan);
  std::size_t at = 0;
  for (const Batch& batch : plan.batches) {
    expect(at <= batch.rewarm_begin && batch.rewarm_begin <= batch.begin && batch.begin < batch.end &&
               batch.end <= plan.events.size(),
           "where a batch lies");
    const std::span<const Event> events(plan.events);
    runner.play(events.subspan(at, batch.begin - at));
    expect(runner.play(events.subspan(batch.begin, batch.end - batch.begin)) == batch.expected,
           "a batch's digest");
    expect(runner.size() == batch.resting_end, "the orders resting after a batch");
    at = batch.end;
  }
}

}  // namespace
}  // namespace llmes::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace llmes::test;
  Decoder decoder({data, size});
  PlanSpec spec;
  spec.workload = std::array{"macro", "wide", "classic"}[decoder.below(3)];
  spec.snapshots = decoder.below(2) == 1;
  spec.standing = decoder.below(256) * decoder.below(64);
  spec.batches = decoder.below(4);
  spec.batch = 1 + decoder.below(256) * (1 + decoder.below(8));
  spec.rewarm = decoder.below(256);
  spec.warm_up = decoder.below(256) * decoder.below(32);
  spec.seed = 0;
  for (int i = 0; i < 8; ++i) spec.seed = spec.seed * 256 + decoder.below(256);
  const Plan plan = llmes::bench::make_plan(spec);
  if (plan.price_levels == 4096) {
    check<4096>(plan);
  } else {
    check<131'072>(plan);
  }
  return 0;
}
