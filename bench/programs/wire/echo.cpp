// SPDX-License-Identifier: MIT
//
// A server that knows nothing: it answers each packet with one of the size that the venue's answer has, in the
// same arrangement of Asio and one thread.
#include "bench/programs/wire/echo.hpp"

#include <array>
#include <asio.hpp>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "llmes/wire.hpp"

namespace llmes::bench {
namespace {

using asio::ip::tcp;

struct Connection : std::enable_shared_from_this<Connection> {
  explicit Connection(tcp::socket from) : socket(std::move(from)) {}

  void read() {
    socket.async_read_some(asio::buffer(in), [self = shared_from_this()](std::error_code error, std::size_t size) {
      if (error) return;
      self->answer(std::span(self->in).first(size));
    });
  }
  void answer(std::span<const std::byte> bytes) {
    held.insert(held.end(), bytes.begin(), bytes.end());
    out.clear();
    soup::PacketReader reader(held);
    while (const auto packet = reader.next()) {
      const std::size_t size =
          packet->payload.size() == sizeof(ouch::EnterOrder) ? sizeof(ouch::Accepted) : sizeof(ouch::Canceled);
      out.resize(out.size() + soup::header_size + size);
      soup::PacketWriter writer{std::span(out).last(soup::header_size + size)};
      static_cast<void>(writer.append(soup::PacketType::Sequenced, std::span(filling).first(size)));
    }
    held.erase(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(reader.offset()));
    asio::async_write(socket, asio::buffer(out), [self = shared_from_this()](std::error_code error, std::size_t) {
      if (!error) self->read();
    });
  }

  tcp::socket socket;
  std::array<std::byte, 16'384> in{};
  std::array<std::byte, 128> filling{};
  std::vector<std::byte> held;
  std::vector<std::byte> out;
};

}  // namespace

void run_echo(bool spins) {
  asio::io_context io(1);
  tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  std::printf("echo at %u\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  const std::function<void()> accept = [&] {
    acceptor.async_accept([&](std::error_code error, tcp::socket socket) {
      if (error) return;
      socket.set_option(tcp::no_delay(true));
      std::make_shared<Connection>(std::move(socket))->read();
      accept();
    });
  };
  accept();
  for (;;) {
    if (!spins) io.run_one();
    io.poll();
  }
}

}  // namespace llmes::bench
