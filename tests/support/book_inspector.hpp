// SPDX-License-Identifier: MIT
//
// The private parts of a book, in terms that survive a change of its layout. Nothing else reads or writes them.
// `Book` is an `OrderBook` with any kind of side book; a const book has const parts.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "llmes/book/far_levels.hpp"
#include "llmes/book/order_book.hpp"
#include "llmes/sets/book_set.hpp"

namespace llmes::inline LLMES_NAMESPACE {

struct BookInspector {
 private:
  /// What rests in a book.
  template <class Book>
  static auto& orders(Book& book) {
    return book.matching_.orders;
  }
  /// The pool of a set, or what a book has of one.
  template <class Book>
  static auto& held(Book& book) {
    if constexpr (requires { book.matching_; }) {
      return orders(book).pool;
    } else {
      return book.pool_;
    }
  }
  /// The pool of a set, or of a book, which it may share.
  template <class Book>
  static auto& pool(Book& book) {
    if constexpr (requires { held(book).levels_; }) {
      return *held(book).levels_;
    } else {
      return held(book);
    }
  }
  template <class T>
  static T& number(detail::ResetOnMove<T>& member) {
    return member;
  }
  template <class T>
  static const T& number(const detail::ResetOnMove<T>& member) {
    return member;
  }

 public:
  // ---- Slots: anchors of levels first, then those that orders can live in.

  static constexpr SlotIndex no_slot = OrderPool::none;

  template <class Book>
  static SlotIndex slot_count(const Book& book) {
    return static_cast<SlotIndex>(held(book).slot_count());
  }
  template <class Book>
  static SlotIndex first_order_slot(const Book& book) {
    return static_cast<SlotIndex>(held(book).slot_count() - order_slot_count(book));
  }
  /// The anchor of a level. In a book that pools its anchors, of one on which orders rest; a number that is no
  /// slot if its chain does not lead there.
  template <class Book>
  static SlotIndex anchor(const Book& book, Side side, std::size_t rank) {
    if constexpr (pools_anchors<Book>) {
      const auto all = chains(book, side);
      SlotIndex at = all[rank % all.size()];
      for (SlotIndex steps = 0; at < slot_count(book) && Book::SideBook::rank_of(held(book), at) != rank;
           ++steps) {
        at = steps < slot_count(book) ? Book::SideBook::follower(held(book)[at]) : slot_count(book);
      }
      return std::min(at, slot_count(book));
    } else {
      return orders(book).side_book(side).anchor(held(book), side, rank);
    }
  }
  template <class Book>
  static Price price_of(const Book& book, Side side, std::size_t rank) {
    return orders(book).price_of(side, rank);
  }

  template <class Book>
  static auto& id(Book& book, SlotIndex order) {
    return held(book)[order].id;
  }
  /// An order's open lots, or a level's total.
  template <class Book>
  static auto& quantity(Book& book, SlotIndex slot) {
    return held(book)[slot].quantity;
  }
  template <class Book>
  static auto& previous(Book& book, SlotIndex slot) {
    return held(book)[slot].previous;
  }
  /// Of a free slot, the next free one.
  template <class Book>
  static auto& next(Book& book, SlotIndex slot) {
    return held(book)[slot].next;
  }
  template <class Book>
  static auto& generation(Book& book, SlotIndex slot) {
    return held(book)[slot].generation;
  }
  /// The anchor of the level on which an order rests.
  template <class Book>
  static auto& level_of(Book& book, SlotIndex order) {
    return held(book)[order].level;
  }
  template <class Book>
  static auto& order_count(Book& book, SlotIndex anchor) {
    return held(book)[anchor].level;
  }

  /// Whether orders live where their ids say. Otherwise slots that are free are a list.
  template <class Book>
  static constexpr bool is_placed = requires(const Book& book) { pool(book).tags_; };
  template <class Book>
  static auto& first_free(Book& book) {
    return number(pool(book).free_);
  }
  /// The tags of all buckets, and how many entries each is passed by, as numbers.
  template <class Book>
  static auto tags(Book& book) {
    return tags_of(pool(book));
  }
  template <class Pool>
  static auto tags_of(Pool& pool) {
    auto& tags = pool.tags_;
    auto* const words = &tags[0].word_;
    static_assert(sizeof(tags[0]) == sizeof(*words));
    return std::span(words, pool.slot_count() == 0 ? 0 : tags.size());
  }
  /// The bucket where an order of an id is looked for first, and its tag.
  template <class Book>
  static std::pair<std::size_t, std::uint64_t> key_of(const Book& book, OrderId id) {
    const auto key = pool(book).key_of(id);
    return {key.bucket, key.tag};
  }
  static constexpr std::size_t bucket_slots = PlacedPool::bucket_slots;
  template <class Book>
  static auto& live_count(Book& book) {
    return number(pool(book).live_count_);
  }
  /// Whether the book shares its pool with others: it is one of a set.
  template <class Book>
  static constexpr bool is_shared = Book::is_shared;
  /// What the book itself counts, which may share its pool.
  template <class Book>
  static std::size_t size(const Book& book) {
    return held(book).live_count();
  }

  // ---- Anchors that come from a pool and go back to it.

  /// Whether each side of the book has anchors for the levels in use only, which it finds by chains.
  template <class Book>
  static constexpr bool pools_anchors = std::same_as<typename Book::SideBook, WideSideBook<Book::price_levels>>;

  /// How many anchors a side has. Those of bids come first.
  template <class Book>
  static SlotIndex anchor_count(const Book& book) {
    return first_order_slot(book) / 2;
  }
  /// The first anchor of each chain of a side, by the rank modulo their number. It means nothing if no level of
  /// the chain is in use.
  template <class Book>
  static auto chains(Book& book, Side side) {
    auto& side_book = orders(book).side_book(side);
    return std::span(&side_book.chains_[0], side_book.chains_.size());
  }
  /// The side and the rank that an anchor knows.
  template <class Book>
  static std::uint32_t name(const Book& book, SlotIndex anchor) {
    return static_cast<std::uint32_t>(held(book)[anchor].id);
  }
  template <class Book>
  static auto& first_free_anchor(Book& book, Side side) {
    return orders(book).side_book(side).free_;
  }
  /// The anchors of a side that no level uses, the next one to be used first. Whether they are in order, the walk
  /// over the invariants says.
  template <class Book>
  static std::vector<SlotIndex> free_anchors(const Book& book, Side side) {
    std::vector<SlotIndex> anchors(anchor_count(book) - level_count(book, side));
    SlotIndex slot = first_free_anchor(book, side);
    for (SlotIndex& anchor : anchors) {
      anchor = slot;
      if (slot < slot_count(book)) slot = next(book, slot);
    }
    return anchors;
  }

  // ---- The tree of a side: its words from the leaves up to the root, stoppers included.

  template <class Book>
  static bool occupied(const Book& book, Side side, std::size_t rank) {
    return orders(book).side_book(side).occupied(held(book), rank);
  }
  /// How many ranks are in the tree, but no more than the side has anchors.
  template <class Book>
  static SlotIndex level_count(const Book& book, Side side) {
    SlotIndex count = 0;
    for (std::size_t rank = 0; rank < Book::price_levels && count < anchor_count(book); ++rank) {
      count += occupied(book, side, rank);
    }
    return count;
  }

  template <class Book>
  static auto tree(Book& book, Side side) {
    auto& tree = marks(book, side);
    constexpr int height = std::remove_reference_t<decltype(tree)>::height;
    if constexpr (height == 1) {
      return std::array{std::span(tree.leaves_.data(), 1)};
    } else if constexpr (height == 2) {
      return std::array{std::span(tree.leaves_.data(), tree.leaves_.size()), std::span(&tree.root_, 1)};
    } else {
      return std::array{std::span(tree.leaves_.data(), tree.leaves_.size()),
                        std::span(tree.middles_.data(), tree.middles_.size()), std::span(&tree.root_, 1)};
    }
  }

  // ---- The window of a side of a book for any price, and what lies beyond it.

  /// Whether the book is none of a set: the window of a side is a tree, and levels are at cells or displaced. In
  /// a set the window is a word, and its cells have anchors of their own.
  template <class Book>
  static constexpr bool has_cells = !Book::has_band && !Book::is_shared;

  template <class Book>
  static auto& window_begin(Book& book, Side side) {
    if constexpr (Book::is_shared) {
      return orders(book).side_book(side).window_.begin_;
    } else {
      return orders(book).side_book(side).begin_;
    }
  }
  /// Of a book of a set: a bit for each rank that has a mark, from the window's begin on; and the anchors of the
  /// ranks. The cell of one is the rank modulo the size of the window.
  template <class Book>
  static auto& window_marks(Book& book, Side side) {
    return orders(book).side_book(side).window_.ranks_;
  }
  template <class Book>
  static auto window_anchors(Book& book, Side side) {
    return std::span(&held(book).cells_[static_cast<std::size_t>(side) * PoolView::window], PoolView::window);
  }
  /// Of a book by itself: how many ranks the window has, the best far level before it, and how many cells a side
  /// has.
  template <class Book>
  static auto& window_size(Book& book, Side side) {
    return orders(book).side_book(side).size_;
  }
  template <class Book>
  static auto& ahead(Book& book, Side side) {
    return orders(book).side_book(side).ahead_;
  }
  /// How many orders have missed the window since it last may have moved.
  template <class Book>
  static auto& missed(Book& book, Side side) {
    return orders(book).side_book(side).missed_;
  }
  template <class Book>
  static SlotIndex cell_count(const Book& book) {
    return pool(book).cell_count_ / 2;
  }
  /// The entries of the table of displaced levels, and how many are used.
  template <class Book>
  static auto displaced(Book& book) {
    auto& table = pool(book).displaced_;
    return std::span(&table[0], table.size_bytes() / sizeof(table[0]));
  }
  template <class Book>
  static std::size_t displaced_count(const Book& book) {
    const auto entries = displaced(book);
    return static_cast<std::size_t>(
        std::ranges::count_if(entries, [](const auto& entry) { return entry.used(); }));
  }
  /// How far behind the begin of its window the level is that a side of a set holds; 0 if it holds none.
  template <class Book>
  static auto& held_distance(Book& book, Side side) {
    return orders(book).side_book(side).held_;
  }
  /// What is noted as the anchor of that level.
  template <class Book>
  static auto& held_anchor(Book& book, Side side) {
    return held(book).held_[static_cast<std::size_t>(side)];
  }
  template <class Book>
  static auto& far_tree(Book& book, Side side) {
    return orders(book).side_book(side).far_;
  }
  template <class Book>
  static auto& far(Book& book) {
    return pool(book).far_;
  }
  /// The first of the anchors that no cell of a window and no level beyond one has.
  template <class Book>
  static auto& first_free_anchor(Book& book) {
    return pool(book).free_anchor_;
  }
  template <class Book>
  static auto& free_anchor_count(Book& book) {
    return pool(book).free_anchor_count_;
  }
  /// The number of the book, if it is one of a set; else 0.
  template <class Book>
  static BookNumber number(const Book& book) {
    if constexpr (Book::is_shared) return held(book).number_;
    return 0;
  }
  /// All books that a set has room for.
  template <class Orders, class Rules>
  static auto books(const BasicBookSet<Orders, Rules>& set) {
    std::vector<typename BasicBookSet<Orders, Rules>::Book> books;
    for (BookNumber i = 0; i < set.books_; ++i) {
      books.push_back(const_cast<BasicBookSet<Orders, Rules>&>(set).view(i));
    }
    return books;
  }

  /// What a book of a set counts itself.
  template <class Book>
  static std::uint32_t& own_size(Book& book) {
    return *held(book).size_;
  }
  /// All that a set knows, to the last bit.
  template <class Orders>
  static std::string image(const BasicBookSet<Orders>& set) {
    std::string image;
    const auto add = [&image](const auto& value) {
      image.append(reinterpret_cast<const char*>(&value), sizeof(value));
    };
    for (const auto& book : books(set)) {
      for (const Side side : {Side::Buy, Side::Sell}) {
        add(window_begin(book, side));
        add(window_marks(book, side));
        add(far_tree(book, side));
        add(held_distance(book, side));
        add(held_anchor(book, side));
        for (const SlotIndex anchor : window_anchors(book, side)) add(anchor);
      }
      add(size(book));
    }
    const auto& nodes = set.pool_.far_.nodes_;
    image.append(reinterpret_cast<const char*>(&set.pool_.slots_[0]), slot_count(set) * sizeof(OrderSlot));
    image.append(reinterpret_cast<const char*>(&nodes[0]), nodes.size_bytes());
    add(set.pool_.free_anchor_);
    add(set.pool_.free_anchor_count_);
    if constexpr (BasicBookSet<Orders>::finds_ids) {
      for (std::size_t i = 0; i < set.pool_.tags_.size(); ++i) add(set.pool_.tags_[i]);
    } else {
      add(set.pool_.free_);
    }
    add(set.pool_.live_count_);
    add(set.book_count_);
    return image;
  }

  // ---- What rules keep beside the pool.

  /// Whether an order displays nothing.
  template <class Book>
  static bool is_hidden(const Book& book, SlotIndex order) {
    if constexpr (requires { orders(book).rules(); }) return orders(book).rules()[order].hidden();
    return false;
  }
  /// The state of the rules of a book or of a set.
  template <class Book>
  static auto& rules(Book& book) {
    if constexpr (requires { book.rules_; }) {
      return book.rules_;
    } else {
      return orders(book).rules();
    }
  }
  /// Whether a book notes which orders have opened their levels.
  template <class Book>
  static constexpr bool notes_first = Book::Orders::notes_first;
  /// The first order in the list of an owner; `no_slot` if there is none.
  template <class State>
  static SlotIndex first_of(const State& state, std::uint32_t owner) {
    return state.owners_[state.find(owner)].first;
  }
  /// How many owners have a list.
  template <class State>
  static std::size_t owner_count(const State& state) {
    const std::size_t entries = state.owners_.size_bytes() / sizeof(state.owners_[0]);
    std::size_t used = 0;
    for (std::size_t i = 0; i < entries; ++i) used += state.owners_[i].used() ? 1 : 0;
    return used;
  }

  // ---- The storage of far levels. Node 0 begins the list of free nodes.

  static constexpr std::size_t far_width = FarLevels::width;
  static constexpr std::size_t far_least = FarLevels::least;

  static std::size_t far_node_count(const FarLevels& levels) { return levels.nodes_.size(); }
  /// The ranks of a node, `no_rank` if unused, each with its anchor or the number of a node.
  static std::array<FarLevels::Level, far_width> far_node(const FarLevels& levels, std::uint32_t node) {
    std::array<FarLevels::Level, far_width> entries{};
    for (std::size_t i = 0; i < far_width; ++i) entries[i] = levels.nodes_[node].level(i);
    return entries;
  }
  static void set_far_entry(FarLevels& levels, std::uint32_t node, std::size_t i, FarLevels::Level entry) {
    levels.nodes_[node].inverse[i] = ~entry.rank;
    levels.nodes_[node].below[i] = entry.anchor;
  }

  // ---- Whole books of the same band, base price and capacity.

  template <class Book>
  static void copy(const Book& from, Book& to) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      if constexpr (has_cells<Book>) {
        orders(to).side_book(side) = orders(from).side_book(side);
      } else {
        ranked_side(to, side) = ranked_side(from, side);
      }
      if constexpr (pools_anchors<Book>) {
        std::ranges::copy(chains(from, side), chains(to, side).begin());
        first_free_anchor(to, side) = first_free_anchor(from, side);
      }
    }
    std::copy_n(&held(from).slots_[0], held(from).slot_count(), &held(to).slots_[0]);
    if constexpr (has_cells<Book>) {
      std::copy_n(&far(from).nodes_[0], far(from).nodes_.size(), &far(to).nodes_[0]);
      std::ranges::copy(displaced(from), displaced(to).begin());
      first_free_anchor(to) = first_free_anchor(from);
    }
    held(to).free_ = SlotIndex{held(from).free_};
    held(to).live_count_ = held(from).live_count();
  }
  /// The same of sets.
  template <class Orders>
  static void copy(const BasicBookSet<Orders>& from, BasicBookSet<Orders>& to) {
    std::copy_n(from.headers_.get(), std::size_t{from.books_}, to.headers_.get());
    std::copy_n(&from.cells_[0], from.cells_.size(), &to.cells_[0]);
    std::copy_n(&from.held_[0], from.held_.size(), &to.held_[0]);
    std::copy_n(&from.pool_.slots_[0], from.pool_.slot_count(), &to.pool_.slots_[0]);
    std::copy_n(&from.pool_.far_.nodes_[0], from.pool_.far_.nodes_.size(), &to.pool_.far_.nodes_[0]);
    to.pool_.free_anchor_ = SlotIndex{from.pool_.free_anchor_};
    to.pool_.free_anchor_count_ = std::size_t{from.pool_.free_anchor_count_};
    if constexpr (BasicBookSet<Orders>::finds_ids) {
      std::copy_n(&from.pool_.tags_[0], from.pool_.tags_.size(), &to.pool_.tags_[0]);
    } else {
      to.pool_.free_ = SlotIndex{from.pool_.free_};
    }
    to.pool_.live_count_ = from.pool_.live_count();
    to.book_count_ = BookNumber{from.book_count_};
  }

 private:
  template <class Book>
  static std::size_t order_slot_count(const Book& book) {
    if constexpr (is_placed<Book>) {
      return tags(book).size() * bucket_slots;
    } else {
      return held(book).capacity();
    }
  }

  /// The tree of marks of a side.
  template <class Book>
  static auto& marks(Book& book, Side side) {
    if constexpr (has_cells<Book>) {
      return orders(book).side_book(side).marks_;
    } else {
      return ranked_side(book, side).occupied_;
    }
  }
  /// What both kinds of side book of a band have in common.
  template <class Book>
  static auto& ranked_side(Book& book, Side side) {
    using Ranked = RankedSide<Book::price_levels>;
    return static_cast<std::conditional_t<std::is_const_v<Book>, const Ranked, Ranked>&>(
        orders(book).side_book(side));
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE
