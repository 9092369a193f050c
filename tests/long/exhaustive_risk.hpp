// SPDX-License-Identifier: MIT
//
// Every sequence of calls of two accounts with limits to a risk stage with a book of three orders behind it, and
// to the naive oracle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "tests/long/search.hpp"
#include "tests/support/print.hpp"
#include "tests/support/risk_pair.hpp"

namespace llmes::test {

class WorldOfRisk {
 public:
  struct State {
    RiskPair pair;
    std::int64_t time = 0;
  };

  [[nodiscard]] std::size_t call_count(const State&) const { return calls_.size(); }

  void make(std::uint32_t number, State& state, std::string& difference) const {
    const Call& call = calls_[number];
    state.time += call.later;
    if (call.acts) {
      state.pair.act(call.account, call.action);
    } else {
      state.pair.make(call.account, call.request, state.time, call.only_reduces);
    }
    if (difference.empty()) difference = state.pair.difference();
  }
  static void compare(State& state, std::string& difference) {
    state.pair.compare();
    if (difference.empty()) difference = state.pair.difference();
  }
  static void copy(const State& from, State& to) {
    to.pair.copy_from(from.pair);
    to.time = from.time;
  }
  static std::string key(const State& state) { return state.pair.key() + std::to_string(state.time); }

  [[nodiscard]] std::string describe(const std::vector<std::uint32_t>& calls) const {
    std::ostringstream out;
    for (const std::uint32_t number : calls) {
      const Call& call = calls_[number];
      out << "account " << call.account << ": ";
      if (call.acts) {
        out << "action " << static_cast<int>(call.action) << '\n';
      } else {
        out << call.request << (call.only_reduces ? ", only reduces\n" : "\n");
      }
    }
    return out.str();
  }

 private:
  struct Call {
    AccountNumber account = 0;
    Request request{};
    bool acts = false;
    AccountAction action{};
    bool only_reduces = false;
    std::int64_t later = 0;  ///< nanoseconds after the call before
  };

  static std::vector<Call> all_calls() {
    using enum TimeInForce;
    std::vector<Call> calls;
    for (AccountNumber account = 1; account <= RiskPair::accounts; ++account) {
      for (const OrderId id : {OrderId{1}, OrderId{2}, OrderId{3}}) {
        for (const Side side : {Side::Buy, Side::Sell}) {
          for (const Price price : {9, 10, 11}) {
            for (const Quantity lots : {Quantity{1}, Quantity{2}}) {
              calls.push_back({account, Request::add_limit(id, side, price, lots, GoodTillCancel)});
            }
          }
        }
        calls.push_back({account, Request::modify(id, 10, 2)});
        calls.push_back({account, Request::modify(id, 11, 1)});
        calls.push_back({account, Request::cancel(id)});
      }
      for (const Side side : {Side::Buy, Side::Sell}) {
        calls.push_back({account, Request::add_market(4, side, 2)});
        calls.push_back({account, Request::add_limit(4, side, 10, 3, ImmediateOrCancel), false, {}, true});
      }
      calls.push_back({account, Request::replace(1, 4, 11, 1)});
      calls.push_back({account, Request::reduce(1, 1), false, {}, false, 3});
      for (const auto action : {AccountAction::Kill, AccountAction::Restore, AccountAction::Disconnect}) {
        calls.push_back({account, {}, true, action});
      }
    }
    return calls;
  }

  const std::vector<Call> calls_ = all_calls();
};

}  // namespace llmes::test
