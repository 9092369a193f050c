// SPDX-License-Identifier: MIT
//
// Says in words where a book and the oracle disagree.
#pragma once

#include <sstream>
#include <string>

#include "tests/support/print.hpp"

namespace llmes::test {

/// Puts a difference into `note` unless there is one already: the first is the one to look at.
template <class T>
void note_difference(std::string& note, const char* what, const T& expected, const T& actual) {
  if (expected == actual || !note.empty()) return;
  std::ostringstream out;
  out << what << ": expected ";
  describe(out, expected);
  out << ", the book says ";
  describe(out, actual);
  note = out.str();
}

}  // namespace llmes::test
