// SPDX-License-Identifier: MIT
//
// Makes the same calls on a book with rules and on its oracle, and compares each answer, each event in order and
// all that rests. Needs no GoogleTest, so that fuzzers can use it too.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/any_ruled_book.hpp"
#include "tests/support/conformance.hpp"
#include "tests/support/ruled_operation.hpp"
#include "tests/support/rules_oracle.hpp"

namespace llmes::test {

/// The oracle that a book of this kind is to be like.
RulesOracleConfig oracle_config(const RuledKind& kind, const AnyRuledBook& book, std::size_t capacity);

/// Puts a fresh book through `operations`, comparing the answers after each, and the whole state with the
/// invariants after each `state_every` of them and at the end.
std::optional<Disagreement> run_rules(const RuledKind& kind, std::size_t capacity,
                                      const std::vector<RuledOperation>& operations, std::size_t state_every = 1);

/// What is wrong, and a test to paste that shows it with few operations; empty if nothing is.
std::string why_rules_fail(const RuledKind& kind, std::size_t capacity, std::vector<RuledOperation> operations,
                           std::size_t state_every = 1);

}  // namespace llmes::test
