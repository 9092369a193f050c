// SPDX-License-Identifier: MIT
//
// A venue: commands in, reports out. It is books with rules, by ids, and what wraps them: accounts and their
// limits, phases, halts, bands, stops, lifetimes, linked orders, auctions and busts.
//
//  - It is deterministic: a function of its config and its commands. Time comes with each command, and moves what
//    is due only by Advance. The same commands give the same reports, byte for byte.
//  - After `create`, nothing allocates, locks, throws or calls the system.
//  - A command does all that it says, or is rejected with a status that says why.
//
// The owner of an order in the books is its account.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "llmes/ids/hashed_ids.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/rules/venue_rules.hpp"
#include "llmes/sets/book_set.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/accounts.hpp"
#include "llmes/venue/match_log.hpp"
#include "llmes/venue/order_words.hpp"
#include "llmes/venue/quote.hpp"
#include "llmes/venue/risk.hpp"
#include "llmes/venue/risk_types.hpp"
#include "llmes/venue/symbols.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/venue/venue_operations.hpp"
#include "llmes/venue/venue_report.hpp"
#include "llmes/venue/venue_state.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The books of a venue, unless it is made with others.
using VenueBook = IdBook<RuledBookSet, HashedIds>;

/// The sizes of a venue, which are fixed, and what it decides once.
struct VenueConfig {
  BookSetConfig books{};  ///< all are there from the start
  HashedIds::Config ids{};
  std::uint32_t accounts = 0;  ///< this and the next two: see `RiskConfig`
  std::size_t holdings = 0;
  Fees fees{};
  std::size_t stops = 1;  ///< how many may wait; at least 1
  /// How many orders may have another one than UntilCancelled; at least 1. Where there is no room, an order that
  /// meets the other side trades, and what is left of it is dropped if it still finds none.
  std::size_t lifetimes = 1;
  std::size_t links = 1;                  ///< how many pairs and brackets there may be; at least 1
  std::size_t matches = 1;                ///< how many trades are kept, so that they can be undone; at least 1
  Phase first_phase = Phase::Continuous;  ///< of all books
  SelfTrade auction_self_trade = SelfTrade::Decrement;  ///< or `Allow`

  [[nodiscard]] constexpr bool has_modes() const noexcept {
    return first_phase <= Phase::Closed &&
           (auction_self_trade == SelfTrade::Allow || auction_self_trade == SelfTrade::Decrement);
  }
  /// One more order than the books: so that they say when they are full, and not to an order that trades at once.
  [[nodiscard]] constexpr RiskConfig risk() const noexcept {
    return {.accounts = accounts,
            .books = static_cast<std::uint32_t>(books.max_books),
            .orders = books.capacity + 1,
            .holdings = holdings,
            .fees = fees};
  }
};

/// `Book` is an `IdBook` of a set with rules, or what makes its calls and publishes them, such as a `Publisher` of
/// one. One thread at a time may use a venue.
template <class Book = VenueBook>
class Venue {
  using State = detail::VenueState<Book>;

 public:
  using Config = VenueConfig;

  /// Makes a venue whose books are empty, or nothing, and `status` says why. Allocates and touches all memory.
  /// @param status what `IdBook::create` and `RiskStage::create` say; InvalidCapacity also if `matches` is 0, or
  /// `book` is not as the config says; InvalidMode if `first_phase` or `auction_self_trade` is none.
  [[nodiscard]] static std::optional<Venue> create(const Config& config,
                                                   CreateStatus& status = NoStatus{}) noexcept
    requires requires { Book::create(config.books, config.ids, status); }
  {
    std::optional<Book> book = Book::create(config.books, config.ids, status);
    if (!book) return {};
    return create(config, std::move(*book), status);
  }
  /// The same with books of the config, which are empty and have not been added to their set yet.
  [[nodiscard]] static std::optional<Venue> create(const Config& config, Book&& book,
                                                   CreateStatus& status) noexcept {
    status = CreateStatus::InvalidMode;
    if (!config.has_modes()) return {};
    const auto books = static_cast<BookNumber>(config.books.max_books);
    std::optional<RiskStage> risk = RiskStage::create(config.risk(), status);
    if (!risk) return {};
    std::optional<StopOrders> stops = StopOrders::create({books, config.stops}, status);
    if (!stops) return {};
    std::optional<Expiry> expiry = Expiry::create({books, config.lifetimes}, status);
    if (!expiry) return {};
    std::optional<LinkedOrders> links = LinkedOrders::create({config.links}, status);
    if (!links) return {};
    status = config.matches == 0 ? CreateStatus::InvalidCapacity : CreateStatus::OutOfMemory;
    if (config.matches == 0) return {};
    Symbols symbols(books, config.first_phase);
    MatchLog matches(config.matches);
    if (symbols.size() != books || !matches.allocated()) return {};
    std::optional<Venue> venue{Venue({.book = std::move(book),
                                      .risk = std::move(*risk),
                                      .symbols = std::move(symbols),
                                      .matches = std::move(matches),
                                      .stops = std::move(*stops),
                                      .expiry = std::move(*expiry),
                                      .links = std::move(*links),
                                      .lifetimes_max = config.lifetimes,
                                      .quantity_max = config.books.quantity_max,
                                      .auction_self_trade = config.auction_self_trade})};
    const auto& set = venue->state_.set();
    status = CreateStatus::InvalidCapacity;  // of other books, whose orders the accounts would not know
    if (set.book_count() != 0 || set.books() != books || set.capacity() != config.books.capacity) return {};
    status = CreateStatus::Success;
    for (BookNumber i = 0; i < books; ++i) (void)venue->state_.book.add_book();
    return venue;
  }

  /// Makes a command, and gives `reports` each `VenueReport` of it in order, the last of which is Done. `reports`
  /// is called with each, or it has a `next()` that gives the place of the next one, as a `VenueReport&`: then a
  /// report is made there, and never copied. It must not call the venue; its exception would end the program.
  /// @param sequence goes into the reports as it is.
  template <class Reports>
  void apply(const VenueCommand& command, std::uint64_t sequence, Reports&& reports) noexcept {
    quote(command, {}, sequence, reports);
  }
  /// The same of a mass quote and its entries, in their order; another command has none. Its account, the number
  /// of entries and the rate of messages, as one of which it counts, are looked at first. Each entry then goes as
  /// an order of its own would, and is told by Quoted, so that `status` of one is also:
  ///  - InvalidCommand (the order that it replaces is in another book or on the other side), UnknownOrder (of 0
  ///    lots, and the account has no order with this id), DuplicateId (somebody else's order or a stop has the
  ///    id).
  ///
  /// What its trades set off, such as stops, follows when all entries are made. Its Done has the lots that they
  /// have traded and dropped. Rejections as a whole: InvalidCommand (more than `quote_entries_max` entries, a time
  /// in force that may not rest, a word that is none), RefusedByRisk (UnknownAccount, AccountKilled,
  /// TooManyMessages); and QuoteRefused with `QuoteMode::AllOrNone`. Linear in the entries.
  template <class Reports>
  void quote(const VenueCommand& command, std::span<const QuoteEntry> entries, std::uint64_t sequence,
             Reports&& reports) noexcept {
    detail::VenueOperations<Book, std::remove_reference_t<Reports>> work(state_, reports, sequence, command.time);
    work.end(command, work.make(command, entries));
  }

  // ---- Queries.

  /// The books, for every query of their own.
  [[nodiscard]] const Book& book() const noexcept { return state_.book; }
  /// The accounts: what they own, and their open orders.
  [[nodiscard]] const RiskStage& risk() const noexcept { return state_.risk; }
  /// What is traded in a book, and whether it trades now; nothing if there is no such book.
  [[nodiscard]] std::optional<Symbol> symbol(BookNumber book) const noexcept {
    if (!state_.symbols.has(book)) return {};
    return state_.symbols[book];
  }
  /// A trade by its match number, if it is kept.
  [[nodiscard]] std::optional<LoggedMatch> match(std::uint64_t number) const noexcept {
    return state_.matches.at(number);
  }
  /// The stops that wait.
  [[nodiscard]] const StopOrders& stops() const noexcept { return state_.stops; }
  /// The orders that are linked, and the children of brackets that wait.
  [[nodiscard]] const LinkedOrders& links() const noexcept { return state_.links; }
  /// How many orders and stops end by themselves.
  [[nodiscard]] std::size_t lifetimes() const noexcept { return state_.expiry.size(); }
  /// The time of the command accepted last.
  [[nodiscard]] Nanoseconds now() const noexcept { return state_.now; }

  /// Whether its state is one that commands can lead to, if it comes from an untrusted image, and its books have
  /// been checked. The sink to which they are published is asked too, if it has a `holds()`. Linear.
  [[nodiscard]] bool holds() const noexcept { return state_.holds(); }

  /// Its state, part by part, for an image (see engine/snapshot/image.hpp).
  static void visit_state(auto& self, auto& visit) noexcept { visit(self.state_); }

 private:
  explicit Venue(State&& state) noexcept : state_(std::move(state)) {}

  State state_;
};

}  // namespace llmes::inline LLMES_NAMESPACE
