// SPDX-License-Identifier: MIT
//
// What does it take to carry a message of 64 bytes from one thread to another? Each row is a way to do it, with a
// thread on each side, pinned to two cores, and room for as many messages. All rows take turns, round by round in
// an order drawn anew, in one run. A round sends many messages one way as fast as both threads can, and then one
// at a time there and back again. Every message is written and read in full and must arrive in its place.
//
// How much room there is decides which memory the messages go through: lines that one core takes out of the other
// one's first-level cache, or second-level cache, or, if they fit into neither, lines that wait in the common one.
//
// In all rows a thread that finds the way full or empty asks again a few times, and then yields its core.
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#if LLMES_HAS_BOOST
#include <boost/lockfree/spsc_queue.hpp>
#endif
#if LLMES_HAS_ATOMIC_QUEUE
#include <atomic_queue/atomic_queue.h>
#endif

#include "absl/flags/flag.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "bench/harness/artifact.hpp"
#include "bench/harness/memory.hpp"
#include "bench/harness/program.hpp"
#include "bench/harness/race.hpp"
#include "bench/harness/statistics.hpp"
#include "llmes/engine/ring.hpp"

ABSL_FLAG(std::vector<std::string>, rows, {"all"}, "the rows to compare; the base is always added");
ABSL_FLAG(std::string, base, "",
          "the row that the ratios are over; boost_spsc_span if it is there, else mutex_deque");
ABSL_FLAG(
    std::optional<std::uint32_t>, messages, std::nullopt,
    "messages that a row sends one way in a round; sixteen times the room, and at least 20,000, if not given: "
    "few, so that most rounds end before the system takes a core away");
ABSL_FLAG(std::uint32_t, trips, 500, "messages that a row sends there and back again in a round");
ABSL_FLAG(std::uint32_t, rounds, 100, "how often each row has its turn");
ABSL_FLAG(std::uint64_t, seed, 1, "seed of the order in which the rows take turns");
ABSL_FLAG(
    std::uint32_t, capacity, 65'536,
    "messages that there is room for: 256, which fit into a first-level cache; 4096, which fit into a second "
    "one; or 65536, which fit into neither, as in the engine");
ABSL_FLAG(std::vector<std::string>, cores, {},
          "the cores of the two threads; the first two that this process may use if empty");
ABSL_FLAG(std::string, out, "", "write the table as JSON to this file");
ABSL_FLAG(bool, list, false, "list the rows and stop");

namespace llmes::bench {
namespace {

constexpr std::size_t span_max = 64;

/// As large as a record of the engine.
struct alignas(64) Message {
  std::array<std::uint64_t, 8> words;
};

/// Writes the messages from `number` on, as many as there are. Each has its number in all of its words: of words
/// that differ, GCC 12 makes two messages at a time, and its stores go back and forth between two cache lines.
void write_messages(std::span<Message> messages, std::uint64_t number) {
  for (Message& message : messages) message.words.fill(number++);
}

/// What comes out at the other end.
struct Received {
  std::uint64_t count = 0;
  std::uint64_t wrong = 0;
  std::uint64_t sum = 0;

  void operator()(std::span<const Message> messages) {
    Received after = *this;  // a copy, since for all the compiler knows this one lies in the messages
    for (const Message& message : messages) {
      after.wrong += message.words.front() != after.count++;
      for (const std::uint64_t word : message.words) after.sum += word;
    }
    *this = after;
  }
  /// Throws unless these were the messages from 0 to `sent` - 1, in order.
  void prove(std::uint64_t sent) const {
    const std::uint64_t expected = 8 * (sent * (sent - 1) / 2);
    if (wrong != 0 || count != sent || sum != expected) throw std::runtime_error("messages were lost or mixed up");
  }
};

// ---- The rows. Each sends up to `most` messages, which write(messages) makes, and takes up to `most` by
// take(messages). Both say how many have gone through; none if the way is full or empty.

/// The ring of the product, in place.
template <std::size_t capacity, std::size_t span_size>
class OurRing {
 public:
  template <class Write>
  std::size_t send(std::size_t most, Write& write) {
    const std::span<Message> slots = ring_.claim(std::min(most, span_size));
    write(slots);
    if (!slots.empty()) ring_.publish(slots.size());
    return slots.size();
  }
  template <class Take>
  std::size_t take(std::size_t most, Take& take) {
    const std::span<Message> slots = ring_.readable(std::min(most, span_size));
    take(slots);
    if (!slots.empty()) ring_.release(slots.size());
    return slots.size();
  }

 private:
  Ring<Message> ring_ = *Ring<Message>::create(capacity);
};

/// A queue that messages are copied into and out of, up to `span_size` at a time.
template <class Queue, std::size_t span_size = 1>
class Copying {
 public:
  template <class Write>
  std::size_t send(std::size_t most, Write& write) {
    if (unsent_.empty()) {
      unsent_ = std::span(written_).first(std::min(most, span_size));
      write(unsent_);
    }
    const std::size_t count = queue_.push(unsent_);
    unsent_ = unsent_.subspan(count);
    return count;
  }
  template <class Take>
  std::size_t take(std::size_t most, Take& take) {
    const std::size_t count = queue_.pop(std::span(taken_).first(std::min(most, span_size)));
    take(std::span(taken_).first(count));
    return count;
  }

 private:
  Queue queue_;
  alignas(bytes_apart) std::array<Message, span_size> written_;
  std::span<Message> unsent_;
  alignas(bytes_apart) std::array<Message, span_size> taken_;
};

template <std::size_t capacity>
class MutexDeque {
 public:
  std::size_t push(std::span<const Message> messages) {
    const std::lock_guard lock(mutex_);
    if (deque_.size() == capacity) return 0;
    deque_.push_back(messages.front());
    return 1;
  }
  std::size_t pop(std::span<Message> messages) {
    const std::lock_guard lock(mutex_);
    if (deque_.empty()) return 0;
    messages.front() = deque_.front();
    deque_.pop_front();
    return 1;
  }

 private:
  std::mutex mutex_;
  std::deque<Message> deque_;
};

/// What one would write first: both indices in one cache line, looked at each time, and in the strictest order.
template <std::size_t capacity>
class NaiveRing {
 public:
  std::size_t push(std::span<const Message> messages) {
    const std::uint64_t tail = tail_.load();
    if (tail - head_.load() == capacity) return 0;
    slots_[tail % capacity] = messages.front();
    tail_.store(tail + 1);
    return 1;
  }
  std::size_t pop(std::span<Message> messages) {
    const std::uint64_t head = head_.load();
    if (head == tail_.load()) return 0;
    messages.front() = slots_[head % capacity];
    head_.store(head + 1);
    return 1;
  }

 private:
  std::atomic<std::uint64_t> head_ = 0;
  std::atomic<std::uint64_t> tail_ = 0;
  std::array<Message, capacity> slots_;
};

#if LLMES_HAS_BOOST
template <std::size_t capacity>
class BoostQueue {
 public:
  std::size_t push(std::span<const Message> messages) { return queue_.push(messages.front()); }
  std::size_t pop(std::span<Message> messages) { return queue_.pop(messages.front()); }

 private:
  boost::lockfree::spsc_queue<Message, boost::lockfree::capacity<capacity>> queue_;
};

template <std::size_t capacity>
class BoostSpans {
 public:
  std::size_t push(std::span<const Message> messages) { return queue_.push(messages.data(), messages.size()); }
  std::size_t pop(std::span<Message> messages) { return queue_.pop(messages.data(), messages.size()); }

 private:
  boost::lockfree::spsc_queue<Message, boost::lockfree::capacity<capacity>> queue_;
};
#endif

#if LLMES_HAS_ATOMIC_QUEUE
template <std::size_t capacity>
class AtomicQueue {
 public:
  std::size_t push(std::span<const Message> messages) { return queue_.try_push(messages.front()); }
  std::size_t pop(std::span<Message> messages) { return queue_.try_pop(messages.front()); }

 private:
  // Its forms for one thread on each side, with neighbours in different cache lines.
  atomic_queue::AtomicQueue2<Message, capacity, true, true, false, true> queue_;
};
#endif

// ---- A turn of a row.

/// Repeats `attempt` until something has gone through.
template <class Attempt>
std::size_t insist(const Attempt& attempt) {
  std::size_t count = 0;
  YieldWait().wait([&] { return (count = attempt()) != 0; });
  return count;
}

struct Cores {
  int sender;
  int receiver;
};

bool pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  return pthread_setaffinity_np(pthread_self(), sizeof(set), &set) == 0;
}

/// Runs `send` and `receive` on a thread each, from the moment when both are there.
template <class Send, class Receive>
void run_pair(const Cores& cores, const Send& send, const Receive& receive) {
  std::atomic<int> absent = 2;
  std::atomic<bool> pinned = true;
  const auto run_on = [&](int core, const auto& body) {
    if (!pin(core)) pinned = false;
    --absent;
    YieldWait().wait([&] { return absent == 0; });
    body();
  };
  std::thread sender([&] { run_on(cores.sender, send); });
  std::thread receiver([&] { run_on(cores.receiver, receive); });
  sender.join();
  receiver.join();
  if (!pinned) throw std::runtime_error("the system refuses to pin a thread");
}

using Clock = std::chrono::steady_clock;

double ns_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::nano>(end - begin).count();
}

std::uint32_t messages_of_flags() {
  return absl::GetFlag(FLAGS_messages).value_or(std::max(20'000U, 16 * absl::GetFlag(FLAGS_capacity)));
}

/// A row's turns, and the times of its round trips.
class Carrier : public Runner {
 public:
  [[nodiscard]] const std::vector<float>& trips() const { return trips_; }
  void start() override { trips_.reserve(std::size_t{absl::GetFlag(FLAGS_trips)} * absl::GetFlag(FLAGS_rounds)); }
  [[nodiscard]] std::size_t peak_bytes() const override { return 0; }  // nobody asks

 protected:
  std::vector<float> trips_;
};

template <class Way>
class CarrierOf : public Carrier {
 public:
  explicit CarrierOf(const Cores& cores) : cores_(cores) {}

  Window run(std::size_t, CounterSource*) override {
    const Window window = one_way(messages_of_flags());
    there_and_back(absl::GetFlag(FLAGS_trips));
    return window;
  }

 private:
  Window one_way(std::uint64_t messages) {
    const auto way = std::make_unique<Way>();
    Clock::time_point begin, end;
    Received received;
    const auto send = [&] {
      std::uint64_t number = 0;
      const auto write = [&](std::span<Message> messages) {
        write_messages(messages, number);
        number += messages.size();
      };
      begin = Clock::now();
      for (std::uint64_t sent = 0; sent < messages;) {
        sent += insist([&] { return way->send(messages - sent, write); });
      }
    };
    const auto receive = [&] {
      Received here;
      while (here.count < messages) insist([&] { return way->take(messages - here.count, here); });
      end = Clock::now();
      received = here;
    };
    run_pair(cores_, send, receive);
    received.prove(messages);
    return {.seconds = ns_between(begin, end) * 1e-9,
            .events = messages,
            .digest = {.checksum = received.sum},
            .allocations = 0};
  }

  void there_and_back(std::uint64_t trips) {
    const auto there = std::make_unique<Way>();
    const auto back = std::make_unique<Way>();
    Received answered, received;
    const auto carry_one = [](Way& way, std::uint64_t number) {
      const auto write = [&](std::span<Message> messages) { write_messages(messages, number); };
      insist([&] { return way.send(1, write); });
    };
    const auto ask = [&] {
      for (std::uint64_t i = 0; i < trips; ++i) {
        const Clock::time_point begin = Clock::now();
        carry_one(*there, i);
        insist([&] { return back->take(1, received); });
        trips_.push_back(static_cast<float>(ns_between(begin, Clock::now())));
      }
    };
    const auto answer = [&] {
      for (std::uint64_t i = 0; i < trips; ++i) {
        insist([&] { return there->take(1, answered); });
        carry_one(*back, i);
      }
    };
    run_pair(cores_, ask, answer);
    answered.prove(trips);
    received.prove(trips);
  }

  Cores cores_;
};

struct Entry {
  std::string_view name;
  std::string_view what;
  std::unique_ptr<Carrier> (*enter)(const Cores& cores);
};

template <class Way>
std::unique_ptr<Carrier> enter(const Cores& cores) {
  return std::make_unique<CarrierOf<Way>>(cores);
}

template <std::size_t capacity>
constexpr Entry entries_of[] = {
    {"ring", "the ring of the product, one message at a time in place", enter<OurRing<capacity, 1>>},
    {"ring_span", "the same in spans of up to 64", enter<OurRing<capacity, span_max>>},
    {"mutex_deque", "std::deque under std::mutex", enter<Copying<MutexDeque<capacity>>>},
    {"naive_ring", "a ring without copies of the other side's index", enter<Copying<NaiveRing<capacity>>>},
#if LLMES_HAS_BOOST
    {"boost_spsc", "boost::lockfree::spsc_queue, push and pop of one", enter<Copying<BoostQueue<capacity>>>},
    {"boost_spsc_span", "the same by arrays of up to 64", enter<Copying<BoostSpans<capacity>, span_max>>},
#endif
#if LLMES_HAS_ATOMIC_QUEUE
    {"atomic_queue", "atomic_queue::AtomicQueue2 for one thread on each side",
     enter<Copying<AtomicQueue<capacity>>>},
#endif
};

std::span<const Entry> entries() {
  switch (absl::GetFlag(FLAGS_capacity)) {
    case 256: return entries_of<256>;
    case 4096: return entries_of<4096>;
    case 65536: return entries_of<65536>;
    default: throw std::invalid_argument("--capacity is 256, 4096 or 65536");
  }
}

const Entry& find_entry(std::string_view name) {
  for (const Entry& entry : entries()) {
    if (entry.name == name) return entry;
  }
  throw std::invalid_argument(absl::StrFormat("no row is called '%s'; --list names those of this build", name));
}

// ---- The program.

std::string base_of_flags() {
  std::string base = absl::GetFlag(FLAGS_base);
  if (base.empty()) base = LLMES_HAS_BOOST ? "boost_spsc_span" : "mutex_deque";
  return std::string(find_entry(base).name);
}

std::vector<std::string> names_of_flags(const std::string& base) {
  std::vector<std::string> names = absl::GetFlag(FLAGS_rows);
  require_elements("rows", names, "ring,ring_span; --list names the rows");
  if (names == std::vector<std::string>{"all"}) {
    names.clear();
    for (const Entry& entry : entries()) names.emplace_back(entry.name);
  }
  for (const std::string& name : names) static_cast<void>(find_entry(name));
  if (std::find(names.begin(), names.end(), base) == names.end()) names.insert(names.begin(), base);
  return names;
}

Cores cores_of_flags() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) throw std::runtime_error("the cores are not known");
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &allowed)) cores.push_back(core);
  }
  const std::vector<std::string> asked = absl::GetFlag(FLAGS_cores);
  if (asked.empty()) return {cores.front(), cores[cores.size() > 1 ? 1 : 0]};
  if (asked.size() != 2) throw std::invalid_argument("--cores are two, such as 0,1");
  const auto read = [&](const std::string& text) {
    int core = 0;
    if (absl::SimpleAtoi(text, &core) && std::find(cores.begin(), cores.end(), core) != cores.end()) return core;
    throw std::invalid_argument(absl::StrFormat("--cores are of those that this process may use, %s, not '%s'",
                                                absl::StrJoin(cores, ","), text));
  };
  return {read(asked[0]), read(asked[1])};
}

struct TripPercentile {
  const char* name;
  std::size_t per_10000;
};
constexpr TripPercentile trip_percentiles[] = {
    {"p50", 5'000}, {"p90", 9'000}, {"p99", 9'900}, {"p999", 9'990}, {"max", 10'000}};

void print_table(const std::vector<Row>& rows, const std::vector<Percentiles>& trips, const Row& base) {
  std::printf("%-18s %12s %22s   %-18s", "row", "ns/message", ("over " + base.book).c_str(), "95 % interval");
  for (const TripPercentile& percentile : trip_percentiles) std::printf(" %9s", percentile.name);
  std::printf("\n");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const MedianInterval ratio = median_interval(rows[i].ratios_over(base));
    std::printf("%-18s %12.2f %22.3f   %-18s", rows[i].book.c_str(), median_interval(rows[i].times()).median,
                ratio.median, absl::StrFormat("[%.3f, %.3f]", ratio.low, ratio.high).c_str());
    for (const TripPercentile& percentile : trip_percentiles) {
      std::printf(" %9.0f", trips[i].at(percentile.per_10000));
    }
    std::printf("\n");
  }
}

nlohmann::ordered_json json_of(const Row& row, const Percentiles& trips, const Row& base) {
  const std::vector<double> ratios = row.ratios_over(base);
  const MedianInterval ratio = median_interval(ratios);
  nlohmann::ordered_json trip_ns;
  for (const TripPercentile& percentile : trip_percentiles)
    trip_ns[percentile.name] = trips.at(percentile.per_10000);
  return {{"row", row.book},
          {"rounds", row.windows.size()},
          {"ns_per_message", median_interval(row.times()).median},
          {"ratio", ratio.median},
          {"ratio_lo", ratio.low},
          {"ratio_hi", ratio.high},
          {"round_trip_ns", std::move(trip_ns)},
          {"times", row.times()},
          {"ratios", ratios}};
}

void run() {
  if (absl::GetFlag(FLAGS_list)) {
    for (const Entry& entry : entries()) std::printf("%-18s %s\n", entry.name.data(), entry.what.data());
    return;
  }
  const std::string out = absl::GetFlag(FLAGS_out);
  require_artifact(out);
  const std::string base_name = base_of_flags();
  const std::vector<std::string> names = names_of_flags(base_name);
  const Cores cores = cores_of_flags();
  const std::size_t rounds = absl::GetFlag(FLAGS_rounds);
  const std::uint32_t messages = messages_of_flags(), trips = absl::GetFlag(FLAGS_trips);
  if (rounds == 0 || messages == 0 || trips == 0) {
    throw std::invalid_argument("--rounds, --messages and --trips must be at least 1");
  }
  require_memory("rounds", rounds, [&](std::size_t count) {
    return 2.0 * sizeof(float) * static_cast<double>(count) * trips * static_cast<double>(names.size());
  });

  std::vector<Row> rows;
  const std::vector<std::string> labels = row_names(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    rows.push_back({labels[i], find_entry(names[i]).enter(cores)});
    rows.back().runner->start();
  }
  race(rows, rounds, absl::GetFlag(FLAGS_seed), nullptr);

  const Row& base = *std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.book == base_name; });
  std::vector<Percentiles> sorted;
  for (const Row& row : rows) sorted.emplace_back(static_cast<const Carrier&>(*row.runner).trips());
  std::printf(
      "\ncores %d and %d, room for %u, %zu rounds of %u messages of %zu bytes one way, and of %u there and back\n",
      cores.sender, cores.receiver, absl::GetFlag(FLAGS_capacity), rounds, messages, sizeof(Message), trips);
  std::printf("medians; round trips in nanoseconds of all rounds, with a reading of the clock in each\n\n");
  print_table(rows, sorted, base);
  if (out.empty()) return;
  nlohmann::ordered_json artifact{{"fingerprint", fingerprint()},
                                  {"base", base.book},
                                  {"cores", {cores.sender, cores.receiver}},
                                  {"capacity", absl::GetFlag(FLAGS_capacity)},
                                  {"message_bytes", sizeof(Message)},
                                  {"span_max", span_max},
                                  {"messages", messages},
                                  {"trips", trips},
                                  {"seed", absl::GetFlag(FLAGS_seed)}};
  for (std::size_t i = 0; i < rows.size(); ++i) artifact["rows"].push_back(json_of(rows[i], sorted[i], base));
  write_artifact(out, artifact);
}

}  // namespace
}  // namespace llmes::bench

int main(int argc, char** argv) {
  return llmes::bench::run_program(argc, argv,
                                   {.source = __FILE__,
                                    .purpose = "compares ways to carry messages from one thread to another",
                                    .example = "--rows=ring,ring_span,mutex_deque --rounds=10 --out=ring.json",
                                    .run = llmes::bench::run});
}
