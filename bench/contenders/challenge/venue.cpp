// SPDX-License-Identifier: MIT
//
// A whole venue with 64 accounts, each with limits: every layer is there, and no message uses more than a book.
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "bench/contenders/challenge/adapter.hpp"
#include "bench/contenders/venue_book.hpp"
#include "llmes/venue.hpp"

namespace llmes::challenge {

class VenueAdapter {
 public:
  [[nodiscard]] static std::optional<VenueAdapter> create() {
    std::unique_ptr<Venue<>> venue = bench::venue_with_accounts({.base_price = 0, .capacity = capacity});
    if (venue == nullptr) return {};
    return VenueAdapter(std::move(venue));
  }

  void apply(const Request& request, std::uint64_t sequence, const Reports& reports) noexcept {
    RestingOrder before;
    venue_->apply(bench::VenueRow<0>::message_of(request), sequence, [&](const VenueReport& report) {
      if (report.kind == VenueReportKind::Executed) {
        reports.trade(sequence, report.other_id, report.id, report.price, report.quantity);
      } else if (report.kind == VenueReportKind::Deleted) {
        before = {report.handle, report.id, report.side, report.price, report.quantity};
      } else if (report.kind == VenueReportKind::Done) {
        const bool done = report.status == VenueStatus::Success;
        reports.answer(sequence, request, done ? Status::Success : Status::UnknownOrder, report.cancelled, before);
      }
    });
  }

  [[nodiscard]] auto book() const noexcept { return venue_->book().book(0); }

 private:
  explicit VenueAdapter(std::unique_ptr<Venue<>> venue) : venue_(std::move(venue)) {}

  std::unique_ptr<Venue<>> venue_;
};

using Engine = VenueAdapter;

}  // namespace llmes::challenge

#include "bench/contenders/challenge/entry.hpp"
