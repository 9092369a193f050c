// SPDX-License-Identifier: MIT
//
// The reference book of the benchmarks against the oracle: two naive designs, written apart, that must agree.
#include "bench/books/reference.hpp"
#include "tests/conformance_suite.hpp"

namespace llmes::test {
namespace {

INSTANTIATE_TEST_SUITE_P(ReferenceBook, ConformanceSuite, (bands<bench::ReferenceBook, 64, 4096>()), by_band);

}  // namespace
}  // namespace llmes::test
