// SPDX-License-Identifier: MIT
//
// What both sides of a session of FIX do, as a state machine: bytes and time in; bytes, messages and a deadline
// out. The sides are in fix_sides.hpp. There is no socket here: whoever has one calls `receive` with what came,
// `write` for what goes, and `advance` at the deadline. After the logon nothing here allocates; a store may.
//
//  - A message in order is checked against the dictionary, and given on; one that is wrong is rejected, and its
//    number is used up. Garbled bytes are skipped.
//  - A number that is too high is answered with a resend request; the message comes again later. What does not
//  come
//    is asked for again, and then the session ends with words: it never stays silent behind a gap. A number that
//    is too low ends the session, unless the message says that it is a possible duplicate.
//  - A resend request is answered from the store as there is room to write; session messages become gap fills. A
//    message of the store that came while nobody was connected has a number, and is asked for like any other.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "llmes/detail/algorithm.hpp"
#include "llmes/version.hpp"
#include "llmes/wire/fix_dictionary.hpp"
#include "llmes/wire/fix_message.hpp"
#include "llmes/wire/fix_store.hpp"
#include "llmes/wire/fix_values.hpp"
#include "llmes/wire/fix_writer.hpp"
#include "llmes/wire/soup_session.hpp"

namespace llmes::inline LLMES_NAMESPACE::fix {

/// Who this side is, and how long it waits.
struct Config {
  std::string begin_string = "FIX.4.4";  ///< or FIXT.1.1
  std::string comp_id{};
  Nanoseconds logon = 10'000'000'000;      ///< the client has not logged on, then the session ends
  Nanoseconds logout = 5'000'000'000;      ///< an answer to a logout has not come, then the session ends
  Nanoseconds accuracy = 120'000'000'000;  ///< SendingTime may be off by so much
  Nanoseconds gap = 10'000'000'000;        ///< what is missing does not come, then it is asked for again
  std::uint32_t gap_requests = 3;          ///< so many times; then the session ends
  std::uint64_t heartbeat_max = 3'600;     ///< the most seconds that a client may ask for
};

/// The longest CompID of a client, and the longest TestReqID.
inline constexpr std::size_t comp_id_max = 64;
inline constexpr std::size_t test_id_max = 400;

/// What a logon asks for, where it was received.
struct Logon {
  std::string_view sender{};
  std::string_view user{};
  std::string_view password{};
  bool resets = false;  ///< both sides begin at 1 again
};

/// Why a session is over, or that it is not.
enum class End : std::uint8_t {
  None,
  Logout,     ///< one of both sides has logged out
  Refused,    ///< the logon
  NoLogon,    ///< none came in time, or something else came first
  Silence,    ///< nothing came for too long, not even an answer to a test request
  TooLow,     ///< a number that was used already
  BadHeader,  ///< a message of another version, of or to somebody else, without a number or with a wrong time
  Unread,     ///< the other side does not read what it is answered
  Gap,        ///< what is missing did not come, however often it was asked for
};

inline constexpr std::uint64_t sequence_max = 1'000'000'000'000'000'000;

namespace detail {

/// What both sides do alike.
template <class Side, SessionStore Store>
class Session {
 public:
  /// Takes bytes of the other side. `handler.message(message, is_possible_duplicate)` gets each message of an
  /// application, in order and checked. It returns nothing, or an optional `Rejection`, with which the message is
  /// then rejected. The handler of an acceptor also says who may log on: `handler.logon(logon)` gives the store of
  /// that client, or nullptr; then `handler.refusal()`, where there is one, says why. A handler that has
  /// `takes_more()` is asked before each message, and one that has `took(type)` is told of each, whatever it is.
  /// @return how many bytes were taken: all, unless the handler takes no more. Offer the others again later.
  template <class Handler>
  std::size_t receive(std::span<const std::byte> bytes, Nanoseconds now, Handler&& handler) noexcept {
    return receive(bytes, now, now, handler);
  }
  /// The same of bytes that have waited.
  /// @param came when they came, which is when the other side was heard
  template <class Handler>
  std::size_t receive(std::span<const std::byte> bytes, Nanoseconds came, Nanoseconds now,
                      Handler&& handler) noexcept {
    const std::size_t all = bytes.size();
    while (!bytes.empty() && end_ == End::None && soup::detail::takes_more(handler)) {
      const std::size_t size = std::min(bytes.size(), rest_max - rest_.size());
      rest_.insert(rest_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      bytes = bytes.subspan(size);
      FrameReader reader(rest_);
      bool takes = true;
      while (end_ == End::None && (takes = soup::detail::takes_more(handler))) {
        const std::optional<Frame> frame = reader.next();
        if (!frame) break;
        const Message message(*frame);
        if constexpr (requires { handler.took(message.type()); }) handler.took(message.type());
        hold(came);
        take(message, now, handler);
      }
      garbled_ += reader.garbled();
      rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(reader.offset()));
      if (takes) continue;
      const std::size_t left = std::min(rest_.size(), size);  // before these bytes, no message was complete
      rest_.resize(rest_.size() - left);
      return all - bytes.size() - left;
    }
    return end_ == End::None ? all - bytes.size() : all;
  }

  /// Says how far UTC is ahead of the time that calls are given, which is of a clock that never steps. As a
  /// session is made, they are the same.
  /// @param skew how far this UTC is ahead of that of the machine, whichever is right. The SendingTime of the
  /// other side may be off by so much more, and the answer to a logon tells of more than a second in its Text
  /// (58).
  void set_utc(Nanoseconds ahead, std::int64_t skew = 0) noexcept {
    utc_ahead_ = ahead;
    utc_is_ahead_ = skew > 0;
    utc_skew_ = utc_is_ahead_ ? static_cast<Nanoseconds>(skew) : Nanoseconds{0} - static_cast<Nanoseconds>(skew);
  }
  /// Says that bytes of the other side came then, which may wait and not be read: it was not silent.
  void hold(Nanoseconds came) noexcept {
    if (came <= heard_) return;
    heard_ = came;
    is_tested_ = false;
  }

  /// Says what time it is. Call it at the deadline; earlier does no harm.
  void advance(Nanoseconds now) noexcept {
    if (end_ != End::None) return;
    if (!is_logged_on_) {
      if (now < soup::detail::later(began_, config_.logon)) return;
      // Who has sent nothing at all, such as a check of the port, hears nothing.
      if (Side::answers && garbled_ != 0)
        log_out("No Logon came in time; BodyLength (9) or CheckSum (10) of what came is wrong", End::NoLogon, now);
      end_ = End::NoLogon;
      return;
    }
    if (logs_out_ && now >= soup::detail::later(logout_sent_, config_.logout)) end_ = End::Logout;
    if (now >= silence_end())
      log_out("Nothing was received, not even an answer to a TestRequest", End::Silence, now);
    if (!is_tested_ && now >= test_time()) {
      is_tested_ = true;
      send_fields("1", now, [this, now](FieldWriter& fields) { fields.time(112, utc(now), 3); });
    }
    if (has_gap() && end_ == End::None) wait_for_missing(now);
    if (now >= soup::detail::later(sent_, heartbeat_)) send("0", {}, now);
  }
  [[nodiscard]] Nanoseconds deadline() const noexcept {
    if (!is_logged_on_) return soup::detail::later(began_, config_.logon);
    const Nanoseconds logout =
        logs_out_ ? soup::detail::later(logout_sent_, config_.logout) : std::numeric_limits<Nanoseconds>::max();
    const Nanoseconds gap =
        has_gap() ? soup::detail::later(asked_at_, config_.gap) : std::numeric_limits<Nanoseconds>::max();
    return std::min(
        {logout, gap, soup::detail::later(sent_, heartbeat_), is_tested_ ? silence_end() : test_time()});
  }

  /// Fills `room` with what the other side should get now; call it again while it fills any.
  /// @param room at least `body_max + frame_size` bytes
  /// @return how many bytes
  [[nodiscard]] std::size_t write(std::span<std::byte> room, Nanoseconds now) noexcept {
    std::size_t size = drain(room, now);
    if (!is_logged_on_) return size;
    // What was asked for goes also if the session has ended meanwhile: what waits behind it says why.
    while (resends()) {  // there is room left only if all answers before are written
      const std::size_t more = write_again(room.subspan(size), now);
      if (more == 0) return size;
      size += more;
    }
    if (!resends()) size += drain(room.subspan(size), now);
    if (end_ != End::None) return size;
    while (out_begin_ == out_end_ && next_message_ < store_->size()) {
      const std::size_t more = write_stored(room.subspan(size), next_message_, next_, false, now);
      if (more == 0) break;
      ++next_message_;
      ++next_;
      size += more;
    }
    if (closes_ && !logs_out_ && !resends() && next_message_ == store_->size()) {
      logs_out_ = true;
      logout_sent_ = now;
      send_fields("5", now, [this](FieldWriter& fields) { fields.text(58, farewell_); });
      size += drain(room.subspan(size), now);
    }
    if (size != 0) sent_ = now;
    return size;
  }

  /// Sends a message that is not in the store: it uses a number, and is not sent again.
  /// @return whether the session goes on, and there was room
  bool send(std::string_view type, std::string_view fields, Nanoseconds now) noexcept {
    if (store_ == nullptr || end_ != End::None) return false;
    if (!put(type, next_, fields)) return false;
    sent_ = now;
    store_->keep(Change{ChangeType::Used, next_});
    ++next_;
    return true;
  }
  /// Logs out once the other side has all messages of the store, and waits for the answer.
  void close(std::string_view text) {
    closes_ = true;
    farewell_ = text;
  }

  [[nodiscard]] bool is_logged_on() const noexcept { return is_logged_on_; }
  [[nodiscard]] End end() const noexcept { return end_; }
  /// Whether bytes have still to be written before the connection is closed.
  [[nodiscard]] bool has_answer() const noexcept { return out_begin_ != out_end_ || resends(); }
  /// How many messages of the store have still to be written: how far the other side is behind.
  [[nodiscard]] std::size_t behind() const noexcept {
    return is_logged_on_ ? store_->size() - std::min<std::size_t>(next_message_, store_->size()) : 0;
  }
  [[nodiscard]] std::size_t garbled() const noexcept { return garbled_; }

 protected:
  static constexpr Nanoseconds skew_told = 1'000'000'000;  ///< a larger one is

  Session(Config config, Nanoseconds now) : config_(std::move(config)), began_(now), heard_(now), sent_(now) {
    rest_.reserve(rest_max);
    out_.resize(out_max);
  }

  // ---- Sending.

  template <class Write>
  void send_fields(std::string_view type, Nanoseconds now, Write&& write) noexcept {
    std::array<std::byte, 1'024> room;
    FieldWriter fields(room);
    write(fields);
    send(type, fields.view(), now);
  }
  /// Keeps a message until it is written: its SendingTime is of then.
  bool put(std::string_view type, std::uint64_t sequence, std::string_view fields) noexcept {
    if (out_begin_ == out_end_ || out_begin_ > out_max / 2) {
      llmes::detail::copy(std::span(out_).subspan(out_begin_, out_end_ - out_begin_), out_.begin());
      out_end_ -= out_begin_;
      mark_ -= std::min(mark_, out_begin_);
      out_begin_ = 0;
    }
    const Waiting waiting{sequence, static_cast<std::uint32_t>(type.size()),
                          static_cast<std::uint32_t>(fields.size())};
    const std::size_t size = sizeof waiting + type.size() + fields.size();
    constexpr std::size_t head_max = 100;  // of a body, without both CompIDs
    const bool is_too_long = size + head_max + config_.comp_id.size() + peer_.size() > body_max;
    if (is_too_long || size > out_.size() - out_end_) {
      end_ = End::Unread;
      return false;
    }
    std::span<std::byte> to = std::span(out_).subspan(out_end_);
    for (const std::span<const std::byte> part :
         {std::as_bytes(std::span(&waiting, 1)), std::as_bytes(std::span(type)),
          std::as_bytes(std::span(fields))}) {
      llmes::detail::copy(part, to.begin());
      to = to.subspan(part.size());
    }
    out_end_ += size;
    return true;
  }
  [[nodiscard]] Header header(std::string_view type, std::uint64_t sequence, Nanoseconds now) const noexcept {
    return {.begin_string = config_.begin_string,
            .type = type,
            .sequence = sequence,
            .sender = config_.comp_id,
            .target = peer_,
            .time = utc(now)};
  }
  /// A refused logon uses no number: nothing changes for whoever has these.
  void log_out(std::string_view text, End why, Nanoseconds now) noexcept {
    std::array<std::byte, 512> room;
    FieldWriter fields(room);
    fields.text(58, text);
    if (Side::answers && !is_logged_on_) {
      if (peer_.empty()) peer_ = "UNKNOWN";
      put("5", 1, fields.view());
    } else if (!logs_out_) {
      send("5", fields.view(), now);
    }
    if (end_ == End::None) end_ = why;
  }
  void reject(const Message& message, const Rejection& rejection, Nanoseconds now) noexcept {
    reject(message, rejection, words_of(rejection).view(), now);
  }
  void reject(const Message& message, const Rejection& rejection, std::string_view words,
              Nanoseconds now) noexcept {
    constexpr std::size_t type_max = 16;  // a longer one is in the words
    send_fields("3", now, [&](FieldWriter& fields) {
      fields.number(45, message.number(34).value_or(0));
      if (rejection.tag != 0) fields.number(371, rejection.tag);
      if (message.type().size() <= type_max) fields.text(372, message.type());
      fields.number(373, static_cast<std::uint64_t>(rejection.reason)).text(58, words);
    });
  }
  /// @param wanted NextExpectedMsgSeqNum; 0: it is not said
  void send_logon(std::uint64_t heartbeat, bool resets, const Logon& who, Nanoseconds now,
                  std::uint64_t wanted = 0) noexcept {
    heartbeat_ = heartbeat * 1'000'000'000;
    send_fields("A", now, [&](FieldWriter& fields) {
      fields.letter(98, '0').number(108, heartbeat);
      if (resets) fields.flag(141, true);
      if (wanted != 0) fields.number(789, wanted);
      if (Side::answers && utc_skew_ > skew_told) {
        Words text("The venue's time is ");
        text.say(utc_skew_ / 1'000'000).say(" ms ").say(utc_is_ahead_ ? "ahead of" : "behind").say(" its clock");
        fields.text(58, text.view());
      }
      fields.text(553, who.user).text(554, who.password);
      if (config_.begin_string == "FIXT.1.1") fields.letter(1137, '9');
    });
  }

  /// Begins with the numbers of the store, or at 1.
  void begin(bool resets) noexcept {
    if (resets) store_->keep(Change{ChangeType::Reset, store_->size()});
    next_message_ = store_->size();
    next_ = store_->numbers().next_sent(next_message_);
    resend_from_ = resend_end_ = missing_end_ = 0;
  }

  /// Sends the messages from `first` to before `end` again, behind what waits now.
  void resend(std::uint64_t first, std::uint64_t end) noexcept {
    const bool goes_on = resends();
    resend_from_ = goes_on ? std::min(first, resend_from_) : first;
    resend_end_ = goes_on ? std::max(end, resend_end_) : end;
    mark_ = out_end_;
  }

  // ---- Receiving.

  void too_low(std::uint64_t sequence, Nanoseconds now) noexcept {
    Words text("MsgSeqNum too low, expecting ");
    text.say(expected()).say(" but received ").say(sequence);
    log_out(text.view(), End::TooLow, now);
  }

  [[nodiscard]] std::uint64_t expected() const noexcept { return store_->numbers().next_received(); }
  void expect(std::uint64_t sequence) noexcept { store_->keep(Change{ChangeType::Received, sequence}); }

  /// Asks for what is missing before a message; `wait_for_missing` asks again.
  void ask_for_missing(std::uint64_t sequence, Nanoseconds now) noexcept {
    if (has_gap()) return;
    await_missing(sequence, now);
    ask(now);
  }
  /// The other side sends what is missing before a message, without being asked.
  void await_missing(std::uint64_t sequence, Nanoseconds now) noexcept {
    missing_ = expected();
    missing_end_ = sequence;
    asked_at_ = now;
    requests_ = 0;
  }
  [[nodiscard]] bool is_time_right(const Message& message, Nanoseconds now) const noexcept {
    const std::optional<Nanoseconds> time = message.time(52);
    const Nanoseconds here = utc(now);
    return !time ||
           (*time > here ? *time - here : here - *time) <= soup::detail::later(config_.accuracy, utc_skew_);
  }
  /// What is wrong with its SendingTime, and what time it is.
  [[nodiscard]] Words time_problem(const Message& message, Nanoseconds now) const noexcept {
    Words words(to_string(RejectReason::SendingTimeProblem));
    words.about(52, message.text(52)).say(", but it is ");
    return words.say(ValueText::of_time(utc(now), 3).view());
  }
  /// The difference may wrap around: a clock may begin at any number.
  [[nodiscard]] Nanoseconds utc(Nanoseconds now) const noexcept { return now + utc_ahead_; }

  Config config_;
  std::string peer_;
  Store* store_ = nullptr;
  bool is_logged_on_ = false;
  End end_ = End::None;

 private:
  static constexpr std::size_t rest_max = received_max;
  static constexpr std::size_t out_max = 4 * (body_max + frame_size);

  /// What stands before a message that waits to be written. Its type and its fields follow.
  struct Waiting {
    std::uint64_t sequence;
    std::uint32_t type_size;
    std::uint32_t fields_size;
  };

  // ---- What is missing.

  [[nodiscard]] bool has_gap() const noexcept { return expected() < missing_end_; }
  void ask(Nanoseconds now) noexcept {
    ++requests_;
    asked_at_ = now;
    send_fields("2", now, [this](FieldWriter& fields) { fields.number(7, expected()).number(16, 0); });
  }
  void wait_for_missing(Nanoseconds now) noexcept {
    if (expected() != missing_) return await_missing(missing_end_, now);  // some of it has come
    if (now < soup::detail::later(asked_at_, config_.gap)) return;
    if (requests_ < config_.gap_requests) return ask(now);
    Words words("Messages are missing from MsgSeqNum ");
    words.say(missing_).say(" on; ").say(std::uint64_t{requests_}).say(" ResendRequests brought none");
    log_out(words.view(), End::Gap, now);
  }

  template <class Handler>
  void take(const Message& message, Nanoseconds now, Handler& handler) noexcept {
    if (!is_logged_on_) return static_cast<Side*>(this)->take_logon(message, now, handler);
    if (message.begin_string() != config_.begin_string)
      return log_out(Words("Incorrect BeginString").about(8, message.begin_string()).view(), End::BadHeader, now);
    const std::optional<std::uint64_t> sequence = message.number(34);
    if (!sequence || *sequence == 0 || *sequence >= sequence_max)
      return log_out(Words("MsgSeqNum is missing or wrong").about(34, message.text(34)).view(), End::BadHeader,
                     now);
    const bool in_order = *sequence == expected();
    const auto end_with = [&](RejectReason reason, std::uint32_t tag, const Words& words) {
      reject(message, {reason, tag}, words.view(), now);
      if (in_order) expect(*sequence + 1);
      log_out(words.view(), End::BadHeader, now);
    };
    const auto end_with_tag = [&](RejectReason reason, std::uint32_t tag) {
      end_with(reason, tag, words_of({reason, tag, message.text(tag)}));
    };
    if (message.text(49) != peer_) return end_with_tag(RejectReason::CompIdProblem, 49);
    if (message.text(56) != config_.comp_id) return end_with_tag(RejectReason::CompIdProblem, 56);
    if (!is_time_right(message, now))
      return end_with(RejectReason::SendingTimeProblem, 52, time_problem(message, now));
    const bool is_duplicate = message.flag(43);
    if (is_duplicate && message.time(122).value_or(0) > message.time(52).value_or(0))
      return end_with_tag(RejectReason::SendingTimeProblem, 122);

    const std::string_view type = message.type();
    if (type == "4" && !message.flag(123)) return reset_sequence(message, in_order, now);
    if (type == "A" && message.flag(141) && *sequence == 1) return restart(message, now);
    if (*sequence < expected()) {
      if (!is_duplicate) too_low(*sequence, now);
      return;
    }
    if (!in_order) {
      // Both sides may lack messages: each answers the other before it has all.
      if (type == "2" && !check(message)) resend(message, now);
      if (type == "5") return answer_logout(now);
      return ask_for_missing(*sequence, now);
    }
    take_in_order(message, *sequence, is_duplicate, now, handler);
  }
  template <class Handler>
  void take_in_order(const Message& message, std::uint64_t sequence, bool is_duplicate, Nanoseconds now,
                     Handler& handler) noexcept {
    const std::string_view type = message.type();
    std::uint64_t next = sequence + 1;
    const bool is_known = find_rule(type) != nullptr;
    const bool is_taken = is_known && (is_of_session(type) || takes(type));
    // Whoever fills a gap was not there when the gap came to be: it often knows no original time.
    const bool lacks_time = is_duplicate && type != "4" && message.find(122) == nullptr;
    if (!is_taken && (is_known || is_message_type(type))) {
      send_fields("j", now, [&](FieldWriter& fields) {
        fields.number(45, sequence).text(372, type).number(380, 3);
        fields.text(58, Words("Unsupported message type").about(35, type).view());
      });
    } else if (const std::optional<Rejection> rejection = check(message)) {
      reject(message, *rejection, now);
    } else if (lacks_time) {
      reject(message, {RejectReason::RequiredTagMissing, 122}, now);
    } else if (type == "1") {
      const std::string_view id = message.text(112);
      if (id.size() > test_id_max) {
        reject(message, {RejectReason::IncorrectValue, 112, id, "TestReqID has more than 400 letters"}, now);
      } else {
        send_fields("0", now, [id](FieldWriter& fields) { fields.text(112, id); });
      }
    } else if (type == "2") {
      resend(message, now);
    } else if (type == "4") {
      const std::uint64_t wanted = *message.number(36);
      if (wanted <= sequence || wanted >= sequence_max) {
        reject(message, {RejectReason::IncorrectValue, 36, message.text(36)}, now);
      } else {
        next = wanted;
      }
    } else if (type == "5") {
      answer_logout(now);
    } else if (type == "A") {
      log_out("Already logged on", End::BadHeader, now);
    } else if (takes(type)) {
      if constexpr (std::is_void_v<decltype(handler.message(message, is_duplicate))>) {
        handler.message(message, is_duplicate);
      } else if (const std::optional<Rejection> refused = handler.message(message, is_duplicate)) {
        reject(message, *refused, now);
      }
    }
    expect(next);
  }
  [[nodiscard]] static bool is_of_session(std::string_view type) noexcept {
    return type.size() == 1 && std::string_view("012345A").find(type[0]) != std::string_view::npos;
  }
  [[nodiscard]] static bool takes(std::string_view type) noexcept {
    return type.size() == 1 && Side::taken.find(type[0]) != std::string_view::npos;
  }

  void reset_sequence(const Message& message, bool in_order, Nanoseconds now) noexcept {
    const std::optional<Rejection> rejection = check(message);
    const std::uint64_t next = message.number(36).value_or(0);
    if (rejection) {
      reject(message, *rejection, now);
      if (in_order) expect(expected() + 1);
    } else if (next < expected() || next >= sequence_max) {
      reject(message, {RejectReason::IncorrectValue, 36, message.text(36)}, now);
      if (in_order) expect(expected() + 1);
    } else {
      expect(next);
      missing_end_ = 0;
    }
  }
  void answer_logout(Nanoseconds now) noexcept {
    if (!logs_out_) send("5", {}, now);
    if (end_ == End::None) end_ = End::Logout;
  }
  /// A logon while logged on that begins at 1 again.
  void restart(const Message& message, Nanoseconds now) noexcept {
    if (const std::optional<Rejection> rejection = check(message)) return reject(message, *rejection, now);
    begin(true);
    if (Side::answers) send_logon(heartbeat_ / 1'000'000'000, true, {}, now);
    expect(2);
  }

  // ---- Resending.

  void resend(const Message& message, Nanoseconds now) noexcept {
    const std::uint64_t first = *message.number(7);
    const std::uint64_t last = *message.number(16);
    const std::uint32_t wrong = first == 0 ? 7 : 16;
    if (first == 0 || (last != 0 && last < first))
      return reject(message, {RejectReason::IncorrectValue, wrong, message.text(wrong)}, now);
    if (first >= next_) {
      Words words("The next MsgSeqNum is ");
      words.say(next_).about(7, message.text(7));
      return reject(message, {RejectReason::IncorrectValue, 7}, words.view(), now);
    }
    resend(first, last == 0 ? next_ : std::min(last, next_ - 1) + 1);
  }
  [[nodiscard]] bool resends() const noexcept { return resend_from_ < resend_end_; }

  [[nodiscard]] std::size_t drain(std::span<std::byte> room, Nanoseconds now) noexcept {
    const std::size_t end = resends() ? std::max(mark_, out_begin_) : out_end_;
    std::size_t size = 0;
    while (out_begin_ != end) {
      Waiting waiting{};
      std::memcpy(&waiting, out_.data() + out_begin_, sizeof waiting);
      const std::string_view text(reinterpret_cast<const char*>(out_.data()) + out_begin_ + sizeof waiting,
                                  waiting.type_size + waiting.fields_size);
      const Header head = header(text.substr(0, waiting.type_size), waiting.sequence, now);
      const std::size_t more = write_message(room.subspan(size), head, text.substr(waiting.type_size));
      if (more == 0) break;
      size += more;
      out_begin_ += sizeof waiting + text.size();
    }
    return size;
  }
  /// A message of the store. @return 0 if it does not fit
  [[nodiscard]] std::size_t write_stored(std::span<std::byte> room, std::size_t index, std::uint64_t sequence,
                                         bool again, Nanoseconds now) const noexcept {
    const std::optional<StoredMessage> message = read_stored((*store_)[index]);
    if (!message) return 0;
    Header head = header(message->type, sequence, now);
    if (again) head.original_time = message->time;
    return write_message(room, head, message->fields);
  }
  /// The next message that was asked for, or a gap fill up to the one behind. @return 0 if it does not fit
  [[nodiscard]] std::size_t write_again(std::span<std::byte> room, Nanoseconds now) noexcept {
    const auto index_of = [this](std::uint64_t sequence) {
      const std::optional<std::size_t> index = store_->numbers().find(sequence);
      return index && *index < store_->size() && read_stored((*store_)[*index]) ? index : std::nullopt;
    };
    if (const std::optional<std::size_t> index = index_of(resend_from_)) {
      const std::size_t size = write_stored(room, *index, resend_from_, true, now);
      if (size != 0) ++resend_from_;
      return size;
    }
    std::uint64_t end = resend_from_ + 1;
    while (end < resend_end_ && !index_of(end)) ++end;
    const ValueText time = ValueText::of_time(next_millisecond(utc(now)), 3);
    Header head = header("4", resend_from_, now);
    head.original_time = time.view();
    std::array<std::byte, 64> fields_room;
    FieldWriter fields(fields_room);
    fields.flag(123, true).number(36, end);
    const std::size_t size = write_message(room, head, fields.view());
    if (size != 0) resend_from_ = end;
    return size;
  }

  // ---- Waiting.

  /// A fifth more than a heartbeat, for its way.
  [[nodiscard]] Nanoseconds test_time() const noexcept {
    return soup::detail::later(heard_, heartbeat_ + heartbeat_ / 5);
  }
  [[nodiscard]] Nanoseconds silence_end() const noexcept {
    return soup::detail::later(heard_, 2 * (heartbeat_ + heartbeat_ / 5));
  }

  std::vector<std::byte> rest_;  ///< of a message that is not complete
  std::vector<std::byte> out_;   ///< session messages to be written, from out_begin_ to out_end_
  std::size_t out_begin_ = 0;
  std::size_t out_end_ = 0;
  std::size_t mark_ = 0;          ///< where a resend comes between them
  std::uint64_t next_ = 1;        ///< number of the next message to be sent
  std::size_t next_message_ = 0;  ///< of the store
  std::uint64_t resend_from_ = 0;
  std::uint64_t resend_end_ = 0;
  std::uint64_t missing_ = 0;      ///< the first message that was missing when it was looked for last
  std::uint64_t missing_end_ = 0;  ///< behind the last one that is; there is no gap once it is expected
  std::uint32_t requests_ = 0;     ///< for the same messages
  Nanoseconds asked_at_ = 0;
  std::size_t garbled_ = 0;
  Nanoseconds heartbeat_ = 0;
  Nanoseconds began_;
  Nanoseconds heard_;  ///< when the other side sent a message last
  Nanoseconds sent_;   ///< when this side did
  Nanoseconds logout_sent_ = 0;
  Nanoseconds utc_ahead_ = 0;
  Nanoseconds utc_skew_ = 0;
  bool utc_is_ahead_ = false;
  bool is_tested_ = false;  ///< a test request waits for an answer
  bool logs_out_ = false;   ///< a logout does
  bool closes_ = false;     ///< will, once all is written
  std::string farewell_;
};

}  // namespace detail

}  // namespace llmes::inline LLMES_NAMESPACE::fix
