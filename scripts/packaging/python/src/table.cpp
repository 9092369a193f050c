// SPDX-License-Identifier: MIT
#include "table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <utility>

#include "words.hpp"

namespace llmes::python {

void Column::add_word(std::string_view word) {
  if (!codes.empty() && words[static_cast<std::size_t>(codes.back())] == word) {  // most words repeat
    codes.push_back(codes.back());
    return;
  }
  const auto [place, is_new] = places_.try_emplace(readable(word), static_cast<std::int32_t>(words.size()));
  if (is_new) words.push_back(place->first);
  codes.push_back(place->second);
}

std::vector<Column> depth_columns(ColumnKind time, std::size_t levels) {
  std::vector<Column> columns = {{"time", time}, {"symbol", ColumnKind::Category}};
  for (std::size_t level = 1; level <= levels; ++level) {
    for (const char* what : {"bid_", "bid_lots_", "ask_", "ask_lots_"})
      columns.emplace_back(what + std::to_string(level));
  }
  return columns;
}

Table Table::take() {
  Table empty;
  for (const Column& column : columns) empty.columns.emplace_back(column.name, column.kind);
  return std::exchange(*this, std::move(empty));
}

namespace {

/// Bits of a column, one for each row: whether there is a value. Empty if all rows have one.
struct Validity {
  std::vector<std::uint8_t> bits;
  std::int64_t nulls = 0;
};

Validity validity_of(const Column& column) {
  Validity validity;
  const auto mark = [&](const auto& values, const auto& is_none) {
    validity.nulls = std::ranges::count_if(values, is_none);
    if (validity.nulls == 0) return;
    validity.bits.resize((values.size() + 7) / 8);
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (!is_none(values[row]))
        validity.bits[row / 8] = static_cast<std::uint8_t>(validity.bits[row / 8] | 1U << row % 8);
    }
  };
  mark(column.numbers, [](std::int64_t number) { return number == Column::none; });
  if (column.kind == ColumnKind::Real) mark(column.reals, [](double number) { return std::isnan(number); });
  return validity;
}

const char* format_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::Number: return "l";
    case ColumnKind::Duration: return "tDn";
    case ColumnKind::Timestamp: return "tsn:UTC";
    case ColumnKind::Real: return "g";
    case ColumnKind::Category: return "i";
  }
  return "n";
}
const void* values_of(const Column& column) {
  if (column.kind == ColumnKind::Category) return column.codes.data();
  if (column.kind == ColumnKind::Real) return column.reals.data();
  return column.numbers.data();
}

// What an exported struct owns. A release frees the children that a reader has not taken over.

struct SchemaParts {
  std::shared_ptr<const Table> table;
  std::vector<ArrowSchema> fields;
  std::vector<ArrowSchema*> places;
};

template <class Struct>
void release_children(Struct* parent) {
  for (std::int64_t i = 0; i < parent->n_children; ++i) {
    if (parent->children[i]->release != nullptr) parent->children[i]->release(parent->children[i]);
  }
  if (parent->dictionary != nullptr && parent->dictionary->release != nullptr)
    parent->dictionary->release(parent->dictionary);
}
template <class Struct, class Parts>
void release(Struct* one) {
  release_children(one);
  delete static_cast<Parts*>(one->private_data);
  one->release = nullptr;
}

struct FieldParts {
  std::shared_ptr<const Table> table;  // the names
  ArrowSchema words;
};
constexpr std::int64_t nullable = 2;

ArrowSchema field_of(std::shared_ptr<const Table> table, const Column& column) {
  auto* const parts = new FieldParts{std::move(table), {}};
  ArrowSchema schema{format_of(column.kind),
                     column.name.c_str(),
                     nullptr,
                     nullable,
                     0,
                     nullptr,
                     nullptr,
                     release<ArrowSchema, FieldParts>,
                     parts};
  if (column.kind == ColumnKind::Category) {
    parts->words = {"u", "", nullptr, nullable, 0, nullptr, nullptr, release<ArrowSchema, FieldParts>, nullptr};
    schema.dictionary = &parts->words;
  }
  return schema;
}

struct ArrayParts {
  std::shared_ptr<const Table> table;  // the numbers
  std::vector<ArrowArray> columns{};
  std::vector<ArrowArray*> places{};
  std::array<const void*, 3> buffers{};
  Validity validity{};
  ArrowArray words{};
  std::vector<std::int32_t> ends{};
  std::string letters{};
};

ArrowArray words_of(const Column& column) {
  auto* const parts = new ArrayParts;
  parts->ends.push_back(0);
  for (const std::string& word : column.words) {
    parts->letters += word;
    parts->ends.push_back(static_cast<std::int32_t>(parts->letters.size()));
  }
  parts->buffers = {nullptr, parts->ends.data(), parts->letters.data()};
  return {static_cast<std::int64_t>(column.words.size()),
          0,
          0,
          3,
          0,
          parts->buffers.data(),
          nullptr,
          nullptr,
          release<ArrowArray, ArrayParts>,
          parts};
}

ArrowArray array_of(std::shared_ptr<const Table> table, const Column& column) {
  auto* const parts = new ArrayParts{.table = std::move(table)};
  parts->validity = validity_of(column);
  const bool has_words = column.kind == ColumnKind::Category;
  parts->buffers[0] = parts->validity.nulls == 0 ? nullptr : parts->validity.bits.data();
  parts->buffers[1] = values_of(column);
  ArrowArray array{static_cast<std::int64_t>(column.size()),
                   parts->validity.nulls,
                   0,
                   2,
                   0,
                   parts->buffers.data(),
                   nullptr,
                   nullptr,
                   release<ArrowArray, ArrayParts>,
                   parts};
  if (has_words) {
    parts->words = words_of(column);
    array.dictionary = &parts->words;
  }
  return array;
}

struct StreamParts {
  std::shared_ptr<const Table> table;
  bool is_read = false;
};
StreamParts& parts_of(ArrowArrayStream* stream) {
  return *static_cast<StreamParts*>(stream->private_data);
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  auto* const parts = new SchemaParts{parts_of(stream).table, {}, {}};
  for (const Column& column : parts->table->columns) parts->fields.push_back(field_of(parts->table, column));
  for (ArrowSchema& field : parts->fields) parts->places.push_back(&field);
  *out = {"+s",
          "",
          nullptr,
          0,
          static_cast<std::int64_t>(parts->fields.size()),
          parts->places.data(),
          nullptr,
          release<ArrowSchema, SchemaParts>,
          parts};
  return 0;
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  *out = {};
  if (std::exchange(parts_of(stream).is_read, true)) return 0;  // a released array ends the stream
  auto* const parts = new ArrayParts{.table = parts_of(stream).table};
  for (const Column& column : parts->table->columns) parts->columns.push_back(array_of(parts->table, column));
  for (ArrowArray& column : parts->columns) parts->places.push_back(&column);
  *out = {static_cast<std::int64_t>(parts->table->size()),
          0,
          0,
          1,
          static_cast<std::int64_t>(parts->columns.size()),
          parts->buffers.data(),
          parts->places.data(),
          nullptr,
          release<ArrowArray, ArrayParts>,
          parts};
  return 0;
}

}  // namespace

ArrowArrayStream* make_stream(std::shared_ptr<const Table> table) {
  const auto end = [](ArrowArrayStream* stream) {
    delete &parts_of(stream);
    stream->release = nullptr;
  };
  return new ArrowArrayStream{get_schema, get_next, [](ArrowArrayStream*) -> const char* { return nullptr; }, end,
                              new StreamParts{std::move(table)}};
}

}  // namespace llmes::python
