// SPDX-License-Identifier: MIT
//
// A table of columns that Python reads without a copy: by numpy, and by Arrow's PyCapsule interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace llmes::python {

/// What the numbers of a column are.
enum class ColumnKind : std::uint8_t {
  Number,    ///< a signed integer of 64 bits
  Duration,  ///< nanoseconds
  Category,  ///< the place of a word in the column's list of words
};

struct Column {
  /// Stands for no value in numpy's view of a Number; Arrow's readers get a null.
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();

  std::string name;
  ColumnKind kind = ColumnKind::Number;
  std::vector<std::int64_t> numbers{};  ///< of a Number or Duration
  std::vector<std::int32_t> codes{};    ///< of a Category
  std::vector<std::string> words{};

  Column(std::string name, ColumnKind kind = ColumnKind::Number) : name(std::move(name)), kind(kind) {}

  void add(std::int64_t number) { numbers.push_back(number); }
  void add(std::uint64_t number) { numbers.push_back(static_cast<std::int64_t>(number)); }
  void add_word(std::string_view word);

  [[nodiscard]] std::size_t size() const noexcept {
    return kind == ColumnKind::Category ? codes.size() : numbers.size();
  }

 private:
  std::unordered_map<std::string, std::int32_t> places_{};
};

/// Columns of one length.
struct Table {
  std::vector<Column> columns;

  [[nodiscard]] std::size_t size() const noexcept { return columns.empty() ? 0 : columns.front().size(); }
  /// The rows so far; this table is empty afterwards, with the same columns.
  [[nodiscard]] Table take();
};

/// From the published "Arrow C data interface" and "Arrow C stream interface": structs that any two libraries
/// lay out alike.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

/// A stream of one batch, which is the table and shares its memory. The caller deletes it, after it has called
/// `release` unless a reader did.
[[nodiscard]] ArrowArrayStream* make_stream(std::shared_ptr<const Table> table);

}  // namespace llmes::python
