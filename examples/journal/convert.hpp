// SPDX-License-Identifier: MIT
//
// Writes the journal of a venue of version 0.17 or earlier anew, as this version reads it. A command had one
// record of 128 bytes there, and has 64 bytes for each part of it that is set now.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "journal.hpp"
#include "llmes/engine.hpp"

/// A record of before, and its command.
struct alignas(64) OldVenueRecord {
  std::uint64_t sequence = 0;
  std::uint32_t checksum = 0;
  std::uint32_t index_in_write = 0;
  llmes::Nanoseconds time = 0;
  llmes::OrderId id = 0;
  llmes::OrderId new_id = 0;
  llmes::Price price = 0;
  llmes::Quantity quantity = 0;
  llmes::Quantity peak = 0;
  llmes::Quantity minimum = 0;
  llmes::Price trigger = 0;
  llmes::Price trail = 0;
  llmes::Nanoseconds expiry = 0;
  std::uint64_t link = 0;
  llmes::AccountNumber account = 0;
  llmes::BookNumber book = 0;
  std::uint32_t protection = 0;
  llmes::VenueCommandType type{};
  llmes::Side side{};
  llmes::TimeInForce time_in_force{};
  llmes::SelfTrade self_trade{};
  llmes::Display display{};
  llmes::PositionEffect effect{};
  llmes::StopTrigger stop{};
  llmes::Lifetime lifetime{};
  llmes::LinkRole link_role{};
  llmes::Phase phase{};
  std::uint8_t unused[2] = {};

  [[nodiscard]] llmes::VenueCommand command() const noexcept {
    return {.time = time,
            .id = id,
            .new_id = new_id,
            .price = price,
            .quantity = quantity,
            .peak = peak,
            .minimum = minimum,
            .trigger = trigger,
            .trail = trail,
            .expiry = expiry,
            .link = link,
            .account = account,
            .book = book,
            .protection = protection,
            .type = type,
            .side = side,
            .time_in_force = time_in_force,
            .self_trade = self_trade,
            .display = display,
            .effect = effect,
            .stop = stop,
            .lifetime = lifetime,
            .link_role = link_role,
            .phase = phase};
  }
};
static_assert(sizeof(OldVenueRecord) == 128 && llmes::JournalRecord<OldVenueRecord>);

/// Reads a journal that no engine writes, back to its first record, and writes its commands to another directory,
/// which is empty or not there. What it reads stays as it is. Returns the exit status of a program.
inline int convert_journal(const std::string& from, const std::string& to, std::ostream& out, std::ostream& err) {
  using namespace llmes;
  const std::optional<JournalFiles> files = find_journal(from, err);
  if (!files) return 1;
  JournalHeader header;
  const bool is_old = read_header(path_of(from, JournalName::of_segment(files->segments.front())), header) &&
                      header.whole() && header.longer_by == JournalHeader::longer_by_of<OldVenueRecord>;
  if (!text_of(files->parameters.kind).starts_with("venue") || !is_old) {
    err << from << ": is no journal of a venue of version 0.17 or earlier; others are read as they are\n";
    return 1;
  }
  if (files->segments.front() != 1) {
    err << from << ": begins at record " << files->segments.front()
        << ", and a snapshot of another version cannot be read: bring the segments before it back from a copy\n";
    return 1;
  }
  std::error_code failed;
  std::filesystem::create_directories(to, failed);
  if (!failed && !std::filesystem::is_empty(to, failed)) {
    err << to << ": is not empty\n";
    return 1;
  }
  if (failed) {
    err << to << ": " << failed.message() << '\n';
    return 1;
  }
  JournalError error;
  JournalSummary summary;
  const auto ignore = [](std::span<const PartRecord>) {};
  auto writer = JournalWriter<SystemFiles, PartRecord>::create(
      {.directory = to, .parameters = files->parameters, .durability = Durability::Process}, 1, ignore, summary,
      error);
  std::uint64_t commands = 0;
  std::vector<PartRecord> records;
  const auto convert = [&](std::span<const OldVenueRecord> some) {
    records.clear();
    for (const OldVenueRecord& old : some) {
      const VenueRecords all = records_of(old.command());
      records.insert(records.end(), all.begin(), all.end());
    }
    commands += some.size();
    if (error) return;
    stamp(records, writer->next_sequence());
    if (writer->append(records) != AppendStatus::Success) error = writer->failure();
  };
  if (!error) {
    if (const JournalError fault = verify<OldVenueRecord>(from, 1, files->parameters, convert, summary)) {
      err << to_string(fault, from) << '\n';
      return 1;
    }
  }
  if (error) {
    err << to_string(error, to) << '\n';
    return 1;
  }
  out << commands << " commands are in " << writer->next_sequence() - 1 << " records now, of "
      << (writer->next_sequence() - 1) * sizeof(PartRecord) * 100 / (std::max<std::uint64_t>(commands, 1) * 128)
      << " % of the bytes that they had\n";
  return 0;
}
