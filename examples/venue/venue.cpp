// SPDX-License-Identifier: MIT
//
// An exchange to connect to: see --help, and report/guide/run_a_venue.md.
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/exchange/core.hpp"
#include "examples/exchange/users.hpp"
#include "output_lines.hpp"
#include "protocols.hpp"
#include "server.hpp"
#include "settings.hpp"
#include "support/output.hpp"
#include "top.hpp"
#include "venue_config.hpp"

namespace {

using namespace exchange;

int fail(const std::string& words) {
  std::cerr << "venue: " << words << '\n';
  return 1;
}

int hash_password() {
  std::string password;
  std::getline(std::cin, password);
  if (password.empty() || password.size() > 10) return fail("a password has one to ten letters");
  const std::optional<std::string> hash = Password::make(password);
  if (!hash) return fail("OpenSSL cannot hash");
  std::cout << *hash << '\n';
  return 0;
}

/// A connection is an open file, and the usual limit is there for programs that have few. Some are kept for the
/// journal and the program itself, and one for each user that has a name in a protocol, whose
/// session may keep one.
/// @return how many connections there may be
std::uint32_t allow_open_files(std::uint32_t connections, const std::vector<User>& users) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return connections;
  constexpr rlim_t own_files = 64;
  const auto kept = own_files + static_cast<rlim_t>(std::ranges::count_if(
                                    users, [](const User& user) { return !user.names.empty(); }));
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, std::max<rlim_t>(limit.rlim_cur, connections + kept));
  (void)setrlimit(RLIMIT_NOFILE, &limit);
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return connections;
  const rlim_t left = limit.rlim_cur > kept ? limit.rlim_cur - kept : 0;
  return static_cast<std::uint32_t>(std::min<rlim_t>(left, connections));
}

int run(Settings settings) {
  OutputInLines output;
  std::vector<User> users;
  std::vector<SymbolLine> symbols;
  const Sizes sizes = sizes_of(settings);
  Faults faults;
  read_users(settings.users, sizes.accounts, sizes.users, users, faults, user_options());
  read_symbols(settings.symbols, sizes.symbols, symbols, faults);
  if (!faults.empty()) return fail(words_of(faults));
  const std::uint32_t connections = allow_open_files(settings.connections, users);
  if (connections == 0) return fail("too few files may be open here (see ulimit -n)");
  if (connections < std::exchange(settings.connections, connections))
    std::cout << "at most " << connections << " connections, as no more files may be open (see ulimit -n)\n";
  std::cout << "room for " << words_of(sizes) << '\n';
  std::string wrong;
  const std::unique_ptr<Core> core = Core::create(config_of(settings), users, wrong);
  if (!core) return fail(wrong);
  if (const std::string end = core->journal_end(); !end.empty()) std::cerr << "venue: " << end << '\n';
  wrong = core->gateway().contradiction(symbols);
  if (!wrong.empty()) return fail(settings.symbols + ": " + wrong);
  Server server(settings, *core, output);
  if (const std::string closed = server.open(); !closed.empty()) return fail(closed);
  const Nanoseconds grace = Nanoseconds{settings.cancel_grace} * 1'000'000'000;
  if (!core->open(symbols, users) || !core->wait_for_clients(grace))
    return fail("the journal has failed: " + core->failure());
  std::cout << "ready, day " << core->gateway().day() << std::endl;
  return server.run();
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_files();
  check_output_at_exit(argv[0]);
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--help") {
    std::cout << help();
    return 0;
  }
  if (argc == 2 && first == "hash-password") return hash_password();
  const bool is_top = first == "top";
  Settings settings;
  TopSettings top;
  const std::string wrong = is_top ? read_top(argc, argv, top) : read_flags(argc, argv, settings);
  if (!wrong.empty()) {
    std::cerr << "venue: " << wrong << " (see --help)\n";
    return 2;
  }
  if (is_top) return run_top(top);
  ignore_signals();
  hold_signal(SIGUSR1, true);
  return run(std::move(settings));
}
