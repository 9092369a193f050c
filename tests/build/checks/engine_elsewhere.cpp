// SPDX-License-Identifier: MIT
//
// Runs the parts of the engine that know the processor they run on, without GoogleTest, so that it can be compiled
// for another one: the ring's order of loads and stores, the checksum by instruction and by table, and files. It
// prints what must be the same everywhere.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bench/harness/temporary_folder.hpp"
#include "llmes/engine.hpp"
#include "tests/support/random.hpp"
#include "tests/support/record_plan.hpp"

namespace {

using namespace llmes;
using namespace llmes::test;
using Books = IdBook<BookSet, HashedIds>;
using SmallEngine = Engine<Books, BlockWait>;

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "wrong: %s\n", what.c_str());
  std::exit(1);
}

void compare_checksums() {
  Random random(1);
  for (std::size_t size = 0; size < 300; ++size) {
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
    const std::span<const std::byte> all(bytes);
    require(crc32c(all) == crc32c_by<Crc32cByTable>(all), "a checksum of bytes");
  }
  for (int i = 0; i < 100; ++i) {
    std::array<std::uint64_t, 8> words{};
    for (std::uint64_t& word : words) word = random.next();
    require(crc32c(words) == crc32c_by<Crc32cByTable>(words), "a checksum of words");
  }
}

/// Each element has all that was written to it before it was published.
template <class Wait>
void run_ring() {
  struct Element {
    std::array<std::uint64_t, 8> numbers;
  };
  constexpr std::uint64_t count = 30'000;
  auto ring = *Ring<Element, Wait>::create(64);
  const auto never = [] { return false; };
  std::thread producer([&] {
    for (std::uint64_t next = 0; next < count;) {
      const std::span<Element> slots = ring.wait_claim(count - next, never);
      for (Element& slot : slots) slot.numbers.fill(next++);
      ring.publish(slots.size());
    }
  });
  for (std::uint64_t next = 0; next < count;) {
    const std::span<Element> elements = ring.wait_readable(64, never);
    for (const Element& element : elements) {
      for (const std::uint64_t number : element.numbers) require(number == next, "an element of a ring");
      ++next;
    }
    ring.release(elements.size());
  }
  producer.join();
}

std::unique_ptr<SmallEngine> make_engine(const std::string& directory, Durability durability) {
  EngineError error;
  auto engine =
      SmallEngine::create({.books = SmallMatcher<Books>::config,
                           .commands = 64,
                           .journal = {.directory = directory, .durability = durability, .segment_records = 300}},
                          error);
  require(engine != nullptr, to_string(error));
  return engine;
}

/// Engines that each go on where the last one ended, with a snapshot on the way.
void run_engines() {
  const bench::TemporaryFolder folder(std::filesystem::temp_directory_path(), "llmes_elsewhere");
  const std::vector<Record> records = plan_records<Books>(1, 1'500);
  std::vector<Report> reports;
  RecoverySummary summary;
  std::uint64_t digest = 0;
  for (std::size_t done = 0; done < records.size(); done += 500) {
    const auto engine = make_engine(folder.path(), done == 0 ? Durability::Machine : Durability::Process);
    require(engine->sequence() == done, "the sequence after a restart");
    require(done == 0 || logical_digest(engine->books()) == digest, "the books after a restart");
    require(engine->start(), "a thread");
    for (const Record& record : std::span(records).subspan(done, 500)) {
      while (engine->submit(record) == SubmitStatus::Full) std::this_thread::yield();
    }
    engine->stop();
    for (auto some = engine->wait_reports(1'000); !some.empty(); some = engine->wait_reports(1'000)) {
      reports.insert(reports.end(), some.begin(), some.end());
      engine->release(some.size());
    }
    digest = logical_digest(engine->books());
    const JournalError error = make_snapshot(folder.path(), SmallMatcher<Books>::config, summary);
    require(!error, to_string(error));
  }
  require(reports == expected_reports<Books>(records), "the reports");
  require(make_engine(folder.path(), Durability::Process)->recovery().snapshot_sequence == 1'500, "the snapshot");

  auto books = *Matcher<Books>::create(SmallMatcher<Books>::config);
  NoReports nobody;
  books.apply(records, nobody);
  std::uint32_t image = 0;
  require(write_image(books,
                      [&](std::span<const std::byte> bytes) {
                        image = crc32c(bytes, image);
                        return true;
                      }),
          "an image");
  std::printf("%zu reports: %08x; image: %08x; digest: %016llx\n", reports.size(),
              crc32c(std::as_bytes(std::span(reports))), image, static_cast<unsigned long long>(digest));
}

}  // namespace

int main() {
  compare_checksums();
  run_ring<YieldWait>();
  run_ring<BlockWait>();
  run_engines();
}
