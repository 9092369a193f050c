// SPDX-License-Identifier: MIT
#include "bench/programs/engine/recovery.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "bench/harness/temporary_folder.hpp"
#include "llmes/engine.hpp"

namespace llmes::bench {
namespace {

using RecoveringEngine = Engine<EngineBooks>;

/// Seconds that a call takes.
template <class Call>
double seconds(const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void require(const JournalError& error) {
  if (error) throw std::runtime_error(to_string(error));
}

/// Writes the flow to a journal, and returns the digest of the books that it leads to.
std::uint64_t write_journal(const OrderFlow& flow, const std::string& directory) {
  JournalSummary summary;
  JournalError error;
  auto writer = JournalWriter<>::create(
      {.directory = directory, .parameters = parameters_of(flow.books)}, 1, [](std::span<const Record>) {},
      summary, error);
  require(error);
  auto books = Matcher<EngineBooks>::create(flow.books);
  if (!books) throw std::runtime_error("there is no memory for the books");
  NoReports nobody;
  std::vector<Record> batch;
  for (std::span<const Record> left = flow.records; !left.empty();) {
    const std::size_t size = std::min<std::size_t>(left.size(), 256);
    batch.assign(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(size));
    stamp(batch, writer->next_sequence());
    if (writer->append(batch) != AppendStatus::Success) require(writer->failure());
    books->apply(batch, nobody);
    left = left.subspan(size);
  }
  return logical_digest(*books);
}

std::unique_ptr<RecoveringEngine> recover(const OrderFlow& flow, const std::string& directory) {
  EngineError error;
  auto engine = RecoveringEngine::create({.books = flow.books, .journal = {.directory = directory}}, error);
  if (engine == nullptr) throw std::runtime_error(to_string(error));
  return engine;
}

}  // namespace

RecoveryTimes time_recovery(const OrderFlow& flow, const std::string& folder, std::size_t rounds) {
  const TemporaryFolder directory(folder, "bench_engine");
  const std::uint64_t digest = write_journal(flow, directory.path());
  RecoveryTimes times;
  times.commands = flow.records.size();
  times.journal_bytes = flow.records.size() * sizeof(Record);
  const auto time_engine = [&] {
    std::unique_ptr<RecoveringEngine> engine;
    const double time = seconds([&] { engine = recover(flow, directory.path()); });
    if (logical_digest(engine->books()) != digest) throw std::runtime_error("other books were recovered");
    times.resting = engine->books().book().book().size();
    return time;
  };
  for (std::size_t round = 0; round < rounds; ++round) {
    times.from_journal.push_back(time_engine());
    RecoverySummary summary;
    times.make_snapshot.push_back(
        seconds([&] { require(make_snapshot<EngineBooks>(directory.path(), flow.books, summary)); }));
    const std::string snapshot =
        directory.path() + '/' + std::string(Snapshots<EngineBooks>::name_of(times.commands).text());
    times.snapshot_bytes = std::filesystem::file_size(snapshot);
    times.from_snapshot.push_back(time_engine());
    std::filesystem::remove(snapshot);
  }
  return times;
}

}  // namespace llmes::bench
