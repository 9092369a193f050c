// SPDX-License-Identifier: MIT
//
// A balanced tree (AVL) of entries in the order of their arrival, through links in the entries. What a user needs
// of all of them, such as the nearest of some price, each entry sums up for the part of the tree below it: then
// the root knows it for all, and a change costs what the height is.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE::detail {

/// Where an entry is in its tree. All zeros while it is in none.
struct TreeLinks {
  std::array<std::uint32_t, 2> child;  ///< the earlier entries below it, and the later ones
  std::uint32_t parent;
  std::uint32_t height;  ///< 1 without children

  friend constexpr bool operator==(const TreeLinks&, const TreeLinks&) = default;
};

/// A tree over the entries of `Entries`, which may have many:
///
///  - `links(entry)` are those of an entry; those of `none` are zeros, and nobody writes them;
///  - `sum_up(entry)` sums up the entry and its children, and returns whether that has changed anything;
///  - `hand_down(entry)` gives the children what is noted for all below the entry, before links there change.
///
/// Invariants: of two children one is higher by 1 at most, so a tree of 2^32 entries has a height below 48; each
/// entry but one that is handed down to later has summed up what is below it.
template <class Entries>
class ArrivalTree {
 public:
  using Entry = std::uint32_t;
  static constexpr Entry none = 0;
  static constexpr std::uint32_t height_max = 47;

  /// The tree whose root is kept in `root`.
  ArrivalTree(Entries& entries, Entry& root) noexcept : entries_(entries), root_(root) {}

  /// Adds an entry, which is in no tree, as the youngest. Logarithmic.
  void append(Entry entry) noexcept {
    Entry last = none;
    for (Entry at = root_; at != none; at = links(at).child[1]) {
      entries_.hand_down(at);
      last = at;
    }
    links(entry) = {{none, none}, last, 1};
    entries_.sum_up(entry);
    (last == none ? root_ : links(last).child[1]) = entry;
    repair(last, none);
  }

  /// Takes an entry out. Logarithmic.
  void erase(Entry entry) noexcept {
    hand_down_to(entry);
    const TreeLinks gone = links(entry);
    if (gone.child[0] == none || gone.child[1] == none) {
      put(gone.parent, entry, gone.child[gone.child[0] == none]);
      repair(gone.parent, none);
    } else {
      // The next younger one, which has no earlier child, takes its place.
      Entry heir = gone.child[1];
      for (entries_.hand_down(heir); links(heir).child[0] != none; entries_.hand_down(heir)) {
        heir = links(heir).child[0];
      }
      const Entry above = links(heir).parent;
      if (above != entry) {
        put(above, heir, links(heir).child[1]);
        adopt(heir, 1, gone.child[1]);
      }
      adopt(heir, 0, gone.child[0]);
      put(gone.parent, entry, heir);
      repair(above == entry ? heir : above, heir);
    }
    links(entry) = {};
  }

  /// The oldest entry, or none. Logarithmic.
  [[nodiscard]] static Entry first(const Entries& entries, Entry root) noexcept {
    Entry at = root;
    while (at != none && entries.links(at).child[0] != none) at = entries.links(at).child[0];
    return at;
  }
  /// The next younger one, or none. Logarithmic, and constant on average over all.
  [[nodiscard]] static Entry after(const Entries& entries, Entry entry) noexcept {
    if (entries.links(entry).child[1] != none) return first(entries, entries.links(entry).child[1]);
    Entry up = entries.links(entry).parent;
    for (; up != none && entries.links(up).child[1] == entry; up = entries.links(up).parent) entry = up;
    return up;
  }

  /// How many entries a tree has, if its links are those of a tree and `holds(entry)` for each, oldest first; else
  /// nothing. It follows no link unchecked, as an image may be forged. Linear.
  /// @param entries of which all below `count` may be read.
  [[nodiscard]] static std::optional<std::size_t> checked_size(const Entries& entries, Entry root,
                                                               std::size_t count, const auto& holds) noexcept {
    std::array<Entry, height_max> path;  // whose later children are still to come
    std::size_t depth = 0;
    std::size_t size = 0;
    Entry parent = none;
    for (Entry at = root; at != none || depth != 0;) {
      if (at == none) {
        parent = path[--depth];
        if (!holds(parent)) return {};
        ++size;
        at = entries.links(parent).child[1];
        continue;
      }
      if (at >= count || depth == height_max || entries.links(at).parent != parent) return {};
      const auto [earlier, later] = entries.links(at).child;
      if (earlier >= count || later >= count || (earlier == later && earlier != none)) return {};
      const std::uint32_t low = std::min(entries.links(earlier).height, entries.links(later).height);
      const std::uint32_t high = std::max(entries.links(earlier).height, entries.links(later).height);
      if (high > low + 1 || entries.links(at).height != high + 1) return {};
      path[depth++] = parent = at;
      at = earlier;
    }
    return size;
  }

 private:
  [[nodiscard]] TreeLinks& links(Entry entry) noexcept { return entries_.links(entry); }
  [[nodiscard]] std::uint32_t height(Entry entry) const noexcept { return entries_.links(entry).height; }

  /// Puts `heir`, or nothing, where `entry` is below `parent`.
  void put(Entry parent, Entry entry, Entry heir) noexcept {
    if (parent == none) {
      root_ = heir;
    } else {
      links(parent).child[links(parent).child[1] == entry] = heir;
    }
    if (heir != none) links(heir).parent = parent;
  }
  void adopt(Entry parent, std::size_t which, Entry child) noexcept {
    links(parent).child[which] = child;
    if (child != none) links(child).parent = parent;
  }

  /// Hands down from the root to an entry, itself included.
  void hand_down_to(Entry entry) noexcept {
    std::array<Entry, height_max> path;
    std::size_t count = 0;
    for (Entry at = entry; at != none; at = links(at).parent) path[count++] = at;
    while (count != 0) entries_.hand_down(path[--count]);
  }

  /// Restores the invariants from an entry up, whose subtree has changed: up to `least`, unless that is none, and
  /// beyond as far as something changes. What `least` knew before is of another place: always a change.
  void repair(Entry at, Entry least) noexcept {
    for (bool goes_on = true; goes_on && at != none; at = links(at).parent) {
      const Entry entry = at;
      at = balance(at);
      const bool changes = settle(at) || at != entry;
      goes_on = changes || least != none;
      if (entry == least) least = none;
    }
  }
  /// Notes the height and sum of an entry; returns whether that changes anything.
  bool settle(Entry entry) noexcept {
    const auto [earlier, later] = links(entry).child;
    const std::uint32_t now = 1 + std::max(height(earlier), height(later));
    const bool grows = links(entry).height != now;
    links(entry).height = now;
    return entries_.sum_up(entry) || grows;
  }
  /// Balances an entry, and returns what is in its place.
  [[nodiscard]] Entry balance(Entry at) noexcept {
    for (std::size_t high = 0; high < 2; ++high) {
      const Entry child = links(at).child[high];
      if (height(child) <= height(links(at).child[1 - high]) + 1) continue;
      entries_.hand_down(child);
      if (height(links(child).child[1 - high]) > height(links(child).child[high])) raise(child, 1 - high);
      return raise(at, high);
    }
    return at;
  }
  /// Puts a child of an entry, which has handed down, in its place and it below. The caller settles the result.
  Entry raise(Entry at, std::size_t which) noexcept {
    const Entry up = links(at).child[which];
    entries_.hand_down(up);
    put(links(at).parent, at, up);
    adopt(at, which, links(up).child[1 - which]);
    adopt(up, 1 - which, at);
    settle(at);
    return up;
  }

  Entries& entries_;
  Entry& root_;
};

}  // namespace llmes::inline LLMES_NAMESPACE::detail
