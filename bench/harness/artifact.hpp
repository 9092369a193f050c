// SPDX-License-Identifier: MIT
//
// Writing results where others can read them.
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>

#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>
#define LLMES_HAS_JSON 1
#else
#define LLMES_HAS_JSON 0
#endif

namespace llmes::bench {

/// Writes a file by `write(stream)`, whole or not at all.
template <class Write>
void write_whole(const std::string& path, Write write) {
  const std::string unfinished = path + ".unfinished";
  std::ofstream file(unfinished, std::ios::binary);
  write(file);
  file.close();
  if (!file || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    std::remove(unfinished.c_str());
    throw std::runtime_error("cannot write " + path + "; is there such a folder, and space in it?");
  }
}

#if LLMES_HAS_JSON
inline void write_artifact(const std::string& path, const nlohmann::ordered_json& artifact) {
  write_whole(path, [&](std::ostream& file) { file << artifact.dump(1) << '\n'; });
}
#endif

}  // namespace llmes::bench
