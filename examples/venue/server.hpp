// SPDX-License-Identifier: MIT
//
// The sockets of the exchange and its one thread.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <array>
#include <asio.hpp>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include "connection.hpp"
#include "core.hpp"
#include "fix_session.hpp"
#include "metrics.hpp"
#include "session.hpp"
#include "settings.hpp"

namespace exchange {

using asio::ip::tcp;
using asio::ip::udp;

/// The feed of one day.
struct FeedDay {
  explicit FeedDay(const Gateway& gateway) : log(gateway.feed()), sender(gateway.session(), *log) {}

  std::shared_ptr<MessageLog> log;
  llmes::mold::Sender<MessageLog> sender;
};

/// Takes the thread one step above a real-time priority that it has inherited: it would never get the core of
/// another one that spins there.
inline void step_forward() {
  int policy = 0;
  sched_param parameter{};
  if (pthread_getschedparam(pthread_self(), &policy, &parameter) != 0 || parameter.sched_priority == 0) return;
  ++parameter.sched_priority;
  (void)pthread_setschedparam(pthread_self(), policy, &parameter);
}

class Server {
 public:
  Server(const Settings& settings, Core& core)
      : settings_(settings),
        core_(core),
        fix_stores_(core.gateway(), settings.fix_comp_id, settings.journal, settings.durability),
        host_{metrics_,
              now_,
              [this](const auto& connection) { came_.push_back(connection); },
              [this](const auto& connection) { ended(connection); },
              settings.backlog,
              Nanoseconds{settings.stall} * 1'000'000'000} {
    core_.gateway().logins_a_second = settings.logins;
    std::promise<void> ahead;  // this thread may not wait any more once it spins
    asio::post(checker_, [&ahead] {
      step_forward();
      ahead.set_value();
    });
    ahead.get_future().wait();
    core_.gateway().in_background = [this](std::function<bool()> work, std::function<void(bool)> done) {
      asio::post(checker_, [this, work = std::move(work), done = std::move(done)] {
        asio::post(io_, [answer = work(), done] { done(answer); });
      });
    };
  }

  /// Opens all ports. @return what is wrong, or nothing
  [[nodiscard]] std::string open() {
    std::string wrong = read_certificate();
    if (!wrong.empty()) return wrong;
    wrong = listen(entry_, settings_.address, settings_.port, "orders", [this] {
      return std::make_unique<OuchSession>(core_.gateway(), steady_now(), settings_.message_length);
    });
    if (wrong.empty()) {
      wrong = listen(snapshots_, settings_.address, settings_.snapshot_port, "snapshots", [this] {
        return std::make_unique<SnapshotSession>(core_.gateway(), steady_now(), settings_.message_length);
      });
    }
    if (wrong.empty() && settings_.fix_port) {
      wrong = listen(fix_, settings_.address, *settings_.fix_port, "FIX",
                     [this] { return std::make_unique<FixSession>(core_.gateway(), fix_stores_, steady_now()); });
    }
    if (wrong.empty()) wrong = listen_for_metrics();
    if (wrong.empty() && settings_.feed_port != 0) wrong = open_feed();
    return wrong;
  }

  /// Runs until it is told to stop. @return the exit status
  int run() {
    if (settings_.threads == 2) {
      core_.start_thread(
          settings_.spins, [this](std::function<void()> work) { asio::post(io_, std::move(work)); },
          [this] {
            if (!answered_.empty()) metrics_.watch.go_on(steady_now());
            after_step();
          });
    }
    tick();
    wait_for_signal();
    after_step();  // the day has begun before the first request
    while (!is_stopped_) {
      poll();
      take_input();
      if (!core_.is_busy()) {
        std::swap(inputs_, answered_);
        if (!core_.step()) {
          std::cerr << "venue: the journal has failed: " << core_.failure() << '\n';
          core_.stop_thread();
          return 1;
        }
        if (!core_.is_busy()) after_step();
      }
      if (core_.is_busy()) metrics_.watch.pause(steady_now());
    }
    core_.stop_thread();
    return 0;
  }

 private:
  using MakeSession = std::function<std::unique_ptr<Session>()>;

  [[nodiscard]] static std::string words(std::string_view what, const std::string& address, std::uint16_t port,
                                         const std::error_code& error) {
    return std::string(what) + " at " + address + ':' + std::to_string(port) + ": " + error.message();
  }

  // ---- Connections.

  [[nodiscard]] std::string read_certificate() {
    std::error_code error;
    if (settings_.certificate.empty()) return {};
    tls_.use_certificate_chain_file(settings_.certificate, error);
    if (error) return settings_.certificate + ": no certificate: " + error.message();
    tls_.use_private_key_file(settings_.key, asio::ssl::context::pem, error);
    return error ? settings_.key + ": no key of this certificate: " + error.message() : std::string();
  }

  [[nodiscard]] std::string listen(tcp::acceptor& acceptor, const std::string& address, std::uint16_t port,
                                   std::string_view what, MakeSession make) {
    std::error_code error;
    const asio::ip::address ip = asio::ip::make_address(address, error);
    const tcp::endpoint endpoint(ip, port);
    if (!error) acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) return words(what, address, port, error);
    std::cout << what << " at " << address << ':' << acceptor.local_endpoint().port() << '\n';
    accept(acceptor, std::move(make));
    return {};
  }
  void accept(tcp::acceptor& acceptor, MakeSession make) {
    acceptor.async_accept([this, &acceptor, make = std::move(make)](std::error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {  // such as too many open files: try again soon, not at once
        retry_.push_back([this, &acceptor, make] { accept(acceptor, make); });
        return;
      }
      if (connections_.size() >= settings_.connections) {
        ++metrics_.refused;
      } else {
        ++metrics_.connections;
        std::error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        // So that the memory of the kernel for those who do not read is bounded, too.
        socket.set_option(asio::socket_base::send_buffer_size(1 << 18), ignored);
        std::shared_ptr<Connection> connection;
        if (settings_.certificate.empty()) {
          connection = std::make_shared<PlainConnection>(host_, make(), std::move(socket));
        } else {
          connection = std::make_shared<SecretConnection>(host_, make(), std::move(socket), tls_);
        }
        connections_.insert(connection);
        connection->start();
      }
      accept(acceptor, make);
    });
  }
  void ended(const std::shared_ptr<Connection>& connection) {
    const Client* const client = connection->session().client();
    std::cout << (client == nullptr ? std::string("a connection") : client->user.name)
              << " is disconnected: " << connection->why() << '\n';
    connections_.erase(connection);
    if (hot_ == connection) hot_.reset();
  }

  // ---- The feed.

  [[nodiscard]] std::string open_feed() {
    std::error_code error;
    const asio::ip::address ip = asio::ip::make_address(settings_.feed_to, error);
    feed_to_ = udp::endpoint(ip, settings_.feed_port);
    if (!error) feed_.open(feed_to_.protocol(), error);
    if (!error) feed_.bind(udp::endpoint(asio::ip::make_address(settings_.address, error), 0), error);
    if (!error) feed_.non_blocking(true, error);
    if (error) return words("the feed", settings_.feed_to, settings_.feed_port, error);
    std::cout << "feed to " << settings_.feed_to << ':' << settings_.feed_port << ", requests at "
              << settings_.address << ':' << feed_.local_endpoint().port() << '\n';
    take_request();
    return {};
  }
  void take_request() {
    feed_.async_receive_from(asio::buffer(request_), asked_by_, [this](std::error_code error, std::size_t size) {
      if (error == asio::error::operation_aborted) return;
      if (!error) answer_request(std::span(request_).first(size));
      take_request();
    });
  }
  void answer_request(std::span<const std::byte> request) {
    ++metrics_.requests;
    for (FeedDay* const day : {today_.get(), yesterday_.get()}) {
      const std::size_t size = day == nullptr ? 0 : day->sender.answer(request, datagram_);
      if (size != 0) return send(size, asked_by_);
    }
  }
  void send(std::size_t size, const udp::endpoint& to) {
    std::error_code ignored;  // a datagram that is lost is asked for
    metrics_.watch.without([&] { feed_.send_to(asio::buffer(datagram_.data(), size), to, 0, ignored); });
    ++metrics_.datagrams;
  }
  void write_feed() {
    if (!feed_.is_open()) return;
    for (FeedDay* const day : {yesterday_.get(), today_.get()}) {
      if (day == nullptr) continue;
      while (const std::size_t size = day->sender.write(datagram_, now_)) send(size, feed_to_);
    }
  }

  // ---- The operator.

  [[nodiscard]] std::string listen_for_metrics() {
    std::error_code error;
    const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), settings_.metrics_port);
    pages_.open(endpoint.protocol(), error);
    if (!error) pages_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) pages_.bind(endpoint, error);
    if (!error) pages_.listen(8, error);
    if (error) return words("metrics", "127.0.0.1", settings_.metrics_port, error);
    std::cout << "metrics at 127.0.0.1:" << pages_.local_endpoint().port() << '\n';
    serve_page();
    return {};
  }
  /// Who asks for nothing, or does not read, is cut off when some more have come.
  void serve_page() {
    pages_.async_accept([this](std::error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) return retry_.emplace_back([this] { serve_page(); }), void();
      page_sockets_.push_back(std::make_shared<tcp::socket>(std::move(socket)));
      if (page_sockets_.size() > page_sockets_max) {
        std::error_code ignored;
        page_sockets_.front()->close(ignored);
        page_sockets_.pop_front();
      }
      page_sockets_.back()->async_read_some(
          asio::buffer(page_request_), [this, to = page_sockets_.back()](std::error_code bad, std::size_t) {
            if (bad) return;
            const auto page = std::make_shared<std::string>(this->page());
            asio::async_write(*to, asio::buffer(*page), [to, page](std::error_code, std::size_t) {
              std::error_code ignored;
              to->shutdown(tcp::socket::shutdown_send, ignored);
            });
          });
      serve_page();
    });
  }
  [[nodiscard]] std::string page() const {
    std::ostringstream out;
    const auto say = [&out](std::string_view name, std::string_view type, std::string_view what, auto value) {
      out << "# HELP llmes_venue_" << name << ' ' << what << "\n# TYPE llmes_venue_" << name << ' ' << type
          << "\nllmes_venue_" << name << ' ' << value << '\n';
    };
    const Gateway& gateway = core_.gateway();
    const llmes::EngineStatus engine = core_.status();
    say("day", "gauge", "number of the day", gateway.day());
    say("commands_total", "counter", "commands in the journal", engine.sequence);
    say("sync_seconds", "gauge", "time of the last sync", static_cast<double>(engine.sync_nanoseconds) * 1e-9);
    say("free_bytes", "gauge", "room on the disk of the journal", engine.free_bytes.value_or(0));
    say("connections", "gauge", "connections now", connections_.size());
    say("connections_total", "counter", "connections taken", metrics_.connections);
    say("connections_refused_total", "counter", "connections above the limit", metrics_.refused);
    say("connections_slow_total", "counter", "connections that did not read", metrics_.slow);
    say("received_bytes_total", "counter", "bytes from clients", metrics_.bytes_in);
    say("sent_bytes_total", "counter", "bytes to clients", metrics_.bytes_out);
    say("feed_messages_total", "counter", "messages of the feed today", gateway.feed()->size());
    say("datagrams_total", "counter", "datagrams of the feed", metrics_.datagrams);
    say("feed_requests_total", "counter", "requests for lost messages", metrics_.requests);
    for (const auto& [kind, name] : {std::pair(OutcomeKind::Accepted, "accepted"),
                                     {OutcomeKind::Replaced, "replaced"},
                                     {OutcomeKind::Executed, "executed"},
                                     {OutcomeKind::Canceled, "canceled"},
                                     {OutcomeKind::Rejected, "rejected"}}) {
      say(std::string("orders_") + name + "_total", "counter", std::string("messages: ") + name,
          gateway.count(kind));
    }
    metrics_.answers.print(out, "llmes_venue_answer_seconds", "from bytes read to their answer written");
    metrics_.work.print_quantiles(out, "llmes_venue_work_seconds",
                                  "of these, without reading and writing sockets");
    out << "# HELP llmes_venue_best best price in dollars\n# TYPE llmes_venue_best gauge\n"
           "# HELP llmes_venue_lots lots displayed at it\n# TYPE llmes_venue_lots gauge\n";
    for (const auto& [name, symbol] : gateway.symbols()) {
      for (const llmes::Side side : {llmes::Side::Buy, llmes::Side::Sell}) {
        const auto [best, lots] = core_.ask([&](const Exchange& it) {
          const auto book = it.venue().book().book().book().book(symbol.book);
          const std::optional<Price> price = book->best(side);
          return std::pair(price, price ? book->level(side, *price).quantity : 0);
        });
        if (!best) continue;
        const std::string labels =
            "{symbol=\"" + symbol_name(name) + "\",side=\"" + (side == llmes::Side::Buy ? "buy" : "sell") + "\"} ";
        out << "llmes_venue_best" << labels
            << static_cast<double>(static_cast<std::uint64_t>(*best) * symbol.tick) / 10'000 << '\n'
            << "llmes_venue_lots" << labels << lots << '\n';
      }
    }
    const std::string body = out.str();
    return "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
  }
  /// A line a second, if something has happened.
  void say_what_happened() {
    const std::uint64_t commands = core_.status().sequence;
    const std::uint64_t messages = core_.gateway().feed()->size();
    if (commands == said_commands_ && connections_.size() == said_connections_) return;
    std::cout << connections_.size() << " connections, " << commands - std::exchange(said_commands_, commands)
              << " commands, " << messages - std::min(messages, std::exchange(said_messages_, messages))
              << " messages of the feed, " << core_.gateway().count(OutcomeKind::Executed)
              << " executions in all\n";
    said_connections_ = connections_.size();
  }

  // ---- The thread.

  /// Runs what is ready. Who spins tries to read from the client that sent last, which takes less time than to ask
  /// for what is ready of all; that is done one time in eight.
  void poll() {
    if (hot_ != nullptr && tries_ != 0 && !core_.is_busy()) {
      --tries_;
      std::shared_ptr<Connection> hot = std::move(hot_);
      if (!hot->read_now()) hot_ = std::move(hot);
      return;
    }
    tries_ = 7;
    if (!settings_.spins) io_.run_one();
    io_.poll();
  }
  void take_input() {
    if (came_.empty()) return;
    set_clock();
    metrics_.watch.go_on(now_);
    for (std::shared_ptr<Connection>& connection : came_) {
      connection->take();
      inputs_.push_back(std::move(connection));
    }
    came_.clear();
  }
  /// Who sends more than is read at once waits for its turn with all others.
  void read_on(const std::shared_ptr<Connection>& connection) {
    if (!settings_.spins || !connection->is_ready()) return connection->read();
    if (hot_ != nullptr) hot_->read();
    hot_ = connection;
  }
  /// Reads one clock; each tick says how far that of UTC is ahead of it.
  void set_clock() {
    now_ = steady_now();
    core_.gateway().set_time(now_ + ahead_);
  }
  /// Tells what a step has brought, and reads on.
  void after_step() {
    if (core_.gateway().day() != day_) begin_day();
    core_.gateway().take_changed([](Client& client) {
      if (client.session != nullptr && client.session->on_news) client.session->on_news();
    });
    write_feed();
    if (answered_.empty()) return;
    for (const std::shared_ptr<Connection>& connection : answered_) connection->flush();
    const Nanoseconds now = steady_now();
    metrics_.watch.pause(now);
    metrics_.work.add(metrics_.watch.take());
    for (const std::shared_ptr<Connection>& connection : answered_) {
      connection->answered(now);
      read_on(connection);
    }
    answered_.clear();
  }
  /// Readers of the old day get what they lack of it, and its end.
  void begin_day() {
    fix_stores_.remove_old();
    if (today_ != nullptr) {
      write_feed();
      today_->sender.close();
      const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
      for (const auto& connection : all) {
        connection->session().close();
        connection->flush();
      }
      std::cout << "day " << core_.gateway().day() << " begins\n";
    }
    const bool is_start = today_ == nullptr;
    day_ = core_.gateway().day();
    day_began_at_ = ticks_;
    yesterday_ = std::move(today_);
    today_ = std::make_unique<FeedDay>(core_.gateway());
    if (is_start) today_->sender.resume();
  }
  void tick() {
    const auto utc = static_cast<Nanoseconds>(std::chrono::system_clock::now().time_since_epoch().count());
    ahead_ = utc - steady_now();
    set_clock();
    timer_.expires_after(std::chrono::milliseconds(100));
    timer_.async_wait([this](std::error_code error) {
      if (error) return;
      set_clock();
      const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
      for (const auto& connection : all) connection->advance();
      core_.gateway().advance();
      for (auto& again : std::exchange(retry_, {})) again();
      // Clients get what they lack, and readers of the feed its end, more than once.
      if (is_stopping_ && ++stopping_ > (feed_.is_open() ? 25 : connections_.empty() ? 0 : 20)) is_stopped_ = true;
      if (++ticks_ % 10 == 0) say_what_happened();
      if (ticks_ == day_began_at_ + yesterday_ticks) yesterday_.reset();
      std::cout.flush();
      tick();
    });
  }
  void wait_for_signal() {
    signals_.async_wait([this](std::error_code error, int signal) {
      if (error) return;
      if (signal == SIGUSR1) {
        (void)core_.begin_day();
      } else {
        stop();
      }
      wait_for_signal();
    });
  }
  /// Takes no more connections, and ends those that there are once they have all messages.
  void stop() {
    std::cout << "stopping\n";
    is_stopping_ = true;
    std::error_code ignored;
    entry_.close(ignored);
    snapshots_.close(ignored);
    fix_.close(ignored);
    pages_.close(ignored);
    if (today_ != nullptr) today_->sender.close();
    const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
    for (const auto& connection : all) {
      connection->session().close();
      connection->flush();
    }
  }

  const Settings& settings_;
  Core& core_;
  FixStores fix_stores_;
  asio::thread_pool checker_{1};  ///< of passwords
  Metrics metrics_;
  Nanoseconds now_ = 0;    ///< of a clock that never goes back, read when input comes and in each tick
  Nanoseconds ahead_ = 0;  ///< how far UTC is ahead of that clock
  Connection::Host host_;
  asio::io_context io_{1};
  asio::ssl::context tls_{asio::ssl::context::tls_server};
  tcp::acceptor entry_{io_};
  tcp::acceptor snapshots_{io_};
  tcp::acceptor fix_{io_};
  udp::socket feed_{io_};
  udp::endpoint feed_to_;
  udp::endpoint asked_by_;
  std::array<std::byte, 64> request_{};
  std::array<std::byte, llmes::mold::datagram_max> datagram_{};
  asio::steady_timer timer_{io_};
  asio::signal_set signals_{io_, SIGTERM, SIGINT, SIGUSR1};
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  std::shared_ptr<Connection> hot_;                    ///< has sent last, and is read by `poll`
  std::vector<std::shared_ptr<Connection>> came_;      ///< have read, and not taken it
  std::vector<std::shared_ptr<Connection>> inputs_;    ///< have taken it, and wait for the step
  std::vector<std::shared_ptr<Connection>> answered_;  ///< have had it
  std::vector<std::function<void()>> retry_;
  std::unique_ptr<FeedDay> today_;
  std::unique_ptr<FeedDay> yesterday_;
  tcp::acceptor pages_{io_};
  static constexpr std::size_t page_sockets_max = 8;
  std::deque<std::shared_ptr<tcp::socket>> page_sockets_;  ///< the last ones
  std::array<char, 1'024> page_request_{};
  std::uint64_t day_ = 0;
  static constexpr std::uint64_t yesterday_ticks =
      300;  ///< how long the end of a day is told, and requests answered
  std::uint64_t ticks_ = 0;
  int tries_ = 0;                   ///< to read from `hot_`, before the next look at all
  std::uint64_t day_began_at_ = 0;  ///< in ticks
  std::uint64_t said_commands_ = 0;
  std::uint64_t said_messages_ = 0;
  std::size_t said_connections_ = 0;
  int stopping_ = 0;
  bool is_stopping_ = false;
  bool is_stopped_ = false;
};

}  // namespace exchange
