// SPDX-License-Identifier: MIT
//
// What an engine runs, in spans, as under load. A span prefetches for its later messages, which changes no report.
// But the challenge wants no message read before those ahead of it are matched, so this adapter is not for its
// tables.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "bench/contenders/challenge/matcher_adapter.hpp"

namespace llmes::challenge {
using Engine = MatcherAdapter;
}  // namespace llmes::challenge

#include "bench/contenders/challenge/entry.hpp"

extern "C" void engine_on_batch(const me_msg_t* messages, std::uint32_t count) {
  using namespace llmes::challenge;
  static std::array<llmes::Record, 256> records;
  for (std::span left(messages, count); !left.empty();) {
    const auto span = left.first(std::min(records.size(), left.size()));
    std::transform(span.begin(), span.end(), records.begin(), [](const me_msg_t& message) {
      return visit(message,
                   [](const auto& one) { return record_of_message(request_of(one), one.sequence_number); });
    });
    engine->apply(std::span(records).first(span.size()), reports);
    left = left.subspan(span.size());
  }
}
