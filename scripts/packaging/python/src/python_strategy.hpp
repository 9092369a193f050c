// SPDX-License-Identifier: MIT
//
// A strategy written in Python, and what it is given.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "strategy.hpp"
#include "tape.hpp"

namespace llmes::python {

/// What all strategies of a run have in common: the names of its books as Python has them.
struct PythonNames {
  std::vector<nanobind::object> symbols{};  ///< by number
  nanobind::dict numbers{};                 ///< by symbol
  Price step = 1;

  explicit PythonNames(const Selection& selection);
  /// Throws for a symbol that the run does not have.
  [[nodiscard]] BookNumber number_of(nanobind::handle symbol) const;
  /// A price of the file in ticks. Throws std::invalid_argument for one between two ticks.
  [[nodiscard]] Price tick_of(Price price) const;
};

/// `llmes.Desk`: works while one of the strategy's methods runs.
class PythonDesk {
 public:
  explicit PythonDesk(const PythonNames& names) : names_(names) {}

  void open(AnyDesk* desk) noexcept { desk_ = desk; }
  [[nodiscard]] AnyDesk& get() const;
  [[nodiscard]] const PythonNames& names() const noexcept { return names_; }

 private:
  PythonNames names_;
  AnyDesk* desk_ = nullptr;
};

/// Calls the methods that an object has. An exception of one ends the run; the caller of the run raises it.
class PythonStrategy final : public Strategy {
 public:
  /// @param stop is called after an exception
  PythonStrategy(nanobind::object strategy, const PythonNames& names, std::function<void()> stop);

  void on_start(AnyDesk& desk) override;
  void on_market(AnyDesk& desk, BookNumber book) override;
  void on_trade(AnyDesk& desk, const MarketTrade& trade) override;
  void on_answer(AnyDesk& desk, const Answer& answer) override;
  void on_fill(AnyDesk& desk, const OwnFill& fill) override;
  void on_timer(AnyDesk& desk, std::uint64_t tag) override;

  void release() override;
  void check() override;

 private:
  template <class Arguments>
  void call(AnyDesk& desk, const nanobind::object& method, const Arguments& arguments) noexcept;

  nanobind::object desk_;  ///< a PythonDesk
  nanobind::object start_, market_, trade_, answer_, fill_, timer_;
  std::function<void()> stop_;
  std::exception_ptr error_;
};

}  // namespace llmes::python
