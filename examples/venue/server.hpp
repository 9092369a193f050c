// SPDX-License-Identifier: MIT
//
// The sockets of the exchange and its one thread.
#pragma once

#include <array>
#include <asio.hpp>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <span>
#include <string>
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

class Server {
 public:
  Server(const Settings& settings, Core& core)
      : settings_(settings),
        core_(core),
        fix_stores_(core.gateway(), settings.fix_comp_id, settings.journal,
                    settings.durability == llmes::Durability::Machine),
        host_{metrics_, [this](const auto& connection) { inputs_.push_back(connection); },
              [this](const auto& connection) { ended(connection); }, settings.backlog,
              Nanoseconds{settings.stall} * 1'000'000'000} {
    core_.gateway().logins_a_second = settings.logins;
  }

  /// Opens all ports. @return what is wrong, or nothing
  [[nodiscard]] std::string open() {
    std::string wrong = listen(entry_, settings_.address, settings_.port, "orders", [this] {
      return std::make_unique<OuchSession>(core_.gateway(), steady_now(), settings_.message_length);
    });
    if (wrong.empty()) {
      wrong = listen(snapshots_, settings_.address, settings_.snapshot_port, "snapshots", [this] {
        return std::make_unique<SnapshotSession>(core_.gateway(), steady_now(), settings_.message_length);
      });
    }
    if (wrong.empty() && settings_.fix_port != 0) {
      wrong = listen(fix_, settings_.address, settings_.fix_port, "FIX",
                     [this] { return std::make_unique<FixSession>(core_.gateway(), fix_stores_, steady_now()); });
    }
    if (wrong.empty() && settings_.feed_port != 0) wrong = open_feed();
    return wrong;
  }

  /// Runs until it is told to stop. @return the exit status
  int run() {
    set_clock();
    tick();
    wait_for_signal();
    while (!is_stopped_) {
      if (!settings_.spins) io_.run_one();
      set_clock();
      io_.poll();
      if (!core_.step()) {
        std::cerr << "venue: the journal has failed: " << core_.failure() << '\n';
        return 1;
      }
      after_step();
    }
    return 0;
  }

 private:
  using MakeSession = std::function<std::unique_ptr<Session>()>;

  [[nodiscard]] static std::string words(std::string_view what, const std::string& address, std::uint16_t port,
                                         const std::error_code& error) {
    return std::string(what) + " at " + address + ':' + std::to_string(port) + ": " + error.message();
  }

  // ---- Connections.

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
        const auto connection = std::make_shared<PlainConnection>(host_, make(), std::move(socket));
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
    feed_.send_to(asio::buffer(datagram_.data(), size), to, 0, ignored);
    ++metrics_.datagrams;
  }
  void write_feed() {
    if (!feed_.is_open()) return;
    for (FeedDay* const day : {yesterday_.get(), today_.get()}) {
      if (day == nullptr) continue;
      while (const std::size_t size = day->sender.write(datagram_, steady_now())) send(size, feed_to_);
    }
  }

  // ---- The thread.

  void set_clock() {
    core_.gateway().set_time(
        static_cast<Nanoseconds>(std::chrono::system_clock::now().time_since_epoch().count()));
  }
  /// Tells what a step has brought, and reads on.
  void after_step() {
    if (core_.gateway().day() != day_) begin_day();
    core_.gateway().take_changed([](Client& client) {
      if (client.session != nullptr && client.session->on_news) client.session->on_news();
    });
    write_feed();
    std::swap(inputs_, answered_);
    for (const std::shared_ptr<Connection>& connection : answered_) {
      connection->flush();
      connection->answered();
      connection->read();
    }
    answered_.clear();
  }
  /// Readers of the old day get what they lack of it, and its end.
  void begin_day() {
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
    yesterday_ = std::move(today_);
    today_ = std::make_unique<FeedDay>(core_.gateway());
    if (is_start) today_->sender.resume();
  }
  void tick() {
    timer_.expires_after(std::chrono::milliseconds(100));
    timer_.async_wait([this](std::error_code error) {
      if (error) return;
      const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
      for (const auto& connection : all) connection->advance();
      for (auto& again : std::exchange(retry_, {})) again();
      if (is_stopping_ && (connections_.empty() || ++stopping_ > 20)) is_stopped_ = true;
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
  Metrics metrics_;
  Connection::Host host_;
  asio::io_context io_{1};
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
  std::vector<std::shared_ptr<Connection>> inputs_;    ///< have read, and wait for the step
  std::vector<std::shared_ptr<Connection>> answered_;  ///< have had it
  std::vector<std::function<void()>> retry_;
  std::unique_ptr<FeedDay> today_;
  std::unique_ptr<FeedDay> yesterday_;
  std::uint64_t day_ = 0;
  int stopping_ = 0;
  bool is_stopping_ = false;
  bool is_stopped_ = false;
};

}  // namespace exchange
