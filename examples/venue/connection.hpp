// SPDX-License-Identifier: MIT
//
// A socket with its session.
#pragma once

#include <array>
#include <asio.hpp>
#include <asio/ssl.hpp>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "metrics.hpp"
#include "session.hpp"

namespace exchange {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// What a connection asks of the program.
  struct Host {
    Metrics& metrics;
    std::function<void()> set_clock;                                   ///< called before input is read
    std::function<void(const std::shared_ptr<Connection>&)> on_input;  ///< commands may wait to be done
    std::function<void(const std::shared_ptr<Connection>&)> on_end;
    std::uint64_t backlog;
    Nanoseconds stall;
  };

  Connection(Host& host, std::unique_ptr<Session> session) : host_(host), session_(std::move(session)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  void start() {
    session_->on_news = [this] { flush(); };
    begin();
  }
  /// Reads on. The server calls it once the answers to what was read are on their way.
  void read() {
    if (is_closed_) return;
    async_read(in_, [self = shared_from_this()](std::error_code error, std::size_t size) {
      if (error) return self->end(error == asio::error::eof ? "it has hung up" : error.message());
      self->host_.metrics.bytes_in += size;
      self->read_at_ = steady_now();
      self->host_.set_clock();
      self->host_.metrics.time([&] { self->session_->receive(std::span(self->in_).first(size), self->read_at_); });
      self->host_.on_input(self);
    });
  }
  /// Writes what the session has, as far as the socket takes it.
  void flush() {
    if (is_closed_ || is_writing_) return;
    const std::size_t size = host_.metrics.time([this] { return session_->write(out_, steady_now()); });
    if (size == 0) {
      if (session_->is_over()) end(session_->reason());
      return;
    }
    is_writing_ = true;
    writing_since_ = steady_now();
    host_.metrics.bytes_out += size;
    async_write(std::span(out_).first(size), [self = shared_from_this()](std::error_code error, std::size_t) {
      self->is_writing_ = false;
      if (error) return self->end(error.message());
      self->flush();
    });
  }
  /// The answers to what was read last are written, or wait for the socket.
  void answered() {
    if (read_at_ != 0) host_.metrics.answers.add(steady_now() - read_at_);
    read_at_ = 0;
  }
  /// Several times a second.
  void advance() {
    const Nanoseconds now = steady_now();
    session_->advance(now);
    const std::uint64_t behind = session_->behind();
    if (behind == 0) has_caught_up_ = true;
    const bool stalls = is_writing_ && now - writing_since_ > host_.stall;
    if (stalls || (has_caught_up_ && behind > host_.backlog)) {
      ++host_.metrics.slow;
      return end("it reads too slowly");
    }
    flush();
  }
  void end(std::string_view why) {
    if (std::exchange(is_closed_, true)) return;
    why_ = why;
    close();
    host_.on_end(shared_from_this());
  }

  [[nodiscard]] Session& session() noexcept { return *session_; }
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

 protected:
  using Handler = std::function<void(std::error_code, std::size_t)>;
  virtual void begin() = 0;
  virtual void async_read(std::span<std::byte> room, Handler handler) = 0;
  virtual void async_write(std::span<const std::byte> bytes, Handler handler) = 0;
  virtual void close() = 0;

  Host& host_;

 private:
  std::unique_ptr<Session> session_;
  std::array<std::byte, 16'384> in_{};
  std::array<std::byte, 16'384> out_{};
  Nanoseconds read_at_ = 0;
  Nanoseconds writing_since_ = 0;
  bool is_writing_ = false;
  bool is_closed_ = false;
  bool has_caught_up_ = false;
  std::string why_;
};

/// Over TCP as it is, or with TLS.
template <class Stream>
class StreamConnection final : public Connection {
 public:
  template <class... More>
  StreamConnection(Host& host, std::unique_ptr<Session> session, asio::ip::tcp::socket socket, More&... more)
      : Connection(host, std::move(session)), stream_(std::move(socket), more...) {}

 private:
  static constexpr bool is_secret = !std::same_as<Stream, asio::ip::tcp::socket>;

  void begin() override {
    if constexpr (is_secret) {
      stream_.async_handshake(asio::ssl::stream_base::server, [self = shared_from_this()](std::error_code error) {
        if (error) return self->end(error.message());
        self->read();
      });
    } else {
      read();
    }
  }
  void async_read(std::span<std::byte> room, Handler handler) override {
    stream_.async_read_some(asio::buffer(room.data(), room.size()), std::move(handler));
  }
  void async_write(std::span<const std::byte> bytes, Handler handler) override {
    asio::async_write(stream_, asio::buffer(bytes.data(), bytes.size()), std::move(handler));
  }
  void close() override {
    std::error_code ignored;
    stream_.lowest_layer().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
    stream_.lowest_layer().close(ignored);
  }

  Stream stream_;
};
using PlainConnection = StreamConnection<asio::ip::tcp::socket>;
using SecretConnection = StreamConnection<asio::ssl::stream<asio::ip::tcp::socket>>;

}  // namespace exchange
