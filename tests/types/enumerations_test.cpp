// SPDX-License-Identifier: MIT
//
// Every public enumerator of the headers has a name, which a user's program finds by the argument, wherever the
// enumeration stands. enumerations.py makes the list of them from the headers, so that none is forgotten. What a
// user prints of his own stays as it was.
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "llmes/llmes.hpp"
#ifdef __linux__
#include "llmes/engine.hpp"
#endif

namespace somebody_else {

template <class T>
std::string streamed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

struct Row {
  std::string_view enumerator;
  std::string text;
  std::string written;
  bool in_words;
};

template <class Enum>
concept HasText = requires(Enum value, std::ostringstream& out) { to_string(value); } ||
                  requires(Enum value, std::ostringstream& out) { out << value; };

const std::vector<Row>& rows() {
#define NAMED(Enum, name) {#name, std::string(to_string(Enum::name)), streamed(Enum::name), false},
#define IN_WORDS(Enum, name) {#name, std::string(to_string(Enum::name)), streamed(Enum::name), true},
#define NUMBERS(Enum)
  static const std::vector<Row> all = {
#include "enumerations.inc"
  };
  return all;
#undef NAMED
#undef IN_WORDS
#undef NUMBERS
}

TEST(Enumerations, HaveANameForEachEnumerator) {
  for (const Row& row : rows()) {
    if (!row.in_words) {
      EXPECT_EQ(row.text, row.enumerator);
    }
    EXPECT_NE(row.text, "?") << row.enumerator;
    EXPECT_EQ(row.written, row.in_words ? row.written : row.text);
    EXPECT_NE(row.written, "?") << row.enumerator;
  }
  std::set<std::string_view> seen;
  for (const Row& row : rows()) seen.insert(row.enumerator);
  for (const std::string_view name : {"Halt", "Unsequenced", "Sequenced", "Mbo", "Last", "ByUser"})
    EXPECT_TRUE(seen.contains(name)) << name;
}

TEST(Enumerations, ThatOnlyKeepNumbersApartHaveNoText) {
#define NAMED(Enum, name)
#define IN_WORDS(Enum, name)
#define NUMBERS(Enum) EXPECT_FALSE(HasText<Enum>) << #Enum;
#include "enumerations.inc"
#undef NAMED
#undef IN_WORDS
#undef NUMBERS
}

TEST(Enumerations, HaveAQuestionMarkForANumberThatIsNone) {
  EXPECT_EQ(to_string(static_cast<llmes::VenueCommandType>(112)), "?");
  EXPECT_EQ(streamed(static_cast<llmes::VenueCommandType>(255)), "?");
  EXPECT_EQ(to_string(static_cast<llmes::soup::PacketType>(-1)), "?");
  EXPECT_EQ(to_string(static_cast<llmes::ouch::RejectReason>(0xffff)), "?");
  EXPECT_EQ(to_string(static_cast<llmes::ouch::RejectReason>(0x0101)), "?");
}

enum dns { a_record = 1, mx_record = 15 };
enum class Scoped { One };
std::ostream& operator<<(std::ostream& out, Scoped) {
  return out << "mine";
}
enum class Unprinted { One };

TEST(Enumerations, OfAUserAreNotTheLibrarys) {
  using namespace llmes;
  EXPECT_EQ(streamed(mx_record), "15");
  std::ostringstream out;
  out << mx_record << ' ' << Scoped::One << ' ' << std::to_string(a_record) << ' ' << Side::Buy;
  EXPECT_EQ(out.str(), "15 mine 1 Buy");
  const auto has_text = []<class Enum>(Enum) { return requires(Enum value) { to_string(value); }; };
  EXPECT_FALSE(has_text(mx_record));
  EXPECT_FALSE(has_text(Unprinted::One));
  EXPECT_TRUE(has_text(Side::Buy));
}

}  // namespace somebody_else
