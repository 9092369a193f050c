// SPDX-License-Identifier: MIT
//
// The command line of a program that takes one number, and its --help.
#pragma once

#include <getopt.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "examples/support/output.hpp"

namespace llmes::test {

/// The N of `--name=N`, from 1 to `most`, or `otherwise` without the flag. Ends the program at --help, which says
/// that it `does` this with N, and at any other argument. Its output is checked at exit.
inline std::uint64_t number_flag(int argc, char** argv, const char* does, const char* name,
                                 std::uint64_t otherwise, std::uint64_t most) {
  check_output_at_exit(argv[0]);
  const option options[] = {{name, required_argument, nullptr, 'n'}, {"help", no_argument, nullptr, 'h'}, {}};
  const auto print_usage = [&](std::FILE* out) {
    std::fprintf(out, "usage: %s [--%s=N], N from 1 to %ju (default: %ju)\n", argv[0], name, std::uintmax_t{most},
                 std::uintmax_t{otherwise});
  };
  std::uint64_t number = otherwise;
  bool understood = true;
  for (int found = 0; (found = getopt_long(argc, argv, "", options, nullptr)) != -1;) {
    if (found == 'h') {
      print_usage(stdout);
      std::printf("%s\n", does);
      std::exit(0);
    }
    if (found != 'n') std::exit(2);  // getopt has said what is wrong
    const std::string_view text = optarg;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    understood &= error == std::errc() && end == text.data() + text.size() && number >= 1 && number <= most;
  }
  if (understood && optind == argc) return number;
  print_usage(stderr);
  std::exit(2);
}

}  // namespace llmes::test
