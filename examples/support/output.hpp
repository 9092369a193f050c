// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

/// From here on the program ends with 1, and with the system's reason on standard error, if what it prints cannot
/// be written: standard output may be a file on a full disk. However it ends, by `return` or by `exit`.
inline void check_output_at_exit(const char* program) {
  static const char* name = nullptr;
  name = program;
  std::atexit([] {
    const bool failed_before = std::ferror(stdout) != 0;
    errno = 0;
    if (std::fflush(stdout) == 0 && !failed_before) return;
    std::fprintf(stderr, "%s: cannot write to standard output: %s\n", name,
                 errno != 0 ? std::generic_category().message(errno).c_str() : "part of it is lost");
    std::_Exit(1);
  });
}
