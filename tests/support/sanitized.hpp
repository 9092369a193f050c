// SPDX-License-Identifier: MIT
//
// Whether this build has a sanitizer that brings its own allocator, and how often it repeats what is random.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LLMES_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LLMES_TEST_SANITIZED 1
#endif
#endif
#ifndef LLMES_TEST_SANITIZED
#define LLMES_TEST_SANITIZED 0
#endif

namespace llmes::test {

/// How many of `count` repetitions, at least 1, a test makes. With a sanitizer, which takes several times as long,
/// they are a third: it looks at each access, and what the calls answer is compared in the other builds as well.
template <class Count>
constexpr Count repetitions(Count count) {
  return LLMES_TEST_SANITIZED ? (count + 2) / 3 : count;
}

}  // namespace llmes::test
