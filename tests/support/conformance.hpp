// SPDX-License-Identifier: MIT
//
// Makes the same operations on a book and on the oracle, and compares everything that both answer. Needs no
// GoogleTest, so that fuzzers can use it too.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/any_book.hpp"
#include "tests/support/operation.hpp"

namespace llmes::test {

/// The first thing on which a book and the oracle disagree.
struct Disagreement {
  std::size_t operation;  ///< its position in the sequence
  std::string what;
};

/// Puts a fresh book through `operations`, comparing the answers after each and the whole state after each
/// `state_every` of them and at the end. The invariants of the core are walked as often, in wide bands less often.
std::optional<Disagreement> run_conformance(const BookType& type, const BookConfig& config,
                                            const std::vector<Operation>& operations, std::size_t state_every = 1);

template <bench::MatchingBook Book>
std::optional<Disagreement> run_conformance(const BookConfig& config, const std::vector<Operation>& operations,
                                            std::size_t state_every = 1) {
  return run_conformance(book_type<Book>(), config, operations, state_every);
}

/// A short failing sequence made from `operations`, the first `failing` of which fail.
std::vector<Operation> shortest_failure(const BookType& type, const BookConfig& config,
                                        std::vector<Operation> operations, std::size_t failing,
                                        std::size_t state_every = 1);

}  // namespace llmes::test
