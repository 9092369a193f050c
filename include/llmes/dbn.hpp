// SPDX-License-Identifier: MIT
//
// DBN (Databento Binary Encoding) of market-by-order data, versions 1 to 3, reading and writing. Not compressed:
// unpack a .zst file before.
//
// read_metadata() reads the header, and RecordReader finds each record as a struct over the received bytes. To
// write a file, give a header and records to a Writer.
//
//     dbn::Metadata metadata;
//     if (dbn::read_metadata(bytes, metadata).status != dbn::ReadStatus::Success) return;
//     dbn::RecordReader reader(bytes.subspan(metadata.size), metadata.has_sent_time);
//     while (const dbn::Mbo* record = reader.next()) use(record->order_id, record->price);
//
// Nothing here knows a book, allocates, or reads a file; only `to_string` of a fault allocates its text.
#pragma once

#include "llmes/dbn/reader.hpp"
#include "llmes/dbn/records.hpp"
#include "llmes/dbn/writer.hpp"
