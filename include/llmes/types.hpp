// SPDX-License-Identifier: MIT
//
// The old place of types/types.hpp. Such headers go in 0.13: include "llmes/llmes.hpp" or the umbrella of a
// folder.
#pragma once

#include "llmes/types/types.hpp"  // IWYU pragma: export
