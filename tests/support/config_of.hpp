// SPDX-License-Identifier: MIT
//
// What a book is made for, whether its width is compiled in or chosen when it is made.
#pragma once

#include <cstddef>

#include "llmes/types/types.hpp"

namespace llmes::test {

/// Of `price_levels` prices, if the book takes their number.
template <class Book>
typename Book::Config config_of(const BookConfig& config, std::size_t price_levels) {
  if constexpr (requires(typename Book::Config chosen) { chosen.price_levels; }) {
    return {config.base_price, price_levels, config.capacity, config.quantity_max};
  } else {
    return config;
  }
}

}  // namespace llmes::test
