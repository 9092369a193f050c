// SPDX-License-Identifier: MIT
//
// Where the reports of a machine go. They are written in place, many at a time.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What an engine tells of a command: numbers without padding, so equal reports are equal bytes.
template <class R>
concept MachineReport = std::is_trivially_copyable_v<R> && sizeof(R) % 64 == 0 && requires(const R& report) {
  { report.sequence } -> std::convertible_to<std::uint64_t>;  // of the command
};

template <class Report>
class BasicReportTarget {
 public:
  /// Room for the next reports, one at least, until the next call.
  [[nodiscard]] virtual std::span<Report> room() noexcept = 0;
  /// Takes the first `written` reports of the room. The rest of it was not needed.
  virtual void take(std::size_t written) noexcept = 0;

 protected:
  ~BasicReportTarget() = default;
};

/// Drops the reports, for a replay that only rebuilds the state.
template <class Report>
class BasicNoReports final : public BasicReportTarget<Report> {
 public:
  [[nodiscard]] std::span<Report> room() noexcept override { return scratch_; }
  void take(std::size_t /*written*/) noexcept override {}

 private:
  std::array<Report, 64> scratch_;
};

/// Writes the reports of a machine into the room of a target.
template <class Report>
class ReportWriter {
 public:
  /// Takes the target of the next reports.
  void begin(BasicReportTarget<Report>& target) noexcept { target_ = &target; }
  /// The place of the next report, which has old content.
  [[nodiscard]] Report& next() noexcept {
    if (next_ == last_) [[unlikely]]
      make_room();
    return *next_++;
  }
  /// Hands over what is written. Leaves no room: it is asked for when the next report comes.
  void end() noexcept {
    target_->take(static_cast<std::size_t>(next_ - first_));
    first_ = next_ = last_ = nullptr;
  }

 private:
  [[gnu::noinline]] void make_room() noexcept {
    end();
    const std::span<Report> room = target_->room();
    first_ = next_ = room.data();
    last_ = first_ + room.size();
  }

  BasicReportTarget<Report>* target_ = nullptr;
  Report* first_ = nullptr;  ///< of the room
  Report* next_ = nullptr;
  Report* last_ = nullptr;
};

}  // namespace llmes::inline LLMES_NAMESPACE
