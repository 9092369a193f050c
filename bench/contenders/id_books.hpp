// SPDX-License-Identifier: MIT
//
// The core driven by the outside ids of orders, through an index of the library: one request at a time, or in
// spans.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "bench/contenders/lazy_id_book.hpp"
#include "bench/contenders/reporting_books.hpp"
#include "bench/harness/reports.hpp"
#include "bench/streams/digest.hpp"
#include "llmes/book.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/ids/id_index.hpp"

namespace llmes::bench {

/// One request at a time.
template <class CoreType, class Index, template <class, class> class ById = IdBook>
class SingleByIdBook {
  using Book = ById<CoreType, Index>;

 public:
  using Core = CoreType;

  static std::optional<SingleByIdBook> create(const BookConfig& config, std::size_t id_count) {
    typename Index::Config ids{};
    if constexpr (std::same_as<Index, DenseIds>) ids = {.first = 0, .count = id_count};
    std::optional<Book> book = Book::create(config, ids);
    if (!book) return std::nullopt;
    return SingleByIdBook(*std::move(book));
  }

  template <TradeSink Sink>
  [[gnu::always_inline]] Result apply(const Request& request, Sink& sink) noexcept {
    return book_.apply(request, sink);
  }

  [[nodiscard]] std::optional<Price> best_bid() const { return book_.book().best_bid(); }
  [[nodiscard]] std::size_t size() const { return book_.book().size(); }

 protected:
  explicit SingleByIdBook(Book&& book) : book_(std::move(book)) {}

  Book book_;
};

/// Spans of requests.
template <class CoreType, class Index, template <class, class> class ById = IdBook>
class SpansByIdBook : public SingleByIdBook<CoreType, Index, ById> {
  using Base = SingleByIdBook<CoreType, Index, ById>;

 public:
  static std::optional<SpansByIdBook> create(const BookConfig& config, std::size_t id_count) {
    std::optional<Base> book = Base::create(config, id_count);
    if (!book) return std::nullopt;
    return SpansByIdBook(*std::move(book));
  }

  void replay(std::span<const Request> requests, ReportRing& reports, Digest& digest) {
    std::uint64_t misses = 0;
    while (!requests.empty()) {
      const std::span<const Request> span = requests.first(std::min(span_length, requests.size()));
      this->book_.apply(
          span.size(), [&](std::size_t i) -> const Request& { return span[i]; },
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
  explicit SpansByIdBook(Base&& book) : Base(std::move(book)) {}
};

template <std::size_t N>
using CoreIdsBook = SpansByIdBook<BookForBand<N>, DenseIds>;
template <std::size_t N>
using CoreIdsHashedBook = SpansByIdBook<BookForBand<N>, HashedIds>;
template <std::size_t N>
using CoreIdsSingleBook = SingleByIdBook<BookForBand<N>, DenseIds>;
template <std::size_t N>
using CoreIdsSingleHashedBook = SingleByIdBook<BookForBand<N>, HashedIds>;
template <std::size_t N>
using LazyIdsBook = SpansByIdBook<BookForBand<N>, DenseIds, LazyIdBook>;
template <std::size_t N>
using LazyIdsHashedBook = SpansByIdBook<BookForBand<N>, HashedIds, LazyIdBook>;
template <std::size_t N>
using LazyIdsSingleHashedBook = SingleByIdBook<BookForBand<N>, HashedIds, LazyIdBook>;

/// The same for any band.
template <std::size_t N>
using AnyIdsHashedBook = SpansByIdBook<AnyPriceBook<>, HashedIds>;
template <std::size_t N>
using AnyIdsSingleHashedBook = SingleByIdBook<AnyPriceBook<>, HashedIds>;

}  // namespace llmes::bench
