// SPDX-License-Identifier: MIT
//
// The directory of a journal: what lies in it by name, and files that are opened or locked by theirs. What the
// journal and the snapshots share.
#pragma once

#include <fcntl.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <string_view>

#include "llmes/engine/files.hpp"
#include "llmes/engine/journal_error.hpp"
#include "llmes/engine/journal_format.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// Opens a file of the directory, or the directory itself if the name is empty.
/// @return SystemError, with which `file` is none, or Success.
template <FileSystem Files>
[[nodiscard]] JournalError open_file(Files& files, JournalPath& path, const JournalName& name, int flags,
                                     OpenFile<Files>& file) {
  const char* const full = path.file(name);
  const FileResult opened = uninterrupted([&] { return files.open(AT_FDCWD, full, flags); });
  file = OpenFile<Files>(files, opened);
  return opened < 0 ? system_error("open", opened, name) : JournalError{};
}
/// Opens a file of an open directory, wherever that has been moved to.
template <FileSystem Files>
[[nodiscard]] JournalError open_file(Files& files, const OpenFile<Files>& directory, const JournalName& name,
                                     int flags, OpenFile<Files>& file) {
  const FileResult opened =
      uninterrupted([&] { return files.open(directory.number(), name.text().data(), flags); });
  file = OpenFile<Files>(files, opened);
  return opened < 0 ? system_error("open", opened, name) : JournalError{};
}

/// Locks a file of the directory, which is made if it is not there, for as long as it is open.
/// @return Locked (somebody else has it), SystemError, or Success.
template <FileSystem Files>
[[nodiscard]] JournalError lock_file(Files& files, JournalPath& path, const JournalName& name,
                                     OpenFile<Files>& file) {
  if (JournalError error = open_file(files, path, name, O_RDWR | O_CREAT, file)) return error;
  const FileResult locked = uninterrupted([&] { return files.lock(file.number()); });
  if (locked == -EWOULDBLOCK) return {.code = JournalCode::Locked, .file = name};
  return locked < 0 ? system_error("flock", locked, name) : JournalError{};
}

/// Deletes a file of the directory.
/// @return SystemError, or Success.
template <FileSystem Files>
[[nodiscard]] JournalError remove_file(Files& files, JournalPath& path, const JournalName& name) {
  const char* const full = path.file(name);
  const FileResult removed = uninterrupted([&] { return files.remove(full); });
  return removed < 0 ? system_error("unlink", removed, name) : JournalError{};
}

/// Calls `visit` with the name of each file, in no order.
/// @return SystemError, or Success.
template <FileSystem Files, class Visit>
[[nodiscard]] JournalError for_each_file(Files& files, JournalPath& path, Visit visit) {
  const FileResult listed = files.list(path.directory(), visit);
  return listed < 0 ? system_error("opendir or readdir", listed) : JournalError{};
}

/// Calls `visit` with the sequence that each segment is named by, in no order.
/// @return SystemError, StrayFile, or Success.
template <FileSystem Files, class Visit>
[[nodiscard]] JournalError for_each_segment(Files& files, JournalPath& path, Visit visit) {
  JournalName stray;
  JournalError error = for_each_file(files, path, [&](std::string_view name) {
    if (!name.ends_with(JournalName::segment_ending)) return;
    if (const std::optional<std::uint64_t> first = JournalName::sequence_of(name); first && *first != 0) {
      visit(*first);
    } else {
      stray = JournalName(name);
    }
  });
  if (!error && !stray.text().empty()) error = {.code = JournalCode::StrayFile, .file = stray};
  return error;
}

}  // namespace llmes::inline LLMES_NAMESPACE
