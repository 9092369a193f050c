// SPDX-License-Identifier: MIT
//
// Every sequence of calls up to a length, in a world that says which calls there are, makes them and compares what
// they do. Sequences of the same length that lead to the same state are followed as one, and counted as many. All
// calls are made in every state, and what each leads to is compared, known or not: the right state after one call
// is a wrong one after another.
//
// A world has
//  - `State`: what some calls have led to; a new one is that before the first. A state may also hold how it came
//    about;
//  - `call_count(state)`: how many calls are possible in it. They are named by numbers from 0;
//  - `make(call, state, difference)`: makes the call, and notes where its answer differs from what it should be;
//  - `compare(state, difference)`: notes where a state differs from what it should be;
//  - `copy(from, to)`;
//  - `key(state)`: bytes that two states share only if nothing that may follow tells them apart;
//  - `describe(calls)`: a sequence of calls from the first state on, in words or as source text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace llmes::test {

template <class World>
class Search {
 public:
  /// Called now and then with the length under way, and how many of its states are done.
  using Progress = std::function<void(std::size_t length, std::size_t done, std::size_t states)>;

  /// Goes through all sequences of up to `length` calls.
  /// @return the first difference and the calls that led to it; nothing if there is none.
  std::optional<std::string> run(std::size_t length, const Progress& progress) {
    Layer layer{Node{}};
    for (std::size_t depth = 1; depth <= length; ++depth) {
      layers_.push_back(std::exchange(layer, {}));
      known_.clear();
      const std::size_t count = layers_.back().size();
      for (std::size_t i = 0; i < count; ++i) {
        if (i % 4'096 == 0) progress(depth, i, count);
        if (!every_call(static_cast<std::uint32_t>(i), layer, depth == length)) return what_;
      }
      progress(depth, count, count);
    }
    return {};
  }

  /// How many sequences there are of exactly the length asked for; each begins with all shorter ones.
  [[nodiscard]] std::uint64_t sequences() const { return sequences_; }
  /// How many different states the calls but the last led to; every call was made in each.
  [[nodiscard]] std::uint64_t states() const { return layers_.back().size(); }

 private:
  /// How a state came about: by one call in a state of the layer before.
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t call = 0;
    std::uint64_t sequences = 1;
  };
  using Layer = std::vector<Node>;
  using State = typename World::State;

  /// The calls that lead to a state of the last layer of `layers_`, first to last.
  [[nodiscard]] std::vector<std::uint32_t> calls_to(std::uint32_t node) const {
    std::vector<std::uint32_t> calls(layers_.size() - 1);
    for (std::size_t depth = layers_.size() - 1; depth > 0; --depth) {
      calls[depth - 1] = layers_[depth][node].call;
      node = layers_[depth][node].parent;
    }
    return calls;
  }

  /// Makes every call in one state.
  bool every_call(std::uint32_t node, Layer& next, bool last) {
    State before;
    std::string difference;
    for (const std::uint32_t call : calls_to(node)) world_.make(call, before, difference);
    const std::uint64_t sequences = layers_.back()[node].sequences;

    for (std::uint32_t call = 0; call < world_.call_count(before); ++call) {
      world_.copy(before, after_);
      world_.make(call, after_, difference);
      world_.compare(after_, difference);
      if (!difference.empty()) return fail(difference, node, call);

      if (last) {
        sequences_ += sequences;
        continue;
      }
      const auto [known, is_new] = known_.try_emplace(world_.key(after_), next.size());
      if (is_new) next.push_back({node, call, 0});
      next[known->second].sequences += sequences;
    }
    return true;
  }

  /// Notes the sequence that led to a difference.
  bool fail(const std::string& difference, std::uint32_t node, std::uint32_t last_call) {
    std::vector<std::uint32_t> calls = calls_to(node);
    calls.push_back(last_call);
    what_ = difference + "\n\n" + world_.describe(calls);
    return false;
  }

  World world_;
  std::vector<Layer> layers_;                           ///< the states after no call, after one, ...
  std::unordered_map<std::string, std::size_t> known_;  ///< those of the layer under way
  State after_;
  std::string what_;
  std::uint64_t sequences_ = 0;
};

}  // namespace llmes::test
