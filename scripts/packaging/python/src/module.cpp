// SPDX-License-Identifier: MIT
//
// The extension module `llmes._core`. Python's side of each class is in llmes/*.py.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "itch_tables.hpp"
#include "table.hpp"
#include "tape.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace llmes::python {

void bind_order_book(nb::module_& module);
void bind_tapes(nb::module_& module);

namespace {

nb::object stream_of(const std::shared_ptr<Table>& table) {
  constexpr const char* name = "arrow_array_stream";
  const auto end = [](PyObject* capsule) {
    auto* const stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, "arrow_array_stream"));
    if (stream->release != nullptr) stream->release(stream);
    delete stream;
  };
  return nb::steal(PyCapsule_New(make_stream(table), name, end));
}

const Column& column_of(const Table& table, const std::string& name) {
  for (const Column& column : table.columns) {
    if (column.name == name) return column;
  }
  throw nb::key_error(name.c_str());
}

void bind_table(nb::module_& module) {
  nb::class_<Table>(module, "Table")
      .def("__len__", &Table::size)
      .def_prop_ro("names",
                   [](const Table& table) {
                     std::vector<std::string> names;
                     for (const Column& column : table.columns) names.push_back(column.name);
                     return names;
                   })
      .def("kind",
           [](const Table& table, const std::string& name) {
             switch (column_of(table, name).kind) {
               case ColumnKind::Duration: return "duration";
               case ColumnKind::Timestamp: return "timestamp";
               case ColumnKind::Real: return "real";
               case ColumnKind::Category: return "category";
               default: return "number";
             }
           })
      .def("words", [](const Table& table, const std::string& name) { return column_of(table, name).words; })
      .def("numbers",
           [](nb::handle self, const std::string& name) {
             const Column& column = column_of(nb::cast<Table&>(self), name);
             return nb::ndarray<nb::numpy, const std::int64_t, nb::ndim<1>>(column.numbers.data(),
                                                                            {column.numbers.size()}, self);
           })
      .def("reals",
           [](nb::handle self, const std::string& name) {
             const Column& column = column_of(nb::cast<Table&>(self), name);
             return nb::ndarray<nb::numpy, const double, nb::ndim<1>>(column.reals.data(), {column.reals.size()},
                                                                      self);
           })
      .def("codes",
           [](nb::handle self, const std::string& name) {
             const Column& column = column_of(nb::cast<Table&>(self), name);
             return nb::ndarray<nb::numpy, const std::int32_t, nb::ndim<1>>(column.codes.data(),
                                                                            {column.codes.size()}, self);
           })
      .def(
          "__arrow_c_stream__", [](const std::shared_ptr<Table>& table, nb::object) { return stream_of(table); },
          "requested_schema"_a = nb::none());
}

}  // namespace

NB_MODULE(_core, module) {
  bind_table(module);
  bind_order_book(module);
  bind_tapes(module);
  module.attr("NONE") = Column::none;
  module.attr("VERSION") = std::to_string(LLMES_VERSION_MAJOR) + '.' + std::to_string(LLMES_VERSION_MINOR) + '.' +
                           std::to_string(LLMES_VERSION_PATCH);
  nb::class_<ItchTables>(module, "ItchTables")
      .def(
          "__init__",
          [](ItchTables* self, std::set<std::string> tables, std::set<std::string> symbols, std::size_t orders,
             std::size_t levels, std::int64_t every) {
            new (self) ItchTables({std::move(tables), std::move(symbols), orders, levels, every});
          },
          "tables"_a, "symbols"_a, "orders"_a, "levels"_a, "every"_a)
      .def("feed",
           [](ItchTables& tables, const nb::bytes& bytes) {
             const std::span<const std::byte> span(static_cast<const std::byte*>(bytes.data()), bytes.size());
             const nb::gil_scoped_release release;
             tables.feed(span);
           })
      .def("finish", &ItchTables::finish)
      .def("take",
           [](ItchTables& tables, const std::string& name) { return std::make_shared<Table>(tables.take(name)); })
      .def("rows", &ItchTables::rows)
      .def_prop_ro("counts", &ItchTables::counts)
      .def_prop_ro("faults", &ItchTables::faults)
      .def_prop_ro("times", &ItchTables::times)
      .def_prop_ro("most_resting", &ItchTables::most_resting);
}

}  // namespace llmes::python
