// SPDX-License-Identifier: MIT
#include "tests/support/ruled_conformance.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "tests/support/difference.hpp"
#include "tests/support/ruled_streams.hpp"
#include "tests/support/ruled_text.hpp"
#include "tests/support/shrink.hpp"

namespace llmes::test {

namespace {

/// A book and its oracle, side by side.
class RulesConformance {
 public:
  RulesConformance(AnyRuledBook& book, const RuledKind& kind, const RulesOracleConfig& config)
      : book_(book), kind_(kind), oracle_(config) {}

  /// Makes one call on both and compares the answers.
  /// @return what differs; empty if nothing does.
  std::string step(const RuledOperation& operation) {
    difference_.clear();
    const std::vector<std::byte> before = book_.bytes();
    was_rejected_ = false;
    switch (operation.what) {
      case RuledOperation::What::Clear:
        compare("orders cleared", oracle_.clear(operation.book, operation.call.side),
                book_.clear(operation.book, operation.call.side));
        break;
      case RuledOperation::What::MassCancel: mass_cancel(operation); break;
      case RuledOperation::What::Auction: auction(operation); break;
      case RuledOperation::What::Recenter: recenter(operation.call.price); break;
      case RuledOperation::What::Move: book_.move(); break;
      default: call(operation);
    }
    compare("size", oracle_.size(), book_.size());
    if (was_rejected_) compare("a byte has changed in a rejection", false, book_.bytes() != before);
    return difference_;
  }

  /// Compares the whole queryable state, and looks at the inside of the book.
  /// @return what differs; empty if nothing does.
  std::string compare_state() {
    difference_.clear();
    for (BookNumber book = 0; book < kind_.books; ++book) {
      for (const Side side : {Side::Buy, Side::Sell}) compare_side(book, side);
    }
    for (const RuledOrder& order : oracle_.resting()) {
      const OrderHandle handle = order.shown.handle;
      compare("find", std::optional(order.shown), book_.find(handle));
      compare("terms", std::optional(terms_of(order)), book_.terms_of(handle));
      compare("queue ahead", oracle_.queue_ahead(handle), book_.queue_ahead(order.book, handle));
    }
    for (const auto& [label, handle] : handles_) {
      if (oracle_.find(handle) != nullptr) continue;
      compare("find of an order that has gone", std::optional<RestingOrder>{}, book_.find(handle));
      compare("terms of an order that has gone", std::optional<RestingTerms>{}, book_.terms_of(handle));
    }
    if (difference_.empty()) difference_ = book_.broken(oracle_.resting());
    return difference_;
  }

 private:
  using Outcome = RulesOracle::Outcome;

  void mass_cancel(const RuledOperation& operation) {
    const bool of_view = operation.way == Way::View && !book_.by_id() && operation.scope.book;
    const bool of_one = kind_.books == 1 || (of_view && *operation.scope.book < kind_.books);
    const BookNumber one = kind_.books == 1 ? 0 : operation.scope.book.value_or(0);
    const BookNumber* const only = of_one ? &one : nullptr;
    RuleRecorder sink;
    const Result result = book_.mass_cancel(operation.scope, operation.way, sink);
    compare_answer(oracle_.mass_cancel(operation.scope, only), result, sink.events);
    compare("handle of a mass cancel", OrderHandle{}, result.handle);
  }

  void auction(const RuledOperation& operation) {
    const std::optional<AuctionPrice> found = oracle_.indicative(operation.book, operation.call.price);
    compare("price of an auction", found, book_.indicative(operation.book, operation.call.price));
    const Price price = price_of_auction(oracle_, operation);
    RuleRecorder sink;
    const Result result = book_.uncross(operation.book, price, operation.terms.self_trade, sink);
    compare_answer(oracle_.uncross(operation.book, price, operation.terms.self_trade), result, sink.events);
    compare("handle of an auction", OrderHandle{}, result.handle);
    if (result.status == Status::Success && found && found->price == price) {
      compare("crossed after an auction", std::optional<AuctionPrice>{},
              oracle_.indicative(operation.book, price));
    }
  }

  void recenter(Price price_min) {
    const std::optional<Status> status = book_.recenter(price_min);
    if (status) compare_status(oracle_.recenter(price_min), *status);
  }

  void call(const RuledOperation& operation) {
    const auto found = handles_.find(operation.call.order);
    const OrderHandle label = found == handles_.end() ? OrderHandle{} : found->second;
    const OrderHandle handle = OrderHandle::from_value(label.value() ^ operation.call.flip);
    const bool taken = takes_an_id(oracle_, operation, handle);
    if (taken && !book_.by_id()) return;
    if (refills_without_end(oracle_, operation, handle)) return;

    const RuledBookCommand command = to_command(operation, handle);
    const RuledOrder* const named = adds(command.type) ? nullptr : oracle_.find(handle);
    const bool changed = named != nullptr && changes(command.type);
    const RestingOrder before = changed ? named->shown : RestingOrder{};
    RuledOperation on_oracle = operation;
    if (book_.by_id()) on_oracle.way = Way::Apply;
    RuleRecorder sink;
    const AnyRuledBook::Answer answer = book_.call(command, operation.way, sink);
    const Outcome expected = book_.by_id() && goes_by_id(command) && (taken || unknown_to_ids(command, named))
                                 ? rejected_by_id(command, named)
                                 : apply(oracle_, on_oracle, handle);
    if (answer.only_status) {
      compare_status(expected.status, answer.result.status);
      compare_told(command, before, expected, answer.told);
    } else {
      compare_answer(expected, answer.result, sink.events);
      compare_handle(operation, command, expected, answer.result.handle);
    }
    if (answer.change && expected.status == Status::Success) compare_change(before, answer);
  }

  /// Ids are looked at before anything else of a call that adds or replaces.
  static bool goes_by_id(const RuledBookCommand& command) {
    return adds(command.type) || has_new_id(command.type);
  }
  static bool unknown_to_ids(const RuledBookCommand& command, const RuledOrder* named) {
    return has_new_id(command.type) && named == nullptr;
  }
  static Outcome rejected_by_id(const RuledBookCommand& command, const RuledOrder* named) {
    Outcome outcome;
    outcome.status = unknown_to_ids(command, named) ? Status::UnknownOrder : Status::DuplicateId;
    if (named != nullptr && replaces(command.type)) {
      outcome.remaining = named->total();
      outcome.kept_place = true;
    }
    return outcome;
  }

  void compare_answer(const Outcome& expected, const Result& result, const RuleEvents& events) {
    compare_status(expected.status, result.status);
    compare("filled", expected.filled, result.filled);
    compare("events", expected.events, events);
    compare("remaining", expected.remaining, result.remaining);
    compare("cancelled", expected.cancelled, result.cancelled);
    compare("kept its place", expected.kept_place, result.kept_place);
  }

  void compare_handle(const RuledOperation& operation, const RuledBookCommand& command, const Outcome& expected,
                      OrderHandle handle) {
    if (!difference_.empty()) return;
    if (expected.remaining == 0) {
      compare("handle of what does not rest", OrderHandle{}, handle);
    } else if (!operation.call.makes_order() || expected.status != Status::Success) {
      compare("handle after a change", command.handle, handle);
    } else {
      compare("an order has the new handle", false, oracle_.find(handle) != nullptr);
      oracle_.name_newest(handle);
      handles_[operation.call.made()] = handle;
    }
  }

  /// What a cancel by its name tells is the order with all lots that it had open; of a reduce, with those that it
  /// has.
  void compare_told(const RuledBookCommand& command, const RestingOrder& before, const Outcome& outcome,
                    const std::optional<RestingOrder>& told) {
    if (!told) return;
    RestingOrder expected = before;
    expected.quantity = command.type == CommandType::Reduce ? outcome.remaining : outcome.cancelled;
    compare("order told", expected, *told);
  }

  void compare_change(const RestingOrder& before, const AnyRuledBook::Answer& answer) {
    compare("order before", before, answer.change->before);
    const OrderHandle handle = answer.result.handle;
    const RuledOrder* const now = oracle_.find(handle);
    compare("handle in the change", handle, answer.change->after.handle);
    if (now != nullptr) compare("order after", now->shown, answer.change->after);
  }

  void compare_side(BookNumber book, Side side) {
    const std::vector<RestingOrder> orders = oracle_.orders(book, side);
    const std::vector<DepthLevel> depth = oracle_.depth(book, side);
    compare("orders in priority order", orders, book_.orders(book, side));
    compare("depth", depth, book_.depth(book, side));
    const auto price = [&](bool any, const auto& end) { return any ? std::optional(end().price) : std::nullopt; };
    compare("best", price(!depth.empty(), [&] { return depth.front(); }), book_.best(book, side));
    compare("worst", price(!depth.empty(), [&] { return depth.back(); }), book_.worst(book, side));
    for (const Price at : kind_.prices) {
      const auto shown = std::ranges::find(depth, at, &DepthLevel::price);
      compare("level", shown == depth.end() ? DepthLevel{at} : *shown, book_.level(book, side, at));
      std::vector<RestingOrder> on_level;
      for (const RestingOrder& order : orders) {
        if (order.price == at) on_level.push_back(order);
      }
      compare("orders of a level", on_level, book_.orders_at(book, side, at));
    }
  }

  static RestingTerms terms_of(const RuledOrder& order) {
    const Quantity peak = order.display == Display::Reserve ? order.peak : 0;
    return {order.owner, order.display, peak, order.reserve};
  }

  /// Of an outcome and the answer of the book.
  void compare_status(Status expected, Status actual) {
    was_rejected_ = expected != Status::Success;
    compare("status", expected, actual);
  }
  template <class T>
  void compare(const char* what, const T& expected, const T& actual) {
    note_difference(difference_, what, expected, actual);
  }

  AnyRuledBook& book_;
  const RuledKind& kind_;
  RulesOracle oracle_;
  std::unordered_map<OrderId, OrderHandle> handles_;  ///< by label, the last one issued
  bool was_rejected_ = false;
  std::string difference_;
};

}  // namespace

RulesOracleConfig oracle_config(const RuledKind& kind, const AnyRuledBook& book, std::size_t capacity) {
  return {.price_min = book.price_min(),
          .price_max = book.price_max(),
          .capacity = capacity,
          .books = kind.books,
          .allocation = kind.allocation,
          .minimum_share = kind.minimum_share};
}

std::optional<Disagreement> run_rules(const RuledKind& kind, std::size_t capacity,
                                      const std::vector<RuledOperation>& operations, std::size_t state_every) {
  const std::unique_ptr<AnyRuledBook> book = kind.create(capacity);
  if (!book) return Disagreement{0, "create: no book of this capacity"};
  RulesConformance conformance(*book, kind, oracle_config(kind, *book, capacity));
  for (std::size_t i = 0; i < operations.size(); ++i) {
    std::string what = conformance.step(operations[i]);
    const bool state_due = i + 1 == operations.size() || (i + 1) % state_every == 0;
    if (what.empty() && state_due) what = conformance.compare_state();
    if (!what.empty()) return Disagreement{i, what};
  }
  return {};
}

std::string why_rules_fail(const RuledKind& kind, std::size_t capacity, std::vector<RuledOperation> operations,
                           std::size_t state_every) {
  const std::optional<Disagreement> found = run_rules(kind, capacity, operations, state_every);
  if (!found) return {};
  operations.resize(found->operation + 1);
  const auto fails = [&](const std::vector<RuledOperation>& candidate) {
    return run_rules(kind, capacity, candidate).has_value();
  };
  operations = without_needless_operations(std::move(operations), fails);
  const std::optional<Disagreement> shortest = run_rules(kind, capacity, operations);
  return kind.name + ": " + (shortest ? shortest->what : found->what) + "\n\n" +
         source_of_test(kind.name, capacity, operations);
}

}  // namespace llmes::test
