// SPDX-License-Identifier: MIT
#include "bench/books/reference.hpp"
#include "bench/books/enter.hpp"
#include "bench/books/registry.hpp"

namespace llmes::bench {

std::unique_ptr<Contestant> enter_reference(const Plan& plan) {
  return enter<SnapshotReplay, ReferenceBook>(plan);
}

}  // namespace llmes::bench
