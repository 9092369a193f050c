// SPDX-License-Identifier: MIT
#include "bench/harness/call_traits.hpp"

#include <ios>
#include <ostream>
#include <stdexcept>

#include "bench/harness/replay.hpp"

#if LLMES_HAS_JSON
#include <nlohmann/json.hpp>
#endif

namespace llmes::bench {

TreeWords::TreeWords(std::size_t price_levels)
    : occupied_(price_levels),
      in_leaf_(price_levels / 64),
      in_middle_(price_levels > 64 * 64 ? price_levels / 64 / 64 : 0) {}

TreePath TreeWords::set(std::size_t level, bool occupied) {
  if (occupied_[level] == occupied) return TreePath::None;
  occupied_[level] = occupied;
  // Whether this level is the only one under the word: then the word's bit in the word above changes.
  const auto alone = [&](std::uint32_t& count) { return occupied ? count++ == 0 : --count == 0; };
  const bool alone_in_leaf = alone(in_leaf_[level / 64]);
  if (in_middle_.empty()) return alone_in_leaf ? TreePath::Root : TreePath::Leaf;
  const bool alone_in_middle = alone(in_middle_[level / 64 / 64]);
  return alone_in_middle ? TreePath::Root : alone_in_leaf ? TreePath::Middle : TreePath::Leaf;
}

CallTracer::CallTracer(const Plan& plan)
    : base_price_(plan.base_price),
      book_(OrderBook<band_max>::create({plan.base_price, plan.capacity}).value()),
      handles_(plan.order_count),
      words_{TreeWords(plan.price_levels), TreeWords(plan.price_levels)},
      level_touched_{std::vector<std::uint32_t>(plan.price_levels), std::vector<std::uint32_t>(plan.price_levels)},
      slot_touched_(2 * band_max + plan.capacity) {
  if (plan.price_levels == 0) throw std::invalid_argument("only in a band can calls be told apart by their path");
}

CallTraits CallTracer::play(const Event& event) {
  ++now_;
  OrderHandle& handle = handles_[event.order];
  const std::optional<RestingOrder> target = book_.find(handle);
  const Place place = target ? Place{target->side, target->price} : Place{event.side, event.price};
  CallTraits traits{.distance = behind_best(place),
                    .queue = static_cast<std::uint32_t>(book_.level(place.side, place.price).order_count)};

  traded_.clear();
  const Result result = book_.apply(command_for(event, handle, event.order), [&](const Trade& trade) {
    touch(slot_touched_[trade.maker_handle.index]);
    traded_.push_back(trade.price);
  });
  for (const Price price : traded_) touch_level({opposite(place.side), price});
  if (result.handle != OrderHandle{}) handle = result.handle;

  if (result.status != Status::Success) return traits;
  const bool rests_now = event.type == CommandType::AddLimit && result.handle != OrderHandle{};
  if (!target && !rests_now) return traits;
  const auto [path, age] = touch_level(place);
  traits.path = path;
  traits.level_age = age;
  traits.slot_age = touch(slot_touched_[handle.index]);
  if (event.type == CommandType::Modify) touch_level({place.side, event.price});
  if (event.type == CommandType::Cancel) traits.scenario = Scenario::Cancel;
  if (rests_now && result.filled == 0) {
    traits.scenario = traits.queue == 0 ? Scenario::AddNewLevel : Scenario::AddToLevel;
  }
  return traits;
}

std::uint32_t CallTracer::touch(std::uint32_t& last) {
  const std::uint32_t age = last == 0 ? never : now_ - last;
  last = now_;
  return age;
}

CallTracer::LevelChange CallTracer::touch_level(Place place) {
  const auto side = static_cast<std::size_t>(place.side);
  const auto level = static_cast<std::size_t>(place.price - base_price_);
  const bool occupied = book_.level(place.side, place.price).order_count > 0;
  return {words_[side].set(level, occupied), touch(level_touched_[side][level])};
}

std::int32_t CallTracer::behind_best(Place place) const {
  const std::optional<Price> best = place.side == Side::Buy ? book_.best_bid() : book_.best_ask();
  if (!best) return 0;
  return static_cast<std::int32_t>(place.side == Side::Buy ? *best - place.price : place.price - *best);
}

std::vector<CallTraits> trace_calls(const Plan& plan) {
  CallTracer tracer(plan);
  std::vector<CallTraits> traits;
  traits.reserve(plan.events.size());
  for (const Event& event : plan.events) traits.push_back(tracer.play(event));
  return traits;
}

#if LLMES_HAS_JSON
void write_records(const std::string& path, nlohmann::ordered_json header, std::span<const CallRecord> records) {
  header["records"] = records.size();
  header["scenarios"] = scenario_names;
  header["paths"] = tree_path_names;
  header["fields"] = {{"ns", "<f4"},       {"probe_ns", "<f4"}, {"event", "<u4"}, {"level_age", "<u4"},
                      {"slot_age", "<u4"}, {"distance", "<i4"}, {"queue", "<u4"}, {"scenario", "u1"},
                      {"path", "u1"},      {"batch", "<u2"}};
  write_whole(path, [&](std::ostream& file) {
    file << header.dump() << '\n';
    file.write(reinterpret_cast<const char*>(records.data()), static_cast<std::streamsize>(records.size_bytes()));
  });
}
#endif

}  // namespace llmes::bench
