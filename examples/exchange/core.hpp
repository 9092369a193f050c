// SPDX-License-Identifier: MIT
//
// The engine and the gateway: what clients send is taken until nothing waits, then written to the journal in one
// piece, done, and told. So no answer leaves before its command is kept. Both work in the thread of the caller, or
// the engine in its own, which gets a batch while the gateway collects the next. The caller does the same for
// either: `step` until `is_busy` is false.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "entry.hpp"
#include "exchange.hpp"
#include "gateway.hpp"
#include "llmes/engine.hpp"
#include "outcome.hpp"
#include "protocol.hpp"
#include "users.hpp"

namespace exchange {

/// How the thread of an engine waits: asleep once nothing has come for a moment, or busy all the time. That is one
/// for the process, as cores are.
class EngineWait : public llmes::BlockWait {
 public:
  static inline std::atomic<bool> spins = false;

  template <std::predicate Condition>
  void wait(const Condition& condition) noexcept {
    if (spins.load(std::memory_order_relaxed)) return llmes::SpinWait{}.wait(condition);
    llmes::BlockWait::wait(condition);
  }
};

/// Why a journal fails, in words for who runs a program that makes no snapshots and has flags.
[[nodiscard]] inline std::string journal_words(const llmes::JournalError& error, std::string_view directory) {
  if (error.code != llmes::JournalCode::NoRoom) return to_string(error, directory);
  return std::string(directory) + ": the disk has " + std::to_string(error.found) + " bytes left, and " +
         std::string(error.file.text()) + " needs " + std::to_string(error.expected) +
         ": free some, or start with fewer --segment-records";
}

class Core {
  using Engine = llmes::Engine<Exchange, EngineWait>;

  /// Gives outcomes to the gateway.
  class Target final : public llmes::BasicReportTarget<Outcome> {
   public:
    explicit Target(Core& core) : core_(core), room_(1'024) {}
    [[nodiscard]] std::span<Outcome> room() noexcept override { return room_; }
    void take(std::size_t written) noexcept override {
      for (const Outcome& outcome : std::span(room_).first(written)) core_.take(outcome);
    }

   private:
    Core& core_;
    std::vector<Outcome> room_;
  };

  /// Keeps questions away while the exchange is at work, and says when there are answers. Nothing but `apply`
  /// touches an exchange while its engine runs, so between two of them it may be asked.
  class AtWork final : public ExchangeWatcher {
   public:
    void begins() noexcept override { machine.lock(); }
    void told() noexcept override {
      if (wake) wake();
    }
    void ends() noexcept override {
      machine.unlock();
      told();
    }

    std::mutex machine;
    std::function<void()> wake;
  };

 public:
  struct Config {
    ExchangeConfig exchange{};
    llmes::JournalConfig journal{};
    std::vector<Protocol> protocols{};
    bool has_thread = false;  ///< of the engine: see `start`
  };

  /// Makes an engine on the journal, and a gateway that has been told all of it; or nothing, and `wrong` says why.
  [[nodiscard]] static std::unique_ptr<Core> create(const Config& config, const std::vector<User>& users,
                                                    std::string& wrong) {
    auto at_work = std::make_unique<AtWork>();
    ExchangeConfig watched = config.exchange;
    watched.watcher = config.has_thread ? at_work.get() : nullptr;
    llmes::EngineError error;
    auto engine = Engine::create({.books = watched,
                                  .commands = config.has_thread ? 4'096u : 1'024u,
                                  .reports = config.has_thread ? 4'096u : 2u,
                                  .journal = config.journal},
                                 error);
    if (!engine) {
      wrong = error.journal.code == llmes::JournalCode::NoRoom ? journal_words(error.journal, error.directory)
                                                               : to_string(error);
      if (error.journal.code == llmes::JournalCode::Locked) wrong += ". It may still be stopping: try again";
      return nullptr;
    }
    std::unique_ptr<Core> core(new Core(std::move(at_work), std::move(engine), config, users));
    const std::uint64_t next = core->engine_->recovery().journal.next_sequence;
    if (next <= 1) return core;
    llmes::JournalError failed;
    const auto replay =
        llmes::ReportReplay<Exchange>::create(config.journal.directory, config.exchange, 1, failed);
    if (replay) failed = replay->tell(core->target_, next - 1);
    core->done_before_ = std::exchange(core->done_, 0);
    if (!failed) return core;
    wrong = journal_words(failed, config.journal.directory);
    return nullptr;
  }

  ~Core() { stop(); }
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  [[nodiscard]] Gateway& gateway() noexcept { return gateway_; }
  /// Asks the exchange, between two pieces of its work.
  template <class Question>
  auto ask(Question&& question) {
    std::unique_lock lock(at_work_->machine, std::try_to_lock);
    while (!lock.owns_lock()) {
      keep();  // it may wait for room to tell
      std::this_thread::yield();
      (void)lock.try_lock();
    }
    return question(std::as_const(*engine_).books());
  }
  [[nodiscard]] llmes::EngineStatus status() const noexcept { return engine_->status(); }
  /// How the journal ended, if that needs somebody's look: what a failure has cut short, or what else may have
  /// taken acknowledged commands. Else nothing.
  [[nodiscard]] std::string journal_end() const {
    const llmes::JournalSummary& found = engine_->recovery().journal;
    if (found.is_whole()) return {};
    std::string words(engine_->journal_directory());
    words += ": " + to_string(found);
    if (!found.full_file.text().empty())
      words += "; " + std::string(found.full_file.text()) +
               " is full and no segment follows. That is as it should be if nothing came after its last record; "
               "else bring the next ones back";
    return words;
  }
  /// How many commands of clients and of the exchange itself are in the journal, and told.
  [[nodiscard]] std::uint64_t commands() const noexcept { return done_before_ + done_; }

  /// Gives the engine its thread, until `stop`; before that each step does what was sent.
  /// @param wake is called there when a step may bring something, if there is one: from then on this Core is still
  /// used in one thread alone
  /// @return false if there is no thread for it, or if the config had none
  [[nodiscard]] bool start(bool spins, std::function<void()> wake = {}) {
    if (at_work_->wake || is_running_) return false;
    EngineWait::spins = spins;
    at_work_->wake = std::move(wake);
    return is_running_ = has_thread_ && engine_->start();
  }
  /// Ends that, once what was handed over is done.
  void stop() {
    if (!is_running_) return;
    while (handed_over_ > done_ && engine_->state() == llmes::EngineState::Running) {
      if (!tell()) std::this_thread::yield();
    }
    engine_->stop();
    (void)tell();
    is_running_ = false;
  }

  /// Whether a batch is at work: what is sent now is handed over once it is done.
  [[nodiscard]] bool is_busy() const noexcept { return is_busy_; }
  /// Hands over what was sent and, without a thread, does it and tells it. While a batch is at work: tells what
  /// that has brought so far. @return false if the journal has failed: nothing can be done any more
  [[nodiscard]] bool step() {
    const bool was_busy = is_busy_;
    if (is_running_) (void)tell();
    if (!was_busy) hand_over();
    if (!is_running_ && handed_over_ > done_) failed_ = !engine_->step(target_) || failed_;
    if (is_running_ && engine_->state() != llmes::EngineState::Running) failed_ = true;
    is_busy_ = handed_over_ > done_;
    if (!failed_ && std::exchange(said_done_, done_) != done_) gateway_.set_done(done_);
    return !failed_;
  }
  /// Why it has failed.
  [[nodiscard]] std::string failure() const {
    return journal_words(engine_->journal_error(), engine_->journal_directory());
  }

  /// Lists symbols that are new, sets the limits of accounts, and begins the first day. Call it before `start`.
  [[nodiscard]] bool open(const std::vector<SymbolLine>& symbols, const std::vector<User>& users) {
    const auto operate = [this](VenueCommand command) {
      Entry record;
      record.command = command;
      gateway_.submit(record);
      return step();
    };
    const bool first_day = gateway_.day() == 0;
    for (const SymbolLine& symbol : symbols) {
      const ListedSymbol* const known = gateway_.find(symbol.name);
      const auto book = known != nullptr ? known->book : static_cast<BookNumber>(gateway_.symbols().size());
      const bool listed = known != nullptr || operate({.id = pack_symbol(symbol.name),
                                                       .price = static_cast<Price>(symbol.tick),
                                                       .quantity = symbol.lot,
                                                       .book = book,
                                                       .type = VenueCommandType::SetSymbol});
      if (!listed) return false;
      const auto reference = static_cast<Price>(symbol.reference / symbol.tick);
      const bool changed =
          ask([&](const Exchange& it) { return it.venue().symbol(book)->reference != reference; });
      if (changed && !operate({.price = reference, .book = book, .type = VenueCommandType::SetReference}))
        return false;  // where the book has traded, the last price counts
      const bool opens = known == nullptr && !first_day;
      if (opens && !operate({.book = book, .type = VenueCommandType::SetPhase, .phase = Phase::Continuous}))
        return false;
    }
    for (const User& user : users) {
      llmes::AccountLimits limits = user.limits;
      limits.message_burst = 1;  // these the gateway counts, before the journal
      limits.message_interval = 0;
      if (!operate(VenueCommand::set_limits(user.account, limits, 0))) return false;
    }
    return !first_day || begin_day();
  }
  /// A start is the disconnect of all who were there before it: who does not come back within `grace`, and wants
  /// that, has its orders cancelled. Call it after `open`. @return false if the journal has failed
  [[nodiscard]] bool wait_for_clients(Nanoseconds grace) {
    gateway_.wait_for_clients(grace);
    return step();
  }
  /// After the batch at work, if there is one.
  [[nodiscard]] bool begin_day() {
    Entry record;
    record.sender.type = EntryType::NewDay;
    gateway_.submit(record);
    return is_busy_ ? !failed_ : step();
  }

 private:
  Core(std::unique_ptr<AtWork> at_work, std::unique_ptr<Engine> engine, const Config& config,
       const std::vector<User>& users)
      : has_thread_(config.has_thread),
        at_work_(std::move(at_work)),
        engine_(std::move(engine)),
        gateway_(
            users, views_of(config.protocols), [this](const Entry& record) { submit(record); },
            [this](const auto& to) { return ask([&to](const Exchange& it) { return it.snapshot(to); }); }),
        target_(*this) {}

  [[nodiscard]] static std::vector<MakeView> views_of(const std::vector<Protocol>& protocols) {
    std::vector<MakeView> views;
    for (const Protocol& protocol : protocols) {
      if (protocol.make_view != nullptr) views.push_back(protocol.make_view);
    }
    return views;
  }

  void submit(const Entry& entry) {
    for (const llmes::PartRecord& record : EntryRecords::of(entry, records_)) put(record);
    ++submitted_;
  }
  /// Writes a record into the ring of the engine. Only if that is full does the engine begin before the next step.
  void put(const llmes::PartRecord& record) {
    std::span<llmes::PartRecord> room = engine_->claim(claimed_ + 1);
    while (room.size() <= claimed_ && !failed_) {
      hand_over();
      room = engine_->claim(1);
      if (!room.empty()) break;
      if (is_running_) {
        keep();
        std::this_thread::yield();
        failed_ = engine_->state() != llmes::EngineState::Running;
      } else {
        failed_ = !engine_->step(target_);
      }
      room = engine_->claim(1);
    }
    if (!failed_) room[claimed_++] = record;
  }
  void hand_over() noexcept {
    engine_->publish(std::exchange(claimed_, 0));
    handed_over_ += std::exchange(submitted_, 0);
  }

  void take(const Outcome& outcome) {
    if (outcome.kind == OutcomeKind::Done) ++done_;
    gateway_.take(outcome);
  }
  /// Gives `to` what the thread of the engine has told so far, span by span. @return whether there was anything
  [[nodiscard]] bool drain(const auto& to) {
    bool any = false;
    for (std::span<const Outcome> some = engine_->reports(reports_at_once); !some.empty();
         some = engine_->reports(reports_at_once)) {
      to(some);
      engine_->release(some.size());
      any = true;
    }
    return any;
  }
  /// Takes what the thread of the engine has told so far, and keeps it for `tell`.
  void keep() {
    (void)drain([this](std::span<const Outcome> some) { kept_.insert(kept_.end(), some.begin(), some.end()); });
  }
  /// Gives the gateway what the thread of the engine has told so far. @return whether there was anything
  bool tell() {
    const bool had_kept = !kept_.empty();
    const auto take_all = [this](std::span<const Outcome> some) {
      for (const Outcome& outcome : some) take(outcome);
    };
    take_all(std::exchange(kept_, {}));
    return drain(take_all) || had_kept;
  }

  static constexpr std::size_t reports_at_once = 1'024;

  bool has_thread_;
  std::unique_ptr<AtWork> at_work_;  ///< outlives the engine
  std::unique_ptr<Engine> engine_;
  Gateway gateway_;
  Target target_;
  EntryRecords::Room records_;     ///< for those of one entry
  std::size_t claimed_ = 0;        ///< records in the ring that are not handed over
  std::uint64_t submitted_ = 0;    ///< entries, of which that is not
  std::uint64_t handed_over_ = 0;  ///< entries, so far
  std::uint64_t done_ = 0;         ///< of them, and told
  std::uint64_t done_before_ = 0;  ///< by engines before
  std::uint64_t said_done_ = 0;    ///< to the gateway
  std::vector<Outcome> kept_;      ///< told by the thread of the engine, and not to the gateway
  bool is_busy_ = false;
  bool is_running_ = false;
  bool failed_ = false;
};

}  // namespace exchange
