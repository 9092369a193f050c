// SPDX-License-Identifier: MIT
//
// The status of an engine, and why one cannot be made. Any thread may read the status at any time. What to watch:
//
//  - `backlog` that grows: commands come faster than they are done.
//  - `unread` near the room of the ring of reports: the reader is slow.
//  - `journal_lag` that grows, or a long `sync_nanoseconds`: the disk is slow.
//  - `free_bytes` below `wanted_bytes`: the disk will be full. Make a snapshot and call `remove_covered`, or free
//    room. With a `segment_left` of 0 the engine needs another segment, and stops if the disk has no room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "llmes/detail/enumerator_name.hpp"
#include "llmes/engine/journal/journal_error.hpp"
#include "llmes/engine/ring.hpp"
#include "llmes/types/text.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What an engine does when its reader leaves no room for a report.
enum class SlowReader : std::uint8_t {
  Wait,        ///< it waits for the reader; so commands wait too, until their sender finds the ring full
  Disconnect,  ///< it drops this reader, until it attaches again; reports may end in the middle of a command
};

/// The outcome of sending a command.
enum class SubmitStatus : std::uint8_t {
  Accepted,  ///< its reports will come, unless the journal fails before, or the engine is never started
  Full,      ///< there is no room; some will come when earlier commands are done
  Stopped,   ///< the engine takes no more: see `Engine::state`
};

/// The outcome of attaching a reader again.
enum class AttachStatus : std::uint8_t {
  Success,
  AlreadyAttached,  ///< there is a reader, which has missed nothing
  NotRunning,       ///< the engine is not started, or has ended: what was missed is in the journal
};

/// What a reader that attaches again is told.
struct Attachment {
  AttachStatus status = AttachStatus::Success;
  std::uint64_t first = 0;  ///< the first command whose reports it gets; 0 without success
};

enum class EngineState : std::uint8_t {
  Ready,          ///< made, and not started; commands may be sent
  Running,        ///< its thread applies what comes in
  Stopped,        ///< all commands sent are done, if it ran
  JournalFailed,  ///< the journal could not be written: see `Engine::journal_error`
};

/// Why an engine could not be made.
struct EngineError {
  CreateStatus books = CreateStatus::Success;
  RingStatus rings = RingStatus::Success;
  JournalError journal{};
  std::string directory{};  ///< of the journal, if there is one and an error

  /// Whether there is an error.
  [[nodiscard]] explicit operator bool() const noexcept {
    return books != CreateStatus::Success || rings != RingStatus::Success || journal;
  }
};

/// A message for people who run the engine.
[[nodiscard]] inline std::string to_string(const EngineError& error) {
  if (error.books != CreateStatus::Success)
    return "the books cannot be made: " + std::string(to_string(error.books));
  if (error.rings != RingStatus::Success) {
    const std::string text = "the rings cannot be made: " + std::string(to_string(error.rings));
    return error.rings == RingStatus::InvalidCapacity ? text + ": give a power of two, at least 2" : text;
  }
  return error.directory.empty() ? to_string(error.journal) : to_string(error.journal, error.directory);
}

/// Each number was true at some time during the call, not all at the same time.
struct EngineStatus {
  std::uint64_t sequence = 0;     ///< of the last command that is done; its reports can be read
  std::uint64_t backlog = 0;      ///< commands that were sent, and are not done
  std::uint64_t journal_lag = 0;  ///< of these, commands that are not in the journal; 0 without one
  std::uint64_t unread = 0;       ///< reports that are not released yet
  /// How long the journal took for its last write, with its wait for the disk; 0 unless it is for the machine.
  std::uint64_t sync_nanoseconds = 0;
  std::uint64_t segment_left = 0;  ///< how many records the segment has room for; 0 without a journal
  /// What the disk has free for this process; nothing without a journal, or if the system does not say.
  std::optional<std::uint64_t> free_bytes{};
  /// What should be free: two segments and two snapshots, or twice a larger reserve. 0 without a journal.
  std::uint64_t wanted_bytes = 0;

  /// Whether room should be made now. The engine still works.
  [[nodiscard]] constexpr bool room_is_short() const noexcept { return free_bytes && *free_bytes < wanted_bytes; }
};

/// One line.
[[nodiscard]] inline std::string to_string(const EngineStatus& status) {
  std::string text = "at command " + std::to_string(status.sequence) + ": backlog " +
                     std::to_string(status.backlog) + ", not in the journal " +
                     std::to_string(status.journal_lag) + ", unread reports " + std::to_string(status.unread);
  if (status.wanted_bytes == 0) return text + "; no journal";
  text += "; last sync " + std::to_string(status.sync_nanoseconds / 1'000) + " us, segment has room for " +
          std::to_string(status.segment_left) + " records";
  if (status.free_bytes) text += ", disk has " + std::to_string(*status.free_bytes) + " bytes free";
  if (status.room_is_short()) text += ": too few, make room for " + std::to_string(status.wanted_bytes);
  return text;
}

}  // namespace llmes::inline LLMES_NAMESPACE
