// SPDX-License-Identifier: MIT
//
// Makes the profile of a build of the split book: plays every kind of stream, with a seed that no measurement
// uses.
#include <cstdio>
#include <exception>
#include <memory>

#include "bench/harness/runner.hpp"
#include "bench/streams/plan.hpp"

namespace llmes::bench {
std::unique_ptr<Runner> LLMES_ENTER(const Plan& plan);
}  // namespace llmes::bench

int main(int, char** argv) {
  using namespace llmes::bench;
  try {
    for (const PlanSpec& kind : {PlanSpec{.workload = "classic"}, PlanSpec{.standing = 5000},
                                 PlanSpec{.standing = 100'000}, PlanSpec{.workload = "wide"}}) {
      PlanSpec spec = kind;
      spec.seed = 1'000'001;
      spec.batches = 2;
      spec.warm_up = 100'000;
      const Plan plan = make_plan(spec);
      const std::unique_ptr<Runner> book = LLMES_ENTER(plan);
      book->start();
      for (std::size_t batch = 0; batch < spec.batches; ++batch) book->run(batch, nullptr);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
  return 0;
}
