// SPDX-License-Identifier: MIT
//
// The version, what it needs of the compiler, and the namespace that carries it.
//
// Everything is in an inline namespace that users need not name: they write `llmes::OrderBook`. Units of one
// program with different versions, or different LLMES_CHECK_PRECONDITIONS, would have different layouts of a book.
// Their names then differ too, so a call from one to the other fails to link.
#pragma once

#define LLMES_VERSION_MAJOR 0
#define LLMES_VERSION_MINOR 19
#define LLMES_VERSION_PATCH 0

#if defined(_MSC_VER) && !defined(__clang__)
#error "llmes needs GCC 11 or Clang 14 or later: Microsoft's compiler lacks attributes and builtins that it uses"
#elif __cplusplus < 202002L
#error "llmes needs C++20: compile with -std=c++20, or ask for cxx_std_20 in CMake"
#elif __SIZEOF_SIZE_T__ < 8
#error "llmes needs a 64-bit target: it keeps distances between 64-bit prices in a std::size_t"
#elif defined(LLMES_CHECK_PRECONDITIONS)
#define LLMES_NAMESPACE v0_19_0_checked
#else
#define LLMES_NAMESPACE v0_19_0
#endif
