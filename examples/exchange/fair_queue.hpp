// SPDX-License-Identifier: MIT
//
// Requests that anybody may send, in the order of their answers.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <unordered_map>

#include "limits.hpp"

namespace exchange {

/// Requests that wait for their answers, by where they come from. Each address has its turn, however many requests
/// another one sends. Those at which a user is known have every second turn for themselves, as others may be made
/// up. The memory is bounded: an address has room for a few requests, and who gets no answer asks again.
template <class Request>
class FairQueue {
 public:
  static constexpr std::size_t requests_of_an_address = 4;
  static constexpr std::size_t addresses_max = 1'024;  ///< of each kind, that wait at a time

  /// @return false if there is no room for it: then it is left out
  bool push(Address from, bool is_known, const Request& request) {
    Kind& kind = kinds_[is_known ? 1 : 0];
    auto found = kind.waiting.find(from);
    if (found == kind.waiting.end()) {
      if (kind.waiting.size() == addresses_max) return false;
      found = kind.waiting.try_emplace(from).first;
      kind.turns.push_back(from);
    }
    Waiting& waiting = found->second;
    if (waiting.size == requests_of_an_address) return false;
    waiting.requests[(waiting.first + waiting.size++) % requests_of_an_address] = request;
    return true;
  }
  /// The one whose turn it is; nothing if none waits.
  [[nodiscard]] std::optional<Request> pop() {
    next_ ^= 1;
    Kind& kind = kinds_[kinds_[next_].turns.empty() ? next_ ^ 1 : next_];
    if (kind.turns.empty()) return {};
    const Address from = kind.turns.front();
    kind.turns.pop_front();
    const auto found = kind.waiting.find(from);
    Waiting& waiting = found->second;
    const Request request = waiting.requests[waiting.first];
    waiting.first = (waiting.first + 1) % requests_of_an_address;
    if (--waiting.size == 0) {
      kind.waiting.erase(found);
    } else {
      kind.turns.push_back(from);
    }
    return request;
  }
  [[nodiscard]] bool empty() const noexcept { return kinds_[0].turns.empty() && kinds_[1].turns.empty(); }

 private:
  struct Waiting {
    std::array<Request, requests_of_an_address> requests{};
    std::size_t first = 0;
    std::size_t size = 0;
  };
  struct Kind {
    std::unordered_map<Address, Waiting> waiting;  ///< of addresses that have any
    std::deque<Address> turns;                     ///< each of them once
  };

  std::array<Kind, 2> kinds_;  ///< strangers, and those that are known
  std::size_t next_ = 0;
};

}  // namespace exchange
