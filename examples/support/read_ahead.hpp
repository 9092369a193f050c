// SPDX-License-Identifier: MIT
//
// Reads and unpacks a file on a thread of its own, some pieces ahead: unpacking takes longer than most of what is
// done with the bytes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "packed_file.hpp"

/// The pieces of a file, in their order.
class ReadAhead {
 public:
  /// @param path of a file that `PackedFile` can open
  explicit ReadAhead(const std::string& path, std::size_t piece_size = std::size_t{1} << 20U)
      : reader_([this, path, piece_size] { read(path, piece_size); }) {}
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead() {
    {
      const std::lock_guard lock(mutex_);
      is_unwanted_ = true;
    }
    changed_.notify_all();
    reader_.join();
  }

  /// Waits for the next piece; an empty one is the end. Nothing if the file cannot be read on, with the reason in
  /// `why`.
  std::optional<std::vector<std::byte>> next(std::string& why) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !pieces_.empty() || is_over_; });
    if (pieces_.empty()) {
      why = why_;
      if (!why.empty()) return {};
      return std::vector<std::byte>{};
    }
    std::vector<std::byte> piece = std::move(pieces_.front());
    pieces_.pop();
    lock.unlock();
    changed_.notify_all();
    return piece;
  }

 private:
  static constexpr std::size_t pieces_max = 4;

  void read(const std::string& path, std::size_t piece_size) {
    std::string why;
    std::optional<PackedFile> file = PackedFile::open(path, why);
    while (file) {
      std::vector<std::byte> piece(piece_size);
      const std::optional<std::size_t> size = file->read(piece, why);
      if (!size || *size == 0) break;
      piece.resize(*size);
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return pieces_.size() < pieces_max || is_unwanted_; });
      if (is_unwanted_) return;
      pieces_.push(std::move(piece));
      lock.unlock();
      changed_.notify_all();
    }
    {
      const std::lock_guard lock(mutex_);
      why_ = why;
      is_over_ = true;
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<std::vector<std::byte>> pieces_;
  std::string why_;
  bool is_over_ = false;      ///< no more pieces come
  bool is_unwanted_ = false;  ///< nobody waits for more
  std::thread reader_;        ///< the last member, since it uses the others
};

/// Gives `take` the bytes of a file in their order, and whether they are the last ones. It returns how many it has
/// used; the others come again, with more behind them. Or nothing, to stop.
/// @return what is wrong with the file; nothing if it was read, or stopped
template <class Take>
std::optional<std::string> read_file_ahead(const std::string& path, Take take,
                                           std::size_t piece_size = std::size_t{1} << 20U) {
  ReadAhead ahead(path, piece_size);
  std::vector<std::byte> bytes;
  std::string why;
  for (;;) {
    std::optional<std::vector<std::byte>> piece = ahead.next(why);
    if (!piece) return std::string(path).append(": ").append(why);
    const bool is_last = piece->empty();
    if (bytes.empty()) {
      bytes = *std::move(piece);
    } else {
      bytes.insert(bytes.end(), piece->begin(), piece->end());
    }
    const std::optional<std::size_t> used = take(std::span<const std::byte>(bytes), is_last);
    if (!used || is_last) return {};
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(*used));
  }
}
