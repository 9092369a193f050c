// SPDX-License-Identifier: MIT
//
// kills [--runs=N]: an exchange is killed at random moments, again and again, and each time goes on: in turns one
// of books and one that is a venue. A child process runs an engine with a journal, hands in commands and notes
// what it has read of the reports; this one kills it with SIGKILL, now and then makes a snapshot while it runs,
// and looks at what is left: nothing that was reported is lost, nothing is there that was not handed in, and the
// reports can be told again as they were.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bench/harness/temporary_folder.hpp"
#include "llmes/engine.hpp"
#include "tests/support/machine_kit.hpp"
#include "tests/support/number_flag.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {
namespace {

constexpr std::size_t plan_size = 200'000;

/// Ends the program with a message if something is wrong.
void expect(bool holds, const std::string& otherwise) {
  if (holds) return;
  std::fprintf(stderr, "\nkills: %s\n", otherwise.c_str());
  std::exit(1);
}

/// What the child has read, for as long as it lived.
struct Noted {
  std::atomic<std::uint64_t> reports = 0;
  std::atomic<std::uint64_t> sequence = 0;  ///< of the last command that was done
  std::atomic<bool> started = false;
};

struct Counts {
  std::uint64_t commands = 0;
  std::uint64_t reports = 0;
  std::uint64_t unreported = 0;
  std::uint64_t snapshots = 0;
};

template <class M>
class Kills {
  using Exchange = Engine<M, YieldWait>;
  using Record = typename M::Record;
  using Report = typename M::Report;

 public:
  explicit Kills(Counts& counts) : plan_(Kit<M>::plan(1, plan_size)), counts_(counts) {
    void* const shared = mmap(nullptr, sizeof(Noted), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    expect(shared != MAP_FAILED, "there is no shared memory");
    noted_ = new (shared) Noted;
    begin_anew();
  }

  /// Starts an engine, kills it, and looks at what is left.
  void run() {
    noted_->reports = 0;
    noted_->started = false;
    const std::uint64_t before = sequence_;
    noted_->sequence = before;
    const pid_t child = fork();
    expect(child >= 0, "there is no process left");
    if (child == 0) trade(before);
    // Mostly while it trades, now and then while it starts.
    while (!noted_->started && !random_.chance(1)) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(random_.below(random_.chance(80) ? 3'000 : 20'000)));
    if (random_.chance(10)) {
      RecoverySummary summary;
      const JournalError error = make_snapshot<M>(directory_->path(), Kit<M>::config(), summary);
      expect(!error, "a snapshot beside the engine: " + to_string(error));
      ++counts_.snapshots;
    }
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    expect(WIFSIGNALED(status) || before == plan_size, "the exchange ended by itself");
    examine(before);
    if (sequence_ == plan_size) begin_anew();
  }

 private:
  static typename Exchange::Config config_for(const std::string& directory) {
    return {.books = Kit<M>::config(),
            .commands = 256,
            .reports = 1'024,
            .journal = {.directory = directory, .durability = Durability::Process, .segment_records = 5'000}};
  }

  void begin_anew() {
    directory_.emplace(std::filesystem::temp_directory_path(), "llmes_kill");
    sequence_ = 0;
  }

  /// What the child does: it goes on with the plan where the journal ends, and notes what it reads.
  [[noreturn]] void trade(std::uint64_t before) {
    EngineError error;
    const std::unique_ptr<Exchange> exchange = Exchange::create(config_for(directory_->path()), error);
    expect(exchange != nullptr, to_string(error));
    expect(exchange->sequence() == before, "the journal ends elsewhere than a moment ago");
    exchange->start();
    noted_->started = true;
    for (std::span<const Record> left = std::span(plan_).subspan(before);;) {
      const std::span<Record> room = exchange->claim(std::min<std::size_t>(left.size(), 1 + random_.below(60)));
      std::ranges::copy(left.first(room.size()), room.begin());
      exchange->publish(room.size());
      left = left.subspan(room.size());
      for (const Report& report : exchange->reports(64)) {
        if (Kit<M>::is_last(report)) noted_->sequence = report.sequence;
        ++noted_->reports;
        exchange->release(1);
      }
    }
  }

  void examine(std::uint64_t before) {
    JournalError error;
    const auto replay = ReportReplay<M>::create(directory_->path(), Kit<M>::config(), before + 1, error);
    Keep<Report> target;
    if (replay) error = replay->tell(target);
    expect(!error, to_string(error));
    sequence_ = replay->next() - 1;
    const std::uint64_t reported = noted_->sequence;
    expect(sequence_ >= reported, "reports of commands up to " + std::to_string(reported) +
                                      " were read, and the journal ends at " + std::to_string(sequence_));
    expect(target.reports.size() >= noted_->reports, "the journal tells fewer reports than were read");
    check_.apply(before, sequence_, plan_, target.reports);
    counts_.commands += sequence_ - before;
    counts_.reports += noted_->reports;
    counts_.unreported += sequence_ - reported;
  }

  /// A machine that sees the same commands, but never dies.
  class Check {
   public:
    void apply(std::uint64_t before, std::uint64_t sequence, std::span<const Record> plan,
               std::span<const Report> reports) {
      CreateStatus status{};
      if (before == 0) machine_.emplace(*M::create(Kit<M>::config(), status));
      Keep<Report> expected;
      machine_->apply(plan.subspan(before, sequence - before), expected);
      expect(std::ranges::equal(expected.reports, reports), "the journal tells other reports than there were");
    }

   private:
    std::optional<M> machine_;
  };

  std::vector<Record> plan_;
  Random random_{2};
  std::optional<bench::TemporaryFolder> directory_;
  Noted* noted_ = nullptr;
  Check check_;
  std::uint64_t sequence_ = 0;  ///< of the last command in the journal
  Counts& counts_;
};

}  // namespace
}  // namespace llmes::test

int main(int argc, char** argv) {
  const std::uint64_t runs = llmes::test::number_flag(argc, argv, "Kills an engine N times, which loses nothing.",
                                                      "runs", 1'000, 1'000'000);
  llmes::test::Counts counts;
  llmes::test::Kills<llmes::Matcher<llmes::IdBook<llmes::BookSet, llmes::HashedIds>>> books(counts);
  llmes::test::Kills<llmes::VenueMachine<>> venue(counts);
  const bool on_terminal = isatty(STDERR_FILENO) == 1;
  for (std::uint64_t run = 1; run <= runs; ++run) {
    run % 2 == 0 ? venue.run() : books.run();
    if (on_terminal) std::fprintf(stderr, "\r%ju of %ju", std::uintmax_t{run}, std::uintmax_t{runs});
  }
  std::printf(
      "%s%ju kills: %ju commands in the journal, of which %ju had not been reported; %ju reports read, all "
      "told again; %ju snapshots made beside the engine; nothing lost\n",
      on_terminal ? "\n" : "", std::uintmax_t{runs}, std::uintmax_t{counts.commands},
      std::uintmax_t{counts.unreported}, std::uintmax_t{counts.reports}, std::uintmax_t{counts.snapshots});
}
