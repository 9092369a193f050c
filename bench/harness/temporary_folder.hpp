// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace llmes::bench {

/// An empty folder in `where`, whose name begins with `name`. It is removed with all that is in it. Throws
/// std::runtime_error if it cannot be made.
class TemporaryFolder {
 public:
  TemporaryFolder(const std::string& where, const std::string& name) : path_(where + '/' + name + ".XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) {
      throw std::runtime_error("cannot make a folder in " + where + ": " + std::generic_category().message(errno));
    }
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace llmes::bench
