// SPDX-License-Identifier: MIT
//
// The smallest machine that can go wrong: counters, in records that are longer than those of books.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "llmes/engine.hpp"
#include "tests/support/random.hpp"

namespace llmes::test {

/// A record of 64 bytes times `lines`.
template <std::size_t lines>
struct alignas(64) CountRecord {
  std::array<std::uint64_t, 8 * lines - 5> payload{};
  std::uint64_t sequence = 0;
  std::uint64_t counter = 0;
  std::uint64_t amount = 0;  ///< 0 tells all counters
  std::uint32_t index_in_write = 0;
  std::uint32_t checksum = 0;
  std::uint64_t reserved = 0;

  friend bool operator==(const CountRecord&, const CountRecord&) = default;
};

struct alignas(64) CountReport {
  std::array<std::uint64_t, 12> payload{};  ///< of the record, as far as it has one
  std::uint64_t counter = 0;
  std::uint64_t value = 0;
  std::uint64_t last = 0;  ///< whether it is the last one of its record
  std::uint64_t sequence = 0;

  friend bool operator==(const CountReport&, const CountReport&) = default;
};
static_assert(sizeof(CountReport) == 128);

template <std::size_t lines = 2>
class CountingMachine {
 public:
  using Record = CountRecord<lines>;
  using Report = CountReport;
  struct Config {
    std::uint64_t counters = 0;
  };

  static std::optional<CountingMachine> create(const Config& config, CreateStatus& status) noexcept {
    status = config.counters == 0 ? CreateStatus::InvalidCapacity : CreateStatus::Success;
    if (config.counters == 0) return {};
    return CountingMachine(config.counters);
  }
  /// All of them call themselves the same: only the size of their records differs.
  static JournalParameters parameters_of(const Config& config) noexcept {
    JournalParameters parameters("counters");
    (void)parameters.add("counters", config.counters);
    return parameters;
  }

  void apply(std::span<const Record> records, BasicReportTarget<Report>& target) noexcept {
    for (const Record& record : records) {
      std::uint64_t first = record.counter, end = first + 1;
      if (record.amount == 0) first = 0, end = size_;
      if (end > size_) first = size_ - 1, end = size_;  // a record that names none tells the last one
      if (record.counter < size_) values_[record.counter] += record.amount, total_ += record.amount;
      for (std::uint64_t counter = first; counter < end; ++counter) {
        Report report{.counter = counter, .value = values_[counter], .last = std::uint64_t{counter + 1 == end}};
        std::ranges::copy_n(record.payload.begin(), std::min<std::ptrdiff_t>(12, std::ssize(record.payload)),
                            report.payload.begin());
        report.sequence = record.sequence;
        target.room().front() = report;
        target.take(1);
      }
    }
  }

  [[nodiscard]] std::uint64_t digest() const noexcept {
    Digest digest;
    for (std::uint64_t i = 0; i < size_; ++i) digest.add(values_[i]);
    return digest.value();
  }
  [[nodiscard]] bool holds() const noexcept {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < size_; ++i) sum += values_[i];
    return sum == total_;
  }
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& visit) noexcept {
    visit(std::span(self.values_.get(), self.size_), self.total_);
  }

 private:
  explicit CountingMachine(std::uint64_t size) : values_(new std::uint64_t[size]()), size_(size) {}

  std::unique_ptr<std::uint64_t[]> values_;
  std::uint64_t size_;
  std::uint64_t total_ = 0;
};

/// Records of which some name no counter, and some tell all of them.
template <class Record>
[[nodiscard]] std::vector<Record> plan_counts(std::uint64_t seed, std::size_t count) {
  std::vector<Record> records(count);
  Random random(seed);
  for (Record& record : records) {
    for (std::uint64_t& word : record.payload) word = random.next();
    record.counter = random.below(12);
    record.amount = random.below(5);
  }
  stamp(records, 1);
  return records;
}

}  // namespace llmes::test
