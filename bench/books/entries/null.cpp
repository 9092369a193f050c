// SPDX-License-Identifier: MIT
#include "bench/books/null.hpp"
#include "bench/books/enter.hpp"
#include "bench/books/registry.hpp"

namespace llmes::bench {

std::unique_ptr<Contestant> enter_null(const Plan& plan) {
  return enter<Replay, NullBook>(plan);
}

}  // namespace llmes::bench
