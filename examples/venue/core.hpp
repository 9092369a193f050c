// SPDX-License-Identifier: MIT
//
// The engine and the gateway: what clients send is taken until nothing waits, then written to the journal in one
// piece, done, and told. So no answer leaves before its command is kept. Both work in one thread, or the engine in
// one of its own, which gets a batch while the gateway collects the next.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "entry.hpp"
#include "exchange.hpp"
#include "gateway.hpp"
#include "llmes/engine.hpp"
#include "outcome.hpp"
#include "users.hpp"

namespace exchange {

class Core {
  using Engine = llmes::Engine<Exchange, llmes::YieldWait>;

  /// Keeps outcomes for the thread of the gateway.
  class Kept final : public llmes::BasicReportTarget<Outcome> {
   public:
    [[nodiscard]] std::span<Outcome> room() noexcept override { return room_; }
    void take(std::size_t written) noexcept override {
      all.insert(all.end(), room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(written));
    }
    std::vector<Outcome> all;

   private:
    std::vector<Outcome> room_ = std::vector<Outcome>(64);
  };

  /// Gives outcomes to the gateway.
  class Target final : public llmes::BasicReportTarget<Outcome> {
   public:
    explicit Target(Gateway& gateway) : gateway_(gateway), room_(1'024) {}
    [[nodiscard]] std::span<Outcome> room() noexcept override { return room_; }
    void take(std::size_t written) noexcept override {
      for (const Outcome& outcome : std::span(room_).first(written)) gateway_.take(outcome);
    }

   private:
    Gateway& gateway_;
    std::vector<Outcome> room_;
  };

 public:
  struct Config {
    ExchangeConfig exchange{};
    llmes::JournalConfig journal{};
  };

  /// Makes an engine on the journal, and a gateway that has been told all of it; or nothing, and `wrong` says why.
  [[nodiscard]] static std::unique_ptr<Core> create(const Config& config, const std::vector<User>& users,
                                                    std::string& wrong) {
    llmes::EngineError error;
    auto engine = Engine::create(
        {.books = config.exchange, .commands = 256, .reports = 2, .journal = config.journal}, error);
    if (!engine) {
      wrong = to_string(error);
      if (error.journal.code == llmes::JournalCode::Locked) wrong += ". It may still be stopping: try again";
      return nullptr;
    }
    std::unique_ptr<Core> core(new Core(std::move(engine), users));
    const std::uint64_t next = core->engine_->recovery().journal.next_sequence;
    if (next <= 1) return core;
    llmes::JournalError failed;
    const auto replay =
        llmes::ReportReplay<Exchange>::create(config.journal.directory, config.exchange, 1, failed);
    if (replay) failed = replay->tell(core->target_, next - 1);
    if (!failed) return core;
    wrong = to_string(failed, config.journal.directory);
    return nullptr;
  }

  [[nodiscard]] Gateway& gateway() noexcept { return gateway_; }
  /// Asks the exchange, between two batches.
  template <class Question>
  auto ask(Question&& question) const {
    const std::lock_guard lock(machine_);
    return question(engine_->books());
  }
  [[nodiscard]] llmes::EngineStatus status() const noexcept { return engine_->status(); }

  /// Gives the engine a thread of its own, until `stop_thread`.
  /// @param post runs a function in the thread of the gateway, soon
  /// @param on_done is called there when a batch is done and told
  void start_thread(bool spins, std::function<void(std::function<void()>)> post, std::function<void()> on_done) {
    post_ = std::move(post);
    on_done_ = std::move(on_done);
    thread_ = std::thread([this, spins] { work(spins); });
  }
  void stop_thread() {
    if (!thread_.joinable()) return;
    while (order_.load() == Order::Work) std::this_thread::yield();
    order_.store(Order::Stop);
    order_.notify_one();
    thread_.join();
  }
  ~Core() { stop_thread(); }
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  /// Whether a batch is at work: a step would do nothing.
  [[nodiscard]] bool is_busy() const noexcept { return is_busy_; }

  /// Does what was sent, or hands it to the thread. @return false if the journal has failed: nothing can be done
  /// any more
  [[nodiscard]] bool step() {
    if (!waits_ || is_busy_) return !failed_;
    waits_ = false;
    if (thread_.joinable()) {
      std::swap(batch_, at_work_);
      handed_over_ = gateway_.submitted();
      is_busy_ = true;
      order_.store(Order::Work);
      order_.notify_one();
      return !failed_;
    }
    failed_ = failed_ || !engine_->step(target_);
    if (!failed_) gateway_.set_done(gateway_.submitted());
    return !failed_;
  }
  /// Why it has failed.
  [[nodiscard]] std::string failure() const {
    return to_string(engine_->journal_error(), engine_->journal_directory());
  }

  /// Lists symbols that are new, sets the limits of accounts, and begins the first day.
  [[nodiscard]] bool open(const std::vector<SymbolLine>& symbols, const std::vector<User>& users) {
    const auto operate = [this](VenueCommand command) {
      EntryRecord record;
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
  [[nodiscard]] bool begin_day() {
    EntryRecord record;
    record.sender.type = EntryType::NewDay;
    gateway_.submit(record);
    return step();
  }

 private:
  Core(std::unique_ptr<Engine> engine, const std::vector<User>& users)
      : engine_(std::move(engine)),
        gateway_(
            users, [this](const EntryRecord& record) { submit(record); },
            [this](const auto& to) { return ask([&to](const Exchange& it) { return it.snapshot(to); }); }),
        target_(gateway_) {}

  void submit(const EntryRecord& record) {
    waits_ = true;
    if (thread_.joinable()) {
      batch_.push_back(record);
    } else {
      failed_ = !send(record, target_) || failed_;
    }
  }
  /// @return false if the journal has failed
  [[nodiscard]] bool send(const EntryRecord& record, llmes::BasicReportTarget<Outcome>& target) {
    if (engine_->submit(record) != llmes::SubmitStatus::Full) return true;
    const bool done = engine_->step(target);
    (void)engine_->submit(record);
    return done;
  }

  // ---- The thread of the engine.

  enum class Order : std::uint8_t { Wait, Work, Stop };

  void work(bool spins) {
    for (;;) {
      Order order = order_.load();
      for (; order == Order::Wait; order = order_.load()) {
        if (!spins) order_.wait(Order::Wait);
      }
      if (order == Order::Stop) return;
      bool done = true;
      {
        const std::lock_guard lock(machine_);
        for (const EntryRecord& record : at_work_) done = send(record, kept_) && done;
        done = engine_->step(kept_) && done;
      }
      at_work_.clear();
      order_.store(Order::Wait);
      post_([this, done] { tell(done); });
    }
  }
  /// In the thread of the gateway: the batch is done.
  void tell(bool done) {
    for (const Outcome& outcome : kept_.all) gateway_.take(outcome);
    kept_.all.clear();
    is_busy_ = false;
    failed_ = failed_ || !done;
    if (!failed_) gateway_.set_done(handed_over_);
    on_done_();
  }

  std::unique_ptr<Engine> engine_;
  Gateway gateway_;
  Target target_;
  bool waits_ = false;
  bool failed_ = false;

  // With a thread. A batch and its outcomes belong to the engine from the order to work until `tell` is posted.
  std::function<void(std::function<void()>)> post_;
  std::function<void()> on_done_;
  std::vector<EntryRecord> batch_;    ///< what is collected
  std::vector<EntryRecord> at_work_;  ///< what is done now
  Kept kept_;
  std::uint64_t handed_over_ = 0;  ///< records, so far
  bool is_busy_ = false;
  mutable std::mutex machine_;
  std::atomic<Order> order_ = Order::Wait;
  std::thread thread_;
};

}  // namespace exchange
