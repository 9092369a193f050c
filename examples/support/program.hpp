// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "output.hpp"

/// What a program says of itself.
struct ProgramWords {
  std::string_view name;
  std::string_view usage;  ///< the answer to --help
  std::string_view takes;  ///< its arguments in a few words
  std::size_t least;       ///< the number of arguments
  std::size_t most;
};

/// Runs a program without flags on its arguments. Returns its exit status: that of `run`; 1 with the words of an
/// exception; 2 if the arguments are too few, too many or flags. The output is checked at exit.
template <class Run>
int run_program(int argc, char** argv, const ProgramWords& words, Run&& run) {
  check_output_at_exit(argv[0]);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] == "--help") {
    std::cout << words.usage;
    return 0;
  }
  if (arguments.size() < words.least || arguments.size() > words.most ||
      std::ranges::any_of(arguments, [](const std::string& argument) { return argument.starts_with('-'); })) {
    std::cerr << words.name << ": takes " << words.takes << " (see --help)\n";
    return 2;
  }
  try {
    return run(std::span(arguments));
  } catch (const std::exception& error) {
    std::cerr << words.name << ": " << error.what() << '\n';
    return 1;
  }
}
