// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <iomanip>
#include <iostream>
#include <span>
#include <string_view>

#include "llmes/book.hpp"

/// Prints the five best levels of each side. `depth(side, levels)` writes them to a span, with prices in
/// ten-thousandths of a dollar, and says how many they are.
template <class Depth>
void print_depth(std::string_view symbol, std::size_t orders, Depth depth) {
  std::cout << symbol << ": " << orders << (orders == 1 ? " order\n" : " orders\n") << std::fixed
            << std::setprecision(4);
  for (const llmes::Side side : {llmes::Side::Buy, llmes::Side::Sell}) {
    std::array<llmes::DepthLevel, 5> levels;
    const std::size_t count = depth(side, levels);
    std::cout << (side == llmes::Side::Buy ? "bids" : "asks") << (count == 0 ? ": none\n" : "\n");
    for (const llmes::DepthLevel& level : std::span(levels).first(count)) {
      std::cout << std::setw(14) << static_cast<double>(level.price) / 10'000 << std::setw(10) << level.quantity
                << " shares in " << level.order_count << (level.order_count == 1 ? " order\n" : " orders\n");
    }
  }
}
