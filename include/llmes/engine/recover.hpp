// SPDX-License-Identifier: MIT
//
// How an engine finds its machine again. A part of engine.hpp.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "llmes/engine/journal/files.hpp"
#include "llmes/engine/journal/journal.hpp"
#include "llmes/engine/journal/journal_directory.hpp"
#include "llmes/engine/journal/journal_error.hpp"
#include "llmes/engine/report_target.hpp"
#include "llmes/engine/snapshot/snapshot.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// Gives a new machine the state of the newest snapshot of a directory and of the later commands, and opens the
/// journal behind them.
template <class M, FileSystem Files>
[[nodiscard]] JournalError recover(const JournalConfig& config, const typename M::Config& machine_config,
                                   const Files& files, M& machine,
                                   std::optional<JournalWriter<Files, typename M::Record>>& journal,
                                   RecoverySummary& summary) {
  // The previous owner of the directory may have written and deleted segments until it is locked here.
  JournalDirectory<Files> directory(files);
  JournalError error = directory.open(config.directory);
  if (!error) error = directory.lock();
  if (error) return error;
  Snapshots<M, Files> snapshots(directory, machine_config);
  error = snapshots.load(snapshots.no_limit, machine, summary);
  if (error) return error;
  struct Replay {
    void operator()(std::span<const typename M::Record> records) { snapshots.apply(records, machine, nobody); }
    [[nodiscard]] JournalError check(const JournalSummary& read) const { return snapshots.compare(read); }
    Snapshots<M, Files>& snapshots;
    M& machine;
    BasicNoReports<typename M::Report> nobody{};
  };
  journal = JournalWriter<Files, typename M::Record>::create(std::move(directory), config, snapshots.mark(),
                                                             Replay{snapshots, machine}, summary.journal, error);
  return error;
}

}  // namespace llmes::inline LLMES_NAMESPACE::detail
