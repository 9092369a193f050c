// SPDX-License-Identifier: MIT
#include "bench/harness/program.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/parse.h"
#include "absl/flags/reflection.h"
#include "absl/flags/usage.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "bench/harness/artifact.hpp"
#include "examples/support/output.hpp"

namespace llmes::bench {
namespace {

constexpr std::size_t help_width = 100;
constexpr int wrong_arguments = 2;  // the exit status for them, as of the scripts

GoogleBenchmarkFlags& mutable_google_benchmark_flags() {
  static GoogleBenchmarkFlags flags;
  return flags;
}

/// Prints the words of a text in lines that begin with `indent`.
void print_wrapped(absl::string_view text, absl::string_view indent) {
  std::string line(indent);
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (line.size() + word.size() >= help_width) {
      absl::PrintF("%s\n", line);
      line = std::string(indent);
    }
    if (line.size() > indent.size()) line += ' ';
    absl::StrAppend(&line, word);
  }
  absl::PrintF("%s\n", line);
}

/// Whether the flag is defined in this source. The name that Abseil keeps lacks slashes at its beginning.
bool is_from(const absl::CommandLineFlag& flag, absl::string_view source) {
  return absl::EndsWith(source, flag.Filename());
}

/// Prints the flags that the program defines itself, or all others.
void print_flags(const Program& program, bool own) {
  std::vector<const absl::CommandLineFlag*> flags;
  for (const auto& [_, flag] : absl::GetAllFlags()) {
    if (is_from(*flag, program.source) == own) flags.push_back(flag);
  }
  std::sort(flags.begin(), flags.end(), [](const auto* a, const auto* b) { return a->Name() < b->Name(); });
  for (const absl::CommandLineFlag* flag : flags) {
    absl::PrintF("  --%s=%s\n", flag->Name(), flag->DefaultValue());
    print_wrapped(flag->Help(), "      ");
  }
}

void print_help(std::string_view name, const Program& program, bool full) {
  absl::PrintF("%s: %s\n\nFor example:\n  %s %s\n\nFlags, with their defaults:\n", name, program.purpose, name,
               program.example);
  print_flags(program, true);
  const char* libraries = program.google_benchmark ? "Abseil and Google Benchmark" : "Abseil";
  if (!full) {
    absl::PrintF("\n%s --helpfull lists the flags of %s too.\n", name, libraries);
    return;
  }
  absl::PrintF("\nFlags of Abseil:\n");
  print_flags(program, false);
  if (!program.google_benchmark) return;
  absl::PrintF("\nFlags of Google Benchmark:\n");
  std::fflush(stdout);
  benchmark::PrintDefaultHelp();
}

/// Reads both kinds of flags. Throws std::invalid_argument for an argument that is no flag.
void read_flags(int argc, char** argv, const Program& program) {
  // A wrong flag makes Abseil end the program with 1, and Google Benchmark with 0.
  enum class Reader { None, GoogleBenchmark, Abseil };
  static Reader reader = Reader::None;
  on_exit(
      [](int status, void*) {
        if (reader == Reader::None || (reader == Reader::Abseil && status == 0)) return;  // of --version
        std::fflush(nullptr);
        std::_Exit(wrong_arguments);
      },
      nullptr);
  if (program.google_benchmark) {
    reader = Reader::GoogleBenchmark;
    benchmark::Initialize(&argc, argv);
  }
  absl::SetProgramUsageMessage(program.purpose);
  reader = Reader::Abseil;
  const std::vector<char*> positional = absl::ParseCommandLine(argc, argv);
  reader = Reader::None;
  if (positional.size() > 1) {
    throw std::invalid_argument(
        absl::StrFormat("'%s' is no flag, and there are only flags, such as: %s", positional[1], program.example));
  }
}

/// Puts the file of Google Benchmark in its place, unless there was nothing to run, as with
/// --benchmark_list_tests.
void finish_benchmark_out(const std::string& path) {
  const std::string written = unfinished(path);
  const std::uintmax_t size = std::filesystem::file_size(written);
  if (size == 0) return;
  // Google Benchmark does not check whether its file was written. On a full disk, not one more byte fits.
  std::ofstream file(written, std::ios::app);
  file << '\n';
  file.close();
  if (!file) throw cannot_write(path);
  std::filesystem::resize_file(written, size);
  finish(path);
}

}  // namespace

const GoogleBenchmarkFlags& google_benchmark_flags() {
  return mutable_google_benchmark_flags();
}

int run_program(int argc, char** argv, const Program& program) {
  check_output_at_exit(argv[0]);
  std::string_view name = argv[0];
  name.remove_prefix(name.rfind('/') + 1);  // nothing, without a folder
  for (const std::string_view flag : std::span(argv, argv + argc)) {
    if (flag != "--help" && flag != "--helpfull") continue;
    print_help(name, program, flag == "--helpfull");
    return 0;
  }

  // Google Benchmark empties its file at once. So it gets another file, which replaces the old one when it is
  // complete.
  std::vector<char*> arguments(argv, argv + argc);
  std::string unfinished_flag;
  GoogleBenchmarkFlags& flags = mutable_google_benchmark_flags();
  for (char*& argument : arguments) {
    absl::string_view flag = argument;
    if (absl::ConsumePrefix(&flag, "--benchmark_format=")) flags.format = std::string(flag);
    if (!absl::ConsumePrefix(&flag, "--benchmark_out=") || flag.empty()) continue;
    flags.out = std::string(flag);
    unfinished_flag = "--benchmark_out=" + unfinished(flags.out);
    argument = unfinished_flag.data();
  }

  int status = 0;
  try {
    if (!flags.out.empty()) require_writable(flags.out);
    read_flags(argc, arguments.data(), program);
    program.run();
    if (!flags.out.empty()) finish_benchmark_out(flags.out);
  } catch (const std::exception& error) {
    absl::FPrintF(stderr, "%s: %s\n", name, error.what());
    status = dynamic_cast<const std::invalid_argument*>(&error) != nullptr ? wrong_arguments : 1;
  }
  if (!flags.out.empty()) std::remove(unfinished(flags.out).c_str());
  return status;
}

void require_elements(std::string_view flag, std::span<const std::string> list, std::string_view example) {
  if (list.empty() || std::find(list.begin(), list.end(), "") != list.end()) {
    throw std::invalid_argument(absl::StrFormat("--%s %s; it is a list such as %s", flag,
                                                list.empty() ? "is empty" : "has an empty element", example));
  }
}

}  // namespace llmes::bench
