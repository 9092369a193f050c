// SPDX-License-Identifier: MIT
//
// A venue by itself, without an engine: commands go in, reports come out.
#include <cstdint>
#include <iostream>

#include "llmes/venue.hpp"
#include "usage.hpp"

int main(int argc, char** argv) {
  if (const auto status = answer_arguments(argc, argv, "a venue by itself, without an engine")) return *status;
  using namespace llmes;
  auto venue = Venue<>::create({.books = {.max_books = 1, .capacity = 1000},
                                .accounts = 2,
                                .holdings = 2,
                                .lifetimes = 1000,
                                .matches = 1000});
  if (!venue) return 1;

  const auto print = [](const VenueReport& report) {
    std::cout << "  " << report.kind << " order " << report.id << ": " << report.quantity << " at " << report.price
              << ", left " << report.remaining << ", " << report.status << '\n';
  };
  std::uint64_t sequence = 0;
  const auto send = [&](const VenueCommand& command) {
    std::cout << command << '\n';
    venue->apply(command, ++sequence, print);
  };
  send({.time = 1, .id = 1, .price = 101, .quantity = 30, .account = 1, .side = Side::Sell});
  send({.time = 2,
        .id = 2,
        .price = 102,
        .quantity = 20,
        .account = 2,
        .side = Side::Buy,
        .time_in_force = TimeInForce::ImmediateOrCancel});
  send({.time = 3, .id = 1, .account = 2, .type = VenueCommandType::Cancel});
  std::cout << "account 2 has " << venue->risk().accounts().holding(2, 0).position << " lots\n";
}
