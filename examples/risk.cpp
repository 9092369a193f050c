// SPDX-License-Identifier: MIT
//
// Two accounts in front of a book: the stage refuses what their limits forbid, and keeps what they own. The time
// of a command is an argument, so the same commands always give the same answers.
#include <iostream>

#include "llmes/book.hpp"
#include "llmes/ids.hpp"
#include "llmes/venue.hpp"
#include "usage.hpp"

int main(int argc, char** argv) {
  if (const auto status = answer_arguments(argc, argv, "accounts with limits before a book")) return *status;
  using namespace llmes;
  using enum TimeInForce;
  auto book = IdBook<OrderBook<>, HashedIds>::create({.base_price = 0, .capacity = 1000}, {});
  auto stage = RiskStage::create(
      {.accounts = 2, .orders = 1001, .holdings = 2, .fees = {.maker = -200'000, .taker = 300'000}});
  if (!book || !stage) return 1;

  const AccountNumber alice = 1;
  const AccountNumber bob = 2;
  const AccountLimits limits{
      .order_quantity = 100,  // lots
      .position_max = 150,
      .collar_low = -10,  // ticks around the last trade, else the best price, else the day's
      .collar_high = 10,
      .credit = 0,  // who buys has paid in before
      .message_burst = 5,
      .message_interval = 1'000'000};  // nanoseconds
  if (stage->set_limits(alice, limits) != RiskStatus::Success) return 1;
  if (stage->pay(alice, 20'000'000'000) != RiskStatus::Success) return 1;  // 20,000 ticks times lots
  if (stage->set_reference(0, 100) != RiskStatus::Success) return 1;

  Nanoseconds now = 0;
  const auto trade = [](const Trade& fill) { std::cout << "  " << fill.quantity << " at " << fill.price << '\n'; };
  const auto send = [&](AccountNumber account, const Request& request) {
    const CheckedResult checked = stage->apply(*book, account, request, now += 1000, trade);
    std::cout << "account " << account << ", " << request << ": " << checked.risk << '\n';
  };
  send(bob, Request::add_limit(1, Side::Sell, 100, 80, GoodTillCancel));
  send(alice, Request::add_limit(2, Side::Buy, 1000, 1, GoodTillCancel));
  send(alice, Request::add_limit(3, Side::Buy, 101, 101, GoodTillCancel));
  send(alice, Request::add_limit(4, Side::Buy, 101, 100, GoodTillCancel));
  send(alice, Request::add_limit(5, Side::Buy, 99, 60, GoodTillCancel));
  send(bob, Request::cancel(4));

  const Holding holding = stage->accounts().holding(alice, 0);
  std::cout << "alice has " << holding.position << " lots at " << holding.average() << ", bids for "
            << holding.open[0] << ", and is " << to_text(holding.unrealised(104)) << " ahead at 104\n"
            << "cash " << to_text(stage->accounts().cash(alice)) << ", of which "
            << to_text(stage->accounts().reserved(alice)) << " are reserved\n"
            << "the venue has earned " << to_text(stage->accounts().venue_cash()) << '\n';

  const auto cancel = [&](const OpenOrder& order) {
    std::cout << "off the book: " << order.quantity << " of order " << order.id << '\n';
    return book->cancel_order(order.id);
  };
  const RiskStatus killed = stage->apply(AccountCommand{alice, AccountAction::Kill}, cancel);
  std::cout << "kill: " << killed << '\n';
  send(alice, Request::add_limit(6, Side::Buy, 99, 1, GoodTillCancel));
}
