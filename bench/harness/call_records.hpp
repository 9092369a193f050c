// SPDX-License-Identifier: MIT
//
// A record of each timed call, and the file of them: a line of JSON that says what they are, and then the records
// as they lie in memory, for numpy.fromfile.
#pragma once

#include <bit>
#include <cstdint>
#include <ios>
#include <span>
#include <string>

#include "bench/harness/artifact.hpp"
#include "bench/harness/call_traits.hpp"

namespace llmes::bench {

struct CallRecord {
  float ns;             ///< between the stamps around the call, what they cost themselves included
  float probe_ns;       ///< between two stamps around nothing, right before it
  std::uint32_t event;  ///< its number in the stream
  std::uint32_t level_age;
  std::uint32_t slot_age;
  std::int32_t distance;
  std::uint32_t queue;
  Scenario scenario;
  TreePath path;
  std::uint16_t batch;
};
static_assert(sizeof(CallRecord) == 32 && std::endian::native == std::endian::little);

#if LLMES_HAS_JSON
/// `header` gets the names and types of the fields, and the names of the enumerators.
inline void write_records(const std::string& path, nlohmann::ordered_json header,
                          std::span<const CallRecord> records) {
  header["records"] = records.size();
  header["scenarios"] = scenario_names;
  header["paths"] = tree_path_names;
  header["fields"] = {{"ns", "<f4"},       {"probe_ns", "<f4"}, {"event", "<u4"}, {"level_age", "<u4"},
                      {"slot_age", "<u4"}, {"distance", "<i4"}, {"queue", "<u4"}, {"scenario", "u1"},
                      {"path", "u1"},      {"batch", "<u2"}};
  write_whole(path, [&](std::ostream& file) {
    file << header.dump() << '\n';
    file.write(reinterpret_cast<const char*>(records.data()), static_cast<std::streamsize>(records.size_bytes()));
  });
}
#endif

}  // namespace llmes::bench
