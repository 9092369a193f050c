// SPDX-License-Identifier: MIT
//
// The engines of the public challenge in turns in one process: each plays a stream of the challenge through the
// adapter that its harness loads, and all push their reports into the same ring. Built by `scripts/lab challenge`
// alone, as it needs the challenge's header.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_format.h"
#include "bench/harness/artifact.hpp"
#include "bench/harness/call_times.hpp"
#include "bench/harness/counters.hpp"
#include "bench/harness/program.hpp"
#include "bench/harness/stamped_replay.hpp"
#include "bench/harness/statistics.hpp"
#include "matching_engine_api.h"
#if LLMES_HAS_JSON
#include <nlohmann/json.hpp>
#endif

ABSL_FLAG(std::vector<std::string>, engines, {},
          "adapters, such as any=FOLDER/any_price_adapter.so; the first is the base");
ABSL_FLAG(std::string, workload, "", "a file of messages, as the challenge's generator writes it");
ABSL_FLAG(std::uint32_t, messages, 0, "how many messages of the file are played; 0: all");
ABSL_FLAG(std::uint32_t, rounds, 10, "how often each engine plays all messages");
ABSL_FLAG(std::uint32_t, call_rounds, 2, "how often it plays them with each call timed by itself");
ABSL_FLAG(std::uint32_t, span, 256, "messages in one call of an adapter that takes many");
ABSL_FLAG(std::string, metric, "time", "time, or instructions: counted by callgrind in one round");
ABSL_FLAG(std::string, out, "", "write the table as JSON to this file");

namespace llmes::bench {
namespace {

/// Reads a file of messages.
std::vector<me_msg_t> read_messages(const std::string& path) {
  struct Header {
    std::uint64_t magic;
    std::uint32_t version;
    std::uint32_t count;
  };
  struct Entry {
    std::uint8_t type, side, ioc, unused;
    std::uint32_t quantity;
    std::uint64_t sequence, id;
    std::int64_t price, reserved;
  };
  static_assert(sizeof(Header) == 16 && sizeof(Entry) == 40);
  const auto unusable = [&](const char* why) {
    return std::invalid_argument("--workload: '" + path + "' " + why);
  };

  std::ifstream file(path, std::ios::binary);
  Header header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof(header))) throw unusable("cannot be read");
  if (header.magic != 0x4D45'4257'5F30'3031 || header.version != 1)
    throw unusable("is no stream of the challenge");
  const std::uint32_t wanted = absl::GetFlag(FLAGS_messages);
  std::vector<Entry> entries(wanted == 0 ? header.count : std::min(wanted, header.count));
  const auto bytes = static_cast<std::streamsize>(entries.size() * sizeof(Entry));
  if (entries.empty() || !file.read(reinterpret_cast<char*>(entries.data()), bytes)) throw unusable("is torn");

  std::vector<me_msg_t> messages(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    me_msg_t& message = messages[i];
    message.type = entry.type;
    if (entry.type == 0) {
      message.no = {entry.id, entry.sequence, entry.price, entry.quantity, entry.side, entry.ioc, {}};
    } else if (entry.type == 1) {
      message.c = {entry.id, entry.sequence};
    } else if (entry.type == 2) {
      message.md = {entry.id, entry.sequence, entry.price, entry.quantity, entry.side, {}};
    } else {
      throw unusable("has a message of no type");
    }
  }
  return messages;
}

/// What all engines push their reports into: the latest are kept.
struct Push {
  static constexpr std::size_t size = 512;

  std::array<me_report_t, size> ring{};
  std::uint64_t count = 0;
};

int push(void* to, const me_report_t* report) {
  Push& ring = *static_cast<Push*>(to);
  ring.ring[ring.count++ % Push::size] = *report;
  return 1;
}
int keep(void* to, const me_report_t* report) {
  static_cast<std::vector<me_report_t>*>(to)->push_back(*report);
  return 1;
}
constexpr me_transport_t transport_of(int (*push)(void*, const me_report_t*)) {
  return {[](std::uint32_t) -> void* { return nullptr; }, push,
          [](void*, me_report_t*, std::uint32_t) -> std::uint32_t { return 0; }, [](void*) {}, [](void*) {}};
}
constexpr me_transport_t counted = transport_of(push);
constexpr me_transport_t kept = transport_of(keep);

/// An engine behind its adapter.
class Engine {
 public:
  /// `named` is NAME=FILE.
  explicit Engine(const std::string& named) : name_(named.substr(0, named.find('='))) {
    const std::size_t sign = named.find('=');
    if (sign == std::string::npos || sign == 0)
      throw std::invalid_argument("--engines: '" + named + "' is not NAME=FILE");
    const std::string file = named.substr(sign + 1);
    library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // NOLINT: it stays until the program ends
    if (library_ == nullptr) throw std::invalid_argument(std::string("--engines: ") + dlerror());
    bind("engine_init", init_);
    bind("engine_shutdown", shutdown_);
    bind("engine_on_new_order", new_order_);
    bind("engine_on_cancel", cancel_);
    bind("engine_on_modify", modify_);
    bind("engine_flush", flush_);
    if (dlsym(library_, "engine_on_batch") != nullptr) bind("engine_on_batch", batch_);
    if (dlsym(library_, "engine_prebuild") != nullptr || dlsym(library_, "engine_get_transport") != nullptr)
      throw std::invalid_argument(name_ +
                                  ": what it does before the clock, or in a queue of its own, is not timed here");
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool takes_spans() const { return batch_ != nullptr; }

  void begin(const me_transport_t& transport, void* to) { init_(1, &transport, to); }
  void end() { shutdown_(); }

  void play(std::span<const me_msg_t> messages, std::size_t span) {
    if (takes_spans()) {
      for (; !messages.empty(); messages = messages.subspan(std::min(span, messages.size())))
        batch_(messages.data(), static_cast<std::uint32_t>(std::min(span, messages.size())));
    } else {
      for (const me_msg_t& message : messages) call(message);
    }
    flush_();
  }
  /// The same, one call at a time, and each is timed. Only for an adapter that takes no spans.
  template <class Stamps>
  void time_calls(std::span<const me_msg_t> messages, double ns_per_tick, std::vector<float>& times) {
    for (const me_msg_t& message : messages) {
      // The stamps wait for the jump to the call.
      const auto timed = [&](auto function, const auto* one) {
        const std::uint64_t begin = Stamps::begin();
        function(one);
        times.push_back(static_cast<float>(ns_per_tick * ticks_between(begin, Stamps::end())));
      };
      dispatch(message, timed);
    }
    flush_();
  }

  std::uint64_t reports = 0;
  std::vector<double> ns_per_message;  ///< by round
  std::vector<float> calls;

 private:
  template <class Function>
  void bind(const char* symbol, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library_, symbol));
    if (function == nullptr) throw std::invalid_argument("--engines: " + name_ + " has no " + symbol);
  }
  template <class Call>
  [[gnu::always_inline]] void dispatch(const me_msg_t& message, const Call& call) {
    if (message.type == 0) {
      call(new_order_, &message.no);
    } else if (message.type == 1) {
      call(cancel_, &message.c);
    } else {
      call(modify_, &message.md);
    }
  }
  [[gnu::always_inline]] void call(const me_msg_t& message) {
    dispatch(message, [](auto function, const auto* one) { function(one); });
  }

  std::string name_;
  void* library_ = nullptr;
  void (*init_)(std::uint64_t, const me_transport_t*, void*) = nullptr;
  void (*shutdown_)() = nullptr;
  void (*new_order_)(const new_order_t*) = nullptr;
  void (*cancel_)(const cancel_t*) = nullptr;
  void (*modify_)(const modify_t*) = nullptr;
  void (*flush_)() = nullptr;
  void (*batch_)(const me_msg_t*, std::uint32_t) = nullptr;
};

/// One number of all reports, in the challenge's order and of the members that count there.
std::uint64_t digest_of(std::vector<me_report_t>& reports) {
  std::stable_sort(reports.begin(), reports.end(), [](const me_report_t& a, const me_report_t& b) {
    return std::tuple(a.sequence_number, a.type) < std::tuple(b.sequence_number, b.type);
  });
  std::uint64_t digest = reports.size();
  const auto add = [&digest](std::uint64_t value) {
    digest = (digest ^ value) * 0x9e37'79b9'7f4a'7c15 + 1;
    digest ^= digest >> 29;
  };
  for (const me_report_t& report : reports) {
    add(report.type);
    add(report.sequence_number);
    if (report.type != ME_TRADE) add(report.order_id);
    if (report.type == ME_TRADE) add(report.maker_order_id), add(report.taker_order_id);
    if (report.type != ME_TRADE && report.type < ME_CANCEL_REJECT) add(report.side);
    if (report.type < ME_CANCEL_REJECT) add(static_cast<std::uint64_t>(report.price_ticks));
    if (report.type < ME_CANCEL_REJECT && report.type != ME_CANCEL_ACK) add(report.quantity);
  }
  return digest;
}

/// Plays all messages untimed. Each engine has to say the same as the first.
std::uint64_t check(std::vector<Engine>& engines, std::span<const me_msg_t> messages, std::size_t span) {
  std::optional<std::uint64_t> first;
  std::vector<me_report_t> reports;
  for (Engine& engine : engines) {
    reports.clear();
    engine.begin(kept, &reports);
    engine.play(messages, span);
    engine.end();
    engine.reports = reports.size();
    const std::uint64_t digest = digest_of(reports);
    if (digest != first.value_or(digest))
      throw std::runtime_error(engine.name() + " reports something else than " + engines.front().name());
    first = digest;
  }
  return *first;
}

/// Lets each engine play in turn, forwards in even rounds and backwards in odd ones.
template <class Play>
void take_turns(std::vector<Engine>& engines, std::uint32_t rounds, const Play& play) {
  const auto pushed = std::make_unique<Push>();
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < engines.size(); ++i) {
      Engine& engine = engines[round % 2 == 0 ? i : engines.size() - 1 - i];
      pushed->count = 0;
      engine.begin(counted, pushed.get());
      play(engine);
      engine.end();
      if (pushed->count != engine.reports)
        throw std::runtime_error(engine.name() + " does not report what it reported before");
    }
  }
}

void print(const Engine& engine, const Engine& base) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < engine.ns_per_message.size(); ++i)
    ratios.push_back(base.ns_per_message[i] / engine.ns_per_message[i]);
  const MedianInterval ratio = median_interval(ratios);
  std::printf("%-16s %14.1f %11.2f [%.2f, %.2f]", engine.name().c_str(),
              median_interval(engine.ns_per_message).median, ratio.median, ratio.low, ratio.high);
  if (!engine.calls.empty()) {
    const Percentiles calls(engine.calls);
    std::printf("   %6.0f %6.0f %6.0f", calls.at(5'000), calls.at(9'900), calls.at(9'990));
  }
  std::printf("\n");
}

void write(const std::string& path, const std::vector<Engine>& engines, std::size_t messages,
           std::uint64_t digest) {
#if LLMES_HAS_JSON
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Engine& engine : engines) {
    nlohmann::ordered_json row{{"engine", engine.name()},
                               {"spans", engine.takes_spans()},
                               {"reports", engine.reports},
                               {"ns_per_message", engine.ns_per_message}};
    if (!engine.calls.empty()) {
      const Percentiles calls(engine.calls);
      for (const CallPercentile& percentile : call_percentiles)
        row["calls"][std::string(percentile.name)] = calls.at(percentile.per_10000);
    }
    rows.push_back(std::move(row));
  }
  write_artifact(path, {{"fingerprint", fingerprint()},
                        {"messages", messages},
                        {"span", absl::GetFlag(FLAGS_span)},
                        {"digest", absl::StrFormat("%016x", digest)},
                        {"rows", rows}});
#else
  (void)path, (void)engines, (void)messages, (void)digest;  // `require_artifact` has refused
#endif
}

void run() {
  const std::vector<std::string> named = absl::GetFlag(FLAGS_engines);
  require_elements("engines", named, "--engines=any=any_price_adapter.so");
  const std::uint32_t rounds = absl::GetFlag(FLAGS_rounds);
  const std::size_t span = absl::GetFlag(FLAGS_span);
  const std::string metric = absl::GetFlag(FLAGS_metric);
  if (rounds == 0 || span == 0) throw std::invalid_argument("--rounds and --span must be at least 1");
  if (metric != "time" && metric != "instructions")
    throw std::invalid_argument("--metric: '" + metric + "' is not time or instructions");
  require_artifact(absl::GetFlag(FLAGS_out));
  const std::vector<me_msg_t> messages = read_messages(absl::GetFlag(FLAGS_workload));
  std::vector<Engine> engines(named.begin(), named.end());
  const std::uint64_t digest = check(engines, messages, span);

  if (metric == "instructions") {
    CallgrindCounters counters;
    take_turns(engines, 1, [&](Engine& engine) {
      counters.start();
      engine.play(messages, span);
      counters.stop();
      counters.dump(engine.name());
    });
  } else {
    take_turns(engines, rounds, [&](Engine& engine) {
      const auto begin = std::chrono::steady_clock::now();
      engine.play(messages, span);
      const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
      engine.ns_per_message.push_back(time.count() / static_cast<double>(messages.size()));
    });
    const std::uint32_t call_rounds = absl::GetFlag(FLAGS_call_rounds);
    const CallClock clock = choose_call_clock();
    for (Engine& engine : engines) {
      if (!engine.takes_spans()) engine.calls.reserve(messages.size() * call_rounds);
    }
    take_turns(engines, call_rounds, [&](Engine& engine) {
      if (engine.takes_spans()) return engine.play(messages, span);
      if (clock.source == StampSource::Tsc)
        return engine.time_calls<TscStamps>(messages, clock.ns_per_tick, engine.calls);
      engine.time_calls<SteadyStamps>(messages, clock.ns_per_tick, engine.calls);
    });
    std::printf("%-16s %14s %25s   %6s %6s %6s\n", "engine", "ns a message", "times as fast", "p50", "p99",
                "p99.9");
    for (const Engine& engine : engines) print(engine, engines.front());
  }
  if (const std::string path = absl::GetFlag(FLAGS_out); !path.empty())
    write(path, engines, messages.size(), digest);
}

}  // namespace
}  // namespace llmes::bench

int main(int argc, char** argv) {
  return llmes::bench::run_program(
      argc, argv,
      {.source = __FILE__,
       .purpose = "compares engines of the public challenge in turns in one process",
       .example = "--engines=cpptrader=./cpptrader_adapter.so,any=./any_price_adapter.so --workload=orders.bin",
       .run = llmes::bench::run});
}
