// SPDX-License-Identifier: MIT
//
// A connection of a client of FIX, without its socket. The first message says which version it speaks.
#pragma once

#include <algorithm>
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

#include "codec.hpp"
#include "examples/exchange/client_session.hpp"
#include "examples/exchange/gateway.hpp"
#include "examples/exchange/protocol.hpp"
#include "llmes/wire.hpp"
#include "store.hpp"
#include "view.hpp"

namespace exchange {

/// The option of a user that is its CompID.
inline constexpr std::string_view fix_option = "fix";

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
      if (!client->user.name_in(fix_option).empty() && std::filesystem::exists(path_of(*client)))
        (void)find(*client);
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
    visit_files([this](const std::filesystem::path& file, std::uint64_t day) {
      std::error_code ignored;
      if (day < gateway_.day()) std::filesystem::remove(file, ignored);
    });
  }
  /// Numbers of a day are kept once it is in the journal. @return that the journal does not know their day; or
  /// nothing
  [[nodiscard]] std::string contradiction() const {
    std::string wrong;
    visit_files([&](const std::filesystem::path& file, std::uint64_t day) {
      if (day > gateway_.day())
        wrong = file.string() + " is of day " + std::to_string(day) +
                ", which is not in the journal: its end is " +
                "gone, so bring that back from a copy; or remove the file, to go on without what was there";
    });
    return wrong;
  }
  /// The user that has this CompID, or nullptr.
  [[nodiscard]] Client* find_user(std::string_view comp_id) const {
    for (const std::unique_ptr<Client>& client : gateway_.clients()) {
      if (!comp_id.empty() && client->user.name_in(fix_option) == comp_id) return client.get();
    }
    return nullptr;
  }
  [[nodiscard]] const std::string& comp_id() const noexcept { return comp_id_; }

 private:
  /// Calls `visitor` with each file of numbers, and its day.
  void visit_files(const auto& visitor) const {
    namespace fs = std::filesystem;
    std::error_code error;
    for (fs::directory_iterator file(directory_, error); file != fs::directory_iterator(); file.increment(error)) {
      const std::string name = file->path().filename().string();
      const auto day = number_of<std::uint64_t>(std::string_view(name).substr(name.rfind('-') + 1));
      if (name.starts_with("fix-") && day) visitor(file->path(), *day);
    }
  }
  [[nodiscard]] std::string path_of(const Client& client) const {
    return directory_ + "/fix-" + client.user.name + '-' + std::to_string(gateway_.day());
  }

  Gateway& gateway_;
  std::string comp_id_;
  std::string directory_;
  llmes::Durability durability_;
  std::unordered_map<UserId, std::shared_ptr<FixStore>> stores_;
};

class FixSession final : public ClientSession {
 public:
  FixSession(Gateway& gateway, FixStores& stores, Nanoseconds now)
      : ClientSession(gateway, now), stores_(stores), side_(config("FIX.4.4"), now) {}

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
    if (is_held()) side_.hold(heard_at());
    side_.advance(now);
  }
  [[nodiscard]] bool is_logged_in() const override { return side_.is_logged_on(); }
  void close() override { side_.close("The session ends"); }
  [[nodiscard]] bool is_over() const override {
    return (side_.end() != fix::End::None && !side_.has_answer()) || is_replaced() || cannot_keep_ ||
           has_too_much();
  }
  [[nodiscard]] std::string reason() const override {
    if (has_too_much()) return "it sent no logon";
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
  [[nodiscard]] std::uint64_t behind() const override { return side_.behind(); }

  // What the session of FIX calls.
  [[nodiscard]] FixStore* logon(const fix::Logon& logon) {
    // Only the logon whose password was checked.
    const Client* const client = verdict();
    if (client == nullptr || client->user.name_in(fix_option) != logon.sender) return nullptr;
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
    if (!is_of_today() || gateway_.day_ends())
      return fix::Rejection{Other, 11, message.text(11), "The day has ended"};
    if (const std::optional<fix::Rejection> rejection = Reader::check(message)) return rejection;
    const std::string_view id = Reader::id_of(message);
    const bool is_quote = message.type() == "i";
    if (is_quote) left_ = 0;  // it may take long: others have their turn next
    const bool is_cancel = message.type() == "F";
    FixView& view = store_->view();
    const std::uint32_t original = is_cancel || message.type() == "G" ? view.find(message.text(41)) : 0;
    const std::uint64_t sides = is_quote ? 2 * message.number(295).value_or(0) : 0;
    const std::uint32_t reference =
        is_cancel ? 0 : view.next_reference(static_cast<std::uint32_t>(std::max<std::uint64_t>(sides, 1)));
    const bool has_come = view.has_come(id, reference);
    // A copy of what came before a restart has been done, and answered.
    if (has_come && is_duplicate) return {};
    if (has_come && message.flag(97))
      return fix::Rejection{Other, is_quote ? 117u : 11u, id,
                            is_quote ? "A message with this QuoteID has come before, and is answered"
                                     : "A message with this ClOrdID has come before, and is answered"};
    Reader reader(gateway_, client_->user.id, client_->user.account, client_->user.self_trade);
    Entry record = reader.read(message, reference, original, has_come, gateway_.wall());
    if (record.command.expiry != 0) record.command.expiry = gateway_.from_wall(record.command.expiry);
    if (const std::optional<Entry> before = reader.before(message)) gateway_.submit(*before);
    (void)gateway_.offer(*client_, record);
    return {};
  }
  [[nodiscard]] bool takes_more() const { return may_take(); }
  /// A heartbeat does not count: who is at its limit must not be silent.
  void took(std::string_view type) { count_message(type != "0"); }

 private:
  using Side = fix::Acceptor<FixStore>;
  static constexpr const char* cannot_keep = "its sequence numbers cannot be kept";

  [[nodiscard]] FoundLogin find_login(std::span<const std::byte> bytes) override {
    fix::FrameReader reader(bytes);
    const std::optional<fix::Frame> frame = reader.next();
    FoundLogin found;
    found.end = reader.offset();
    if (!frame) {
      // What is no message is counted, so that the client hears of it when no logon has come.
      static_cast<void>(side_.receive(bytes.first(found.end), now_, *this));
      return found;
    }
    found.is_whole = true;
    const fix::Message logon(*frame);
    if (frame->begin_string == "FIXT.1.1") side_ = Side(config("FIXT.1.1"), now_);
    const Client* const client = logon.type() == "A" ? stores_.find_user(logon.text(49)) : nullptr;
    found.is_login = client != nullptr;
    if (client == nullptr) {
      found.why = "no user has fix=" + printable(logon.text(49));
    } else {
      found.user = client->user.name;
      found.password = logon.text(554);
    }
    return found;
  }
  [[nodiscard]] std::size_t give(std::span<const std::byte> bytes, Nanoseconds now) override {
    set_utc(now);
    return side_.receive(bytes, heard_at(), now, *this);
  }

  [[nodiscard]] fix::Config config(const char* begin_string) const {
    return {.begin_string = begin_string, .comp_id = stores_.comp_id()};
  }
  /// A client's clock may be right where the venue's time, or that of its wall clock, is not.
  void set_utc(Nanoseconds now) noexcept {
    gateway_.read_clock();
    side_.set_utc(gateway_.now() - now, gateway_.skew());
  }

  FixStores& stores_;
  Side side_;
  std::shared_ptr<FixStore> store_;
  bool cannot_keep_ = false;
};

class FixDoor final : public Door {
 public:
  FixDoor(Gateway& gateway, const DoorConfig& config)
      : gateway_(gateway), stores_(gateway, config.name, config.directory, config.durability) {}
  [[nodiscard]] std::unique_ptr<Session> connect(Nanoseconds now) override {
    return std::make_unique<FixSession>(gateway_, stores_, now);
  }
  [[nodiscard]] std::string wrong() const override { return stores_.contradiction(); }
  void begin_day() override { stores_.remove_old(); }

 private:
  Gateway& gateway_;
  FixStores stores_;
};

inline constexpr Protocol fix_protocol{
    .name = "FIX",
    .flag = "--fix-port",
    .help = "of FIX 4.4 and FIXT.1.1, if it is given",
    .user_option = fix_option,
    .make_view = [](const User& user) -> std::unique_ptr<View> {
      if (user.name_in(fix_option).empty()) return nullptr;
      return std::make_unique<FixView>(user.id);
    },
    .make_door = [](Gateway& gateway, const DoorConfig& config) -> std::unique_ptr<Door> {
      return std::make_unique<FixDoor>(gateway, config);
    }};

}  // namespace exchange
