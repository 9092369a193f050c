// SPDX-License-Identifier: MIT
//
// How long an engine takes to be there again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/programs/engine/order_flow.hpp"

namespace llmes::bench {

struct RecoveryTimes {
  std::size_t commands = 0;
  std::size_t resting = 0;          ///< orders at the end
  std::uint64_t journal_bytes = 0;  ///< of the records
  std::uint64_t snapshot_bytes = 0;
  std::vector<double> from_journal;   ///< seconds until an engine is made, from the journal alone; one a round
  std::vector<double> make_snapshot;  ///< seconds to make a snapshot from the journal alone
  std::vector<double> from_snapshot;  ///< seconds until an engine is made, from a snapshot of the last command
};

/// Writes all commands of a flow to a journal in a new folder in `folder`, and recovers from it. The system has
/// the files in its memory all the time. Throws std::runtime_error if what is recovered is not what was played.
[[nodiscard]] RecoveryTimes time_recovery(const OrderFlow& flow, const std::string& folder, std::size_t rounds);

}  // namespace llmes::bench
