// SPDX-License-Identifier: MIT
//
// What a user of FIX has been told today, and the sequence numbers of its session. The messages follow from the
// journal; the numbers are kept in a file of their own beside it, which is written after the journal, and before
// bytes that show them leave.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "codec.hpp"
#include "examples/exchange/mailbox.hpp"
#include "llmes/wire.hpp"
#include "view.hpp"

namespace exchange {

class FixStore {
 public:
  /// @param mailbox of a user who speaks FIX
  explicit FixStore(std::shared_ptr<Mailbox> mailbox)
      : mailbox_(std::move(mailbox)), view_(*mailbox_->view<FixView>()) {}
  FixStore(const FixStore&) = delete;
  FixStore& operator=(const FixStore&) = delete;
  ~FixStore() {
    if (file_ >= 0) ::close(file_);
  }

  /// Reads the numbers that were kept, and keeps new ones there. A record that was not written whole is cut off.
  /// @return what is wrong, or nothing
  [[nodiscard]] std::string open(const std::string& path, bool survives_machine) {
    survives_machine_ = survives_machine;
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file_ < 0) return failure(path);
    std::vector<fix::Change> changes(4'096);
    const std::span<std::byte> room = std::as_writable_bytes(std::span(changes));
    std::size_t kept = 0;  // bytes of a change that is not whole yet
    ssize_t size = 0;
    while ((size = ::read(file_, room.data() + kept, room.size() - kept)) > 0) {
      kept += static_cast<std::size_t>(size);
      const std::size_t whole = kept / sizeof(fix::Change);
      for (const fix::Change& change : std::span(changes).first(whole)) {
        if (!numbers_.apply(change)) return path + ": is damaged; the user begins at 1 without it";
      }
      end_ += whole * sizeof(fix::Change);
      kept %= sizeof(fix::Change);
      std::ranges::copy(room.subspan(whole * sizeof(fix::Change), kept), room.begin());
    }
    if (size < 0 || ::ftruncate(file_, static_cast<off_t>(end_)) != 0) return failure(path);
    return {};
  }

  [[nodiscard]] const std::shared_ptr<Mailbox>& mailbox() const noexcept { return mailbox_; }
  /// What its orders are called.
  [[nodiscard]] FixView& view() const noexcept { return view_; }

  // ---- What a session of FIX reads and keeps.

  [[nodiscard]] std::size_t size() const noexcept { return view_.outcomes().size(); }
  /// It stays until the next call.
  [[nodiscard]] std::span<const std::byte> operator[](std::size_t index) const noexcept {
    const Outcome& outcome = view_.outcomes()[index];
    return write_fix(outcome, index + 1, room_, view_.entries_of(outcome));
  }
  [[nodiscard]] const fix::Numbers& numbers() const noexcept { return numbers_; }
  void keep(const fix::Change& change) {
    if (!numbers_.apply(change)) return;
    const bool replaces = !changes_.empty() && changes_.back().type == fix::ChangeType::Received &&
                          change.type == fix::ChangeType::Received;
    if (replaces) changes_.pop_back();
    changes_.push_back(change);
  }
  /// Writes what `keep` was given, and what it could not write before.
  /// @return false if it cannot be written: then the session must end
  [[nodiscard]] bool flush() noexcept {
    if (file_ < 0) changes_.clear();  // nothing is kept
    std::span<const std::byte> rest = std::as_bytes(std::span(changes_));
    if (rest.empty()) return true;
    const std::size_t end = end_ + rest.size();
    while (!rest.empty()) {
      const ssize_t size = ::pwrite(file_, rest.data(), rest.size(), static_cast<off_t>(end - rest.size()));
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) return false;  // a part of a change may be there: the next call writes over it
      rest = rest.subspan(static_cast<std::size_t>(size));
    }
    end_ = end;
    changes_.clear();
    return !survives_machine_ || ::fdatasync(file_) == 0;
  }

 private:
  [[nodiscard]] static std::string failure(const std::string& path) {
    return path + ": " + std::generic_category().message(errno);
  }

  std::shared_ptr<Mailbox> mailbox_;
  FixView& view_;
  fix::Numbers numbers_;
  std::vector<fix::Change> changes_;  ///< still to be written
  std::size_t end_ = 0;               ///< of the changes in the file
  int file_ = -1;
  bool survives_machine_ = false;
  mutable std::array<std::byte, 8'192> room_{};
};
static_assert(fix::SessionStore<FixStore>);

}  // namespace exchange
