// SPDX-License-Identifier: MIT
//
// Files of market data of each format that `TapeReader` knows, as they are or packed, as market events.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "llmes/simulator.hpp"
#include "read_ahead.hpp"

/// Gives `take` each event of a file in turn. Throws words if the file cannot be read to its end.
/// @param instruments the most that the file has
/// @param tick in units of the format
/// @return the reader, which knows what it has met
template <class Take>
llmes::TapeReader play_tape(const std::string& path, std::size_t instruments, llmes::Price tick, Take take) {
  llmes::TapeReader reader(instruments, tick);
  const auto read = [&](std::span<const std::byte> bytes, bool is_last) {
    const std::size_t used = reader.read(bytes, is_last, take);
    if (reader.has_failed()) throw std::runtime_error(path + ": " + reader.fault());
    return std::optional(used);
  };
  if (const auto fault = read_file_ahead(path, read)) throw std::runtime_error(*fault);
  return reader;
}

/// What the books of a file need.
struct TapeSurvey {
  std::size_t books = 1;
  std::size_t resting = 1;         ///< orders at most, or more
  llmes::Price tick = 1;           ///< the coarsest of which all prices are multiples, in units of the format
  std::vector<std::string> names;  ///< of the books, as `tape_names` has them
  llmes::TapeFormat format{};

  /// The book of a name. Without one, the only book.
  [[nodiscard]] llmes::BookNumber book_of(std::string_view name, const std::string& path) const {
    if (name.empty() && books == 1) return 0;
    const auto found = std::find(names.begin(), names.end(), name);
    if (!name.empty() && found != names.end()) return static_cast<llmes::BookNumber>(found - names.begin());
    throw std::runtime_error(path +
                             (name.empty() ? ": has " + std::to_string(books) + " symbols; name one of "
                                           : ": has no symbol '" + std::string(name) + "', but ") +
                             words_of_names());
  }
  /// The first names, and how many more there are.
  [[nodiscard]] std::string words_of_names() const {
    constexpr std::size_t shown_max = 10;
    std::string words;
    std::size_t count = 0;
    for (const std::string& name : names) {
      if (name.empty() || ++count > shown_max) continue;
      words += (count == 1 ? "" : ", ") + name;
    }
    if (count == 0) return "none that the file names";
    return count > shown_max ? words + " and " + std::to_string(count - shown_max) + " more" : words;
  }
  /// For stories of a run over the file.
  [[nodiscard]] llmes::TapeWords words() const { return {format, tick, names}; }
};

/// Reads a file once, as no file says it before. Throws words if it cannot be read, or only once.
inline TapeSurvey survey_tape(const std::string& path) {
  using llmes::MarketEventType;
  constexpr std::size_t orders_max = 4'000'000;
  if (std::filesystem::is_fifo(path)) throw std::runtime_error(path + ": a pipe; the file is read twice");
  TapeSurvey found;
  llmes::TickGrid grid;
  std::size_t resting = 0;
  const llmes::TapeReader reader = play_tape(path, 65'535, 1, [&](const llmes::MarketEvent& event) {
    if (event.book != llmes::every_book)
      found.books = std::max<std::size_t>(found.books, std::size_t{event.book} + 1);
    if (event.price != 0 && !grid.holds(event.price)) grid = grid.with(event.price);
    if (event.type == MarketEventType::Add || event.type == MarketEventType::Modify) ++resting;
    if (event.type == MarketEventType::Cancel && resting > 0) --resting;
    found.resting = std::clamp(resting, found.resting, orders_max);
  });
  found.tick = std::max<llmes::Price>(grid.step(), 1);
  found.format = reader.format();
  found.names = llmes::tape_names(reader, found.books, path);
  return found;
}
