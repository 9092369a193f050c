// SPDX-License-Identifier: MIT
//
// Books with rules on calls that libFuzzer makes up, with terms, mass cancels and mistakes, against the oracle.
// Six bytes make a call. A failure is printed as a test to paste.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tests/support/ruled_conformance.hpp"
#include "tests/support/ruled_kinds.hpp"

namespace llmes::test {
namespace {

class RuledDecoder {
 public:
  explicit RuledDecoder(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool done() const { return bytes_.empty(); }
  /// A number below `bound`; 0 when the bytes are used up.
  std::size_t below(std::size_t bound) {
    if (bytes_.empty()) return 0;
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first % bound;
  }

  RuledOperation operation(const RuledKind& kind) {
    const std::size_t type = below(128);
    const std::size_t how = below(64);
    RuledOperation operation;
    operation.way = static_cast<Way>(how % ways);
    operation.book = static_cast<BookNumber>(how / 4 % kind.books);
    if (type == 127) return mass_cancel(kind, operation);
    if (type >= 124) return of_the_book(type, operation);
    if (type == 123) return auction(kind, operation);
    const std::size_t terms = below(256);
    const OrderId order = below(24);
    const std::size_t where = below(64);
    const Side side = where % 2 == 0 ? Side::Buy : Side::Sell;
    const Price price =
        where >= 60 ? std::numeric_limits<Price>::max() : kind.prices[where / 2 % kind.prices.size()];
    const Quantity quantity = this->quantity();
    operation.terms.owner = static_cast<Owner>(terms % 3);
    operation.terms.self_trade = static_cast<SelfTrade>(terms / 3 % 6);
    operation.call = call(type, order, side, price, quantity);
    if (type % 8 < 2 || replaces(operation.call.type)) {
      operation.terms.display = static_cast<Display>(terms / 18 % 4);
      if (operation.terms.display == Display::Reserve) operation.terms.peak = peak(quantity);
    }
    if (terms >= 240) operation.terms.minimum = 1 + below(16);
    return operation;
  }

 private:
  Operation call(std::size_t type, OrderId order, Side side, Price price, Quantity quantity) {
    const auto time_in_force = static_cast<TimeInForce>(type / 8 % 4);
    switch (type % 8) {
      case 0: return add_limit(order, side, price, quantity);
      case 1: return add_resting(order, side, price, quantity);
      case 2: return add_limit(order, side, price, quantity, time_in_force);
      case 3: return type < 64 ? add_market(order, side, quantity) : cancel(order);
      case 4: return reduce(order, quantity);
      case 5: return modify(order, price, quantity, time_in_force);
      case 6:
        if (type >= 64) return modify_resting(order, price, quantity);
        return replace_resting(order, below(24), price, quantity);
      default: return replace(order, below(24), price, quantity, time_in_force);
    }
  }

  RuledOperation mass_cancel(const RuledKind& kind, RuledOperation operation) {
    operation.what = RuledOperation::What::MassCancel;
    CancelScope& scope = operation.scope;
    const std::size_t choice = below(256);
    scope.owner = static_cast<Owner>(choice % 4);
    if (choice / 4 % 4 < 2) scope.side = static_cast<Side>(choice / 4 % 4);
    if (choice / 4 % 4 == 2 && choice >= 240) scope.side = static_cast<Side>(below(256));
    if (choice / 16 % 2 == 1) scope.lowest = kind.prices[below(kind.prices.size())];
    if (choice / 32 % 2 == 1) scope.highest = kind.prices[below(kind.prices.size())];
    if (choice / 64 % 2 == 1) scope.book = static_cast<BookNumber>(below(kind.books + 1));
    return operation;
  }

  RuledOperation auction(const RuledKind& kind, RuledOperation operation) {
    operation.what = RuledOperation::What::Auction;
    const std::size_t choice = below(256);
    operation.call.price = kind.prices[choice % kind.prices.size()] + static_cast<Price>(choice / 8 % 3) - 1;
    operation.call.quantity = choice / 32 % 4 == 3 ? 1 : 0;
    operation.terms.self_trade = choice >= 248   ? static_cast<SelfTrade>(below(8))
                                 : choice >= 128 ? SelfTrade::Decrement
                                                 : SelfTrade::Allow;
    return operation;
  }

  RuledOperation of_the_book(std::size_t type, RuledOperation operation) {
    using What = RuledOperation::What;
    operation.what = type == 126 ? What::Clear : type == 125 ? What::Recenter : What::Move;
    const std::size_t choice = below(128);
    operation.call.side = choice % 2 == 0 ? Side::Buy : Side::Sell;
    operation.call.price = static_cast<Price>(choice) - 96;
    return operation;
  }

  Quantity quantity() {
    const std::size_t choice = below(256);
    if (choice < 224) return choice % 16;
    const Quantity anchor = choice % 2 == 0 ? std::numeric_limits<Quantity>::max() : Quantity{1} << 63;
    return anchor - choice / 2 % 8;
  }
  /// Mostly a part of the quantity.
  Quantity peak(Quantity quantity) {
    const std::size_t choice = below(32);
    if (choice >= 24) return quantity + choice - 24;
    return quantity < 16 ? choice : quantity / 16 * (choice + 1);
  }

  std::span<const std::uint8_t> bytes_;
};

}  // namespace
}  // namespace llmes::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace llmes::test;
  static const std::vector<RuledKind> kinds = all_ruled_kinds();
  RuledDecoder decoder({data, size});
  const RuledKind& kind = kinds[decoder.below(kinds.size())];
  const std::size_t capacity = 1 + decoder.below(16);
  std::vector<RuledOperation> operations;
  while (!decoder.done()) operations.push_back(decoder.operation(kind));
  const std::string wrong = why_rules_fail(kind, capacity, operations);
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::abort();
}
