// SPDX-License-Identifier: MIT
//
// A check, for tests and debug builds, of what a book asks of its caller: that no call begins during another, be
// it from a sink, from a visitor or from a second thread, and that a book is neither moved nor destroyed during
// one. Queries may overlap each other, and between two commands of a span, calls may come. It is there in a
// program that defines LLMES_CHECK_PRECONDITIONS, in all its units alike, and ends it with a message. In any other
// it is an empty object that does nothing.
#pragma once

#if defined(LLMES_CHECK_PRECONDITIONS)
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#endif

namespace llmes {

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

  /// Lives for as long as a call is under way.
  class Call {
   public:
    /// Begins it, unless one of the `conflicting` is under way.
    Call(std::atomic<std::uint64_t>& under_way, std::uint64_t weight, std::uint64_t conflicting) noexcept
        : under_way_(under_way), weight_(weight) {
      if ((under_way_.fetch_add(weight) & conflicting) == 0) return;
      std::fputs(
          "llmes: calls to one book overlap: a sink called it, a visitor changed it, or two threads use it; or it "
          "was moved or destroyed during a call\n",
          stderr);
      std::abort();
    }
    ~Call() { end(); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    /// Ends it early.
    void end() noexcept { under_way_.fetch_sub(std::exchange(weight_, 0)); }

   private:
    std::atomic<std::uint64_t>& under_way_;
    std::uint64_t weight_;
  };

  /// Begins a call that may change the book; no other call may be under way, but for a span between two commands.
  [[nodiscard]] Call change() const noexcept { return {under_way_, a_change, changes | queries}; }
  /// Begins a query; others may be under way.
  [[nodiscard]] Call query() const noexcept { return {under_way_, a_query, changes}; }
  /// Begins a span of commands, each of which is a call of its own.
  [[nodiscard]] Call span() const noexcept { return {under_way_, a_span, changes | queries}; }

 private:
  // How many of each are under way stands in bits of its own.
  static constexpr std::uint64_t a_query = 1;
  static constexpr std::uint64_t a_change = std::uint64_t{1} << 32;
  static constexpr std::uint64_t a_span = std::uint64_t{1} << 48;
  static constexpr std::uint64_t queries = a_change - a_query;
  static constexpr std::uint64_t changes = a_span - a_change;

  void expect_no_call() const noexcept { const Call call(under_way_, a_change, ~std::uint64_t{0}); }

  mutable std::atomic<std::uint64_t> under_way_ = 0;
};

#else

class CallGuard {
 public:
  struct Call {
    static constexpr void end() noexcept {}
  };
  [[nodiscard]] static constexpr Call change() noexcept { return {}; }
  [[nodiscard]] static constexpr Call query() noexcept { return {}; }
  [[nodiscard]] static constexpr Call span() noexcept { return {}; }
};

#endif

}  // namespace llmes
