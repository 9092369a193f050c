// SPDX-License-Identifier: MIT
//
// The client of bench_wire: one connection over which packets of SoupBinTCP or messages of FIX go. It waits by
// spinning, or in the kernel.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/programs/wire/processes.hpp"
#include "llmes/wire.hpp"

namespace llmes::bench {

[[nodiscard]] inline std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}
[[nodiscard]] inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

class Client {
 public:
  /// Throws std::runtime_error if nobody listens.
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const sockaddr_in address = loopback(port);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
      throw system_failure("cannot connect to port " + std::to_string(port));
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  Client(Client&& from) noexcept : socket_(std::exchange(from.socket_, -1)), held_(std::move(from.held_)) {}
  Client& operator=(Client&&) = delete;
  ~Client() {
    if (socket_ >= 0) close(socket_);
  }

  /// Throws std::runtime_error if the login is rejected.
  void log_in(const std::string& user, const std::string& password) {
    send_packet(
        soup::PacketType::LoginRequest,
        soup::LoginRequest{
            .user = std::string_view(user), .password = std::string_view(password), .session = {}, .sequence = 1});
    bool accepted = false;
    const std::uint64_t patience = now_ns() + 30'000'000'000;
    while (!accepted && now_ns() < patience) {
      receive<soup::PacketReader>(false, [&](const soup::Packet& packet, auto) {
        accepted = accepted || packet.type == soup::PacketType::LoginAccepted;
        if (packet.type == soup::PacketType::LoginRejected) throw std::runtime_error("the login is rejected");
      });
    }
    if (!accepted) throw std::runtime_error("the venue does not answer a login");
  }
  template <class Form>
  void send_packet(soup::PacketType type, const Form& form) {
    std::array<std::byte, 256> room;
    soup::PacketWriter writer(room);
    if (!writer.append(type, form)) throw std::logic_error("a packet is too long");
    send(std::span(room).first(writer.size()));
  }
  /// Throws std::runtime_error if the connection has ended.
  void send(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0) throw system_failure("the connection has ended");
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
  }
  /// Gives each packet or message that has come whole to `take`, with its bytes.
  /// @tparam Reader that splits them
  /// @param waits in the kernel, until bytes come
  template <class Reader, class Take>
  void receive(bool waits, Take&& take) {
    std::array<std::byte, 65'536> room;
    const ssize_t came = recv(socket_, room.data(), room.size(), waits ? 0 : MSG_DONTWAIT);
    if (came == 0) throw std::runtime_error("the server has hung up");
    if (came < 0) {
      if (errno == EAGAIN || errno == EINTR) return;
      throw system_failure("the connection has ended");
    }
    const auto bytes = std::span(room).first(static_cast<std::size_t>(came));
    if (held_.empty()) {
      split<Reader>(bytes, take);
    } else {
      held_.insert(held_.end(), bytes.begin(), bytes.end());
      const std::vector<std::byte> all = std::exchange(held_, {});
      split<Reader>(all, take);
    }
  }

  /// Everything until the other side hangs up.
  [[nodiscard]] std::string read_all() {
    std::string text;
    std::array<char, 4'096> room;
    while (const ssize_t came = recv(socket_, room.data(), room.size(), 0)) {
      if (came < 0) throw system_failure("the connection has ended");
      text.append(room.data(), static_cast<std::size_t>(came));
    }
    return text;
  }

 private:
  template <class Reader, class Take>
  void split(std::span<const std::byte> bytes, Take& take) {
    Reader reader(bytes);
    for (std::size_t begin = 0; const auto packet = reader.next(); begin = reader.offset())
      take(*packet, bytes.subspan(begin, reader.offset() - begin));
    held_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(reader.offset()), bytes.end());
  }

  int socket_;
  std::vector<std::byte> held_;  ///< of one that has not come whole
};

/// Where the datagrams of a feed come.
class FeedSocket {
 public:
  FeedSocket() : socket_(::socket(AF_INET, SOCK_DGRAM, 0)) {
    const sockaddr_in any = loopback(0);
    if (bind(socket_, reinterpret_cast<const sockaddr*>(&any), sizeof(any)) != 0)
      throw system_failure("cannot open a port for the feed");
  }
  FeedSocket(const FeedSocket&) = delete;
  FeedSocket& operator=(const FeedSocket&) = delete;
  ~FeedSocket() { close(socket_); }

  [[nodiscard]] std::uint16_t port() const {
    sockaddr_in address{};
    socklen_t size = sizeof(address);
    if (getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw system_failure("the port of the feed is not known");
    return ntohs(address.sin_port);
  }
  /// Drops what has come.
  void drain() {
    std::array<std::byte, 2'048> room;
    while (recv(socket_, room.data(), room.size(), MSG_DONTWAIT) >= 0) {
    }
  }
  /// Whether a datagram with messages has come. @param waits in the kernel until one comes
  [[nodiscard]] bool receive(bool waits) {
    std::array<std::byte, 2'048> room;
    const ssize_t came = recv(socket_, room.data(), room.size(), waits ? 0 : MSG_DONTWAIT);
    return came > 20;  // behind the header of 20 bytes; a heartbeat has nothing
  }

 private:
  int socket_;
};

}  // namespace llmes::bench
