// SPDX-License-Identifier: MIT
#include "bench/harness/passive.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/harness/replay.hpp"
#include "llmes/book.hpp"

namespace llmes::bench {
namespace {

template <std::size_t PriceLevels>
class PassiveImage {
 public:
  [[nodiscard]] static Plan of(Plan plan) {
    PassiveImage image(plan);
    return std::move(image).translated(std::move(plan));
  }

 private:
  explicit PassiveImage(const Plan& plan)
      : book_(make_book<OrderBook<PriceLevels>>(plan)), handles_(plan.order_count) {}

  Plan translated(Plan plan) && {
    std::vector<std::size_t> places;  // for each event, where its image begins
    for (const Event& event : plan.events) {
      places.push_back(events_.size());
      translate(event);
    }
    places.push_back(events_.size());
    plan.events = std::move(events_);
    for (Batch& batch : plan.batches) {
      for (std::size_t* end : {&batch.rewarm_begin, &batch.begin, &batch.end}) *end = places[*end];
      batch.expected = {};
      batch.census.misses = 0;  // the rest of the census is that of the planned stream
    }
    return plan;
  }

  void translate(Event event) {
    const auto replace_maker = [&](const Trade& trade) {
      const auto maker = static_cast<OrderNumber>(trade.maker_id);
      if (trade.maker_remaining == 0) {
        events_.push_back({0, 0, maker, CommandType::Cancel, {}, {}});
      } else {
        events_.push_back({trade.price, trade.maker_remaining, maker, CommandType::Modify, {}, {}});
      }
    };
    OrderHandle& handle = handles_[event.order];
    const Result result = book_.apply(command_for(event, handle, event.order), replace_maker);
    if (result.status != Status::Success) return;
    if (event.type == CommandType::AddLimit) handle = result.handle;
    if (event.type == CommandType::AddMarket) return;
    if (result.filled > 0) {
      const bool rests = result.handle != OrderHandle{};
      if (!rests && event.type == CommandType::AddLimit) return;
      if (!rests) event.type = CommandType::Cancel;
      event.quantity -= result.filled;
    }
    events_.push_back(event);
  }

  OrderBook<PriceLevels> book_;
  std::vector<OrderHandle> handles_;
  std::vector<Event> events_;
};

}  // namespace

Plan passive_image(Plan plan) {
  if (plan.price_levels == 0) throw std::invalid_argument("a stream that needs any price has no passive image");
  return plan.price_levels == 4096 ? PassiveImage<4096>::of(std::move(plan))
                                   : PassiveImage<131'072>::of(std::move(plan));
}

}  // namespace llmes::bench
