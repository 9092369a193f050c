// SPDX-License-Identifier: MIT
//
// The engine and the gateway in one thread: what clients send is taken until nothing waits, then written to the
// journal in one piece, done, and told. So no answer leaves before its command is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
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
        {.books = config.exchange, .commands = 4'096, .reports = 2, .journal = config.journal}, error);
    if (!engine) {
      wrong = to_string(error);
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
  [[nodiscard]] const Exchange& exchange() const noexcept { return engine_->books(); }
  [[nodiscard]] llmes::EngineStatus status() const noexcept { return engine_->status(); }

  /// Does what was sent. @return false if the journal has failed: nothing can be done any more
  [[nodiscard]] bool step() {
    if (!waits_) return !failed_;
    waits_ = false;
    failed_ = failed_ || !engine_->step(target_);
    gateway_.has_waiting = failed_;
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
      if (gateway_.find(symbol.name) != nullptr) continue;
      const auto book = static_cast<BookNumber>(gateway_.symbols().size());
      const bool listed = operate({.id = pack_symbol(symbol.name),
                                   .price = static_cast<Price>(symbol.tick),
                                   .quantity = symbol.lot,
                                   .book = book,
                                   .type = VenueCommandType::SetSymbol}) &&
                          operate({.price = static_cast<Price>(symbol.reference / symbol.tick),
                                   .book = book,
                                   .type = VenueCommandType::SetReference});
      if (!listed) return false;
      if (!first_day && !operate({.book = book, .type = VenueCommandType::SetPhase, .phase = Phase::Continuous}))
        return false;
    }
    for (const User& user : users) {
      if (!operate(VenueCommand::set_limits(user.account, user.limits, 0))) return false;
    }
    return !first_day || begin_day();
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
            [this](const auto& to) { return engine_->books().snapshot(to); }),
        target_(gateway_) {}

  void submit(const EntryRecord& record) {
    if (engine_->submit(record) == llmes::SubmitStatus::Full) {
      failed_ = failed_ || !engine_->step(target_);
      (void)engine_->submit(record);
    }
    waits_ = true;
  }

  std::unique_ptr<Engine> engine_;
  Gateway gateway_;
  Target target_;
  bool waits_ = false;
  bool failed_ = false;
};

}  // namespace exchange
