// SPDX-License-Identifier: MIT
//
// A machine is what an engine runs: a deterministic object that takes records and tells reports. Its state and its
// reports are a function of config and records alone: no clock, no random number, no address. So a journal of the
// records is the whole truth, and a run, a recovery and a snapshot give the same bytes. `Machine` below has all
// that a machine is asked for:
//
//  - `create` makes it empty and takes all memory. It says why it cannot.
//  - `parameters_of` gives all on which the results of records depend. No two machines have the same `kind`.
//  - `apply` does the records in order and tells reports, with the sequences of their records. The reports do not
//    depend on how the records are divided into calls. It does not allocate, and rejects a record that is none.
//  - `digest` is one of all that users can see: it is compared after a recovery.
//  - `visit_state` shows the state, as a static template, for a snapshot (see snapshot/image.hpp).
//  - `holds` says whether a state that was read is safe to use: anyone can forge an image with a right checksum.
//
// Books become a machine in a `Matcher`.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "llmes/engine/journal/journal_format.hpp"
#include "llmes/engine/journal/record.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// What an engine tells of a command: numbers without padding, so equal reports are equal bytes.
template <class R>
concept MachineReport = std::is_trivially_copyable_v<R> && sizeof(R) % 8 == 0 && requires(const R& report) {
  { report.sequence } -> std::convertible_to<std::uint64_t>;  // of the command
};

/// Where the reports of a machine go. They are written in place, many at a time.
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

namespace detail {
/// A visitor as `visit_state` gets one.
struct AnyVisitor {
  template <class... Parts>
  void operator()(Parts&&...) noexcept {}
};
}  // namespace detail

template <class M>
concept Machine = std::move_constructible<M> && std::copyable<typename M::Config> &&
                  JournalRecord<typename M::Record> && MachineReport<typename M::Report> &&
                  requires(M& machine, const M& as_it_is, const typename M::Config& config, CreateStatus& status,
                           std::span<const typename M::Record> records,
                           BasicReportTarget<typename M::Report>& target, detail::AnyVisitor& visitor) {
                    { M::create(config, status) } noexcept -> std::same_as<std::optional<M>>;
                    { M::parameters_of(config) } noexcept -> std::same_as<JournalParameters>;
                    { machine.apply(records, target) } noexcept;
                    { as_it_is.digest() } noexcept -> std::same_as<std::uint64_t>;
                    { as_it_is.holds() } noexcept -> std::same_as<bool>;
                    { M::visit_state(machine, visitor) } noexcept;
                    { M::visit_state(as_it_is, visitor) } noexcept;
                  };

}  // namespace llmes::inline LLMES_NAMESPACE
