// SPDX-License-Identifier: MIT
#include "bench/books/enter.hpp"
#include "bench/books/registry.hpp"
#include "llmes/llmes.hpp"

namespace llmes::bench {

std::unique_ptr<Contestant> enter_core(const Plan& plan) {
  return enter<Replay, OrderBook>(plan);
}

}  // namespace llmes::bench
