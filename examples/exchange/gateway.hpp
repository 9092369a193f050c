// SPDX-License-Identifier: MIT
//
// Between the sessions of clients and the engine, without sockets: who may log in, what each user has been told,
// and what its messages mean. All that is kept here follows from outcomes, so a restart that is told them again
// has the same messages under the same numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "clock.hpp"
#include "entry.hpp"
#include "entry_builder.hpp"
#include "limits.hpp"
#include "llmes/market_data.hpp"
#include "mailbox.hpp"
#include "message_log.hpp"
#include "outcome.hpp"
#include "sent_orders.hpp"
#include "users.hpp"

namespace exchange {

class Session;

/// A user with what happens to it now.
struct Client {
  User user;
  std::shared_ptr<Mailbox> mailbox{};
  Session* session = nullptr;   ///< that is logged in, if one is
  Session* reader = nullptr;    ///< that gets a snapshot, if one does
  bool changed = false;         ///< its mailbox, since `take_changed`
  std::uint64_t submitted = 0;  ///< the number of its last record
  bool is_sending = false;      ///< such a record is not done yet
  SentOrders sent{};
  Bucket* messages = nullptr;            ///< of its account
  std::optional<PasswordProof> proof{};  ///< of its password, once it has logged in
};

/// What became of a record.
enum class Offer : std::uint8_t {
  Sent,
  Silent,  ///< nobody would be told anything of it, so it was left out
  Waits,   ///< only what its client has on its way decides whether it is silent: offer it again once that is done
};

class Gateway {
 public:
  using Submit = std::function<void(const Entry&)>;
  using Snapshot = std::function<std::uint64_t(const std::function<void(llmes::itch::MessageBytes)>&)>;

  /// @param views of all protocols
  Gateway(const std::vector<User>& users, std::vector<MakeView> views, Submit submit, Snapshot snapshot)
      : views_(std::move(views)), submit_(std::move(submit)), snapshot_(std::move(snapshot)) {
    for (const User& user : users) {
      clients_.push_back(
          std::make_unique<Client>(Client{.user = user, .mailbox = std::make_shared<Mailbox>(user, views_)}));
    }
    for (const auto& client : clients_) {
      by_id_[client->user.id] = client.get();
      client->messages = &messages_[client->user.account];
      if (client->user.drop_copy != 0) copies_[client->user.drop_copy].push_back(client.get());
    }
  }

  // ---- Time.

  /// Nanoseconds since 1970. It never goes back, whatever the clock does.
  /// @param skew how far it is ahead of the wall clock, by which clients say when their orders end
  /// @param steady of a clock that never steps, by which users have time to come back; nothing: it is `now`
  void set_time(Nanoseconds now, std::int64_t skew = 0, std::optional<Nanoseconds> steady = {}) noexcept {
    now_ = std::max(now_, now);
    skew_ = skew;
    steady_ = steady.value_or(now_);
  }
  /// Ends orders whose time has come, and those of users who have not come back. Call it several times a second.
  void advance() {
    end_grace();
    if (expiries_.empty() || expiries_.top() > now_) return;
    while (!expiries_.empty() && expiries_.top() <= now_) expiries_.pop();
    Entry record;
    record.command.type = llmes::VenueCommandType::Advance;
    submit(record);
  }
  [[nodiscard]] Nanoseconds now() const noexcept { return now_; }
  /// Whether a user has logged in at this address, so that whoever names it is not lying.
  [[nodiscard]] bool is_known(Address address) const noexcept { return logins_.is_known(address); }
  [[nodiscard]] std::int64_t skew() const noexcept { return skew_; }
  [[nodiscard]] Nanoseconds wall() const noexcept { return now_ - static_cast<Nanoseconds>(skew_); }
  /// The time of the venue at which the wall clock will say `time`, if it does not step before that.
  [[nodiscard]] Nanoseconds from_wall(Nanoseconds time) const noexcept {
    return Clock::at_wall(now_, skew_, time);
  }
  /// Sets the time anew, where a message says when it is sent. As it is, nobody does.
  std::function<void()> read_clock = [] {};

  // ---- From clients.

  /// The user of this name, or nullptr.
  [[nodiscard]] Client* find_client(std::string_view name) noexcept {
    const auto id = user_id(name);
    const auto found = id ? by_id_.find(*id) : by_id_.end();
    return found == by_id_.end() ? nullptr : found->second;
  }
  /// Takes the user, or nullptr and why it may not log in.
  using LoggedIn = std::function<void(Client*, std::string why)>;
  /// Gives `done` the user, if the password is right and not too many have tried within a second: see
  /// `LoginLimits`. The first time that takes milliseconds, so it may come later: see `in_background`.
  void log_in(std::string_view name, std::string_view password, Address from, Nanoseconds now, LoggedIn done) {
    Client* const client = find_client(name);
    if (client == nullptr) return done(nullptr, "no user is named '" + printable(name) + '\'');
    const bool is_known = client->proof && logins_.is_known(from, client->user.id);
    if (!is_known && !logins_.may_try(from, client->user.id, logins_a_second, now))
      return done(nullptr, "too many logins within a second");
    const auto judge = [this, client, from, now, is_known, given = std::string(password),
                        done = std::move(done)](bool is_right) {
      if (!is_known) logins_.tried(from, is_right, now);
      if (!is_right) return done(nullptr, "wrong password of " + client->user.name);
      logins_.logged_in(from, client->user.id);
      if (!client->proof) client->proof = proofs_.of(given);
      done(client, {});
    };
    if (client->proof) return judge(*client->proof == proofs_.of(password));
    const Password& right = client->user.password;
    in_background([&right, given = std::string(password)] { return right.is(given); }, judge);
  }
  /// Runs the first function, and gives its answer to the second one in the thread of the gateway. As it is, at
  /// once.
  std::function<void(std::function<bool()>, std::function<void(bool)>)> in_background =
      [](const std::function<bool()>& work, const std::function<void(bool)>& done) { done(work()); };
  std::uint32_t logins_a_second = 20;

  /// Sends a record; its time is now.
  void submit(const Entry& what) {
    Entry record = what;
    record.command.time = now_;
    ++submitted_;
    if (record.sender.type == EntryType::NewDay) ++days_to_end_;
    if (const auto own = by_id_.find(record.sender.user); own != by_id_.end()) {
      own->second->submitted = submitted_;
      own->second->sent.sent(record, submitted_);
      if (!std::exchange(own->second->is_sending, true)) senders_.push_back(own->second);
    }
    submit_(record);
  }
  /// How many records were sent.
  [[nodiscard]] std::uint64_t submitted() const noexcept { return submitted_; }
  /// So many of them are in the journal, and told.
  void set_done(std::uint64_t count) {
    done_ = count;
    std::erase_if(senders_, [&](Client* client) {
      client->sent.done(count);
      client->is_sending = client->submitted > count;
      return !client->is_sending;
    });
  }
  /// Whether what a user has sent is not in the journal yet.
  [[nodiscard]] bool has_waiting(const Client& client) const noexcept { return client.submitted > done_; }
  /// Sends a record of a client, unless it would be told to nobody.
  Offer offer(const Client& client, const Entry& record) {
    if (!record.sender.has(SenderRule::WantsAnswer)) {
      if (client.sent.is_silent(record)) return Offer::Silent;
      if (client.is_sending && client.sent.is_undecided(record)) return Offer::Waits;
    }
    submit(record);
    return Offer::Sent;
  }
  /// When a user may send its next message, as its account has a limit: now, if that has passed.
  [[nodiscard]] Nanoseconds next_message(const Client& client) const noexcept {
    const llmes::AccountLimits& limits = client.user.limits;
    return client.messages->next(limits.message_burst, limits.message_interval);
  }
  /// It has sent one, whatever it is.
  void count_message(const Client& client, Nanoseconds now) noexcept {
    client.messages->take(client.user.limits.message_interval, now);
  }
  /// Whether the end of the day is on its way: what a session sends now would come after it.
  [[nodiscard]] bool day_ends() const noexcept { return days_to_end_ != 0; }
  /// A connection of the user is gone.
  void disconnected(const Client& client) {
    if (!client.user.cancel_on_disconnect || !client.sent.any()) return;
    Entry record;
    record.sender.type = EntryType::LogOut;
    record.sender.user = client.user.id;
    submit(record);
  }

  /// All connections of before a restart are gone: `disconnected` for each user that is not there in so much time.
  void wait_for_clients(Nanoseconds grace) {
    grace_ = grace;
    grace_ends_.reset();
    if (grace == 0) end_absence();
  }

  // ---- From the engine.

  void take(const Outcome& outcome) {
    now_ = std::max(now_, outcome.time);
    ++outcomes_[static_cast<std::size_t>(outcome.kind)];
    switch (outcome.kind) {
      case OutcomeKind::Feed: return feed_->append(outcome.bytes());
      case OutcomeKind::SymbolKnown: return know(outcome);
      case OutcomeKind::DayBegan: return begin_day(outcome.quantity);
      case OutcomeKind::Done: return;
      case OutcomeKind::MessagesBegin:
      case OutcomeKind::MessagesEnd:
        for (const auto& client : clients_) put(*client, outcome);
        return;
      default: break;
    }
    if (outcome.expiry != 0) expiries_.push(outcome.expiry);
    const auto own = by_id_.find(outcome.user);
    if (own == by_id_.end()) return;  // a user that the file has no more
    own->second->sent.told(outcome);
    put(*own->second, outcome);
    const auto copies = copies_.find(own->second->user.account);
    if (copies == copies_.end()) return;
    for (Client* const client : copies->second) {
      if (client != own->second) put(*client, outcome);
    }
  }

  // ---- To clients.

  /// The name of the day: ten digits.
  [[nodiscard]] std::string day_name() const {
    std::string digits = std::to_string(day_);
    return digits.insert(0, 10 - std::min<std::size_t>(10, digits.size()), '0');
  }
  [[nodiscard]] std::uint64_t day() const noexcept { return day_; }
  [[nodiscard]] const std::shared_ptr<MessageLog>& feed() const noexcept { return feed_; }
  /// Gives the messages of a snapshot. @return the sequence of the feed from which on a reader needs all
  std::uint64_t snapshot(const std::function<void(llmes::itch::MessageBytes)>& to) const { return snapshot_(to); }
  /// Calls `visitor` with each client whose mailbox has something new.
  template <class Visitor>
  void take_changed(Visitor&& visitor) {
    for (Client* const client : changed_) {
      client->changed = false;
      visitor(*client);
    }
    changed_.clear();
  }

  // ---- Queries.

  [[nodiscard]] const std::vector<std::unique_ptr<Client>>& clients() const noexcept { return clients_; }
  [[nodiscard]] const ListedSymbol* find(std::uint64_t symbol) const {
    const auto found = symbols_.find(symbol);
    return found == symbols_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const ListedSymbol* find(std::string_view symbol) const { return find(pack_symbol(symbol)); }
  [[nodiscard]] const std::unordered_map<std::uint64_t, ListedSymbol>& symbols() const noexcept {
    return symbols_;
  }
  /// What the lines of the symbols file contradict in the journal, which keeps its symbols; or nothing.
  [[nodiscard]] std::string contradiction(const std::vector<SymbolLine>& lines) const {
    const auto words = [](const auto& symbol) {
      return "tick=" + std::to_string(symbol.tick) + " lot=" + std::to_string(symbol.lot);
    };
    auto missing = symbols_;
    for (const SymbolLine& line : lines) {
      const ListedSymbol* const known = find(line.name);
      if (known == nullptr) continue;
      if (words(line) != words(*known))
        return line.name + " has " + words(line) + ", but " + words(*known) + " in the journal";
      missing.erase(pack_symbol(line.name));
    }
    if (missing.empty()) return {};
    const auto& [name, symbol] = *missing.begin();
    return "lacks " + symbol_name(name) + " (" + words(symbol) + "), which the journal has";
  }
  /// How many outcomes of a kind there were, those told again included.
  [[nodiscard]] std::uint64_t count(OutcomeKind kind) const noexcept {
    return outcomes_[static_cast<std::size_t>(kind)];
  }

 private:
  /// The time of a restart counts from the first tick, as before it time is that of the journal.
  void end_grace() {
    if (grace_ == 0) return;
    if (!grace_ends_) grace_ends_ = steady_ + grace_;
    if (steady_ < *grace_ends_) return;
    grace_ = 0;
    end_absence();
  }
  void end_absence() {
    for (const auto& client : clients_) {
      if (client->session == nullptr) disconnected(*client);
    }
  }
  void put(Client& client, const Outcome& outcome) {
    client.mailbox->told(outcome);
    if (!std::exchange(client.changed, true)) changed_.push_back(&client);
  }
  void know(const Outcome& outcome) {
    symbols_[outcome.symbol] = {outcome.book, outcome.price4, outcome.quantity};
  }
  void begin_day(std::uint64_t day) {
    day_ = day;
    feed_ = std::make_shared<MessageLog>();
    for (const auto& client : clients_) {
      client->mailbox = std::make_shared<Mailbox>(client->user, views_);
      client->sent.begin_day();
    }
    days_to_end_ -= std::min<std::uint64_t>(days_to_end_, 1);
  }

  std::vector<MakeView> views_;
  Submit submit_;
  Snapshot snapshot_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::unordered_map<UserId, Client*> by_id_;
  std::unordered_map<AccountNumber, std::vector<Client*>> copies_;  ///< who reads along
  std::vector<Client*> changed_;
  std::vector<Client*> senders_;
  std::unordered_map<std::uint64_t, ListedSymbol> symbols_;
  std::shared_ptr<MessageLog> feed_ = std::make_shared<MessageLog>();
  std::priority_queue<Nanoseconds, std::vector<Nanoseconds>, std::greater<>> expiries_;
  std::array<std::uint64_t, outcome_kinds> outcomes_{};
  std::uint64_t day_ = 0;
  Nanoseconds now_ = 0;
  Nanoseconds steady_ = 0;
  Nanoseconds grace_ = 0;                    ///< that users have to come back after a restart; 0: it is over
  std::optional<Nanoseconds> grace_ends_{};  ///< once time goes on
  std::int64_t skew_ = 0;
  std::uint64_t submitted_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t days_to_end_ = 0;  ///< whose end is on its way to the exchange
  LoginLimits logins_;
  PasswordProofs proofs_;
  std::unordered_map<AccountNumber, Bucket> messages_;
};

}  // namespace exchange
