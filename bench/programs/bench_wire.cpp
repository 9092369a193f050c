// SPDX-License-Identifier: MIT
//
// How long is the way of an order from a client to the venue and back, and how much of it is the venue's? A client
// enters an order and cancels it again, at the program examples/venue and at a bare echo of the same bytes, block
// by block in turns. The venue's book holds orders; whoever is not measured is stopped.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "bench/harness/artifact.hpp"
#include "bench/harness/program.hpp"
#include "bench/harness/statistics.hpp"
#include "bench/harness/temporary_folder.hpp"
#include "bench/programs/engine/arrivals.hpp"
#include "bench/programs/engine/cores.hpp"
#include "bench/programs/wire/client.hpp"
#include "bench/programs/wire/echo.hpp"
#include "bench/programs/wire/processes.hpp"
#include "llmes/wire.hpp"
#if LLMES_HAS_JSON
#include <nlohmann/json.hpp>
#endif

ABSL_FLAG(std::string, venue, "build/release/examples/venue/venue", "the program of the venue");
ABSL_FLAG(std::string, before, "", "the program of an earlier venue, which takes turns with the others");
ABSL_FLAG(std::string, mode, "spin", "how servers and client wait: spin, or block in the kernel");
ABSL_FLAG(std::string, protocol, "ouch", "how the orders are entered: ouch or fix");
ABSL_FLAG(std::string, durability, "process", "what an acknowledged order survives: none, process, or machine");
ABSL_FLAG(
    std::vector<std::string>, rate, {},
    "messages a second of an open loop after the round trips, such as 20000,100000; 0: as many as go, with 256 "
    "on their way");
ABSL_FLAG(double, seconds, 2, "how long each rate is kept");
ABSL_FLAG(std::uint32_t, rounds, 40, "blocks of each server");
ABSL_FLAG(std::uint32_t, trips, 500, "orders of a block");
ABSL_FLAG(std::uint32_t, resting, 2'000, "orders that rest in the venue's book");
ABSL_FLAG(std::uint32_t, idle, 0, "a second venue has so many more connections that only keep alive");
ABSL_FLAG(std::uint64_t, seed, 1, "seed of the arrivals of an open loop");
ABSL_FLAG(std::string, journals, "", "where the journals are made, instead of beside --out");
ABSL_FLAG(std::string, out, "", "write the table as JSON to this file");

namespace llmes::bench {
namespace {

constexpr std::uint64_t reference_price = 1'000'000;  // a hundred dollars; a tick is a cent
constexpr std::size_t warm_up = 20;                   // orders after a server goes on

std::string user_name(std::size_t number) {
  return absl::StrFormat("U%d", number);
}

/// What a shell command prints, without the end of the line.
std::string answer_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 512> line{};
  if (!pipe || std::fgets(line.data(), line.size(), pipe.get()) == nullptr)
    throw std::runtime_error("no answer of: " + command);
  std::string text = line.data();
  return text.substr(0, text.find('\n'));
}

/// Orders of one client, in pairs: each is entered, and then cancelled.
class OrderFlow {
 public:
  explicit OrderFlow(bool is_fix = false) : is_fix_(is_fix) {}

  /// Appends an order of 100 shares at the lowest price, behind all others.
  void enter(std::vector<std::byte>& bytes, std::uint64_t price, ouch::Side side = ouch::Side::Buy) {
    ++reference_;
    if (is_fix_) {
      return append(bytes, "D", [&](fix::FieldWriter& fields) {
        fields.number(11, reference_).text(55, "LLM").letter(54, side == ouch::Side::Buy ? '1' : '2');
        fields.time(60, utc_ns(), 3).number(38, 100).letter(40, '2');
        fields.decimal(44, static_cast<std::int64_t>(price), 4);
      });
    }
    ouch::EnterOrder order;
    order.user_reference = reference_;
    order.side = side;
    order.quantity = 100u;
    order.symbol = std::string_view("LLM");
    order.price = price;
    order.time_in_force = ouch::TimeInForce::Day;
    order.display = ouch::Display::Visible;
    append(bytes, order);
  }
  void cancel(std::vector<std::byte>& bytes) {
    if (is_fix_) {
      return append(bytes, "F", [&](fix::FieldWriter& fields) {
        fields.text(11, absl::StrFormat("c%d", reference_)).number(41, reference_).text(55, "LLM").letter(54, '1');
        fields.time(60, utc_ns(), 3);
      });
    }
    ouch::CancelOrder order;
    order.user_reference = reference_;
    order.quantity = 0u;
    append(bytes, order);
  }
  /// The first message of a session of FIX.
  void log_on(std::vector<std::byte>& bytes) {
    append(bytes, "A",
           [](fix::FieldWriter& fields) { fields.letter(98, '0').number(108, 3'600).text(554, "secret"); });
  }
  [[nodiscard]] bool is_fix() const { return is_fix_; }

 private:
  template <class Message>
  static void append(std::vector<std::byte>& bytes, const Message& message) {
    const std::size_t at = bytes.size();
    bytes.resize(at + soup::header_size + sizeof(message));
    soup::PacketWriter writer{std::span(bytes).subspan(at)};
    static_cast<void>(writer.append(soup::PacketType::Unsequenced, message));
  }
  template <class Write>
  void append(std::vector<std::byte>& bytes, std::string_view type, const Write& write) {
    std::array<std::byte, 256> room;
    fix::FieldWriter fields(room);
    write(fields);
    const std::size_t at = bytes.size();
    bytes.resize(at + 512);
    const fix::Header header{.begin_string = "FIX.4.4",
                             .type = type,
                             .sequence = ++sequence_,
                             .sender = "U0",
                             .target = "VENUE",
                             .time = utc_ns()};
    bytes.resize(at + fix::write_message(std::span(bytes).subspan(at), header, fields.view()));
  }
  [[nodiscard]] static std::uint64_t utc_ns() {
    return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  }

  bool is_fix_;
  std::uint32_t reference_ = 0;
  std::uint64_t sequence_ = 0;  ///< of FIX
};

/// One server with a client.
struct Row {
  std::string name;
  OrderFlow flow{};
  std::unique_ptr<Server> server{};
  std::unique_ptr<Client> client{};
  std::vector<Client> idle{};
  std::vector<float> times{};  ///< of all orders, ns
  std::vector<std::vector<float>> blocks{};
  std::uint16_t metrics_port = 0;
  std::uint64_t answers = 0;

  /// Reads what has come, and gives each answer to `take`.
  template <class Take>
  void receive(bool blocks_in_kernel, const Take& take) {
    const auto answered = [&](std::span<const std::byte> bytes) {
      ++answers;
      take(bytes);
    };
    if (!flow.is_fix()) {
      return client->receive<soup::PacketReader>(blocks_in_kernel, [&](const soup::Packet& packet, auto bytes) {
        if (packet.type != soup::PacketType::Sequenced) return;
        if (!packet.payload.empty() && static_cast<char>(packet.payload[0]) == 'J')
          throw std::runtime_error(name + " rejects an order");
        answered(bytes);
      });
    }
    client->receive<fix::FrameReader>(blocks_in_kernel, [&](const fix::Frame& frame, auto bytes) {
      if (!frame.body.starts_with("35=8\1") || frame.body.find("\1"
                                                               "150=8\1") != frame.body.npos)
        throw std::runtime_error(name + " rejects an order: " + std::string(frame.body));
      answered(bytes);
    });
  }
  /// Waits for so many answers.
  template <class Take>
  void wait_for(std::size_t count, bool blocks_in_kernel, const Take& take) {
    const std::uint64_t wanted = answers + count;
    for (std::uint64_t tries = 1; answers < wanted; ++tries) {
      receive(blocks_in_kernel, take);
      if (tries % 100'000'000 == 0) throw std::runtime_error(name + " does not answer");
    }
  }
  void wait_for(std::size_t count, bool blocks_in_kernel) {
    wait_for(count, blocks_in_kernel, [](auto) {});
  }
  void log_in() {
    if (!flow.is_fix()) return client->log_in(user_name(0), "secret");
    std::vector<std::byte> bytes;
    flow.log_on(bytes);
    client->send(bytes);
    bool accepted = false;
    while (!accepted) {
      client->receive<fix::FrameReader>(
          true, [&](const fix::Frame& frame, auto) { accepted = frame.body.starts_with("35=A\1"); });
    }
  }
  void keep_alive() {
    for (Client& other : idle) {
      other.receive<soup::PacketReader>(false, [](const soup::Packet&, auto) {});
      other.send_packet(soup::PacketType::ClientHeartbeat, std::array<std::byte, 0>{});
    }
  }
};

/// The price of order i of those that rest, on both sides.
std::uint64_t resting_price(std::size_t i) {
  const std::uint64_t away = 10'000 + 100 * (i / 2 % 500);
  return i % 2 == 0 ? reference_price - away : reference_price + away;
}
constexpr std::uint64_t measured_price = reference_price - 60'000;

class Bench {
 public:
  Bench()
      : spins_(absl::GetFlag(FLAGS_mode) == "spin"),
        is_fix_(absl::GetFlag(FLAGS_protocol) == "fix"),
        folder_(absl::GetFlag(FLAGS_journals).empty()
                    ? std::filesystem::absolute(absl::GetFlag(FLAGS_out)).parent_path().string()
                    : absl::GetFlag(FLAGS_journals),
                "bench_wire"),
        cores_(TwoCores::choose()),
        on_core_(cores_ ? std::optional(cores_->client) : std::nullopt) {
    const std::size_t idle = absl::GetFlag(FLAGS_idle);
    venue_ = start_venue("venue", absl::GetFlag(FLAGS_venue), 0);
    echo_.name = "echo";
    echo_.flow = OrderFlow(is_fix_);
    echo_.server = std::make_unique<Server>(
        server_core(), [this, answers = answers_of(venue_)] { run_echo(spins_, is_fix_, answers); });
    echo_.client = std::make_unique<Client>(port_of(echo_.server->line_after("echo at ")));
    echo_.server->stop();
    if (idle != 0) idle_ = start_venue("venue_idle", absl::GetFlag(FLAGS_venue), idle);
    const std::string before = absl::GetFlag(FLAGS_before);
    if (!before.empty()) before_ = start_venue("venue_before", before, 0);
  }

  /// The round trips of all servers, block by block in turns: A B B A.
  void run_trips() {
    const std::size_t rounds = absl::GetFlag(FLAGS_rounds);
    std::vector<Row*> rows = this->rows();
    for (std::size_t round = 0; round < rounds; ++round) {
      for (Row* const row : rows) run_block(*row);
      std::reverse(rows.begin(), rows.end());
    }
  }
  void run_block(Row& row) {
    row.server->go_on();
    row.keep_alive();
    std::vector<float> times;
    std::vector<std::byte> enter, cancel;
    for (std::size_t i = 0; i < warm_up + absl::GetFlag(FLAGS_trips); ++i) {
      enter.clear();
      cancel.clear();
      row.flow.enter(enter, measured_price);
      row.flow.cancel(cancel);
      const std::uint64_t begin = now_ns();
      row.client->send(enter);
      row.wait_for(1, !spins_);
      const std::uint64_t end = now_ns();
      row.client->send(cancel);
      row.wait_for(1, !spins_);
      if (i >= warm_up) times.push_back(static_cast<float>(end - begin));
    }
    row.server->stop();
    row.times.insert(row.times.end(), times.begin(), times.end());
    row.blocks.push_back(std::move(times));
  }

  /// From an order on its way to its message on the feed.
  [[nodiscard]] std::vector<float> run_feed() {
    std::vector<float> times;
    std::vector<std::byte> bytes;
    venue_.server->go_on();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // for what is late from the round trips
    feed_.drain();
    const std::size_t trips = absl::GetFlag(FLAGS_trips) * absl::GetFlag(FLAGS_rounds) / 10;
    for (std::size_t i = 0; i < warm_up + trips; ++i) {
      bytes.clear();
      venue_.flow.enter(bytes, measured_price);
      const std::uint64_t begin = now_ns();
      venue_.client->send(bytes);
      while (!feed_.receive(!spins_)) {
      }
      const std::uint64_t end = now_ns();
      venue_.wait_for(1, !spins_);
      bytes.clear();
      venue_.flow.cancel(bytes);
      venue_.client->send(bytes);
      venue_.wait_for(1, !spins_);
      while (!feed_.receive(!spins_)) {
      }
      if (i >= warm_up) times.push_back(static_cast<float>(end - begin));
    }
    venue_.server->stop();
    return times;
  }

  struct Load {
    std::string row;
    double rate = 0;      ///< asked for; 0: as many as go
    double achieved = 0;  ///< answers a second
    std::vector<float> times{};
  };
  /// Messages that are due whether or not the earlier ones are answered: the time is from when one was due.
  [[nodiscard]] Load run_load(Row& row, double rate) {
    const double seconds = absl::GetFlag(FLAGS_seconds);
    row.server->go_on();
    row.keep_alive();
    Load load{.row = row.name, .rate = rate};
    std::vector<std::uint64_t> due;
    if (rate != 0)
      due = arrival_times("poisson", rate, static_cast<std::size_t>(rate * seconds), absl::GetFlag(FLAGS_seed));
    constexpr std::size_t window = 256;
    const std::uint64_t begin = now_ns() + 1'000'000;
    const std::uint64_t last = begin + static_cast<std::uint64_t>((rate == 0 ? seconds : 4 * seconds) * 1e9);
    std::vector<std::byte> bytes;
    std::size_t sent = 0;
    std::uint64_t now = now_ns();
    const std::uint64_t answered = row.answers;
    const auto done = [&] { return static_cast<std::size_t>(row.answers - answered); };
    const auto is_over = [&] { return rate == 0 ? now >= last : done() == due.size() || now >= last; };
    for (; !is_over(); now = now_ns()) {
      bytes.clear();
      // The kernel holds what is on its way: more than this would only wait in the client.
      while (sent - done() < 16 * window && bytes.size() < 8'192 &&
             (rate == 0 ? sent - done() < window : sent < due.size() && begin + due[sent] <= now)) {
        if (sent % 2 == 0) {
          row.flow.enter(bytes, measured_price);
        } else {
          row.flow.cancel(bytes);
        }
        ++sent;
      }
      if (!bytes.empty()) row.client->send(bytes);
      row.receive(false, [&](auto) {
        if (rate != 0) load.times.push_back(static_cast<float>(now_ns() - begin - due[done() - 1]));
      });
    }
    load.achieved = static_cast<double>(done()) * 1e9 / static_cast<double>(now - begin);
    while (done() < sent) row.wait_for(sent - done(), false);
    if (sent % 2 != 0) {
      bytes.clear();
      row.flow.cancel(bytes);
      row.client->send(bytes);
      row.wait_for(1, false);
    }
    row.server->stop();
    return load;
  }

  /// What the venue says of the time that its own work takes: quantiles in nanoseconds, by name.
  [[nodiscard]] static std::vector<std::pair<std::string, double>> processing(const Row& row) {
    row.server->go_on();
    Client metrics(row.metrics_port);
    const std::string request = "GET /metrics HTTP/1.0\r\n\r\n";
    metrics.send(std::as_bytes(std::span(request)));
    const std::string text = metrics.read_all();
    row.server->stop();
    std::vector<std::pair<std::string, double>> found;
    const std::string name = "llmes_venue_work_seconds{quantile=\"";
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      const std::size_t from = at + name.size();
      const std::size_t to = text.find("\"} ", from);
      double seconds = 0;
      if (to != std::string::npos && absl::SimpleAtod(text.substr(to + 3, text.find('\n', to) - to - 3), &seconds))
        found.emplace_back(text.substr(from, to - from), seconds * 1e9);
    }
    return found;
  }

  Row& venue() { return venue_; }
  Row& echo() { return echo_; }
  Row& idle() { return idle_; }
  [[nodiscard]] std::vector<Row*> rows() {
    std::vector<Row*> all = {&venue_, &echo_};
    for (Row* const row : {&idle_, &before_}) {
      if (row->server) all.push_back(row);
    }
    return all;
  }

 private:
  [[nodiscard]] std::optional<int> server_core() const {
    return cores_ ? std::optional(cores_->server) : std::nullopt;
  }
  [[nodiscard]] static std::uint16_t port_of(const std::string& text) {
    std::uint32_t port = 0;
    if (!absl::SimpleAtoi(text.substr(text.rfind(':') + 1), &port) || port == 0 || port > 0xffff)
      throw std::runtime_error("'" + text + "' has no port");
    return static_cast<std::uint16_t>(port);
  }

  /// What the venue says to an order and to its end, which the echo says too.
  [[nodiscard]] static std::array<std::vector<std::byte>, 2> answers_of(Row& row) {
    std::array<std::vector<std::byte>, 2> answers;
    row.server->go_on();
    for (std::vector<std::byte>& answer : answers) {
      std::vector<std::byte> bytes;
      if (&answer == answers.data()) {
        row.flow.enter(bytes, measured_price);
      } else {
        row.flow.cancel(bytes);
      }
      row.client->send(bytes);
      row.wait_for(1, false, [&answer](auto came) { answer.assign(came.begin(), came.end()); });
    }
    row.server->stop();
    return answers;
  }

  /// A venue with orders at rest, and with so many idle connections. It is stopped.
  [[nodiscard]] Row start_venue(const std::string& name, const std::string& program, std::size_t idle) {
    const std::string path = folder_.path() + "/" + name;
    std::filesystem::create_directories(path + "/journal");
    const std::string hash = answer_of("echo secret | \"" + program + "\" hash-password");
    {
      std::ofstream users(path + "/users.txt");
      for (std::size_t i = 0; i <= idle + 1; ++i) {
        users << user_name(i) << ' ' << i + 1 << ' ' << hash << (i == 0 && is_fix_ ? " fix=U0\n" : "\n");
      }
      std::ofstream symbols(path + "/symbols.txt");
      symbols << "LLM tick=100 reference=" << reference_price << '\n';
      if (!users.flush() || !symbols.flush()) throw std::runtime_error("cannot write to " + path);
    }
    const std::uint16_t feed_port = name == "venue" ? feed_.port() : no_feed_.port();
    const std::string accounts = absl::StrFormat("%d", idle + 16);
    const std::string connections = absl::StrFormat("%d", idle + 16);
    const std::string feed = absl::StrFormat("%d", feed_port);
    const std::string durability = absl::GetFlag(FLAGS_durability);
    const std::string journal = path + "/journal", symbols = path + "/symbols.txt", users = path + "/users.txt";
    Row row{.name = name, .flow = OrderFlow(is_fix_)};
    row.server = std::make_unique<Server>(server_core(), [&] {
      execl(program.c_str(), program.c_str(), "--journal", journal.c_str(), "--symbols", symbols.c_str(),
            "--users", users.c_str(), "--durability", durability.c_str(), "--wait", spins_ ? "spin" : "block",
            "--feed-port", feed.c_str(), "--max-accounts", accounts.c_str(), "--connections", connections.c_str(),
            "--logins", "1000000", "--fix-port", "0", "--metrics-port", "0", static_cast<char*>(nullptr));
    });
    const std::uint16_t port = port_of(row.server->line_after("orders at "));
    const std::uint16_t fix_port = port_of(row.server->line_after("FIX at "));
    row.metrics_port = port_of(row.server->line_after("metrics at "));
    static_cast<void>(row.server->line_after("ready"));
    row.client = std::make_unique<Client>(is_fix_ ? fix_port : port);
    row.log_in();
    for (std::size_t i = 0; i < idle; ++i) {
      row.idle.emplace_back(port);
      row.idle.back().log_in(user_name(i + 2), "secret");
      if (i % 100 == 99) row.keep_alive();
    }
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < absl::GetFlag(FLAGS_resting); ++i) {
      bytes.clear();
      row.flow.enter(bytes, resting_price(i), i % 2 == 0 ? ouch::Side::Buy : ouch::Side::Sell);
      row.client->send(bytes);
      row.wait_for(1, false);
    }
    row.server->stop();
    return row;
  }

  bool spins_;
  bool is_fix_;
  TemporaryFolder folder_;
  std::optional<TwoCores> cores_;
  OnCore on_core_;
  FeedSocket feed_;
  FeedSocket no_feed_;  ///< of the other venues: nobody reads it
  Row venue_;
  Row echo_;
  Row idle_;
  Row before_;
};

std::vector<double> medians(const std::vector<std::vector<float>>& blocks) {
  std::vector<double> found;
  for (const std::vector<float>& block : blocks) found.push_back(Percentiles(block).at(5'000));
  return found;
}

/// Of the medians of two blocks of one round.
MedianInterval ratio_of(const Row& row, const Row& base) {
  std::vector<double> ratios = medians(row.blocks);
  const std::vector<double> under = medians(base.blocks);
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] /= under[i];
  return median_interval(ratios);
}

constexpr std::pair<const char*, std::size_t> shares[] = {
    {"p50", 5'000}, {"p90", 9'000}, {"p99", 9'900}, {"p99.9", 9'990}, {"worst", 10'000}};

void run() {
  const std::string out = absl::GetFlag(FLAGS_out);
  const std::string mode = absl::GetFlag(FLAGS_mode);
  if (mode != "spin" && mode != "block")
    throw std::invalid_argument(absl::StrFormat("--mode is spin or block, not '%s'", mode));
  const std::string protocol = absl::GetFlag(FLAGS_protocol);
  if (protocol != "ouch" && protocol != "fix")
    throw std::invalid_argument(absl::StrFormat("--protocol is ouch or fix, not '%s'", protocol));
  const std::string durability = absl::GetFlag(FLAGS_durability);
  if (durability != "none" && durability != "process" && durability != "machine")
    throw std::invalid_argument(absl::StrFormat("--durability is none, process or machine, not '%s'", durability));
  if (absl::GetFlag(FLAGS_rounds) == 0 || absl::GetFlag(FLAGS_trips) == 0)
    throw std::invalid_argument("--rounds and --trips are at least 1");
  std::vector<double> rates;
  for (const std::string& text : absl::GetFlag(FLAGS_rate)) {
    double rate = 0;
    if (!absl::SimpleAtod(text, &rate) || rate < 0 || rate > 1e7)
      throw std::invalid_argument(absl::StrFormat("--rate has numbers up to 10000000, not '%s'", text));
    rates.push_back(rate);
  }
  require_artifact(out);

  std::fprintf(stderr, "starting the venue and the echo ...\n");
  Bench bench;
  std::fprintf(stderr, "round trips ...\n");
  bench.run_trips();
  std::vector<std::pair<const Row*, std::vector<std::pair<std::string, double>>>> processing;
  for (const Row* const row : bench.rows()) {
    if (row->metrics_port != 0) processing.emplace_back(row, Bench::processing(*row));
  }
  std::fprintf(stderr, "feed ...\n");
  const Percentiles feed(bench.run_feed());
  std::vector<Bench::Load> loads;
  for (const double rate : rates) {
    std::fprintf(stderr, "%.0f messages a second ...\n", rate);
    loads.push_back(bench.run_load(bench.venue(), rate));
    loads.push_back(bench.run_load(bench.echo(), rate));
  }

  std::printf("\n%s, %s, journal: %s. Microseconds from an order sent to its answer read\n\n%-12s",
              protocol.c_str(), mode.c_str(), durability.c_str(), "row");
  for (const auto& [name, share] : shares) std::printf(" %10s", name);
  std::printf("   %s\n", "p50 over echo");
#if LLMES_HAS_JSON
  nlohmann::ordered_json artifact{{"fingerprint", fingerprint()},
                                  {"mode", mode},
                                  {"protocol", protocol},
                                  {"durability", durability},
                                  {"resting", absl::GetFlag(FLAGS_resting)},
                                  {"base", "echo"}};
#endif
  const auto print = [&](const std::string& name, const Percentiles& times, const MedianInterval* ratio) {
    std::printf("%-12s", name.c_str());
    for (const auto& [share_name, share] : shares)
      std::printf(" %10.2f", static_cast<double>(times.at(share)) * 1e-3);
    if (ratio != nullptr) std::printf("   %.3f [%.3f, %.3f]", ratio->median, ratio->low, ratio->high);
    std::printf("\n");
#if LLMES_HAS_JSON
    nlohmann::ordered_json line{{"row", name}, {"trips", times.count()}};
    for (const auto& [share_name, share] : shares) line[share_name] = times.at(share);
    if (ratio != nullptr) {
      line["ratio"] = ratio->median;
      line["ratio_lo"] = ratio->low;
      line["ratio_hi"] = ratio->high;
    }
    artifact["rows"].push_back(line);
#endif
  };
  for (const Row* const row : bench.rows()) {
    const MedianInterval ratio = ratio_of(*row, bench.echo());
    print(row->name, Percentiles(row->times), &ratio);
  }
  print("feed", feed, nullptr);
  if (bench.idle().server) {
    const MedianInterval ratio = ratio_of(bench.idle(), bench.venue());
    std::printf("\nwith %u idle connections: %.3f [%.3f, %.3f] of the time without\n", absl::GetFlag(FLAGS_idle),
                ratio.median, ratio.low, ratio.high);
#if LLMES_HAS_JSON
    artifact["idle"] = {{"connections", absl::GetFlag(FLAGS_idle)},
                        {"ratio", ratio.median},
                        {"ratio_lo", ratio.low},
                        {"ratio_hi", ratio.high}};
#endif
  }
  std::printf("\nown work on what was read at once, ns\n");
  for (const auto& [row, quantiles] : processing) {
    std::printf("%-12s", row->name.c_str());
    for (const auto& [quantile, time] : quantiles) std::printf("  %s: %.0f", quantile.c_str(), time);
    std::printf("\n");
  }
#if LLMES_HAS_JSON
  for (const auto& [quantile, time] : processing.front().second) artifact["processing"][quantile] = time;
#endif
  if (!loads.empty())
    std::printf("\n%-8s %12s %12s   microseconds from due to done: p50, p99, worst\n", "row", "asked for", "done");
  for (const Bench::Load& load : loads) {
    std::printf("%-8s %12.0f %12.0f", load.row.c_str(), load.rate, load.achieved);
#if LLMES_HAS_JSON
    nlohmann::ordered_json line{{"row", load.row}, {"rate", load.rate}, {"achieved", load.achieved}};
#endif
    if (!load.times.empty()) {
      const Percentiles times(load.times);
      for (const std::size_t share : {5'000u, 9'900u, 10'000u})
        std::printf(" %12.1f", static_cast<double>(times.at(share)) * 1e-3);
#if LLMES_HAS_JSON
      for (const auto& [name, share] : shares) line[name] = times.at(share);
#endif
    }
    std::printf("\n");
#if LLMES_HAS_JSON
    artifact["loads"].push_back(line);
#endif
  }
#if LLMES_HAS_JSON
  if (!out.empty()) write_artifact(out, artifact);
#endif
}

}  // namespace
}  // namespace llmes::bench

int main(int argc, char** argv) {
  return llmes::bench::run_program(
      argc, argv,
      {.source = __FILE__,
       .purpose = "measures the round trip of orders to the venue, beside a bare echo",
       .example = "--mode=block --rate=50000,0 --out=wire.json",
       .run = llmes::bench::run});
}
