// SPDX-License-Identifier: MIT
//
// What makes books a running service. Linux; not part of llmes.hpp: see each header.
#pragma once

#include "llmes/engine/ring.hpp"     // IWYU pragma: export
#include "llmes/engine/waiting.hpp"  // IWYU pragma: export
