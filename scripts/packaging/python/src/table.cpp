// SPDX-License-Identifier: MIT
#include "table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <utility>

namespace llmes::python {

void Column::add_word(std::string_view word) {
  std::string text(word);
  // Names come from a file, and readers take words for UTF-8.
  std::ranges::replace_if(
      text, [](char letter) { return static_cast<unsigned char>(letter) >= 0x80; }, '?');
  const auto [place, is_new] = places_.try_emplace(std::move(text), static_cast<std::int32_t>(words.size()));
  if (is_new) words.push_back(place->first);
  codes.push_back(place->second);
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
  if (column.kind != ColumnKind::Number) return validity;
  for (const std::int64_t number : column.numbers) validity.nulls += number == Column::none;
  if (validity.nulls == 0) return validity;
  validity.bits.resize((column.numbers.size() + 7) / 8);
  for (std::size_t row = 0; row < column.numbers.size(); ++row) {
    if (column.numbers[row] != Column::none)
      validity.bits[row / 8] = static_cast<std::uint8_t>(validity.bits[row / 8] | 1U << row % 8);
  }
  return validity;
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
  const char* const format = column.kind == ColumnKind::Number     ? "l"
                             : column.kind == ColumnKind::Duration ? "tDn"
                                                                   : "i";
  ArrowSchema schema{
      format, column.name.c_str(), nullptr, nullable, 0, nullptr, nullptr, release<ArrowSchema, FieldParts>,
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
  parts->buffers[1] = has_words ? static_cast<const void*>(column.codes.data()) : column.numbers.data();
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
