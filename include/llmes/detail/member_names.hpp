// SPDX-License-Identifier: MIT
//
// Tells a class without a member from one whose member cannot be called as it should be. The first does not want
// to be called; the second is a mistake of its author, who would hear nothing.
#pragma once

#include <type_traits>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// Has what `Class` has, and the members of `Names`. A name that is in both means neither: `&WithNames::name` is
/// valid if, and only if, `Class` has no such member at all: no overload, no template, no private one. Nobody can
/// inherit from a final class, nor from what is no class: there it is always valid.
template <class Class, class Names>
struct WithNames : Class, Names {};
template <class Class, class Names>
  requires(!std::is_class_v<Class> || std::is_final_v<Class>)
struct WithNames<Class, Names> : Names {};

/// Whether `Class` has a member `name`, from whether these are valid: `&Class::name` and `&WithNames::name`.
[[nodiscard]] consteval bool has_member(bool of_class, bool with_names) noexcept {
  return of_class || !with_names;
}

}  // namespace llmes::inline LLMES_NAMESPACE::detail
