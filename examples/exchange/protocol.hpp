// SPDX-License-Identifier: MIT
//
// What a protocol is to a program: a folder with a codec and a session, and one value of this kind. The program
// has a list of them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "gateway.hpp"
#include "llmes/engine.hpp"
#include "mailbox.hpp"
#include "session.hpp"

namespace exchange {

/// What a program tells all its protocols.
struct DoorConfig {
  std::string name = "VENUE";                              ///< of the exchange, where clients call it by name
  std::string directory{};                                 ///< that of the journal, for files of their own
  llmes::Durability durability = llmes::Durability::None;  ///< of these files
  std::size_t message_length = 5'120;                      ///< bytes that a message of a client may have
};

/// A protocol at work: who connects by it comes through here.
class Door {
 public:
  Door() = default;
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  virtual ~Door() = default;

  /// A session of one more connection, which ends before its door does.
  [[nodiscard]] virtual std::unique_ptr<Session> connect(Nanoseconds now) = 0;
  /// What makes it impossible to begin, such as files of its own that the journal does not know; or nothing.
  [[nodiscard]] virtual std::string wrong() const { return {}; }
  /// A new day has begun.
  virtual void begin_day() {}
};

struct Protocol {
  std::string_view name;           ///< of its port, in the output
  std::string_view flag;           ///< of its port, on a command line
  std::string_view help;           ///< of this flag
  bool is_always_open = false;     ///< else its port is opened if the flag is given
  std::string_view user_option{};  ///< by which a user has a name in it: OPTION=NAME; empty: by none
  MakeView make_view = nullptr;    ///< nullptr: it keeps nothing
  std::unique_ptr<Door> (*make_door)(Gateway&, const DoorConfig&) = nullptr;
};

}  // namespace exchange
