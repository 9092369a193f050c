// SPDX-License-Identifier: MIT
//
// Why a journal was refused or failed: as numbers for programs, and as messages that say what to do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "llmes/detail/algorithm.hpp"
#include "llmes/detail/enumerator_name.hpp"
#include "llmes/engine/journal/journal_format.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

enum class JournalCode : std::uint8_t {
  Success,
  InvalidConfig,       ///< wrong settings of the journal, or of the books
  OutOfMemory,         ///< the system refuses the memory to read with
  Locked,              ///< another engine has the directory, or another one makes a snapshot of it
  SystemError,         ///< a system call failed
  StrayFile,           ///< a file ends in ".journal" and is not named as a segment
  NotAFile,            ///< what has the name of a file is a link, a pipe, a directory or the like
  NoSegment,           ///< a file has the name of a later segment but is none, and records do not reach it
  MissingSegment,      ///< no segment holds `sequence`, and there are some after it
  OverlappingSegment,  ///< two segments claim the same records
  RenamedSegment,      ///< a segment has the name of another
  UnknownVersion,      ///< a segment is of another format, or a snapshot that is needed of another version
  OtherParameters,     ///< a segment or a snapshot was written for other books
  OtherJournal,        ///< a segment or a snapshot belongs to another journal
  OtherHistory,        ///< it belongs to a copy of this journal with which another engine went on
  NoRoom,              ///< the disk has less room than a segment and the reserve take
  DamagedHeader,       ///< a segment with records has no valid header
  DamagedRecord,       ///< a record is not valid, and was written completely
  OtherBooks,          ///< a snapshot leads to other books than those that it was made of, or the journal does
  MissingRecords,      ///< the journal ends before the sequence that is asked for, or before a snapshot
  NoDirectory,         ///< an engine is asked for a durability, and not told where to keep its journal
  NotEmpty,            ///< a journal is to begin where there is one
  TooSmall,            ///< an order, or a book that had one, has no place in books of new sizes
  RemovedRecords,      ///< commands that lead to `sequence` are deleted, and no snapshot before it is left
  OtherMachine,        ///< a segment or a snapshot is of another machine: of kind `name`, or with other records
};

/// Members that do not apply to an error are 0 or empty.
struct JournalError {
  JournalCode code = JournalCode::Success;
  int number = 0;               ///< the `errno` of a SystemError
  std::string_view call{};      ///< the system call of a SystemError
  JournalName file{};           ///< in the journal's directory; empty for the directory itself
  std::uint64_t offset = 0;     ///< in the file, in bytes
  std::uint64_t sequence = 0;   ///< of the record
  std::uint64_t other = 0;      ///< a second sequence, or a version
  std::array<char, 24> name{};  ///< of the parameter that differs, or of a machine; or why the books cannot be
  /// Its value here; or how many bytes a record has, or are needed, or how many books.
  std::uint64_t expected = 0;
  /// Its value in the journal; or how many bytes a record has there, or the disk has left; or a book.
  std::uint64_t found = 0;

  /// Whether there is an error.
  [[nodiscard]] explicit constexpr operator bool() const noexcept { return code != JournalCode::Success; }
};

/// A SystemError of a call that returned `result`, a negative `errno`.
[[nodiscard]] constexpr JournalError system_error(std::string_view call, std::int64_t result,
                                                  const JournalName& file = {},
                                                  std::uint64_t offset = 0) noexcept {
  return {.code = JournalCode::SystemError,
          .number = static_cast<int>(-result),
          .call = call,
          .file = file,
          .offset = offset};
}

/// An OtherParameters that names the first parameter of `file` that differs, or an OtherMachine.
[[nodiscard]] constexpr JournalError other_parameters(const JournalName& file, const JournalParameters& found,
                                                      const JournalParameters& expected) noexcept {
  if (found.kind != expected.kind) return {.code = JournalCode::OtherMachine, .file = file, .name = found.kind};
  JournalError error{.code = JournalCode::OtherParameters, .file = file};
  const auto [there, here] = detail::mismatch(found.fields, expected.fields);
  if (there == found.fields.end()) return error;
  const bool added_here = there->name[0] == '\0';
  error.name = fixed_text<24>(text_of(added_here ? here->name : there->name));
  error.found = there->value;
  error.expected = there->name == here->name || added_here ? here->value : 0;
  return error;
}

/// What was found in a journal.
struct JournalSummary {
  std::uint64_t replayed = 0;       ///< how many records the receiver was given
  std::uint64_t next_sequence = 0;  ///< one more than that of the last record
  bool empty = false;               ///< there is no segment: the journal begins here
  /// How many bytes at the end belong to an incomplete write, up to the last one that is not 0. A writer removes
  /// them. Of the completed writes, only the last one can be among them, if later damage made it look incomplete.
  std::uint64_t torn_bytes = 0;
  JournalName torn_file{};
  std::uint64_t torn_offset = 0;
  /// How many bytes the last segment lacks: the file was truncated; records there are lost, acknowledged ones too.
  std::uint64_t cut_bytes = 0;
  JournalName cut_file{};
  /// The last segment, if it has no header, and how many bytes there are. A failure while it was made leaves that,
  /// before any record is acknowledged; so does whoever truncates the file, and then acknowledged ones are lost.
  JournalName begun_file{};
  std::uint64_t begun_bytes = 0;
  /// The last segment, if it is full. The next one is made with the next record, so an engine leaves that rarely;
  /// a journal whose last segments are lost always ends so.
  JournalName full_file{};

  /// Whether it ends as an engine leaves it that has time to write, with a segment that has room.
  [[nodiscard]] constexpr bool is_whole() const noexcept {
    return torn_bytes == 0 && cut_bytes == 0 && begun_file.text().empty() && full_file.text().empty();
  }
};

/// "0.4", of a version of the library as snapshots have it.
[[nodiscard]] inline std::string library_version_text(std::uint64_t version) {
  return std::to_string(version / 1'000) + '.' + std::to_string(version % 1'000);
}

/// The message of an error, of which `to_string` fills in the words in braces. Some codes have two.
[[nodiscard]] constexpr std::string_view message_of(const JournalError& error) noexcept {
  using enum JournalCode;
  const bool named = error.name.front() != '\0';
  switch (error.code) {
    case Success: return "no error";
    case InvalidConfig:
      if (named) return "the books cannot be made: {name}";
      return "the journal's settings are wrong: it needs a path of a directory, a first sequence from 1 to 2^63 - "
             "1, and segments of 1 to 2^28 records";
    case OutOfMemory: return "there is too little memory to read the journal";
    case Locked:
      if (error.file.text() == "snapshot.lock")
        return "another snapshot of this directory is being made: wait for it";
      return "another engine uses this directory: stop it, or give this one a directory of its own";
    case SystemError: return "{call} failed: {file}, offset {offset}: {reason}";
    case StrayFile:
      return "{file} is not the name of a segment: give it its name back, or move it to another directory";
    case NotAFile:
      return "{file} is no regular file, but a link, a pipe, a directory or the like: remove it; nothing was read";
    case NoSegment:
      return "{file} has the name of a segment and is none, and the records end before {record}: move it to "
             "another directory";
    case MissingSegment:
      return "{record} is in no segment, and {segment} comes after it: bring the missing segment back";
    case OverlappingSegment:
      return "{file} is named as if it held {record}, which the segment before it holds: move the one that is a "
             "copy to another directory";
    case RenamedSegment: return "{file} holds the records from {other}: give it its own name back, {segment}";
    case UnknownVersion:
      if (error.file.text().ends_with(JournalName::snapshot_ending))
        return "{file} is of version {version}, this program reads those of {library}, and the first segments are "
               "gone, which could replace it: bring them back, or have the program that has written it carry its "
               "orders over";
      return "{file} is in version {other} of the format, and this program reads version {format}: use the "
             "program that has written it";
    case OtherParameters:
      return "{file} was written for other books, with {name} {found} and not {expected}: use those, or an empty "
             "directory";
    case OtherJournal:
      return "{file} belongs to another journal than {before}: move what does not belong here to another "
             "directory";
    case OtherHistory:
      return "{file} does not follow from {before}: they began as one journal, and two engines went on with "
             "copies of it: keep the files of one of them";
    case NoRoom:
      return "the disk has {found} bytes left, and {file} needs {expected} with what is kept free for a snapshot: "
             "free some, let remove_covered do it, or set fewer segment_records";
    case DamagedHeader:
      return "{file} has a damaged header, and should begin with {record}: bring it back from a copy; nothing was "
             "changed";
    case DamagedRecord:
      return "{file}, offset {offset}: {record} is damaged, and records were written after it: bring the segment "
             "back from a copy; nothing was changed";
    case OtherBooks:
      if (error.other != 0)
        return "the commands up to {record} make other books in version {library} than in version {version}, "
               "which has made {file}: use the program that has written it; or, to go on with those of this one, "
               "move the file to another directory";
      return "{file} leads to other books than it was made of: move it to another directory; an older snapshot, "
             "or the whole journal, is needed then";
    case MissingRecords:
      return "the journal ends before {record}, and the next one that it would hold is {other}: ask for an "
             "earlier one, bring back what is missing, or begin in an empty directory";
    case NoDirectory:
      return "a durability without a directory for the journal: name a directory, or leave both out";
    case NotEmpty: return "the directory already has a journal: name an empty directory for the new one";
    case TooSmall:
      if (error.expected != 0)
        return "book {found} is in use, and the new books lack it: make at least {expected} books; nothing was "
               "written";
      return "the order with id {other} of book {found} does not fit the new books: {name}: make them larger; "
             "nothing was written";
    case RemovedRecords:
      return "commands that lead to {record} are deleted: begin at record {other} or later, or bring the deleted "
             "segments back";
    case OtherMachine:
      if (named)
        return "{file} was written for a machine of another kind, \"{name}\": use that, or an empty directory";
      return "{file} has records of {found} bytes, and this machine has some of {expected}: use the one that has "
             "written it, or an empty directory";
  }
  return "?";
}

/// A one-line message for people who run the engine.
[[nodiscard]] inline std::string to_string(const JournalError& error) {
  const auto name_of = [&error](std::string_view ending) {
    return std::string(JournalName::of(error.other, ending).text());
  };
  const std::pair<std::string_view, std::string> values[] = {
      {"{call}", std::string(error.call)},
      {"{offset}", std::to_string(error.offset)},
      {"{reason}",
       std::generic_category().message(error.number) + " (errno " + std::to_string(error.number) + ')'},
      {"{record}", "record " + std::to_string(error.sequence)},
      {"{other}", std::to_string(error.other)},
      {"{segment}", name_of(JournalName::segment_ending)},
      {"{before}", error.other == 0 ? "what comes before it" : name_of(JournalName::snapshot_ending)},
      {"{version}", library_version_text(error.other)},
      {"{library}", library_version_text(library_version)},
      {"{format}", std::to_string(JournalHeader::version_now)},
      {"{found}", std::to_string(error.found)},
      {"{expected}", std::to_string(error.expected)},
      {"{name}", std::string(text_of(error.name))},
      {"{file}", error.file.text().empty() ? "the directory" : std::string(error.file.text())}};  // last: any name
  std::string text(message_of(error));
  for (const auto& [word, value] : values) {
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + value.size()))
      text.replace(at, word.size(), value);
  }
  return text;
}

/// The same, of the journal in this directory.
[[nodiscard]] inline std::string to_string(const JournalError& error, std::string_view directory) {
  return std::string(directory) + ": " + to_string(error);
}

[[nodiscard]] inline std::string to_string(const JournalSummary& summary) {
  std::string text =
      std::to_string(summary.replayed) + " records replayed, the next is " + std::to_string(summary.next_sequence);
  if (summary.empty) text += "; the journal is new";
  if (summary.torn_bytes != 0) {
    text += "; cut off " + std::to_string(summary.torn_bytes) + " bytes that were written in part, from offset " +
            std::to_string(summary.torn_offset) + " of " + std::string(summary.torn_file.text());
  }
  if (summary.cut_bytes != 0) {
    text += "; " + std::string(summary.cut_file.text()) + " was cut: it lacks " +
            std::to_string(summary.cut_bytes) +
            " bytes of its room, and all records that were there are gone: bring it back from a copy";
  }
  if (!summary.begun_file.text().empty()) {
    text += "; " + std::string(summary.begun_file.text()) + " has " + std::to_string(summary.begun_bytes) +
            " bytes and no header: a failure while it was made leaves that, and then nothing is lost; if it was "
            "cut, all its records are gone: bring it back from a copy";
  }
  return text;
}

}  // namespace llmes::inline LLMES_NAMESPACE
