// SPDX-License-Identifier: MIT
//
// Requests by id that libFuzzer makes up, one at a time and in spans, on each kind of index and of book,
// against the oracle. Four bytes make a request. The ids are so few that they meet.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "llmes/ids/id_book.hpp"
#include "tests/fuzz/decoder.hpp"
#include "tests/fuzz/expect.hpp"
#include "tests/support/extremes.hpp"
#include "tests/support/id_pair.hpp"

namespace llmes::test {
namespace {

Request next_request(Decoder& decoder, const std::vector<OrderId>& ids) {
  const std::size_t kind = decoder.below(256);
  const OrderId id = ids[decoder.below(ids.size())];
  const Price price = decoder.price();
  const std::size_t rest = decoder.below(256);
  const Quantity quantity = rest < 250 ? rest % 16 : std::numeric_limits<Quantity>::max() - rest % 2;
  const auto side = static_cast<Side>(kind / 8 % 2);
  const auto time_in_force = static_cast<TimeInForce>(kind / 16 % 4);
  switch (kind % 8) {
    case 0:
    case 1:
    case 2:
      if (rest % 8 == 7) return Request::add_resting(id, side, price, quantity);
      return Request::add_limit(id, side, price, quantity, time_in_force);
    case 3: return Request::add_market(id, side, quantity);
    case 4: return Request::cancel(id);
    case 5: return Request::modify(id, price, quantity, time_in_force);
    case 6: return Request::replace(id, ids[(kind / 64 + rest) % ids.size()], price, quantity, time_in_force);
    default: break;
  }
  if (kind < 64) return Request::add_resting_before(id, ids[rest % ids.size()], quantity);
  if (kind < 192) return Request::reduce(id, quantity);
  return {{id, 0},
          price,
          quantity,
          static_cast<CommandType>(rest % 12),
          static_cast<Side>(kind % 3),
          static_cast<TimeInForce>(rest % 5)};
}

template <class Book, class Index>
void check(Decoder& decoder, const typename Index::Config& index, const std::vector<OrderId>& ids) {
  const BookConfig config = decoder.config(Book::price_levels);
  const std::size_t length = decoder.below(80);  // 0: one at a time
  IdPair<Book, Index> pair(config, index, ids);
  std::vector<Request> requests;
  while (!decoder.done()) requests.push_back(next_request(decoder, ids));
  for (std::span<const Request> left = requests; !left.empty();) {
    const std::span<const Request> span = left.first(std::min(std::max<std::size_t>(length, 1), left.size()));
    if (length > 0) {
      pair.call_in_span(span);
    } else if (left.size() % 2 == 0) {
      pair.call(span.front());
    } else {
      pair.call_by_name(span.front());
    }
    left = left.subspan(span.size());
    if (left.size() % 64 == 1) pair.clear(left.size() % 128 == 1 ? Side::Buy : Side::Sell);
    expect(pair.difference().empty(), pair.difference().c_str());
  }
  pair.clear();
  expect(pair.difference().empty(), pair.difference().c_str());
}

template <class Book>
void check(Decoder& decoder) {
  std::vector<OrderId> ids{0, largest_id};
  switch (decoder.below(3)) {
    case 0:  // some of them outside the range
      for (OrderId id = 0; id < 20; ++id) ids.push_back(95 + id);
      return check<Book, DenseIds>(decoder, {100, 12}, ids);
    case 1:  // more than 1 MiB, so that spans fetch ahead
      for (OrderId id = 0; id < 20; ++id) ids.push_back(id * 4'001);
      return check<Book, DenseIds>(decoder, {0, 300'000}, ids);
    default:
      for (OrderId id = 0; id < 20; ++id) ids.push_back(id << 32);
      return check<Book, HashedIds>(decoder, {}, ids);
  }
}

}  // namespace
}  // namespace llmes::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace llmes::test;
  Decoder decoder({data, size});
  if (decoder.below(2) == 0) {
    check<llmes::OrderBook<128>>(decoder);
  } else {
    check<llmes::WideOrderBook<128>>(decoder);
  }
  return 0;
}
