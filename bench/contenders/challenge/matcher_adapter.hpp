// SPDX-License-Identifier: MIT
//
// What an engine runs: a set of one book with its publisher, which takes records and writes reports of its own.
// These are read once, and become those of the challenge.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "bench/contenders/challenge/adapter.hpp"
#include "llmes/engine/journal/record.hpp"
#include "llmes/engine/matcher.hpp"
#include "llmes/engine/report.hpp"
#include "llmes/ids/hashed_ids.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/sets/book_set.hpp"

namespace llmes::challenge {

[[nodiscard]] inline Record record_of_message(const Request& request, std::uint64_t sequence) noexcept {
  Record record = record_of(BookRequest{request, 0}, 0);
  record.sequence = sequence;
  return record;
}

class MatcherAdapter {
  using Machine = Matcher<IdBook<BookSet, HashedIds>>;

 public:
  [[nodiscard]] static std::optional<MatcherAdapter> create() noexcept {
    std::optional<Machine> machine = Machine::create({.books = 1, .capacity = capacity});
    if (!machine) return {};
    return MatcherAdapter(*std::move(machine));
  }

  void apply(const Request& request, std::uint64_t sequence, const Reports& reports) noexcept {
    const Record record = record_of_message(request, sequence);
    apply({&record, 1}, reports);
  }
  void apply(std::span<const Record> records, const Reports& reports) noexcept {
    target_.begin(records, reports);
    machine_.apply(records, target_);
  }

  [[nodiscard]] auto book() const noexcept { return machine_.book().book(0); }

 private:
  /// Takes the reports of records.
  class Target final : public ReportTarget {
   public:
    void begin(std::span<const Record> records, const Reports& reports) noexcept {
      record_ = records.data();
      reports_ = &reports;
    }
    [[nodiscard]] std::span<Report> room() noexcept override { return room_; }
    void take(std::size_t written) noexcept override {
      for (const Report& report : std::span(room_).first(written)) {
        if (report.kind == ReportKind::Executed) {
          const Report::Fill& fill = report.fill;
          reports_->trade(report.sequence, fill.maker_id, record_->id, fill.price, fill.quantity);
        } else if (report.kind == ReportKind::Deleted) {
          const Report::Order& order = report.order;
          before_ = {order.handle, order.id, report.side, order.price, order.quantity};
        } else if (report.kind == ReportKind::Done) {
          reports_->answer(report.sequence, request_of(*record_), report.status, report.outcome.cancelled,
                           before_);
          ++record_;
        }
      }
    }

   private:
    std::array<Report, 64> room_;
    RestingOrder before_;
    const Record* record_ = nullptr;  ///< of the next reports
    const Reports* reports_ = nullptr;
  };

  explicit MatcherAdapter(Machine&& machine) noexcept : machine_(std::move(machine)) {}

  Machine machine_;
  Target target_;
};

}  // namespace llmes::challenge
