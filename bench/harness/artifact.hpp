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

#if LLMES_HAS_JSON
/// Writes `artifact` to `path`, whole or not at all.
inline void write_artifact(const std::string& path, const nlohmann::ordered_json& artifact) {
  const std::string unfinished = path + ".unfinished";
  std::ofstream file(unfinished);
  file << artifact.dump(1) << '\n';
  file.close();
  if (!file || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    std::remove(unfinished.c_str());
    throw std::runtime_error("cannot write " + path + "; is there such a folder, and space in it?");
  }
}
#endif

}  // namespace llmes::bench
