// SPDX-License-Identifier: MIT
//
// A strategy behind virtual functions, so that one simulator of each kind of impact runs those of any language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "llmes/simulator.hpp"

namespace llmes::python {

/// A `Desk` of any impact.
class AnyDesk {
 public:
  virtual Sent add(BookNumber book, Side side, Price price, Quantity lots, TimeInForce time_in_force,
                   std::uint64_t tag) = 0;
  virtual Sent add_market(BookNumber book, Side side, Quantity lots, std::uint64_t tag) = 0;
  virtual SendStatus modify(OwnOrderId order, Price price, Quantity lots) = 0;
  virtual SendStatus cancel(OwnOrderId order) = 0;
  virtual SendStatus subscribe(BookNumber book, std::size_t levels) = 0;
  virtual void wake_at(Nanoseconds time, std::uint64_t tag) = 0;
  [[nodiscard]] virtual Nanoseconds now() const = 0;
  [[nodiscard]] virtual const MarketView& view(BookNumber book) const = 0;
  [[nodiscard]] virtual std::int64_t position(BookNumber book) const = 0;
  [[nodiscard]] virtual Amount cash() const = 0;
  [[nodiscard]] virtual KnownOrder order(OwnOrderId order) const = 0;
  [[nodiscard]] virtual std::span<const OwnOrderId> open_orders() const = 0;

 protected:
  ~AnyDesk() = default;
};

/// What a simulator calls. No exception may leave these.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual void on_start(AnyDesk& desk) = 0;
  virtual void on_market(AnyDesk& desk, BookNumber book) = 0;
  virtual void on_trade(AnyDesk& desk, const MarketTrade& trade) = 0;
  virtual void on_answer(AnyDesk& desk, const Answer& answer) = 0;
  virtual void on_fill(AnyDesk& desk, const OwnFill& fill) = 0;
  virtual void on_timer(AnyDesk& desk, std::uint64_t tag) = 0;

  /// From now on nothing of the strategy is called, and it is let go.
  virtual void release() = 0;
  /// Throws what went wrong in a call, once. Such a call has ended the run.
  virtual void check() = 0;
};

/// The strategy of a `Simulator`: a reference to one of the above.
class StrategyCalls {
 public:
  explicit StrategyCalls(Strategy& strategy) : strategy_(&strategy) {}

  void on_start(auto& desk) { call(desk, &Strategy::on_start); }
  void on_market(auto& desk, BookNumber book) { call(desk, &Strategy::on_market, book); }
  void on_trade(auto& desk, const MarketTrade& trade) { call(desk, &Strategy::on_trade, trade); }
  void on_answer(auto& desk, const Answer& answer) { call(desk, &Strategy::on_answer, answer); }
  void on_fill(auto& desk, const OwnFill& fill) { call(desk, &Strategy::on_fill, fill); }
  void on_timer(auto& desk, std::uint64_t tag) { call(desk, &Strategy::on_timer, tag); }

 private:
  template <class Impact>
  class DeskOf final : public AnyDesk {
   public:
    explicit DeskOf(Desk<Impact>& desk) : desk_(desk) {}
    Sent add(BookNumber book, Side side, Price price, Quantity lots, TimeInForce time_in_force,
             std::uint64_t tag) override {
      return desk_.add(book, side, price, lots, time_in_force, tag);
    }
    Sent add_market(BookNumber book, Side side, Quantity lots, std::uint64_t tag) override {
      return desk_.add_market(book, side, lots, tag);
    }
    SendStatus modify(OwnOrderId order, Price price, Quantity lots) override {
      return desk_.modify(order, price, lots);
    }
    SendStatus cancel(OwnOrderId order) override { return desk_.cancel(order); }
    SendStatus subscribe(BookNumber book, std::size_t levels) override { return desk_.subscribe(book, levels); }
    void wake_at(Nanoseconds time, std::uint64_t tag) override { desk_.wake_at(time, tag); }
    [[nodiscard]] Nanoseconds now() const override { return desk_.now(); }
    [[nodiscard]] const MarketView& view(BookNumber book) const override { return desk_.view(book); }
    [[nodiscard]] std::int64_t position(BookNumber book) const override { return desk_.position(book); }
    [[nodiscard]] Amount cash() const override { return desk_.cash(); }
    [[nodiscard]] KnownOrder order(OwnOrderId order) const override { return desk_.order(order); }
    [[nodiscard]] std::span<const OwnOrderId> open_orders() const override { return desk_.open_orders(); }

   private:
    Desk<Impact>& desk_;
  };

  template <class Impact, class... Parameters, class... Arguments>
  void call(Desk<Impact>& desk, void (Strategy::*member)(AnyDesk&, Parameters...), const Arguments&... arguments) {
    DeskOf<Impact> any(desk);
    (strategy_->*member)(any, arguments...);
  }

  Strategy* strategy_;
};

}  // namespace llmes::python
