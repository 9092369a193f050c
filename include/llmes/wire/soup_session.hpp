// SPDX-License-Identifier: MIT
//
// Both sides of a SoupBinTCP session as state machines: bytes and time in; bytes, messages and a deadline out.
// There is no socket here: whoever has one calls `receive` with what came, `write` for what goes, and `advance` at
// the deadline. After a session is made, nothing allocates.
//
// The messages of a session lie in a store, which outlives connections: `size()`, and `operator[](i)`, the bytes
// of message i + 1. A server reads them there when it has room to write; nothing is queued for a slow client.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "llmes/types/types.hpp"
#include "llmes/version.hpp"
#include "llmes/wire/soup_packets.hpp"

namespace llmes::inline LLMES_NAMESPACE::soup {

/// How long each side waits.
struct Timing {
  Nanoseconds heartbeat = 1'000'000'000;  ///< it has sent nothing for so long, then it sends a heartbeat
  Nanoseconds silence = 15'000'000'000;   ///< the other side has, then the session ends
  Nanoseconds login = 30'000'000'000;     ///< the client has not logged in, then the session ends
};

/// Why a session is over, or that it is not.
enum class End : std::uint8_t {
  None,
  Logout,        ///< the client has logged out
  Rejected,      ///< the login
  EndOfSession,  ///< there are no more messages
  NoLogin,       ///< the client did not log in in time, or sent something else first
  Silence,       ///< the other side has sent nothing for too long
  BadPacket,     ///< the other side has sent bytes that are no packet, or one that it may not send
  BadSequence,   ///< the login asks for messages that there never were; or the server sent others than asked for
};

template <class Store>
concept MessageStore = requires(const Store& store, std::size_t index) {
  { store.size() } -> std::convertible_to<std::size_t>;
  { store[index] } -> std::convertible_to<std::span<const std::byte>>;
};

namespace detail {

/// The time so much later, or the last one there is.
[[nodiscard]] constexpr Nanoseconds later(Nanoseconds time, Nanoseconds by) noexcept {
  return time + std::min(by, std::numeric_limits<Nanoseconds>::max() - time);
}

/// Whether a handler takes one more message now. One that does not say takes all.
template <class Handler>
[[nodiscard]] constexpr bool takes_more(Handler& handler) noexcept {
  if constexpr (requires {
                  { handler.takes_more() } -> std::convertible_to<bool>;
                }) {
    return handler.takes_more();
  } else {
    return true;
  }
}

/// What both sides do alike: packets out of pieces of bytes, heartbeats and silence.
class Session {
 public:
  Session(const Timing& timing, std::size_t longest, Nanoseconds now)
      : timing_(timing), longest_(std::min(longest, payload_max)), heard_(now), sent_(now), began_(now) {
    rest_.reserve(header_size + longest_);
  }

  [[nodiscard]] End end() const noexcept { return end_; }
  /// Says that bytes of the other side came then, which may wait and not be read: it was not silent.
  void hold(Nanoseconds came) noexcept { heard_ = std::max(heard_, came); }

 protected:
  /// Gives each packet to `take` until one ends the session, or until `more()` says that none is taken now.
  /// @return how many bytes were taken, those of a packet that is not complete included
  template <class Take, class More>
  std::size_t split(std::span<const std::byte> bytes, Nanoseconds now, Take&& take, More&& more) noexcept {
    if (!bytes.empty()) heard_ = now;
    const std::size_t size = bytes.size();
    while (!bytes.empty() && end_ == End::None && more()) {
      if (rest_.empty()) {
        bytes = bytes.subspan(read(bytes, take, more));
        if (end_ != End::None || !more()) break;
        rest_.assign(bytes.begin(), bytes.end());
        return size;
      }
      // A packet has begun in earlier bytes. It is completed, read, and the others are read where they are.
      const std::size_t wanted =
          rest_.size() < 2
              ? 2
              : 2 + (std::to_integer<std::size_t>(rest_[0]) << 8 | std::to_integer<std::size_t>(rest_[1]));
      const std::size_t lacking = std::min(bytes.size(), wanted - std::min(wanted, rest_.size()));
      rest_.insert(rest_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(lacking));
      bytes = bytes.subspan(lacking);
      if (read(rest_, take, more) != 0) rest_.clear();
    }
    return end_ == End::None ? size - bytes.size() : size;
  }

  /// When to send a heartbeat, or to hang up.
  [[nodiscard]] Nanoseconds next_deadline() const noexcept {
    return std::min(later(sent_, timing_.heartbeat), next_silence());
  }
  /// When the other side has been silent for too long.
  [[nodiscard]] Nanoseconds next_silence() const noexcept { return later(heard_, timing_.silence); }
  [[nodiscard]] bool is_silent(Nanoseconds now) const noexcept { return now >= next_silence(); }
  [[nodiscard]] bool is_heartbeat_due(Nanoseconds now) const noexcept {
    return now >= later(sent_, timing_.heartbeat);
  }

  Timing timing_;
  std::size_t longest_;
  Nanoseconds heard_;  ///< when the other side sent bytes last
  Nanoseconds sent_;   ///< when this side did
  Nanoseconds began_;
  End end_ = End::None;

 private:
  template <class Take, class More>
  [[nodiscard]] std::size_t read(std::span<const std::byte> bytes, Take& take, More& more) noexcept {
    PacketReader reader(bytes, longest_);
    while (end_ == End::None && more()) {
      const std::optional<Packet> packet = reader.next();
      if (!packet) break;
      take(*packet);
    }
    if (end_ == End::None && reader.status() != ReadStatus::Success && reader.status() != ReadStatus::Incomplete)
      end_ = End::BadPacket;
    return reader.offset();
  }

  std::vector<std::byte> rest_;  ///< of a packet that is not complete
};

}  // namespace detail

/// The side of a venue, for one connection.
template <MessageStore Store>
class Server : public detail::Session {
 public:
  /// @param store of the session, which outlives this connection
  /// @param longest the longest payload that a client may send
  Server(SessionName session, const Store& store, Nanoseconds now, const Timing& timing = {},
         std::size_t longest = 1'024)
      : Session(timing, std::max(longest, sizeof(LoginRequest)), now), session_(session), store_(&store) {}

  /// Takes bytes of the client. `handler.login(request)` says whether user and password are right, and may choose
  /// whose messages the store has; `handler.message(payload)` gets each message after the login. A handler that
  /// has `takes_more()` is asked before each packet.
  /// @param now for bytes that have waited, when they came: silence counts from then on
  /// @return how many bytes were taken: all, unless the handler takes no more. Offer the others again later.
  template <class Handler>
  std::size_t receive(std::span<const std::byte> bytes, Nanoseconds now, Handler&& handler) noexcept {
    return split(
        bytes, now, [&](const Packet& packet) { take(packet, handler); },
        [&] { return detail::takes_more(handler); });
  }
  /// Names the session that is on now, for a connection that is older. The login decides which one the client
  /// gets: call it before, at the latest in `handler.login`.
  void set_session(SessionName session) noexcept { session_ = session; }

  /// Says what time it is. Call it at the deadline; earlier does no harm.
  void advance(Nanoseconds now) noexcept {
    if (end_ != End::None) return;
    if (!is_logged_in_ && now >= detail::later(began_, timing_.login)) end_ = End::NoLogin;
    if (is_silent(now)) end_ = is_logged_in_ ? End::Silence : End::NoLogin;
  }
  [[nodiscard]] Nanoseconds deadline() const noexcept {
    return is_logged_in_ ? next_deadline() : std::min(next_silence(), detail::later(began_, timing_.login));
  }

  /// Fills `room` with what the client should get now, whole packets alone; call it again while it fills any.
  /// @param room at least as long as the longest message and 3 bytes
  /// @return how many bytes
  [[nodiscard]] std::size_t write(std::span<std::byte> room, Nanoseconds now) noexcept {
    PacketWriter writer(room);
    if (answer_ == PacketType::LoginRejected && writer.append(answer_, LoginRejected{reason_})) {
      answer_ = {};
    } else if (answer_ == PacketType::LoginAccepted && writer.append(answer_, LoginAccepted{session_, next_})) {
      answer_ = {};
    }
    if (is_logged_in_ && answer_ == PacketType{} && end_ == End::None) {
      while (next_ <= store_->size() && writer.append(PacketType::Sequenced, (*store_)[next_ - 1])) ++next_;
      if (next_ > store_->size() && closes_ && writer.append(PacketType::EndOfSession)) end_ = End::EndOfSession;
      if (writer.size() == 0 && is_heartbeat_due(now) && end_ == End::None)
        static_cast<void>(writer.append(PacketType::ServerHeartbeat));
    }
    if (writer.size() != 0) sent_ = now;
    return writer.size();
  }

  /// Ends the session once the client has all messages of the store.
  void close() noexcept { closes_ = true; }

  [[nodiscard]] bool is_logged_in() const noexcept { return is_logged_in_; }
  /// The sequence of the next message that the client gets; how far it is behind tells who is slow.
  [[nodiscard]] std::uint64_t next_sequence() const noexcept { return next_; }
  /// Whether a rejection has still to be written before the connection is closed.
  [[nodiscard]] bool has_answer() const noexcept { return answer_ != PacketType{}; }

 private:
  template <class Handler>
  void take(const Packet& packet, Handler& handler) noexcept {
    if (!is_logged_in_) {
      const LoginRequest* const login = packet.as<LoginRequest>();
      if (packet.type == PacketType::Debug) return;
      if (packet.type != PacketType::LoginRequest || login == nullptr) {
        end_ = End::NoLogin;
        return;
      }
      return log_in(*login, handler);
    }
    switch (packet.type) {
      case PacketType::Unsequenced: handler.message(packet.payload); break;
      case PacketType::LogoutRequest: end_ = End::Logout; break;
      case PacketType::ClientHeartbeat:
      case PacketType::Debug: break;
      default: end_ = End::BadPacket;
    }
  }

  template <class Handler>
  void log_in(const LoginRequest& login, Handler& handler) noexcept {
    const std::optional<std::uint64_t> sequence = login.sequence.value();
    if (!sequence) {
      end_ = End::BadPacket;
      return;
    }
    if (!handler.login(login)) return reject(RejectReason::NotAuthorised, End::Rejected);
    // Only now is it known which session is on, and whose messages they are.
    const bool is_known = login.session == SessionName{} || login.session == session_;
    const std::uint64_t after_last = store_->size() + 1;
    if (!is_known) return reject(RejectReason::NoSession, End::Rejected);
    if (*sequence > after_last) return reject(RejectReason::NoSession, End::BadSequence);
    next_ = *sequence == 0 ? after_last : *sequence;
    answer_ = PacketType::LoginAccepted;
    is_logged_in_ = true;
  }
  void reject(RejectReason reason, End why) noexcept {
    answer_ = PacketType::LoginRejected;
    reason_ = reason;
    end_ = why;
  }

  SessionName session_;
  const Store* store_;
  std::uint64_t next_ = 1;
  PacketType answer_{};  ///< to the login, still to be written
  RejectReason reason_ = RejectReason::NotAuthorised;
  bool is_logged_in_ = false;
  bool closes_ = false;
};

/// The client's side of one connection. A new one with session and next sequence of the last goes on without loss.
class Client : public detail::Session {
 public:
  /// @param longest the longest payload that the server may send
  Client(const LoginRequest& login, Nanoseconds now, const Timing& timing = {}, std::size_t longest = 1'024)
      : Session(timing, std::max(longest, sizeof(LoginAccepted)), now), login_(login) {
    // A login asks for the messages from a number on; after 0 the server says which comes next.
    next_ = login.sequence.value().value_or(0);
  }

  /// Takes bytes of the server. `handler.message(sequence, payload)` gets each message of the session, in order;
  /// `handler.unsequenced(payload)` those that have no number.
  template <class Handler>
  void receive(std::span<const std::byte> bytes, Nanoseconds now, Handler&& handler) noexcept {
    split(
        bytes, now, [&](const Packet& packet) { take(packet, handler); }, [] { return true; });
  }

  void advance(Nanoseconds now) noexcept {
    if (end_ == End::None && is_silent(now)) end_ = End::Silence;
  }
  [[nodiscard]] Nanoseconds deadline() const noexcept { return next_deadline(); }

  /// Fills `room`, of at least 64 bytes, with the login or a heartbeat, if it is due. @return how many bytes
  [[nodiscard]] std::size_t write(std::span<std::byte> room, Nanoseconds now) noexcept {
    PacketWriter writer(room);
    if (!has_asked_ && writer.append(PacketType::LoginRequest, login_)) {
      has_asked_ = true;
    } else if (is_logged_in_ && is_heartbeat_due(now) && end_ == End::None) {
      static_cast<void>(writer.append(PacketType::ClientHeartbeat));
    }
    if (writer.size() != 0) sent_ = now;
    return writer.size();
  }
  /// Writes a message to the server into `room`. @return how many bytes; 0 if it does not fit, or without a login.
  [[nodiscard]] std::size_t write_message(std::span<const std::byte> message, std::span<std::byte> room,
                                          Nanoseconds now) noexcept {
    PacketWriter writer(room);
    if (is_logged_in_ && end_ == End::None && writer.append(PacketType::Unsequenced, message)) sent_ = now;
    return writer.size();
  }
  /// Writes that this client logs out, which ends the session. @return how many bytes
  [[nodiscard]] std::size_t write_logout(std::span<std::byte> room) noexcept {
    PacketWriter writer(room);
    if (end_ == End::None && writer.append(PacketType::LogoutRequest)) end_ = End::Logout;
    return writer.size();
  }

  [[nodiscard]] bool is_logged_in() const noexcept { return is_logged_in_; }
  /// What to log in with the next time.
  [[nodiscard]] SessionName session() const noexcept { return login_.session; }
  [[nodiscard]] std::uint64_t next_sequence() const noexcept { return next_; }
  /// Why the login was rejected, if it was.
  [[nodiscard]] std::optional<RejectReason> reject_reason() const noexcept { return reason_; }

 private:
  template <class Handler>
  void take(const Packet& packet, Handler& handler) noexcept {
    if (packet.type == PacketType::Debug) return;
    if (!is_logged_in_) return take_answer(packet);
    switch (packet.type) {
      case PacketType::Sequenced: handler.message(next_++, packet.payload); break;
      case PacketType::Unsequenced: handler.unsequenced(packet.payload); break;
      case PacketType::EndOfSession: end_ = End::EndOfSession; break;
      case PacketType::ServerHeartbeat: break;
      default: end_ = End::BadPacket;
    }
  }
  void take_answer(const Packet& packet) noexcept {
    if (const LoginRejected* const no = packet.as<LoginRejected>();
        no && packet.type == PacketType::LoginRejected) {
      reason_ = no->reason.value();
      end_ = End::Rejected;
      return;
    }
    const LoginAccepted* const yes = packet.as<LoginAccepted>();
    if (packet.type != PacketType::LoginAccepted || yes == nullptr || !yes->sequence.value()) {
      end_ = End::BadPacket;
      return;
    }
    const std::uint64_t first = *yes->sequence.value();
    if (first == 0 || (next_ != 0 && first != next_)) {
      end_ = End::BadSequence;
      return;
    }
    login_.session = yes->session;
    next_ = first;
    is_logged_in_ = true;
  }

  LoginRequest login_;
  std::uint64_t next_;
  std::optional<RejectReason> reason_{};
  bool has_asked_ = false;
  bool is_logged_in_ = false;
};

}  // namespace llmes::inline LLMES_NAMESPACE::soup
