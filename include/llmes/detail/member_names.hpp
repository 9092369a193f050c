// SPDX-License-Identifier: MIT
//
// Distinguishes a class without a member from one whose member cannot be called. A class without it does not want
// the call; a member that cannot be called is a mistake that would go unnoticed.
#pragma once

#include <type_traits>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// Has the members of `Class` and of `Names`; a name in both is ambiguous. So `&WithNames::name` is valid if, and
/// only if, `Class` has no such member at all: no overload, no template, no private one. A final class and a
/// non-class type cannot be a base; for them it is always valid.
template <class Class, class Names>
struct WithNames : Class, Names {};
template <class Class, class Names>
  requires(!std::is_class_v<Class> || std::is_final_v<Class>)
struct WithNames<Class, Names> : Names {};

/// Whether `Class` has a member `name`. The arguments say whether `&Class::name` and `&WithNames::name` are valid.
[[nodiscard]] consteval bool has_member(bool of_class, bool with_names) noexcept {
  return of_class || !with_names;
}

}  // namespace llmes::inline LLMES_NAMESPACE::detail
