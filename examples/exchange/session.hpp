// SPDX-License-Identifier: MIT
//
// One connection of a client, without its socket: bytes and time in, bytes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>

#include "entry.hpp"
#include "limits.hpp"

namespace exchange {

struct Client;

class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  static constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

  /// Takes bytes of the client. `now` is of a clock that never goes back, here and below.
  /// @param most messages that it may take
  /// @return how many bytes it has taken. The others wait: offer them again at `takes_at`
  std::size_t receive(std::span<const std::byte> bytes, Nanoseconds now, std::size_t most = any_number) {
    now_ = now;
    left_ = most;
    if (bytes.size() > waiting_) heard_at_ = now;
    const std::size_t taken = take(bytes, now);
    waiting_ = bytes.size() - taken;
    return taken;
  }
  /// More bytes of the client have come, which are not offered yet, as others wait: it is not silent.
  void heard(Nanoseconds now) noexcept { heard_at_ = now; }
  /// When it takes more: now, if that time has passed; `Bucket::never` while a password is checked, and then it
  /// calls `on_news`.
  [[nodiscard]] virtual Nanoseconds takes_at() const = 0;
  /// Fills `room`, of at least 10 KiB, with what the client should get now; call it again while it fills any.
  [[nodiscard]] virtual std::size_t write(std::span<std::byte> room, Nanoseconds now) = 0;
  /// Says what time it is, several times a second.
  virtual void advance(Nanoseconds now) = 0;
  [[nodiscard]] virtual bool is_logged_in() const = 0;
  /// No more will come once the client has all that there is.
  virtual void close() = 0;
  /// The same where the program stops and the session goes on after its next start. As it is, this is no
  /// difference.
  virtual void stop() { close(); }
  /// A day has begun: closes a session of an earlier one. Who has not logged in will get the new day, and who has
  /// logged in since the exchange began it has it already. The program may call this some steps later.
  virtual void end_day() = 0;
  /// Whether the connection is to be closed, once all is written; and why.
  [[nodiscard]] virtual bool is_over() const = 0;
  [[nodiscard]] virtual std::string reason() const = 0;
  /// Whose it is; nullptr before the login.
  [[nodiscard]] virtual const Client* client() const = 0;
  /// How many messages wait to be written.
  [[nodiscard]] virtual std::uint64_t behind() const = 0;
  /// Whether it has taken a message that waits for what the client has on its way: call `receive` once that is
  /// done.
  [[nodiscard]] virtual bool has_kept() const noexcept { return false; }

  std::function<void()> on_news{};  ///< called when `write` may have something new, or `receive` takes more
  Address from = 0;                 ///< where the client is

 protected:
  /// As `receive`, at most `left_` messages.
  [[nodiscard]] virtual std::size_t take(std::span<const std::byte> bytes, Nanoseconds now) = 0;

  /// Whether bytes of the client wait.
  [[nodiscard]] bool is_held() const noexcept { return waiting_ != 0; }

  Nanoseconds now_ = 0;            ///< of the last call
  Nanoseconds heard_at_ = 0;       ///< when bytes came last, whether they are taken or wait
  std::size_t left_ = any_number;  ///< messages that may be taken now

 private:
  std::size_t waiting_ = 0;  ///< bytes that were offered and not taken
};

}  // namespace exchange
