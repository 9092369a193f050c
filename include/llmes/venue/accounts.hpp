// SPDX-License-Identifier: MIT
//
// What accounts own: cash, and a holding for each book that they trade. Everything is an integer and exact; an
// average is computed where it is shown, and nothing is rounded on the way.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "llmes/detail/hash.hpp"
#include "llmes/detail/probing_table.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// An account: 1 is the first one. 0 is nobody, and what the venue earns is booked to it.
using AccountNumber = std::uint32_t;

/// An exact sum of prices times quantities, or of millionths of that. The largest trades in the same direction
/// overflow it after 2^43 of them, if nobody pays in or out.
__extension__ using Amount = __int128;
__extension__ using UnsignedAmount = unsigned __int128;

/// Cash is counted in micro-units: 1,000,000 of them pay one lot at the price of one tick.
inline constexpr Amount micro_units = 1'000'000;

/// What a trade costs each side, in micro-units a lot. A negative fee is a rebate.
struct Fees {
  std::int32_t maker = 0;
  std::int32_t taker = 0;
};

/// What an account has in a book.
struct alignas(64) Holding {
  AccountNumber account;
  BookNumber book;
  std::array<Quantity, 2> open;  ///< lots of its resting orders, bids and asks
  std::int64_t position;         ///< lots bought less lots sold
  Amount cost;                   ///< what the position has cost, ticks times lots; below 0 for one that was sold
  Amount realised;               ///< the result of what has been closed, ticks times lots, without fees

  /// The result, in ticks times lots, if the position were closed at `price`.
  [[nodiscard]] constexpr Amount unrealised(Price price) const noexcept { return Amount{position} * price - cost; }
  /// The average price of the position in ticks, rounded towards 0; 0 without a position. For display alone.
  [[nodiscard]] constexpr Price average() const noexcept {
    return position == 0 ? 0 : static_cast<Price>(cost / position);
  }

  [[nodiscard]] constexpr bool used() const noexcept { return account != 0; }
  [[nodiscard]] bool operator==(const Holding&) const = default;
  [[nodiscard]] constexpr bool is_of(AccountNumber whose, BookNumber of) const noexcept {
    return account == whose && book == of;
  }
};

static_assert(std::has_unique_object_representations_v<Holding>);

/// The amount in decimal digits, for logs.
[[nodiscard]] inline std::string to_text(Amount amount) {
  std::string digits;
  Amount left = amount;
  do {
    const auto digit = static_cast<int>(left % 10);
    digits += static_cast<char>('0' + (digit < 0 ? -digit : digit));
    left /= 10;
  } while (left != 0);
  if (amount < 0) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

/// The cash and holdings of all accounts. A risk stage has them and changes them; everybody may read.
///
/// Invariants: the cash of all accounts and the venue together is what was paid in. In a book, the positions of
/// all accounts sum to zero. Of a holding, `realised - cost` is what its trades have brought, in ticks times lots.
class Accounts {
 public:
  /// How many accounts there are: they are 1 to `size()`.
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(cash_.size() - 1); }
  [[nodiscard]] bool has(AccountNumber account) const noexcept { return account - 1 < cash_.size() - 1; }

  // ---- In micro-units; 0 for an account that does not exist. Constant.

  /// The cash of the account; negative if it owes.
  [[nodiscard]] Amount cash(AccountNumber account) const noexcept { return of(account).cash; }
  /// What its open orders may cost, fees included; part of `cash`. 0 if its credit is not limited.
  [[nodiscard]] Amount reserved(AccountNumber account) const noexcept {
    return in_cash(of(account).reserved, of(account).open);
  }
  /// What it has paid in fees, which is below 0 if it got more in rebates.
  [[nodiscard]] Amount fees(AccountNumber account) const noexcept { return of(account).fees; }
  /// What the venue has earned in fees.
  [[nodiscard]] Amount venue_cash() const noexcept { return cash_[0].cash; }

  /// What an account has in a book; nothing but its two numbers if it never had an order there. O(1) on average.
  [[nodiscard]] Holding holding(AccountNumber account, BookNumber book) const noexcept {
    const Holding& found = holdings_[place_of(account, book)];
    return found.used() ? found : Holding{account, book, {}, 0, 0, 0};
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return cash_.size_bytes() + holdings_.size_bytes(); }

  /// Whether its state is one that calls can lead to, if it comes from an untrusted image. Linear.
  [[nodiscard]] bool holds(BookNumber books) const noexcept {
    constexpr Amount most = Amount{1} << 125;  // so that no sum overflows soon
    const auto fits = [](Amount amount) { return -most <= amount && amount <= most; };
    for (std::size_t i = 0; i < cash_.size(); ++i) {
      if (!fits(cash_[i].cash) || !fits(cash_[i].fees)) return false;
    }
    std::size_t used = 0;
    for (std::size_t place = 0; place < holdings_.size(); ++place) used += std::size_t{holdings_[place].used()};
    if (used != holding_count_ || used > holdings_max_) return false;  // or a search would not end
    for (std::size_t place = 0; place < holdings_.size(); ++place) {
      const Holding& holding = holdings_[place];
      if (!holding.used()) {
        if (holding.book != 0 || holding.position != 0 || holding.cost != 0 || holding.realised != 0 ||
            holding.open != decltype(holding.open){}) {
          return false;
        }
        continue;
      }
      if (!has(holding.account) || holding.book >= books || !fits(holding.cost) || !fits(holding.realised) ||
          place_of(holding.account, holding.book) != place) {
        return false;
      }
    }
    return true;
  }

  /// Its state, part by part, for an image.
  static void visit_state(auto& self, auto& visit) noexcept {
    visit(self.cash_, self.holdings_, self.holding_count_);
  }

 private:
  friend class RiskState;
  friend class RiskStage;

  struct alignas(64) Cash {
    Amount cash;
    Amount fees;
    Amount reserved;  ///< for what open orders pay, in ticks times lots
    Amount open;      ///< their lots, for the fees
  };

  Accounts(std::uint32_t accounts, std::size_t holdings, Fees fees) noexcept
      : cash_(std::size_t{accounts} + 1),
        holdings_(holdings),
        holdings_max_(holdings),
        fees_(fees),
        fee_max_(std::max({fees.maker, fees.taker, 0})) {}
  [[nodiscard]] bool allocated() const noexcept { return cash_.allocated() && holdings_.allocated(); }

  [[nodiscard]] const Cash& of(AccountNumber account) const noexcept {
    static constexpr Cash nothing{};
    return has(account) ? cash_[account] : nothing;
  }
  [[nodiscard]] static std::uint32_t hash_of(AccountNumber account, BookNumber book) noexcept {
    return static_cast<std::uint32_t>(llmes::hash_of(std::uint64_t{account} << 32 | book) >> 32);
  }
  /// Of the holding, or the free place where it belongs.
  [[nodiscard]] std::size_t place_of(AccountNumber account, BookNumber book) const noexcept {
    return holdings_.search(hash_of(account, book),
                            [&](const Holding& holding) { return holding.is_of(account, book); });
  }
  /// The same if it probably is at `hint`.
  [[nodiscard, gnu::always_inline]] std::size_t place_of(AccountNumber account, BookNumber book,
                                                         std::size_t hint) const noexcept {
    return holdings_[hint].is_of(account, book) ? hint : place_of(account, book);
  }
  [[nodiscard]] bool full() const noexcept { return holding_count_ == holdings_max_; }
  /// The holding at a place that `place_of` gave, which is made if it is free; the table must not be full then.
  Holding& hold(std::size_t place, AccountNumber account, BookNumber book) noexcept {
    Holding& holding = holdings_[place];
    if (!holding.used()) {
      holding.account = account;
      holding.book = book;
      ++holding_count_;
    }
    return holding;
  }

  /// Takes back the holding that `hold` has made last, if nothing is booked in it: so no search passes its place.
  void drop(std::size_t place) noexcept {
    const Holding& made = holdings_[place];
    if (made != Holding{made.account, made.book, {}, 0, 0, 0}) return;
    holdings_[place] = {};
    --holding_count_;
  }

  /// Micro-units that cover so much to pay, and the larger fee of so many lots; a rebate covers nothing.
  [[nodiscard]] Amount in_cash(Amount paid, Amount lots) const noexcept {
    return paid * micro_units + lots * fee_max_;
  }
  /// What so many lots of an order may have to pay, in ticks times lots.
  [[nodiscard]] static Amount to_pay(Side side, Price price, Quantity lots) noexcept {
    // The price with the sign of what a buyer pays. The one price that has no opposite comes only with 0 lots.
    const std::uint64_t sign = 0 - static_cast<std::uint64_t>(side);
    const auto paid = static_cast<Price>((static_cast<std::uint64_t>(price) ^ sign) - sign);
    return static_cast<Amount>(UnsignedAmount{static_cast<std::uint64_t>(std::max<Price>(paid, 0))} * lots);
  }
  void reserve(AccountNumber account, Side side, Price price, Quantity lots) noexcept {
    cash_[account].reserved += to_pay(side, price, lots);
    cash_[account].open += lots;
  }
  void forget_reserved(AccountNumber account) noexcept { cash_[account].reserved = cash_[account].open = 0; }
  void release(AccountNumber account, Side side, Price price, Quantity lots) noexcept {
    cash_[account].reserved -= to_pay(side, price, lots);
    cash_[account].open -= lots;
  }

  /// Books one side of a trade. The position must fit. An opposite trade for the opposite fee takes it back.
  void fill(Holding& holding, Side side, Price price, Quantity lots, std::int64_t fee_a_lot) noexcept {
    const Amount signed_lots = side == Side::Buy ? Amount{lots} : -Amount{lots};
    const Amount fee = Amount{fee_a_lot} * lots;
    Cash& cash = cash_[holding.account];
    cash.cash -= signed_lots * price * micro_units + fee;
    cash.fees += fee;
    cash_[0].cash += fee;
    const Amount position = holding.position;
    const bool closes = (position > 0) != (signed_lots > 0) && position != 0;
    const Amount closed = closes ? std::min(Amount{lots}, magnitude(position)) : 0;
    if (closes) {
      const Amount released = share(holding.cost, closed, magnitude(position));
      holding.realised += (position > 0 ? closed : -closed) * price - released;
      holding.cost -= released;
    }
    const Amount opened = Amount{lots} - closed;
    holding.cost += (signed_lots > 0 ? opened : -opened) * price;
    holding.position = static_cast<std::int64_t>(position + signed_lots);
  }

  [[nodiscard]] static constexpr Amount magnitude(Amount amount) noexcept { return amount < 0 ? -amount : amount; }
  /// `cost * part / whole`, towards 0, without an overflow on the way. What it rounds off stays in the cost.
  /// `whole` fits 64 bits with a sign, as it is the size of a position.
  [[nodiscard]] static constexpr Amount share(Amount cost, Amount part, Amount whole) noexcept {
    if (part == whole) return cost;
    // A division of 64 bits takes a fraction of the time.
    std::int64_t product{};
    if (!__builtin_mul_overflow(cost, part, &product)) return product / static_cast<std::int64_t>(whole);
    return cost / whole * part + cost % whole * part / whole;
  }

  ZeroedArray<Cash> cash_;  ///< of account 0, the venue's
  ProbingTable<Holding> holdings_;
  std::size_t holdings_max_ = 0;
  std::size_t holding_count_ = 0;
  Fees fees_{};
  std::int32_t fee_max_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE
