// SPDX-License-Identifier: MIT
//
// A session of SoupBinTCP: what it sends are the messages of a store, from the number on that its login asks for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "examples/exchange/client_session.hpp"
#include "examples/exchange/gateway.hpp"
#include "llmes/wire.hpp"

namespace exchange {

[[nodiscard]] constexpr std::string_view reason_of(llmes::soup::End end) noexcept {
  using enum llmes::soup::End;
  switch (end) {
    case None: return "";
    case Logout: return "it has logged out";
    case Rejected:
    case BadSequence: return "its login was rejected";
    case EndOfSession: return "the session has ended";
    case NoLogin: return "it did not log in";
    case Silence: return "it was silent for too long";
    case BadPacket: return "it sent what is no packet";
  }
  return "";
}

/// @tparam Store the messages that it sends
template <class Store>
class SoupSession : public ClientSession {
 public:
  [[nodiscard]] std::size_t write(std::span<std::byte> room, Nanoseconds now) override {
    if (is_replaced()) return 0;
    const std::size_t size = server_.write(room, now);
    if (size != 0 || client_ == nullptr || bad_.empty() || std::exchange(has_told_, true)) return size;
    llmes::soup::PacketWriter writer(room);  // with the last words, for whoever looks for the fault
    static_cast<void>(writer.append(llmes::soup::PacketType::Debug, std::as_bytes(std::span(bad_))));
    return writer.size();
  }
  void advance(Nanoseconds now) override {
    now_ = now;
    if (is_held()) server_.hold(heard_at());
    server_.advance(now);
  }
  [[nodiscard]] bool is_logged_in() const override { return server_.is_logged_in(); }
  void close() override { server_.close(); }
  /// Without the end of the session.
  void stop() override { stops_ = true; }
  [[nodiscard]] bool is_over() const override {
    return (server_.end() != llmes::soup::End::None && !server_.has_answer()) || !bad_.empty() || is_replaced() ||
           (stops_ && behind() == 0);
  }
  [[nodiscard]] std::string reason() const override {
    if (!bad_.empty()) return bad_;
    if (is_replaced()) return "its user has logged in again";
    if (stops_ && server_.end() == llmes::soup::End::None) return "the venue stops";
    const bool is_rejected =
        server_.end() == llmes::soup::End::Rejected || server_.end() == llmes::soup::End::BadSequence;
    return std::string(reason_of(server_.end())) + (is_rejected ? ": " + why_ : "");
  }
  [[nodiscard]] std::uint64_t behind() const override { return store_.size() + 1 - server_.next_sequence(); }

  // What the server calls.
  [[nodiscard]] bool login(const llmes::soup::LoginRequest& request) {
    if (verdict() == nullptr) return false;
    // The connection may be older than the day.
    const llmes::soup::SessionName today(gateway_.day_name());
    server_.set_session(today);
    choose_messages(*verdict());
    const std::uint64_t sequence = request.sequence.value().value_or(0);
    if (request.session != today && request.session != llmes::soup::SessionName{}) {
      why_ = "session '" + printable(request.session.view()) + "', but it is " + std::string(today.view());
    } else if (sequence > store_.size() + 1) {
      why_ = "sequence " + std::to_string(sequence) + " is beyond the next, " + std::to_string(store_.size() + 1);
    }
    return true;
  }
  void message(std::span<const std::byte> bytes) {
    count_message();
    if (bad_.empty() && !is_replaced()) enter(bytes);
  }
  [[nodiscard]] bool takes_more() const { return !has_kept() && may_take(); }

 protected:
  SoupSession(Gateway& gateway, Nanoseconds now, std::size_t longest, Place place)
      : ClientSession(gateway, now, place),
        longest_(std::max(longest, sizeof(llmes::soup::LoginRequest))),
        server_(llmes::soup::SessionName(gateway.day_name()), store_, now, {}, longest) {}

  virtual void choose_messages(Client& client) = 0;
  /// A message of the client.
  virtual void enter(std::span<const std::byte> bytes) = 0;
  /// Enters the message that it has kept.
  virtual void enter_kept() {}

  [[nodiscard]] FoundLogin find_login(std::span<const std::byte> bytes) override {
    llmes::soup::PacketReader reader(bytes, longest_);
    std::optional<llmes::soup::Packet> packet;
    FoundLogin found;
    do {
      found.end = reader.offset();
      packet = reader.next();
    } while (packet && packet->type == llmes::soup::PacketType::Debug);
    found.is_whole = packet || (reader.status() != llmes::soup::ReadStatus::Incomplete &&
                                reader.status() != llmes::soup::ReadStatus::Success);
    const auto* const request = packet ? packet->as<llmes::soup::LoginRequest>() : nullptr;
    if (request == nullptr || packet->type != llmes::soup::PacketType::LoginRequest) return found;
    found.end = reader.offset();
    found.is_login = true;
    found.user = request->user.view();
    found.password = request->password.view();
    return found;
  }
  [[nodiscard]] std::size_t give(std::span<const std::byte> bytes, Nanoseconds) override {
    enter_kept();
    return server_.receive(bytes, heard_at(), *this);
  }

  Store store_;
  std::string bad_;  ///< what it sent, if that ends it

 private:
  std::size_t longest_;
  llmes::soup::Server<Store> server_;
  bool has_told_ = false;  ///< the client what was bad
  bool stops_ = false;     ///< the program, once the client has all
};

}  // namespace exchange
