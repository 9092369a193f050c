// SPDX-License-Identifier: MIT
//
// All orders of an owner taken off a book: one by one by their handles, or by one mass cancel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bench/harness/runner.hpp"

namespace llmes::bench {

enum class CancelBy { Handle, Owner };

/// Each batch adds `orders` orders of one owner, untimed, to as many of others, and times how they go. They lie at
/// 64 prices a side, and come in an order that is drawn.
[[nodiscard]] std::unique_ptr<Runner> enter_cancels(CancelBy by, std::size_t orders, std::uint64_t seed);

}  // namespace llmes::bench
