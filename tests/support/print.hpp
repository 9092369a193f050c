// SPDX-License-Identifier: MIT
//
// Prints values, optional ones and lists in failure messages.
#pragma once

#include <optional>
#include <ostream>
#include <vector>

#include "llmes/types/text.hpp"

namespace llmes::test {

/// Writes a value, an optional one, or a list of them.
template <class T>
void describe(std::ostream& out, const T& value) {
  out << value;
}
template <class T>
void describe(std::ostream& out, const std::optional<T>& value) {
  if (value) {
    out << *value;
  } else {
    out << "none";
  }
}
template <class T>
void describe(std::ostream& out, const std::vector<T>& values) {
  out << values.size() << " of them";
  for (const T& value : values) out << "\n    " << value;
}

}  // namespace llmes::test
