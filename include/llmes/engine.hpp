// SPDX-License-Identifier: MIT
//
// What makes books a running service. Linux; not part of llmes.hpp: see each header.
#pragma once

#include "llmes/engine/carry_over.hpp"         // IWYU pragma: export
#include "llmes/engine/crc32c.hpp"             // IWYU pragma: export
#include "llmes/engine/digest.hpp"             // IWYU pragma: export
#include "llmes/engine/engine.hpp"             // IWYU pragma: export
#include "llmes/engine/files.hpp"              // IWYU pragma: export
#include "llmes/engine/image.hpp"              // IWYU pragma: export
#include "llmes/engine/journal.hpp"            // IWYU pragma: export
#include "llmes/engine/journal_directory.hpp"  // IWYU pragma: export
#include "llmes/engine/journal_error.hpp"      // IWYU pragma: export
#include "llmes/engine/journal_format.hpp"     // IWYU pragma: export
#include "llmes/engine/journal_scan.hpp"       // IWYU pragma: export
#include "llmes/engine/matcher.hpp"            // IWYU pragma: export
#include "llmes/engine/record.hpp"             // IWYU pragma: export
#include "llmes/engine/report.hpp"             // IWYU pragma: export
#include "llmes/engine/ring.hpp"               // IWYU pragma: export
#include "llmes/engine/snapshot.hpp"           // IWYU pragma: export
#include "llmes/engine/status.hpp"             // IWYU pragma: export
#include "llmes/engine/waiting.hpp"            // IWYU pragma: export
