// SPDX-License-Identifier: MIT
//
// Where the levels of a side live that refers to them by pointer: each in a node of its own, or all in one array.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace llmes::bench {

template <class Level, std::size_t N>
class SingleLevels {
 public:
  Level* acquire() { return new Level; }
  void release(Level* level) { delete level; }
};

/// N levels, enough for every price.
template <class Level, std::size_t N>
class PooledLevels {
 public:
  PooledLevels() {
    free_.reserve(N);
    for (std::size_t i = N; i-- > 0;) free_.push_back(&levels_[i]);
  }

  Level* acquire() {
    Level* level = free_.back();
    free_.pop_back();
    return level;
  }
  void release(Level* level) { free_.push_back(level); }

 private:
  std::unique_ptr<Level[]> levels_ = std::make_unique<Level[]>(N);
  std::vector<Level*> free_;  // the one to take next is the last
};

}  // namespace llmes::bench
