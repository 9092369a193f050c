// SPDX-License-Identifier: MIT
//
// Checks the preconditions of a book in tests and debug builds. No call may begin during another one, from a sink,
// a visitor or a second thread. The book must not be moved or destroyed during a call. Queries may overlap each
// other, and calls may come between two commands of a span.
// A program that defines LLMES_CHECK_PRECONDITIONS in all units ends with a message; else the guard is empty.
#pragma once

#include "llmes/version.hpp"

#if defined(LLMES_CHECK_PRECONDITIONS)
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#endif

namespace llmes::inline LLMES_NAMESPACE {

#if defined(LLMES_CHECK_PRECONDITIONS)

class CallGuard {
 public:
  CallGuard() noexcept = default;
  CallGuard(CallGuard&& other) noexcept { other.expect_no_call(); }
  CallGuard& operator=(CallGuard&& other) noexcept {
    other.expect_no_call();
    expect_no_call();
    return *this;
  }
  ~CallGuard() { expect_no_call(); }

  /// Lives while a call is under way.
  class Call {
   public:
    /// Begins the call, or ends the program if one of the `conflicting` calls is under way.
    Call(std::atomic<std::uint64_t>& under_way, std::uint64_t weight, std::uint64_t conflicting) noexcept
        : under_way_(under_way), weight_(weight) {
      if ((under_way_.fetch_add(weight) & conflicting) == 0) return;
      std::fputs(
          "llmes: calls to one book overlap: a sink called it, a visitor changed it, or two threads use it; or it "
          "was moved or destroyed during a call\n",
          stderr);
      std::abort();
    }
    ~Call() { under_way_.fetch_sub(weight_); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    std::atomic<std::uint64_t>& under_way_;
    std::uint64_t weight_;
  };

  /// Begins a call that may change the book. Only a span may be under way, between two of its commands.
  [[nodiscard]] Call change() const noexcept { return {under_way_, a_change, changes | queries}; }
  /// Begins a query; others may be under way.
  [[nodiscard]] Call query() const noexcept { return {under_way_, a_query, changes}; }
  /// Begins a span, each of whose commands is a call of its own.
  [[nodiscard]] Call span() const noexcept { return {under_way_, a_span, changes | queries}; }

 private:
  // Each kind of call is counted in bits of its own.
  static constexpr std::uint64_t a_query = 1;
  static constexpr std::uint64_t a_change = std::uint64_t{1} << 32;
  static constexpr std::uint64_t a_span = std::uint64_t{1} << 48;
  static constexpr std::uint64_t queries = a_change - a_query;
  static constexpr std::uint64_t changes = a_span - a_change;

  void expect_no_call() const noexcept { const Call call(under_way_, a_change, ~std::uint64_t{0}); }

  mutable std::atomic<std::uint64_t> under_way_ = 0;
};

/// The guard of a book in a set: a call to the book is a call to the set.
class SharedCallGuard {
 public:
  explicit SharedCallGuard(const CallGuard& guard) noexcept : guard_(&guard) {}

  [[nodiscard]] CallGuard::Call change() const noexcept { return guard_->change(); }
  [[nodiscard]] CallGuard::Call query() const noexcept { return guard_->query(); }
  [[nodiscard]] CallGuard::Call span() const noexcept { return guard_->span(); }

 private:
  const CallGuard* guard_;
};

#else

class CallGuard {
 public:
  struct Call {};
  [[nodiscard]] static constexpr Call change() noexcept { return {}; }
  [[nodiscard]] static constexpr Call query() noexcept { return {}; }
  [[nodiscard]] static constexpr Call span() noexcept { return {}; }
};

class SharedCallGuard : public CallGuard {
 public:
  explicit constexpr SharedCallGuard(const CallGuard& /*guard*/) noexcept {}
};

#endif

}  // namespace llmes::inline LLMES_NAMESPACE
