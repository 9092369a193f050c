// SPDX-License-Identifier: MIT
//
// Whether a file of market data fits the rules of a book: what is in it, what does not fit, and which share of the
// fills hit the head of their queue.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "llmes/dbn.hpp"
#include "llmes/itch.hpp"
#include "llmes/simulator.hpp"
#include "support/itch_file.hpp"
#include "support/output.hpp"
#include "support/read_ahead.hpp"

namespace {

using namespace llmes;

constexpr std::string_view usage = R"(usage: check_tape FILE

Plays a file of market data on books, and prints what is in it and what does not fit. The file is ITCH 5.0
(length-prefixed), DBN (schema mbo, versions 1 to 3), or a message file of LOBSTER, and may be packed by gzip or zstd.
)";

/// What is known of a file beside its events.
struct Facts {
  std::string format;
  FeedCounts counts{};
  std::uint64_t aggressor_fills = 0;
  std::uint64_t passed_over = 0;  ///< records of other schemas
  std::optional<std::uint64_t> first_unreadable{};
};

/// Gives the market events of a file to `take`, which is called with each.
template <class Take>
class TapePlayer {
 public:
  TapePlayer(std::size_t instruments, Price tick, Take take)
      : take_(std::move(take)), instruments_(instruments), tick_(tick) {}

  /// Takes the next bytes of the file. @return how many were used
  std::size_t read(std::span<const std::byte> bytes, bool is_last) {
    if (format_ == Format::Unknown) {
      if (bytes.size() < 3 && !is_last) return 0;
      format_ = format_of(bytes);
    }
    std::size_t used = 0;
    switch (format_) {
      case Format::Unknown: throw std::runtime_error("neither ITCH 5.0 nor DBN nor a message file of LOBSTER");
      case Format::Itch: used = read_itch(bytes, is_last); break;
      case Format::Dbn: used = read_dbn(bytes, is_last); break;
      case Format::Lobster: used = read_lobster(bytes, is_last); break;
    }
    offset_ += used;
    return used;
  }

  [[nodiscard]] Facts facts() const {
    if (format_ == Format::Itch) return {.format = "ITCH 5.0", .counts = itch_.counts()};
    if (format_ == Format::Lobster) {
      return {.format = "LOBSTER", .counts = lobster_.counts(), .first_unreadable = lobster_.first_unreadable()};
    }
    Facts facts{.format = dbn_format_, .passed_over = passed_over_};
    if (dbn_) facts.counts = dbn_->counts();
    if (dbn_) facts.aggressor_fills = dbn_->aggressor_fills();
    return facts;
  }

 private:
  enum class Format { Unknown, Itch, Dbn, Lobster };

  static Format format_of(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.starts_with("DBN")) return Format::Dbn;
    if (text.starts_with('"') || (!text.empty() && text[0] >= '0' && text[0] <= '9')) return Format::Lobster;
    if (text.size() > 2 && bytes[0] == std::byte{} &&
        itch::message_size(bytes[2]) == std::to_integer<std::size_t>(bytes[1])) {
      return Format::Itch;
    }
    return Format::Unknown;
  }

  [[noreturn]] void fail(std::string words, std::size_t offset) const {
    throw std::runtime_error(words.append(", at byte ").append(std::to_string(offset_ + offset)));
  }

  std::size_t read_itch(std::span<const std::byte> bytes, bool is_last) {
    std::array<itch::MessageBytes, 256> messages;
    itch::FrameReader reader(bytes);
    for (std::span<const itch::MessageBytes> found = messages; found.size() == messages.size();) {
      found = reader.read(messages);
      for (const itch::MessageBytes message : found) itch_.apply(message, take_);
    }
    const bool waits = reader.status() == itch::FramingStatus::Truncated && !is_last;
    if (reader.status() != itch::FramingStatus::Success && !waits) {
      fail(std::string(words_of(reader.status())), reader.offset());
    }
    if (is_last) itch_.finish(take_);
    return reader.offset();
  }

  std::size_t read_dbn(std::span<const std::byte> bytes, bool is_last) {
    std::size_t begin = 0;
    if (!dbn_) {
      dbn::Metadata metadata;
      const dbn::Fault fault = dbn::read_metadata(bytes, metadata);
      if (fault.status == dbn::ReadStatus::Truncated && !is_last) return 0;
      if (fault.status != dbn::ReadStatus::Success) fail(to_string(fault), fault.offset);
      dbn_ = DbnEvents::create(instruments_, tick_);
      if (!dbn_) throw std::runtime_error("too little memory for so many instruments");
      dbn_format_ = "DBN of version " + std::to_string(metadata.version) + ", " + std::string(metadata.dataset);
      has_sent_time_ = metadata.has_sent_time;
      begin = metadata.size;
    }
    dbn::RecordReader reader(bytes.subspan(begin), has_sent_time_);
    while (const dbn::Mbo* record = reader.next()) dbn_->apply(*record, take_);
    passed_over_ += reader.passed_over();
    const bool waits = reader.fault().status == dbn::ReadStatus::Truncated && !is_last;
    if (reader.fault().status != dbn::ReadStatus::Success && !waits) {
      fail(to_string(reader.fault()), begin + reader.offset());
    }
    return begin + reader.offset();
  }

  std::size_t read_lobster(std::span<const std::byte> bytes, bool is_last) {
    lobster_.read(bytes, take_);
    if (is_last) lobster_.finish(take_);
    return bytes.size();
  }

  Take take_;
  std::size_t instruments_;
  Price tick_;
  Format format_ = Format::Unknown;
  std::uint64_t offset_ = 0;  ///< in the file, of the next bytes
  ItchEvents itch_{tick_};
  LobsterEvents lobster_{tick_};
  std::optional<DbnEvents> dbn_;
  std::string dbn_format_;
  bool has_sent_time_ = false;
  std::uint64_t passed_over_ = 0;
};

/// Plays a whole file.
template <class Take>
Facts play(const std::string& path, std::size_t instruments, Price tick, Take take) {
  TapePlayer<Take> player(instruments, tick, std::move(take));
  const auto read = [&](std::span<const std::byte> bytes, bool is_last) {
    try {
      return std::optional(player.read(bytes, is_last));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(path + ": " + error.what());
    }
  };
  if (const auto fault = read_file_ahead(path, read)) throw std::runtime_error(*fault);
  return player.facts();
}

/// What the books of a file need.
struct Survey {
  std::size_t books = 1;
  std::size_t resting = 1;  ///< orders at most, or more
  TickGrid grid;            ///< of all prices
};

/// Reads a file once, as no file says it before.
Survey survey(const std::string& path) {
  constexpr std::size_t orders_max = 4'000'000;
  Survey found;
  std::size_t resting = 0;
  play(path, 65'535, 1, [&](const MarketEvent& event) {
    if (event.book != every_book) found.books = std::max<std::size_t>(found.books, std::size_t{event.book} + 1);
    if (event.price != 0 && !found.grid.holds(event.price)) found.grid = found.grid.with(event.price);
    if (event.type == MarketEventType::Add || event.type == MarketEventType::Modify) ++resting;
    if (event.type == MarketEventType::Cancel && resting > 0) --resting;
    found.resting = std::clamp(resting, found.resting, orders_max);
  });
  return found;
}

// ---- What is printed.

void print(std::string_view name, std::uint64_t count) {
  std::cout << std::left << std::setw(54) << name << std::right << std::setw(14) << count << '\n';
}
void print_if(std::string_view name, std::uint64_t count) {
  if (count != 0) print(name, count);
}

void print_report(const std::string& path, const Survey& needs, const Facts& facts, const TapeCounts& counts) {
  std::cout << path << ": " << facts.format << ", books: " << needs.books << '\n';
  print("messages, records or lines", facts.counts.records);
  print_if("  of other schemas, passed over", facts.passed_over);
  print_if("  that cannot be read", facts.counts.unreadable);
  print_if("  of a time before that of the one before", facts.counts.times_back);
  print_if("  after a gap, as the publisher says", facts.counts.suspect);
  if (facts.first_unreadable) {
    std::cout << "  the first that cannot be read is line " << *facts.first_unreadable + 1 << '\n';
  }
  print("market events made of them", facts.counts.events);
  for (std::size_t type = 0; type < TapeCounts::types; ++type) {
    print_if("  " + std::string(to_string(static_cast<MarketEventType>(type))), counts.by_type[type]);
  }
  print_if("events that do not fit the books", counts.refused());
  for (std::size_t status = 1; status < TapeCounts::statuses; ++status) {
    print_if("  " + std::string(to_string(static_cast<MarketStatus>(status))), counts.by_status[status]);
  }
  print("moments, each of one event or more", counts.events);
  print("  that leave a continuous market crossed", counts.crossed);
  print("  that leave one locked", counts.locked);
  print("fills of resting orders", counts.fills);
  print("  first in their queue", counts.at_head);
  print("  first but for orders that the same moment cancels", counts.at_head_gone);
  print("  behind others", counts.fills - counts.at_head - counts.at_head_gone);
  print("  with an order at a better price", counts.passed_better);
  print_if("fills in a cross", counts.cross_fills);
  print_if("fills of orders that their owner moved to trade", facts.aggressor_fills);
  if (counts.fills == 0) return;
  const auto fills = static_cast<double>(counts.fills);
  const auto first = static_cast<double>(counts.at_head + counts.at_head_gone);
  std::cout << std::left << std::setw(54) << "first-in-first-out score" << std::right << std::fixed
            << std::setprecision(2) << std::setw(12) << 100 * first / fills << " %\n";
}

int run(const std::string& path) {
  if (std::filesystem::is_fifo(path)) throw std::runtime_error(path + ": a pipe; the file is read twice");
  const Survey needs = survey(path);
  CreateStatus status{};
  std::optional<TapeReport> report = TapeReport::create({.books = needs.books, .capacity = needs.resting}, status);
  if (!report) throw std::runtime_error("too little memory for " + std::to_string(needs.books) + " books");
  const Price tick = std::max<Price>(needs.grid.step(), 1);
  const Facts facts = play(path, needs.books, tick, [&](const MarketEvent& event) { report->take(event); });
  report->finish();
  print_report(path, needs, facts, report->counts());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  check_output_at_exit(argv[0]);
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::cout << usage;
    return 0;
  }
  if (argc != 2 || argv[1][0] == '-') {
    std::cerr << "check_tape: takes one file (see --help)\n";
    return 2;
  }
  try {
    return run(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << "check_tape: " << error.what() << '\n';
    return 1;
  }
}
