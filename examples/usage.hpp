// SPDX-License-Identifier: MIT
#pragma once

#include <iostream>
#include <optional>
#include <string_view>

#include "support/output.hpp"

/// For a program without arguments: answers --help and refuses anything else. Returns the exit status, or nothing
/// if there is nothing to answer and the program may run. Either way its output is checked at exit.
inline std::optional<int> answer_arguments(int argc, char** argv, std::string_view what_it_shows) {
  check_output_at_exit(argv[0]);
  if (argc < 2) return {};
  const std::string_view argument = argv[1];
  if (argument == "--help") {
    std::cout << "usage: " << argv[0] << "\n\nShows " << what_it_shows << ".\n";
    return 0;
  }
  std::cerr << argv[0] << ": unknown argument '" << argument << "'; it takes none (see --help)\n";
  return 2;
}
