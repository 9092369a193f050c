// SPDX-License-Identifier: MIT
//
// Events of books with rules as text, for failure messages.
#pragma once

#include <ostream>
#include <variant>

#include "llmes/types/text.hpp"
#include "tests/support/ruled_sweep.hpp"

namespace llmes::test {

inline std::ostream& operator<<(std::ostream& out, const Refilled& event) {
  return out << "refilled: " << event.order;
}
inline std::ostream& operator<<(std::ostream& out, const MassCancelled& event) {
  return out << "cancelled: " << event.order;
}
inline std::ostream& operator<<(std::ostream& out, const RuleEvent& event) {
  std::visit([&out](const auto& one) { out << one; }, event);
  return out;
}

}  // namespace llmes::test
