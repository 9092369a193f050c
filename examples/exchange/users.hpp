// SPDX-License-Identifier: MIT
//
// The two files that say who may trade and what. Lines of words; '#' begins a comment. Passwords are kept as
// PBKDF2 hashes and compared in constant time.
#pragma once

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "entry.hpp"
#include "llmes/venue.hpp"
#include "outcome.hpp"

namespace exchange {

// ---- Words.

template <std::integral Number>
[[nodiscard]] std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

/// Bytes of a client as a line of the log may have them: what is no letter as `\xNN`.
[[nodiscard]] inline std::string printable(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    if (code >= 0x20 && code < 0x7f) {
      text += byte;
    } else {
      text += "\\x";
      text += "0123456789abcdef"[code >> 4];
      text += "0123456789abcdef"[code & 15];
    }
  }
  return text;
}

/// All that is wrong with the files, each with its file and line.
using Faults = std::vector<std::string>;

[[nodiscard]] inline std::string words_of(const Faults& faults) {
  std::string words;
  for (const std::string& fault : faults) words += (words.empty() ? "" : "\n  ") + fault;
  return words;
}

/// Reads a file line by line. `take(words, number)` says what is wrong with a line, or nothing: then the next line
/// comes, so that all faults are told at once.
template <class Take>
void read_lines(const std::string& path, Faults& faults, Take&& take) {
  std::ifstream file(path);
  const auto unreadable = [&] {
    faults.push_back(path + ": cannot be read: " + std::generic_category().message(errno));
  };
  if (!file) return unreadable();
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream in(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    if (words.empty()) continue;
    if (const std::string wrong = take(words, number); !wrong.empty())
      faults.push_back(path + ':' + std::to_string(number) + ": " + wrong);
  }
  if (file.bad()) unreadable();
}
/// The first option that stands in a line twice, whatever its values, or nothing.
[[nodiscard]] inline std::string twice(std::span<const std::string> options) {
  const auto name = [](const std::string& option) { return option.substr(0, option.find('=')); };
  for (std::size_t i = 0; i < options.size(); ++i) {
    const auto later = options.subspan(i + 1);
    if (std::ranges::any_of(later, [&](const std::string& other) { return name(other) == name(options[i]); }))
      return name(options[i]);
  }
  return {};
}

// ---- Passwords.

inline constexpr int hash_rounds = 20'000;
using PasswordHash = std::array<unsigned char, 32>;

/// SoupBinTCP has it that case does not matter.
[[nodiscard]] inline std::string upper_case(std::string password) {
  for (char& letter : password) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return password;
}
/// Of a password in upper case.
[[nodiscard]] inline std::optional<PasswordHash> hash_of(std::string password, std::span<const unsigned char> salt,
                                                         int rounds) {
  password = upper_case(std::move(password));
  PasswordHash hash{};
  const bool hashed = PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), salt.data(),
                                        static_cast<int>(salt.size()), rounds, EVP_sha256(),
                                        static_cast<int>(hash.size()), hash.data()) == 1;
  return hashed ? std::optional(hash) : std::nullopt;
}
[[nodiscard]] inline std::string hex_of(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}
[[nodiscard]] inline std::optional<std::vector<unsigned char>> bytes_of_hex(std::string_view text) {
  std::vector<unsigned char> bytes;
  if (text.size() % 2 != 0) return {};
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    if (error != std::errc{} || end != text.data() + i + 2) return {};
    bytes.push_back(static_cast<unsigned char>(value));
  }
  return bytes;
}

/// A password as the users file has it: `pbkdf2:ROUNDS:SALT:HASH`.
struct Password {
  int rounds = hash_rounds;
  std::vector<unsigned char> salt;
  std::vector<unsigned char> hash;

  [[nodiscard]] static std::optional<Password> of(std::string_view text) {
    std::array<std::string_view, 4> parts;
    for (std::string_view& part : parts) {
      part = text.substr(0, text.find(':'));
      text.remove_prefix(std::min(part.size() + 1, text.size()));
    }
    const auto rounds = number_of<int>(parts[1]);
    const auto salt = bytes_of_hex(parts[2]);
    const auto hash = bytes_of_hex(parts[3]);
    const bool right = parts[0] == "pbkdf2" && text.empty() && rounds && *rounds >= 1 && *rounds <= 10'000'000 &&
                       salt && salt->size() >= 8 && hash && hash->size() == sizeof(PasswordHash);
    return right ? std::optional(Password{*rounds, *salt, *hash}) : std::nullopt;
  }
  [[nodiscard]] static std::optional<std::string> make(std::string_view password) {
    std::array<unsigned char, 16> salt{};
    if (RAND_bytes(salt.data(), static_cast<int>(salt.size())) != 1) return {};
    const auto hash = hash_of(std::string(password), salt, hash_rounds);
    if (!hash) return {};
    return "pbkdf2:" + std::to_string(hash_rounds) + ':' + hex_of(salt) + ':' + hex_of(*hash);
  }
  /// In a time that does not depend on where they differ.
  [[nodiscard]] bool is(std::string_view password) const {
    const auto other = hash_of(std::string(password), salt, rounds);
    return other && CRYPTO_memcmp(other->data(), hash.data(), hash.size()) == 0;
  }
};

/// A quick check of a password that was right before, with a key that no one else has and that ends with the
/// program.
struct PasswordProof {
  std::array<unsigned char, 32> bytes{};

  [[nodiscard]] friend bool operator==(const PasswordProof& a, const PasswordProof& b) noexcept {
    return CRYPTO_memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size()) == 0;
  }
};
class PasswordProofs {
 public:
  PasswordProofs() {
    std::random_device random;
    for (unsigned char& byte : key_) byte = static_cast<unsigned char>(random());
  }
  [[nodiscard]] PasswordProof of(std::string_view password) const {
    const std::string upper = upper_case(std::string(password));
    PasswordProof proof;
    HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
         reinterpret_cast<const unsigned char*>(upper.data()), upper.size(), proof.bytes.data(), nullptr);
    return proof;
  }

 private:
  std::array<unsigned char, 32> key_{};
};

// ---- Users.

struct User {
  std::string name;
  UserId id = 0;
  AccountNumber account = 0;
  Password password;
  bool cancel_on_disconnect = false;
  AccountNumber drop_copy = 0;  ///< the account whose messages it reads; 0: its own
  llmes::SelfTrade self_trade = llmes::SelfTrade::Decrement;
  std::map<std::string, std::string, std::less<>>
      names{};                    ///< by the option of a protocol, what it is called there
  llmes::AccountLimits limits{};  ///< of its account

  /// Empty if it does not speak the protocol.
  [[nodiscard]] std::string_view name_in(std::string_view protocol) const noexcept {
    const auto found = names.find(protocol);
    return found == names.end() ? std::string_view() : std::string_view(found->second);
  }
};

/// The limits of an account, from the lines of all its users.
struct LimitLines {
  struct Line {
    std::string option;  ///< NAME=VALUE
    int number;
  };
  std::vector<Line> lines{};
  llmes::AccountLimits limits{};
  int last = 0;  ///< the line of its last user
};

/// Whether it is a limit of an account. @param wrong then what is wrong with its value, or nothing
[[nodiscard]] inline bool take_limit(llmes::AccountLimits& limits, const std::string& name,
                                     const std::string& value, std::string& wrong) {
  const auto take = [&](auto& member) {
    const auto number = number_of<std::remove_reference_t<decltype(member)>>(value);
    if (number) member = *number;
    if (!number) wrong = '\'' + value + "' is no number for " + name;
    return true;
  };
  if (name == "order-quantity") return take(limits.order_quantity);
  if (name == "open-orders") return take(limits.open_orders);
  if (name == "open-quantity") return take(limits.open_quantity);
  if (name == "position-min") return take(limits.position_min);
  if (name == "position-max") return take(limits.position_max);
  if (name == "message-burst") return take(limits.message_burst);
  if (name == "message-interval") return take(limits.message_interval);
  return false;
}

/// Whether a protocol can say a name of somebody: it has one to 64 bytes, and none of them ends a field.
[[nodiscard]] inline bool is_protocol_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= 64 && is_printable(name);
}

/// @param protocols the options by which users have names in protocols
/// @return what is wrong with an option of a line, or nothing
[[nodiscard]] inline std::string take_option(User& user, LimitLines& account, const std::string& option, int line,
                                             std::span<const std::string_view> protocols) {
  const std::string name = option.substr(0, option.find('='));
  const std::string value = name.size() == option.size() ? std::string() : option.substr(name.size() + 1);
  if (option == "cancel-on-disconnect") return user.cancel_on_disconnect = true, std::string();
  if (option == "self-trade=allow") return user.self_trade = llmes::SelfTrade::Allow, std::string();
  if (option == "self-trade=decrement") return {};
  if (std::ranges::find(protocols, name) != protocols.end()) {
    if (!is_protocol_name(value)) return '\'' + printable(value) + "' is no name of one to 64 letters for " + name;
    return user.names[name] = value, std::string();
  }
  if (name == "drop-copy") {
    const auto number = number_of<AccountNumber>(value);
    if (!number) return '\'' + value + "' is no number for " + name;
    user.drop_copy = *number;
    return {};
  }
  for (const LimitLines::Line& other : account.lines) {
    if (option != other.option && other.option.starts_with(name + '='))
      return "account " + std::to_string(user.account) + " has " + option + ", but " + other.option + " in line " +
             std::to_string(other.number);
  }
  std::string wrong;
  if (!take_limit(account.limits, name, value, wrong))
    return "there is no option '" + option + "' (see venue --help)";
  if (wrong.empty()) account.lines.push_back({option, line});
  return wrong;
}

/// Reads `NAME ACCOUNT PASSWORD-HASH [OPTION]...` lines. Limits are those of the account, whichever of its users
/// has them.
/// @param accounts they are 1 to this
/// @param most so many users
/// @param protocols the options by which users have names in protocols
inline void read_users(const std::string& path, AccountNumber accounts, std::size_t most, std::vector<User>& users,
                       Faults& faults, std::span<const std::string_view> protocols = {}) {
  const std::size_t before = faults.size();
  std::vector<int> lines;  // of users
  std::map<AccountNumber, LimitLines> limits;
  read_lines(path, faults, [&](const std::vector<std::string>& words, int line) -> std::string {
    if (words.size() < 3) return "a user is NAME ACCOUNT PASSWORD-HASH [OPTION]...";
    User user;
    user.name = words[0];
    const auto id = user_id(user.name);
    if (!id) return '\'' + user.name + "' is no name of one to six letters and digits";
    user.id = *id;
    for (std::size_t i = 0; i < users.size(); ++i) {
      if (users[i].id == user.id)
        return "user " + user.name + " stands there twice, first in line " + std::to_string(lines[i]);
    }
    const auto account = number_of<AccountNumber>(words[1]);
    if (!account || *account < 1 || *account > accounts)
      return '\'' + words[1] + "' is no account from 1 to " + std::to_string(accounts) + " (see --max-accounts)";
    user.account = *account;
    if (users.size() == most) return "there are more than " + std::to_string(most) + " users (see --max-users)";
    const auto password = Password::of(words[2]);
    if (!password) return "the password is no hash that `venue hash-password` made";
    user.password = *password;
    const std::span options = std::span(words).subspan(3);
    std::string bad = twice(options);
    if (!bad.empty()) return "option " + bad + " stands there twice";
    LimitLines& of_account = limits[user.account];
    of_account.last = line;
    for (const std::string& option : options) {
      if (bad = take_option(user, of_account, option, line, protocols); !bad.empty()) return bad;
    }
    for (const auto& [protocol, called] : user.names) {
      const auto same =
          std::ranges::find(users, called, [&](const User& other) { return other.name_in(protocol); });
      if (same != users.end())
        return "users " + same->name + " and " + user.name + " have the same " + protocol + '=' + called;
    }
    lines.push_back(line);
    users.push_back(user);
    return {};
  });
  const auto at = [&](int line) { return path + ':' + std::to_string(line) + ": "; };
  for (const auto& [account, lines_of] : limits) {
    const llmes::RiskStatus status = check(lines_of.limits);
    if (status != llmes::RiskStatus::Success)
      faults.push_back(at(lines_of.last) + "the limits of account " + std::to_string(account) +
                       " are not possible: " + std::string(to_string(status)));
  }
  for (std::size_t i = 0; i < users.size(); ++i) {
    users[i].limits = limits[users[i].account].limits;
    const AccountNumber copied = users[i].drop_copy;
    const bool is_known = std::ranges::any_of(users, [&](const User& user) { return user.account == copied; });
    if (copied != 0 && !is_known)
      faults.push_back(at(lines[i]) + "no user has account " + std::to_string(copied) + ", which drop-copy names");
  }
  if (users.empty() && faults.size() == before) faults.push_back(path + ": has no user");
}

// ---- Symbols.

struct SymbolLine {
  std::string name;
  std::uint64_t tick = 100;     ///< in ten-thousandths of a dollar
  std::uint64_t reference = 0;  ///< the same; 0: none
  Quantity lot = 1;
};

/// Reads `NAME [tick=N] [lot=N] [reference=N]` lines; prices in ten-thousandths of a dollar.
inline void read_symbols(const std::string& path, std::size_t most, std::vector<SymbolLine>& symbols,
                         Faults& faults) {
  const std::size_t before = faults.size();
  std::vector<int> lines;  // of symbols
  read_lines(path, faults, [&](const std::vector<std::string>& words, int line) -> std::string {
    SymbolLine symbol{.name = words[0]};
    const auto is_letter = [](char c) { return std::isgraph(static_cast<unsigned char>(c)) != 0; };
    if (symbol.name.size() > 8 || !std::ranges::all_of(symbol.name, is_letter))
      return '\'' + printable(symbol.name) + "' is no symbol of one to eight letters";
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      if (symbols[i].name == symbol.name)
        return "symbol " + symbol.name + " stands there twice, first in line " + std::to_string(lines[i]);
    }
    if (symbols.size() == most)
      return "there are more than " + std::to_string(most) + " symbols (see --max-symbols)";
    const std::span options = std::span(words).subspan(1);
    if (const std::string bad = twice(options); !bad.empty()) return "option " + bad + " stands there twice";
    for (const std::string& option : options) {
      const std::string name = option.substr(0, option.find('='));
      const auto value = number_of<std::uint32_t>(option.substr(std::min(name.size() + 1, option.size())));
      if (!value || (*value == 0 && name != "reference") ||
          (name != "tick" && name != "lot" && name != "reference"))
        return '\'' + option + "' is none of tick=N, lot=N and reference=N";
      (name == "tick" ? symbol.tick : name == "lot" ? symbol.lot : symbol.reference) = *value;
    }
    if (symbol.reference % symbol.tick != 0) return "the reference is no multiple of the tick";
    lines.push_back(line);
    symbols.push_back(symbol);
    return {};
  });
  if (symbols.empty() && faults.size() == before) faults.push_back(path + ": has no symbol");
}

}  // namespace exchange
