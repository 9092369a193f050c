// SPDX-License-Identifier: MIT
//
// The reference book of the benchmarks against the oracle: two naive designs, written apart, that must agree.
#include "bench/books/reference.hpp"
#include "tests/conformance_suite.hpp"

namespace llmes::test {
namespace {

using Books = ::testing::Types<bench::ReferenceBook<64>, bench::ReferenceBook<4096>>;
INSTANTIATE_TYPED_TEST_SUITE_P(ReferenceBook, ConformanceSuite, Books);

}  // namespace
}  // namespace llmes::test
