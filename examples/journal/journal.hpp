// SPDX-License-Identifier: MIT
//
// Looks at the journal of an engine from outside, whatever books it is of: is it whole, and what is in it. Nothing
// is changed. Both functions return the exit status of a program: 0, or 1 if something is wrong, which `err` then
// says with what to do.
#pragma once

#include <fcntl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "llmes/engine.hpp"
#include "llmes/venue.hpp"

/// The files of a journal by their numbers, the oldest first, and what its books were made for.
struct JournalFiles {
  std::vector<std::uint64_t> segments;
  std::vector<std::uint64_t> snapshots;
  llmes::JournalParameters parameters{};
};

/// Reads the header of a file, whole or not.
template <class Header>
bool read_header(const std::string& path, Header& header) {
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  return file.gcount() == sizeof header;
}

inline std::string path_of(const std::string& directory, const llmes::JournalName& name) {
  return directory + '/' + std::string(name.text());
}

/// What lies in the directory, or nothing, and `err` says why.
inline std::optional<JournalFiles> find_journal(const std::string& directory, std::ostream& err) {
  using llmes::JournalName;
  JournalFiles files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename();
    if (const auto first = JournalName::sequence_of(name)) files.segments.push_back(*first);
    if (const auto last = JournalName::number_of(name, JournalName::snapshot_ending))
      files.snapshots.push_back(*last);
  }
  if (error) {
    err << directory << ": cannot be listed: " << error.message() << '\n';
    return {};
  }
  if (files.segments.empty()) {
    err << directory << ": has no segment of a journal; is it the directory that the engine was given?\n";
    return {};
  }
  std::ranges::sort(files.segments);
  std::ranges::sort(files.snapshots);
  // Of the newest one that tells: the first one may be the damaged one.
  for (const std::uint64_t first : files.segments) {
    llmes::JournalHeader header;
    if (read_header(path_of(directory, JournalName::of_segment(first)), header) && header.whole())
      files.parameters = header.parameters;
  }
  return files;
}

/// Whether a snapshot is as it was written, in words that end a sentence.
inline std::string judge_snapshot(const std::string& path, std::uint64_t sequence, bool& whole) {
  using namespace llmes;
  SnapshotHeader header;
  whole = read_header(path, header) && header.whole(sequence);
  if (!whole) return "is damaged: move it away; an older one, or the whole journal, is used then";
  if (header.version != library_version) {
    return "is of version " + library_version_text(header.version) + ", and this program is of version " +
           library_version_text(library_version) + ", which needs the journal back to record 1 instead";
  }
  SystemFiles files;
  JournalFile<SystemFiles> file(files, files.open(AT_FDCWD, path.c_str(), O_RDONLY));
  const auto room = std::make_unique<std::byte[]>(image_room);
  const JournalError error = check_image(file, header, {room.get(), image_room}, whole);
  if (error) return "cannot be read: " + std::generic_category().message(error.number);
  return whole ? "is whole" : "is damaged: move it away; an older one, or the whole journal, is used then";
}

/// Calls `work` with a record of the type that a machine of this kind has.
inline auto with_record_of(const llmes::JournalParameters& parameters, const auto& work) {
  const std::string_view kind = llmes::text_of(parameters.kind);
  if (kind.starts_with("venue") || kind.starts_with("exchange")) return work(llmes::PartRecord{});
  return work(llmes::Record{});
}

/// Reads all of a journal that no engine writes, and all snapshots, and says what they are.
inline int verify_journal(const std::string& directory, std::ostream& out, std::ostream& err) {
  using namespace llmes;
  const std::optional<JournalFiles> files = find_journal(directory, err);
  if (!files) return 1;
  out << text_of(files->parameters.kind);
  for (const auto& field : files->parameters.fields) {
    if (field.name[0] != '\0') out << "; " << text_of(field.name) << ' ' << field.value;
  }
  out << '\n';

  const std::uint64_t oldest = files->segments.front();
  JournalSummary summary;
  const JournalError error = with_record_of(files->parameters, [&]<class R>(const R&) {
    const auto ignore = [](std::span<const R>) {};
    return verify<R>(directory, oldest, files->parameters, ignore, summary);
  });
  if (error) err << to_string(error, directory) << '\n';
  bool good = !error;
  if (good) {
    out << "records " << oldest << " to " << summary.next_sequence - 1 << " are whole, in "
        << files->segments.size() << (files->segments.size() == 1 ? " segment\n" : " segments\n");
    if (summary.torn_bytes != 0) {
      out << "torn: the last write was cut short, at offset " << summary.torn_offset << " of "
          << summary.torn_file.text() << ", as by a failure; nobody was told of it, and an engine cuts off its "
          << summary.torn_bytes << " bytes\n";
    }
    if (!summary.begun_file.text().empty()) {
      out << "begun: " << summary.begun_file.text() << " has " << summary.begun_bytes
          << " bytes and no header, as by a failure while it was made; if it was cut, its records are gone\n";
    }
    if (summary.cut_bytes != 0) {
      good = false;
      err << "cut: the last segment lacks " << summary.cut_bytes
          << " bytes of its room; all records that were there are gone: bring it back from a copy\n";
    }
  }

  bool reaches_back = oldest == 1;  // whether an engine of this version can start
  for (const std::uint64_t sequence : files->snapshots) {
    const JournalName name = JournalName::of(sequence, JournalName::snapshot_ending);
    bool whole = false;
    const std::string judged = judge_snapshot(path_of(directory, name), sequence, whole);
    (whole ? out : err) << name.text() << ' ' << judged << '\n';
    good = good && whole;
    reaches_back = reaches_back || (whole && sequence + 1 >= oldest);
  }
  if (!reaches_back) {
    err << directory << ": the records before " << oldest
        << " are gone, and no snapshot has them: bring their segments back from a copy\n";
  }
  return good && reaches_back ? 0 : 1;
}

/// Prints the records from `first` to `last`, one a line; also of a journal that an engine writes.
inline int dump_journal(const std::string& directory, std::uint64_t first, std::uint64_t last, std::ostream& out,
                        std::ostream& err) {
  using namespace llmes;
  const std::optional<JournalFiles> files = find_journal(directory, err);
  if (!files) return 1;
  const bool by_handle = text_of(files->parameters.kind) == kind_of_books<BookSet>;
  const auto text_of_call = [&](const Record& record) {
    if (record.type == Clear::type) return to_string(clear_of(record));
    return by_handle ? to_string(command_of(record)) : to_string(request_of(record));
  };
  VenueCommandReader commands;
  const auto print_one = [&](const Record& record) {
    out << record.sequence << ' ' << text_of_call(record) << ", time " << record.time << '\n';
  };
  const auto print_part = [&](const PartRecord& record) {  // a command with its last record
    const VenueCommand* const command = commands.take(record);
    if (command != nullptr) out << record.sequence << ' ' << to_string(*command) << '\n';
  };
  JournalSummary summary;
  const std::uint64_t from = std::max(first, files->segments.front());
  const JournalError error = with_record_of(files->parameters, [&]<class R>(const R&) {
    const auto print = [&](std::span<const R> records) {
      for (const R& record : records) {
        if (record.sequence > last) return;
        if constexpr (std::is_same_v<R, Record>) {
          print_one(record);
        } else {
          print_part(record);
        }
      }
    };
    return replay<R>(directory, from, files->parameters, print, summary);
  });
  if (error) {
    err << to_string(error, directory) << '\n';
    return 1;
  }
  return 0;
}
