// SPDX-License-Identifier: MIT
//
// A machine is what an engine runs: a deterministic object that takes records and tells reports. Its state and its
// reports are a function of config and records alone: no clock, no random number, no address. So a journal of the
// records is the whole truth, and a run, a recovery and a snapshot give the same bytes.
//
//     class M {
//      public:
//       using Record = ...;  // a `JournalRecord`
//       using Report = ...;  // a `MachineReport`
//       using Config = ...;
//       static std::optional<M> create(const Config&, CreateStatus&) noexcept;
//       static JournalParameters parameters_of(const Config&) noexcept;
//       void apply(std::span<const Record>, BasicReportTarget<Report>&) noexcept;
//       std::uint64_t digest() const noexcept;
//       bool holds() const noexcept;
//       template <class Self, class Visitor>
//       static void visit_state(Self&, Visitor&) noexcept;
//     };
//
//  - `create` makes it empty and takes all memory. It says why it cannot.
//  - `parameters_of` gives all on which the results of records depend. No two machines have the same `kind`.
//  - `apply` does the records in order and tells reports, with the sequences of their records. The reports do not
//    depend on how the records are divided into calls. It does not allocate, and rejects a record that is none.
//  - `digest` is one of all that users can see: it is compared after a recovery.
//  - `visit_state` shows the state, for a snapshot (see snapshot/image.hpp).
//  - `holds` says whether a state that was read is safe to use: anyone can forge an image with a right checksum.
//
// Books become a machine in a `Matcher`.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>

#include "llmes/engine/journal/journal_format.hpp"
#include "llmes/engine/journal/journal_record.hpp"
#include "llmes/engine/report_target.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

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
