// SPDX-License-Identifier: MIT
//
// A sink that keeps every trade, however many there are.
#pragma once

#include <vector>

#include "llmes/types/types.hpp"

namespace llmes::test {

struct RecordTrades {
  std::vector<Trade> trades;

  void operator()(const Trade& trade) { trades.push_back(trade); }
};

}  // namespace llmes::test
