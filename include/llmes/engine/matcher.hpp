// SPDX-License-Identifier: MIT
//
// The machine that books are: an engine without threads and files.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "llmes/detail/algorithm.hpp"
#include "llmes/engine/journal/journal_format.hpp"
#include "llmes/engine/journal/record.hpp"
#include "llmes/engine/machine.hpp"
#include "llmes/engine/report.hpp"
#include "llmes/engine/snapshot/image.hpp"
#include "llmes/engine/snapshot/image_check.hpp"
#include "llmes/ids/dense_ids.hpp"
#include "llmes/ids/hashed_ids.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/ids/id_lookup.hpp"
#include "llmes/market_data/publisher.hpp"
#include "llmes/sets/book_set.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The config of the index: `Index::Config`, or nothing where handles name orders.
template <class Book>
struct MatcherIds {
  struct Config {};
};
template <class Set, class Index>
struct MatcherIds<IdBook<Set, Index>> {
  using Config = typename Index::Config;
};

/// What a matcher is made for.
template <class Book>
struct MatcherConfig {
  std::size_t books = 0;     ///< 1 to `BookSet::books_max`, all there from the start
  std::size_t capacity = 0;  ///< this and the next two: see `BookSetConfig`
  std::size_t far_levels = BookSetConfig{}.far_levels;
  Quantity quantity_max = BookSetConfig{}.quantity_max;
  [[no_unique_address]] typename MatcherIds<Book>::Config ids{};

  /// The config of the set.
  [[nodiscard]] constexpr BookSetConfig set() const noexcept {
    return {.max_books = books, .capacity = capacity, .far_levels = far_levels, .quantity_max = quantity_max};
  }
};

/// The name of such books in a journal, for all that determines handles: pool and index. Others have no journal.
template <class Book>
inline constexpr std::string_view kind_of_books{};
template <>
inline constexpr std::string_view kind_of_books<BookSet> = "books, by handle";
template <>
inline constexpr std::string_view kind_of_books<IdBook<BookSet, DenseIds>> = "books, by dense id";
template <>
inline constexpr std::string_view kind_of_books<IdBook<BookSet, HashedIds>> = "books, by hashed id";
template <>
inline constexpr std::string_view kind_of_books<IdBook<PlacedBookSet, PlacedIds>> = "books, by placed id";

/// The parameters that the files of these books hold.
template <class Book>
[[nodiscard]] constexpr JournalParameters parameters_of(const MatcherConfig<Book>& config) noexcept {
  static_assert(!kind_of_books<Book>.empty(), "such a set with such an index can have no journal");
  JournalParameters parameters(kind_of_books<Book>);
  (void)parameters.add("books", config.books);
  (void)parameters.add("capacity", config.capacity);
  (void)parameters.add("far levels", config.far_levels);
  (void)parameters.add("largest quantity", config.quantity_max);
  if constexpr (std::is_same_v<decltype(config.ids), DenseIds::Config>) {
    (void)parameters.add("first id", config.ids.first);
    (void)parameters.add("ids", config.ids.count);
  }
  return parameters;
}

/// `Book` is a `BookSet` (commands by handle), or an `IdBook` of one. Memory: the books, and 24 bytes for each.
template <class Book>
class Matcher {
  static constexpr bool by_id = requires { typename Book::RequestType; };

 public:
  using Record = llmes::Record;
  using Report = llmes::Report;
  using Config = MatcherConfig<Book>;

  /// Makes empty books, or nothing, and `status` says why. All memory is allocated and touched here.
  /// @param status what `Book::create` says, or OutOfMemory, or Success.
  [[nodiscard]] static std::optional<Matcher> create(const Config& config,
                                                     CreateStatus& status = NoStatus{}) noexcept {
    std::optional<Book> book = make_book(config, status);
    std::unique_ptr<Reporter> reporter(new (std::nothrow) Reporter);
    if (!book || reporter == nullptr) {
      if (book) status = CreateStatus::OutOfMemory;
      return {};
    }
    auto publisher = Publisher<Book, Reporter&>::create(std::move(*book), *reporter, status);
    if (!publisher) return {};
    for (std::size_t i = 0; i < config.books; ++i) (void)publisher->add_book();
    return Matcher(std::move(reporter), std::move(*publisher));
  }

  /// Applies the commands of `records` in order, and writes their reports, with the sequences of their records. A
  /// record that is no command is rejected as by the book.
  void apply(std::span<const Record> records, ReportTarget& target) noexcept {
    reporter_->begin(records, target);
    while (!records.empty()) {
      // std::ranges::find takes two instructions more for each record.
      const auto found = std::find_if(records.begin(), records.end(),
                                      [](const Record& record) { return record.type == Clear::type; });
      const auto calls = static_cast<std::size_t>(found - records.begin());
      apply_calls(records.first(calls));
      if (calls != records.size()) (*reporter_)(clear(clear_of(records[calls])));
      records = records.subspan(std::min(calls + 1, records.size()));
    }
    reporter_->end();
  }

  /// The books, for every query.
  [[nodiscard]] const Book& book() const noexcept { return publisher_.book(); }
  /// How many events of each stream a book has told.
  [[nodiscard]] StreamPositions positions(BookNumber book) const noexcept { return publisher_.positions(book); }

  // ---- What an engine asks of a machine (see machine.hpp).

  [[nodiscard]] static JournalParameters parameters_of(const Config& config) noexcept {
    return llmes::parameters_of(config);
  }
  [[nodiscard]] std::uint64_t digest() const noexcept { return logical_digest(*this); }
  [[nodiscard]] bool holds() const noexcept { return ImageCheck::holds(book()); }

  static void visit_state(auto& self, auto& visit) noexcept { visit(self.publisher_); }

 private:
  /// Writes reports: the sink of the publisher, and the receiver of results.
  class Reporter {
   public:
    void begin(std::span<const Record> records, ReportTarget& target) noexcept {
      record_ = records.data();
      writer_.begin(target);
    }
    void end() noexcept { writer_.end(); }

    void added(const OrderAdded& event) noexcept {
      const RestingOrder& order = event.order;
      if (event.in_front_of == OrderHandle{}) return tell_order(event, ReportKind::Added, order, 0);
      Report& report = next(event.book, ReportKind::AddedBefore, order.side);
      std::construct_at(&report.placement, Report::Placement{event.sequence, order.id, order.handle, order.price,
                                                             order.quantity, event.in_front_of});
    }
    void executed(const OrderExecuted& event) noexcept {
      const Trade& trade = event.trade;
      Report& report = next(event.book, ReportKind::Executed, trade.taker_side);
      std::construct_at(&report.fill, Report::Fill{event.sequence, trade.maker_id, trade.maker_handle, trade.price,
                                                   trade.quantity, trade.maker_remaining});
    }
    void reduced(const OrderReduced& event) noexcept {
      tell_order(event, ReportKind::Reduced, event.order, event.by);
    }
    void deleted(const OrderDeleted& event) noexcept { tell_order(event, ReportKind::Deleted, event.order, 0); }
    void replaced(const OrderReplaced& event) noexcept {
      const RestingOrder& now = event.order;
      Report& report = next(event.book, ReportKind::Replaced, now.side);
      std::construct_at(&report.replacement, Report::Replacement{event.sequence, event.old_order.handle, now.id,
                                                                 now.handle, now.price, now.quantity});
    }

    [[gnu::always_inline]] void operator()(const Result& result) noexcept {
      const Record& record = *record_;
      if constexpr (by_id) {
        const bool rests = result.status == Status::Success && result.rests();
        if (has_new_id(record.type) && !rests) tell_ids(record);
      }
      Report& report = next(record.book, ReportKind::Done, Side::Buy);
      report.status = result.status;
      report.kept_place = result.kept_place;
      std::construct_at(&report.outcome, Report::Outcome{record.id, result.handle, result.filled, result.remaining,
                                                         result.cancelled, record.time});
      ++record_;
    }

   private:
    void tell_order(const Event& event, ReportKind kind, const RestingOrder& order, Quantity reduced_by) noexcept {
      Report& report = next(event.book, kind, order.side);
      std::construct_at(&report.order, Report::Order{event.sequence, order.id, order.handle, order.price,
                                                     order.quantity, reduced_by});
    }
    void tell_ids(const Record& record) noexcept {
      Report& report = next(record.book, ReportKind::NewId, Side::Buy);
      std::construct_at(&report.ids, Report::Ids{record.id, record.other, {}});
    }
    [[nodiscard]] Report& next(BookNumber book, ReportKind kind, Side side) noexcept {
      Report& report = writer_.next();
      report.sequence = record_->sequence;
      report.book = book;
      report.kind = kind;
      report.side = side;
      report.status = Status::Success;
      report.kept_place = false;
      return report;
    }

    ReportWriter<Report> writer_;
    const Record* record_ = nullptr;  ///< of the command that the books are at
  };

  Matcher(std::unique_ptr<Reporter> reporter, Publisher<Book, Reporter&>&& publisher) noexcept
      : reporter_(std::move(reporter)), publisher_(std::move(publisher)) {}

  [[nodiscard]] static std::optional<Book> make_book(const Config& config, CreateStatus& status) noexcept {
    if constexpr (by_id) {
      return Book::create(config.set(), config.ids, status);
    } else {
      return Book::create(config.set(), status);
    }
  }

  /// Records that are commands of the books.
  void apply_calls(std::span<const Record> records) noexcept {
    if constexpr (by_id) {
      const auto at = [records](std::size_t i) __attribute__((always_inline)) {
        return request_of(records[i]);
      };
      publisher_.apply(records.size(), at, *reporter_, DiscardTrades{});
    } else {
      // These books take commands that lie one after the other.
      std::array<BookCommand, BookSet::block> commands;
      while (!records.empty()) {
        const std::size_t count = std::min(commands.size(), records.size());
        detail::transform(records.first(count), commands.begin(), command_of);
        publisher_.apply(std::span<const BookCommand>(commands).first(count), *reporter_, DiscardTrades{});
        records = records.subspan(count);
      }
    }
  }

  [[nodiscard]] Result clear(const Clear& what) noexcept {
    const auto& set = book_set_of(book());
    const auto books = static_cast<BookNumber>(set.book_count());
    if (what.book && *what.book >= books) return {Status::UnknownBook};
    if (what.side && *what.side > Side::Sell) return {Status::InvalidCommand};
    Result result{};
    const auto count = [&result](const RestingOrder& order) {
      result.cancelled += std::min(order.quantity, std::numeric_limits<Quantity>::max() - result.cancelled);
    };
    const BookNumber end = what.book ? *what.book + 1 : books;
    for (BookNumber number = what.book.value_or(0); number < end; ++number) {
      for (const Side side : {Side::Buy, Side::Sell}) {
        if (what.side.value_or(side) != side) continue;
        set.book(number)->visit_orders(side, count);
        (void)publisher_.clear(number, side);
      }
    }
    return result;
  }

  std::unique_ptr<Reporter> reporter_;
  Publisher<Book, Reporter&> publisher_;
};

namespace detail {
template <class T>
struct MachineOf {
  using Type = Matcher<T>;
};
template <class T>
  requires requires {
    typename T::Record;
    typename T::Report;
  }
struct MachineOf<T> {
  static_assert(Machine<T>, "see machine.hpp for what a machine has");
  using Type = T;
};
}  // namespace detail

/// What an engine of `T` runs: a machine, or the matcher of books.
template <class T>
using MachineOf = typename detail::MachineOf<T>::Type;

}  // namespace llmes::inline LLMES_NAMESPACE
