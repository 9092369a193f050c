// SPDX-License-Identifier: MIT
//
// The conformance check on sequences that libFuzzer makes up, also on a book of a set whose neighbours are busy,
// and by id where the orders of a set live where their ids say. A failure is printed as a test to paste.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "llmes/book.hpp"
#include "tests/fuzz/bands.hpp"
#include "tests/fuzz/decoder.hpp"
#include "tests/support/book_by_id.hpp"
#include "tests/support/busy_set_book.hpp"
#include "tests/support/conformance.hpp"

namespace llmes::test {
namespace {

void check(const BookType& type, std::size_t price_count, Decoder& decoder) {
  const BookConfig config = decoder.config(price_count);
  const std::vector<Operation> operations = decoder.operations();
  const std::optional<Disagreement> found = run_conformance(type, config, operations);
  if (!found) return;
  const std::vector<Operation> shortest = shortest_failure(type, config, operations, found->operation + 1);
  std::fprintf(stderr, "%s\n\n%s", found->what.c_str(),
               source_of_test(type.name, config.base_price, config.capacity, shortest).c_str());
  std::abort();
}

}  // namespace
}  // namespace llmes::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace llmes::test;
  Decoder decoder({data, size});
  const std::size_t choice = decoder.below(64);
  if (choice % 8 == 6) {
    constexpr std::array kinds{book_type<BusySetBook>, book_type<BusyPlacedBook>, book_type<BusySetBook>,
                               book_type<BookById<llmes::PlacedBookSet, llmes::PlacedIds>>};
    check(kinds[choice / 8 % kinds.size()](), llmes::PoolView::window * 3 / 2, decoder);
    return 0;
  }
  with_book(choice, [&]<class Book> { check(book_type<Book>(), price_count<Book>, decoder); });
  return 0;
}
