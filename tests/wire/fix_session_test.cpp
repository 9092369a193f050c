// SPDX-License-Identifier: MIT
//
// Sessions of FIX: the scenarios that a venue must get right, as tables of what goes in and what comes out; and
// both sides over a network that cuts, delays and breaks connections, with a venue that is killed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "llmes/wire.hpp"
#include "tests/support/random.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/wire/fix_text.hpp"
#include "tests/wire/message_store.hpp"

namespace llmes::test::fix_session_test {
namespace {

using namespace std::literals;
using fix::Change;
using fix::ChangeType;
using fix::End;
using fix::Nanoseconds;

constexpr Nanoseconds second = 1'000'000'000;
constexpr Nanoseconds begin = 1'795'807'800 * second;  // 20261127-19:30:00

/// A store in memory, with a copy of all changes.
class Store : public MessageList {
 public:
  /// Makes it anew from what survived. What came in last may be forgotten: then the other side sends it again.
  [[nodiscard]] Store restarted(bool forgets) const {
    Store store;
    for (const std::string& message : all()) store.add(message);
    const bool is_last = !changes_.empty() && changes_.back().type == ChangeType::Received;
    for (std::size_t i = 0; i + (forgets && is_last ? 1 : 0) < changes_.size(); ++i) store.keep(changes_[i]);
    return store;
  }
  [[nodiscard]] const fix::Numbers& numbers() const { return numbers_; }
  void keep(const Change& change) {
    EXPECT_TRUE(numbers_.apply(change)) << change.number;
    changes_.push_back(change);
  }

 private:
  fix::Numbers numbers_;
  std::vector<Change> changes_;
};

/// What a side is told.
struct Desk {
  Store* store = nullptr;
  std::vector<std::string> messages{};
  std::string user{};
  int copies = 0;  ///< possible duplicates of what it has

  Store* logon(const fix::Logon& logon) {
    user = std::string(logon.user) + ':' + std::string(logon.password);
    return logon.sender == "C" && logon.password != "wrong" ? store : nullptr;
  }
  void message(const fix::Message& message, bool is_duplicate) {
    const std::string_view name = message.text(message.type() == "D" ? 11 : 17);
    if (is_duplicate && std::ranges::find(messages, name) != messages.end()) {
      ++copies;
    } else {
      messages.emplace_back(name);
    }
  }
};

template <class Side>
std::string written(Side& side, Nanoseconds now, std::size_t room_size = 10'000) {
  std::vector<std::byte> room(room_size);
  return text_of(std::span(room).first(side.write(room, now)));
}

TEST(FixNumbers, AMessageKeepsItsNumber) {
  fix::Numbers numbers;
  EXPECT_EQ(numbers.next_sent(0), 1u);
  EXPECT_EQ(numbers.find(0), std::nullopt);
  EXPECT_TRUE(numbers.apply({ChangeType::Used, 1}));  // then messages 0 and 1
  EXPECT_TRUE(numbers.apply({ChangeType::Used, 4}));
  EXPECT_TRUE(numbers.apply({ChangeType::Used, 5}));
  EXPECT_FALSE(numbers.apply({ChangeType::Used, 5}));
  EXPECT_FALSE(numbers.apply({ChangeType::Used, 2}));
  EXPECT_FALSE(numbers.apply({ChangeType::Received, 0}));
  EXPECT_FALSE(numbers.apply({static_cast<ChangeType>(9), 7}));
  EXPECT_EQ(numbers.find(1), std::nullopt);
  EXPECT_EQ(numbers.find(2), 0u);
  EXPECT_EQ(numbers.find(3), 1u);
  EXPECT_EQ(numbers.find(4), std::nullopt);
  EXPECT_EQ(numbers.find(5), std::nullopt);
  EXPECT_EQ(numbers.find(6), 2u);
  EXPECT_EQ(numbers.next_sent(2), 6u);
  EXPECT_EQ(numbers.next_sent(10), 14u);
  EXPECT_TRUE(numbers.apply({ChangeType::Received, 17}));
  EXPECT_EQ(numbers.next_received(), 17u);
  EXPECT_TRUE(numbers.apply({ChangeType::Reset, 10}));
  EXPECT_EQ(numbers.next_received(), 1u);
  EXPECT_EQ(numbers.next_sent(10), 1u);
  EXPECT_EQ(numbers.find(1), 10u);
}

/// One step of a scenario:
///  - `> BODY`: the client sends this; SenderCompID, SendingTime and TargetCompID are filled in if they are
///  missing
///  - `raw BYTES`: these bytes as they are
///  - `< BODY`: the venue says this next; those three and OrigSendingTime are left out. All that it says is named
///  - `store BODY`: a message of the store comes to be
///  - `wait SECONDS`: time passes
///  - `close`: the venue logs out
///  - `last BODY`: it does, and a message of the store comes to be
///  - `again`: the client connects once more
///  - `told LIST`: the messages of orders that the venue was given so far
///  - `end WHY`
struct Scenario {
  const char* name;
  std::vector<std::string> steps;
};

std::string end_name(End end) {
  const std::array<const char*, 9> names{"None",   "Logout",    "Refused", "NoLogon", "Silence",
                                         "TooLow", "BadHeader", "Unread",  "Gap"};
  return names[static_cast<std::size_t>(end)];
}

class Play {
 public:
  explicit Play(const std::string& version) : version_(version) {
    desk_.store = &store_;
    side_.emplace(fix::Config{.begin_string = version, .comp_id = "V"}, now_);
  }

  void step(const std::string& line) {
    const std::size_t space = line.find(' ');
    const std::string word = line.substr(0, space);
    const std::string rest = space == line.npos ? "" : line.substr(space + 1);
    if (word == "<") {
      ASSERT_FALSE(said_.empty()) << line;
      EXPECT_EQ(said_.front(), rest);
      said_.erase(said_.begin());
      return;
    }
    if (word == "told") {
      std::string told;
      for (const std::string& message : desk_.messages) told += (told.empty() ? "" : " ") + message;
      EXPECT_EQ(told, rest);
      return;
    }
    if (word == "end") {
      EXPECT_EQ(end_name(side_->end()), rest);
      return;
    }
    EXPECT_EQ(said_, std::vector<std::string>{}) << "before " << line;
    said_.clear();
    if (word == ">") {
      side_->receive(bytes_of(framed(with_header(rest), version_)), now_, desk_);
    } else if (word == "raw") {
      side_->receive(bytes_of(fields(rest)), now_, desk_);
    } else if (word == "store") {
      store_.add(fields(rest));
    } else if (word == "wait") {
      now_ += second * std::stoull(rest);
      side_->advance(now_);
    } else if (word == "close") {
      side_->close("The day is over");
    } else if (word == "last") {
      side_->close("The day is over");
      store_.add(fields(rest));
    } else if (word == "again") {
      side_.emplace(fix::Config{.begin_string = version_, .comp_id = "V"}, now_);
    } else {
      FAIL() << line;
    }
    listen();
  }
  void end() { EXPECT_EQ(said_, std::vector<std::string>{}); }

 private:
  [[nodiscard]] std::string time(Nanoseconds time) const {
    return std::string(fix::ValueText::of_time(time, 3).view());
  }
  [[nodiscard]] std::string with_header(std::string body) const {
    std::string header;
    if (body.find("|49=") == body.npos) header += "49=C|";
    if (body.find("|52=") == body.npos) header += "52=" + time(now_) + "|";
    if (body.find("|56=") == body.npos) header += "56=V|";
    const std::size_t at = body.find('|', body.find("34=")) + 1;
    body.insert(body.find("34=") == body.npos ? body.find('|') + 1 : at, header);
    for (std::size_t now = 0; (now = body.find("NOW")) != body.npos;) body.replace(now, 3, time(now_));
    return body;
  }
  void listen() {
    std::string bytes;
    for (std::string piece; !(piece = written(*side_, now_)).empty();) bytes += piece;
    fix::FrameReader reader(bytes_of(bytes));
    while (const std::optional<fix::Frame> frame = reader.next()) {
      const fix::Message message(*frame);
      EXPECT_FALSE(fix::check(message)) << readable(std::string(frame->body));
      std::string body;
      for (const fix::Field& field : message.fields()) {
        if (field.tag == 49 || field.tag == 52 || field.tag == 56 || field.tag == 122) continue;
        body += std::to_string(field.tag) + "=" + std::string(field.value) + "|";
      }
      said_.push_back(body);
    }
    EXPECT_EQ(reader.offset(), bytes.size());
    EXPECT_EQ(reader.garbled(), 0u);
  }

  std::string version_;
  Nanoseconds now_ = begin;
  Store store_;
  Desk desk_;
  std::optional<fix::Acceptor<Store>> side_;
  std::vector<std::string> said_;
};

const std::string logon = "> 35=A|34=1|98=0|108=30|";
const std::string welcome = "< 35=A|34=1|98=0|108=30|";
const std::string order = "11=one|55=ABC|54=1|60=NOW|38=100|40=2|44=10.25|";
std::string order_of(int sequence, const std::string& name) {
  return "> 35=D|34=" + std::to_string(sequence) + "|11=" + name + "|55=ABC|54=1|60=NOW|38=100|40=2|44=10.25|";
}
std::string report(int number) {
  return "35=8|52=20261127-19:30:00.000|6=0|14=0|17=" + std::to_string(number) +
         "|37=1|39=0|54=1|55=ABC|150=0|151=5|";
}
std::string heard(int sequence, int number, bool again = false) {
  return "< 35=8|34=" + std::to_string(sequence) + "|" + (again ? "43=Y|" : "") +
         "6=0|14=0|17=" + std::to_string(number) + "|37=1|39=0|54=1|55=ABC|150=0|151=5|";
}
std::string rejected(int sequence, int of, int tag, const std::string& type, int reason, const std::string& text) {
  return "< 35=3|34=" + std::to_string(sequence) + "|45=" + std::to_string(of) + "|" +
         (tag == 0 ? "" : "371=" + std::to_string(tag) + "|") + "372=" + type + "|373=" + std::to_string(reason) +
         "|58=" + text + "|";
}

TEST(FixSession, Scenarios) {
  for (
      const Scenario& scenario : std::vector<Scenario>{
          // Logging on.
          {"a logon is answered", {logon, welcome, "end None"}},
          {"a logon whose number is too high is answered, and what is missing is asked for",
           {"> 35=A|34=5|98=0|108=30|", welcome, "< 35=2|34=2|7=1|16=0|", "end None"}},
          {"a logon to somebody else is refused",
           {"> 35=A|34=1|56=W|98=0|108=30|", "< 35=5|34=1|58=Unknown TargetCompID: 56=W|", "end Refused"}},
          {"a logon of a stranger is refused",
           {"> 35=A|34=1|49=X|98=0|108=30|", "< 35=5|34=1|58=Not authorised|", "end Refused"}},
          {"a logon with a wrong password is refused",
           {"> 35=A|34=1|98=0|108=30|553=ann|554=wrong|", "< 35=5|34=1|58=Not authorised|", "end Refused"}},
          {"a logon with a wrong time is refused",
           {"> 35=A|34=1|52=20261127-19:27:00|98=0|108=30|",
            "< 35=5|34=1|58=SendingTime accuracy problem: 52=20261127-19:27:00, but it is 20261127-19:30:00.000|",
            "end Refused"}},
          {"a logon of another version is refused",
           {"raw " + readable(framed("35=A|34=1|49=C|52=20261127-19:30:00|56=V|98=0|108=30|", "FIX.4.2")),
            "< 35=5|34=1|58=Incorrect BeginString: 8=FIX.4.2|", "end Refused"}},
          {"a logon with a wrong length is none",
           {"raw 8=FIX.4.4|9=4|35=A|34=1|49=C|10=123|", "end None", "wait 10",
            "< 35=5|34=1|58=No Logon came in time; BodyLength (9) or CheckSum (10) of what came is wrong|",
            "end NoLogon"}},
          {"who says nothing hears nothing", {"wait 10", "end NoLogon"}},
          {"a logon without a heartbeat is refused",
           {"> 35=A|34=1|98=0|", "< 35=5|34=1|58=Required tag missing: 108|", "end Refused"}},
          {"a logon with a heartbeat out of range is refused",
           {"> 35=A|34=1|98=0|108=0|", "< 35=5|34=1|58=HeartBtInt is out of range: 108=0|", "end Refused"}},
          {"a logon with encryption is refused",
           {"> 35=A|34=1|98=1|108=30|", "< 35=5|34=1|58=Value is incorrect for this tag: 98=1|", "end Refused"}},
          {"a first message that is no logon ends the connection",
           {"> 35=0|34=1|", "< 35=5|34=1|58=The first message must be a Logon: 35=0|", "end NoLogon"}},
          {"a second logon ends the session",
           {logon, welcome, "> 35=A|34=2|98=0|108=30|", "< 35=5|34=2|58=Already logged on|", "end BadHeader"}},
          {"a logon that resets begins at 1",
           {logon, welcome, "> 35=0|34=2|", "again", "> 35=A|34=1|98=0|108=30|141=Y|",
            "< 35=A|34=1|98=0|108=30|141=Y|", "> 35=0|34=2|", "end None"}},
          {"a reset with another number than 1 is refused",
           {"> 35=A|34=2|98=0|108=30|141=Y|",
            "< 35=5|34=1|58=MsgSeqNum must be 1 with ResetSeqNumFlag (141): 34=2|", "end Refused"}},
          {"a logon that resets within a session",
           {logon, welcome, order_of(2, "one"), "> 35=A|34=1|98=0|108=30|141=Y|", "< 35=A|34=1|98=0|108=30|141=Y|",
            order_of(2, "two"), "told one two"}},
          {"a second connection goes on with its numbers",
           {logon, welcome, "> 35=0|34=2|", "again", "> 35=A|34=3|98=0|108=30|", "< 35=A|34=2|98=0|108=30|"}},
          {"a logon whose number is too low is refused, and uses none",
           {logon, welcome, "> 35=0|34=2|", "again", "> 35=A|34=2|98=0|108=30|",
            "< 35=5|34=1|58=MsgSeqNum too low, expecting 3 but received 2|", "end TooLow", "again",
            "> 35=A|34=3|98=0|108=30|", "< 35=A|34=2|98=0|108=30|"}},

          // Numbers of what comes in.
          {"messages in order are taken",
           {logon, welcome, order_of(2, "one"), order_of(3, "two"), "told one two"}},
          {"a number that is too high is asked for, once, and the message comes again",
           {logon, welcome, order_of(4, "three"), "< 35=2|34=2|7=2|16=0|", order_of(5, "four"), "told ",
            "> 35=D|34=2|43=Y|122=NOW|11=one|55=ABC|54=1|60=NOW|38=1|40=1|", "told one",
            "> 35=4|34=3|43=Y|122=NOW|123=Y|36=4|", order_of(4, "three"), order_of(5, "four"),
            "told one three four"}},
          {"a second gap is asked for when the first one is filled",
           {logon, welcome, order_of(4, "three"), "< 35=2|34=2|7=2|16=0|", "> 35=4|34=2|43=Y|122=NOW|123=Y|36=5|",
            order_of(7, "four"), "< 35=2|34=3|7=5|16=0|"}},
          {"a number that is too low ends the session",
           {logon, welcome, order_of(2, "one"), order_of(2, "two"),
            "< 35=5|34=2|58=MsgSeqNum too low, expecting 3 but received 2|", "told one", "end TooLow"}},
          {"a missing number ends the session",
           {logon, welcome, "> 35=0|", "< 35=5|34=2|58=MsgSeqNum is missing or wrong: 34|", "end BadHeader"}},
          {"a number of 0 ends the session",
           {logon, welcome, "> 35=0|34=0|", "< 35=5|34=2|58=MsgSeqNum is missing or wrong: 34=0|",
            "end BadHeader"}},
          {"a possible duplicate that was received is ignored",
           {logon, welcome, order_of(2, "one"), "> 35=D|34=2|43=Y|122=NOW|" + order, "told one",
            order_of(3, "two"), "told one two"}},
          {"a possible duplicate that was not received is taken",
           {logon, welcome, "> 35=D|34=2|43=Y|122=NOW|" + order, "told one"}},
          {"a possible duplicate that was sent first after now",
           {logon, welcome, "> 35=D|34=2|43=Y|122=20261127-19:30:09|" + order,
            rejected(2, 2, 122, "D", 10, "SendingTime accuracy problem: 122=20261127-19:30:09"),
            "< 35=5|34=3|58=SendingTime accuracy problem: 122=20261127-19:30:09|", "told ", "end BadHeader"}},
          {"a ResendRequest does not end one that is at work",
           {logon, welcome, "store " + report(1), heard(2, 1), "store " + report(2), heard(3, 2),
            "raw " + readable(framed("35=2|34=2|49=C|52=20261127-19:30:00|56=V|7=2|16=2|") +
                              framed("35=2|34=3|49=C|52=20261127-19:30:00|56=V|7=3|16=3|")),
            heard(2, 1, true), heard(3, 2, true)}},
          {"a possible duplicate without the time when it was sent first",
           {logon, welcome, "> 35=D|34=2|43=Y|" + order, rejected(2, 2, 122, "D", 1, "Required tag missing: 122"),
            "told ", "> 35=0|34=3|", "end None"}},

          {"a gap fill that knows no original time, as most engines send it",
           {logon, welcome, order_of(4, "three"), "< 35=2|34=2|7=2|16=0|", "> 35=4|34=2|43=Y|123=Y|36=5|",
            order_of(5, "four"), "told four"}},
          {"what is missing and does not come is asked for again, and then the session ends with words",
           {logon, welcome, order_of(4, "three"), "< 35=2|34=2|7=2|16=0|", "wait 9", order_of(5, "four"), "wait 1",
            "< 35=2|34=3|7=2|16=0|", "> 35=0|34=6|", "wait 10", "< 35=2|34=4|7=2|16=0|", "wait 9", "> 35=0|34=7|",
            "wait 1", "< 35=5|34=5|58=Messages are missing from MsgSeqNum 2 on; 3 ResendRequests brought none|",
            "told ", "end Gap"}},
          {"a gap that closes in steps keeps the session",
           {logon, welcome, order_of(5, "four"), "< 35=2|34=2|7=2|16=0|", "wait 9", "> 35=4|34=2|43=Y|123=Y|36=3|",
            "wait 1", "wait 9", "> 35=4|34=3|43=Y|123=Y|36=4|", "wait 1", "wait 9", "> 35=4|34=4|43=Y|123=Y|36=5|",
            "wait 1", "< 35=0|34=3|", order_of(5, "four"), "told four", "end None"}},
          {"a gap that is left half open is asked for again from where it is",
           {logon, welcome, order_of(5, "four"), "< 35=2|34=2|7=2|16=0|", "> 35=4|34=2|43=Y|123=Y|36=4|", "wait 1",
            "wait 10", "< 35=2|34=3|7=4|16=0|", "> 35=4|34=4|43=Y|123=Y|36=6|", order_of(6, "five"), "told five"}},
          {"a possible duplicate of an order without the time when it was sent first does not open a gap for ever",
           {logon, welcome, order_of(3, "two"), "< 35=2|34=2|7=2|16=0|", "> 35=D|34=2|43=Y|" + order,
            rejected(3, 2, 122, "D", 1, "Required tag missing: 122"), order_of(3, "two"), "told two"}},

          // What a client expects next.
          {"a client that says what it expects gets it, and is not asked for what it lacks itself",
           {logon, welcome, "store " + report(1), heard(2, 1), "store " + report(2), heard(3, 2), "again",
            "> 35=A|34=5|369=1|98=0|108=30|789=3|", "< 35=A|34=4|98=0|108=30|789=2|", heard(3, 2, true),
            "> 35=4|34=2|43=Y|123=Y|36=6|", order_of(6, "five"), "told five"}},
          {"a client that expects what comes next",
           {logon, welcome, "> 35=0|34=2|", "again", "> 35=A|34=3|98=0|108=30|789=2|",
            "< 35=A|34=2|98=0|108=30|789=4|", "> 35=0|369=2|34=4|", "end None"}},
          {"what it does not send is asked for in the end",
           {logon, welcome, "again", "> 35=A|34=5|98=0|108=30|789=1|", "< 35=A|34=2|98=0|108=30|789=2|",
            "< 35=4|34=1|43=Y|123=Y|36=2|", "wait 10", "< 35=2|34=3|7=2|16=0|"}},
          {"a client that expects more than was sent is refused",
           {"> 35=A|34=1|98=0|108=30|789=7|", "< 35=5|34=1|58=The next MsgSeqNum is 1: 789=7|", "end Refused",
            "again", "> 35=A|34=1|98=0|108=30|141=Y|789=1|", "< 35=A|34=1|98=0|108=30|141=Y|789=2|"}},
          {"a refused logon names the tag that is wrong",
           {"> 35=A|34=1|369=x|98=0|108=30|", "< 35=5|34=1|58=Incorrect data format for value: 369=x|",
            "end Refused", "again", "> 35=A|34=1|98=0|108=30|1=ANN|",
            "< 35=5|34=1|58=Tag not defined for this message type: 1=ANN|", "end Refused"}},

          // Numbers with zeros in front, and lengths with any number of digits.
          {"zeros in front of numbers",
           {"raw " + readable(padded("35=A|34=0001|49=C|52=20261127-19:30:00|56=V|98=0|108=030|", 6)), welcome,
            "raw " + readable(padded("35=1|34=000002|49=C|52=20261127-19:30:00|56=V|112=hello|", 9)),
            "< 35=0|34=2|112=hello|",
            "raw " + readable(padded("35=2|34=3|49=C|52=20261127-19:30:00|56=V|7=0001|16=0000|", 3)),
            "< 35=4|34=1|43=Y|123=Y|36=3|", "> 35=4|34=04|123=Y|36=0007|", order_of(7, "six"), "told six"}},
          {"a TestReqID comes back whole, or is refused",
           {logon, welcome, "> 35=1|34=2|112=" + std::string(400, 'x') + "|",
            "< 35=0|34=2|112=" + std::string(400, 'x') + "|", "> 35=1|34=3|112=" + std::string(401, 'x') + "|",
            rejected(3, 3, 112, "1", 5,
                     "TestReqID has more than 400 letters: 112=" + std::string(48, 'x') + "..."),
            "> 35=0|34=4|", "end None"}},
          {"a SenderCompID that no answer can hold",
           {"> 35=A|34=1|49=" + std::string(9, 'C') + std::string(56, 'x') + "|98=0|108=30|",
            "< 35=5|34=1|58=SenderCompID has more than 64 letters: 49=" + std::string(9, 'C') +
                std::string(39, 'x') + "...|",
            "end Refused"}},

          // Heads.
          {"another version within a session ends it",
           {logon, welcome, "raw " + readable(framed("35=0|34=2|49=C|52=20261127-19:30:00|56=V|", "FIX.4.1")),
            "< 35=5|34=2|58=Incorrect BeginString: 8=FIX.4.1|", "end BadHeader"}},
          {"another sender ends the session",
           {logon, welcome, "> 35=0|34=2|49=X|", rejected(2, 2, 49, "0", 9, "CompID problem: 49=X"),
            "< 35=5|34=3|58=CompID problem: 49=X|", "end BadHeader"}},
          {"another target ends the session",
           {logon, welcome, "> 35=0|34=2|56=X|", rejected(2, 2, 56, "0", 9, "CompID problem: 56=X"),
            "< 35=5|34=3|58=CompID problem: 56=X|", "end BadHeader"}},
          {"a time that is off ends the session",
           {logon, welcome, "> 35=0|34=2|52=20261127-19:33:00|",
            rejected(2, 2, 52, "0", 10,
                     "SendingTime accuracy problem: 52=20261127-19:33:00, but it is 20261127-19:30:00.000"),
            "< 35=5|34=3|58=SendingTime accuracy problem: 52=20261127-19:33:00, but it is 20261127-19:30:00.000|",
            "end BadHeader"}},
          {"a missing time is rejected",
           {logon, welcome, "raw " + readable(framed("35=0|34=2|49=C|56=V|")),
            rejected(2, 2, 52, "0", 1, "Required tag missing: 52"), "> 35=0|34=3|", "end None"}},
          {"a type that FIX does not have is rejected",
           {logon, welcome, "> 35=ZZ|34=2|", rejected(2, 2, 35, "ZZ", 11, "Invalid MsgType: 35=ZZ"),
            "> 35=0|34=3|"}},
          {"a type that is not taken is rejected for the business",
           {logon, welcome, "> 35=AE|34=2|", "< 35=j|34=2|45=2|372=AE|380=3|58=Unsupported message type: 35=AE|",
            "> 35=8|34=3|", "< 35=j|34=3|45=3|372=8|380=3|58=Unsupported message type: 35=8|", "> 35=0|34=4|"}},

          // Garbled bytes are as if they had not been.
          {"garbled bytes",
           {logon, welcome, "raw 8=FIX.4.4|9=12|35=0|34=2|", "raw 8=FI", "raw hello", order_of(2, "one"),
            "told one"}},
          {"a wrong length",
           {logon, welcome, "raw 8=FIX.4.4|9=3|35=0|34=2|10=000|", order_of(2, "one"), "told one"}},
          {"a wrong checksum",
           {logon, welcome, "raw 8=FIX.4.4|9=10|35=0|34=2|10=000|", order_of(2, "one"), "told one"}},
          {"the first three fields in another order",
           {logon, welcome, "raw 8=FIX.4.4|35=0|9=10|34=2|10=000|", "raw 9=10|8=FIX.4.4|35=0|34=2|10=000|",
            "raw " + readable(framed("34=2|35=0|")), order_of(2, "one"), "told one"}},

          // Heartbeats.
          {"a heartbeat after 30 seconds", {logon, welcome, "wait 29", "wait 1", "< 35=0|34=2|"}},
          {"a test request is answered", {logon, welcome, "> 35=1|34=2|112=hello|", "< 35=0|34=2|112=hello|"}},
          {"a test request after silence, and the end",
           {logon, welcome, "wait 30", "< 35=0|34=2|", "wait 6", "< 35=1|34=3|112=20261127-19:30:36.000|",
            "wait 30", "< 35=0|34=4|", "wait 6",
            "< 35=5|34=5|58=Nothing was received, not even an answer to a TestRequest|", "end Silence"}},
          {"an answer to a test request saves the session",
           {logon, welcome, "wait 36", "< 35=1|34=2|112=20261127-19:30:36.000|", "> 35=0|34=2|112=x|", "wait 30",
            "< 35=0|34=3|", "wait 5", "wait 1", "< 35=1|34=4|112=20261127-19:31:12.000|", "end None"}},
          {"a reject is taken", {logon, welcome, "> 35=3|34=2|45=1|58=no|", "> 35=0|34=3|", "end None"}},

          // Resend requests.
          {"session messages become one gap fill",
           {logon, welcome, "> 35=1|34=2|112=a|", "< 35=0|34=2|112=a|", "> 35=1|34=3|112=b|", "< 35=0|34=3|112=b|",
            "> 35=2|34=4|7=1|16=0|", "< 35=4|34=1|43=Y|123=Y|36=4|"}},
          {"messages of the store come again",
           {logon, welcome, "store " + report(1), heard(2, 1), "store " + report(2), heard(3, 2),
            "> 35=2|34=2|7=2|16=0|", heard(2, 1, true), heard(3, 2, true)}},
          {"both kinds, and a part of them",
           {logon, welcome, "store " + report(1), heard(2, 1), "> 35=1|34=2|112=a|", "< 35=0|34=3|112=a|",
            "store " + report(2), heard(4, 2), "> 35=2|34=3|7=1|16=0|", "< 35=4|34=1|43=Y|123=Y|36=2|",
            heard(2, 1, true), "< 35=4|34=3|43=Y|123=Y|36=4|", heard(4, 2, true), "> 35=2|34=4|7=2|16=3|",
            heard(2, 1, true), "< 35=4|34=3|43=Y|123=Y|36=4|", "store " + report(3), heard(5, 3)}},
          {"an end beyond what was sent",
           {logon, welcome, "> 35=2|34=2|7=1|16=999999|", "< 35=4|34=1|43=Y|123=Y|36=2|"}},
          {"an end beyond all numbers",
           {logon, welcome, "> 35=2|34=2|7=1|16=18446744073709551615|", "< 35=4|34=1|43=Y|123=Y|36=2|"}},
          {"a beginning beyond what was sent",
           {logon, welcome, "> 35=2|34=2|7=9|16=0|", rejected(2, 2, 7, "2", 5, "The next MsgSeqNum is 2: 7=9"),
            "end None"}},
          {"a range upside down",
           {logon, welcome, "> 35=2|34=2|7=3|16=2|",
            rejected(2, 2, 16, "2", 5, "Value is incorrect for this tag: 16=2"), "> 35=2|34=3|7=0|16=2|",
            rejected(3, 3, 7, "2", 5, "Value is incorrect for this tag: 7=0")}},
          {"both sides lack messages",
           {logon, welcome, "> 35=2|34=5|7=1|16=0|", "< 35=4|34=1|43=Y|123=Y|36=2|", "< 35=2|34=2|7=2|16=0|",
            order_of(6, "late"), "> 35=4|34=2|43=Y|122=NOW|123=Y|36=7|", order_of(7, "one"), "told one"}},
          {"what came while nobody was connected is asked for",
           {logon, welcome, "> 35=5|34=2|", "< 35=5|34=2|", "end Logout", "store " + report(1), "again",
            "> 35=A|34=3|98=0|108=30|", "< 35=A|34=4|98=0|108=30|", "> 35=2|34=4|7=3|16=0|", heard(3, 1, true),
            "< 35=4|34=4|43=Y|123=Y|36=5|"}},

          // Sequence resets.
          {"a gap fill in order", {logon, welcome, "> 35=4|34=2|123=Y|36=20|", order_of(20, "one"), "told one"}},
          {"a gap fill that is too high",
           {logon, welcome, "> 35=4|34=5|123=Y|36=20|", "< 35=2|34=2|7=2|16=0|", order_of(2, "one"), "told one"}},
          {"a gap fill that is too low",
           {logon, welcome, "> 35=0|34=2|", "> 35=4|34=2|123=Y|36=20|",
            "< 35=5|34=2|58=MsgSeqNum too low, expecting 3 but received 2|", "end TooLow"}},
          {"a gap fill that is too low and a possible duplicate is ignored",
           {logon, welcome, "> 35=0|34=2|", "> 35=4|34=2|43=Y|122=NOW|123=Y|36=20|", order_of(3, "one"),
            "told one"}},
          {"a gap fill to a number before",
           {logon, welcome, "> 35=4|34=2|123=Y|36=2|",
            rejected(2, 2, 36, "4", 5, "Value is incorrect for this tag: 36=2"), order_of(3, "one"), "told one"}},
          {"a reset to a higher number, whatever its own",
           {logon, welcome, "> 35=4|34=77|36=20|", order_of(20, "one"), "told one"}},
          {"a reset to the same number", {logon, welcome, "> 35=4|34=77|36=2|", order_of(2, "one"), "told one"}},
          {"a reset to a lower number is rejected",
           {logon, welcome, "> 35=4|34=77|36=1|",
            rejected(2, 77, 36, "4", 5, "Value is incorrect for this tag: 36=1"), order_of(2, "one"), "told one"}},

          // Logging out.
          {"a logout is answered", {logon, welcome, "> 35=5|34=2|", "< 35=5|34=2|", "end Logout"}},
          {"a logout with a number that is too high is answered",
           {logon, welcome, "> 35=5|34=9|", "< 35=5|34=2|", "end Logout"}},
          {"the venue logs out",
           {logon, welcome, "close", "< 35=5|34=2|58=The day is over|", "end None", "> 35=5|34=2|", "end Logout"}},
          {"the venue logs out once all is told",
           {logon, welcome, "last " + report(1), heard(2, 1), "< 35=5|34=3|58=The day is over|", "end None"}},
          {"the venue logs out without an answer",
           {logon, welcome, "close", "< 35=5|34=2|58=The day is over|", "wait 5", "end Logout"}},

          // The dictionary, as a session shows it. The rejected message has used up its number.
          {"an invalid tag",
           {logon, welcome, "> 35=0|34=2|4000=x|", rejected(2, 2, 4'000, "0", 0, "Invalid tag number: 4000=x"),
            "> 35=0|34=3|"}},
          {"a required tag is missing",
           {logon, welcome, "> 35=1|34=2|", rejected(2, 2, 112, "1", 1, "Required tag missing: 112"),
            "> 35=0|34=3|"}},
          {"a tag of another message",
           {logon, welcome, "> 35=0|34=2|41=x|",
            rejected(2, 2, 41, "0", 2, "Tag not defined for this message type: 41=x"), "> 35=0|34=3|"}},
          {"a tag without a value",
           {logon, welcome, "> 35=0|34=2|112=|",
            rejected(2, 2, 112, "0", 4, "Tag specified without a value: 112")}},
          {"a wrong value",
           {logon, welcome, "> 35=D|34=2|11=a|55=ABC|54=9|60=NOW|38=1|40=1|",
            rejected(2, 2, 54, "D", 5, "Value is incorrect for this tag: 54=9")}},
          {"a wrong format",
           {logon, welcome, "> 35=D|34=2|11=a|55=ABC|54=1|60=now|38=1|40=1|",
            rejected(2, 2, 60, "D", 6, "Incorrect data format for value: 60=now")}},
          {"head and body mixed",
           {logon, welcome, "> 35=D|34=2|11=a|57=x|55=ABC|54=1|60=NOW|38=1|40=1|",
            rejected(2, 2, 57, "D", 14, "Tag specified out of required order: 57=x")}},
          {"a tag twice",
           {logon, welcome, "> 35=D|34=2|11=a|55=ABC|54=1|60=NOW|38=1|38=1|40=1|",
            rejected(2, 2, 38, "D", 13, "Tag appears more than once: 38=1")}},
          {"a group with a wrong count",
           {logon, welcome, "> 35=D|34=2|11=a|453=2|448=x|55=ABC|54=1|60=NOW|38=1|40=1|",
            rejected(2, 2, 453, "D", 16, "Incorrect NumInGroup count: 453=2")}},
          {"an empty group, and fields in any order",
           {logon, welcome, "> 35=D|34=2|38=1|453=0|60=NOW|54=1|55=ABC|40=1|11=a|", "told a"}},
          {"a head in any order",
           {logon, welcome, "> 35=D|56=V|49=C|52=NOW|34=2|11=a|55=ABC|54=1|60=NOW|38=1|40=1|", "told a"}},
          {"a message that may have been sent before is given on",
           {logon, welcome, "> 35=D|34=2|97=Y|" + order, "told one"}},
      }) {
    SCOPED_TRACE(scenario.name);
    Play play("FIX.4.4");
    for (const std::string& step : scenario.steps) play.step(step);
    play.end();
  }
}

TEST(FixSession, Fixt) {
  const std::string answer = "< 35=A|34=1|98=0|108=30|1137=9|";
  for (const Scenario& scenario : std::vector<Scenario>{
           {"a logon says which version of the application it is",
            {"> 35=A|34=1|98=0|108=30|1137=9|", answer, "> 35=D|34=2|1128=9|" + order, "told one"}},
           {"a logon without it is refused", {logon, "< 35=5|34=1|58=Required tag missing: 1137|", "end Refused"}},
           {"a logon with another one is refused",
            {"> 35=A|34=1|98=0|108=30|1137=7|", "< 35=5|34=1|58=Value is incorrect for this tag: 1137=7|",
             "end Refused"}}}) {
    SCOPED_TRACE(scenario.name);
    Play play("FIXT.1.1");
    for (const std::string& step : scenario.steps) play.step(step);
    play.end();
  }
}

TEST(FixSession, AClientThatDoesNotReadIsDropped) {
  Store store;
  Desk desk{&store};
  fix::Acceptor<Store> side({.comp_id = "V"}, begin);
  const std::string head = "49=C|52=20261127-19:30:00|56=V|";
  side.receive(bytes_of(framed("35=A|34=1|" + head + "98=0|108=30|")), begin, desk);
  for (int i = 2; i < 2'000 && side.end() == End::None; ++i)
    side.receive(bytes_of(framed("35=1|34=" + std::to_string(i) + "|" + head + "112=x|")), begin, desk);
  EXPECT_EQ(side.end(), End::Unread);
}

TEST(FixSession, AnswersAResendAndALogoutKeepTheirOrderInLittleRoom) {
  Store store;
  Desk desk{&store};
  fix::Acceptor<Store> side({.comp_id = "V"}, begin);
  const std::string head = "49=C|52=20261127-19:30:00|56=V|";
  std::string sent = framed("35=A|34=1|" + head + "98=0|108=30|");
  for (int i = 2; i < 152; ++i) sent += framed("35=1|34=" + std::to_string(i) + "|" + head + "112=x|");
  side.receive(bytes_of(sent + framed("35=2|34=152|" + head + "7=1|16=0|")), begin, desk);
  for (int i = 0; i < 150; ++i) store.add(fields(report(i)));
  side.close("bye");
  std::string said;
  for (std::string piece; !(piece = written(side, begin, fix::body_max + fix::frame_size)).empty();) said += piece;
  std::string types;
  fix::FrameReader reader(bytes_of(said));
  while (const std::optional<fix::Frame> frame = reader.next()) types += fix::Message(*frame).type();
  EXPECT_EQ(reader.garbled(), 0u);
  EXPECT_EQ(types, "A" + std::string(150, '0') + "4" + std::string(150, '8') + "5");
}

/// Whatever ends it while what was asked for is still to be sent: that goes first, and then why it ends.
TEST(FixSession, ASessionThatEndsBehindAResendRequestSaysSo) {
  const std::string head = "49=C|52=20261127-19:30:00|56=V|";
  const std::string twice = "35=0|34=1|" + head;
  const std::vector<std::tuple<const char*, std::string, Nanoseconds, End>> endings{
      {"a Logout", framed("35=5|34=3|" + head), 0, End::Logout},
      {"a Logout behind a gap", framed("35=5|34=9|" + head), 0, End::Logout},
      {"a number that is too low", framed(twice), 0, End::TooLow},
      {"a head that is wrong", framed("35=0|34=3|49=D|52=20261127-19:30:00|56=V|"), 0, End::BadHeader},
      {"another version", framed("35=0|34=3|" + head, "FIX.4.2"), 0, End::BadHeader},
      {"another Logon", framed("35=A|34=3|" + head + "98=0|108=30|"), 0, End::BadHeader},
      {"silence", "", 72 * second, End::Silence}};
  for (const std::size_t reports : {std::size_t{0}, std::size_t{1}, std::size_t{200}}) {
    for (const auto& [name, bytes, wait, why] : endings) {
      SCOPED_TRACE(name);
      Store store;
      Desk desk{&store};
      fix::Acceptor<Store> side({.comp_id = "V"}, begin);
      side.receive(bytes_of(framed("35=A|34=1|" + head + "98=0|108=30|")), begin, desk);
      for (std::size_t i = 0; i < reports; ++i) store.add(fields(report(static_cast<int>(i))));
      while (!written(side, begin).empty()) {
      }
      side.receive(bytes_of(framed("35=2|34=2|" + head + "7=1|16=0|") + bytes), begin, desk);
      if (wait != 0) side.advance(begin + wait);
      EXPECT_EQ(side.end(), why);
      std::string types;
      for (std::string piece; !(piece = written(side, begin, fix::body_max + fix::frame_size)).empty();) {
        fix::FrameReader reader(bytes_of(piece));
        while (const std::optional<fix::Frame> frame = reader.next()) types += fix::Message(*frame).type();
        EXPECT_EQ(reader.garbled(), 0u);
      }
      EXPECT_FALSE(side.has_answer()) << "the connection would stay for ever";
      EXPECT_EQ(types.substr(0, 1 + reports), "4" + std::string(reports, '8'));
      EXPECT_EQ(std::ranges::count(types, '5'), 1);
      EXPECT_EQ(types.back(), '5');
    }
  }
}

TEST(FixSession, ALogonBringsUserAndPassword) {
  Store venue;
  Store client;
  Desk desk{&venue};
  fix::Acceptor<Store> acceptor({.comp_id = "V"}, begin);
  fix::Initiator<Store> initiator({.comp_id = "C"}, "V", client, 5, {.user = "ann", .password = "secret"}, begin);
  acceptor.receive(bytes_of(written(initiator, begin)), begin, desk);
  initiator.receive(bytes_of(written(acceptor, begin)), begin, desk);
  EXPECT_EQ(desk.user, "ann:secret");
  EXPECT_TRUE(acceptor.is_logged_on() && initiator.is_logged_on());
  EXPECT_EQ(acceptor.deadline(), begin + 5 * second);
  initiator.close("bye");
  acceptor.receive(bytes_of(written(initiator, begin)), begin, desk);
  initiator.receive(bytes_of(written(acceptor, begin)), begin, desk);
  EXPECT_EQ(acceptor.end(), End::Logout);
  EXPECT_EQ(initiator.end(), End::Logout);
}

/// Bytes on their way, one direction of one connection.
class Pipe {
 public:
  void send(std::string_view bytes) { bytes_.append(bytes); }
  std::string take(Random& random) {
    const std::size_t size = random.chance(30) ? 0 : random.below(random.chance(50) ? 4 : 500);
    std::string taken = bytes_.substr(0, size);
    bytes_.erase(0, taken.size());
    return taken;
  }

 private:
  std::string bytes_;
};

/// A day: connections break, either side is killed and knows what it kept; and in the end each has all messages of
/// the other, once and in order.
TEST(FixSession, ANetworkThatBreaksLosesNoMessage) {
  std::uint64_t connections = 0;
  int copies = 0;
  for (std::uint64_t seed = 0; seed < repetitions(40u); ++seed) {
    Random random(seed);
    Store venue;
    Store client;
    Desk at_venue{&venue};
    Desk at_client;
    Nanoseconds now = begin;
    constexpr std::size_t all = 120;
    for (int connection = 0; at_venue.messages.size() < all || at_client.messages.size() < all; ++connection) {
      ASSERT_LT(connection, 1'000) << "seed " << seed;
      ++connections;
      if (random.chance(50)) venue = venue.restarted(random.chance(50));
      if (random.chance(50)) client = client.restarted(random.chance(50));
      fix::Acceptor<Store> acceptor({.comp_id = "V"}, now);
      fix::Initiator<Store> initiator({.comp_id = "C"}, "V", client, 1 + random.below(5), {}, now);
      Pipe up;
      Pipe down;
      const auto is_open = [&] { return acceptor.end() == End::None && initiator.end() == End::None; };
      for (int calm = 0; is_open() && calm < 300 && !random.chance(1); ++calm) {
        now += random.below(second / 4);
        if (venue.size() < all && random.chance(30)) {
          venue.add(fields(report(static_cast<int>(venue.size()))));
        }
        if (client.size() < all && random.chance(30)) {
          client.add(fields("35=D|52=20261127-19:30:00|11=" + std::to_string(client.size()) +
                            "|55=ABC|54=1|60=20261127-19:30:00|38=1|40=1|"));
        }
        up.send(written(initiator, now, fix::body_max + fix::frame_size));
        acceptor.receive(bytes_of(up.take(random)), now, at_venue);
        down.send(written(acceptor, now, fix::body_max + fix::frame_size));
        initiator.receive(bytes_of(down.take(random)), now, at_client);
        acceptor.advance(now);
        initiator.advance(now);
      }
      for (const End bad : {End::BadHeader, End::TooLow, End::Refused, End::Unread, End::Gap}) {
        ASSERT_NE(acceptor.end(), bad) << "seed " << seed;
        ASSERT_NE(initiator.end(), bad) << "seed " << seed;
      }
    }
    for (std::size_t i = 0; i < all; ++i) {
      ASSERT_EQ(at_venue.messages.at(i), std::to_string(i)) << "seed " << seed;
      ASSERT_EQ(at_client.messages.at(i), std::to_string(i)) << "seed " << seed;
    }
    ASSERT_EQ(at_venue.messages.size(), all);
    ASSERT_EQ(at_client.messages.size(), all);
    copies += at_venue.copies + at_client.copies;
  }
  EXPECT_GT(copies, repetitions(10));
  EXPECT_GT(connections, repetitions(80u));
}

/// Whatever a message waits for, it says when it leaves, not when it came to be; and what it tells was before.
TEST(FixSession, TheTimeIsThatOfSending) {
  Store store;
  Desk desk{&store};
  fix::Acceptor<Store> side({.comp_id = "V"}, begin);
  const std::string head = "49=C|52=20261127-19:30:00|56=V|";
  const auto times = [](const std::string& bytes) {
    std::vector<std::pair<std::string, std::string>> all;
    fix::FrameReader reader(bytes_of(bytes));
    while (const std::optional<fix::Frame> frame = reader.next()) {
      const fix::Message message(*frame);
      all.emplace_back(message.text(52), message.text(122));
    }
    return all;
  };
  using Times = std::vector<std::pair<std::string, std::string>>;
  side.receive(bytes_of(framed("35=A|34=1|" + head + "98=0|108=30|")), begin, desk);
  EXPECT_EQ(times(written(side, begin + 2 * second)), (Times{{"20261127-19:30:02.000", ""}}));
  side.receive(bytes_of(framed("35=1|34=2|" + head + "112=a|")), begin + 3 * second, desk);
  store.add(fields("35=8|52=20261127-19:30:04.000|6=0|14=0|17=1|37=1|39=0|54=1|55=ABC|150=0|151=5|"));
  EXPECT_EQ(times(written(side, begin + 4 * second + 1)),
            (Times{{"20261127-19:30:04.001", ""}, {"20261127-19:30:04.001", ""}}));
  side.receive(bytes_of(framed("35=2|34=3|" + head + "7=1|16=0|")), begin + 5 * second, desk);
  EXPECT_EQ(times(written(side, begin + 6 * second + 1)),
            (Times{{"20261127-19:30:06.001", "20261127-19:30:06.001"},
                   {"20261127-19:30:06.001", "20261127-19:30:04.000"}}));
}

/// A side that is not perfect: it loses what it sends, fills gaps with and without an original time, or never.
struct Lossy {
  explicit Lossy(std::uint64_t seed) : random(seed) {
    loss = static_cast<unsigned>(random.below(30));
    deafness = random.chance(15) ? 100 : static_cast<unsigned>(random.below(20));
    knows_time = random.chance(50);
    sends_all_again = random.chance(50);
  }
  [[nodiscard]] std::string message(std::uint64_t sequence, const std::string& more, bool again, Nanoseconds now) {
    const std::string time(fix::ValueText::of_time(now, 3).view());
    const std::string& body = sent.at(sequence - 1);
    std::string text = framed(body.substr(0, 5) + "34=" + std::to_string(sequence) + "|49=C|52=" + time +
                              "|56=V|" + (again ? "43=Y|" + more : "") + body.substr(5));
    if (random.chance(loss)) return {};
    if (random.chance(loss / 4)) text[text.size() / 2] ^= 1;
    return text;
  }
  [[nodiscard]] std::string send(const std::string& body, Nanoseconds now) {
    sent.push_back(body);
    return message(sent.size(), "", false, now);
  }
  /// What it answers to a ResendRequest.
  [[nodiscard]] std::string resend(std::uint64_t first, Nanoseconds now) {
    std::string all;
    if (random.chance(deafness)) return all;
    const std::string time = "122=" + std::string(fix::ValueText::of_time(now, 3).view()) + "|";
    for (std::uint64_t at = first; at <= sent.size();) {
      if (sent[at - 1].starts_with("35=D")) {
        all += message(at++, time, true, now);
        continue;
      }
      std::uint64_t end = at + 1;
      while (sends_all_again && end <= sent.size() && !sent[end - 1].starts_with("35=D")) ++end;
      const std::string kept = std::exchange(sent[at - 1], "35=4|123=Y|36=" + std::to_string(end) + "|");
      all += message(at, knows_time ? time : "", true, now);
      sent[at - 1] = kept;
      at = end;
    }
    return all;
  }

  Random random;
  unsigned loss;
  unsigned deafness;
  bool knows_time;
  bool sends_all_again;
  std::vector<std::string> sent{};  ///< bodies, of number 1 first
};

/// Each order is given on, once and in its order, or the session ends with words: within a bounded time.
TEST(FixSession, NothingStaysSilentBehindAGap) {
  int gaps = 0;
  int whole = 0;
  for (std::uint64_t seed = 0; seed < repetitions(60u); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Lossy client(seed);
    Store store;
    Desk desk{&store};
    Nanoseconds now = begin;
    fix::Acceptor<Store> side({.comp_id = "V"}, now);
    const unsigned loss = std::exchange(client.loss, 0);
    side.receive(bytes_of(client.send("35=A|98=0|108=5|", now)), now, desk);
    client.loss = loss;
    std::vector<std::string> orders;
    std::string last;
    Nanoseconds moved = now;
    std::uint64_t expected = 2;
    for (int step = 0; step < 1'500 && side.end() == End::None; ++step) {
      now += second / 4;
      if (step == 1'000) client.loss = 0;
      std::string bytes;
      if (client.random.chance(20) && step < 1'000) {
        orders.push_back(std::to_string(orders.size()));
        bytes += client.send("35=D|11=" + orders.back() + "|55=A|54=1|60=20261127-19:30:00|38=1|40=1|", now);
      }
      if (step % 20 == 0) bytes += client.send(client.random.chance(50) ? "35=0|" : "35=1|112=x|", now);
      side.receive(bytes_of(bytes), now, desk);
      side.advance(now);
      std::string said;
      for (std::string piece; !(piece = written(side, now)).empty();) said += piece;
      fix::FrameReader reader(bytes_of(said));
      while (const std::optional<fix::Frame> frame = reader.next()) {
        last = readable(std::string(frame->body));
        const fix::Message message(*frame);
        std::string answer;
        if (message.type() == "2") answer = client.resend(*message.number(7), now);
        if (message.type() == "1") answer = client.send("35=0|112=" + std::string(message.text(112)) + "|", now);
        side.receive(bytes_of(answer), now, desk);
      }
      const std::uint64_t next = store.numbers().next_received();
      if (next != expected || next == client.sent.size() + 1) moved = now;
      expected = next;
      ASSERT_LE(now - moved, 60 * second) << "it expects " << next << " of " << client.sent.size();
    }
    if (side.end() == End::None) {
      ++whole;
      EXPECT_EQ(desk.messages, orders);
    } else {
      ++gaps;
      EXPECT_TRUE(side.end() == End::Gap || side.end() == End::Silence) << end_name(side.end());
      EXPECT_TRUE(last.find("|58=Messages are missing from MsgSeqNum ") != last.npos ||
                  last.find("|58=Nothing was received") != last.npos)
          << last;
      orders.resize(std::min(orders.size(), desk.messages.size()));
      EXPECT_EQ(desk.messages, orders);
    }
  }
  EXPECT_GT(gaps, repetitions(5));
  EXPECT_GT(whole, repetitions(20));
}

TEST(FixSession, NoBytesBreakASide) {
  std::array<int, 9> ends{};
  for (std::uint64_t seed = 0; seed < repetitions(1'500u); ++seed) {
    Random random(seed);
    Store store;
    for (int i = 0; i < 5; ++i) store.add(fields(report(i)));
    Desk desk{&store};
    Store other = store;
    fix::Acceptor<Store> acceptor({.comp_id = "V"}, begin);
    fix::Initiator<Store> initiator({.comp_id = "V"}, "C", other, 30, {}, begin);
    const std::string head = "49=C|52=20261127-19:30:00|56=V|";
    std::string bytes = framed("35=A|34=1|" + head + "98=0|108=30|");
    std::uint64_t sequence = 2;
    for (std::uint64_t left = random.below(20); left > 0; --left) {
      std::string body = "35=" + std::string(1, "01234A5D8j"[random.below(10)]) +
                         "|34=" + std::to_string(sequence) + "|" + head +
                         (random.chance(20) ? "43=Y|122=20261127-19:30:00|" : "");
      sequence += random.chance(90) ? 1 : random.below(4);
      for (const std::string& field :
           {"7=2|"s, "16=0|"s, "112=x|"s, "36=9|"s, "123=Y|"s, "45=1|"s, "98=0|108=30|"s, "141=Y|"s,
            "11=a|55=b|54=1|60=20261127-19:30:00|38=1|40=1|"s}) {
        if (random.chance(30)) body += field;
      }
      if (random.chance(10)) body[random.below(body.size())] = static_cast<char>(random.next());
      bytes += framed(body);
      if (random.chance(5)) bytes[random.below(bytes.size())] = static_cast<char>(random.next());
    }
    Nanoseconds now = begin;
    while (!bytes.empty()) {
      const std::string piece = bytes.substr(0, 1 + random.below(200));
      bytes.erase(0, piece.size());
      acceptor.receive(bytes_of(piece), now, desk);
      initiator.receive(bytes_of(piece), now, desk);
      now += random.below(second);
      acceptor.advance(now);
      initiator.advance(now);
      static_cast<void>(written(acceptor, now));
      static_cast<void>(written(initiator, now));
    }
    ++ends[static_cast<std::size_t>(acceptor.end())];
  }
  for (const End end : {End::None, End::Logout, End::TooLow, End::BadHeader})
    EXPECT_GT(ends[static_cast<std::size_t>(end)], 10) << end_name(end);
}

}  // namespace
}  // namespace llmes::test::fix_session_test
