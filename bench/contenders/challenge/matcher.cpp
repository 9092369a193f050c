// SPDX-License-Identifier: MIT
//
// What an engine runs, one message at a time, as at low load.
#include "bench/contenders/challenge/matcher_adapter.hpp"

namespace llmes::challenge {
using Engine = MatcherAdapter;
}  // namespace llmes::challenge

#include "bench/contenders/challenge/entry.hpp"
