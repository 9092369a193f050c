// SPDX-License-Identifier: MIT
//
// How often something may be done: messages of an account, logins, snapshots. Time is of a clock that never steps.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "entry.hpp"

namespace exchange {

/// A bucket of tokens: so many at once, and one more after each interval.
class Bucket {
 public:
  static constexpr Nanoseconds never = std::numeric_limits<Nanoseconds>::max();

  /// When the next one may be taken: 0 or a time that has passed, if it may be now.
  [[nodiscard]] Nanoseconds next(std::uint64_t burst, Nanoseconds interval) const noexcept {
    const Nanoseconds room = (burst - 1) * interval;
    return regained_ - std::min(regained_, room);
  }
  void take(Nanoseconds interval, Nanoseconds now) noexcept { regained_ = std::max(regained_, now) + interval; }

 private:
  Nanoseconds regained_ = 0;  ///< when all are there again
};

/// Where a connection comes from: an address of IPv4, or the network of one of IPv6.
using Address = std::uint64_t;

/// Who may try a password. To check one takes milliseconds, and each try is a guess, so all together may try so
/// often in a second; three quarters of that may come from one address, and half of it for one user from there.
/// A user is known at addresses where it has logged in: there, nobody else can keep it out. The memory is bounded.
class LoginLimits {
 public:
  /// Whether this user, unknown at this address, may try now. Then the try counts.
  [[nodiscard]] bool may_try(Address address, UserId user, std::uint32_t a_second, Nanoseconds now) noexcept {
    const std::uint64_t of_all = std::max(a_second, 1u);
    const std::uint64_t of_address = std::max<std::uint64_t>(of_all * 3 / 4, 1);
    const std::uint64_t of_user = std::max<std::uint64_t>(of_all / 2, 1);
    Bucket& from = addresses_[place(address)];
    Bucket& both = users_[place(address ^ std::uint64_t{user} << 32)];
    if (both.next(of_user, second / of_user) > now || from.next(of_address, second / of_address) > now ||
        all_.next(of_all, second / of_all) > now)
      return false;
    both.take(second / of_user, now);
    from.take(second / of_address, now);
    all_.take(second / of_all, now);
    return true;
  }
  [[nodiscard]] bool is_known(Address address, UserId user) const noexcept {
    const auto known = known_.find(user);
    return known != known_.end() && std::ranges::find(known->second, address) != known->second.end();
  }
  /// Whether any user is.
  [[nodiscard]] bool is_known(Address address) const noexcept { return users_at_.contains(address); }
  /// It has logged in. The last addresses of each user count.
  void logged_in(Address address, UserId user) {
    if (is_known(address, user)) return;
    std::vector<Address>& known = known_[user];
    if (known.size() == addresses_of_a_user) {
      const auto oldest = users_at_.find(known.front());
      if (--oldest->second == 0) users_at_.erase(oldest);
      known.erase(known.begin());
    }
    known.push_back(address);
    ++users_at_[address];
  }

 private:
  static constexpr Nanoseconds second = 1'000'000'000;
  static constexpr std::size_t addresses_of_a_user = 8;
  static constexpr std::size_t places = 4'096;

  /// Addresses that share a place share its tries. Nobody outside can tell which do.
  [[nodiscard]] std::size_t place(std::uint64_t what) const noexcept {
    what = (what ^ secret_) * 0x9e37'79b9'7f4a'7c15u;
    what = (what ^ what >> 32) * 0xd6e8'feb8'6659'fd93u;
    return (what >> 40) % places;
  }

  std::uint64_t secret_ = std::uint64_t{std::random_device()()} << 32 | std::random_device()();
  Bucket all_;
  std::array<Bucket, places> addresses_{};
  std::array<Bucket, places> users_{};
  std::unordered_map<UserId, std::vector<Address>> known_;  ///< users of the file alone
  std::unordered_map<Address, std::size_t> users_at_;       ///< how many are known there
};

}  // namespace exchange
