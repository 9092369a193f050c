// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

/// Makes an empty directory for the journal of an example; or says why it cannot, and returns nothing.
inline std::optional<std::string> make_temporary_directory(std::string_view program) {
  std::error_code error;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
  std::string directory = temporary / ("llmes_" + std::string(program) + "_XXXXXX");
  if (!error && mkdtemp(directory.data()) == nullptr) error = {errno, std::generic_category()};
  if (!error) return directory;
  const char* const named = std::getenv("TMPDIR");
  std::cerr << program << ": no directory for a journal can be made in " << (named == nullptr ? "/tmp" : named)
            << ": " << error.message() << "; set TMPDIR to one that you can write to\n";
  return {};
}
