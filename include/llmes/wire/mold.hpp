// SPDX-License-Identifier: MIT
//
// MoldUDP64 1.00, from Nasdaq's specification of that name: how the messages of a feed travel in datagrams, each
// with the number of its first message, so that a receiver notices a gap and asks for what it lacks.
//
// Sender and receiver are state machines without sockets: datagrams and time in; datagrams, messages and a
// deadline out. After they are made, nothing allocates. The messages lie in a store, as those of soup_session.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "llmes/detail/algorithm.hpp"
#include "llmes/detail/enumerator_name.hpp"  // IWYU pragma: export
#include "llmes/detail/fields.hpp"
#include "llmes/version.hpp"
#include "llmes/wire/soup_packets.hpp"
#include "llmes/wire/soup_session.hpp"

namespace llmes::inline LLMES_NAMESPACE::mold {

using soup::MessageStore;
using soup::SessionName;

/// What every datagram begins with, a request too.
struct Header {
  SessionName session{};
  llmes::detail::ByteField<std::uint64_t, 8, std::endian::big> sequence{};  ///< of the first message
  llmes::detail::ByteField<std::uint16_t, 2, std::endian::big> count{};     ///< of messages
};
static_assert(sizeof(Header) == 20);

inline constexpr std::uint16_t heartbeat = 0;            ///< a count of no messages: `sequence` is the next one
inline constexpr std::uint16_t end_of_session = 0xffff;  ///< the same, and there will be no more

/// The most bytes of a datagram. With more, networks of the usual kind would split it.
inline constexpr std::size_t datagram_max = 1'400;

namespace detail {
/// Puts messages of a store into a datagram: as many as fit, `most` at most. @return its bytes
template <MessageStore Store>
[[nodiscard]] std::size_t fill(std::span<std::byte> room, SessionName session, const Store& store,
                               std::uint64_t sequence, std::size_t most) noexcept {
  std::size_t size = sizeof(Header);
  std::uint16_t count = 0;
  for (std::uint64_t at = sequence; at <= store.size() && count < most; ++at, ++count) {
    const std::span<const std::byte> message = store[at - 1];
    if (message.size() > room.size() - size - std::min<std::size_t>(2, room.size() - size)) break;
    room[size] = static_cast<std::byte>(message.size() >> 8);
    room[size + 1] = static_cast<std::byte>(message.size());
    llmes::detail::copy(message, room.subspan(size + 2).begin());
    size += 2 + message.size();
  }
  const Header header{session, sequence, count};
  llmes::detail::copy(std::as_bytes(std::span(&header, 1)), room.begin());
  return size;
}
}  // namespace detail

/// The sender of a feed, and the server of requests for what a receiver lacks.
template <MessageStore Store>
class Sender {
 public:
  /// @param room_max how long its datagrams may be: at least as long as the longest message and 22 bytes
  Sender(SessionName session, const Store& store, std::size_t room_max = datagram_max,
         Nanoseconds heartbeat_after = 1'000'000'000)
      : session_(session), store_(&store), room_max_(room_max), heartbeat_after_(heartbeat_after) {}

  /// Writes the next datagram that is due: messages, a heartbeat, or the session's end. Call it until none is.
  /// @param room at least `room_max` bytes
  /// @return its bytes; 0 if none is due
  [[nodiscard]] std::size_t write(std::span<std::byte> room, Nanoseconds now) noexcept {
    room = room.first(std::min(room.size(), room_max_));
    if (room.size() < sizeof(Header)) return 0;
    const bool has_messages = next_ <= store_->size();
    if (!has_messages && now < deadline()) return 0;
    sent_ = now;
    has_sent_ = true;
    if (has_messages) {
      const std::size_t size = detail::fill(room, session_, *store_, next_, end_of_session - 1);
      next_ += reinterpret_cast<const Header*>(room.data())->count.value();
      return size;
    }
    const Header header{session_, next_, closed_ ? end_of_session : heartbeat};
    llmes::detail::copy(std::as_bytes(std::span(&header, 1)), room.begin());
    return sizeof(Header);
  }
  /// When a heartbeat is due, if no message comes before.
  [[nodiscard]] Nanoseconds deadline() const noexcept {
    return has_sent_ ? soup::detail::later(sent_, heartbeat_after_) : 0;
  }

  /// Answers a request: the messages that it asks for, as many as fit one datagram. It goes to whoever asked.
  /// @return its bytes; 0 if the request is no such, is for another session, or for messages that there never were
  [[nodiscard]] std::size_t answer(std::span<const std::byte> request, std::span<std::byte> room) const noexcept {
    room = room.first(std::min(room.size(), room_max_));
    if (request.size() != sizeof(Header) || room.size() < sizeof(Header)) return 0;
    const Header& asked = *reinterpret_cast<const Header*>(request.data());
    const std::uint64_t first = asked.sequence;
    const std::uint16_t count = asked.count;
    if (asked.session != session_ || first == 0) return 0;
    const std::size_t size = detail::fill(room, session_, *store_, first, count);
    return reinterpret_cast<const Header*>(room.data())->count.value() == 0 ? 0 : size;
  }

  /// Takes all that the store has for sent, after a restart: receivers have it, or ask for it.
  void resume() noexcept { next_ = store_->size() + 1; }

  /// Says that there will be no more messages. The end of the session is due at once, behind the last message, and
  /// again where heartbeats were: keep answering requests while receivers may lack messages.
  void close() noexcept {
    if (!closed_) has_sent_ = false;
    closed_ = true;
  }

  [[nodiscard]] std::uint64_t next_sequence() const noexcept { return next_; }

 private:
  SessionName session_;
  const Store* store_;
  std::size_t room_max_;
  Nanoseconds heartbeat_after_;
  Nanoseconds sent_ = 0;
  std::uint64_t next_ = 1;
  bool has_sent_ = false;
  bool closed_ = false;
};

/// What a datagram was to a receiver.
enum class DatagramStatus : std::uint8_t {
  Success,       ///< it had the next messages, or nothing new
  Gap,           ///< messages are missing before it: ask for them
  OtherSession,  ///< it is of another session, and nothing is read from it
  Damaged,       ///< it ends within its header or a message: those before were read
};

/// A receiver of a feed. It gives the messages in order, each once, and asks for those it lacks.
class Receiver {
 public:
  /// @param session spaces: that of the first datagram
  /// @param next the sequence of the first message wanted, for one that begins after a snapshot
  /// @param retry_after how long it waits for the answer to a request before it asks again
  explicit Receiver(SessionName session = {}, std::uint64_t next = 1, Nanoseconds retry_after = 100'000'000)
      : session_(session), retry_after_(retry_after), next_(std::max<std::uint64_t>(next, 1)), known_(next_) {}

  /// Takes a datagram of the feed or an answer to a request. `message(sequence, bytes)` gets each next message.
  template <class Message>
  DatagramStatus receive(std::span<const std::byte> datagram, Message&& message) noexcept {
    if (datagram.size() < sizeof(Header)) return DatagramStatus::Damaged;
    const Header& header = *reinterpret_cast<const Header*>(datagram.data());
    if (session_ == SessionName{}) session_ = header.session;
    if (header.session != session_) return DatagramStatus::OtherSession;
    const bool has_messages = header.count != heartbeat && header.count != end_of_session;
    const std::uint64_t first = header.sequence;
    const std::uint64_t count = has_messages ? header.count.value() : 0;
    if (first == 0 || first > std::numeric_limits<std::uint64_t>::max() - count) return DatagramStatus::Damaged;
    if (header.count == end_of_session) end_ = first;
    if (first > next_) {
      known_ = std::max(known_, first + count);
      return DatagramStatus::Gap;
    }
    std::span<const std::byte> rest = datagram.subspan(sizeof(Header));
    for (std::uint64_t at = first; at < first + count; ++at) {
      if (rest.size() < 2) return DatagramStatus::Damaged;
      const std::size_t size = std::to_integer<std::size_t>(rest[0]) << 8 | std::to_integer<std::size_t>(rest[1]);
      if (rest.size() < 2 + size) return DatagramStatus::Damaged;
      if (at == next_) {
        // The message is taken before it is given, so that its receiver may ask what comes next.
        ++next_;
        known_ = std::max(known_, next_);
        message(at, rest.subspan(2, size));
      }
      rest = rest.subspan(2 + size);
    }
    return next_ < known_ ? DatagramStatus::Gap : DatagramStatus::Success;
  }

  /// Writes a request for messages that it lacks, if there are any and no answer is awaited.
  /// @param room at least 20 bytes
  /// @return its bytes; 0 if none is due
  [[nodiscard]] std::size_t write_request(std::span<std::byte> room, Nanoseconds now) noexcept {
    if (next_ >= known_ || room.size() < sizeof(Header)) return 0;
    // An answer that has brought something lets the next request follow at once.
    if (asked_for_ == next_ && now < soup::detail::later(asked_, retry_after_)) return 0;
    asked_ = now;
    asked_for_ = next_;
    const std::uint64_t count = std::min<std::uint64_t>(known_ - next_, end_of_session - 1);
    const Header header{session_, next_, static_cast<std::uint16_t>(count)};
    llmes::detail::copy(std::as_bytes(std::span(&header, 1)), room.begin());
    return sizeof(Header);
  }
  /// When to ask again; never if nothing is missing.
  [[nodiscard]] Nanoseconds deadline() const noexcept {
    if (next_ >= known_) return std::numeric_limits<Nanoseconds>::max();
    return asked_for_ == next_ ? soup::detail::later(asked_, retry_after_) : 0;
  }

  [[nodiscard]] SessionName session() const noexcept { return session_; }
  [[nodiscard]] std::uint64_t next_sequence() const noexcept { return next_; }
  /// Whether the session has ended and all its messages were given.
  [[nodiscard]] bool is_complete() const noexcept { return end_ != 0 && next_ >= end_; }

 private:
  SessionName session_;
  Nanoseconds retry_after_;
  std::uint64_t next_;     ///< the first message that it lacks
  std::uint64_t known_;    ///< behind the last message that it knows of
  std::uint64_t end_ = 0;  ///< behind the last message of the session; 0 while that is unknown
  std::uint64_t asked_for_ = 0;
  Nanoseconds asked_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE::mold
