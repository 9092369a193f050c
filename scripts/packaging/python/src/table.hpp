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
  Number,     ///< a signed integer of 64 bits
  Duration,   ///< nanoseconds
  Timestamp,  ///< nanoseconds since 1970, UTC
  Real,       ///< a double; one that is none stands for no value
  Category,   ///< the place of a word in the column's list of words
};

struct Column {
  /// Stands for no value in numpy's view of a Number or a time; Arrow's readers get a null.
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();

  std::string name;
  ColumnKind kind = ColumnKind::Number;
  std::vector<std::int64_t> numbers{};  ///< of a Number or a time
  std::vector<double> reals{};
  std::vector<std::int32_t> codes{};  ///< of a Category
  std::vector<std::string> words{};

  Column(std::string name, ColumnKind kind = ColumnKind::Number) : name(std::move(name)), kind(kind) {}

  void add(std::int64_t number) { numbers.push_back(number); }
  void add(std::uint64_t number) { numbers.push_back(static_cast<std::int64_t>(number)); }
  void add(double number) { reals.push_back(number); }
  void add_word(std::string_view word);

  [[nodiscard]] std::size_t size() const noexcept {
    return codes.size() + reals.size() + numbers.size();  // two are empty
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

/// Adds a row to a table: a value for each column, in order.
class Row {
 public:
  explicit Row(Table& table) : columns_(table.columns) {}
  template <class Number>
  Row& operator<<(Number number) {
    columns_[next_++].add(number);
    return *this;
  }
  Row& operator<<(std::string_view word) {
    columns_[next_++].add_word(word);
    return *this;
  }

 private:
  std::vector<Column>& columns_;
  std::size_t next_ = 0;
};

/// The columns of the table depth: time, symbol, and price and lots of each level and side.
[[nodiscard]] std::vector<Column> depth_columns(ColumnKind time, std::size_t levels);

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
