// SPDX-License-Identifier: MIT
//
// `venue top`: what a running venue does, in a terminal. It reads the page of counters alone, and changes nothing.
#pragma once

#include <asio.hpp>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <thread>

#include "examples/exchange/metrics.hpp"
#include "examples/exchange/users.hpp"

namespace exchange {

struct TopSettings {
  std::uint16_t port = 0;
  std::uint32_t times = 0;  ///< 0: for ever
};

/// @return what is wrong, or nothing
[[nodiscard]] inline std::string read_top(int argc, char** argv, TopSettings& settings) {
  if (argc < 3) return "top needs a port";
  if (argc > 4) return "top takes a port and a number of times alone";
  const auto port = number_of<std::uint16_t>(argv[2]);
  if (!port) return "'" + std::string(argv[2]) + "' is no port";
  const auto times = number_of<std::uint32_t>(argc == 4 ? argv[3] : "0");
  if (!times) return "'" + std::string(argv[3]) + "' is no number of times";
  settings = {*port, *times};
  return {};
}

using Page = std::map<std::string, double>;

/// The counters of a venue on this machine; `wrong` says why there are none.
[[nodiscard]] inline Page read_page(std::uint16_t port, std::string& wrong) {
  asio::ip::tcp::iostream stream;
  stream.expires_after(std::chrono::seconds(5));  // another program may wait for more
  stream.connect(asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), port));
  stream << "GET /metrics HTTP/1.0\r\n\r\n" << std::flush;
  Page page;
  for (std::string line; std::getline(stream, line);) {
    const std::size_t space = line.rfind(' ');
    if (line.starts_with("llmes_venue_") && space != line.npos)
      page[line.substr(12, space - 12)] = std::strtod(line.c_str() + space, nullptr);
  }
  if (!page.contains("day"))
    wrong = "no counters of a venue at 127.0.0.1:" + std::to_string(port) + " (" + stream.error().message() +
            "): give the port that it says metrics are at";
  return page;
}

inline void print_page(Page& now, Page& before, double seconds) {
  const auto rate = [&](const std::string& name) {
    return static_cast<std::uint64_t>(before.empty() ? 0 : (now[name] - before[name]) / seconds);
  };
  std::cout << "day " << now["day"] << ", " << now["connections"] << " connections, " << rate("commands_total")
            << " commands/s, " << rate("orders_executed_total") << " executions/s, " << rate("feed_messages_total")
            << " feed messages/s\n\n"
            << std::left << std::setw(10) << "symbol" << std::right << std::setw(12) << "lots" << std::setw(14)
            << "buy" << std::setw(14) << "sell" << std::setw(12) << "lots" << '\n';
  std::map<std::string, int> symbols;
  constexpr std::string_view begin = "best{symbol=\"";
  for (const auto& [name, value] : now) {
    if (name.starts_with(begin)) symbols[name.substr(begin.size(), name.rfind("\",side=") - begin.size())];
  }
  for (const auto& [symbol, unused] : symbols) {
    const auto cell = [&, name = symbol](std::string_view what, std::string_view side, int width) {
      const auto found =
          now.find(std::string(what) + "{symbol=\"" + name + "\",side=\"" + std::string(side) + "\"}");
      std::cout << std::setw(width);
      if (found == now.end()) {
        std::cout << '-';
      } else {
        std::cout << found->second;
      }
    };
    std::cout << std::left << std::setw(10) << text_of_label(symbol) << std::right << std::fixed
              << std::setprecision(0);
    cell("lots", "buy", 12);
    std::cout << std::setprecision(4);
    cell("best", "buy", 14);
    cell("best", "sell", 14);
    std::cout << std::setprecision(0);
    cell("lots", "sell", 12);
    std::cout << '\n';
  }
  std::cout << std::flush;
}

/// Shows the venue once a second. @return the exit status
inline int run_top(const TopSettings& settings) {
  Page before;
  for (std::uint32_t i = 0; settings.times == 0 || i < settings.times; ++i) {
    if (i != 0) std::this_thread::sleep_for(std::chrono::seconds(1));
    std::string wrong;
    Page page = read_page(settings.port, wrong);
    if (!wrong.empty()) {
      std::cerr << "venue: " << wrong << '\n';
      return 1;
    }
    if (settings.times == 0) std::cout << "\033[H\033[2J";
    print_page(page, before, 1);
    before = page;
  }
  return 0;
}

}  // namespace exchange
