// SPDX-License-Identifier: MIT
#include "bench/books/enter.hpp"
#include "bench/books/registry.hpp"
#include "bench/books/span_fed.hpp"

namespace llmes::bench {

std::unique_ptr<Contestant> enter_core_span(const Plan& plan) {
  return enter<Replay, SpanFedBook>(plan);
}

}  // namespace llmes::bench
