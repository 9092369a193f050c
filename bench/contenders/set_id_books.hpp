// SPDX-License-Identifier: MIT
//
// A set of one book for any price, driven by the outside ids of orders: the set by itself, or with its publisher
// and reports, as the engine runs it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "bench/contenders/reporting_books.hpp"
#include "bench/harness/reports.hpp"
#include "bench/streams/digest.hpp"
#include "llmes/book.hpp"
#include "llmes/engine/journal/record.hpp"
#include "llmes/engine/matcher.hpp"
#include "llmes/engine/report.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/sets/book_set.hpp"

namespace llmes::bench {

/// One request at a time.
class SetById {
 public:
  [[nodiscard]] static BookRequest message_of(const Request& request) { return {request, 0}; }

  static std::optional<SetById> create(const BookConfig& config, std::size_t /*id_count*/) {
    std::optional<Set> set = Set::create({.max_books = 1, .capacity = config.capacity}, {});
    if (!set) return std::nullopt;
    static_cast<void>(set->add_book());
    return SetById(*std::move(set));
  }

  template <TradeSink Sink>
  [[gnu::always_inline]] Result apply(const BookRequest& request, Sink& sink) noexcept {
    return set_.apply(request, sink);
  }

  [[nodiscard]] std::optional<Price> best_bid() const { return set_.book(0)->best_bid(); }
  [[nodiscard]] std::size_t size() const { return set_.book().size(); }

 protected:
  using Set = IdBook<BookSet, HashedIds>;

  explicit SetById(Set&& set) : set_(std::move(set)) {}

  Set set_;
};

/// Spans of requests.
class SpansOfSetById : public SetById {
 public:
  static std::optional<SpansOfSetById> create(const BookConfig& config, std::size_t id_count) {
    std::optional<SetById> set = SetById::create(config, id_count);
    if (!set) return std::nullopt;
    return SpansOfSetById(*std::move(set));
  }

  void replay(std::span<const BookRequest> requests, ReportRing& reports, Digest& digest) {
    std::uint64_t misses = 0;
    while (!requests.empty()) {
      const std::span<const BookRequest> span = requests.first(std::min(span_length, requests.size()));
      set_.apply(
          span.size(), [span](std::size_t i) -> const BookRequest& { return span[i]; },
          [&](const Result& result, std::size_t i) {
            reports.write(span[i], result);
            misses += result.status != Status::Success;
          },
          digest);
      requests = requests.subspan(span.size());
    }
    digest.misses += misses;
  }

 private:
  explicit SpansOfSetById(SetById&& set) : SetById(std::move(set)) {}
};

/// Where the reports of the row below go: the latest are kept, as many as other rows keep. All are read once, for
/// the digest.
class ReadReports final : public ReportTarget {
 public:
  [[nodiscard]] std::span<llmes::Report> room() noexcept override { return std::span(reports_).subspan(next_); }

  void take(std::size_t written) noexcept override {
    for (const llmes::Report& report : std::span(reports_).subspan(next_, written)) {
      if (report.kind == ReportKind::Executed) {
        const llmes::Report::Fill& fill = report.fill;
        digest({.maker_id = fill.maker_id, .price = fill.price, .quantity = fill.quantity});
      } else if (report.kind == ReportKind::Done) {
        digest.count(status = report.status);
      }
    }
    next_ = (next_ + written) % reports_.size();
  }

  Digest digest;
  Status status{};  ///< of the latest request

 private:
  std::array<llmes::Report, ReportRing::size> reports_;
  std::size_t next_ = 0;
};

/// What the engine runs: a set with its publisher, which takes records and writes reports of 64 bytes, one for
/// each event and one that ends the request. One record at a time.
class PublishedSetById {
  using Engine = Matcher<IdBook<BookSet, HashedIds>>;

 public:
  [[nodiscard]] static Record message_of(const Request& request) { return record_of(BookRequest{request, 0}, 0); }

  static std::optional<PublishedSetById> create(const BookConfig& config, std::size_t /*id_count*/) {
    std::optional<Engine> engine = Engine::create({.books = 1, .capacity = config.capacity});
    if (!engine) return std::nullopt;
    return PublishedSetById(*std::move(engine));
  }

  /// Applies a record, and writes its reports.
  [[gnu::always_inline]] Status answer(const Record& record, Digest& digest) noexcept {
    apply({&record, 1}, digest);
    return reports_->status;
  }

  [[nodiscard]] std::optional<Price> best_bid() const { return engine_->book().book(0)->best_bid(); }
  [[nodiscard]] std::size_t size() const { return engine_->book().book().size(); }

 protected:
  explicit PublishedSetById(Engine&& engine) : engine_(std::make_unique<Engine>(std::move(engine))) {}

  /// Adds the trades to the digest. @return how many records were rejected.
  std::uint64_t apply(std::span<const Record> records, Digest& digest) noexcept {
    reports_->digest = {digest.checksum, digest.fills, 0};
    engine_->apply(records, *reports_);
    const Digest& now = reports_->digest;
    digest = {now.checksum, now.fills, digest.misses};
    return now.misses;
  }

 private:
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<ReadReports> reports_ = std::make_unique<ReadReports>();
};

/// Spans of records.
class SpansOfPublishedSetById : public PublishedSetById {
 public:
  static std::optional<SpansOfPublishedSetById> create(const BookConfig& config, std::size_t id_count) {
    std::optional<PublishedSetById> set = PublishedSetById::create(config, id_count);
    if (!set) return std::nullopt;
    return SpansOfPublishedSetById(*std::move(set));
  }

  void replay(std::span<const Record> records, ReportRing& /*reports*/, Digest& digest) {
    std::uint64_t misses = 0;
    while (!records.empty()) {
      const std::span<const Record> span = records.first(std::min(span_length, records.size()));
      misses += apply(span, digest);
      records = records.subspan(span.size());
    }
    digest.misses += misses;
  }

 private:
  explicit SpansOfPublishedSetById(PublishedSetById&& set) : PublishedSetById(std::move(set)) {}
};

/// The same for any band.
template <std::size_t N>
using SetIdsBook = SpansOfSetById;
template <std::size_t N>
using SetIdsSingleBook = SetById;
template <std::size_t N>
using SetIdsPublishedBook = SpansOfPublishedSetById;
template <std::size_t N>
using SetIdsPublishedSingleBook = PublishedSetById;

}  // namespace llmes::bench
