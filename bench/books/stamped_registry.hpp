// SPDX-License-Identifier: MIT
//
// The books whose calls can be timed one by one, by name. A new one is a line in stamped_books.inc.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bench/harness/stamped_replay.hpp"

namespace llmes::bench {

using EnterStamped = std::unique_ptr<StampedRunner> (*)(const Plan& plan);

/// How to enter the book of that name. Throws std::invalid_argument, with the names of all, if there is none.
[[nodiscard]] EnterStamped find_stamped_book(std::string_view name);

}  // namespace llmes::bench
