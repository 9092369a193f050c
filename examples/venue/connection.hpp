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

#include "examples/exchange/clock.hpp"
#include "examples/exchange/limits.hpp"
#include "examples/exchange/metrics.hpp"
#include "examples/exchange/session.hpp"

namespace exchange {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// What a connection asks of the program.
  struct Host {
    Metrics& metrics;
    const Clock& clock;
    std::function<void(const std::shared_ptr<Connection>&)> on_input;  ///< bytes have come: call `take`
    std::function<void(const std::shared_ptr<Connection>&)> on_end;
    /// All is written to a client whose session is over: its socket, which may still have bytes of the client.
    std::function<void(asio::ip::tcp::socket)> on_last_words;
    std::uint64_t backlog;
    Nanoseconds stall;
  };

  Connection(Host& host, std::unique_ptr<Session> session) : host_(host), session_(std::move(session)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  /// Messages that a client may send in one turn of the program; then others have theirs.
  static constexpr std::size_t turn = 64;

  void start() {
    session_->on_news = [this] {
      flush();
      if (!is_closed_ && std::exchange(is_held_, false)) host_.on_input(shared_from_this());
    };
    begin();
  }
  /// Reads on. The server calls it once the answers to what was read are on their way.
  void read() {
    if (!is_closed_) async_read(in_);
  }
  /// Whether `read_now` can read, and has not just read as much as it can.
  [[nodiscard]] bool is_ready() const noexcept { return is_direct() && size_ < in_.size(); }
  /// Whether something has come that is not done.
  [[nodiscard]] bool has_input() const noexcept {
    return !is_closed_ && (begin_ != size_ || session_->has_kept());
  }
  /// Lets them wait until the session says that it has news.
  void hold() noexcept { is_held_ = true; }
  /// Reads what is there, in place of `read`. @return false if there is nothing yet
  bool read_now() {
    if (is_closed_) return true;
    std::error_code error;
    const std::size_t size = try_read(in_, error);
    if (error == asio::error::would_block) return false;
    came(error, size);
    return true;
  }
  /// The session takes what has come.
  void take() {
    read_at_ = host_.clock.monotonic();
    const std::size_t taken =
        session_->receive(std::span(in_).first(size_).subspan(begin_), host_.clock.served(), turn);
    begin_ += taken;
    if (taken != 0) waits_since = 0;
  }
  /// Writes what the session has, as far as the socket takes it. Its first bytes go at once; the others wait for
  /// their turn, so that nobody waits for a client that has to get a lot.
  void flush() {
    for (bool is_first = true; !is_closed_ && !is_writing_; is_first = false) {
      const std::size_t size = session_->write(out_, host_.clock.served());
      if (size == 0) {
        if (session_->is_over()) end(session_->reason(), Close::AfterLastWords);
        return;
      }
      host_.metrics.bytes_out += size;
      std::span<const std::byte> bytes = std::span(out_).first(size);
      if (is_first) host_.metrics.watch.without([&] { bytes = bytes.subspan(try_write(bytes)); });
      if (bytes.empty()) continue;
      is_writing_ = true;
      writing_since_ = host_.clock.served();
      async_write(bytes);
    }
  }
  /// The answers to what was read last are written, or wait for the socket.
  void answered(Nanoseconds now) { host_.metrics.answers.add(now - read_at_); }
  /// Several times a second.
  void advance() {
    look_for_more();
    session_->advance(host_.clock.served());
    const bool stalls = is_writing_ && host_.clock.served() - writing_since_ > host_.stall;
    if (backlog_.is_too_long(session_->behind(), host_.backlog, host_.clock.served()) || stalls) {
      ++host_.metrics.slow;
      return end("it reads too slowly");
    }
    flush();
  }
  enum class Close : std::uint8_t {
    Now,
    AfterLastWords,  ///< once the client has them
  };
  void end(std::string_view why, Close how = Close::Now) {
    if (std::exchange(is_closed_, true)) return;
    why_ = why;
    if (how == Close::AfterLastWords) {
      host_.on_last_words(take_socket());
    } else {
      close();
    }
    host_.on_end(shared_from_this());
  }

  std::uint64_t number = 0;  ///< above those before
  std::uint64_t waits_since =
      0;  ///< for its limit: above those before, while nothing of it is taken; 0: it has not
  [[nodiscard]] Session& session() noexcept { return *session_; }
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

 protected:
  virtual void begin() = 0;
  /// Whether `try_read` and `try_write` do anything.
  [[nodiscard]] virtual bool is_direct() const noexcept = 0;
  /// Calls `came` when bytes are there.
  virtual void async_read(std::span<std::byte> room) = 0;
  /// Calls `went` when all are written.
  virtual void async_write(std::span<const std::byte> bytes) = 0;
  /// Without waiting. An error of writing is left to `async_write`.
  virtual std::size_t try_read(std::span<std::byte> room, std::error_code& error) = 0;
  virtual std::size_t try_write(std::span<const std::byte> bytes) = 0;
  virtual void close() = 0;
  /// How many bytes of the client are in its socket.
  [[nodiscard]] virtual std::size_t unread() = 0;
  /// Takes the socket away, which nobody reads or writes any more.
  [[nodiscard]] virtual asio::ip::tcp::socket take_socket() = 0;

  void came(std::error_code error, std::size_t size) {
    if (error) return end(error == asio::error::eof ? "it has hung up" : error.message());
    host_.metrics.bytes_in += size;
    size_ = size;
    begin_ = 0;
    unread_ = 0;
    host_.on_input(shared_from_this());
  }
  void went(std::error_code error) {
    is_writing_ = false;
    if (error) return end(error.message());
    flush();
  }

 private:
  /// Who waits for its limit is not read, and silent only if nothing more comes. Who has sent so much that the
  /// system may take no more could not say so.
  void look_for_more() {
    if (is_closed_ || !has_input()) return;
    const std::size_t before = std::exchange(unread_, unread());
    if (unread_ > before || unread_ >= unread_max) session_->heard(host_.clock.served());
  }

  static constexpr std::size_t unread_max = 32'768;

  Host& host_;
  std::unique_ptr<Session> session_;
  std::array<std::byte, 16'384> in_{};
  std::array<std::byte, 16'384> out_{};
  std::size_t begin_ = 0;  ///< of what has come last, and not been taken
  std::size_t size_ = 0;
  std::size_t unread_ = 0;  ///< bytes in the socket, at the last look while others wait
  Nanoseconds read_at_ = 0;
  Nanoseconds writing_since_ = 0;
  bool is_writing_ = false;
  bool is_closed_ = false;
  bool is_held_ = false;
  Backlog backlog_;
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

  [[nodiscard]] bool is_direct() const noexcept override { return !is_secret; }
  void begin() override {
    if constexpr (is_secret) {
      stream_.async_handshake(asio::ssl::stream_base::server, [self = shared_from_this()](std::error_code error) {
        if (error) return self->end(error.message());
        self->read();
      });
    } else {
      std::error_code ignored;
      stream_.non_blocking(true, ignored);
      read();
    }
  }
  void async_read(std::span<std::byte> room) override {
    stream_.async_read_some(
        asio::buffer(room.data(), room.size()),
        [this, self = shared_from_this()](std::error_code error, std::size_t size) { came(error, size); });
  }
  void async_write(std::span<const std::byte> bytes) override {
    asio::async_write(stream_, asio::buffer(bytes.data(), bytes.size()),
                      [this, self = shared_from_this()](std::error_code error, std::size_t) { went(error); });
  }
  std::size_t try_read(std::span<std::byte> room, std::error_code& error) override {
    if constexpr (!is_secret) return stream_.read_some(asio::buffer(room.data(), room.size()), error);
    error = asio::error::would_block;
    return 0;
  }
  std::size_t try_write(std::span<const std::byte> bytes) override {
    std::error_code ignored;
    if constexpr (!is_secret) return stream_.write_some(asio::buffer(bytes.data(), bytes.size()), ignored);
    return 0;
  }
  void close() override {
    std::error_code ignored;
    stream_.lowest_layer().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
    stream_.lowest_layer().close(ignored);
  }
  [[nodiscard]] std::size_t unread() override {
    std::error_code ignored;
    return stream_.lowest_layer().available(ignored);
  }
  [[nodiscard]] asio::ip::tcp::socket take_socket() override {
    std::error_code ignored;
    stream_.lowest_layer().cancel(ignored);
    if constexpr (is_secret) {
      return std::move(stream_.next_layer());
    } else {
      return std::move(stream_);
    }
  }

  Stream stream_;
};
using PlainConnection = StreamConnection<asio::ip::tcp::socket>;
using SecretConnection = StreamConnection<asio::ssl::stream<asio::ip::tcp::socket>>;

}  // namespace exchange
