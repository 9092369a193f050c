// SPDX-License-Identifier: MIT
//
// A file of any format as market events, and what has to be known of it before they can be played.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "llmes/detail/hash.hpp"
#include "llmes/detail/probing_table.hpp"
#include "llmes/simulator.hpp"
#include "pieces.hpp"
#include "table.hpp"

namespace llmes::python {

/// The books of a tape that are played: numbers from 0, a name and one step of prices for all.
struct Selection {
  static constexpr BookNumber not_played = every_book - 1;

  std::vector<BookNumber> numbers;  ///< by the book of the file; `not_played`, as is one beyond the end
  std::vector<BookNumber> books;    ///< of the file, by number
  std::vector<std::string> names;
  Price step = 1;             ///< all prices are multiples of it
  std::size_t additions = 1;  ///< orders that come
  std::size_t resting = 1;    ///< no more orders than these rest at once
  FeedCounts feed{};          ///< of all of the file, at its finest tick
  TapeFormat format = TapeFormat::Unknown;

  /// Gives an event the number of its book. @return whether it is played
  [[nodiscard]] bool takes(MarketEvent& event) const noexcept {
    if (event.book == every_book) return true;
    event.book = event.book < numbers.size() ? numbers[event.book] : not_played;
    return event.book != not_played;
  }
  /// The id of an order as the file has it.
  [[nodiscard]] OrderId id_of(BookNumber number, OrderId id) const noexcept {
    return format == TapeFormat::Dbn ? salted_id(books[number], id) : id;
  }
  [[nodiscard]] ColumnKind time_kind() const noexcept {
    return counts_from_1970(format) ? ColumnKind::Timestamp : ColumnKind::Duration;
  }
};

/// The bytes of a file, in pieces of any size, as market events.
class TapeFeed {
 public:
  explicit TapeFeed(Price tick = 1) : reader_(65'535, tick) {}

  /// Throws std::runtime_error, with the offset, if the bytes are no such file.
  template <class Take>
  void feed(std::span<const std::byte> bytes, Take&& take) {
    pieces_.feed(bytes, [&](std::span<const std::byte> some) {
      const std::size_t used = reader_.read(some, false, take);
      check();
      return used;
    });
  }
  /// Says that there are no more bytes.
  template <class Take>
  void finish(Take&& take) {
    reader_.read(pieces_.rest(), true, take);
    check();
  }
  /// The same for the events of a selection: `play` gets them in blocks, so that it may look ahead.
  template <class Play>
  void feed(std::span<const std::byte> bytes, const Selection& selection, const Play& play) {
    in_blocks(selection, play, [&](const auto& take) { feed(bytes, take); });
  }
  template <class Play>
  void finish(const Selection& selection, const Play& play) {
    in_blocks(selection, play, [&](const auto& take) { finish(take); });
  }
  [[nodiscard]] const TapeReader& reader() const { return reader_; }

 private:
  template <class Play, class Read>
  void in_blocks(const Selection& selection, const Play& play, const Read& read) {
    const auto play_block = [&] { play(std::span<const MarketEvent>(block_).first(std::exchange(events_, 0))); };
    read([&](const MarketEvent& event) {
      MarketEvent& last = block_[events_];
      last = event;
      if (selection.takes(last) && ++events_ == block_.size()) play_block();
    });
    play_block();
  }
  void check() const {
    if (reader_.has_failed()) throw std::runtime_error(reader_.fault());
  }

  TapeReader reader_;
  Pieces pieces_;
  std::array<MarketEvent, 256> block_;
  std::size_t events_ = 0;  ///< of the block
};

/// How many events did not fit, by the reason, and which records of the file made none.
using Faults = std::map<std::string, std::uint64_t>;
using StatusCounts = std::array<std::uint64_t, TapeCounts::statuses>;
[[nodiscard]] Faults faults_of(const StatusCounts& statuses, const FeedCounts& feed);

/// Counts the orders that rest, without books.
class RestingCount {
 public:
  void take(const MarketEvent& event);
  /// The most that have rested at once.
  [[nodiscard]] std::size_t most() const { return most_; }

 private:
  struct Entry {
    OrderId id;
    Quantity lots;  ///< 0: the entry is free
    BookNumber book;
    Side side;
    [[nodiscard]] bool used() const { return lots != 0; }
    [[nodiscard]] std::uint32_t hash() const { return static_cast<std::uint32_t>(hash_of(id) >> 32); }
  };

  [[nodiscard]] std::size_t find(OrderId id) const;
  void put(const Entry& entry);
  void take_off(OrderId id, Quantity lots);
  void clear(const MarketEvent& event);

  ProbingTable<Entry> orders_{1'024};
  std::size_t count_ = 0;
  std::size_t most_ = 0;
};

/// Reads a file once and without books, as no file says before what they need.
class Survey {
 public:
  /// @param path of the file, by which `tape_names` calls a book of LOBSTER or Bitstamp
  explicit Survey(std::string path) : path_(std::move(path)) {}

  void feed(std::span<const std::byte> bytes);
  void finish();

  [[nodiscard]] TapeFormat format() const { return feed_.reader().format(); }
  [[nodiscard]] std::string format_words() const { return feed_.reader().format_words(); }
  [[nodiscard]] std::vector<std::string> names() const;
  /// The books of these symbols, or all books with a name. Throws std::invalid_argument for a symbol that the file
  /// does not have.
  /// @param tick a price more that the grid must have; 0 for none
  [[nodiscard]] Selection select(const std::set<std::string>& symbols, Price tick = 0) const;
  /// A row for each book: symbol, orders that came, and the step of all its prices.
  [[nodiscard]] Table symbols() const;

 private:
  struct Book {
    std::string name;
    std::uint64_t additions = 0;
    TickGrid grid;
  };

  void take(const MarketEvent& event);

  TapeFeed feed_;
  std::string path_;
  std::vector<Book> books_;
  RestingCount resting_;
};

/// What tables are made of.
struct TapeTableConfig {
  std::set<std::string> tables{};
  std::size_t orders = 0;  ///< that the books have room for at first; they grow
  std::size_t levels = 0;  ///< of the table depth
  std::int64_t every = 0;  ///< nanoseconds between two samples of depth
};

/// Plays a tape on its books, and fills the tables that were asked for.
class TapeTables {
 public:
  /// Throws std::invalid_argument for an unknown name or a number of 0.
  TapeTables(const Survey& survey, const std::set<std::string>& symbols, TapeTableConfig config);

  void feed(std::span<const std::byte> bytes);
  void finish();
  [[nodiscard]] Table take(const std::string& name);
  [[nodiscard]] std::size_t rows(const std::string& name) const { return table(name).size(); }
  [[nodiscard]] Faults faults() const { return faults_of(statuses_, selection_.feed); }

 private:
  using Touch = std::array<std::int64_t, 4>;  // bid, its lots, ask, its lots

  [[nodiscard]] const Table& table(const std::string& name) const;
  [[nodiscard]] Table* wanted(const char* name);
  [[nodiscard]] auto player() {
    return [this](std::span<const MarketEvent> events) {
      make_room(events.size());
      books_.for_each_ahead(events, [this](const MarketEvent& event) { play(event); });
    };
  }
  void make_room(std::size_t orders);
  void play(const MarketEvent& event);
  void add_trade(const MarketEvent& event, const OrderChange& change);
  void add_message(const MarketEvent& event, const OrderChange& change);
  void add_halt(const MarketEvent& event);
  void add_touch(const MarketEvent& event);
  void sample(Nanoseconds time);
  [[nodiscard]] std::int64_t price_of(Price tick) const { return tick * selection_.step; }

  Selection selection_;
  TapeTableConfig config_;
  TapeFeed feed_;
  std::size_t capacity_;  ///< of the books
  MarketBooks books_;
  StatusCounts statuses_{};
  std::map<std::string, Table> tables_;
  Table* touch_;
  Table* trades_;
  Table* messages_;
  Table* depth_;
  Table* halts_;
  std::vector<Touch> touches_;
  std::optional<Nanoseconds> next_sample_;
};

/// Plays a tape on its books, and counts what is in it and what does not fit: the numbers of a `TapeReport`.
class TapeCheck {
 public:
  explicit TapeCheck(const Survey& survey);

  void feed(std::span<const std::byte> bytes);
  void finish();
  /// Numbers by name: records, unreadable, ..., fills, fills_first, ....
  [[nodiscard]] std::map<std::string, std::uint64_t> counts() const;
  [[nodiscard]] std::map<std::string, std::uint64_t> types() const;
  /// How many events the books refused, by the reason.
  [[nodiscard]] Faults refused() const { return faults_of(report_.counts().by_status, {}); }
  /// The same, with the records that made no event.
  [[nodiscard]] Faults faults() const { return faults_of(report_.counts().by_status, selection_.feed); }

 private:
  [[nodiscard]] auto player() {
    return [this](std::span<const MarketEvent> events) {
      for (const MarketEvent& event : events) report_.take(event);
    };
  }

  Selection selection_;
  TapeFeed feed_;
  TapeReport report_;
};

/// Books for a selection.
[[nodiscard]] MarketConfig market_config(const Selection& selection, std::size_t orders);

}  // namespace llmes::python
