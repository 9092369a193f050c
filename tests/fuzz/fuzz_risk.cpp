// SPDX-License-Identifier: MIT
//
// Calls to a risk stage that libFuzzer makes up, with a book by id behind it, against the oracle. Four bytes make
// a call. Accounts, ids and prices are so few that they meet.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/decoder.hpp"
#include "tests/fuzz/expect.hpp"
#include "tests/support/risk_pair.hpp"

namespace llmes::test {
namespace {

void call(Decoder& decoder, RiskPair& pair, std::int64_t& time) {
  const std::size_t kind = decoder.below(256);
  const std::size_t names = decoder.below(256);
  const std::size_t rest = decoder.below(256);
  const auto account = static_cast<AccountNumber>(names / 16 % 4);  // some do not exist
  const OrderId id = 1 + names % 4;
  const OrderId new_id = 1 + names / 4 % 4;
  const auto side = static_cast<Side>(kind / 8 % 2);
  const auto time_in_force = static_cast<TimeInForce>(kind / 16 % 4);
  const auto price = static_cast<Price>(7 + rest % 8);
  const Quantity lots = rest / 8 % 5;
  time += static_cast<std::int64_t>(rest / 64 * 2) - (names >= 250 ? 9 : 0);  // it may go back
  if (time < 0) time = 0;
  const auto make = [&](const Request& request) { pair.make(account, request, time, names / 64 == 3); };
  switch (kind % 8) {
    case 0:
    case 1:
    case 2: return make(Request::add_limit(id, side, price, lots, time_in_force));
    case 3: return make(Request::add_market(id, side, lots));
    case 4: return make(Request::cancel(id));
    case 5: return make(Request::modify(id, price, lots, time_in_force));
    case 6:
      if (kind < 64) return make(Request::reduce(id, lots));
      return make(Request::replace(id, new_id, price, lots, time_in_force));
    default:
      // Mostly back to where orders are accepted.
      pair.act(1 + account % 2, kind < 64    ? AccountAction::Kill
                                : kind < 128 ? AccountAction::Disconnect
                                             : AccountAction::Restore);
  }
}

}  // namespace
}  // namespace llmes::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace llmes::test;
  Decoder decoder({data, size});
  RiskPair pair;
  std::int64_t time = 0;
  while (!decoder.done()) {
    call(decoder, pair, time);
    pair.compare();
    expect(pair.difference().empty(), pair.difference().c_str());
  }
  return 0;
}
