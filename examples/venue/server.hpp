// SPDX-License-Identifier: MIT
//
// The sockets of the exchange and its one thread.
#pragma once

#include <linux/sockios.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>

#include <algorithm>
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
#include <queue>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include "connection.hpp"
#include "examples/exchange/clock.hpp"
#include "examples/exchange/core.hpp"
#include "examples/exchange/fair_queue.hpp"
#include "examples/exchange/metrics.hpp"
#include "examples/exchange/protocol.hpp"
#include "llmes/wire.hpp"
#include "output_lines.hpp"
#include "protocols.hpp"
#include "settings.hpp"

namespace exchange {

using asio::ip::tcp;
using asio::ip::udp;

/// The feed of one day.
struct FeedDay {
  explicit FeedDay(const Gateway& gateway)
      : log(gateway.feed()), sender(llmes::soup::SessionName(gateway.day_name()), *log) {}

  std::shared_ptr<MessageLog> log;
  llmes::mold::Sender<MessageLog> sender;
};

/// For messages of the feed that somebody lacks.
struct FeedRequest {
  udp::endpoint from;
  std::array<std::byte, sizeof(llmes::mold::Header)> bytes{};
  bool is_known = false;  ///< a user, where it comes from
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
  Server(const Settings& settings, Core& core, OutputInLines& output)
      : settings_(settings),
        core_(core),
        output_(output),
        host_{metrics_,
              clock_,
              [this](const auto& connection) { came_.push_back(connection); },
              [this](const auto& connection) { ended(connection); },
              [this](tcp::socket socket) { leave(std::move(socket)); },
              settings.backlog,
              Nanoseconds{settings.stall} * 1'000'000'000} {
    const DoorConfig config{.name = settings.fix_comp_id,
                            .directory = settings.journal,
                            .durability = settings.durability,
                            .message_length = settings.message_length};
    for (const Protocol& protocol : all_protocols()) {
      const auto port = settings.ports.find(protocol.flag);
      doors_.push_back(protocol.make_door(core.gateway(), config));
      Listener& made = listeners_.emplace_back(protocol, *doors_.back(), io_);
      if (port != settings.ports.end() || protocol.is_always_open)
        made.port = port == settings.ports.end() ? std::uint16_t{0} : port->second;
    }
    core_.gateway().logins_a_second = settings.logins;
    clock_.begin(steady_now(), wall_now(), core_.gateway().now());
    core_.gateway().set_time(clock_.now(), clock_.skew(), clock_.monotonic());
    core_.gateway().read_clock = [this] { set_clock(); };
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
    for (const std::unique_ptr<Door>& door : doors_) {
      if (wrong.empty()) wrong = door->wrong();
    }
    if (!wrong.empty()) return wrong;
    for (Listener& listener : listeners_) {
      if (wrong.empty() && listener.port) wrong = listen(listener);
    }
    if (wrong.empty()) wrong = listen_for_metrics();
    if (wrong.empty() && settings_.feed_port != 0) wrong = open_feed();
    return wrong;
  }

  /// Runs until it is told to stop. @return the exit status
  int run() {
    // Who spins looks by itself whether there are answers.
    const auto wake = settings_.spins ? std::function<void()>() : [this] { asio::post(io_, [] {}); };
    if (settings_.threads == 2 && !core_.start(settings_.spins, wake)) {
      std::cerr << "venue: the engine gets no thread\n";
      return 1;
    }
    tick();
    wait_for_signal();
    hold_signal(SIGUSR1, false);
    after_step();  // the day has begun before the first request
    while (!is_stopped_) {
      poll();
      ended_.clear();
      take_requests();
      take_input();
      bool goes_on = true;
      if (core_.is_busy()) goes_on = step();
      if (goes_on && !core_.is_busy()) {  // what was taken since is next
        std::swap(inputs_, answered_);
        goes_on = step();
      }
      if (!goes_on) {
        std::cerr << "venue: the journal has failed: " << core_.failure() << '\n';
        core_.stop();
        return 1;
      }
      if (core_.is_busy()) metrics_.watch.pause(steady_now());
    }
    core_.stop();
    return 0;
  }

 private:
  /// A port of a protocol.
  struct Listener {
    Listener(const Protocol& of, Door& to, asio::io_context& io) : protocol(of), door(to), acceptor(io) {}

    Protocol protocol;
    Door& door;
    std::optional<std::uint16_t> port{};  ///< if it is open
    tcp::acceptor acceptor;
  };

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

  [[nodiscard]] std::string listen(Listener& listener) {
    tcp::acceptor& acceptor = listener.acceptor;
    std::error_code error;
    const asio::ip::address ip = asio::ip::make_address(settings_.address, error);
    const tcp::endpoint endpoint(ip, *listener.port);
    if (!error) acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) return words(listener.protocol.name, settings_.address, *listener.port, error);
    std::cout << listener.protocol.name << " at " << settings_.address << ':' << acceptor.local_endpoint().port()
              << '\n';
    accept(listener);
    return {};
  }
  void accept(Listener& listener) {
    listener.acceptor.async_accept([this, &listener](std::error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {  // such as too many open files: try again soon, not at once
        retry_.push_back([this, &listener] { accept(listener); });
        return;
      }
      if (connections_.size() + leaving_.size() >= settings_.connections && !leaving_.empty()) {
        leaving_.front()->close();
        leaving_.pop_front();
      }
      if (connections_.size() >= settings_.connections) make_room();
      if (connections_.size() >= settings_.connections) {
        ++metrics_.refused;
      } else {
        ++metrics_.connections;
        std::error_code ignored;
        const tcp::endpoint client = socket.remote_endpoint(ignored);
        socket.set_option(tcp::no_delay(true), ignored);
        // So that the memory of the kernel for those who do not read is bounded, too.
        socket.set_option(asio::socket_base::send_buffer_size(1 << 18), ignored);
        std::unique_ptr<Session> session = listener.door.connect(clock_.served());
        std::shared_ptr<Connection> connection;
        if (settings_.certificate.empty()) {
          connection = std::make_shared<PlainConnection>(host_, std::move(session), std::move(socket));
        } else {
          connection = std::make_shared<SecretConnection>(host_, std::move(session), std::move(socket), tls_);
        }
        connection->session().from = address_of(client.address());
        connection->number = metrics_.connections;
        connections_.insert(connection);
        connection->start();
      }
      accept(listener);
    });
  }
  /// An address of IPv4, or the network of one of IPv6: who has one has all of it.
  [[nodiscard]] static Address address_of(const asio::ip::address& address) {
    if (address.is_v4()) return address.to_v4().to_uint();
    const asio::ip::address_v6::bytes_type bytes = address.to_v6().to_bytes();
    if (address.to_v6().is_v4_mapped())
      return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_uint();
    Address network = 0;
    for (std::size_t i = 0; i < 8; ++i) network = network << 8 | bytes[i];
    return network;
  }
  /// Who has not logged in makes room for who comes, the oldest first: nobody is kept out by connections that do
  /// nothing.
  void make_room() {
    std::shared_ptr<Connection> oldest;
    for (const auto& connection : connections_) {
      if (connection->session().is_logged_in()) continue;
      if (oldest == nullptr || connection->number < oldest->number) oldest = connection;
    }
    if (oldest == nullptr) return;
    ++metrics_.refused;
    oldest->end("it did not log in, and others came");
  }
  void ended(const std::shared_ptr<Connection>& connection) {
    const Client* const client = connection->session().client();
    std::cout << (client == nullptr ? std::string("a connection") : client->user.name)
              << " is disconnected: " << connection->why() << '\n';
    ended_.push_back(connection);  // it may be at work
    connections_.erase(connection);
    if (hot_ == connection) hot_.reset();
  }

  /// The socket of a session that is over. Where one is closed while bytes of its client wait, or still come, the
  /// client is reset, and may lose what it has not received: so they are read, for some time.
  struct Leaving {
    explicit Leaving(tcp::socket from) : socket(std::move(from)) {}

    void close() {
      std::error_code ignored;
      socket.close(ignored);
    }

    tcp::socket socket;
    std::uint64_t ticks = 0;
    bool is_heard = true;  ///< since the last tick
  };
  void leave(tcp::socket socket) {
    std::error_code ignored;
    socket.shutdown(tcp::socket::shutdown_send, ignored);
    read_rest(leaving_.emplace_back(std::make_shared<Leaving>(std::move(socket))));
  }
  void read_rest(const std::shared_ptr<Leaving>& leaving) {
    leaving->socket.async_read_some(asio::buffer(rest_), [this, leaving](std::error_code error, std::size_t) {
      if (!leaving->socket.is_open()) return;
      leaving->is_heard = true;
      if (!error) return read_rest(leaving);
      leaving->close();
      std::erase(leaving_, leaving);
    });
  }
  /// Those who send nothing have what they were sent once their system says so; the others have two seconds.
  void advance_leaving() {
    std::erase_if(leaving_, [](const std::shared_ptr<Leaving>& leaving) {
      int unsent = 0;
      const bool is_known = ::ioctl(leaving->socket.native_handle(), SIOCOUTQ, &unsent) == 0;
      const bool is_done = !std::exchange(leaving->is_heard, false) && is_known && unsent == 0;
      const bool ends = is_done || ++leaving->ticks > leaving_ticks;
      if (ends) leaving->close();
      return ends;
    });
  }
  [[nodiscard]] bool is_nobody_here() const noexcept { return connections_.empty() && leaving_.empty(); }

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
    wait_for_requests();
    return {};
  }
  void wait_for_requests() {
    feed_.async_wait(udp::socket::wait_read, [this](std::error_code error) { has_requests_ = !error; });
  }
  /// Takes many of the requests that have come, which costs little, so that a flood does not fill the socket, and
  /// answers some. Once in a turn.
  void take_requests() {
    if (std::exchange(has_requests_, false)) {
      for (int i = 0; i < requests_in_a_turn; ++i) {
        FeedRequest request;
        std::array<std::byte, sizeof(llmes::mold::Header) + 1> bytes{};
        std::error_code error;
        const std::size_t size = feed_.receive_from(asio::buffer(bytes), request.from, 0, error);
        if (error == asio::error::would_block) break;
        if (error) continue;
        ++metrics_.requests;
        if (size != request.bytes.size()) continue;
        std::copy_n(bytes.begin(), size, request.bytes.begin());
        const Address from = address_of(request.from.address());
        request.is_known = core_.gateway().is_known(from);
        if (!requests_.push(from, request.is_known, request)) ++metrics_.requests_left_out;
      }
      wait_for_requests();
    }
    for (int i = 0; i < answers_in_a_turn; ++i) {
      const std::optional<FeedRequest> request = requests_.pop();
      if (!request) return;
      answer(*request);
    }
  }
  void answer(const FeedRequest& request) {
    // Who asks may name an address that is not its own, which would get the answers.
    constexpr std::size_t times = 5;
    const std::size_t most =
        request.is_known ? datagram_.size() : std::min(datagram_.size(), times * request.bytes.size());
    const std::span<std::byte> room = std::span(datagram_).first(most);
    for (FeedDay* const day : {today_.get(), yesterday_.get()}) {
      const std::size_t size = day == nullptr ? 0 : day->sender.answer(request.bytes, room);
      if (size != 0) return send(size, request.from);
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
      while (const std::size_t size = day->sender.write(datagram_, clock_.served())) send(size, feed_to_);
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
            // What many ask for within a tick is the same, as to make it takes long.
            if (page_ == nullptr || std::exchange(page_tick_, ticks_) != ticks_)
              page_ = std::make_shared<std::string>(this->page());
            const std::shared_ptr<const std::string> page = page_;
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
    say("commands_total", "counter", "commands in the journal", core_.commands());
    say("sync_seconds", "gauge", "time of the last sync", static_cast<double>(engine.sync_nanoseconds) * 1e-9);
    say("free_bytes", "gauge", "room on the disk of the journal", engine.free_bytes.value_or(0));
    say("clock_skew_seconds", "gauge", "how far the venue's time is ahead of the clock of the machine",
        static_cast<double>(clock_.skew()) * 1e-9);
    say("output_lines_lost_total", "counter", "lines of the output that nobody has read",
        output_.out.lost() + output_.errors.lost());
    say("connections", "gauge", "connections now", connections_.size());
    say("connections_total", "counter", "connections taken", metrics_.connections);
    say("connections_refused_total", "counter",
        "connections above the limit: new ones, or old ones without a login", metrics_.refused);
    say("connections_slow_total", "counter", "connections that did not read", metrics_.slow);
    say("received_bytes_total", "counter", "bytes from clients", metrics_.bytes_in);
    say("sent_bytes_total", "counter", "bytes to clients", metrics_.bytes_out);
    say("feed_messages_total", "counter", "messages of the feed today", gateway.feed()->size());
    say("datagrams_total", "counter", "datagrams of the feed", metrics_.datagrams);
    say("feed_requests_total", "counter", "requests for lost messages", metrics_.requests);
    say("feed_requests_left_out_total", "counter", "of these, those of addresses that had several waiting",
        metrics_.requests_left_out);
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
        const std::string labels = "{symbol=\"" + label_of(symbol_name(name)) + "\",side=\"" +
                                   (side == llmes::Side::Buy ? "buy" : "sell") + "\"} ";
        out << "llmes_venue_best" << labels
            << static_cast<double>(static_cast<std::uint64_t>(*best) * symbol.tick) / 10'000 << '\n'
            << "llmes_venue_lots" << labels << lots << '\n';
      }
    }
    const std::string body = out.str();
    return "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
  }
  /// When the clock of the machine has stepped, and when the venue's time is right again.
  void say_skew() {
    constexpr std::int64_t much = 100'000'000;
    const std::int64_t skew = clock_.skew();
    const bool was_off = std::exchange(is_off_, skew > much || skew < -much);
    if (was_off == is_off_) return;
    if (!is_off_) {
      std::cout << "the venue's time is that of the clock again\n";
      return;
    }
    std::cout << "the clock has stepped: the venue's time is " << (skew < 0 ? -skew : skew) / 1'000'000 << " ms "
              << (skew < 0 ? "behind it, and goes faster" : "ahead of it, and goes slower")
              << " until it is there\n";
  }
  /// A line a second, if something has happened.
  void say_what_happened() {
    const std::uint64_t commands = core_.commands();
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
    if (!settings_.spins && came_.empty() && requests_.empty()) io_.run_one();
    // Bounded, as some kinds of work bring the next one at once: who gets much at a time, as after a long absence,
    // has its next piece once what others have sent is taken.
    const std::uint64_t before = metrics_.bytes_out;
    for (int i = 0; i < handlers_in_a_turn && io_.poll_one() != 0; ++i) {
      if (!came_.empty() && metrics_.bytes_out - before > bytes_in_a_turn) break;
    }
    take_paused();
  }
  /// Who was at its limit may send again.
  void take_paused() {
    if (paused_.empty()) return;
    set_clock();
    const std::size_t before = paused_.size();
    for (; !paused_.empty() && paused_.top().at <= clock_.served(); paused_.pop())
      came_.push_back(paused_.top().connection);
    if (paused_.size() != before) wake_for_paused();
  }
  void wake_for_paused() {
    if (paused_.empty()) return;
    const Nanoseconds at = paused_.top().at;
    const Nanoseconds now = clock_.served();
    wake_.expires_after(std::chrono::nanoseconds(at > now ? std::min(at - now, Clock::stall) : 0));
    wake_.async_wait([](std::error_code) {});
  }
  /// What the session has not taken waits for the next turn, for a limit, or for the check of a password.
  void wait_to_take(const std::shared_ptr<Connection>& connection) {
    const Nanoseconds at = connection->session().takes_at();
    const Nanoseconds now = clock_.served();
    if (at <= now) return came_.push_back(connection);
    if (at == Bucket::never) return connection->hold();
    const bool is_first = paused_.empty() || at < paused_.top().at;
    if (connection->waits_since == 0) connection->waits_since = ++waits_;
    paused_.push({at, connection->waits_since, connection});
    if (is_first) wake_for_paused();
  }
  void take_input() {
    if (came_.empty()) return;
    set_clock();
    metrics_.watch.go_on(clock_.monotonic());
    for (std::shared_ptr<Connection>& connection : came_) {
      connection->take();
      inputs_.push_back(std::move(connection));
    }
    came_.clear();
  }
  /// Who sends more than is read at once waits for its turn with all others.
  void read_on(const std::shared_ptr<Connection>& connection) {
    if (connection->has_input()) return wait_to_take(connection);
    if (!settings_.spins || !connection->is_ready()) return connection->read();
    if (hot_ != nullptr) hot_->read();
    hot_ = connection;
  }
  [[nodiscard]] static Nanoseconds wall_now() {
    return static_cast<Nanoseconds>(std::chrono::system_clock::now().time_since_epoch().count());
  }
  /// Reads one clock; each tick reads that of the wall, too.
  void set_clock() {
    clock_.set(steady_now());
    core_.gateway().set_time(clock_.now(), clock_.skew(), clock_.monotonic());
  }
  /// @return false if nothing can be done any more
  [[nodiscard]] bool step() {
    const bool was_busy = core_.is_busy();
    if (!core_.step()) return false;
    if (core_.is_busy()) return true;
    if (was_busy && !answered_.empty()) metrics_.watch.go_on(steady_now());
    after_step();
    return true;
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
    for (const std::unique_ptr<Door>& door : doors_) door->begin_day();
    if (today_ != nullptr) {
      write_feed();
      today_->sender.close();
      const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
      for (const auto& connection : all) {
        connection->session().end_day();
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
    clock_.set(steady_now(), wall_now());
    core_.gateway().set_time(clock_.now(), clock_.skew(), clock_.monotonic());
    say_skew();
    timer_.expires_after(std::chrono::milliseconds(100));
    timer_.async_wait([this](std::error_code error) {
      if (error) return;
      set_clock();
      const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
      for (const auto& connection : all) connection->advance();
      advance_leaving();
      core_.gateway().advance();
      for (auto& again : std::exchange(retry_, {})) again();
      if (is_stopping_ && ++stopping_ > (is_nobody_here() ? 0 : 20))
        is_stopped_ = true;  // they get what they lack
      if (++ticks_ % 10 == 0) say_what_happened();
      if (ticks_ == day_began_at_ + yesterday_ticks) yesterday_.reset();
      std::cout.flush();
      std::cerr.flush();
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
  /// Takes no more connections, and ends those that there are once they have all messages. It waits for nobody if
  /// there are none, or if it is asked once more. The day goes on with the next start, so nobody is told its end.
  void stop() {
    const bool is_again = std::exchange(is_stopping_, true);
    is_stopped_ = is_again || is_nobody_here();
    if (is_again) return;
    std::cout << "stopping\n";
    std::error_code ignored;
    for (Listener& listener : listeners_) listener.acceptor.close(ignored);
    pages_.close(ignored);
    const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
    for (const auto& connection : all) {
      connection->session().stop();
      connection->flush();
    }
    write_feed();
  }

  const Settings& settings_;
  Core& core_;
  OutputInLines& output_;
  std::vector<std::unique_ptr<Door>> doors_;  ///< of all protocols; they outlive their sessions
  asio::thread_pool checker_{1};              ///< of passwords
  Metrics metrics_;
  Clock clock_;  ///< set when input comes and in each tick
  Connection::Host host_;
  asio::io_context io_{1};
  asio::ssl::context tls_{asio::ssl::context::tls_server};
  std::deque<Listener> listeners_;
  udp::socket feed_{io_};
  udp::endpoint feed_to_;
  FairQueue<FeedRequest> requests_;
  bool has_requests_ = false;  ///< in the socket
  static constexpr int requests_in_a_turn = 256;
  static constexpr int answers_in_a_turn = 16;
  std::array<std::byte, llmes::mold::datagram_max> datagram_{};
  asio::steady_timer timer_{io_};
  asio::steady_timer wake_{io_};  ///< for the first of `paused_`
  asio::signal_set signals_{io_, SIGTERM, SIGINT, SIGUSR1};
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  std::deque<std::shared_ptr<Leaving>> leaving_;       ///< the first one has been there for the longest time
  static constexpr std::uint64_t leaving_ticks = 20;   ///< the most
  std::array<std::byte, 16'384> rest_{};               ///< what they send, which nobody reads
  std::vector<std::shared_ptr<Connection>> ended_;     ///< in this turn
  std::shared_ptr<Connection> hot_;                    ///< has sent last, and is read by `poll`
  std::vector<std::shared_ptr<Connection>> came_;      ///< have read, and not taken it
  std::vector<std::shared_ptr<Connection>> inputs_;    ///< have taken it, and wait for the step
  std::vector<std::shared_ptr<Connection>> answered_;  ///< have had it
  struct Paused {
    Nanoseconds at;
    std::uint64_t since;  ///< users of one account have one limit, and take turns
    std::shared_ptr<Connection> connection;

    [[nodiscard]] friend bool operator>(const Paused& a, const Paused& b) noexcept {
      return std::pair(a.at, a.since) > std::pair(b.at, b.since);
    }
  };
  std::priority_queue<Paused, std::vector<Paused>, std::greater<>> paused_;  ///< they wait for their limit
  std::uint64_t waits_ = 0;
  static constexpr int handlers_in_a_turn = 256;
  static constexpr std::uint64_t bytes_in_a_turn = 1 << 17;  ///< to clients, if others wait
  std::vector<std::function<void()>> retry_;
  std::unique_ptr<FeedDay> today_;
  std::unique_ptr<FeedDay> yesterday_;
  tcp::acceptor pages_{io_};
  static constexpr std::size_t page_sockets_max = 8;
  std::deque<std::shared_ptr<tcp::socket>> page_sockets_;  ///< the last ones
  std::array<char, 1'024> page_request_{};
  std::shared_ptr<const std::string> page_;
  std::uint64_t page_tick_ = 0;
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
  bool is_off_ = false;  ///< the clock has stepped
  bool is_stopping_ = false;
  bool is_stopped_ = false;
};

}  // namespace exchange
