// SPDX-License-Identifier: MIT
//
// Tables of a day of ITCH 5.0 messages, made in one pass over its bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "llmes/itch.hpp"
#include "llmes/market_data.hpp"
#include "pieces.hpp"
#include "table.hpp"
#include "tape.hpp"

namespace llmes::python {

/// Reads the bytes of a day, in frames, piece by piece, and fills the tables that were asked for.
class ItchTables {
 public:
  struct Config {
    std::set<std::string> tables{};   ///< names of `table_names`
    std::set<std::string> symbols{};  ///< all if empty
    std::size_t orders = 0;           ///< that the books have room for at first; they grow
    std::size_t levels = 0;           ///< of the table depth
    std::int64_t every = 0;           ///< nanoseconds between two samples of depth
  };

  /// Throws std::invalid_argument for an unknown name or a number of 0.
  explicit ItchTables(Config config);

  /// Takes the next bytes, which may begin and end within a message. Throws std::runtime_error, with the offset,
  /// if they are no frames.
  void feed(std::span<const std::byte> bytes);
  /// Says that there are no more bytes. Throws if the last message is cut off.
  void finish();

  /// The rows of a table so far, which go out of here.
  [[nodiscard]] Table take(const std::string& name);
  [[nodiscard]] std::size_t rows(const std::string& name) const { return table(name).size(); }

  /// How many messages there were of each type.
  [[nodiscard]] std::map<std::string, std::uint64_t> counts() const;
  /// How many messages did not fit, by the reason, in the words of the other tapes.
  [[nodiscard]] Faults faults() const;
  /// Nanoseconds since midnight of the first and the last message.
  [[nodiscard]] std::array<std::int64_t, 2> times() const { return {first_time_, last_time_}; }
  [[nodiscard]] std::size_t most_resting() const { return most_resting_; }

 private:
  struct Touch {
    std::array<std::int64_t, 4> numbers{};  // bid, its lots, ask, its lots
    bool operator==(const Touch&) const = default;
  };

  [[nodiscard]] const Table& table(const std::string& name) const;
  [[nodiscard]] bool wanted(itch::Locate locate) const {
    return config_.symbols.empty() || wanted_[static_cast<std::size_t>(locate)];
  }
  [[nodiscard]] std::string_view name(itch::Locate locate) const {
    return names_[static_cast<std::size_t>(locate)];
  }

  [[nodiscard]] std::size_t read(std::span<const std::byte> bytes);
  [[nodiscard]] FeedBook make_books(std::size_t symbols) const;
  void make_room(std::size_t orders);
  void take_message(itch::MessageBytes message);
  void apply_pending();
  void sample(std::int64_t time);
  void changed(itch::MessageBytes message, std::uint64_t number, const RestingOrder& order);
  void add_trade(itch::MessageBytes message, std::uint64_t number, const RestingOrder* order);
  void add_message(itch::MessageBytes message, std::uint64_t number, const RestingOrder& order);
  void add_touch(itch::Locate locate, std::int64_t time, std::uint64_t number);
  void add_other(itch::MessageBytes message, std::uint64_t number);

  Config config_;
  std::map<std::string, Table> tables_;
  Table *touch_, *trades_, *messages_, *depth_, *imbalance_, *halts_, *symbols_;  ///< none if not asked for
  Pieces pieces_;
  std::uint64_t offset_ = 0;  ///< in the file, of what is not read yet
  std::uint64_t message_count_ = 0;
  std::array<std::uint64_t, 256> types_{};
  std::int64_t first_time_ = Column::none, last_time_ = Column::none, next_sample_ = Column::none;
  std::size_t most_resting_ = 0;
  std::size_t largest_locate_ = 0;
  std::size_t capacity_;          ///< of the books
  std::optional<FeedBook> feed_;  ///< made at the first order: by then the day has named its symbols
  std::array<std::uint64_t, FeedFaults::kinds> old_faults_{};  ///< of smaller books
  std::vector<itch::MessageBytes> pending_;
  std::vector<std::uint64_t> pending_numbers_;
  std::vector<std::string> names_;  ///< by locate
  std::vector<bool> wanted_;
  std::vector<Touch> touches_;
};

/// The tables and their columns.
[[nodiscard]] std::map<std::string, std::vector<Column>> itch_columns(std::size_t levels);

}  // namespace llmes::python
