// SPDX-License-Identifier: MIT
#include "bench/programs/growth/cancels.hpp"

#include <optional>
#include <stdexcept>
#include <vector>

#include "bench/harness/replay.hpp"
#include "bench/streams/random.hpp"
#include "llmes/rules.hpp"

namespace llmes::bench {
namespace {

template <CancelBy by>
class Cancels final : public Runner {
  using Book = RuledOrderBook<4096>;
  static constexpr Owner others = 1;
  static constexpr Owner owner = 2;

 public:
  Cancels(std::size_t orders, std::uint64_t seed) : orders_(orders), random_(seed) {}

  void start() override {
    book_ = Book::create({.capacity = 2 * orders_});
    if (!book_) throw std::runtime_error("the book could not be made: too little memory?");
    add(others);
  }

  Window run(std::size_t /*index*/, CounterSource* counters) override {
    add(owner);
    const Window window = timed(orders_, counters, [this](Digest& digest) { cancel(digest); });
    if (window.digest.misses != 0 || book_->size() != orders_)
      throw std::runtime_error("not all orders have gone");
    return window;
  }

  [[nodiscard]] std::size_t peak_bytes() const override { return 0; }

 private:
  struct Lots {
    Quantity sum = 0;
    void cancelled(const RestingOrder& order) { sum += order.quantity; }
  };

  void add(Owner whose) {
    handles_.clear();
    for (std::size_t i = 0; i < orders_; ++i) {
      const Side side = random_.side();
      const auto away = static_cast<Price>(random_.below(64));
      const Price price = side == Side::Buy ? 2'047 - away : 2'048 + away;
      const Result result = book_->add_limit_order(i, side, price, 1, TimeInForce::GoodTillCancel,
                                                   OrderTerms{.owner = whose}, DiscardTrades{});
      handles_.push_back(result.handle);
    }
  }

  void cancel(Digest& digest) {
    if constexpr (by == CancelBy::Handle) {
      for (const OrderHandle handle : handles_) digest.count(book_->cancel_order(handle));
    } else {
      Lots lots;
      digest.count(book_->mass_cancel({.owner = owner}, lots).status);
      digest.misses += orders_ - lots.sum;
    }
  }

  std::size_t orders_;
  Random random_;
  std::optional<Book> book_;
  std::vector<OrderHandle> handles_;
};

}  // namespace

std::unique_ptr<Runner> enter_cancels(CancelBy by, std::size_t orders, std::uint64_t seed) {
  if (by == CancelBy::Handle) return std::make_unique<Cancels<CancelBy::Handle>>(orders, seed);
  return std::make_unique<Cancels<CancelBy::Owner>>(orders, seed);
}

}  // namespace llmes::bench
