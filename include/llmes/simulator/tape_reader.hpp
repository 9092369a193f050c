// SPDX-License-Identifier: MIT
//
// Market events from the bytes of a file, whichever of the known formats it has.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "llmes/dbn/reader.hpp"
#include "llmes/itch/decode.hpp"
#include "llmes/itch/framing.hpp"
#include "llmes/simulator/bitstamp_events.hpp"
#include "llmes/simulator/dbn_events.hpp"
#include "llmes/simulator/itch_events.hpp"
#include "llmes/simulator/lobster_events.hpp"
#include "llmes/simulator/tape_format.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Reads a file that is not packed, in pieces of any size and any bytes. The adapters give books their numbers.
class TapeReader {
 public:
  /// @param instruments the most that a DBN file can have, at least 1; records of more make no event
  /// @param tick in units of the format, at least 1; orders between two ticks are left out
  explicit TapeReader(std::size_t instruments = 65'535, Price tick = 1) noexcept
      : instruments_(instruments), tick_(tick) {}

  /// Calls `take` with each event of the next bytes. What it throws comes out; then read no more. Linear.
  /// @param bytes begin with those that the call before has not used
  /// @param is_last no more bytes follow; what has not ended then is a fault
  /// @return how many were used; after a fault it means nothing
  template <class Take>
  std::size_t read(std::span<const std::byte> bytes, bool is_last, Take&& take) {
    if (has_failed()) return 0;
    if (format_ == TapeFormat::Unknown) {
      const std::optional<TapeFormat> format = tape_format_of(bytes, is_last);
      if (!format) return 0;
      format_ = *format;
      fault_ = tape_format_fault(bytes, format_);
    }
    std::size_t used = 0;
    switch (format_) {
      case TapeFormat::Unknown: break;
      case TapeFormat::Itch: used = read_itch(bytes, is_last, take); break;
      case TapeFormat::Dbn: used = read_dbn(bytes, is_last, take); break;
      case TapeFormat::Lobster:
        used = bytes.size();
        lobster_.read(bytes, take);
        if (is_last) lobster_.finish(take);
        break;
      case TapeFormat::Bitstamp: used = bitstamp_.read(bytes, is_last, take);
    }
    offset_ += used;
    return used;
  }

  /// Whether the bytes were no such file. Then nothing more is read.
  [[nodiscard]] bool has_failed() const noexcept { return !fault_.empty(); }
  /// In words, with the offset; empty if nothing is wrong.
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

  [[nodiscard]] TapeFormat format() const noexcept { return format_; }
  /// With the version and the data set, if the format has them.
  [[nodiscard]] std::string format_words() const {
    return format_words_.empty() ? std::string(to_string(format_)) : format_words_;
  }
  /// What was met so far.
  [[nodiscard]] const FeedCounts& counts() const noexcept {
    if (format_ == TapeFormat::Dbn && dbn_) return dbn_->counts();
    if (format_ == TapeFormat::Bitstamp) return bitstamp_.counts();
    return format_ == TapeFormat::Lobster ? lobster_.counts() : itch_.counts();
  }
  /// How many fills of a DBN file were on the aggressor's side.
  [[nodiscard]] std::uint64_t aggressor_fills() const noexcept { return dbn_ ? dbn_->aggressor_fills() : 0; }
  /// How many records of a DBN file were of other schemas.
  [[nodiscard]] std::uint64_t passed_over() const noexcept { return passed_over_; }
  /// The number of the first line of a file of text that could not be read, from 0, if there was one.
  [[nodiscard]] std::optional<std::uint64_t> first_unreadable() const noexcept {
    return format_ == TapeFormat::Bitstamp ? bitstamp_.first_unreadable() : lobster_.first_unreadable();
  }
  /// The symbol of a book, its number if the file names instruments by numbers alone; empty if it has not said it.
  [[nodiscard]] std::string name(BookNumber book) const {
    if (format_ == TapeFormat::Itch) return book < symbols_.size() ? symbols_[book] : std::string();
    if (!dbn_ || book >= dbn_->book_count()) return {};
    const std::uint32_t instrument = dbn_->instrument(book).instrument;
    const auto found = instruments_by_number_.find(instrument);
    return found == instruments_by_number_.end() ? std::to_string(instrument) : found->second;
  }
  /// Who tells of a book of a DBN file; else 0.
  [[nodiscard]] std::uint16_t publisher(BookNumber book) const noexcept {
    return dbn_ ? dbn_->instrument(book).publisher : std::uint16_t{0};
  }

 private:
  void fail(std::string_view words, std::size_t offset) {
    fault_.assign(words).append(", at byte ").append(std::to_string(offset_ + offset));
  }

  template <class Take>
  std::size_t read_itch(std::span<const std::byte> bytes, bool is_last, Take& take) {
    std::array<itch::MessageBytes, 256> messages;
    itch::FrameReader reader(bytes);
    for (std::span<const itch::MessageBytes> found = messages; found.size() == messages.size();) {
      found = reader.read(messages);
      for (const itch::MessageBytes message : found) {
        if (!message.empty() && static_cast<char>(message.front()) == itch::type_of<itch::StockDirectory>)
          itch::decode(message, [&](const auto& any) { learn_symbol(any); });
        itch_.apply(message, take);
      }
    }
    const std::span<const std::byte> rest = bytes.subspan(reader.offset());
    // A length of 0 at the end says that the session has ended.
    const bool ends = is_last && rest.size() == 2 && rest[0] == std::byte{} && rest[1] == std::byte{};
    const bool waits = reader.status() == itch::FramingStatus::Truncated && !is_last;
    if (reader.status() != itch::FramingStatus::Success && !waits && !ends)
      fail(itch::words_of(reader.status()), reader.offset());
    if (is_last) itch_.finish(take);
    return ends ? bytes.size() : reader.offset();
  }
  template <class M>
  void learn_symbol(const M& message) {
    if constexpr (std::is_same_v<M, itch::StockDirectory>) {
      const auto locate = static_cast<std::size_t>(message.header.locate.value());
      if (locate == 0) return;
      if (symbols_.size() < locate) symbols_.resize(locate);
      symbols_[locate - 1] = message.symbol.view();
    }
  }

  template <class Take>
  std::size_t read_dbn(std::span<const std::byte> bytes, bool is_last, Take& take) {
    std::size_t begin = 0;
    if (!dbn_) {
      dbn::Metadata metadata;
      const dbn::Fault fault = dbn::read_metadata(bytes, metadata);
      if (fault.status == dbn::ReadStatus::Truncated && !is_last) return 0;
      if (fault.status != dbn::ReadStatus::Success) {
        fail(to_string(fault), fault.offset);
        return 0;
      }
      dbn_ = DbnEvents::create(instruments_, tick_);
      if (!dbn_) {
        fault_ = "too little memory for so many instruments";
        return 0;
      }
      learn_header(metadata);
      begin = metadata.size;
    }
    dbn::RecordReader reader(bytes.subspan(begin), has_sent_time_);
    std::size_t mappings = 0;
    const auto learn = [&](std::span<const std::byte> other) {
      const std::optional<dbn::SymbolMapping> mapping = dbn::read_symbol_mapping(other);
      if (!mapping) return;
      ++mappings;
      learn_mapping(*mapping);
    };
    while (const dbn::Mbo* record = reader.next(learn)) dbn_->apply(*record, take);
    passed_over_ += reader.passed_over() - mappings;
    const bool waits = reader.fault().status == dbn::ReadStatus::Truncated && !is_last;
    if (reader.fault().status != dbn::ReadStatus::Success && !waits)
      fail(to_string(reader.fault()), begin + reader.offset());
    return begin + reader.offset();
  }
  void learn_header(const dbn::Metadata& metadata) {
    format_words_ = "DBN of version " + std::to_string(metadata.version) + ", " + std::string(metadata.dataset);
    has_sent_time_ = metadata.has_sent_time;
    metadata.visit_mappings([this](const dbn::Mapping& mapping) {
      std::uint32_t number = 0;  // by instrument ids, the symbol is one in digits
      const char* const end = mapping.symbol.data() + mapping.symbol.size();
      const auto [rest, error] = std::from_chars(mapping.symbol.data(), end, number);
      if (error == std::errc() && rest == end) instruments_by_number_.try_emplace(number, mapping.name);
    });
  }

  /// A live session names instruments by records, as its header cannot know them.
  void learn_mapping(const dbn::SymbolMapping& mapping) {
    const std::string number = std::to_string(mapping.instrument);
    const std::string_view name = mapping.symbol != number ? mapping.symbol : mapping.requested;
    if (!name.empty()) instruments_by_number_.insert_or_assign(mapping.instrument, std::string(name));
  }

  std::size_t instruments_;
  Price tick_;
  TapeFormat format_ = TapeFormat::Unknown;
  std::string format_words_;
  std::string fault_;
  std::uint64_t offset_ = 0;  ///< in the file, of the next bytes
  ItchEvents itch_{tick_};
  LobsterEvents lobster_{tick_};
  BitstampEvents bitstamp_{tick_};
  std::optional<DbnEvents> dbn_;
  bool has_sent_time_ = false;
  std::uint64_t passed_over_ = 0;
  std::vector<std::string> symbols_;  ///< of ITCH, by book
  std::unordered_map<std::uint32_t, std::string> instruments_by_number_;
};

/// The symbol of a file whose format has none: what stands in its name before the first '_' or '.', or all of a
/// name that begins with one. Linear.
/// @param path of the file, with or without folders
[[nodiscard]] constexpr std::string_view file_symbol(std::string_view path) noexcept {
  path.remove_prefix(path.rfind('/') + 1);
  const std::string_view symbol = path.substr(0, path.find_first_of("_."));
  return symbol.empty() ? path : symbol;
}

/// What the books of a file are called, once it is read: as `TapeReader::name` says, with '?' for what is not
/// ASCII; of LOBSTER and Bitstamp, as `file_symbol` says. Of two publishers that tell of one symbol, the second
/// one's book has '@' and the publisher behind the symbol. A book that the file has not named has no name. A sort.
/// @param books the number of books that the file has
/// @param path of the file
[[nodiscard]] inline std::vector<std::string> tape_names(const TapeReader& reader, std::size_t books,
                                                         std::string_view path) {
  const bool names_none = reader.format() == TapeFormat::Lobster || reader.format() == TapeFormat::Bitstamp;
  std::vector<std::string> names;
  std::set<std::string> known;
  for (std::size_t i = 0; i < books; ++i) {
    const auto book = static_cast<BookNumber>(i);
    std::string name = names_none ? std::string(file_symbol(path)) : reader.name(book);
    for (char& letter : name) {
      if (!names_none && static_cast<unsigned char>(letter) >= 0x80) letter = '?';
    }
    if (!name.empty() && !known.insert(name).second) {
      name += '@' + std::to_string(reader.publisher(book));
      known.insert(name);
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace llmes::inline LLMES_NAMESPACE
