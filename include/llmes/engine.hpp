// SPDX-License-Identifier: MIT
//
// What makes books a running service. Linux; not part of llmes.hpp: see each header.
#pragma once

#include "llmes/engine/crc32c.hpp"   // IWYU pragma: export
#include "llmes/engine/engine.hpp"   // IWYU pragma: export
#include "llmes/engine/matcher.hpp"  // IWYU pragma: export
#include "llmes/engine/record.hpp"   // IWYU pragma: export
#include "llmes/engine/report.hpp"   // IWYU pragma: export
#include "llmes/engine/ring.hpp"     // IWYU pragma: export
#include "llmes/engine/waiting.hpp"  // IWYU pragma: export
