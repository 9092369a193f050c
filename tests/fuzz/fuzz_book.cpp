// SPDX-License-Identifier: MIT
//
// The conformance check on sequences that libFuzzer makes up. A failure is printed as a test to paste.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "llmes/llmes.hpp"
#include "tests/conformance.hpp"
#include "tests/fuzz/decoder.hpp"
#include "tests/shrink.hpp"

namespace llmes::test {
namespace {

template <std::size_t PriceLevels>
void check(Decoder& decoder) {
  using Book = OrderBook<PriceLevels>;
  const BookConfig config = decoder.config(PriceLevels);
  const std::vector<Operation> operations = decoder.operations();
  const std::optional<Disagreement> found = run_conformance<Book>(config, operations);
  if (!found) return;
  const std::vector<Operation> shortest = shrink(operations, [&](const std::vector<Operation>& candidate) {
    return run_conformance<Book>(config, candidate).has_value();
  });
  const std::string book_type = "OrderBook<" + std::to_string(PriceLevels) + ">";
  std::fprintf(stderr, "%s\n\n%s", found->what.c_str(),
               source_of_test(book_type, config.base_price, config.capacity, shortest).c_str());
  std::abort();
}

}  // namespace
}  // namespace llmes::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace llmes::test;
  Decoder decoder({data, size});
  switch (decoder.below(3)) {
    case 0: check<64>(decoder); break;
    case 1: check<4096>(decoder); break;
    default: check<8192>(decoder); break;
  }
  return 0;
}
