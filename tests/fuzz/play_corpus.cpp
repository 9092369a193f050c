// SPDX-License-Identifier: MIT
//
// play_corpus FOLDER: runs a fuzz target on the files of a corpus without libFuzzer, in every build.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "examples/support/output.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  check_output_at_exit(argv[0]);
  const bool help = argc == 2 && std::strcmp(argv[1], "--help") == 0;
  if (argc != 2 || argv[1][0] == '-') {
    if (!help && argc > 1) std::fprintf(stderr, "%s: takes one folder, not '%s'\n", argv[0], argv[1]);
    std::fprintf(help ? stdout : stderr, "usage: %s FOLDER\nRuns a fuzz target on the files of a corpus.\n",
                 argv[0]);
    return help ? 0 : 2;
  }
  std::size_t count = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1], error)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    std::printf("%s\n", entry.path().filename().c_str());  // the last one named is the one that fails
    std::fflush(stdout);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++count;
  }
  if (error || count == 0) {
    std::fprintf(stderr, "%s: no folder with files\n", argv[1]);
    return 1;
  }
  std::printf("%zu files\n", count);
  return 0;
}
