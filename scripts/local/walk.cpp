// SPDX-License-Identifier: MIT
//
// Counts the functions of the project that an OUCH order enters on its way: bytes to the ring, journal to mailbox,
// and mailbox to bytes, without sockets. Compiled without optimisation, so that each function is entered (see
// walk.sh).
#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "examples/exchange/core.hpp"
#include "examples/exchange/ouch/session.hpp"

namespace {

struct Entered {
  void* function;
  int depth;
};
bool counts = false;
int depth = 0;
constexpr std::size_t most = 100'000;
Entered entered[most];  // a plain array: what it calls itself would be counted
std::size_t count = 0;

}  // namespace

// The compiler calls these at the begin and the end of each function.
extern "C" {
[[gnu::no_instrument_function]] void __cyg_profile_func_enter(void* function, void* /*caller*/) {
  if (!counts) return;
  if (count < most) entered[count++] = {function, depth};
  ++depth;
}
[[gnu::no_instrument_function]] void __cyg_profile_func_exit(void* /*function*/, void* /*caller*/) {
  if (counts) --depth;
}
}

namespace {

/// Its name without parameters; empty if it is not of the project.
[[gnu::no_instrument_function]] std::string own_name(void* function) {
  Dl_info info{};
  if (dladdr(function, &info) == 0 || info.dli_sname == nullptr) return {};
  const std::string_view mangled = info.dli_sname;
  const bool is_own =
      std::ranges::any_of(std::array{"_ZN5llmes", "_ZNK5llmes", "_ZZN5llmes", "_ZZNK5llmes", "_ZN8exchange",
                                     "_ZNK8exchange", "_ZZN8exchange", "_ZZNK8exchange"},
                          [mangled](std::string_view begin) { return mangled.starts_with(begin); });
  if (!is_own) return {};
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status), &std::free);
  return text ? std::string(text.get()) : std::string(mangled);
}

/// The name of a function without what stands in brackets, and what it returns.
[[gnu::no_instrument_function]] std::string short_name(const std::string& name) {
  std::string text;
  int open = 0;
  for (const char letter : name) {
    if (letter == '<' || letter == '(') ++open;
    if (open == 0) text += letter;
    if (letter == '>' || letter == ')') --open;
  }
  text = text.substr(0, text.find(" const"));
  const std::size_t space = text.find_last_of(' ');
  return space == std::string::npos ? text : text.substr(space + 1);
}

/// Prints what was counted: calls of own functions, the most of them that were open at a time, and how often an id
/// was hashed; of a way from one function to another the own functions between.
[[gnu::no_instrument_function]] void print(const char* stage, std::string_view from = {},
                                           std::string_view to = {}) {
  std::vector<std::string> stack;
  std::vector<int> own_depths;
  std::size_t calls = 0, deepest = 0, hashes = 0;
  std::vector<std::string> way;
  for (const Entered& one : std::span(entered).first(count)) {
    while (!own_depths.empty() && own_depths.back() >= one.depth) {
      own_depths.pop_back();
      stack.pop_back();
    }
    std::string name = own_name(one.function);
    if (name.empty()) continue;
    ++calls;
    if (name.find("::key_in(") != std::string::npos) ++hashes;
    own_depths.push_back(one.depth);
    stack.push_back(std::move(name));
    deepest = std::max(deepest, stack.size());
    if (to.empty() || stack.back().find(to) == std::string::npos || !way.empty()) continue;
    const auto begin = std::ranges::find_if(
        stack, [from](const std::string& open) { return open.find(from) != std::string::npos; });
    way.assign(begin, stack.end());
  }
  std::printf("%-28s %6zu %8zu %7zu\n", stage, calls, deepest, hashes);
  if (!to.empty()) {
    std::printf("\n%zu functions from the first of these to the last:\n", way.size());
    for (const std::string& name : way) std::printf("  %s\n", short_name(name).c_str());
    std::printf("\n");
  }
  count = 0;
}

[[gnu::no_instrument_function]] int run(const std::string& directory) {
  using namespace exchange;
  User user;
  user.name = "ANN";
  user.id = *user_id("ANN");
  user.account = 1;
  const std::vector<unsigned char> salt{1, 2, 3, 4, 5, 6, 7, 8};
  user.password = *Password::of("pbkdf2:1:0102030405060708:" + hex_of(*hash_of("SECRET", salt, 1)));
  const std::vector<User> users{user};
  std::string wrong;
  const auto core = Core::create({.exchange = {.venue = {.books = {.max_books = 3, .capacity = 200},
                                                         .accounts = 4,
                                                         .holdings = 12,
                                                         .lifetimes = 200,
                                                         .matches = 64,
                                                         .first_phase = Phase::Closed},
                                               .users = 8},
                                  .journal = {.directory = directory, .segment_records = 1'024},
                                  .protocols = {ouch_protocol}},
                                 users, wrong);
  if (!core) return std::fprintf(stderr, "walk: %s\n", wrong.c_str()), 1;
  core->gateway().set_time(20'000ull * 86'400 * 1'000'000'000 + 32'400ull * 1'000'000'000);
  SymbolLine symbol;
  symbol.name = "ACME";
  if (!core->open({symbol}, users)) return 1;
  OuchSession session(core->gateway(), 0, 256);
  std::vector<std::byte> room(4'096), out(16'384);
  llmes::soup::PacketWriter login(room);
  (void)login.append(llmes::soup::PacketType::LoginRequest,
                     llmes::soup::LoginRequest{.user = "ANN", .password = "SECRET", .sequence = 1});
  session.receive(std::span(room).first(login.size()), 0);
  (void)session.write(out, 0);

  std::printf("%-28s %6s %8s %7s\n", "", "calls", "deepest", "hashes");
  for (std::uint32_t number = 1; number <= 2; ++number) {
    llmes::ouch::EnterOrder order{};
    order.user_reference = number;
    order.side = llmes::ouch::Side::Buy;
    order.quantity = 100;
    order.symbol = std::string_view("ACME");
    order.price = 100'000;
    order.time_in_force = llmes::ouch::TimeInForce::Day;
    order.display = llmes::ouch::Display::Visible;
    order.capacity = 'A';
    order.intermarket_sweep = order.cross_type = 'N';
    llmes::soup::PacketWriter packet(room);
    (void)packet.append(llmes::soup::PacketType::Unsequenced, std::as_bytes(std::span(&order, 1)));
    const std::span<const std::byte> bytes = std::span(room).first(packet.size());
    const auto stage = [&](const char* name, const auto& work, std::string_view from = {},
                           std::string_view to = {}) {
      counts = number == 2;  // the first one makes room
      work();
      counts = false;
      depth = 0;
      if (number == 2) print(name, from, to);
    };
    stage("bytes to the ring", [&] { session.receive(bytes, 0); });
    stage(
        "journal to mailbox", [&] { (void)core->step(); }, "Venue<", "::add_limit<");
    stage("mailbox to bytes", [&] { (void)session.write(out, 0); });
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: walk EMPTY_DIRECTORY\n"), 2;
  return run(argv[1]);
}
