// SPDX-License-Identifier: MIT
//
// The ways to play a flow of orders: through an engine, and in one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bench/programs/engine/cores.hpp"
#include "bench/programs/engine/order_flow.hpp"
#include "bench/programs/engine/service.hpp"

namespace llmes::bench {

/// What the engine is to be like.
struct EngineOptions {
  std::string wait = "yield";  ///< how its threads wait: spin, yield or block
  std::optional<TwoCores> cores{};
  Durability journal = Durability::None;  ///< with None there is no journal
  std::string journal_folder{};           ///< a new folder is made there for each journal, and removed with it
};

/// An engine on fresh books, through its rings. Throws std::runtime_error if it cannot be made.
[[nodiscard]] std::unique_ptr<Service> make_engine_service(const OrderFlow& flow, const EngineOptions& options);

/// The same work in the thread of the client: each command is copied and numbered, spans of 64 go to a matcher,
/// and the reports are read from a buffer as large as the ring.
[[nodiscard]] std::unique_ptr<Service> make_one_thread_service(const OrderFlow& flow);

}  // namespace llmes::bench
