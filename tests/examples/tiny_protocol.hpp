// SPDX-License-Identifier: MIT
//
// A protocol made up for the tests, to show all that one has: messages of 48 bytes both ways, with numbers as this
// machine has them. A login, orders and cancels; an answer to each.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/exchange/client_session.hpp"
#include "examples/exchange/entry_builder.hpp"
#include "examples/exchange/protocol.hpp"

namespace exchange {

struct TinyMessage {
  char type = ' ';  ///< L login, N new order, R replace, C cancel; L in, J not in, a accepted, p replaced, r
                    ///< refused, f fill, c gone, x no cancel; S a side of a quote, and Q a mass quote of those
                    ///< before
  char side = ' ';
  char time = 'D';           ///< D day, I immediate, K all or nothing, T until a time
  std::uint8_t flags = 0;    ///< 1 hidden, 2 post-only; of Q 1 all or none; of `r` and `x` the reason
  std::uint32_t number = 0;  ///< of the order; of S of its quote
  std::uint32_t quantity = 0;
  std::uint32_t peak = 0;  ///< 0: all
  std::uint32_t minimum = 0;
  std::uint32_t expiry = 0;  ///< seconds to live; of R: the number of the order that it replaces
  std::uint64_t price4 = 0;
  std::array<char, 8> text{};    ///< the symbol, or the user
  std::array<char, 8> secret{};  ///< the password

  friend bool operator==(const TinyMessage&, const TinyMessage&) = default;
};
static_assert(sizeof(TinyMessage) == 48);

[[nodiscard]] inline std::string_view tiny_text(const std::array<char, 8>& letters) {
  const std::string_view all(letters.data(), letters.size());
  return all.substr(0, all.find('\0'));
}
[[nodiscard]] inline std::array<char, 8> tiny_letters(std::string_view text) {
  std::array<char, 8> letters{};
  std::copy_n(text.begin(), std::min(text.size(), letters.size()), letters.begin());
  return letters;
}

// ---- The codec: bytes to a command, an outcome to bytes.

[[nodiscard]] inline Entry read_tiny(const Gateway& gateway, const User& user, const TinyMessage& message) {
  EntryBuilder entry(user.id, user.account, user.self_trade, static_cast<std::uint8_t>(SenderRule::WantsAnswer));
  if (message.type == 'C') {
    entry.sender.type = EntryType::Cancel;
    entry.sender.reference = message.number;
    return entry.record();
  }
  const auto time_of = [](char letter) {
    return letter == 'D'   ? TimeWord::Day
           : letter == 'I' ? TimeWord::ImmediateOrCancel
           : letter == 'K' ? TimeWord::FillOrKill
           : letter == 'T' ? TimeWord::GoodTillTime
                           : TimeWord::None;
  };
  entry.begin_order(message.type == 'R' ? EntryType::Replace : EntryType::Enter, message.number);
  if (message.type == 'R') entry.sender.original = message.expiry;
  entry.command.quantity = message.quantity;
  entry.refuse(entry.side(message.side == 'B'   ? SideWord::Buy
                          : message.side == 'S' ? SideWord::Sell
                                                : SideWord::None));
  entry.refuse(entry.time_in_force(time_of(message.time)));
  entry.refuse(entry.display((message.flags & 1) != 0 ? DisplayWord::Hidden : DisplayWord::Visible));
  if (message.type == 'N' && message.time == 'T')
    entry.refuse(entry.expiry(gateway.now() + Nanoseconds{message.expiry} * 1'000'000'000));
  if (message.peak != 0) entry.refuse(entry.peak(message.peak));
  if (message.minimum != 0) entry.refuse(entry.minimum(message.minimum));
  if ((message.flags & 2) != 0) entry.refuse(entry.post_only());
  entry.refuse(entry.symbol(gateway.find(tiny_text(message.text))));
  entry.refuse(entry.price(message.price4));
  return entry.record();
}

[[nodiscard]] inline Entry read_tiny_quotes(const Gateway& gateway, const User& user, const TinyMessage& message,
                                            std::span<const TinyMessage> sides) {
  EntryBuilder entry(user.id, user.account, user.self_trade, static_cast<std::uint8_t>(SenderRule::WantsAnswer));
  entry.begin_quotes(message.number, (message.flags & 1) != 0);
  for (const TinyMessage& side : sides) {
    entry.quote(side.number, side.side == 'B' ? llmes::Side::Buy : llmes::Side::Sell,
                gateway.find(tiny_text(side.text)), side.quantity, side.price4);
  }
  return entry.record();
}

[[nodiscard]] inline TinyMessage write_tiny(const Outcome& outcome) {
  TinyMessage message;
  switch (outcome.kind) {
    case OutcomeKind::Accepted: message.type = 'a'; break;
    case OutcomeKind::Replaced: message.type = 'p'; break;
    case OutcomeKind::Executed: message.type = 'f'; break;
    case OutcomeKind::Canceled: message.type = 'c'; break;
    case OutcomeKind::Rejected: message.type = 'r'; break;
    case OutcomeKind::CancelRejected: message.type = 'x'; break;
    default: return message;
  }
  message.side = outcome.terms.side == SideWord::Buy ? 'B' : outcome.terms.side == SideWord::Sell ? 'S' : ' ';
  message.flags = static_cast<std::uint8_t>(outcome.reason);
  message.number = outcome.reference;
  message.quantity = static_cast<std::uint32_t>(outcome.quantity);
  message.price4 = outcome.price4;
  return message;
}

// ---- The session.

class TinyView final : public View {
 public:
  void told(const Outcome& outcome) override {
    const TinyMessage message = write_tiny(outcome);
    if (message.type != ' ') messages.push_back(message);
  }
  std::vector<TinyMessage> messages;
};

class TinySession final : public ClientSession {
 public:
  TinySession(Gateway& gateway, Nanoseconds now) : ClientSession(gateway, now) {}

  [[nodiscard]] std::size_t write(std::span<std::byte> room, Nanoseconds) override {
    std::size_t size = 0;
    const auto put = [&](const TinyMessage& message) {
      std::memcpy(room.data() + size, &message, sizeof(message));
      size += sizeof(message);
    };
    if (is_replaced()) return 0;
    if (answer_ != 0) put({.type = std::exchange(answer_, '\0')});
    for (; view_ != nullptr && next_ < view_->messages.size() && size + sizeof(TinyMessage) <= room.size();
         ++next_)
      put(view_->messages[next_]);
    return size;
  }
  void advance(Nanoseconds now) override { now_ = now; }
  [[nodiscard]] bool is_logged_in() const override { return view_ != nullptr; }
  void close() override { is_closed_ = true; }
  [[nodiscard]] bool is_over() const override {
    return is_replaced() || (answer_ == 0 && (is_refused_ || (is_closed_ && behind() == 0)));
  }
  [[nodiscard]] std::string reason() const override { return is_refused_ ? why_ : is_over() ? "it is over" : ""; }
  [[nodiscard]] std::uint64_t behind() const override {
    return view_ == nullptr ? 0 : view_->messages.size() - next_;
  }

 private:
  [[nodiscard]] static TinyMessage message_of(std::span<const std::byte> bytes) {
    TinyMessage message;
    std::memcpy(&message, bytes.data(), sizeof(message));
    return message;
  }

  [[nodiscard]] FoundLogin find_login(std::span<const std::byte> bytes) override {
    if (bytes.size() < sizeof(TinyMessage)) return {};
    const TinyMessage message = message_of(bytes);
    return {.end = sizeof(message),
            .is_whole = true,
            .is_login = message.type == 'L',
            .user = std::string(tiny_text(message.text)),
            .password = std::string(tiny_text(message.secret)),
            .why = "it did not log in"};
  }
  [[nodiscard]] std::size_t give(std::span<const std::byte> bytes, Nanoseconds) override {
    std::size_t taken = 0;
    if (!is_logged_in() && !is_refused_) {
      is_refused_ = verdict() == nullptr;
      answer_ = is_refused_ ? 'J' : 'L';
      if (is_refused_) return bytes.size();
      view_ = verdict()->mailbox->view<TinyView>();
      taken = sizeof(TinyMessage);
      claim();
    }
    for (; taken < bytes.size() && may_take(); ++taken) {
      rest_.push_back(bytes[taken]);
      if (rest_.size() < sizeof(TinyMessage)) continue;
      const TinyMessage message = message_of(rest_);
      rest_.clear();
      count_message();
      if (message.type == 'S') {
        sides_.push_back(message);
        continue;
      }
      const Entry entry = message.type == 'Q'
                              ? read_tiny_quotes(gateway_, client_->user, message, std::exchange(sides_, {}))
                              : read_tiny(gateway_, client_->user, message);
      if (!gateway_.day_ends()) (void)gateway_.offer(*client_, entry);
    }
    return taken;
  }

  TinyView* view_ = nullptr;
  std::size_t next_ = 0;            ///< message to write
  std::vector<std::byte> rest_;     ///< of a message that is not whole
  std::vector<TinyMessage> sides_;  ///< of the mass quote to come
  char answer_ = '\0';              ///< to the login, still to be written
  bool is_refused_ = false;
  bool is_closed_ = false;
};

class TinyDoor final : public Door {
 public:
  explicit TinyDoor(Gateway& gateway) : gateway_(gateway) {}
  [[nodiscard]] std::unique_ptr<Session> connect(Nanoseconds now) override {
    return std::make_unique<TinySession>(gateway_, now);
  }

 private:
  Gateway& gateway_;
};

inline constexpr Protocol tiny_protocol{
    .name = "tiny",
    .flag = "--tiny-port",
    .help = "of a protocol made up for the tests",
    .make_view = [](const User&) -> std::unique_ptr<View> { return std::make_unique<TinyView>(); },
    .make_door = [](Gateway& gateway, const DoorConfig&) -> std::unique_ptr<Door> {
      return std::make_unique<TinyDoor>(gateway);
    }};

}  // namespace exchange
