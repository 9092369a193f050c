// SPDX-License-Identifier: MIT
//
// All bytes of what has a `visit_state`, so that a test can tell whether a call has changed a single one.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace llmes::test {

struct StateBytes {
  std::vector<std::byte> bytes;

  template <class... Parts>
  void operator()(const Parts&... parts) {
    (add(parts), ...);
  }

 private:
  template <class Part>
  void add(const Part& part) {
    if constexpr (requires { Part::visit_state(part, *this); }) {
      Part::visit_state(part, *this);
    } else if constexpr (requires { std::span(part); }) {
      const auto all = std::as_bytes(std::span(part));
      bytes.insert(bytes.end(), all.begin(), all.end());
    } else {
      add(std::span(&part, 1));
    }
  }
};

template <class Object>
std::vector<std::byte> state_of(const Object& object) {
  StateBytes state;
  Object::visit_state(object, state);
  return state.bytes;
}

}  // namespace llmes::test
