// SPDX-License-Identifier: MIT
//
// The ways to answer a flow of messages about instruments: on another core behind two rings, and in one thread;
// each from binary messages and, if its parser is there, from JSON text.
#pragma once

#include <memory>

#include "bench/programs/engine/engine_service.hpp"
#include "bench/programs/engine/instrument_flow.hpp"
#include "bench/programs/engine/service.hpp"

namespace llmes::bench {

enum class MessageForm : std::uint8_t { Binary, Json };

/// Whether the parser of JSON is there.
[[nodiscard]] bool has_json_parser();

/// Json needs its parser.
[[nodiscard]] std::unique_ptr<Service> make_instrument_service(const InstrumentFlow& flow, MessageForm form,
                                                               const EngineOptions& options);
[[nodiscard]] std::unique_ptr<Service> make_one_thread_instruments(const InstrumentFlow& flow, MessageForm form);

}  // namespace llmes::bench
