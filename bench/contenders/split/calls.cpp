// SPDX-License-Identifier: MIT
//
// The calls of the split book: one of its three units. LLMES_BUILD names the build that it is compiled for.

#include "bench/contenders/split/split_book.hpp"

namespace llmes::bench {

template <std::size_t N, Build build>
Result SplitBook<N, build>::add_limit_order(OrderId id, Side side, Price price, Quantity quantity,
                                            TimeInForce time_in_force, Digest& digest) {
  return Base::add_limit_order(id, side, price, quantity, time_in_force, digest);
}

template <std::size_t N, Build build>
Result SplitBook<N, build>::add_market_order(OrderId id, Side side, Quantity quantity, Digest& digest) {
  return Base::add_market_order(id, side, quantity, digest);
}

template <std::size_t N, Build build>
Status SplitBook<N, build>::cancel_order(OrderHandle handle) {
  return Base::cancel_order(handle);
}

template <std::size_t N, Build build>
Result SplitBook<N, build>::modify_order(OrderHandle handle, Price price, Quantity quantity, Digest& digest) {
  return Base::modify_order(handle, price, quantity, digest);
}

template <std::size_t N, Build build>
Status SplitBook<N, build>::reduce_order(OrderHandle handle, Quantity by) {
  return Base::reduce_order(handle, by);
}

#ifdef LLMES_BUILD
template class SplitBook<4096, Build::LLMES_BUILD>;
template class SplitBook<131'072, Build::LLMES_BUILD>;
#endif

}  // namespace llmes::bench
