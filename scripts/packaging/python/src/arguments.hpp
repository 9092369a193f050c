// SPDX-License-Identifier: MIT
//
// Arguments of calls that strategies and users make often. A wrong one is named, with what it was and what it may
// be: nanobind says only which types a call has. Right ones cost nothing more.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "words.hpp"

namespace llmes::python {

/// A name as an argument of a template.
template <std::size_t N>
struct ArgumentName {
  char letters[N]{};
  consteval ArgumentName(const char (&text)[N]) { std::copy_n(text, N, letters); }
};

/// A whole number of type `T`, as the argument `name`.
template <class T, ArgumentName name>
struct Whole {
  T number;
};

/// One of the words for an enumerator.
template <class E>
struct Word {
  E value;
};

/// Raises what `whole` of _days.py does of the same number: TypeError, or ValueError beyond `T`.
template <class T>
[[noreturn, gnu::noinline]] void refuse_number(nanobind::handle given, const char* name) {
  nanobind::module_::import_("llmes._days")
      .attr("whole")(given, name, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  throw nanobind::type_error((std::string(name) + ": a whole number").c_str());
}

template <std::size_t N>
[[noreturn, gnu::noinline]] void refuse_word(nanobind::handle given, const char* name,
                                             const std::array<std::string_view, N>& words) {
  const std::string text =
      std::string(name) + ": one of" + list_of(words) + ", not " + nanobind::repr(given).c_str();
  throw nanobind::type_error(text.c_str());
}

}  // namespace llmes::python

namespace nanobind::detail {

template <class T, llmes::python::ArgumentName name>
struct type_caster<llmes::python::Whole<T, name>> {
  using Value = llmes::python::Whole<T, name>;
  template <class>
  using Cast = Value;
  static constexpr auto Name = make_caster<T>::Name;

  /// Takes anything: a wrong number is refused when the call begins, where it can throw.
  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    if (!number_.from_python(source, flags, cleanup)) wrong_ = source;
    return true;
  }
  explicit operator Value() {
    if (wrong_.is_valid()) [[unlikely]]
      llmes::python::refuse_number<T>(wrong_, name.letters);
    return {number_.operator cast_t<T>()};
  }

 private:
  make_caster<T> number_;
  handle wrong_;
};

template <class E>
struct type_caster<llmes::python::Word<E>> {
  using Value = llmes::python::Word<E>;
  template <class>
  using Cast = Value;
  static constexpr auto Name = make_caster<std::string_view>::Name;

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    if (!word_.from_python(source, flags, cleanup)) wrong_ = source;
    return true;
  }
  explicit operator Value() {
    using Words = llmes::python::WordsOf<E>;
    if (wrong_.is_valid()) [[unlikely]]
      llmes::python::refuse_word(wrong_, Words::name, Words::words);
    return {static_cast<E>(
        llmes::python::place_of(word_.operator cast_t<std::string_view>(), Words::name, Words::words))};
  }

 private:
  make_caster<std::string_view> word_;
  handle wrong_;
};

}  // namespace nanobind::detail
