// SPDX-License-Identifier: MIT
//
// A server that knows nothing: it answers each message with the bytes that the venue answered once, in the same
// arrangement: Asio and one thread, which writes at once and, if it spins, tries to read from the client that
// sent last.
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

using Answers = std::array<std::vector<std::byte>, 2>;

struct Connection : std::enable_shared_from_this<Connection> {
  Connection(tcp::socket from, bool speaks_fix, const Answers& all, std::shared_ptr<Connection>* last)
      : socket(std::move(from)), is_fix(speaks_fix), answers(all), hot(last) {}

  void read() {
    socket.async_read_some(asio::buffer(in), [self = shared_from_this()](std::error_code error, std::size_t size) {
      if (!error) self->answer(std::span(self->in).first(size));
    });
  }
  /// @return false if nothing has come
  bool read_now() {
    std::error_code error;
    const std::size_t size = socket.read_some(asio::buffer(in), error);
    if (!error) answer(std::span(in).first(size));
    return error != asio::error::would_block;
  }
  void answer(std::span<const std::byte> bytes) {
    held.insert(held.end(), bytes.begin(), bytes.end());
    out.clear();
    if (is_fix) {
      answer_each(fix::FrameReader(held));
    } else {
      answer_each(soup::PacketReader(held));
    }
    std::error_code error;
    const std::size_t written = socket.write_some(asio::buffer(out), error);
    if (written == out.size()) return read_on();
    asio::async_write(socket, asio::buffer(out) + written,
                      [self = shared_from_this()](std::error_code failed, std::size_t) {
                        if (!failed) self->read_on();
                      });
  }
  template <class Reader>
  void answer_each(Reader reader) {
    for (; reader.next(); ++count) out.insert(out.end(), answers[count % 2].begin(), answers[count % 2].end());
    held.erase(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(reader.offset()));
  }
  void read_on() {
    if (hot == nullptr) return read();
    if (*hot != nullptr) (*hot)->read();
    *hot = shared_from_this();
  }

  tcp::socket socket;
  bool is_fix;
  const Answers& answers;
  std::size_t count = 0;
  std::shared_ptr<Connection>* hot;  ///< who has sent last; nullptr: nobody spins
  std::array<std::byte, 16'384> in{};
  std::vector<std::byte> held;
  std::vector<std::byte> out;
};

}  // namespace

void run_echo(bool spins, bool is_fix, const Answers& answers) {
  asio::io_context io(1);
  tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  std::printf("echo at %u\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  std::shared_ptr<Connection> hot;
  const std::function<void()> accept = [&] {
    acceptor.async_accept([&](std::error_code error, tcp::socket socket) {
      if (error) return;
      socket.set_option(tcp::no_delay(true));
      socket.non_blocking(true);
      std::make_shared<Connection>(std::move(socket), is_fix, answers, spins ? &hot : nullptr)->read();
      accept();
    });
  };
  accept();
  for (;;) {
    for (int tries = 8; hot != nullptr && tries != 0; --tries) {
      std::shared_ptr<Connection> now = std::move(hot);
      if (now->read_now()) break;
      hot = std::move(now);
    }
    if (!spins) io.run_one();
    io.poll();
  }
}

}  // namespace llmes::bench
