// SPDX-License-Identifier: MIT
//
// Images of the parts of a venue, in memory: as they are, and forged.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "llmes/engine/snapshot/image.hpp"
#include "tests/support/random.hpp"
#include "tests/support/state_bytes.hpp"
#include "tests/venue/waiting.hpp"

namespace llmes::test {

template <class Part>
std::vector<std::byte> image_of(const Part& part) {
  std::vector<std::byte> image;
  EXPECT_TRUE(write_image(part, [&](std::span<const std::byte> bytes) {
    image.insert(image.end(), bytes.begin(), bytes.end());
    return true;
  }));
  EXPECT_EQ(image.size(), image_bytes(part));
  return image;
}

template <class Part, class Config>
Part read_from(const std::vector<std::byte>& image, const Config& config) {
  Part part = made<Part>(config);
  std::size_t at = 0;
  EXPECT_EQ(read_image(part, image.size(),
                       [&](std::span<std::byte> bytes) {
                         std::memcpy(bytes.data(), image.data() + at, bytes.size());
                         at += bytes.size();
                         return true;
                       }),
            ImageStatus::Success);
  return part;
}

/// What an image of a part is read into: it must have the same state.
template <class Part, class Config>
Part read_back(const Part& part, const Config& config) {
  Part read = read_from<Part>(image_of(part), config);
  EXPECT_EQ(state_of(read), state_of(part));
  return read;
}

/// Gives each entry of a state that `change(entry, place)` can take to it, with its place in its part.
template <class Part, class Change>
void forge(Part& part, const Change& change) {
  EXPECT_TRUE(detail::walk_state(part, [&](auto entries) {
    if constexpr (requires { change(entries[0], std::size_t{}); }) {
      for (std::size_t place = 0; place < entries.size(); ++place) change(entries[place], place);
    }
    return true;
  }));
}
/// Expects that a part, which holds, does not when any one of `changes(part)` has been made to its state.
template <class Part, class Config, class... Changes>
void expect_none_to_hold(const Part& part, const Config& config, const Changes&... changes) {
  const std::vector<std::byte> image = image_of(part);
  int number = 0;
  const auto expect = [&](const auto& change) {
    Part read = read_from<Part>(image, config);
    EXPECT_TRUE(read.holds());
    change(read);
    EXPECT_FALSE(read.holds()) << "change " << number;
    ++number;
  };
  (expect(changes), ...);
}

/// Changes an image in each of its bytes, and expects that what is read does not hold, or can be used.
template <class Part, class Config, class Use>
void expect_forged_images_hold_or_not(const Part& part, const Config& config, const Use& use) {
  const std::vector<std::byte> image = image_of(part);
  EXPECT_TRUE(part.holds());
  Random random(1);
  std::size_t refused = 0;
  constexpr std::size_t digest = 8;
  for (std::size_t at = digest; at < image.size(); ++at) {
    for (const std::size_t change : {std::size_t{1}, 2 + random.below(254)}) {
      std::vector<std::byte> forged = image;
      forged[at] ^= static_cast<std::byte>(change);
      Part read = read_from<Part>(forged, config);
      if (read.holds()) {
        use(read);
      } else {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, image.size()) << "more than half of them";
}

}  // namespace llmes::test
