// SPDX-License-Identifier: MIT
//
// What the program can be told on its command line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "examples/exchange/users.hpp"
#include "llmes/engine.hpp"
#include "protocols.hpp"

namespace exchange {

struct Settings {
  std::string journal;
  std::string symbols;
  std::string users;
  std::string address = "127.0.0.1";
  std::string feed_to = "127.0.0.1";
  std::string certificate;
  std::string key;
  std::string fix_comp_id = "VENUE";
  llmes::Durability durability = llmes::Durability::Process;
  bool spins = false;
  std::uint16_t threads = 1;
  std::map<std::string_view, std::uint16_t> ports{};  ///< of protocols, by flag, as far as they are given
  std::uint16_t feed_port = 0;
  std::uint16_t metrics_port = 0;
  std::uint32_t connections = 1'024;
  std::uint32_t message_length = 5'120;
  std::uint32_t backlog = 100'000;
  std::uint32_t logins = 20;
  std::uint32_t stall = 10;
  std::uint32_t max_symbols = 256;
  std::uint32_t max_orders = 200'000;
  std::uint32_t max_accounts = 1'000;
  // Where these are not given, they follow from the others: see venue_config.hpp.
  std::optional<std::uint32_t> max_users;
  std::optional<std::uint32_t> max_holdings;
  std::optional<std::uint32_t> max_stops;
  std::optional<std::uint32_t> max_lifetimes;
  std::optional<std::uint32_t> max_trades;
  std::uint32_t cancel_grace = 0;
  std::uint32_t segment_records = 1u << 18;
};

inline constexpr std::string_view help_before_ports =
    R"(usage: venue --journal DIR --symbols FILE --users FILE [FLAG VALUE]...
       venue hash-password    reads a password from the input, and prints what the users file has instead
       venue top PORT [N]     shows what a venue with this --metrics-port does, once a second, N times or for ever

Runs an exchange: orders by OUCH 5.0 over SoupBinTCP, a feed of ITCH 5.0 over MoldUDP64, and snapshots of the books
for readers that come late. It may be killed at any time: started again on the same journal, it has each order and
each message. It ends with SIGTERM or SIGINT, and begins a new day with SIGUSR1: all orders end, sequences begin at 1.

  --journal DIR          an existing directory, for this program alone
  --symbols FILE         lines of NAME [tick=N] [lot=N] [reference=N]; prices in ten-thousandths of a dollar.
                         A journal keeps its symbols: add new ones, but leave out none, and change no tick or lot
  --users FILE           lines of NAME ACCOUNT PASSWORD-HASH [OPTION]...
  --durability WHAT      what an acknowledged order survives: process (the default; its end), machine (a loss
                         of power), or none: nothing is written
  --wait HOW             block (the default), or spin: fastest, with a core of its own
  --threads N            1 for all (the default), or 2: the engine has its own

  --address IP           to listen on (127.0.0.1)
)";
inline constexpr std::string_view help_after_ports = R"(  --fix-comp-id NAME     whom clients of FIX call (VENUE)
  --feed-to IP           where the feed goes, a host or a multicast group (127.0.0.1)
  --feed-port N          its port; requests for lost messages are taken where the feed comes from (0: no feed)
  --metrics-port N       counters as Prometheus has them, on the loopback
  --certificate FILE     of TLS on all ports of clients, with --key FILE; PEM

  --connections N        how many there may be at a time (1024)
  --message-length N     bytes of a message of a client (5120)
  --backlog N            messages that a client may fall behind before it is disconnected (100000)
  --stall SECONDS        how long a client may take no byte that waits for it (10)
  --logins N             a second, of all users that have not logged in from their address before (20)
  --cancel-grace SECONDS how long after the start a user with cancel-on-disconnect may take to come back before
                         its orders are cancelled (0)

Sizes, which a journal keeps. It says those that it has when it starts:
  --max-symbols N        (256)
  --max-orders N         that rest, of all symbols together (200000)
  --max-accounts N       their numbers are 1 to this (1000)
  --max-users N          that send orders in a day (as accounts)
  --max-holdings N       pairs of an account and a symbol with a position or an open order (all pairs, but at most
                         a million, or 16 an account)
  --max-stops N          stop orders that wait (a quarter of the orders)
  --max-lifetimes N      orders and stops that end by themselves (as many as both)
  --max-trades N         that can still be undone (as orders)
  --segment-records N    records of 256 bytes in a file of the journal (262144)

Options of a user:
  cancel-on-disconnect   its orders are cancelled when its connection ends
  drop-copy=ACCOUNT      it gets the messages of that account too
  self-trade=WHAT        decrement (the default) both orders of an account that meet, or allow
  fix=COMPID             it speaks FIX, by this name
  order-quantity=N  open-orders=N  open-quantity=N  position-min=N  position-max=N
  message-burst=N  message-interval=NANOSECONDS
                         limits of its account
)";

/// With a line for the port of each protocol.
[[nodiscard]] inline std::string help() {
  std::string text(help_before_ports);
  for (const Protocol& protocol : all_protocols()) {
    std::string line = "  " + std::string(protocol.flag) + " N";
    line.resize(std::max<std::size_t>(line.size() + 1, 25), ' ');
    text += line + std::string(protocol.help) + '\n';
  }
  return text + std::string(help_after_ports);
}

/// Takes the flags. @return what is wrong with them, or nothing
[[nodiscard]] inline std::string read_flags(int argc, char** argv, Settings& settings) {
  const std::vector<Protocol> protocols = all_protocols();
  for (int i = 1; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (i + 1 == argc) return "'" + std::string(flag) + "' needs a value, or is no flag";
    const std::string value = argv[i + 1];
    const auto wrong = "'" + value + "' is no value of " + std::string(flag);
    const auto text = [&](std::string& member) { return member = value, true; };
    const auto number = [&](auto& member, std::uint32_t least) {
      const auto read = number_of<std::remove_reference_t<decltype(member)>>(value);
      if (read && *read >= least) member = *read;
      return read && *read >= least;
    };
    const auto is_port = [&](const Protocol& protocol) { return protocol.flag == flag; };
    bool taken = false;
    if (const auto port = std::ranges::find_if(protocols, is_port); port != protocols.end())
      taken = number(settings.ports[port->flag], 0);
    else if (flag == "--journal")
      taken = text(settings.journal);
    else if (flag == "--symbols")
      taken = text(settings.symbols);
    else if (flag == "--users")
      taken = text(settings.users);
    else if (flag == "--address")
      taken = text(settings.address);
    else if (flag == "--feed-to")
      taken = text(settings.feed_to);
    else if (flag == "--certificate")
      taken = text(settings.certificate);
    else if (flag == "--key")
      taken = text(settings.key);
    else if (flag == "--durability") {
      taken = value == "none" || value == "process" || value == "machine";
      settings.durability = value == "none"      ? llmes::Durability::None
                            : value == "machine" ? llmes::Durability::Machine
                                                 : llmes::Durability::Process;
    } else if (flag == "--wait") {
      taken = value == "spin" || value == "block";
      settings.spins = value == "spin";
    } else if (flag == "--threads") {
      taken = number(settings.threads, 1) && settings.threads <= 2;
    } else if (flag == "--feed-port")
      taken = number(settings.feed_port, 0);
    else if (flag == "--fix-comp-id")
      taken = is_protocol_name(value) && text(settings.fix_comp_id);
    else if (flag == "--metrics-port")
      taken = number(settings.metrics_port, 0);
    else if (flag == "--connections")
      taken = number(settings.connections, 1);
    else if (flag == "--message-length")
      taken = number(settings.message_length, 47);
    else if (flag == "--backlog")
      taken = number(settings.backlog, 1);
    else if (flag == "--logins")
      taken = number(settings.logins, 1);
    else if (flag == "--stall")
      taken = number(settings.stall, 1);
    else if (flag == "--max-symbols")
      taken = number(settings.max_symbols, 1);
    else if (flag == "--max-orders")
      taken = number(settings.max_orders, 1);
    else if (flag == "--max-accounts")
      taken = number(settings.max_accounts, 1);
    else if (flag == "--max-users")
      taken = number(settings.max_users.emplace(), 1);
    else if (flag == "--max-holdings")
      taken = number(settings.max_holdings.emplace(), 1);
    else if (flag == "--max-stops")
      taken = number(settings.max_stops.emplace(), 1);
    else if (flag == "--max-lifetimes")
      taken = number(settings.max_lifetimes.emplace(), 1);
    else if (flag == "--max-trades")
      taken = number(settings.max_trades.emplace(), 1);
    else if (flag == "--cancel-grace")
      taken = number(settings.cancel_grace, 0);
    else if (flag == "--segment-records")
      taken = number(settings.segment_records, 1);
    else
      return "there is no flag '" + std::string(flag) + "'";
    if (!taken) return wrong;
  }
  for (const auto& [member, flag] : {std::pair(&settings.journal, "--journal"),
                                     {&settings.symbols, "--symbols"},
                                     {&settings.users, "--users"}}) {
    if (member->empty()) return std::string(flag) + " is missing";
  }
  if (settings.certificate.empty() != settings.key.empty()) return "--certificate and --key go together";
  return {};
}

}  // namespace exchange
