// SPDX-License-Identifier: MIT
//
// Protocols between a venue and the world, without sockets: a session takes bytes and time, and gives bytes,
// messages and a deadline.
//
// OUCH and FIX have the messages of order entry. SoupBinTCP carries messages over a stream, both ways; MoldUDP64
// carries a feed in datagrams, and fills gaps.
#pragma once

#include "llmes/wire/fix_dictionary.hpp"
#include "llmes/wire/fix_message.hpp"
#include "llmes/wire/fix_session.hpp"
#include "llmes/wire/fix_sides.hpp"
#include "llmes/wire/fix_store.hpp"
#include "llmes/wire/fix_values.hpp"
#include "llmes/wire/fix_writer.hpp"
#include "llmes/wire/glimpse.hpp"
#include "llmes/wire/mold.hpp"
#include "llmes/wire/ouch.hpp"
#include "llmes/wire/soup_packets.hpp"
#include "llmes/wire/soup_session.hpp"
