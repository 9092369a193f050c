// SPDX-License-Identifier: MIT
#include "bench/programs/engine/engine_service.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/harness/temporary_folder.hpp"

namespace llmes::bench {
namespace {

constexpr std::size_t ring_of_commands = 65'536;
constexpr std::size_t ring_of_reports = 131'072;
constexpr std::size_t span = 64;

/// Reads reports, and says which commands are done. The first command has sequence 1.
template <class OnDone>
void read_reports(std::span<const Report> reports, Digest& digest, const OnDone& done) {
  for (const Report& report : reports) {
    fold_report(digest, report);
    if (report.kind == ReportKind::Done) done(report.sequence - 1, report.outcome.time);
  }
}

template <class DueOf>
void write_record(Record& slot, const Record& record, std::size_t message, const DueOf& due_of) {
  slot = record;
  slot.time = due_of(message);
}

template <WaitStrategy Wait>
class EnginePath {
 public:
  static constexpr bool waits_busily = std::is_same_v<Wait, SpinWait>;

  EnginePath(const OrderFlow& flow, const EngineOptions& options) : records_(flow.records) {
    typename Engine<EngineBooks, Wait>::Config config{
        .books = flow.books, .commands = ring_of_commands, .reports = ring_of_reports};
    if (options.journal != Durability::None) {
      folder_.emplace(options.journal_folder, "bench_engine");
      config.journal = {.directory = folder_->path(), .durability = options.journal};
    }
    EngineError error;
    engine_ = Engine<EngineBooks, Wait>::create(config, error);
    if (engine_ == nullptr) throw std::runtime_error("the engine could not be made: " + to_string(error));
    const OnCore server(options.cores ? std::optional(options.cores->server) : std::nullopt);
    engine_->start();
  }

  template <class DueOf>
  std::size_t send(std::size_t first, std::size_t count, const DueOf& due_of) {
    const std::span<Record> room = engine_->claim(count);
    for (std::size_t i = 0; i < room.size(); ++i) write_record(room[i], records_[first + i], first + i, due_of);
    if (!room.empty()) engine_->publish(room.size());
    return room.size();
  }

  template <class OnDone>
  bool receive(const OnDone& done) {
    const std::span<const Report> reports = engine_->reports(span);
    if (reports.empty()) return false;
    read_reports(reports, digest_, done);
    engine_->release(reports.size());
    return true;
  }

  [[nodiscard]] Digest& digest() { return digest_; }
  [[nodiscard]] bool stopped() const { return engine_->state() != EngineState::Running; }
  [[nodiscard]] std::string reason() const {
    return engine_->state() == EngineState::JournalFailed ? to_string(engine_->journal_error())
                                                          : "its thread has ended";
  }

 private:
  std::span<const Record> records_;
  std::optional<TemporaryFolder> folder_;
  std::unique_ptr<Engine<EngineBooks, Wait>> engine_;
  Digest digest_;
};

class OneThreadPath {
 public:
  static constexpr bool waits_busily = true;

  explicit OneThreadPath(const OrderFlow& flow)
      : records_(flow.records), matcher_(Matcher<EngineBooks>::create(flow.books)) {
    if (!matcher_) throw std::runtime_error("the books could not be made: too little memory?");
  }

  /// Takes no more until all is read, or the buffer could become full.
  template <class DueOf>
  std::size_t send(std::size_t first, std::size_t count, const DueOf& due_of) {
    if (!reports_.readable(1).empty()) return 0;
    for (std::size_t i = 0; i < count; ++i) {
      write_record(commands_[i], records_[first + i], first + i, due_of);
      commands_[i].sequence = first + i + 1;
    }
    matcher_->apply(std::span(commands_).first(count), reports_);
    return count;
  }

  template <class OnDone>
  bool receive(const OnDone& done) {
    const std::span<const Report> reports = reports_.readable(span);
    read_reports(reports, digest_, done);
    reports_.release(reports.size());
    return !reports.empty();
  }

  [[nodiscard]] Digest& digest() { return digest_; }
  [[nodiscard]] static bool stopped() { return false; }
  [[nodiscard]] static std::string reason() { return {}; }

 private:
  /// A ring without a second thread.
  class Buffer final : public ReportTarget {
   public:
    [[nodiscard]] std::span<Report> room() noexcept override { return std::span(slots_).subspan(end_ % size); }
    void take(std::size_t written) noexcept override { end_ += written; }
    [[nodiscard]] std::span<const Report> readable(std::size_t most) const {
      const std::size_t first = begin_ % size;
      return std::span(slots_).subspan(first, std::min({most, end_ - begin_, size - first}));
    }
    void release(std::size_t count) { begin_ += count; }

   private:
    static constexpr std::size_t size = ring_of_reports;

    std::vector<Report> slots_ = std::vector<Report>(size);
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
  };

  std::span<const Record> records_;
  std::optional<Matcher<EngineBooks>> matcher_;
  std::array<Record, span> commands_;
  Buffer reports_;
  Digest digest_;
};

template <WaitStrategy Wait>
std::unique_ptr<Service> engine_that_waits(const OrderFlow& flow, const EngineOptions& options) {
  return std::make_unique<ServiceOver<EnginePath<Wait>>>(flow.warm_up, flow, options);
}

}  // namespace

std::unique_ptr<Service> make_engine_service(const OrderFlow& flow, const EngineOptions& options) {
  if (options.wait == "spin") return engine_that_waits<SpinWait>(flow, options);
  if (options.wait == "yield") return engine_that_waits<YieldWait>(flow, options);
  return engine_that_waits<BlockWait>(flow, options);
}

std::unique_ptr<Service> make_one_thread_service(const OrderFlow& flow) {
  return std::make_unique<ServiceOver<OneThreadPath>>(flow.warm_up, flow);
}

}  // namespace llmes::bench
