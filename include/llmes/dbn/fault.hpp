// SPDX-License-Identifier: MIT
//
// What can be wrong with the bytes of a DBN file, in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::dbn {

/// What reading some bytes came to.
enum class ReadStatus : std::uint8_t {
  Success,        ///< nothing is wrong
  Truncated,      ///< they end within the header or a record: read on with more bytes, or the file is cut off
  NotDbn,         ///< they do not begin as a DBN file
  OtherVersion,   ///< a version that is not 1, 2 or 3
  OtherSchema,    ///< the records are of a schema other than mbo
  DamagedHeader,  ///< the header contradicts itself
  DamagedRecord,  ///< a record has a length that its type does not have
};

/// The number of the schema mbo, and of a file of several schemas.
inline constexpr std::uint16_t schema_mbo = 0;
inline constexpr std::uint16_t schema_mixed = 0xffff;

/// The name of a schema by its number; "unknown" if there is none.
[[nodiscard]] constexpr std::string_view schema_name(std::uint16_t schema) noexcept {
  constexpr std::string_view names[] = {"mbo",        "mbp-1",    "mbp-10",    "tbbo",      "trades",
                                        "ohlcv-1s",   "ohlcv-1m", "ohlcv-1h",  "ohlcv-1d",  "definition",
                                        "statistics", "status",   "imbalance", "ohlcv-eod", "cmbp-1",
                                        "cbbo-1s",    "cbbo-1m",  "tcbbo",     "bbo-1s",    "bbo-1m"};
  if (schema == schema_mixed) return "mixed";
  return schema < std::size(names) ? names[schema] : "unknown";
}

/// A status, and what it is about.
struct Fault {
  ReadStatus status = ReadStatus::Success;
  std::size_t offset = 0;    ///< in the bytes, of what is wrong
  std::uint32_t number = 0;  ///< the version, the schema, or the length of the record in bytes

  friend constexpr bool operator==(const Fault&, const Fault&) = default;
};

/// In words, for a message to people, without the offset.
[[nodiscard]] inline std::string to_string(const Fault& fault) {
  const std::string number = std::to_string(fault.number);
  switch (fault.status) {
    case ReadStatus::Success: return "nothing is wrong";
    case ReadStatus::Truncated: return "the file ends within its header or a record";
    case ReadStatus::NotDbn: return "no DBN file: it does not begin with 'DBN'";
    case ReadStatus::OtherVersion: return "DBN of version " + number + "; versions 1 to 3 can be read";
    case ReadStatus::OtherSchema:
      return "DBN of the schema " + std::string(schema_name(static_cast<std::uint16_t>(fault.number))) + " (" +
             number + "); only mbo can be read";
    case ReadStatus::DamagedHeader: return "the header of the DBN file is damaged";
    case ReadStatus::DamagedRecord: return "no record of its type has " + number + " bytes";
  }
  return "unknown";
}

}  // namespace llmes::inline LLMES_NAMESPACE::dbn
