// SPDX-License-Identifier: MIT
//
// A strategy that is a C function, such as one of `numba.cfunc`: called without Python's lock. The structs are
// those of `llmes.EVENT` and `llmes.ACTION`.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "strategy.hpp"
#include "table.hpp"

namespace llmes::python {

/// What has happened. Prices are in units of the file, `Column::none` for none; times are nanoseconds.
struct AddressEvent {
  enum Type : std::uint8_t { Start, Market, Trade, Answer, Fill, Timer };

  std::uint64_t time = 0;             ///< now
  std::int64_t price = Column::none;  ///< of a trade or fill
  std::uint64_t lots = 0;
  std::int64_t bid = Column::none;  ///< of the book, as it has reached the strategy
  std::uint64_t bid_lots = 0;
  std::int64_t ask = Column::none;
  std::uint64_t ask_lots = 0;
  std::int64_t position = 0;       ///< in the book
  std::uint64_t tag = 0;           ///< of a timer or of the order
  std::uint32_t order = no_order;  ///< of an answer or fill
  std::uint32_t next_order = 0;    ///< the number that the next order sent gets
  std::uint32_t book = 0;          ///< by `run.symbols`
  Type type = Start;
  std::uint8_t side = 0;      ///< of a fill: of the own order; of a trade: of the maker; 0 buy, 1 sell
  std::uint8_t answer = 0;    ///< by `AnswerType`
  std::uint8_t is_maker = 0;  ///< of a fill
};
static_assert(sizeof(AddressEvent) == 88);

/// What to do.
struct AddressAction {
  enum Type : std::uint8_t { AddLimit, AddMarket, Modify, Cancel, Subscribe, WakeAt };

  std::int64_t price = 0;
  std::uint64_t lots = 0;  ///< of a subscription: levels
  std::uint64_t time = 0;  ///< of a timer
  std::uint64_t tag = 0;
  std::uint32_t order = 0;
  std::uint32_t book = 0;
  Type type = AddLimit;
  std::uint8_t side = 0;
  std::uint8_t time_in_force = 0;  ///< 0 gtc, 1 post_only, 2 ioc, 3 fok
  std::array<std::uint8_t, 5> unused{};
};
static_assert(sizeof(AddressAction) == 48);

class AddressStrategy final : public Strategy {
 public:
  static constexpr std::int64_t actions_max = 16;
  /// Writes what to do, and returns how many actions; below 0 ends the run.
  using Function = std::int64_t (*)(const AddressEvent*, AddressAction*, void* state);

  AddressStrategy(std::uintptr_t function, std::uintptr_t state, Price step, std::function<void()> stop)
      : function_(reinterpret_cast<Function>(function)),
        state_(reinterpret_cast<void*>(state)),
        step_(step),
        stop_(std::move(stop)) {}

  void on_start(AnyDesk& desk) override { call(desk, {.type = AddressEvent::Start}); }
  void on_market(AnyDesk& desk, BookNumber book) override {
    call(desk, {.book = book, .type = AddressEvent::Market});
  }
  void on_trade(AnyDesk& desk, const MarketTrade& trade) override {
    call(desk, {.price = trade.price * step_,
                .lots = trade.quantity,
                .book = trade.book,
                .type = AddressEvent::Trade,
                .side = static_cast<std::uint8_t>(trade.maker_side)});
  }
  void on_answer(AnyDesk& desk, const Answer& answer) override {
    const KnownOrder order = desk.order(answer.order);
    call(desk, {.tag = order.tag,
                .order = answer.order,
                .book = order.book,
                .type = AddressEvent::Answer,
                .answer = static_cast<std::uint8_t>(answer.type)});
  }
  void on_fill(AnyDesk& desk, const OwnFill& fill) override {
    const KnownOrder order = desk.order(fill.order);
    call(desk, {.price = fill.price * step_,
                .lots = fill.quantity,
                .tag = order.tag,
                .order = fill.order,
                .book = order.book,
                .type = AddressEvent::Fill,
                .side = static_cast<std::uint8_t>(fill.side),
                .is_maker = fill.is_maker()});
  }
  void on_timer(AnyDesk& desk, std::uint64_t tag) override {
    call(desk, {.tag = tag, .type = AddressEvent::Timer});
  }

  void release() override { function_ = nullptr; }
  void check() override {
    if (!error_.empty()) throw std::runtime_error(std::exchange(error_, {}));
  }

 private:
  void call(AnyDesk& desk, AddressEvent event) {
    if (function_ == nullptr) return;
    const MarketView& view = desk.view(event.book);
    const auto see = [&](Side side, std::int64_t& price, std::uint64_t& lots) {
      const DepthLevel best = view.best(side);
      if (best.quantity == 0) return;
      price = best.price * step_;
      lots = best.quantity;
    };
    see(Side::Buy, event.bid, event.bid_lots);
    see(Side::Sell, event.ask, event.ask_lots);
    event.time = desk.now();
    event.position = desk.position(event.book);
    event.next_order = sent_;
    std::array<AddressAction, actions_max> actions{};
    const std::int64_t count = function_(&event, actions.data(), state_);
    if (count > actions_max)
      return fail("the strategy returned " + std::to_string(count) + " actions; 16 at most");
    if (count < 0) return end();
    for (std::int64_t i = 0; i < count; ++i) {
      const SendStatus status = act(desk, actions[static_cast<std::size_t>(i)]);
      if (status != SendStatus::Success)
        return fail("an action of the strategy cannot be sent: " + std::string(to_string(status)));
    }
  }
  SendStatus act(AnyDesk& desk, const AddressAction& action) {
    const auto side = static_cast<Side>(action.side);
    const bool has_price = action.type == AddressAction::AddLimit || action.type == AddressAction::Modify;
    if (has_price && action.price % step_ != 0) return SendStatus::InvalidPrice;
    const auto sent = [this](const Sent& sent) {
      sent_ += sent.status == SendStatus::Success;
      return sent.status;
    };
    switch (action.type) {
      case AddressAction::AddLimit:
        return sent(desk.add(action.book, side, action.price / step_, action.lots,
                             static_cast<TimeInForce>(action.time_in_force), action.tag));
      case AddressAction::AddMarket: return sent(desk.add_market(action.book, side, action.lots, action.tag));
      case AddressAction::Modify: return desk.modify(action.order, action.price / step_, action.lots);
      case AddressAction::Cancel: return desk.cancel(action.order);
      case AddressAction::Subscribe: return desk.subscribe(action.book, action.lots);
      case AddressAction::WakeAt: desk.wake_at(action.time, action.tag); return SendStatus::Success;
    }
    return SendStatus::InvalidCommand;
  }
  void fail(std::string words) {
    error_ = std::move(words);
    end();
  }
  void end() {
    function_ = nullptr;
    stop_();
  }

  Function function_;
  void* state_;
  Price step_;
  std::function<void()> stop_;
  std::uint32_t sent_ = 0;
  std::string error_;
};

}  // namespace llmes::python
