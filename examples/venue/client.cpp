// SPDX-License-Identifier: MIT
//
// A small client of the venue, to copy: orders by OUCH over SoupBinTCP, and books from the feed. The sessions are
// those of llmes/wire; what is here are sockets and words. client.py does the same without this library.
#include <netdb.h>
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
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "llmes/market_data.hpp"
#include "llmes/wire.hpp"
#include "support/output.hpp"

namespace {

using namespace llmes;

constexpr std::string_view usage = R"(usage: client orders HOST:PORT USER PASSWORD [--session NAME --next N]
       client feed PORT [--snapshot HOST:PORT USER PASSWORD] [--seconds N]

orders  reads commands from the input, one a line, and prints what the venue says:
          buy|sell NUMBER QUANTITY SYMBOL PRICE [ioc]
          replace NUMBER NEW-NUMBER QUANTITY PRICE
          cancel NUMBER [QUANTITY]
          query                                 for the next number
feed    follows the feed for N seconds (5 if left out) or until Ctrl-C, asks for what is lost, and prints the books then

Prices are in dollars. A number is that of an order; each is above all before. The quantity of replace and cancel is
that of the whole order, what has traded included; a cancel without one leaves nothing. --session and --next go on
after the last message that was printed. client.py takes and prints the same.
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
bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}
/// A number of up to so many digits, at most `most`.
std::optional<std::uint64_t> number_of(std::string_view text, std::size_t digits, std::uint64_t most) {
  std::uint64_t value = 0;
  if (!is_digits(text) || text.size() > digits) return {};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value <= most ? std::optional(value) : std::nullopt;
}
std::string dollars(std::uint64_t price) {
  const std::string part = std::to_string(price % 10'000);
  return std::to_string(price / 10'000) + '.' + std::string(4 - part.size(), '0') + part;
}
struct Place {
  std::string host;
  std::string port;

  [[nodiscard]] std::string words() const { return host + ':' + port; }
};
Place place_of(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const std::string_view host = text.substr(0, colon == text.npos ? 0 : colon);
  const std::string_view port = text.substr(colon == text.npos ? 0 : colon + 1);
  if (!number_of(port, 5, 65'535)) fail("'" + std::string(text) + "' is no HOST:PORT");
  return {host.empty() ? "127.0.0.1" : std::string(host), std::string(port)};
}
sockaddr_in address_of(const Place& place, const std::string& what) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(place.host.c_str(), place.port.c_str(), &hints, &found);
  if (error != 0) fail(what + ' ' + place.words() + ": " + gai_strerror(error));
  sockaddr_in address{};
  std::memcpy(&address, found->ai_addr, sizeof address);
  freeaddrinfo(found);
  return address;
}
bool can_read(int file, int milliseconds) {
  pollfd one{file, POLLIN, 0};
  return poll(&one, 1, milliseconds) > 0;
}

/// A session over a socket.
class Link {
 public:
  Link(std::string_view where, std::string_view user, std::string_view password, std::string_view session,
       std::uint64_t next)
      : client_({.user = user, .password = password, .session = session, .sequence = next}, now()),
        socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    const Place place = place_of(where);
    if (user.empty() || user.size() > 6) fail("'" + std::string(user) + "' is no name of one to six letters");
    if (password.empty() || password.size() > 10) fail("a password has one to ten letters");
    const sockaddr_in address = address_of(place, "cannot connect to");
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      fail_with_reason("cannot connect to " + place.words());
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

/// Waits until the venue has answered the login, and fails with words if it is rejected.
template <class Handler>
void await_login(Link& link, Handler& handler) {
  const Nanoseconds until = now() + 60'000'000'000;
  bool goes_on = true;
  while (goes_on && !link.session().is_logged_in() && now() < until) {
    can_read(link.file(), 200);
    goes_on = link.turn(handler);
  }
  if (const auto reason = link.session().reject_reason())
    fail(std::string("the login is rejected: ") + (*reason == soup::RejectReason::NotAuthorised
                                                       ? "wrong user or password, or too many logins"
                                                       : "there is no such session, or no such message in it"));
  if (!link.session().is_logged_in()) fail(goes_on ? "the login is not answered" : "the venue has hung up");
}

// ---- Orders.

std::string_view words_of(ouch::CancelReason reason) {
  switch (reason) {
    case ouch::CancelReason::ByUser: return "by its user";
    case ouch::CancelReason::ImmediateOrCancel: return "immediate or cancel";
    case ouch::CancelReason::Timeout: return "timeout";
    case ouch::CancelReason::Supervisory: return "by the venue";
    case ouch::CancelReason::Closed: return "the day has ended";
    case ouch::CancelReason::SystemCancel: return "by the system";
    case ouch::CancelReason::Regulatory: return "outside of the bands";
    default: return {};
  }
}
/// As the venue of this folder uses the numbers.
std::string_view words_of(ouch::RejectReason reason) {
  using enum ouch::RejectReason;
  switch (reason) {
    case QuoteUnavailable: return "there is no quote";
    case DestinationClosed: return "the market is closed";
    case InvalidDisplay: return "the display is unknown";
    case InvalidMaxFloor: return "it would show more lots than it has, or is hidden";
    case InvalidPegType: return "pegged orders are not taken";
    case FatFinger: return "more lots than its account may send";
    case Halted: return "the symbol is halted";
    case IsoNotAllowed: return "intermarket sweeps are not taken";
    case InvalidSide: return "the side is unknown";
    case ProcessingError: return "its terms or the books do not allow it";
    case InvalidQuantity: return "a quantity is 0, out of range, or no multiple of the lot";
    case InvalidMinimumQuantity: return "a minimum is for immediate-or-cancel";
    case InvalidPrice: return "the price is no multiple of the tick, or out of range";
    case InvalidSymbol: return "the symbol is unknown";
    case InvalidCrossOrder: return "crosses are not taken";
    case RoutingNotAllowed: return "orders are not routed";
    case RiskExposure: return "a limit of its account";
    default: return "for another reason";
  }
}

/// What a message of the venue says.
struct Sentence {
  std::string text{};

  template <class... Parts>
  void order(std::uint32_t reference, const Parts&... parts) {
    std::ostringstream out;
    out << "order " << reference << ' ';
    (out << ... << parts);
    text = out.str();
  }
  void operator()(const ouch::SystemEvent& m) {
    text = m.event.value() == ouch::SystemEventCode::StartOfDay ? "the day begins" : "the day ends";
  }
  void operator()(const ouch::QueryResponse& m) {
    text = "next number " + std::to_string(m.next_user_reference.value());
  }
  void operator()(const ouch::Accepted& m) {
    order(m.user_reference, "accepted: ", m.side.value() == ouch::Side::Buy ? "buy " : "sell ", m.quantity.value(),
          ' ', m.symbol.view(), " at ", dollars(m.price));
  }
  void operator()(const ouch::Replaced& m) {
    order(m.original, "replaced by ", m.user_reference.value(), ": ", m.quantity.value(), ' ', m.symbol.view(),
          " at ", dollars(m.price));
  }
  void operator()(const ouch::Executed& m) {
    order(m.user_reference, "executed: ", m.quantity.value(), " at ", dollars(m.price), ", match ",
          m.match.value(), ", ", m.liquidity.value());
  }
  void operator()(const ouch::Canceled& m) {
    const std::string_view words = words_of(m.reason.value());
    const char letter = static_cast<char>(m.reason.value());
    order(m.user_reference, "canceled: ", m.quantity.value(), " lots, ",
          words.empty() ? std::string_view(&letter, 1) : words);
  }
  void operator()(const ouch::SelfTradeCanceled& m) {
    order(m.user_reference, "would have traded with its own account: ", m.decrement.value(), " lots");
  }
  void operator()(const ouch::Rejected& m) {
    const auto number = static_cast<unsigned>(m.reason.value());
    std::array<char, 16> hex{};
    std::snprintf(hex.data(), hex.size(), "0x%04x", number);
    order(m.user_reference, "rejected: ", words_of(m.reason.value()), " (", hex.data(), ')');
  }
  void operator()(const ouch::Modified& m) { order(m.user_reference, "modified: ", m.quantity.value(), " lots"); }
  void operator()(const ouch::PriorityUpdate& m) { order(m.user_reference, "shows its next lots"); }
  void operator()(const ouch::BrokenTrade& m) {
    text = "order " + std::to_string(m.user_reference.value()) + ": match " + std::to_string(m.match.value()) +
           " is undone";
  }
  void operator()(const ouch::MassCancelResponse& m) {
    text = "mass cancel " + std::to_string(m.user_reference.value()) + " is taken";
  }
  void operator()(const ouch::DisableEntryResponse& m) {
    text = "order entry is disabled by " + std::to_string(m.user_reference.value());
  }
  void operator()(const ouch::EnableEntryResponse& m) {
    text = "order entry is enabled by " + std::to_string(m.user_reference.value());
  }
};

using Line = std::vector<std::string>;

struct Usage {
  std::string_view name;
  std::size_t least;
  std::size_t most;
  std::string_view words;
};
constexpr std::array<Usage, 5> commands{{{"buy", 4, 5, "NUMBER QUANTITY SYMBOL PRICE [ioc]"},
                                         {"sell", 4, 5, "NUMBER QUANTITY SYMBOL PRICE [ioc]"},
                                         {"replace", 4, 4, "NUMBER NEW-NUMBER QUANTITY PRICE"},
                                         {"cancel", 1, 2, "NUMBER [QUANTITY]"},
                                         {"query", 0, 0, "nothing"}}};

std::uint32_t number(const std::string& text) {
  const auto value = number_of(text, 10, 0xffff'ffff);
  if (!value) throw std::invalid_argument("'" + text + "' is no number up to 4294967295");
  return static_cast<std::uint32_t>(*value);
}
/// Dollars as ten-thousandths, without a float.
std::uint64_t price4(const std::string& text) {
  const std::size_t point = text.find('.');
  const auto whole = number_of(text.substr(0, point), 14, 99'999'999'999'999);
  std::string part = point == text.npos ? "0" : text.substr(point + 1);
  if (!whole || !is_digits(part) || part.size() > 4)
    throw std::invalid_argument("'" + text + "' is no price in dollars");
  part.resize(4, '0');
  return *whole * 10'000 + *number_of(part, 4, 9'999);
}
template <class M>
void send_message(Link& link, const M& message) {
  link.send(std::as_bytes(std::span(&message, 1)));
}
/// Sends what a line of the input means. Throws what is wrong with it.
void send_line(Link& link, const Line& words) {
  const auto* const command = std::ranges::find(commands, words[0], &Usage::name);
  if (command == commands.end())
    throw std::invalid_argument("'" + words[0] + "' is no command: take buy, sell, replace, cancel or query");
  const std::size_t count = words.size() - 1;
  if (count < command->least || count > command->most)
    throw std::invalid_argument(words[0] + " takes " + std::string(command->words));
  if (words[0] == "query") return send_message(link, ouch::AccountQuery{});
  const std::uint32_t reference = number(words[1]);
  if (words[0] == "cancel") {
    const std::uint32_t quantity = count > 1 ? number(words[2]) : 0;
    return send_message(link, ouch::CancelOrder{.user_reference = reference, .quantity = quantity});
  }
  if (words[0] == "replace") {
    const std::uint32_t new_reference = number(words[2]);
    const std::uint32_t quantity = number(words[3]);
    return send_message(link,
                        ouch::ReplaceOrder{.original = reference,
                                           .user_reference = new_reference,
                                           .quantity = quantity,
                                           .price = price4(words[4]),
                                           .time_in_force = ouch::TimeInForce::Day,
                                           .display = ouch::Display::Visible,
                                           .client_id = std::string_view("c" + std::to_string(new_reference))});
  }
  const std::uint32_t quantity = number(words[2]);
  const std::uint64_t price = price4(words[4]);
  const auto is_letter = [](char c) { return c > ' ' && c < '\x7f'; };
  if (words[3].size() > 8 || !std::ranges::all_of(words[3], is_letter))
    throw std::invalid_argument("'" + words[3] + "' is no symbol of one to eight letters");
  if (count == 5 && words[5] != "ioc") throw std::invalid_argument("'" + words[5] + "' is not ioc");
  send_message(link, ouch::EnterOrder{.user_reference = reference,
                                      .side = words[0] == "buy" ? ouch::Side::Buy : ouch::Side::Sell,
                                      .quantity = quantity,
                                      .symbol = std::string_view(words[3]),
                                      .price = price,
                                      .time_in_force = count == 5 ? ouch::TimeInForce::ImmediateOrCancel
                                                                  : ouch::TimeInForce::Day,
                                      .display = ouch::Display::Visible,
                                      .capacity = 'P',
                                      .client_id = std::string_view("c" + words[1])});
}

/// The commands of the user to which the venue has said nothing. It answers in their order, and is silent about
/// what it does not do: once a query is answered, those before it were not done.
class Unanswered {
 public:
  [[nodiscard]] bool any() const { return !lines_.empty(); }
  [[nodiscard]] bool is_asked() const { return is_asked_; }
  void ask(Link& link) {
    is_asked_ = true;
    send_message(link, ouch::AccountQuery{});
  }
  void sent(const Line& words) {
    if (words[0] != "query") lines_.push_back(words);
  }
  /// @return whether a message is for the user
  bool told(std::span<const std::byte> message) {
    const char kind = static_cast<char>(message[0]);
    if (kind == 'Q' && is_asked_) {
      is_asked_ = false;
      for (const Line& line : std::exchange(lines_, {})) std::cout << reason(line, number_at(message, 9)) << '\n';
      std::cout.flush();
      return false;
    }
    const auto is_answer = [&](const Line& line) {
      const bool enters = line[0] == "buy" || line[0] == "sell";
      const bool replaces = line[0] == "replace";
      const std::uint32_t named = number(line[1]);
      switch (kind) {
        case 'A': return enters && number_at(message, 9) == named;
        case 'J': return (enters || replaces) && number_at(message, 9) == number(line[replaces ? 2 : 1]);
        case 'U': return replaces && number_at(message, 13) == number(line[2]);
        case 'C': return !enters && number_at(message, 9) == named;
        default: return false;
      }
    };
    if (const auto line = std::ranges::find_if(lines_, is_answer); line != lines_.end()) lines_.erase(line);
    return true;
  }

 private:
  [[nodiscard]] static std::uint32_t number_at(std::span<const std::byte> message, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i)
      value = value << 8 | (i < message.size() ? std::to_integer<std::uint32_t>(message[i]) : 0);
    return value;
  }
  [[nodiscard]] static std::string reason(const Line& line, std::uint32_t following) {
    std::string text = "'" + line[0];
    for (std::size_t i = 1; i < line.size(); ++i) text += ' ' + line[i];
    const std::string first = std::to_string(number(line[1]));
    const std::string next = "below the next number, " + std::to_string(following);
    if (line[0] == "cancel")
      return text + "' changes nothing: order " + first + " is not open, or has no more lots";
    if (line[0] == "replace")
      return text + "' changes nothing: order " + first + " is not open, or " + std::to_string(number(line[2])) +
             " is " + next;
    return text + "' is ignored: " + first + " is " + next;
  }

  std::vector<Line> lines_;
  bool is_asked_ = false;
};

/// Prints the messages of the venue.
struct Printer {
  Unanswered& unanswered;
  const Link& link;
  Nanoseconds last = 0;  ///< when one came
  bool has_begun = false;

  /// Says which session it is, once.
  void begin(std::uint64_t next) {
    if (std::exchange(has_begun, true)) return;
    const soup::SessionName session = link.session().session();
    std::string_view name = session.view();
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    std::cout << "session " << name << ", next message " << next << std::endl;
  }
  void message(std::uint64_t sequence, std::span<const std::byte> bytes) {
    begin(sequence);
    last = now();
    Sentence sentence;
    sentence.text = "a message that this client does not know";
    if (ouch::decode_venue(bytes, sentence) != ouch::DecodeStatus::Success)
      fail("this port does not speak OUCH; is it the snapshot port?");
    if (!unanswered.told(bytes)) return;
    std::cout << std::setw(6) << sequence << ' ' << sentence.text << std::endl;
  }
  void unsequenced(std::span<const std::byte>) const {}
};

int orders(std::string_view place, std::string_view user, std::string_view password, std::string_view session,
           std::uint64_t next) {
  Unanswered unanswered;
  Link link(place, user, password, session, next);
  Printer printer{unanswered, link};
  await_login(link, printer);
  printer.begin(link.session().next_sequence());
  bool reads = true;
  bool all_right = true;
  std::string typed;
  printer.last = now();
  for (;;) {
    std::array<pollfd, 2> files{{{link.file(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
    poll(files.data(), reads ? 2 : 1, 100);
    if (!link.turn(printer)) {
      std::cout << (link.session().end() == soup::End::EndOfSession ? "the session has ended\n"
                                                                    : "the venue has hung up\n");
      return all_right ? 0 : 1;
    }
    const Nanoseconds idle = now() - std::min(now(), printer.last);
    const bool is_late = idle > (reads ? 1'000'000'000 : 300'000'000);
    if (is_late && unanswered.any() && !unanswered.is_asked()) {
      unanswered.ask(link);
      printer.last = now();
    } else if (is_late && !reads && (!unanswered.any() || idle > 60'000'000'000)) {
      break;
    }
    if (!reads || files[1].revents == 0) continue;
    std::array<char, 4'096> bytes;
    const ssize_t size = read(STDIN_FILENO, bytes.data(), bytes.size());
    reads = size > 0;
    typed += reads ? std::string(bytes.data(), static_cast<std::size_t>(size)) : "\n";
    for (std::size_t end; (end = typed.find('\n')) != typed.npos; typed.erase(0, end + 1)) {
      std::istringstream in(typed.substr(0, end));
      Line words;
      for (std::string word; in >> word;) words.push_back(word);
      if (words.empty()) continue;
      try {
        send_line(link, words);
        unanswered.sent(words);
        printer.last = now();
      } catch (const std::invalid_argument& wrong) {
        std::cerr << "client: " << wrong.what() << '\n';
        all_right = false;
      }
    }
  }
  link.log_out();
  return all_right ? 0 : 1;
}

// ---- The feed.

/// The names of symbols, and what has traded.
struct Names {
  std::map<std::uint16_t, std::string> symbols{};
  std::uint64_t fills = 0;

  void take(std::span<const std::byte> message) {
    const char kind = message.empty() ? ' ' : static_cast<char>(message[0]);
    fills += kind == 'E' || kind == 'C' ? 1 : 0;
    if (kind != 'R' || message.size() < 19) return;
    const auto locate = static_cast<std::uint16_t>(std::to_integer<unsigned>(message[1]) << 8 |
                                                   std::to_integer<unsigned>(message[2]));
    const std::string name(reinterpret_cast<const char*>(message.data()) + 11, 8);
    symbols[locate] = name.substr(0, name.find_last_not_of(' ') + 1);
  }
};

/// Takes a snapshot into a book, and says from which sequence on the feed is needed.
struct SnapshotReader {
  FeedBook& book;
  Names& names;
  std::string place;
  std::uint64_t next = 0;  ///< 0: the snapshot is not complete

  void message(std::uint64_t, std::span<const std::byte> bytes) {
    next = glimpse::sequence_of(bytes).value_or(0);
    if (next != 0) return;
    if (bytes.empty() || itch::message_size(bytes.front()) != bytes.size())
      fail(place + " gives no snapshot of the books; is it the order port?");
    names.take(bytes);
    book.apply(bytes);
  }
  void unsequenced(std::span<const std::byte>) {}
};

volatile std::sig_atomic_t is_interrupted = 0;

int feed(const std::string& port, std::span<const std::string_view> snapshot_from, double seconds) {
  auto book = FeedBook::create({.symbols = 1'024, .capacity = 1'000'000});
  if (!book) fail("no memory for books");
  Names names;
  const int file = socket(AF_INET, SOCK_DGRAM, 0);
  const int room_of_kernel = 1 << 22;
  setsockopt(file, SOL_SOCKET, SO_RCVBUF, &room_of_kernel, sizeof room_of_kernel);
  const Place here{"127.0.0.1", port};
  const sockaddr_in address = address_of(here, "cannot listen at");
  if (bind(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail_with_reason("cannot listen at " + here.words());
  SnapshotReader snapshot{*book, names, snapshot_from.empty() ? "" : std::string(snapshot_from[0])};
  if (!snapshot_from.empty()) {
    Link link(snapshot_from[0], snapshot_from[1], snapshot_from[2], "", 1);
    await_login(link, snapshot);
    while (snapshot.next == 0 && link.turn(snapshot)) can_read(link.file(), 200);
    if (snapshot.next == 0) fail("no snapshot has come from " + std::string(snapshot_from[0]));
  }
  mold::Receiver receiver({}, std::max<std::uint64_t>(snapshot.next, 1));
  struct sigaction on_interrupt {};
  on_interrupt.sa_handler = [](int) { is_interrupted = 1; };
  on_interrupt.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &on_interrupt, nullptr);
  std::cerr << "client: follows the feed for " << seconds << " s; Ctrl-C shows the books before" << std::endl;
  const auto until = now() + static_cast<Nanoseconds>(seconds * 1e9);
  std::array<std::byte, 65'536> room;
  sockaddr_in sender{};
  while (now() < until && !receiver.is_complete() && is_interrupted == 0) {
    if (can_read(file, 100)) {
      socklen_t length = sizeof sender;
      const ssize_t size =
          recvfrom(file, room.data(), room.size(), 0, reinterpret_cast<sockaddr*>(&sender), &length);
      if (size > 0) {
        receiver.receive(std::span(room).first(static_cast<std::size_t>(size)),
                         [&](std::uint64_t, std::span<const std::byte> message) {
                           names.take(message);
                           book->apply(message);
                         });
      }
    }
    if (const std::size_t size = receiver.write_request(room, now()))
      sendto(file, room.data(), size, 0, reinterpret_cast<const sockaddr*>(&sender), sizeof sender);
  }
  for (const auto& [locate, name] : names.symbols) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      Price price = 0;
      Quantity lots = 0;
      const auto print = [&] {
        if (lots != 0)
          std::cout << name << (side == Side::Buy ? " buy " : " sell ") << lots << " at "
                    << dollars(static_cast<std::uint64_t>(price)) << '\n';
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
  std::cout << "next message " << receiver.next_sequence() << ", fills of shown orders " << names.fills << '\n';
  close(file);
  return 0;
}

/// The words behind a flag, which are taken out of `words`; nothing if it is not there.
std::vector<std::string_view> take_flag(std::vector<std::string_view>& words, std::string_view flag,
                                        std::size_t count) {
  const auto at = std::ranges::find(words, flag);
  if (at == words.end()) return {};
  if (words.end() - at <= static_cast<std::ptrdiff_t>(count)) {
    std::cerr << "client: " << flag << " takes more words (see --help)\n";
    std::exit(2);
  }
  const auto end = at + 1 + static_cast<std::ptrdiff_t>(count);
  const std::vector<std::string_view> values(at + 1, end);
  words.erase(at, end);
  return values;
}

}  // namespace

int main(int argc, char** argv) {
  check_output_at_exit(argv[0]);
  std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "--help") {
    std::cout << usage;
    return 0;
  }
  const auto wrong = [](std::string_view what) {
    std::cerr << "client: " << what << " (see --help)\n";
    return 2;
  };
  if (!words.empty() && words[0] == "orders") {
    const auto session = take_flag(words, "--session", 1);
    const auto next = take_flag(words, "--next", 1);
    const auto from = number_of(next.empty() ? "1" : next[0], 19, std::numeric_limits<std::int64_t>::max());
    if (words.size() == 4 && from)
      return orders(words[1], words[2], words[3], session.empty() ? std::string_view() : session[0], *from);
  }
  if (!words.empty() && words[0] == "feed") {
    const auto snapshot = take_flag(words, "--snapshot", 3);
    const auto seconds = take_flag(words, "--seconds", 1);
    double time = 5;
    const bool is_time =
        seconds.empty() ||
        std::from_chars(seconds[0].data(), seconds[0].data() + seconds[0].size(), time).ec == std::errc{};
    if (words.size() == 2 && is_time && time >= 0 && time < 1e9) {
      if (!number_of(words[1], 5, 65'535)) return wrong("'" + std::string(words[1]) + "' is no port");
      return feed(std::string(words[1]), snapshot, time);
    }
  }
  return wrong("takes orders or feed, and what belongs to it");
}
