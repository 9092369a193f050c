// SPDX-License-Identifier: MIT
#include "bench/streams/itch_day.hpp"

#include <array>
#include <cstdio>
#include <numeric>
#include <string_view>

#include "bench/streams/itch_flow.hpp"

namespace llmes::bench {

std::uint64_t ItchDayCensus::messages() const {
  return std::accumulate(by_type.begin(), by_type.end(), std::uint64_t{0});
}
std::uint64_t ItchDayCensus::others() const {
  return messages() - adds() - deletes() - replaces() - executes() - cancels();
}

ItchDay make_itch_day(const ItchDaySpec& spec) {
  return ItchFlow(spec).play();
}

std::string mix_table(const ItchDayCensus& census) {
  struct Kind {
    const char* name;
    std::uint64_t count;
    double published;  // millions
  };
  const std::array<Kind, 6> kinds{{{"add", census.adds(), 118.6},
                                   {"delete", census.deletes(), 114.4},
                                   {"replace", census.replaces(), 21.6},
                                   {"execute", census.executes(), 5.8},
                                   {"cancel", census.cancels(), 2.8},
                                   {"other", census.others(), 4.2}}};
  double published_all = 0;
  for (const Kind& kind : kinds) published_all += kind.published;
  const auto all = static_cast<double>(census.messages());

  std::string table;
  std::array<char, 160> line{};
  const auto print = [&](const char* format, auto... values) {
    const int length = std::snprintf(line.data(), line.size(), format, values...);
    table.append(line.data(), static_cast<std::size_t>(length));
  };
  print("%-10s %12s %8s %10s\n", "messages", "count", "share", "published");
  for (const Kind& kind : kinds) {
    print("%-10s %12llu %7.3f%% %9.3f%%\n", kind.name, static_cast<unsigned long long>(kind.count),
          100 * static_cast<double>(kind.count) / all, 100 * kind.published / published_all);
  }
  table += "others by type:";
  for (std::size_t type = 0; type < census.by_type.size(); ++type) {
    const bool is_other = std::string_view("AFDUECX").find(static_cast<char>(type)) == std::string_view::npos;
    if (is_other && census.by_type[type] > 0) {
      print(" %c %llu", static_cast<char>(type), static_cast<unsigned long long>(census.by_type[type]));
    }
  }
  print("\nat most %zu orders rest, on at most %zu levels\n", census.peak_resting, census.peak_levels);
  print("levels of a symbol at the open: %.1f on average, %zu of the busiest, %zu of the median\n",
        census.levels_at_open, census.busiest_levels, census.median_levels);
  print("share of the busiest symbol %.3f%%, of the median %.4f%%\n", 100 * census.busiest, 100 * census.median);
  print("%llu orders between cents, %llu stub quotes, %llu halts, %llu messages in crossed books\n",
        static_cast<unsigned long long>(census.off_grid), static_cast<unsigned long long>(census.stubs),
        static_cast<unsigned long long>(census.halts), static_cast<unsigned long long>(census.crossed));
  return table;
}

}  // namespace llmes::bench
