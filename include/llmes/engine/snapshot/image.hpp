// SPDX-License-Identifier: MIT
//
// The whole state of an object as one image, and back. Books are flat arrays linked by index, so the image is
// those arrays and a few numbers. Nothing is searched or rebuilt, and handles stay valid.
//
// A class shows its state by a member, used for writing and for reading:
//
//     static void visit_state(auto& self, auto& visit) noexcept {
//       visit(self.number_, std::span(self.array_.get(), self.size_), self.part_that_has_such_a_member_);
//     }
//
// It shows all that calls can change and later answers depend on; no parameters of the object and no hints. Sizes
// and order depend on the parameters alone. Every bit is defined, so the same calls lead to the same image.
//
// An image begins with a digest of the sizes of its parts. Numbers are in the machine's byte order. Version,
// parameters and checksum are in the file around it. The content is not checked here: an image from an untrusted
// file must pass `ImageCheck` before any other use of the object (see image_check.hpp). Nothing here allocates but
// `logical_digest` of many orders.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "llmes/detail/enumerator_name.hpp"
#include "llmes/detail/hash.hpp"
#include "llmes/engine/snapshot/order_sequence.hpp"
#include "llmes/market_data/events.hpp"
#include "llmes/types/terms.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

/// A digest of numbers in order: equal ones show that a recovery led to the same books, or that two engines agree.
/// It differs for sequences that differ in one number; for others nearly always.
class Digest {
 public:
  constexpr void add(std::uint64_t number) noexcept { value_ = hash_of(value_ ^ number); }
  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 1;
};

/// A `BookSet` itself, or that of an `IdBook`, of a `Publisher` or of a `Matcher`.
template <class Object>
[[nodiscard]] const auto& book_set_of(const Object& object) noexcept {
  if constexpr (requires { object.book(); }) {
    return book_set_of(object.book());
  } else {
    return object;
  }
}

/// The digest of all that queries answer about a set: for each book by number, bids first, the count of its
/// orders, and handle, id, price and quantity of each by priority; with rules also its terms; of a
/// publisher also the positions. Linear. Of 8,192 orders and more it takes some five bytes each meanwhile, or more
/// time if there is too little memory.
/// @param object a `BookSet`, an `IdBook` of one, a `Publisher` of either, or a `Matcher`.
template <class Object>
[[nodiscard]] std::uint64_t logical_digest(const Object& object) noexcept {
  Digest digest;
  const auto& set = book_set_of(object);
  detail::OrderSequence orders(set);
  for (BookNumber number = 0; number < set.book_count(); ++number) {
    const auto book = set.book(number);
    for (const Side side : {Side::Buy, Side::Sell}) {
      std::uint64_t count = 0;
      const auto add = [&](OrderHandle handle, const auto& order, Price price) {
        digest.add(handle.value());
        digest.add(order.id);
        digest.add(static_cast<std::uint64_t>(price));
        digest.add(order.quantity);
        if constexpr (requires { book->terms_of(handle); }) {
          const RestingTerms terms = book->terms_of(handle).value();
          digest.add(terms.owner);
          digest.add(static_cast<std::uint64_t>(terms.display));
          digest.add(terms.peak);
          digest.add(terms.reserve);
        }
        ++count;
      };
      if (orders.made()) {
        orders.visit_next(number, side, add);
      } else {
        book->visit_orders(side, [&](const RestingOrder& order) { add(order.handle, order, order.price); });
      }
      digest.add(count);
    }
    if constexpr (requires { object.positions(number); }) {
      const StreamPositions positions = object.positions(number);
      for (const std::uint64_t last : {positions.orders, positions.levels, positions.best}) digest.add(last);
    }
  }
  return digest.value();
}

/// Takes the next bytes of an image; false ends the writing. It may get few at a time.
template <class S>
concept ByteSink = requires(S& sink, std::span<const std::byte> bytes) {
  { sink(bytes) } -> std::same_as<bool>;
};
/// Fills the span with the next bytes of an image; returns false if it cannot. It may be asked for few at a time.
template <class S>
concept ByteSource = requires(S& source, std::span<std::byte> bytes) {
  { source(bytes) } -> std::same_as<bool>;
};

enum class ImageStatus : std::uint8_t {
  Success,
  OtherParameters,  ///< the image is one of other sizes than the object has
  WrongSize,        ///< the image is truncated, or longer than it should be
  Unreadable,       ///< the source failed
};

namespace detail {

/// Goes over the state of an object and gives `on_part` each part as a span, until it answers false.
template <class OnPart>
struct StateWalk {
  OnPart& on_part;
  bool done = true;  ///< whether it has answered true for all parts

  template <class... Parts>
  void operator()(Parts&&... parts) noexcept {
    (visit(parts), ...);
  }

 private:
  template <class Part>
  void visit(Part& part) noexcept {
    if constexpr (requires { Part::visit_state(part, *this); }) {
      Part::visit_state(part, *this);
    } else {
      visit(std::span(&part, 1));
    }
  }
  template <class T>
  void visit(std::span<T> numbers) noexcept {
    static_assert(std::has_unique_object_representations_v<T>,
                  "no member that shows its state, or it has padding");
    done = done && on_part(numbers);
  }
};

template <class Object, class OnPart>
[[nodiscard]] bool walk_state(Object& object, OnPart&& on_part) noexcept {
  StateWalk<OnPart> walk{on_part};
  walk(object);
  return walk.done;
}

/// Gives `on_span` each array of `T` in the state of an object.
template <class T, class Object, class OnSpan>
void visit_spans(Object& object, OnSpan&& on_span) noexcept {
  std::ignore = walk_state(object, [&](auto part) {
    if constexpr (std::is_convertible_v<decltype(part), std::span<const T>>) on_span(part);
    return true;
  });
}

/// What an image has at its beginning.
struct ImageShape {
  std::uint64_t digest = 0;  ///< of the sizes of its parts
  std::uint64_t bytes = 0;   ///< of the whole image

  template <class Object>
  [[nodiscard]] static ImageShape of(const Object& object) noexcept {
    ImageShape shape{0, sizeof(shape.digest)};
    Digest sizes;
    static_cast<void>(walk_state(object, [&](auto part) {
      sizes.add(part.size_bytes());
      shape.bytes += part.size_bytes();
      return true;
    }));
    shape.digest = sizes.value();
    return shape;
  }
};

}  // namespace detail

/// The digest of all that an object's `visit_state` shows, byte by byte. The same calls lead to the same digest,
/// for objects with the same parameters. Linear in the size of the state.
template <class Object>
[[nodiscard]] std::uint64_t state_digest(const Object& object) noexcept {
  Digest digest;
  std::ignore = detail::walk_state(object, [&](auto part) {
    for (const std::byte byte : std::as_bytes(part)) digest.add(std::to_integer<std::uint64_t>(byte));
    return true;
  });
  return digest.value();
}

/// How many bytes the image of an object has, by what the object was made for. Linear in the books.
template <class Object>
[[nodiscard]] std::uint64_t image_bytes(const Object& object) noexcept {
  return detail::ImageShape::of(object).bytes;
}

/// Writes the image of an object, part after part, without a copy of it. Linear in the memory of the object.
/// @param object a `BookSet`, an `IdBook` of one, a `Publisher` of either with its sink if that shows its state,
/// an `ItchSink`, or a `Matcher`.
/// @param sink an exception that leaves it ends the program.
/// @return whether the sink has taken all of it.
template <class Object, ByteSink Sink>
[[nodiscard]] bool write_image(const Object& object, Sink&& sink) noexcept {
  const std::uint64_t shape = detail::ImageShape::of(object).digest;
  return sink(std::as_bytes(std::span(&shape, 1))) &&
         detail::walk_state(object, [&sink](auto part) { return sink(std::as_bytes(part)); });
}

/// Gives an object the state of another one with the same parameters, as its image has it. Linear in the memory.
/// @param size of the image, in bytes.
/// @param source an exception that leaves it ends the program.
/// @return OtherParameters or WrongSize: nothing was changed; Unreadable: only destroy it, or read again; Success.
template <class Object, ByteSource Source>
[[nodiscard]] ImageStatus read_image(Object& object, std::uint64_t size, Source&& source) noexcept {
  const auto shape = detail::ImageShape::of(object);
  std::uint64_t digest = 0;
  if (size < sizeof(digest)) return ImageStatus::WrongSize;
  if (!source(std::as_writable_bytes(std::span(&digest, 1)))) return ImageStatus::Unreadable;
  if (digest != shape.digest) return ImageStatus::OtherParameters;
  if (size != shape.bytes) return ImageStatus::WrongSize;
  const bool read = detail::walk_state(object, [&](auto part) { return source(std::as_writable_bytes(part)); });
  return read ? ImageStatus::Success : ImageStatus::Unreadable;
}

}  // namespace llmes::inline LLMES_NAMESPACE
