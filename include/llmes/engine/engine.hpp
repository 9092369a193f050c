// SPDX-License-Identifier: MIT
//
// A matching engine: one thread takes commands from a ring, applies them to books, and writes reports to a ring.
//
// Three threads use it: a sender, a reader and the engine's own; sender and reader may be the same. The engine
// applies all commands that it finds as one span. A command never waits for a later one.
//
// With a journal, the engine writes these commands in one write before it applies them. So a report survives what
// the journal's durability names. A new engine on the same directory begins where the last one ended.
//
// After `start` no thread allocates here.
//
// An engine makes no snapshot and deletes no segment. Call `make_snapshot` and `remove_covered` on schedule (see
// snapshot.hpp), or the journal grows. Examples: examples/exchange.cpp, and examples/keeper.cpp for snapshots.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "llmes/detail/algorithm.hpp"
#include "llmes/engine/journal/journal.hpp"
#include "llmes/engine/machine.hpp"
#include "llmes/engine/matcher.hpp"
#include "llmes/engine/ring.hpp"
#include "llmes/engine/snapshot/snapshot.hpp"
#include "llmes/engine/status.hpp"
#include "llmes/sets/book_set.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// `T` is a machine (see machine.hpp), or the books of a `Matcher`. `WaitStrategy` is how all three threads wait
/// for each other.
///
/// The threads:
///  - sender: `claim`, `wait_claim`, `publish`, `submit`, `drain`;
///  - reader: `reports`, `wait_reports`, `release`, `disconnect`, `disconnected`, `attach`;
///  - owner, which is one of these or another thread: `start` and `stop`; `books` and `sequence` while the engine
///    does not run; the destructor, once the others are done. `run` needs a thread of its own;
///  - all: `state`, `status`, `recovery`, `journal_directory`; `journal_error` if the state is JournalFailed.
///
/// A fork of a process with a journal copies open files and locks, but no thread. The child must not use or
/// destroy the engine, and while it lives no other engine can open the directory. So it calls `exec` or `_exit`.
template <class T, WaitStrategy Wait = YieldWait, class Files = SystemFiles>
class Engine {
  using M = MachineOf<T>;

 public:
  using Record = typename M::Record;
  using Report = typename M::Report;

  struct Config {
    typename M::Config books{};     ///< what the machine is made for
    std::size_t commands = 65'536;  ///< how many the ring of commands holds; a power of two, at least 2
    /// How many the ring of reports holds; a power of two, at least 2. To disconnect slow readers it needs more
    /// than one command can have.
    std::size_t reports = 131'072;
    SlowReader slow_reader = SlowReader::Wait;
    /// Without a directory there is none. `parameters` are not read: `books` has them.
    JournalConfig journal{};
  };

  /// Makes an engine that is ready to start, or nothing, and `error` says why. All memory is allocated and touched
  /// here. With a journal, its books are those of the newest snapshot of this version, with the later commands.
  /// @param error of books, rings or journal; NoDirectory if a durability is given without a directory.
  [[nodiscard]] static std::unique_ptr<Engine> create(Config config, EngineError& error,
                                                      const Files& files = {}) noexcept {
    error = {};
    auto commands = Ring<Record, Wait>::create(config.commands, error.rings);
    if (!commands) return {};
    auto reports = Ring<Report, Wait>::create(config.reports, error.rings);
    if (!reports) return {};
    std::optional<M> books = M::create(config.books, error.books);
    if (!books) return {};
    std::optional<JournalWriter<Files, Record>> journal;
    RecoverySummary recovery{};
    if (!config.journal.directory.empty()) {
      config.journal.parameters = M::parameters_of(config.books);
      config.journal.reserve = std::max(config.journal.reserve, Snapshots<M, Files>::room_for(*books));
      error.journal = detail::recover(config.journal, config.books, files, *books, journal, recovery);
      if (error) error.directory = std::move(config.journal.directory);
    } else if (config.journal.durability.value_or(Durability::None) != Durability::None) {
      error.journal.code = JournalCode::NoDirectory;
    }
    if (error) return {};
    std::unique_ptr<Engine> engine(new (std::nothrow)
                                       Engine(std::move(*books), std::move(journal), recovery,
                                              std::move(*commands), std::move(*reports), std::move(config)));
    if (engine == nullptr) error.books = CreateStatus::OutOfMemory;
    return engine;
  }

  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  /// Does what `stop` does, but does not wait for the reader.
  ~Engine() {
    disconnect();
    stop();
  }

  // ---- The sender.

  /// Room for up to `most` commands, to be written in place; empty if there is none, or if the engine takes no
  /// more. Slots hold old commands: write all members but sequence, index in the write and checksum.
  [[nodiscard]] std::span<Record> claim(std::size_t most) noexcept {
    if (closed_.load(std::memory_order_relaxed)) return {};
    return commands_.claim(most);
  }
  /// The same, but waits for room; empty only if `most` is 0 or the engine takes no more. With `SlowReader::Wait`
  /// a thread that also reads the reports would wait for itself: it uses `claim` or the form below.
  [[nodiscard]] std::span<Record> wait_claim(std::size_t most) noexcept {
    const auto closed = [this] { return closed_.load(std::memory_order_acquire); };
    return closed() ? std::span<Record>{} : commands_.wait_claim(most, closed);
  }
  /// The same, but waits no longer than `patience`, and is empty then as well. It looks every 50 microseconds.
  [[nodiscard]] std::span<Record> wait_claim(std::size_t most, std::chrono::nanoseconds patience) noexcept {
    std::span<Record> room;
    (void)true_within(patience, [&] {
      const bool last = most == 0 || closed_.load(std::memory_order_acquire);
      room = last ? std::span<Record>{} : commands_.claim(most);
      return last || !room.empty();
    });
    return room;
  }
  /// Sends the first `count` of the claimed commands, or all of them if they are fewer.
  void publish(std::size_t count) noexcept { commands_.publish(count); }

  /// Sends one command, such as `record_of` makes.
  [[nodiscard]] SubmitStatus submit(const Record& record) noexcept {
    if (closed_.load(std::memory_order_relaxed)) return SubmitStatus::Stopped;
    return commands_.try_push(record) ? SubmitStatus::Accepted : SubmitStatus::Full;
  }
  /// Sends records that belong together, such as `records_of` makes, all or none; Full also if there can never be
  /// room for all.
  [[nodiscard]] SubmitStatus submit(std::span<const Record> records) noexcept {
    if (closed_.load(std::memory_order_relaxed)) return SubmitStatus::Stopped;
    if (records.size() > commands_.capacity() - commands_.size()) return SubmitStatus::Full;
    while (!records.empty()) {  // in two pieces at the wrap
      const std::span<Record> room = commands_.claim(records.size());
      detail::copy(records.first(room.size()), room.begin());
      commands_.publish(room.size());
      records = records.subspan(room.size());
    }
    return SubmitStatus::Accepted;
  }

  /// Waits until all commands sent are done and their reports can be read, or until the engine does not run. If
  /// the reports may not fit their ring, another thread must read them meanwhile.
  void drain() const noexcept {
    while (commands_.size() > 0 && state() == EngineState::Running) std::this_thread::yield();
  }

  // ---- The reader.

  /// Up to `most` reports that lie one after the other; empty if there are none now. They stay until `release`.
  [[nodiscard]] std::span<const Report> reports(std::size_t most) noexcept { return reports_.readable(most); }
  /// The same, but waits; empty only if no more will come: the engine has ended, or the reader is disconnected.
  [[nodiscard]] std::span<const Report> wait_reports(std::size_t most) noexcept {
    return reports_.wait_readable(most, [this] { return disconnected() || state() >= EngineState::Stopped; });
  }
  /// Releases the first `count` reports, or all that were shown if they are fewer.
  void release(std::size_t count) noexcept { reports_.release(count); }

  /// Ends reading. The engine goes on and drops its reports.
  void disconnect() noexcept {
    reader_.store(Reader::Detached, std::memory_order_release);
    reports_.wake();
  }
  /// Whether the reader is disconnected, by itself or by the engine. Reports may be missing after those it finds.
  [[nodiscard]] bool disconnected() const noexcept {
    return reader_.load(std::memory_order_acquire) != Reader::Attached;
  }

  /// Attaches the reader again. The ring then begins with the first report of command `first`; what it had of
  /// earlier commands is dropped, so read that before. A `ReportReplay` tells all that was missed, if there is a
  /// journal. It waits while the engine is in a block of commands or in a write to the journal.
  /// @return AlreadyAttached or NotRunning, and nothing is changed; or Success.
  [[nodiscard]] Attachment attach() noexcept {
    if (state() != EngineState::Running) return {AttachStatus::NotRunning};
    attached_at_.store(0, std::memory_order_relaxed);
    Reader expected = Reader::Detached;
    if (!reader_.compare_exchange_strong(expected, Reader::Attaching)) return {AttachStatus::AlreadyAttached};
    commands_.wake();
    while (reader_.load(std::memory_order_acquire) == Reader::Attaching && state() == EngineState::Running)
      std::this_thread::yield();
    expected = Reader::Attaching;
    (void)reader_.compare_exchange_strong(expected, Reader::Detached);
    const std::uint64_t first = attached_at_.load(std::memory_order_acquire);
    if (first == 0) return {AttachStatus::NotRunning};
    const auto is_old = [first](const Report& report) { return report.sequence < first; };
    for (bool more = true; more;) {
      const std::span<const Report> some = reports(reports_.capacity());
      const auto old = static_cast<std::size_t>(detail::find_if_not(some, is_old) - some.begin());
      release(old);
      more = old != 0;
    }
    return {AttachStatus::Success, first};
  }

  // ---- The owner.

  /// Starts a thread that does what `run` does, once.
  /// @return false if it was started before or, if the state is still Ready, if the system refused a thread.
  bool start() noexcept {
    if (!becomes_running()) return false;
    const auto run_on_thread = [](void* engine) -> void* {
      static_cast<Engine*>(engine)->work();
      return nullptr;
    };
    has_thread_ = pthread_create(&thread_, nullptr, run_on_thread, this) == 0;
    if (!has_thread_) state_.store(EngineState::Ready, std::memory_order_release);
    return has_thread_;
  }

  /// Runs the engine on the calling thread, such as one pinned to a core, until it ends; once, instead of `start`.
  /// @return false if it was started before.
  bool run() noexcept {
    if (!becomes_running()) return false;
    work();
    return true;
  }

  /// Does the commands sent so far on the calling thread, and gives their reports to `target`: for a thread that
  /// is sender, reader and engine. It may be called any number of times before `start` or `run`, or instead of
  /// them.
  /// @return whether they are done: false if the engine runs or has ended, such as by a failure of its journal.
  bool step(BasicReportTarget<Report>& target) noexcept {
    if (state() != EngineState::Ready) return false;
    while (true) {
      const std::span<Record> records = commands_.readable(most_at_a_time_);
      if (records.empty()) return true;
      if (!log(records)) return end(EngineState::JournalFailed), false;
      apply(records, target);
    }
  }

  /// Takes no more commands, and waits until those sent are done and the thread has ended. With `SlowReader::Wait`
  /// that needs a reader that reads on or disconnects. No command may be sent at the same time.
  void stop() noexcept {
    close();
    ended_.wait(false);
    if (std::exchange(has_thread_, false)) pthread_join(thread_, nullptr);
  }

  /// The same, but waits no longer than `patience` for the reader, and then disconnects it and drops its reports.
  /// @return whether all reports are read or in the ring, unless the reader had been disconnected before.
  bool stop(std::chrono::nanoseconds patience) noexcept {
    close();
    const bool in_time = true_within(patience, [this] { return ended_.load(std::memory_order_acquire); });
    if (!in_time) disconnect();
    stop();
    return in_time;
  }

  [[nodiscard]] EngineState state() const noexcept { return state_.load(std::memory_order_acquire); }

  /// The state of the engine in numbers, for any thread at any time. It makes a system call for the free room.
  [[nodiscard]] EngineStatus status() const noexcept {
    EngineStatus status;
    const std::uint64_t journaled = counters_.journaled.load(std::memory_order_relaxed);
    const std::uint64_t done = commands_.released();
    const std::uint64_t handed_in = commands_.published();
    // `handed_in` was loaded last, so it may be ahead of the others by more than the capacity.
    const auto behind = [&](std::uint64_t count) {
      return std::min<std::uint64_t>(handed_in - count, commands_.capacity());
    };
    status.sequence = sequence_before_ + done;
    status.backlog = behind(done);
    status.unread = reports_.size();
    if (wanted_bytes_ == 0) return status;
    status.journal_lag = behind(journaled);
    status.sync_nanoseconds = counters_.sync_nanoseconds.load(std::memory_order_relaxed);
    status.segment_left = counters_.segment_left.load(std::memory_order_relaxed);
    status.wanted_bytes = wanted_bytes_;
    const FileResult free = journal_->free_room();
    if (free >= 0) status.free_bytes = static_cast<std::uint64_t>(free);
    return status;
  }

  /// The machine, such as books and their streams; while the thread does not run.
  [[nodiscard]] const M& books() const noexcept { return machine_; }
  /// The book of that number of a matcher, if there is one, for its queries; while the thread does not run.
  [[nodiscard]] auto book(BookNumber number) const noexcept
    requires requires(const M& machine) { machine.book(); }
  {
    return machine_.book().book(number);
  }
  /// How many commands have been done, including those before a restart; while the thread does not run.
  [[nodiscard]] std::uint64_t sequence() const noexcept { return sequence_; }

  /// What was found when the engine was made.
  [[nodiscard]] const RecoverySummary& recovery() const noexcept { return recovery_; }
  /// The directory of its journal, for error messages; empty without one.
  [[nodiscard]] const std::string& journal_directory() const noexcept { return directory_; }
  /// Why the journal has failed, if the state says so. It holds every command reported, and maybe later ones.
  [[nodiscard]] JournalError journal_error() const noexcept {
    return journal_ ? journal_->failure() : JournalError{};
  }

 private:
  /// How many commands are taken at a time: all, if one sync covers them; else what fits the second-level cache.
  [[nodiscard]] static std::size_t most_at_a_time(const Config& config) noexcept {
    const bool waits_for_disk = config.journal.durability == Durability::Machine;
    return waits_for_disk && !config.journal.directory.empty() ? config.commands : 262'144 / sizeof(Record);
  }

  /// Only the reader's thread begins to attach, and only the engine's ends it.
  enum class Reader : std::uint8_t { Attached, Detached, Attaching };

  /// Writes to the ring of reports while there is a reader.
  class ReportRing final : public BasicReportTarget<Report> {
   public:
    explicit ReportRing(Engine& engine) noexcept : engine_(engine) {}

    [[nodiscard]] std::span<Report> room() noexcept override {
      if (!engine_.disconnected()) {
        const std::span<Report> free = claim();
        if (!free.empty()) return free;
        Reader attached = Reader::Attached;  // and not one that attaches again
        (void)engine_.reader_.compare_exchange_strong(attached, Reader::Detached);
        engine_.reports_.wake();
      }
      return nobody_.room();
    }
    void take(std::size_t written) noexcept override {
      if (!engine_.disconnected()) engine_.reports_.publish(written);
    }

   private:
    [[nodiscard]] std::span<Report> claim() noexcept {
      Ring<Report, Wait>& ring = engine_.reports_;
      if (engine_.slow_reader_ == SlowReader::Disconnect) return ring.claim(ring.capacity());
      return ring.wait_claim(ring.capacity(), [this] { return engine_.disconnected(); });
    }

    Engine& engine_;
    BasicNoReports<Report> nobody_;
  };

  /// How many bytes its disk should have free: see `EngineStatus`.
  [[nodiscard]] static std::uint64_t wanted_bytes(const Config& config) noexcept {
    if (config.journal.directory.empty() || config.journal.durability == Durability::None) return 0;
    return 2 * (record_offset<Record>(config.journal.segment_records) +
                std::min(config.journal.reserve, JournalConfig::reserve_max));
  }

  Engine(M&& books, std::optional<JournalWriter<Files, Record>>&& journal, const RecoverySummary& recovery,
         Ring<Record, Wait>&& commands, Ring<Report, Wait>&& reports, Config&& config) noexcept
      : commands_(std::move(commands)),
        reports_(std::move(reports)),
        slow_reader_(config.slow_reader),
        most_at_a_time_(most_at_a_time(config)),
        times_syncs_(config.journal.durability == Durability::Machine),
        wanted_bytes_(wanted_bytes(config)),
        directory_(std::move(config.journal.directory)),
        sequence_before_(journal ? journal->next_sequence() - 1 : 0),
        recovery_(recovery),
        machine_(std::move(books)),
        journal_(std::move(journal)),
        sequence_(sequence_before_) {
    if (journal_) counters_.segment_left.store(journal_->segment_left(), std::memory_order_relaxed);
  }

  /// Takes no more commands. An engine that was not started has ended then.
  void close() noexcept {
    closed_.store(true, std::memory_order_release);
    commands_.wake();
    EngineState ready = EngineState::Ready;
    if (state_.compare_exchange_strong(ready, EngineState::Stopped)) end(EngineState::Stopped);
  }

  [[nodiscard]] bool becomes_running() noexcept {
    EngineState ready = EngineState::Ready;
    return state_.compare_exchange_strong(ready, EngineState::Running);
  }

  void work() noexcept {
    ReportRing target(*this);
    bool closed = false;
    const auto called = [&] {
      closed = closed_.load(std::memory_order_acquire);
      return closed || reader_.load(std::memory_order_acquire) == Reader::Attaching;
    };
    while (true) {
      const std::span<Record> records = commands_.wait_readable(most_at_a_time_, called);
      if (records.empty()) {
        if (closed) return end(EngineState::Stopped);
        attach_before(sequence_ + 1);
        continue;
      }
      if (!log(records)) return end(EngineState::JournalFailed);
      apply(records, target);
    }
  }

  /// Numbers commands and writes them to the journal, if there is one.
  [[nodiscard]] bool log(std::span<Record> records) noexcept {
    if (journal_) {
      stamp(records, sequence_ + 1);
      if (!append(records)) return false;
      sequence_ += records.size();
      counters_.journaled.store(sequence_ - sequence_before_, std::memory_order_relaxed);
      counters_.segment_left.store(journal_->segment_left(), std::memory_order_relaxed);
    } else {
      for (Record& record : records) record.sequence = ++sequence_;
    }
    return true;
  }

  /// Writes to the journal. The clock is read only where a sync takes far longer.
  [[nodiscard]] bool append(std::span<const Record> records) noexcept {
    if (!times_syncs_) return journal_->append(records) == AppendStatus::Success;
    const auto begin = std::chrono::steady_clock::now();
    const bool appended = journal_->append(records) == AppendStatus::Success;
    const std::chrono::nanoseconds taken = std::chrono::steady_clock::now() - begin;
    counters_.sync_nanoseconds.store(static_cast<std::uint64_t>(taken.count()), std::memory_order_relaxed);
    return appended;
  }

  /// Applies commands in blocks, so that the reports of the first ones need not wait for the last.
  void apply(std::span<Record> records, BasicReportTarget<Report>& target) noexcept {
    while (!records.empty()) {
      attach_before(records.front().sequence);
      const std::size_t size = std::min(records.size(), BookSet::block);
      machine_.apply(records.first(size), target);
      commands_.release(size);
      records = records.subspan(size);
    }
  }

  /// Takes a reader that attaches. The thread of the engine is between two commands, and has given all reports of
  /// those before `first` to the ring or to nobody.
  void attach_before(std::uint64_t first) noexcept {
    Reader attaching = Reader::Attaching;
    if (reader_.load(std::memory_order_relaxed) != attaching) return;
    attached_at_.store(first, std::memory_order_relaxed);
    (void)reader_.compare_exchange_strong(attaching, Reader::Attached);
  }

  /// Lets `stop` return last: its caller may then destroy the engine.
  void end(EngineState state) noexcept {
    closed_.store(true, std::memory_order_release);
    state_.store(state, std::memory_order_release);
    commands_.wake();
    reports_.wake();
    ended_.store(true, std::memory_order_release);
    ended_.notify_all();
  }

  // What the threads share, and none of them writes often.
  Ring<Record, Wait> commands_;
  Ring<Report, Wait> reports_;
  SlowReader slow_reader_;
  std::size_t most_at_a_time_;
  bool times_syncs_;
  std::uint64_t wanted_bytes_;
  std::string directory_;          ///< of the journal
  std::uint64_t sequence_before_;  ///< of the last command before those of this engine
  std::atomic<EngineState> state_ = EngineState::Ready;
  std::atomic<bool> closed_ = false;  ///< takes no more commands
  std::atomic<bool> ended_ = false;   ///< the engine is touched by its own thread no more
  std::atomic<Reader> reader_ = Reader::Attached;
  std::atomic<std::uint64_t> attached_at_ = 0;  ///< the first command of the reader that attached last
  RecoverySummary recovery_;
  pthread_t thread_{};
  bool has_thread_ = false;

  // What is the engine's own while its thread runs, apart from what the others read.
  alignas(bytes_apart) M machine_;
  std::optional<JournalWriter<Files, Record>> journal_;
  std::uint64_t sequence_;  ///< of the last command

  /// What the engine's thread stores once for each write to the journal, apart from what it uses itself.
  struct alignas(bytes_apart) Counters {
    std::atomic<std::uint64_t> journaled = 0;  ///< how many commands of this engine
    std::atomic<std::uint64_t> sync_nanoseconds = 0;
    std::atomic<std::uint64_t> segment_left = 0;
  };
  Counters counters_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
