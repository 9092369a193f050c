// SPDX-License-Identifier: MIT
//
// The two files that say who may trade and what. Lines of words; '#' begins a comment. Passwords are kept as
// PBKDF2 hashes and compared in constant time.
#pragma once

#include <openssl/crypto.h>
#include <openssl/evp.h>
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
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
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

/// Reads a file line by line. `take(words, number)` says what is wrong with a line, or
/// nothing.
/// @return what is wrong and where, or nothing
template <class Take>
[[nodiscard]] std::string read_lines(const std::string& path, Take&& take) {
  std::ifstream file(path);
  if (!file) return path + ": cannot be read: " + std::generic_category().message(errno);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream in(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    if (words.empty()) continue;
    if (const std::string wrong = take(words, number); !wrong.empty())
      return path + ':' + std::to_string(number) + ": " + wrong;
  }
  return file.bad() ? path + ": cannot be read: " + std::generic_category().message(errno) : std::string();
}

// ---- Passwords.

inline constexpr int hash_rounds = 20'000;
using PasswordHash = std::array<unsigned char, 32>;

/// Of a password in upper case, as SoupBinTCP has it that case does not matter.
[[nodiscard]] inline std::optional<PasswordHash> hash_of(std::string password, std::span<const unsigned char> salt,
                                                         int rounds) {
  for (char& letter : password) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
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

// ---- Users.

struct User {
  std::string name;
  UserId id = 0;
  AccountNumber account = 0;
  Password password;
  bool cancel_on_disconnect = false;
  AccountNumber drop_copy = 0;  ///< the account whose messages it reads; 0: its own
  llmes::SelfTrade self_trade = llmes::SelfTrade::Decrement;
  std::string fix_id;             ///< its CompID; empty: it does not speak FIX
  llmes::AccountLimits limits{};  ///< of its account
};

/// @return what is wrong with an option, or nothing
[[nodiscard]] inline std::string take_option(User& user, const std::string& option) {
  const std::string name = option.substr(0, option.find('='));
  const std::string value = name.size() == option.size() ? std::string() : option.substr(name.size() + 1);
  const auto take = [&](auto& member) {
    const auto number = number_of<std::remove_reference_t<decltype(member)>>(value);
    if (!number) return "'" + value + "' is no number for " + name;
    member = *number;
    return std::string();
  };
  if (option == "cancel-on-disconnect") return user.cancel_on_disconnect = true, std::string();
  if (option == "self-trade=allow") return user.self_trade = llmes::SelfTrade::Allow, std::string();
  if (option == "self-trade=decrement") return std::string();
  if (name == "drop-copy") return take(user.drop_copy);
  if (name == "fix" && !value.empty()) return user.fix_id = value, std::string();
  if (name == "order-quantity") return take(user.limits.order_quantity);
  if (name == "open-orders") return take(user.limits.open_orders);
  if (name == "open-quantity") return take(user.limits.open_quantity);
  if (name == "position-min") return take(user.limits.position_min);
  if (name == "position-max") return take(user.limits.position_max);
  if (name == "message-burst") return take(user.limits.message_burst);
  if (name == "message-interval") return take(user.limits.message_interval);
  return "there is no option '" + option + "' (see venue --help)";
}

/// Reads `NAME ACCOUNT PASSWORD-HASH [OPTION]...` lines.
/// @return what is wrong, or nothing
[[nodiscard]] inline std::string read_users(const std::string& path, AccountNumber accounts,
                                            std::vector<User>& users) {
  std::vector<int> lines;  // of users
  const std::string wrong = read_lines(path, [&](const std::vector<std::string>& words, int line) -> std::string {
    lines.push_back(line);
    if (words.size() < 3) return "a user is NAME ACCOUNT PASSWORD-HASH [OPTION]...";
    User user;
    user.name = words[0];
    const auto id = user_id(user.name);
    if (!id) return "'" + user.name + "' is no name of one to six letters and digits";
    user.id = *id;
    for (const User& other : users) {
      if (other.id == user.id) return "user " + user.name + " stands there twice";
    }
    const auto account = number_of<AccountNumber>(words[1]);
    if (!account || *account < 1 || *account > accounts)
      return "'" + words[1] + "' is no account from 1 to " + std::to_string(accounts);
    user.account = *account;
    const auto password = Password::of(words[2]);
    if (!password) return "the password is no hash that `venue hash-password` made";
    user.password = *password;
    for (std::size_t i = 3; i < words.size(); ++i) {
      if (const std::string bad = take_option(user, words[i]); !bad.empty()) return bad;
    }
    const auto same = std::ranges::find(users, user.fix_id, &User::fix_id);
    if (!user.fix_id.empty() && same != users.end())
      return "users " + same->name + " and " + user.name + " have the same fix=" + user.fix_id;
    if (llmes::check(user.limits) != llmes::RiskStatus::Success)
      return "the limits of user " + user.name +
             " are not possible: " + std::string(to_string(check(user.limits)));
    users.push_back(user);
    return {};
  });
  if (!wrong.empty()) return wrong;
  for (std::size_t i = 0; i < users.size(); ++i) {
    const AccountNumber copied = users[i].drop_copy;
    const bool is_known = std::ranges::any_of(users, [&](const User& user) { return user.account == copied; });
    if (copied != 0 && !is_known)
      return path + ':' + std::to_string(lines[i]) + ": no user has account " + std::to_string(copied) +
             ", which drop-copy names";
  }
  return users.empty() ? path + ": has no user" : wrong;
}

// ---- Symbols.

struct SymbolLine {
  std::string name;
  std::uint64_t tick = 100;     ///< in ten-thousandths of a dollar
  std::uint64_t reference = 0;  ///< the same; 0: none
  Quantity lot = 1;
};

/// Reads `NAME [tick=N] [lot=N] [reference=N]` lines; prices in ten-thousandths of a dollar.
/// @return what is wrong, or nothing
[[nodiscard]] inline std::string read_symbols(const std::string& path, std::size_t most,
                                              std::vector<SymbolLine>& symbols) {
  const std::string wrong = read_lines(path, [&](const std::vector<std::string>& words, int) -> std::string {
    SymbolLine symbol{.name = words[0]};
    const auto is_letter = [](char c) { return std::isgraph(static_cast<unsigned char>(c)) != 0; };
    if (symbol.name.size() > 8 || !std::ranges::all_of(symbol.name, is_letter))
      return "'" + symbol.name + "' is no symbol of one to eight letters";
    for (const SymbolLine& other : symbols) {
      if (other.name == symbol.name) return "symbol " + symbol.name + " stands there twice";
    }
    if (symbols.size() == most)
      return "there are more than " + std::to_string(most) + " symbols (see --max-symbols)";
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string name = words[i].substr(0, words[i].find('='));
      const auto value = number_of<std::uint32_t>(words[i].substr(std::min(name.size() + 1, words[i].size())));
      if (!value || (*value == 0 && name != "reference") ||
          (name != "tick" && name != "lot" && name != "reference"))
        return "'" + words[i] + "' is none of tick=N, lot=N and reference=N";
      (name == "tick" ? symbol.tick : name == "lot" ? symbol.lot : symbol.reference) = *value;
    }
    if (symbol.reference % symbol.tick != 0) return "the reference is no multiple of the tick";
    symbols.push_back(symbol);
    return {};
  });
  return wrong.empty() && symbols.empty() ? path + ": has no symbol" : wrong;
}

}  // namespace exchange
