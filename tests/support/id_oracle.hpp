// SPDX-License-Identifier: MIT
//
// What a book by ids must do, on top of the oracle: an order is found by looking at the id of each one that rests,
// and the room of an index is what its definition says.
#pragma once

#include <cstddef>
#include <vector>

#include "llmes/ids/id_book.hpp"
#include "tests/support/oracle.hpp"

namespace llmes::test {

// Whether an index of this configuration can hold `id`.

inline bool has_room(const DenseIds::Config& config, OrderId id) {
  return id >= config.first && id - config.first < config.count;
}
template <class Config>
bool has_room(const Config& /*config*/, OrderId /*id*/) {
  return true;
}

/// Whether a request that succeeded and left an order has made that order.
inline bool makes_order(const Request& request) {
  return (adds(request.type) && request.type != CommandType::AddMarket) || has_new_id(request.type);
}

template <class IndexConfig>
class IdOracle {
 public:
  IdOracle(const Oracle& oracle, const IndexConfig& ids) : oracle_(oracle), ids_(ids) {}

  /// What a request is answered with.
  struct Answer {
    Result result;
    std::vector<Trade> trades;
  };
  /// Takes the handle of an order that the request leaves from `given`, the book's result.
  Answer answer(const Request& request, const Result& given) {
    const Oracle::Outcome outcome = apply(request);
    const bool rests = outcome.remaining > 0;
    const bool made = rests && makes_order(request) && outcome.status == Status::Success;
    if (made) name_newest(given.handle);
    const OrderId id = made && has_new_id(request.type) ? request.new_id : request.id;
    const OrderHandle handle = rests ? handle_of(id) : OrderHandle{};
    return {{outcome.status, handle, outcome.filled, outcome.remaining, outcome.cancelled, outcome.kept_place},
            outcome.trades};
  }

  /// Whoever adds an order that comes to rest, tells its handle with `name_newest`.
  Oracle::Outcome apply(const Request& request) {
    const OrderHandle handle = handle_of(request.id);
    const bool may_rest = !has_time_in_force(request.type) ||
                          request.time_in_force == TimeInForce::GoodTillCancel ||
                          request.time_in_force == TimeInForce::PostOnly;
    Command command{{request.id, handle}, request.price, request.quantity,
                    request.type,         request.side,  request.time_in_force};
    switch (request.type) {
      case CommandType::AddLimit:
      case CommandType::AddResting:
        if (rests(request.id)) return rejected(Status::DuplicateId);
        if (may_rest && !has_room(ids_, request.id)) return rejected(Status::NoRoomForId);
        break;
      case CommandType::AddMarket:
        if (rests(request.id)) return rejected(Status::DuplicateId);
        break;
      case CommandType::Replace:
      case CommandType::ReplaceResting: {
        const OrderId id = command.id = request.new_id;
        if (!rests(request.id)) return rejected(Status::UnknownOrder);
        if (id != request.id && rests(id)) return rests_on(Status::DuplicateId, handle);
        if (may_rest && !has_room(ids_, id)) return rests_on(Status::NoRoomForId, handle);
        break;
      }
      case CommandType::AddRestingBefore:
        command.id = request.new_id;
        if (!rests(request.id)) return rejected(Status::UnknownOrder);
        if (rests(command.id)) return rejected(Status::DuplicateId);
        if (!has_room(ids_, command.id)) return rejected(Status::NoRoomForId);
        break;
      default: break;
    }
    return oracle_.apply(command);
  }

  void name_newest(OrderHandle handle) { oracle_.name_newest(handle); }

  std::size_t clear(Side side) { return oracle_.clear(side); }

  [[nodiscard]] bool rests(OrderId id) const { return handle_of(id) != OrderHandle{}; }
  [[nodiscard]] OrderHandle handle_of(OrderId id) const {
    for (const RestingOrder& order : oracle_.resting()) {
      if (order.id == id) return order.handle;
    }
    return {};
  }

  [[nodiscard]] const Oracle& oracle() const { return oracle_; }

 private:
  static Oracle::Outcome rejected(Status status) {
    Oracle::Outcome outcome;
    outcome.status = status;
    return outcome;
  }
  [[nodiscard]] Oracle::Outcome rests_on(Status status, OrderHandle handle) const {
    Oracle::Outcome outcome = rejected(status);
    outcome.remaining = oracle_.find(handle)->quantity;
    outcome.kept_place = true;
    return outcome;
  }

  Oracle oracle_;
  IndexConfig ids_;
};

}  // namespace llmes::test
