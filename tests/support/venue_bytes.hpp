// SPDX-License-Identifier: MIT
//
// Checksums of all that a venue says of random commands, in reports and in ITCH: a day is a function of its
// commands, so they are the same from every compiler, with any optimisation and on any processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "llmes/engine.hpp"
#include "llmes/market_data.hpp"
#include "llmes/venue.hpp"
#include "tests/support/venue_streams.hpp"

namespace llmes::test {

inline std::string checksums_of_a_venue() {
  using Sink = ItchSink<std::function<void(itch::MessageBytes)>>;
  using Books = Publisher<VenueBook, Sink&>;
  std::uint32_t in_itch = 0, in_reports = 0;
  CreateStatus status{};
  Sink sink = *Sink::create(
      {.books = 2, .capacity = 24}, [&](itch::MessageBytes message) { in_itch = crc32c(message, in_itch); },
      status);
  Venue<Books> venue = *Venue<Books>::create(
      planned_venue, *Books::create(*VenueBook::create(planned_venue.books, planned_venue.ids, status), sink),
      status);
  VenuePlanner planner(7);
  for (std::uint64_t sequence = 1; sequence <= 10'000; ++sequence) {
    venue.apply(planner.next(), sequence, [&](const VenueReport& report) {
      in_reports = crc32c(std::as_bytes(std::span(&report, 1)), in_reports);
    });
  }
  return std::to_string(sink.messages()) + " messages: " + std::to_string(in_itch) +
         "; reports: " + std::to_string(in_reports);
}

/// What it gives.
inline constexpr char expected_of_a_venue[] = "1556 messages: 2706049010; reports: 2479532444";

}  // namespace llmes::test
