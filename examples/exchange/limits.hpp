// SPDX-License-Identifier: MIT
//
// How often something may be done: messages of an account, logins, snapshots. Time is of a clock that never steps.
#pragma once

#include <algorithm>
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
/// A quarter of all is kept for addresses from which no wrong password has come of late, so that those who guess
/// from many do not keep out who comes for the first time. A user is known at addresses where it has logged in:
/// there, nobody else can keep it out. The memory is bounded.
class LoginLimits {
 public:
  LoginLimits() : LoginLimits(std::uint64_t{std::random_device()()} << 32 | std::random_device()()) {}
  /// @param secret by which addresses share places, the same each time
  explicit LoginLimits(std::uint64_t secret) : secret_(secret) {}

  /// Whether this user, unknown at this address, may try now. Then the try counts, and `tried` says what came of
  /// it.
  [[nodiscard]] bool may_try(Address address, UserId user, std::uint32_t a_second, Nanoseconds now) noexcept {
    const std::uint64_t of_all = std::max(a_second, 1u);
    const std::uint64_t of_address = std::max<std::uint64_t>(of_all * 3 / 4, 1);
    const std::uint64_t of_user = std::max<std::uint64_t>(of_all / 2, 1);
    const std::uint64_t kept = of_all / 4;
    const std::uint64_t common = of_all - kept;
    Source& from = addresses_[place(address)];
    Bucket& both = users_[place(address ^ std::uint64_t{user} << 32)];
    if (both.next(of_user, second / of_user) > now || from.tries.next(of_address, second / of_address) > now)
      return false;
    // Many tries at once may all be guesses.
    const bool is_trusted = kept != 0 && from.under_way == 0 && from.suspected_until <= now;
    if (common_.next(common, second / common) <= now) {
      common_.take(second / common, now);
    } else if (is_trusted && kept_.next(kept, second / kept) <= now) {
      kept_.take(second / kept, now);
    } else {
      return false;
    }
    both.take(second / of_user, now);
    from.tries.take(second / of_address, now);
    ++from.under_way;
    return true;
  }
  /// What has come of a try that `may_try` has let through.
  void tried(Address address, bool is_right, Nanoseconds now) noexcept {
    Source& from = addresses_[place(address)];
    from.under_way -= std::min(from.under_way, 1u);
    if (!is_right) from.suspected_until = now + suspicion;
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
  static constexpr std::size_t places = 65'536;
  static constexpr Nanoseconds suspicion = 600 * second;  ///< for so long a wrong password counts

  struct Source {
    Bucket tries;
    Nanoseconds suspected_until = 0;
    std::uint32_t under_way = 0;  ///< tries whose password is being checked
  };

  /// Addresses that share a place share its tries. Nobody outside can tell which do.
  [[nodiscard]] std::size_t place(std::uint64_t what) const noexcept {
    what = (what ^ secret_) * 0x9e37'79b9'7f4a'7c15u;
    what = (what ^ what >> 32) * 0xd6e8'feb8'6659'fd93u;
    return (what >> 40) % places;
  }

  std::uint64_t secret_;
  Bucket common_;
  Bucket kept_;  ///< for addresses that are not suspected
  std::vector<Source> addresses_ = std::vector<Source>(places);
  std::vector<Bucket> users_ = std::vector<Bucket>(places);
  std::unordered_map<UserId, std::vector<Address>> known_;  ///< users of the file alone
  std::unordered_map<Address, std::size_t> users_at_;       ///< how many are known there
};

/// Whether a client reads too slowly that has caught up once: more messages than it may be behind wait for it, and
/// they have not become fewer for a second. One command may bring more than that, which takes time to read.
class Backlog {
 public:
  static constexpr Nanoseconds patience = 1'000'000'000;

  /// Call it several times a second.
  /// @param behind messages that wait
  /// @param most that it may be behind
  [[nodiscard]] bool is_too_long(std::uint64_t behind, std::uint64_t most, Nanoseconds now) noexcept {
    if (behind == 0) has_caught_up_ = true;
    if (behind <= most || behind < least_) {
      least_ = behind <= most ? ~std::uint64_t{0} : behind;
      since_ = now;
    }
    return has_caught_up_ && behind > most && now - since_ >= patience;
  }

 private:
  std::uint64_t least_ = ~std::uint64_t{0};  ///< that it was behind since it was too much
  Nanoseconds since_ = 0;
  bool has_caught_up_ = false;
};

}  // namespace exchange
