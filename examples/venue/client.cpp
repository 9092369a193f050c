// SPDX-License-Identifier: MIT
//
// A small client of the venue, to copy: orders by OUCH over SoupBinTCP, and books from the feed. The sessions are
// those of llmes/wire; what is here are sockets and words. client.py does the same without this library.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "llmes/market_data.hpp"
#include "llmes/wire.hpp"
#include "support/output.hpp"

namespace {

using namespace llmes;

constexpr std::string_view usage = R"(usage: client orders HOST:PORT USER PASSWORD [SESSION NEXT]
       client feed PORT [SECONDS [HOST:PORT USER PASSWORD]]

orders  reads lines of the input, and prints what the venue says; prices in ten-thousandths of a dollar:
          buy|sell REFERENCE QUANTITY SYMBOL PRICE
          replace REFERENCE NEW-REFERENCE QUANTITY PRICE
          cancel REFERENCE [QUANTITY]
        With SESSION and NEXT it goes on after the messages that it has.
feed    follows the feed on a port of this machine, and prints the books at the end. With a third part it begins with
        a snapshot from there.
)";

[[noreturn]] void fail(const std::string& words) {
  std::cerr << "client: " << words << '\n';
  std::exit(1);
}
[[noreturn]] void fail_with_reason(const std::string& words) {
  fail(words + ": " + std::generic_category().message(errno));
}

Nanoseconds now() {
  return static_cast<Nanoseconds>(std::chrono::steady_clock::now().time_since_epoch().count());
}
template <class Number = std::uint64_t>
Number number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) fail("'" + std::string(text) + "' is no number");
  return value;
}
sockaddr_in address_of(std::string_view place) {
  const std::size_t colon = place.rfind(':');
  const std::string host(place.substr(0, colon == place.npos ? 0 : colon));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(number<std::uint16_t>(place.substr(colon == place.npos ? 0 : colon + 1)));
  if (inet_pton(AF_INET, host.empty() ? "127.0.0.1" : host.c_str(), &address.sin_addr) != 1)
    fail("'" + host + "' is no address");
  return address;
}
bool can_read(int file, int milliseconds) {
  pollfd one{file, POLLIN, 0};
  return poll(&one, 1, milliseconds) > 0;
}

/// A session over a socket.
class Link {
 public:
  Link(std::string_view place, const soup::LoginRequest& login)
      : client_(login, now()), socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    const sockaddr_in address = address_of(place);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      fail_with_reason(std::string(place));
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() { close(socket_); }

  /// Writes what is due, and gives `handler` what has come. @return whether the session goes on
  template <class Handler>
  bool turn(Handler& handler) {
    std::array<std::byte, 65'536> room;
    write(std::span(room).first(client_.write(room, now())));
    while (can_read(socket_, 0)) {
      const ssize_t size = recv(socket_, room.data(), room.size(), 0);
      if (size <= 0) return false;
      client_.receive(std::span(room).first(static_cast<std::size_t>(size)), now(), handler);
    }
    client_.advance(now());
    return client_.end() == soup::End::None;
  }
  void send(std::span<const std::byte> message) {
    std::array<std::byte, 256> room;
    write(std::span(room).first(client_.write_message(message, room, now())));
  }
  void log_out() {
    std::array<std::byte, 8> room;
    write(std::span(room).first(client_.write_logout(room)));
  }
  const soup::Client& session() const { return client_; }
  int file() const { return socket_; }

 private:
  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t size = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (size <= 0) return;
      bytes = bytes.subspan(static_cast<std::size_t>(size));
    }
  }

  soup::Client client_;
  int socket_;
};

// ---- Orders.

/// Prints the messages of the venue.
struct Printer {
  void operator()(const ouch::SystemEvent& m) const {
    std::cout << "event " << static_cast<char>(m.event.value());
  }
  void operator()(const ouch::Accepted& m) const {
    std::cout << "order " << m.user_reference.value() << " accepted: " << m.quantity.value() << ' '
              << m.symbol.view() << " at " << m.price.value();
  }
  void operator()(const ouch::Replaced& m) const {
    std::cout << "order " << m.original.value() << " replaced by " << m.user_reference.value() << ": "
              << m.quantity.value() << " at " << m.price.value();
  }
  void operator()(const ouch::Executed& m) const {
    std::cout << "order " << m.user_reference.value() << " executed: " << m.quantity.value() << " at "
              << m.price.value() << ", match " << m.match.value();
  }
  void operator()(const ouch::Canceled& m) const {
    std::cout << "order " << m.user_reference.value() << " canceled: " << m.quantity.value() << ", reason "
              << static_cast<char>(m.reason.value());
  }
  void operator()(const ouch::Rejected& m) const {
    std::cout << "order " << m.user_reference.value() << " rejected: reason "
              << static_cast<std::uint16_t>(m.reason.value());
  }

  void message(std::uint64_t sequence, std::span<const std::byte> bytes) const {
    std::cout << sequence << ' ';
    if (ouch::decode_venue(bytes, *this) != ouch::DecodeStatus::Success) std::cout << "an unknown message";
    std::cout << std::endl;
  }
  void unsequenced(std::span<const std::byte>) const {}
};

template <class M>
void send(Link& link, const M& message) {
  link.send(std::as_bytes(std::span(&message, 1)));
}
void send_line(Link& link, const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  if (words.empty()) return;
  const auto at = [&](std::size_t i) { return number<std::uint32_t>(i < words.size() ? words[i] : "0"); };
  if ((words[0] == "buy" || words[0] == "sell") && words.size() == 5) {
    send(link, ouch::EnterOrder{.user_reference = at(1),
                                .side = words[0] == "buy" ? ouch::Side::Buy : ouch::Side::Sell,
                                .quantity = at(2),
                                .symbol = std::string_view(words[3]),
                                .price = at(4),
                                .time_in_force = ouch::TimeInForce::Day,
                                .display = ouch::Display::Visible});
  } else if (words[0] == "replace" && words.size() == 5) {
    send(link, ouch::ReplaceOrder{.original = at(1),
                                  .user_reference = at(2),
                                  .quantity = at(3),
                                  .price = at(4),
                                  .time_in_force = ouch::TimeInForce::Day,
                                  .display = ouch::Display::Visible});
  } else if (words[0] == "cancel" && (words.size() == 2 || words.size() == 3)) {
    send(link, ouch::CancelOrder{.user_reference = at(1), .quantity = at(2)});
  } else {
    fail("'" + line + "' is no command (see --help)");
  }
}

int orders(std::span<const std::string_view> words) {
  Printer printer;
  Link link(words[0], {.user = words[1],
                       .password = words[2],
                       .session = words.size() > 3 ? words[3] : "",
                       .sequence = words.size() > 4 ? number(words[4]) : 1});
  bool reads = true;
  std::string rest;
  for (Nanoseconds until = 0; reads || now() < until;) {
    std::array<pollfd, 2> files{{{link.file(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
    poll(files.data(), reads && link.session().is_logged_in() ? 2 : 1, 200);
    if (!link.turn(printer)) {
      if (link.session().reject_reason()) fail("the login is rejected");
      std::cout << "the session is over\n";
      return 0;
    }
    if (!reads || files[1].revents == 0) continue;
    std::array<char, 4'096> bytes;
    const ssize_t size = read(STDIN_FILENO, bytes.data(), bytes.size());
    rest.append(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    for (std::size_t end; (end = rest.find('\n')) != rest.npos; rest.erase(0, end + 1))
      send_line(link, rest.substr(0, end));
    reads = size > 0;
    until = now() + 500'000'000;
  }
  link.log_out();
  return 0;
}

// ---- The feed.

/// Takes a snapshot into a book, and says from which sequence on the feed is needed.
struct SnapshotReader {
  FeedBook& book;
  std::uint64_t next = 0;  ///< 0: the snapshot is not complete

  void message(std::uint64_t, std::span<const std::byte> bytes) {
    next = glimpse::sequence_of(bytes).value_or(0);
    if (next == 0) book.apply(bytes);
  }
  void unsequenced(std::span<const std::byte>) {}
};

int feed(std::span<const std::string_view> words) {
  auto book = FeedBook::create({.symbols = 1'024, .capacity = 1'000'000});
  if (!book) fail("no memory for books");
  const int file = socket(AF_INET, SOCK_DGRAM, 0);
  const sockaddr_in address = address_of(words[0]);
  if (bind(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail_with_reason("port " + std::string(words[0]));
  SnapshotReader snapshot{*book};
  if (words.size() > 2) {
    Link link(words[2], {.user = words[3], .password = words[4], .sequence = 1});
    while (snapshot.next == 0 && link.turn(snapshot)) can_read(link.file(), 200);
    if (snapshot.next == 0) fail("no snapshot has come");
  }
  mold::Receiver receiver({}, std::max<std::uint64_t>(snapshot.next, 1));
  const auto until = now() + (words.size() > 1 ? number(words[1]) : 5) * 1'000'000'000;
  std::array<std::byte, 65'536> room;
  sockaddr_in sender{};
  while (now() < until && !receiver.is_complete()) {
    if (can_read(file, 100)) {
      socklen_t length = sizeof sender;
      const ssize_t size =
          recvfrom(file, room.data(), room.size(), 0, reinterpret_cast<sockaddr*>(&sender), &length);
      if (size > 0) {
        receiver.receive(std::span(room).first(static_cast<std::size_t>(size)),
                         [&](std::uint64_t, std::span<const std::byte> message) { book->apply(message); });
      }
    }
    if (const std::size_t size = receiver.write_request(room, now()))
      sendto(file, room.data(), size, 0, reinterpret_cast<const sockaddr*>(&sender), sizeof sender);
  }
  for (std::uint16_t locate = 1; locate <= 1'024; ++locate) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      Price price = 0;
      Quantity lots = 0;
      const auto print = [&] {
        if (lots != 0)
          std::cout << "book " << locate << (side == Side::Buy ? " buy " : " sell ") << lots << " at " << price
                    << '\n';
        lots = 0;
      };
      book->visit_orders(itch::Locate{locate}, side, [&](const RestingOrder& order) {
        if (order.price != price) print();
        price = order.price;
        lots += order.quantity;
      });
      print();
    }
  }
  std::cout << "next message " << receiver.next_sequence() << '\n';
  close(file);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  check_output_at_exit(argv[0]);
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "--help") {
    std::cout << usage;
    return 0;
  }
  const std::span all(words);
  if (!words.empty() && words[0] == "orders" && (words.size() == 4 || words.size() == 6))
    return orders(all.subspan(1));
  if (!words.empty() && words[0] == "feed" && (words.size() == 2 || words.size() == 3 || words.size() == 6))
    return feed(all.subspan(1));
  std::cerr << "client: takes orders or feed, and what belongs to it (see --help)\n";
  return 2;
}
