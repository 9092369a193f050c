// SPDX-License-Identifier: MIT
//
// What hands records to an engine whose reports nobody reads meanwhile.
#pragma once

#include <span>
#include <thread>

#include "llmes/engine.hpp"

namespace llmes::test {

/// Starts the engine, hands in records until all are done or it takes no more, and stops it.
template <class SomeEngine>
void hand_in(SomeEngine& engine, std::span<const Record> records) {
  engine.start();
  for (const Record& record : records) {
    SubmitStatus status;
    while ((status = engine.submit(record)) == SubmitStatus::Full) std::this_thread::yield();
    if (status == SubmitStatus::Stopped) break;
  }
  engine.stop();
}

}  // namespace llmes::test
