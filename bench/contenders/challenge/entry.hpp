// SPDX-License-Identifier: MIT
//
// The functions that the challenge calls, for the type `Engine` of the unit that includes this last. It has:
//
//   static std::optional<Engine> create();
//   void apply(const Request& request, std::uint64_t sequence, const Reports& reports);  // and pushes all reports
//   auto book() const;  // points to what has best_bid(), best_ask() and level(side, price)
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "bench/contenders/challenge/adapter.hpp"

namespace llmes::challenge {
namespace {

std::optional<Engine> engine;
Reports reports;

template <class Message>
[[gnu::always_inline]] inline void handle(const Message& message) noexcept {
  engine->apply(request_of(message), message.sequence_number, reports);
}

}  // namespace
}  // namespace llmes::challenge

extern "C" {

void engine_init(std::uint64_t /*seed*/, const me_transport_t* transport, void* report_sink) {
  using namespace llmes::challenge;
  reports = {transport, report_sink};
  engine.reset();
  if (auto made = Engine::create()) engine.emplace(*std::move(made));
  if (!engine) {
    std::fputs("llmes: not enough memory for this engine\n", stderr);
    std::abort();
  }
}
void engine_shutdown(void) {
  llmes::challenge::engine.reset();
}

void engine_on_new_order(const new_order_t* order) {
  llmes::challenge::handle(*order);
}
void engine_on_cancel(const cancel_t* cancel) {
  llmes::challenge::handle(*cancel);
}
void engine_on_modify(const modify_t* modify) {
  llmes::challenge::handle(*modify);
}
void engine_flush(void) {}  // each message is answered before its call returns

std::int64_t engine_query_best_bid(void) {
  return llmes::challenge::engine->book()->best_bid().value_or(std::numeric_limits<std::int64_t>::min());
}
std::int64_t engine_query_best_ask(void) {
  return llmes::challenge::engine->book()->best_ask().value_or(std::numeric_limits<std::int64_t>::max());
}
std::uint64_t engine_query_depth_at(std::int64_t price_ticks, std::uint8_t side) {
  return llmes::challenge::engine->book()->level(static_cast<llmes::Side>(side), price_ticks).quantity;
}

}  // extern "C"
