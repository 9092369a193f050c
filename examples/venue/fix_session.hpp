// SPDX-License-Identifier: MIT
//
// A connection of a client of FIX, without its socket. The first message says which version it speaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fix_codec.hpp"
#include "fix_store.hpp"
#include "gateway.hpp"
#include "llmes/wire.hpp"
#include "session.hpp"

namespace exchange {

/// The stores of all users of FIX; those of a day end with it.
class FixStores {
 public:
  /// @param directory of the journal
  FixStores(Gateway& gateway, std::string comp_id, std::string directory, llmes::Durability durability)
      : gateway_(gateway),
        comp_id_(std::move(comp_id)),
        directory_(std::move(directory)),
        durability_(durability) {
    // The numbers of a long day take time to read, and nobody waits for them now.
    for (const std::unique_ptr<Client>& client : gateway_.clients()) {
      if (!client->user.fix_id.empty() && std::filesystem::exists(path_of(*client))) (void)find(*client);
    }
  }

  /// That of a user today; nullptr if its numbers cannot be kept, which is written to the log.
  [[nodiscard]] std::shared_ptr<FixStore> find(const Client& client) {
    std::shared_ptr<FixStore>& store = stores_[client.user.id];
    if (store != nullptr && store->mailbox() == client.mailbox) return store;
    store = std::make_shared<FixStore>(client.mailbox);
    if (durability_ == llmes::Durability::None) return store;
    const std::string wrong = store->open(path_of(client), durability_ == llmes::Durability::Machine);
    if (wrong.empty()) return store;
    std::cerr << "venue: " << wrong << '\n';
    store.reset();
    return nullptr;
  }
  /// Removes the numbers of days that have ended.
  void remove_old() const {
    namespace fs = std::filesystem;
    std::error_code error;
    for (fs::directory_iterator file(directory_, error); file != fs::directory_iterator(); file.increment(error)) {
      const std::string name = file->path().filename().string();
      const auto day = number_of<std::uint64_t>(std::string_view(name).substr(name.rfind('-') + 1));
      if (name.starts_with("fix-") && day && *day < gateway_.day()) fs::remove(file->path(), error);
    }
  }
  /// The user that has this CompID, or nullptr.
  [[nodiscard]] Client* find_user(std::string_view comp_id) const {
    for (const std::unique_ptr<Client>& client : gateway_.clients()) {
      if (!comp_id.empty() && client->user.fix_id == comp_id) return client.get();
    }
    return nullptr;
  }
  [[nodiscard]] const std::string& comp_id() const noexcept { return comp_id_; }

 private:
  [[nodiscard]] std::string path_of(const Client& client) const {
    return directory_ + "/fix-" + client.user.name + '-' + std::to_string(gateway_.day());
  }

  Gateway& gateway_;
  std::string comp_id_;
  std::string directory_;
  llmes::Durability durability_;
  std::unordered_map<UserId, std::shared_ptr<FixStore>> stores_;
};

class FixSession final : public Session {
 public:
  FixSession(Gateway& gateway, FixStores& stores, Nanoseconds now)
      : gateway_(gateway), stores_(stores), side_(config("FIX.4.4"), now) {
    now_ = now;
  }
  ~FixSession() override {
    if (client_ == nullptr || client_->session != this) return;
    client_->session = nullptr;
    gateway_.disconnected(*client_);
  }

  [[nodiscard]] Nanoseconds takes_at() const override {
    if (is_checking_) return Bucket::never;
    return client_ == nullptr ? 0 : gateway_.next_message(*client_);
  }
  [[nodiscard]] std::size_t write(std::span<std::byte> room, Nanoseconds now) override {
    // What has come is in the journal first, then its numbers are kept, then they are shown.
    if (is_replaced() || cannot_keep_ || (client_ != nullptr && gateway_.has_waiting(*client_))) return 0;
    set_utc(now);
    const std::size_t size = side_.write(room, now);
    if (store_ == nullptr) return size;
    cannot_keep_ = !store_->flush();
    return cannot_keep_ ? 0 : size;
  }
  void advance(Nanoseconds now) override {
    now_ = now;
    if (is_replaced()) return;
    set_utc(now);
    if (is_held_) side_.hold(now);
    side_.advance(now);
  }
  [[nodiscard]] bool is_logged_in() const override { return side_.is_logged_on(); }
  void close() override { side_.close("The session ends"); }
  [[nodiscard]] bool is_over() const override {
    return (side_.end() != fix::End::None && !side_.has_answer()) || is_replaced() || cannot_keep_ || is_bad_;
  }
  [[nodiscard]] std::string reason() const override {
    if (is_bad_) return "it sent no logon";
    if (is_replaced()) return "its user has logged in again";
    if (cannot_keep_) return cannot_keep;
    switch (side_.end()) {
      case fix::End::None: return "";
      case fix::End::Logout: return "it has logged out";
      case fix::End::Refused: return "its logon was refused" + (why_.empty() ? why_ : ": " + why_);
      case fix::End::NoLogon: return "it did not log on";
      case fix::End::Silence: return "it was silent for too long";
      case fix::End::TooLow: return "it used a sequence number again";
      case fix::End::BadHeader: return "it sent a message with a wrong head";
      case fix::End::Unread: return "it does not read its answers";
      case fix::End::Gap: return "it did not send again what was missing";
    }
    return "";
  }
  [[nodiscard]] const Client* client() const override { return client_; }
  [[nodiscard]] std::uint64_t behind() const override { return side_.behind(); }

  // What the session of FIX calls.
  [[nodiscard]] FixStore* logon(const fix::Logon& logon) {
    // Only the logon whose password was checked.
    Client* const client = *verdict_;
    if (client == nullptr || client->user.fix_id != logon.sender) return nullptr;
    store_ = stores_.find(*client);
    if (store_ == nullptr) why_ = cannot_keep;
    return store_.get();
  }
  /// Of a logon, in words that tell a stranger nothing of who may log on.
  [[nodiscard]] std::string_view refusal() const {
    const bool is_open = why_.starts_with("too many") || why_ == cannot_keep;
    return is_open ? std::string_view(why_) : "Not authorised: SenderCompID (49) or Password (554) is wrong";
  }
  [[nodiscard]] std::optional<fix::Rejection> message(const fix::Message& message, bool is_duplicate) {
    using Reader = FixReader<Gateway>;
    using enum fix::RejectReason;
    claim();
    // The day has ended, and this session with it.
    if (store_->mailbox() != client_->mailbox || gateway_.day_ends())
      return fix::Rejection{Other, 0, {}, "The day has ended"};
    if (const std::optional<fix::Rejection> rejection = Reader::check(message)) return rejection;
    const std::string_view id = message.text(11);
    const bool is_cancel = message.type() == "F";
    FixIndex& index = store_->index();
    const std::uint32_t original = is_cancel || message.type() == "G" ? index.find(message.text(41)) : 0;
    const std::uint32_t reference = is_cancel ? 0 : index.next_reference();
    const bool has_come = index.has_come(id, reference);
    // A copy of what came before a restart has been done, and answered.
    if (has_come && is_duplicate) return {};
    if (has_come && message.flag(97))
      return fix::Rejection{Other, 11, id, "A message with this ClOrdID has come before, and is answered"};
    Reader reader(gateway_, client_->user.id, client_->user.account, client_->user.self_trade);
    EntryRecord record = reader.read(message, reference, original, has_come);
    if (record.command.expiry != 0) record.command.expiry = gateway_.from_wall(record.command.expiry);
    if (const std::optional<EntryRecord> before = reader.before(message)) gateway_.submit(*before);
    gateway_.submit(record);
    return {};
  }
  [[nodiscard]] bool takes_more() const {
    return left_ != 0 && (client_ == nullptr || gateway_.next_message(*client_) <= now_);
  }
  /// A heartbeat does not count: who is at its limit must not be silent.
  void took(std::string_view type) {
    if (left_ != any_number) --left_;
    claim();
    if (client_ != nullptr && type != "0") gateway_.count_message(*client_, now_);
  }

 private:
  using Side = fix::Acceptor<FixStore>;
  static constexpr std::size_t waiting_max = 65'536;
  static constexpr const char* cannot_keep = "its sequence numbers cannot be kept";

  [[nodiscard]] std::size_t take(std::span<const std::byte> bytes, Nanoseconds now) override {
    std::size_t taken = 0;
    if (!verdict_) {
      if (is_checking_) return 0;
      taken = ask_for_verdict(bytes, now);
      if (!verdict_) return taken;
    }
    if (is_over()) return bytes.size();
    return taken + give(bytes.subspan(taken), now);
  }
  std::size_t give(std::span<const std::byte> bytes, Nanoseconds now) {
    set_utc(now);
    const std::size_t taken = side_.receive(bytes, now, *this);
    claim();
    return taken;
  }
  /// Reads the logon: a password takes milliseconds to check, for which nobody else should wait. What comes behind
  /// waits until it is known who sends it.
  /// @return how many bytes it has read
  [[nodiscard]] std::size_t ask_for_verdict(std::span<const std::byte> bytes, Nanoseconds now) {
    const std::size_t before = waiting_.size();
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
    fix::FrameReader reader(waiting_);
    const std::optional<fix::Frame> frame = reader.next();
    if (!frame) {
      // What is no message is counted, so that the client hears of it when no logon has come.
      static_cast<void>(side_.receive(std::span(waiting_).first(reader.offset()), now, *this));
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(reader.offset()));
      is_bad_ = waiting_.size() > waiting_max;
      return bytes.size();
    }
    const fix::Message logon(*frame);
    if (frame->begin_string == "FIXT.1.1") side_ = Side(config("FIXT.1.1"), now);
    const Client* const client = logon.type() == "A" ? stores_.find_user(logon.text(49)) : nullptr;
    if (client == nullptr) {
      judge(nullptr, "no user has fix=" + printable(logon.text(49)), now);
      return bytes.size();
    }
    const std::size_t end = reader.offset();
    const std::string password(logon.text(554));
    waiting_.resize(end);
    is_checking_ = true;
    gateway_.log_in(client->user.name, password, from, now,
                    [this, alive = std::weak_ptr<void>(alive_)](Client* known, std::string why) {
                      if (alive.lock() == nullptr) return;
                      judge(known, std::move(why), now_);
                      if (on_news) on_news();
                    });
    return end - before;
  }
  /// The user is here once its logon is not refused: its number, too, may be wrong.
  void claim() {
    if (client_ != nullptr || !side_.is_logged_on()) return;
    client_ = *verdict_;
    client_->session = this;
  }
  /// It is known who it is, or that it is nobody.
  void judge(Client* client, std::string why, Nanoseconds now) {
    is_checking_ = false;
    verdict_ = client;
    if (client == nullptr) why_ = std::move(why);
    const std::vector<std::byte> bytes = std::exchange(waiting_, {});
    give(bytes, now);
  }

  [[nodiscard]] fix::Config config(const char* begin_string) const {
    return {.begin_string = begin_string, .comp_id = stores_.comp_id()};
  }
  /// A client's clock may be right where the venue's time, or that of its wall clock, is not.
  void set_utc(Nanoseconds now) noexcept {
    gateway_.read_clock();
    side_.set_utc(gateway_.now() - now, gateway_.skew());
  }
  /// A second login of a user ends its first connection, which may be dead without knowing it.
  [[nodiscard]] bool is_replaced() const noexcept { return client_ != nullptr && client_->session != this; }

  Gateway& gateway_;
  FixStores& stores_;
  Side side_;
  std::vector<std::byte> waiting_;  ///< bytes that came before it is known who sends them
  bool is_checking_ = false;
  std::optional<Client*> verdict_;  ///< of the password, once there is one
  std::string why_;                 ///< its logon is refused, if it is
  std::shared_ptr<void> alive_ = std::make_shared<int>();
  std::shared_ptr<FixStore> store_;
  Client* client_ = nullptr;
  bool cannot_keep_ = false;
  bool is_bad_ = false;
};

}  // namespace exchange
