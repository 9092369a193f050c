// SPDX-License-Identifier: MIT
//
// What is said of the types of commands, for every number that a type can be.
#include "llmes/types/command.hpp"

#include <gtest/gtest.h>

#include <set>

namespace llmes::test {
namespace {

using enum CommandType;

/// The types of which something is said.
template <class Says>
std::set<CommandType> those(Says says) {
  std::set<CommandType> found;
  for (unsigned number = 0; number < 256; ++number) {
    const auto type = static_cast<CommandType>(number);
    if (says(type)) found.insert(type);
  }
  return found;
}

TEST(CommandTypes, AreWhatTheyAreCalled) {
  EXPECT_EQ(those(adds), (std::set{AddLimit, AddMarket, AddResting}));
  EXPECT_EQ(those(moves), (std::set{Modify, Replace, ModifyResting, ReplaceResting}));
  EXPECT_EQ(those(replaces), (std::set{Replace, ReplaceResting}));
  EXPECT_EQ(those(has_new_id), (std::set{Replace, ReplaceResting, AddRestingBefore}));
  EXPECT_EQ(those(changes), (std::set{Cancel, Modify, Reduce, Replace, ModifyResting, ReplaceResting}));
  EXPECT_EQ(those(has_price), (std::set{AddLimit, Modify, Replace, AddResting, ModifyResting, ReplaceResting}));
  EXPECT_EQ(those(has_time_in_force), (std::set{AddLimit, Modify, Replace}));
}

}  // namespace
}  // namespace llmes::test
