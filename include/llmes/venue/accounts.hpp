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
#include <utility>

#include "llmes/detail/reset_on_move.hpp"
#include "llmes/detail/zeroed_array.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/id_slots.hpp"
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
  /// Whether there is neither a position nor an open order, so that its room may go to another account or book.
  [[nodiscard]] constexpr bool is_idle() const noexcept { return position == 0 && (open[0] | open[1]) == 0; }
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
/// A holding with neither a position nor an open order is idle. It stays, with what it has realised, until its
/// room is needed for another account or book: then that which has been idle longest goes, and what it has
/// realised is added to `settled` of its account. So accounts may trade any number of books one after the other.
///
/// Invariants: the cash of all accounts and the venue together is what was paid in. In a book, the positions of
/// all accounts sum to zero. Of a holding, `realised - cost` is what its trades have brought since it was made, in
/// ticks times lots; with `settled`, that of all holdings of an account is what all its trades have brought.
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

  /// What the account has realised in holdings that went when their room was needed, ticks times lots, without
  /// fees; 0 for an account that does not exist. Constant.
  [[nodiscard]] Amount settled(AccountNumber account) const noexcept {
    return has(account) ? settled_[account] : Amount{0};
  }

  /// What an account has in a book; nothing but its two numbers if it never had an order there, or its room went
  /// to another when it had neither a position nor an order. O(1) on average.
  [[nodiscard]] Holding holding(AccountNumber account, BookNumber book) const noexcept {
    const Holding& found = holdings_[place_of(account, book)];
    return found.used() ? found : Holding{account, book, {}, 0, 0, 0};
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return cash_.size_bytes() + settled_.size_bytes() + pairs_.memory_bytes() + holdings_.size_bytes() +
           idle_.size_bytes();
  }

  /// Whether its state is one that calls can lead to, if it comes from an untrusted image. Linear.
  [[nodiscard]] bool holds(BookNumber books) const noexcept {
    constexpr Amount most = Amount{1} << 125;  // so that no sum overflows soon
    const auto fits = [](Amount amount) { return -most <= amount && amount <= most; };
    for (std::size_t i = 0; i < cash_.size(); ++i) {
      if (!fits(cash_[i].cash) || !fits(cash_[i].fees) || !fits(settled_[i])) return false;
    }
    if (!pairs_.holds() || holdings_[none] != Holding{} || settled_[0] != 0) return false;
    std::size_t idle = 0;
    for (Place place = 1; place < holdings_.size(); ++place) {
      const Holding& holding = holdings_[place];
      const bool is_listed = holding.used() && holding.is_idle();
      if (!is_listed && idle_[place] != Links{}) return false;
      idle += std::size_t{is_listed};
      if (!pairs_.used(place)) {
        if (holding != Holding{}) return false;
        continue;
      }
      if (!has(holding.account) || holding.book >= books || !fits(holding.cost) || !fits(holding.realised) ||
          pairs_.id_at(place) != pair_of(holding.account, holding.book)) {
        return false;
      }
    }
    std::size_t listed = 0;
    Place earlier = none;
    for (Place place = idle_[none].later; place != none; place = idle_[place].later) {
      if (place >= holdings_.size() || !holdings_[place].used() || !holdings_[place].is_idle()) return false;
      if (idle_[place].earlier != earlier) return false;  // so none comes twice, and the list ends
      earlier = place;
      ++listed;
    }
    return idle_[none].earlier == earlier && listed == idle && idle == idle_count_;
  }

  /// Its state, part by part, for an image.
  static void visit_state(auto& self, auto& visit) noexcept {
    visit(self.cash_, self.settled_, self.pairs_, self.holdings_, self.idle_, self.idle_count_);
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

  /// A slot of a holding; `none` is that of a holding which is always empty.
  using Place = IdSlots::Slot;
  static constexpr Place none = IdSlots::none;
  /// The neighbours of an idle holding in the ring of all of them, which `none` closes.
  struct Links {
    Place earlier, later;

    friend constexpr bool operator==(const Links&, const Links&) = default;
  };

  Accounts(std::uint32_t accounts, IdSlots&& pairs, Fees fees) noexcept
      : cash_(std::size_t{accounts} + 1),
        settled_(std::size_t{accounts} + 1),
        pairs_(std::move(pairs)),
        holdings_(pairs_.slot_count()),
        idle_(pairs_.slot_count()),
        fees_(fees),
        fee_max_(std::max({fees.maker, fees.taker, 0})) {}
  [[nodiscard]] bool allocated() const noexcept {
    return cash_.allocated() && settled_.allocated() && holdings_.allocated() && idle_.allocated();
  }

  [[nodiscard]] const Cash& of(AccountNumber account) const noexcept {
    static constexpr Cash nothing{};
    return has(account) ? cash_[account] : nothing;
  }
  [[nodiscard]] static constexpr OrderId pair_of(AccountNumber account, BookNumber book) noexcept {
    return OrderId{account} << 32 | book;
  }
  /// Of the holding, or none.
  [[nodiscard]] Place place_of(AccountNumber account, BookNumber book) const noexcept {
    return pairs_.find(pair_of(account, book));
  }
  /// The same if it probably is at `hint`.
  [[nodiscard, gnu::always_inline]] Place place_of(AccountNumber account, BookNumber book,
                                                   Place hint) const noexcept {
    return holdings_[hint].is_of(account, book) ? hint : place_of(account, book);
  }
  /// For how many more pairs there is room.
  [[nodiscard]] std::size_t room() const noexcept {
    return pairs_.slot_count() - 1 - pairs_.size() + static_cast<std::size_t>(idle_count_);
  }
  [[nodiscard]] bool full() const noexcept { return pairs_.full() && idle_count_ == 0; }
  /// The place of a pair that has none; there must be room. It is busy, or `settle` comes next. Out of line, as
  /// most orders find the holding of their account.
  [[gnu::noinline]] Place hold(AccountNumber account, BookNumber book) noexcept {
    Place place = idle_[none].later;
    if (!pairs_.full()) {
      place = pairs_.insert(pair_of(account, book));
    } else {
      const Holding& left = holdings_[place];
      settled_[left.account] += left.realised - left.cost;
      unlist(place);
      pairs_.rename(place, pair_of(account, book));
    }
    holdings_[place] = {account, book, {}, 0, 0, 0};
    return place;
  }
  /// The same of a pair that may have one.
  [[nodiscard]] Place hold(Place place, AccountNumber account, BookNumber book) noexcept {
    return place == none ? hold(account, book) : place;
  }
  /// Says that a holding has changed: whether it is idle now.
  [[gnu::always_inline]] void settle(Place place) noexcept {
    const bool is_listed = idle_[place] != Links{} || idle_[none].later == place;
    if (holdings_[place].is_idle() != is_listed) is_listed ? unlist(place) : list(place);
  }
  /// A holding becomes the one that has been idle for the shortest time.
  void list(Place place) noexcept {
    const Place last = idle_[none].earlier;
    idle_[place] = {last, none};
    idle_[last].later = place;
    idle_[none].earlier = place;
    ++idle_count_;
  }
  void unlist(Place place) noexcept {
    const Links links = std::exchange(idle_[place], {});
    idle_[links.earlier].later = links.later;
    idle_[links.later].earlier = links.earlier;
    --idle_count_;
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

  ZeroedArray<Cash> cash_;         ///< of account 0, the venue's
  ZeroedArray<Amount> settled_;    ///< by account
  IdSlots pairs_;                  ///< of account and book
  ZeroedArray<Holding> holdings_;  ///< by place
  ZeroedArray<Links> idle_;        ///< by place; zeros of one that is not idle
  detail::ResetOnMove<std::uint64_t> idle_count_;
  Fees fees_{};
  std::int32_t fee_max_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE
