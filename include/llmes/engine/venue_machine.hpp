// SPDX-License-Identifier: MIT
//
// The machine that a venue is: its commands are journaled, mass cancels, kills and disconnects among them, and its
// reports name owners and all ids.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "llmes/book/order_pool.hpp"
#include "llmes/engine/journal/journal_format.hpp"
#include "llmes/engine/journal/record.hpp"
#include "llmes/engine/machine.hpp"
#include "llmes/engine/snapshot/image.hpp"
#include "llmes/engine/snapshot/image_check.hpp"
#include "llmes/engine/venue_record.hpp"  // IWYU pragma: export
#include "llmes/ids/hashed_ids.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/rules/venue_rules.hpp"
#include "llmes/sets/book_set.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/venue/accounts.hpp"
#include "llmes/venue/match_log.hpp"
#include "llmes/venue/symbols.hpp"
#include "llmes/venue/venue.hpp"
#include "llmes/venue/venue_command.hpp"
#include "llmes/venue/venue_report.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// The name of a venue with such books in a journal, and what its rules share out at least. Others have no
/// journal.
template <class Book>
inline constexpr std::pair<std::string_view, Quantity> kind_of_venue{};
template <Allocation allocation, Quantity minimum_share>
inline constexpr std::pair<std::string_view, Quantity>
    kind_of_venue<IdBook<BasicBookSet<OrderPool, VenueRules<allocation, minimum_share>>, HashedIds>>{
        allocation == Allocation::PriceTime ? "venue, price-time"
        : allocation == Allocation::ProRata ? "venue, pro-rata"
                                            : "venue, first and prorata",
        minimum_share};

/// `Book` is an `IdBook` of a set with rules, and of `HashedIds`.
template <class Book = VenueBook>
class VenueMachine {
 public:
  using Record = PartRecord;
  using Report = VenueReport;
  using Config = VenueConfig;

  /// Makes a venue whose books are empty: see `Venue::create`.
  [[nodiscard]] static std::optional<VenueMachine> create(const Config& config, CreateStatus& status) noexcept {
    std::optional<Venue<Book>> venue = Venue<Book>::create(config, status);
    if (!venue) return {};
    return VenueMachine(std::move(*venue));
  }

  /// Makes the commands of `records` in order, and writes their reports, with the sequences of their last records.
  /// A record that belongs to none is rejected as InvalidCommand.
  void apply(std::span<const Record> records, BasicReportTarget<Report>& target) noexcept {
    ReportWriter<Report> writer;
    writer.begin(target);
    for (const Record& record : records) {
      const VenueCommand* const command = reader_.take(record);
      if (command == nullptr) continue;
      venue_.quote(*command, reader_.entries(), record.sequence, writer);
      ++commands_;
    }
    writer.end();
  }

  /// How many commands it has made, which have one record or more each.
  [[nodiscard]] std::uint64_t commands() const noexcept { return commands_; }
  /// The venue, for every query.
  [[nodiscard]] const Venue<Book>& venue() const noexcept { return venue_; }

  // ---- What an engine asks of a machine (see machine.hpp).

  [[nodiscard]] static JournalParameters parameters_of(const Config& config) noexcept {
    static_assert(!kind_of_venue<Book>.first.empty(), "a venue with such books can have no journal");
    // A new member of the config does not compile here, as each must be among the parameters.
    const auto& [books, ids, accounts, holdings, fees, stops, lifetimes, links, matches, first_phase,
                 auction_self_trade] = config;
    static_assert(std::is_empty_v<std::remove_cvref_t<decltype(ids)>>);
    JournalParameters parameters(kind_of_venue<Book>.first);
    const auto add = [&parameters](std::string_view name, auto value) {
      (void)parameters.add(name, static_cast<std::uint64_t>(value));
    };
    add("minimum share", kind_of_venue<Book>.second);
    add("books", books.max_books);
    add("capacity", books.capacity);
    add("far levels", books.far_levels);
    add("largest quantity", books.quantity_max);
    add("accounts", accounts);
    add("holdings", holdings);
    add("maker fee", fees.maker);
    add("taker fee", fees.taker);
    add("stops", stops);
    add("lifetimes", lifetimes);
    add("links", links);
    add("matches", matches);
    add("first phase", first_phase);
    add("auction mode", auction_self_trade);
    return parameters;
  }

  /// Of all that queries answer about books and orders, accounts, symbols, trades and stops.
  [[nodiscard]] std::uint64_t digest() const noexcept {
    Digest digest;
    digest.add(logical_digest(venue_.book()));
    digest.add(venue_.now());
    digest.add(venue_.lifetimes());
    digest.add(venue_.stops().size());
    digest.add(venue_.links().size());
    for (BookNumber book = 0; const std::optional<Symbol> symbol = venue_.symbol(book); ++book) {
      add(digest, *symbol);
      for (const Side side : {Side::Buy, Side::Sell}) {
        venue_.stops().visit(book, side, [&digest](const VenueCommand& stop) { add(digest, stop); });
      }
    }
    const Accounts& accounts = venue_.risk().accounts();
    add(digest, accounts.venue_cash());
    for (AccountNumber account = 1; account <= accounts.size(); ++account) {
      for (const Amount amount :
           {accounts.cash(account), accounts.reserved(account), accounts.fees(account), accounts.settled(account)})
        add(digest, amount);
      digest.add(venue_.risk().open_count(account));
      digest.add(std::uint64_t{venue_.risk().killed(account)});
    }
    detail::visit_spans<LoggedMatch>(venue_, [&](auto part) {
      for (const LoggedMatch& match : part) add(digest, match);
    });
    std::uint64_t sum = 0;  // over the holdings, as no user sees the order in which they lie
    detail::visit_spans<Holding>(venue_, [&](auto part) {
      for (const Holding& holding : part) {
        Digest one;
        add(one, holding);
        if (!holding.is_idle() || holding.realised != 0) sum += one.value();
      }
    });
    digest.add(sum);
    return digest.value();
  }

  [[nodiscard]] bool holds() const noexcept {
    return ImageCheck::holds(venue_.book()) && venue_.holds() && reader_.holds();
  }

  static void visit_state(auto& self, auto& visit) noexcept { visit(self.venue_, self.reader_, self.commands_); }

 private:
  explicit VenueMachine(Venue<Book>&& venue) noexcept : venue_(std::move(venue)) {}

  template <class T>
  static void add(Digest& digest, const T& value) noexcept {
    for (const std::uint64_t word : std::bit_cast<std::array<std::uint64_t, sizeof(T) / 8>>(value))
      digest.add(word);
  }

  Venue<Book> venue_;
  VenueCommandReader reader_;
  std::uint64_t commands_ = 0;
};

}  // namespace llmes::inline LLMES_NAMESPACE
