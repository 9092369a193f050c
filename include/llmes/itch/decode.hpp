// SPDX-License-Identifier: MIT
//
// Decodes messages in place, without a copy; those about orders also all in one form: a branch on the type
// mispredicts, which takes as long as the rest of the decoding. So a table gives each type's offsets of fields.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>

#include "llmes/itch/messages.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::itch {

/// What the bytes of one message are.
enum class DecodeStatus : std::uint8_t {
  Success,
  UnknownType,  ///< no message begins with this letter
  Truncated,    ///< fewer bytes than a message of this type has, or none
  TooLong,      ///< more bytes than a message of this type has
};

namespace detail {
template <class... M>
consteval std::array<std::uint8_t, 256> message_sizes(const std::tuple<M...>*) noexcept {
  std::array<std::uint8_t, 256> sizes{};
  ((sizes[static_cast<unsigned char>(type_of<M>)] = sizeof(M)), ...);
  return sizes;
}
inline constexpr std::array<std::uint8_t, 256> sizes_of_types =
    message_sizes(static_cast<const Messages*>(nullptr));
}  // namespace detail

/// How many bytes a message of this type has; 0 if there is no such type.
[[nodiscard]] constexpr std::size_t message_size(std::byte type) noexcept {
  return detail::sizes_of_types[static_cast<unsigned char>(type)];
}

/// Calls `handler` with the message in `bytes`, by reference into them, if it takes messages of this type. `bytes`
/// may hold anything; the handler only gets messages of exactly their length. O(1), and fastest for frequent
/// types. What the handler throws comes out. A handler that takes no type does not compile.
template <class Handler>
[[gnu::always_inline]] inline DecodeStatus decode(std::span<const std::byte> bytes, Handler&& handler) {
  if (bytes.empty()) return DecodeStatus::Truncated;
  const std::size_t size = message_size(bytes.front());
  if (size == 0) return DecodeStatus::UnknownType;
  if (bytes.size() != size) return bytes.size() < size ? DecodeStatus::Truncated : DecodeStatus::TooLong;
  const auto give = [&]<class M>(const M* message) __attribute__((always_inline)) {
    if (static_cast<char>(bytes.front()) != type_of<M>) return false;
    if constexpr (requires { handler(*message); }) handler(*message);
    return true;
  };
  // A message is bytes and nothing else, so it may be read wherever such bytes are.
  const auto give_one = [&]<class... M>(const std::tuple<M...>*) __attribute__((always_inline)) {
    static_assert(
        (std::is_invocable_v<Handler&, const M&> || ...),
        "llmes: this handler takes no message: it must be callable with a const itch::AddOrder&, or with "
        "another one of llmes/itch/messages.hpp");
    (give(reinterpret_cast<const M*>(bytes.data())) || ...);
  };
  give_one(static_cast<const Messages*>(nullptr));
  return DecodeStatus::Success;
}

/// The bytes of a message, to be sent.
template <Message M>
[[nodiscard]] std::span<const std::byte, sizeof(M)> bytes_of(const M& message) noexcept {
  return std::as_bytes(std::span<const M, 1>(&message, 1));
}

/// What a message does to the orders of a book.
enum class OrderAction : std::uint8_t {
  None,     ///< nothing, or its bytes are no message
  Add,      ///< AddOrder, AddAttributedOrder
  Reduce,   ///< OrderExecuted, OrderExecutedWithPrice, OrderCancel: takes `shares` off
  Delete,   ///< OrderDelete
  Replace,  ///< OrderReplace
};

/// The fields of a message about an order. A field that its type does not have may hold anything, but `price` is
/// 0; also for executions, whose price is not that of the order.
struct OrderFields {
  OrderAction action = OrderAction::None;
  BuySell side{};
  Locate locate{};
  std::uint32_t shares = 0;
  Price4 price{};
  Reference reference{};
  Reference new_reference{};
};

namespace detail {
/// The offsets of a message's fields; that of the reference for one that it does not have. Aligned for a shift.
struct alignas(16) OrderForm {
  std::uint8_t size = 0;
  OrderAction action = OrderAction::None;
  std::uint8_t side = offsetof(OrderDelete, reference);
  std::uint8_t shares = offsetof(OrderDelete, reference);
  std::uint8_t price = offsetof(OrderDelete, reference);
  std::uint8_t new_reference = offsetof(OrderDelete, reference);
  std::uint32_t price_bits = 0;  ///< which bits there are the price
};

template <class M>
consteval OrderForm order_form() noexcept {
  static_assert(offsetof(M, reference) == offsetof(OrderDelete, reference));
  OrderForm form{.size = sizeof(M), .action = OrderAction::Delete};
  if constexpr (requires(M m) { m.shares; }) {
    form.action = OrderAction::Reduce;
    form.shares = offsetof(M, shares);
  }
  if constexpr (requires(M m) { m.side; }) {
    form.action = OrderAction::Add;
    form.side = offsetof(M, side);
  }
  if constexpr (requires(M m) { m.new_reference; }) {
    form.action = OrderAction::Replace;
    form.new_reference = offsetof(M, new_reference);
  }
  if constexpr (
      requires(M m) { m.side; } || requires(M m) { m.new_reference; }) {
    form.price = offsetof(M, price);
    form.price_bits = ~std::uint32_t{0};
  }
  return form;
}

template <class... M>
consteval std::array<OrderForm, 256> order_forms() noexcept {
  std::array<OrderForm, 256> forms{};
  ((forms[static_cast<unsigned char>(type_of<M>)] = order_form<M>()), ...);
  return forms;
}
inline constexpr std::array<OrderForm, 256> forms_of_orders =
    order_forms<AddOrder, AddAttributedOrder, OrderExecuted, OrderExecutedWithPrice, OrderCancel, OrderDelete,
                OrderReplace>();

/// A field consists of bytes alone, so it may be read from any address.
template <class Value>
[[nodiscard, gnu::always_inline]] inline Value read(const std::byte* field) noexcept {
  return reinterpret_cast<const Field<Value>*>(field)->value();
}
}  // namespace detail

/// Reads a message about an order. `bytes` may hold anything: for other messages, and for bytes that are no
/// message, the action is None; decode() tells what they are. O(1).
[[nodiscard, gnu::always_inline]] inline OrderFields order_fields(std::span<const std::byte> bytes) noexcept {
  if (bytes.empty()) [[unlikely]]
    return {};
  const detail::OrderForm& form = detail::forms_of_orders[std::to_integer<unsigned char>(bytes.front())];
  if (bytes.size() != form.size) [[unlikely]]
    return {};
  const std::byte* const at = bytes.data();
  const std::uint32_t price = detail::read<std::uint32_t>(at + form.price) & form.price_bits;
  return {.action = form.action,
          .side = detail::read<BuySell>(at + form.side),
          .locate = detail::read<Locate>(at + offsetof(OrderDelete, header.locate)),
          .shares = detail::read<std::uint32_t>(at + form.shares),
          .price = static_cast<Price4>(price),
          .reference = detail::read<Reference>(at + offsetof(OrderDelete, reference)),
          .new_reference = detail::read<Reference>(at + form.new_reference)};
}

}  // namespace llmes::inline LLMES_NAMESPACE::itch
