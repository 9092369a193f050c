// SPDX-License-Identifier: MIT
//
// The protocols that the program speaks, in the order of its flags: one line each. What a protocol is: a folder of
// examples/exchange/, see protocol.hpp there.
#pragma once

#include <string_view>
#include <vector>

#include "examples/exchange/fix/session.hpp"
#include "examples/exchange/ouch/session.hpp"
#include "examples/exchange/protocol.hpp"
#include "examples/exchange/snapshot/session.hpp"

namespace exchange {

[[nodiscard]] inline std::vector<Protocol> all_protocols() {
  return {
      ouch_protocol,
      snapshot_protocol,
      fix_protocol,
  };
}

/// The options by which users have names in them.
[[nodiscard]] inline std::vector<std::string_view> user_options() {
  std::vector<std::string_view> options;
  for (const Protocol& protocol : all_protocols()) {
    if (!protocol.user_option.empty()) options.push_back(protocol.user_option);
  }
  return options;
}

}  // namespace exchange
