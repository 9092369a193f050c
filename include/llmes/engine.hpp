// SPDX-License-Identifier: MIT
//
// What makes books a running service. Linux; not part of llmes.hpp: see each header.
#pragma once

#include "llmes/engine/engine.hpp"                  // IWYU pragma: export
#include "llmes/engine/journal/crc32c.hpp"          // IWYU pragma: export
#include "llmes/engine/journal/files.hpp"           // IWYU pragma: export
#include "llmes/engine/journal/journal.hpp"         // IWYU pragma: export
#include "llmes/engine/journal/journal_error.hpp"   // IWYU pragma: export
#include "llmes/engine/journal/journal_format.hpp"  // IWYU pragma: export
#include "llmes/engine/journal/journal_scan.hpp"    // IWYU pragma: export
#include "llmes/engine/journal/record.hpp"          // IWYU pragma: export
#include "llmes/engine/machine.hpp"                 // IWYU pragma: export
#include "llmes/engine/matcher.hpp"                 // IWYU pragma: export
#include "llmes/engine/report.hpp"                  // IWYU pragma: export
#include "llmes/engine/ring.hpp"                    // IWYU pragma: export
#include "llmes/engine/snapshot/grow.hpp"           // IWYU pragma: export
#include "llmes/engine/snapshot/image.hpp"          // IWYU pragma: export
#include "llmes/engine/snapshot/report_replay.hpp"  // IWYU pragma: export
#include "llmes/engine/snapshot/snapshot.hpp"       // IWYU pragma: export
#include "llmes/engine/status.hpp"                  // IWYU pragma: export
#include "llmes/engine/venue_machine.hpp"           // IWYU pragma: export
