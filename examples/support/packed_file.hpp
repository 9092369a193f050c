// SPDX-License-Identifier: MIT
//
// Files as they are, or packed by gzip or zstd, piece by piece: what is unpacked may be larger than the memory.
// With LLMES_HAS_ZLIB and LLMES_HAS_ZSTD the program links these libraries; without, a packed file is refused with
// words.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#ifdef LLMES_HAS_ZLIB
#include <zlib.h>
#endif
#ifdef LLMES_HAS_ZSTD
#include <zstd.h>
#endif

#include "llmes/simulator/tape_format.hpp"

/// A file that is read from its beginning to its end.
class PackedFile {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

 public:
  /// @return the file, or nothing and in `why` the reason
  static std::optional<PackedFile> open(const std::string& path, std::string& why) {
    std::unique_ptr<std::FILE, Close> handle(std::fopen(path.c_str(), "rb"));
    if (!handle) {
      why = words_of_errno();
      return {};
    }
    std::optional<PackedFile> file{PackedFile(std::move(handle))};
    std::array<std::byte, 4> start{};
    const std::optional<std::size_t> size = file->read_plain(start, why);
    if (!size || !file->begin_unpacking(path, start, why)) return {};
    file->start_.assign(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(*size));
    return file;
  }

  /// Reads on. @return how many bytes; 0 only at the end. Nothing if the file is damaged or cannot be read, with
  /// the reason in `why`.
  std::optional<std::size_t> read(std::span<std::byte> room, std::string& why) {
    room = room.first(std::min(room.size(), std::size_t{1} << 30U));
#ifdef LLMES_HAS_ZLIB
    if (gzip_) return read_gzip(room, why);
#endif
#ifdef LLMES_HAS_ZSTD
    if (zstd_) return read_zstd(room, why);
#endif
    return read_plain(room, why);
  }

 private:
  explicit PackedFile(std::unique_ptr<std::FILE, Close> file) : file_(std::move(file)) {}

  static std::string words_of_errno() { return std::generic_category().message(errno); }
  static std::string words_of_lack(std::string_view packer, std::string_view library, std::string_view command) {
    return "packed by " + std::string(packer) + ", and this program was built without " + std::string(library) +
           "; unpack it first: " + std::string(command);
  }

  /// Makes what unpacks the file, if its first bytes say that it is packed. @return whether it can be read
  bool begin_unpacking([[maybe_unused]] const std::string& path, std::array<std::byte, 4> start,
                       std::string& why) {
    const llmes::Packing packing = llmes::packing_of(start);
    if (packing == llmes::Packing::Gzip) {
#ifdef LLMES_HAS_ZLIB
      gzip_.reset(gzopen(path.c_str(), "rb"));
      if (!gzip_) why = words_of_errno();
      return gzip_ != nullptr;
#else
      why = words_of_lack("gzip", "zlib", "gzip -dk");
      return false;
#endif
    }
    if (packing == llmes::Packing::Zstd) {
#ifdef LLMES_HAS_ZSTD
      zstd_.reset(ZSTD_createDStream());
      if (!zstd_) why = "too little memory to unpack it";
      return zstd_ != nullptr;
#else
      why = words_of_lack("zstd", "libzstd", "zstd -dk");
      return false;
#endif
    }
    return true;
  }

  std::optional<std::size_t> read_plain(std::span<std::byte> room, std::string& why) {
    if (!start_.empty() && !room.empty()) {
      const std::size_t size = std::min(start_.size(), room.size());
      std::copy_n(start_.begin(), size, room.begin());
      start_.erase(start_.begin(), start_.begin() + static_cast<std::ptrdiff_t>(size));
      return size;
    }
    const std::size_t count = std::fread(room.data(), 1, room.size(), file_.get());
    if (count > 0 || std::ferror(file_.get()) == 0) return count;
    why = words_of_errno();
    return {};
  }

#ifdef LLMES_HAS_ZLIB
  std::optional<std::size_t> read_gzip(std::span<std::byte> room, std::string& why) {
    const int count = gzread(gzip_.get(), room.data(), static_cast<unsigned>(room.size()));
    if (count > 0) return static_cast<std::size_t>(count);
    int error = Z_OK;
    gzerror(gzip_.get(), &error);
    if (count == 0 && error == Z_OK) return 0;
    if (error == Z_ERRNO) {
      why = words_of_errno();
    } else {
      why = error == Z_BUF_ERROR ? "the packed file is cut off" : "the packed file is damaged";
    }
    return {};
  }
#endif

#ifdef LLMES_HAS_ZSTD
  /// Such a file is one frame or several, some of which may hold nothing.
  std::optional<std::size_t> read_zstd(std::span<std::byte> room, std::string& why) {
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    while (out.pos == 0) {
      if (input_.pos == input_.size) {
        const std::optional<std::size_t> size = read_plain(packed_, why);
        if (!size) return {};
        input_ = {packed_.data(), *size, 0};
        if (*size == 0 && !is_in_frame_) return 0;
        if (*size == 0) {
          why = "the packed file is cut off";
          return {};
        }
      }
      const std::size_t left = ZSTD_decompressStream(zstd_.get(), &out, &input_);
      if (ZSTD_isError(left) != 0) {
        why = "the packed file is damaged";
        return {};
      }
      is_in_frame_ = left != 0;
    }
    return out.pos;
  }
#endif

  std::unique_ptr<std::FILE, Close> file_;
  std::vector<std::byte> start_;  ///< its first bytes: a pipe gives them once
#ifdef LLMES_HAS_ZLIB
  struct CloseGzip {
    void operator()(gzFile_s* file) const { gzclose(file); }
  };
  std::unique_ptr<gzFile_s, CloseGzip> gzip_;
#endif
#ifdef LLMES_HAS_ZSTD
  struct FreeZstd {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, FreeZstd> zstd_;
  std::vector<std::byte> packed_ = std::vector<std::byte>(std::size_t{1} << 17U);
  ZSTD_inBuffer input_{};
  bool is_in_frame_ = false;
#endif
};
