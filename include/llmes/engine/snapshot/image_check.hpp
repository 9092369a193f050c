// SPDX-License-Identifier: MIT
//
// Whether an image holds books that calls can lead to. A checksum is no signature: anyone who can write to the
// directory can make an image whose links lead anywhere. So every count, link and mark is checked before it is
// followed. An image that passes is safe to use, but may hold any orders.
//
// Visits need no marks: each order names its level, each level its side and rank, and lists end where they must.
// An order that rests and is in no queue, as in a ring of orders without a level, is missing in the count.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "llmes/book/far_levels.hpp"
#include "llmes/book/order_pool.hpp"
#include "llmes/detail/algorithm.hpp"
#include "llmes/detail/list_walks.hpp"
#include "llmes/ids/dense_ids.hpp"
#include "llmes/ids/hashed_ids.hpp"
#include "llmes/ids/id_book.hpp"
#include "llmes/ids/id_lookup.hpp"
#include "llmes/rules/rule_state.hpp"
#include "llmes/sets/book_set.hpp"
#include "llmes/types/types.hpp"
#include "llmes/version.hpp"

namespace llmes::inline LLMES_NAMESPACE {

struct ImageCheck {
  /// Linear in the memory of the books.
  /// @param books a `BookSet`, or an `IdBook` of one.
  template <class Books>
  [[nodiscard]] static bool holds(const Books& books) noexcept {
    if constexpr (requires { books.index_; }) {
      return SetCheck(books.book_).holds() && index_holds(books.book_.pool_, books.index_);
    } else {
      return SetCheck(books).holds();
    }
  }

 private:
  static constexpr std::size_t window = PoolView::window;
  /// By so many slots a pass over memory is ahead with hints.
  static constexpr std::size_t ahead = 16;

  // ---- Levels and orders.

  template <class Set>
  static constexpr bool has_rules = requires(const Set& set) { set.rules_.used; };

  /// The queues of all levels, for `ListWalks`: each order with its neighbours, and each level with its orders.
  template <class Set>
  struct Queues {
    struct Sum {
      SlotIndex before;  ///< what the first order says is before it
      SlotIndex last;
      SlotIndex level;
      SlotIndex count;
      Quantity total;
      Quantity reserve;
      SlotIndex hidden;  ///< how many are hidden, which rank behind all others
      SlotIndex first_hidden;
    };
    static constexpr bool are_rings = false;

    [[nodiscard]] bool is_listed(SlotIndex order) const noexcept { return set.pool_[order].generation % 2 == 1; }
    [[nodiscard]] Sum start(SlotIndex order, const Sum& /*old*/) const noexcept {
      const OrderSlot& first = set.pool_[order];
      return {first.previous, first.previous, first.level, 0, 0, 0, 0, 0};
    }
    [[nodiscard]] bool take(Sum& sum, SlotIndex at) const noexcept {
      const OrderSlot& order = set.pool_[at];
      if (order.previous != sum.last || order.level != sum.level || order.generation % 2 == 0) return false;
      if (order.quantity > set.quantity_max_) return false;
      if (order.quantity > std::numeric_limits<Quantity>::max() - sum.total) return false;
      if constexpr (has_rules<Set>) {
        const detail::SlotTerms& terms = set.rules_[at];
        if (order.quantity == 0 && !terms.hidden()) return false;
        if (!terms.hidden() && sum.hidden != 0) return false;
        if (terms.hidden() && sum.hidden++ == 0) sum.first_hidden = at;
        sum.reserve += terms.reserve;
      } else if (order.quantity == 0) {
        return false;
      }
      sum.last = at;
      sum.total += order.quantity;
      ++sum.count;
      return true;
    }
    [[nodiscard]] static bool join(Sum& sum, const Sum& run) noexcept {
      if (run.before != sum.last || run.level != sum.level) return false;
      if (run.total > std::numeric_limits<Quantity>::max() - sum.total) return false;
      if (sum.hidden != 0 && run.hidden != run.count) return false;
      if (sum.hidden == 0) sum.first_hidden = run.first_hidden;
      sum = {sum.before,
             run.last,
             sum.level,
             sum.count + run.count,
             sum.total + run.total,
             sum.reserve + run.reserve,
             sum.hidden + run.hidden,
             sum.first_hidden};
      return true;
    }
    [[nodiscard]] bool done(const Sum& sum, SlotIndex anchor) noexcept {
      const OrderSlot& level = set.pool_[anchor];
      if (sum.count == 0 || level.youngest() != sum.last || level.total() != sum.total) return false;
      if (level.order_count() != sum.count) return false;
      if constexpr (has_rules<Set>) {
        detail::SlotTerms expected{};
        expected.reserve = sum.reserve;
        expected.hidden_count() = sum.hidden;
        expected.first_hidden() = sum.first_hidden;
        noted += std::size_t{expected != detail::SlotTerms{}};
        const Quantity reserves = set.rules_.reserves;
        return set.rules_[anchor] == expected && reserves <= std::numeric_limits<Quantity>::max() - level.total();
      }
      return true;
    }
    [[nodiscard]] SlotIndex next(SlotIndex order) const noexcept { return set.pool_[order].next; }
    void fetch(SlotIndex order) const noexcept {
      __builtin_prefetch(&set.pool_[order]);
      if constexpr (has_rules<Set>) __builtin_prefetch(&set.rules_[order]);
    }

    const Set& set;
    std::size_t noted = 0;  ///< levels of which the rules note something
  };

  /// A list of what is free, for `ListWalks`. It has links one way, so slots are counted: one that comes twice
  /// makes too many.
  template <class Pool, class IsFree>
  struct FreeList {
    struct Sum {
      std::size_t count;
    };
    static constexpr bool are_rings = false;

    /// Whether the list from `first` on has as many as it should, and ends with `stop`.
    [[nodiscard]] bool holds(SlotIndex first, SlotIndex stop, std::size_t begin, std::size_t end) noexcept {
      detail::ListWalks walks(*this, begin, end);
      return walks.walk_runs() && walks.add_list({0}, first, stop) && walks.finish();
    }

    [[nodiscard]] bool is_listed(SlotIndex slot) const noexcept { return is_free(slot); }
    [[nodiscard]] static Sum start(SlotIndex /*slot*/, const Sum& /*old*/) noexcept { return {0}; }
    [[nodiscard]] bool take(Sum& sum, SlotIndex at) noexcept {
      ++sum.count;
      return taken++ < count && is_free(at);
    }
    [[nodiscard]] bool join(Sum& sum, const Sum& run) const noexcept {
      sum.count += run.count;
      return sum.count <= count;
    }
    [[nodiscard]] bool done(const Sum& sum, SlotIndex /*stop*/) const noexcept { return sum.count == count; }
    [[nodiscard]] SlotIndex next(SlotIndex slot) const noexcept { return pool[slot].next_free(); }
    void fetch(SlotIndex slot) const noexcept { __builtin_prefetch(&pool[slot]); }

    const Pool& pool;
    std::size_t count;
    IsFree is_free;
    std::size_t taken = 0;
  };
  template <class Pool, class IsFree>
  FreeList(const Pool&, std::size_t, IsFree) -> FreeList<Pool, IsFree>;

  template <class Set>
  class SetCheck {
   public:
    explicit SetCheck(const Set& set) noexcept
        : set_(set),
          pool_(set.pool_),
          nodes_(pool_.far_.nodes_),
          anchors_(pool_.anchor_count()),
          queues_{set},
          walks_(queues_, anchors_, pool_.slot_count()) {}

    [[nodiscard]] bool holds() noexcept {
      if (set_.book_count_ > set_.books_ || pool_.live_count() > pool_.capacity()) return false;
      if (!walks_.walk_runs()) return false;
      for (BookNumber book = 0; book < set_.books_; ++book) {
        const std::uint64_t before = orders_;
        if (!side_holds(book, Side::Buy) || !side_holds(book, Side::Sell)) return false;
        if (set_.headers_[book].sides[0].order_count != orders_ - before) return false;
      }
      return walks_.finish() && orders_ == pool_.live_count() && free_anchors_hold() && free_nodes_hold() &&
             free_slots_hold() && rules_hold();
    }

   private:
    [[nodiscard]] bool side_holds(BookNumber book, Side side) noexcept {
      const auto& half = set_.headers_[book].sides[static_cast<std::size_t>(side)];
      const std::uint64_t begin = half.window_.begin();
      if (begin > 0 - std::uint64_t{window}) return false;
      owner_ = OrderSlot::owner_of(side, book);
      for (std::uint64_t rank = begin; rank - begin < window; ++rank) {
        if (!cell_holds(book, side, rank, half.window_.contains(rank))) return false;
      }
      beyond_ = begin + (window - 1);
      held_ = half.held_ == 0 ? FarLevels::no_rank : half.held_rank();
      if (half.held_ != 0 && !held_level_holds(set_.held_[2 * book + static_cast<std::size_t>(side)], half))
        return false;
      if (half.far_.height == 0) return half.far_.root == 0 && half.far_.first_leaf == 0;
      first_leaf_ = 0;
      const std::size_t least = half.far_.height > 1 ? 2 : 1;
      return !half.window_.empty() && half.far_.height <= 9 &&
             node_holds(half.far_.root, half.far_.height, 0, FarLevels::no_rank, least) &&
             first_leaf_ == half.far_.first_leaf;
    }

    /// The level that a side holds: one outside of its window, on the side of it that its distance says.
    template <class Half>
    [[nodiscard]] bool held_level_holds(SlotIndex anchor, const Half& half) noexcept {
      ++taken_;
      return !half.window_.empty() && !half.window_.covers(held_) && half.within_reach(held_) &&
             (half.held_ < 0) == (held_ < half.window_.begin()) && anchor < anchors_ && level_holds(anchor, held_);
    }

    /// The anchor of a cell, and its level; and that both ways to find it lead to the same one.
    [[nodiscard]] bool cell_holds(BookNumber book, Side side, std::uint64_t rank, bool in_use) noexcept {
      const SlotIndex first = PoolView::first_anchor(book, side, rank);
      const SlotIndex anchor = set_.cells_[first];
      if (anchor >= anchors_) return false;
      const OrderSlot& slot = pool_[anchor];
      const OrderSlot& other = pool_[first];
      const bool is_first =
          other.owner() == owner_ &&
          (other.rank() == rank || (other.rank() % window == rank % window && other.oldest() == first));
      if (is_first != (anchor == first) || slot.owner() != owner_ || slot.rank() == FarLevels::no_rank)
        return false;
      ++taken_;
      if (in_use) return level_holds(anchor, rank);
      return slot.rank() % window == rank % window && slot.oldest() == anchor && slot.youngest() == anchor &&
             slot.total() == 0 && slot.order_count() == 0;
    }

    /// A level with its orders, of which there is one at least. How many the level says is seen later.
    [[nodiscard]] bool level_holds(SlotIndex anchor, std::uint64_t rank) noexcept {
      const OrderSlot& level = pool_[anchor];
      if (level.rank() != rank || rank == FarLevels::no_rank || level.owner() != owner_) return false;
      orders_ += level.order_count();
      return walks_.add_list({anchor, anchor, anchor, 0, 0, 0, 0, 0}, level.oldest(), anchor);
    }

    // ---- Far levels. A node that is met twice has levels of other ranks, or of another side, than are wanted.

    [[nodiscard]] bool node_holds(std::uint32_t number, std::uint32_t height, std::uint64_t low,
                                  std::uint64_t high, std::size_t least) noexcept {
      if (number == 0 || number >= nodes_.size()) return false;
      const auto& node = nodes_[number];
      const auto used_end = detail::find(node.inverse, std::uint64_t{0});
      const auto used = static_cast<std::size_t>(used_end - node.inverse.begin());
      const bool rest_unused = std::all_of(used_end, node.inverse.end(), [](auto rank) { return rank == 0; });
      if (used < least || !rest_unused) return false;
      ++used_nodes_;
      if (height == 1) {
        for (std::size_t i = 0; i < used; ++i) pool_.prefetch(node.below[i]);
      }
      if (height == 1 && first_leaf_ == 0) first_leaf_ = number;
      for (std::size_t i = 0; i < used; ++i) {
        const std::uint64_t from = height > 1 && i == 0 ? low : node.rank(i);
        const std::uint64_t to = i + 1 < used ? node.rank(i + 1) : high;
        if (from < low || from >= to || to > high) return false;
        const bool holds = height > 1 ? node_holds(node.below[i], height - 1, from, to, FarLevels::least)
                                      : far_level_holds(from, node.below[i]);
        if (!holds) return false;
      }
      return true;
    }
    [[nodiscard]] bool far_level_holds(std::uint64_t rank, SlotIndex anchor) noexcept {
      ++taken_;
      return rank > beyond_ && rank != held_ && anchor < anchors_ && level_holds(anchor, rank);
    }

    // ---- What is free.

    [[nodiscard]] bool free_anchors_hold() const noexcept {
      if (taken_ > anchors_ || pool_.free_anchor_count_ != anchors_ - taken_) return false;
      const auto is_free = [this](SlotIndex at) {
        const OrderSlot& anchor = pool_[at];
        if (anchor.total() != 0 || anchor.order_count() != 0 || anchor.oldest() == at) return false;
        return anchor.owner() % 2 == 0 && (at >= set_.cells_.size() || anchor.rank() == FarLevels::no_rank);
      };
      return FreeList{pool_, pool_.free_anchor_count_, is_free}.holds(pool_.free_anchor_, anchors_, 0, anchors_);
    }
    [[nodiscard]] bool free_nodes_hold() const noexcept {
      std::uint32_t at = 0;
      for (std::uint64_t left = nodes_.size() - std::min<std::uint64_t>(used_nodes_, nodes_.size()); left > 0;
           --left) {
        if (at >= nodes_.size()) return false;
        if (detail::any_of(nodes_[at].inverse, [](auto rank) { return rank != 0; })) return false;
        at = nodes_[at].below[0];
        if (at == 0) return left == 1;
      }
      return false;
    }
    [[nodiscard]] bool free_slots_hold() const noexcept {
      if constexpr (requires { pool_.tags_; }) {
        std::size_t live = 0;
        for (SlotIndex slot = anchors_; slot < pool_.slot_count(); ++slot) {
          const bool lives = pool_[slot].generation % 2 == 1;
          const std::size_t order = slot - anchors_;
          const auto& tags = pool_.tags_[order / pool_.bucket_slots];
          if (lives == tags.has(order % pool_.bucket_slots, 0)) return false;
          if (slot + ahead < pool_.slot_count()) pool_.prefetch_tags(pool_[slot + ahead].id);
          if (lives && pool_.handle_of(pool_[slot].id).index != slot) return false;
          live += std::size_t{lives};
        }
        return live == pool_.live_count();
      } else {
        const auto is_free = [this](SlotIndex at) { return pool_[at].generation % 2 == 0; };
        return FreeList{pool_, pool_.capacity() - pool_.live_count(), is_free}.holds(pool_.free_, OrderPool::none,
                                                                                     anchors_, pool_.slot_count());
      }
    }

    // ---- Rules: the terms of orders, and the lists of owners.

    [[nodiscard]] bool order_terms_hold(SlotIndex order) const noexcept {
      const detail::SlotTerms& terms = set_.rules_[order];
      if (pool_[order].generation % 2 == 0) return terms == detail::SlotTerms{};
      const Quantity displayed = pool_[order].quantity;
      if (terms.flags > 15 || terms.display() > Display::Hidden) return false;
      if (terms.used() != (terms.owner != 0 || terms.display() != Display::Whole)) return false;
      if (terms.owner == 0 && (terms.previous | terms.next) != 0) return false;
      if (terms.reserve > set_.quantity_max_ - displayed) return false;
      switch (terms.display()) {
        case Display::Whole: return terms.reserve == 0 && terms.peak == 0;
        case Display::Reserve: return displayed != 0 && displayed <= terms.peak;
        case Display::Hidden: break;
      }
      return displayed == 0 && terms.reserve != 0 && terms.peak == 0;
    }
    [[nodiscard]] bool rules_hold() const noexcept {
      if constexpr (has_rules<Set>) {
        const detail::RuleState& rules = set_.rules_;
        std::size_t noted = 0;
        for (SlotIndex anchor = 0; anchor < anchors_; ++anchor) {
          noted += std::size_t{rules[anchor] != detail::SlotTerms{}};
        }
        std::size_t used = 0, hidden = 0, owned = 0;
        Quantity reserves = 0;
        for (SlotIndex order = anchors_; order < pool_.slot_count(); ++order) {
          if (!order_terms_hold(order)) return false;
          const detail::SlotTerms& terms = rules[order];
          if (terms.reserve > std::numeric_limits<Quantity>::max() - reserves) return false;
          reserves += terms.reserve;
          used += std::size_t{terms.used()};
          hidden += std::size_t{terms.hidden()};
          owned += std::size_t{terms.owner != 0};
        }
        return noted == queues_.noted && used == rules.used && hidden == rules.hidden &&
               reserves == rules.reserves && rules.lists_hold(anchors_, pool_.slot_count(), owned);
      } else {
        return true;
      }
    }

    const Set& set_;
    const decltype(set_.pool_)& pool_;
    const decltype(pool_.far_.nodes_)& nodes_;
    const SlotIndex anchors_;
    Queues<Set> queues_;
    detail::ListWalks<Queues<Set>> walks_;
    std::uint32_t owner_ = 0;       ///< what the anchors of the side have
    std::uint64_t beyond_ = 0;      ///< far levels have ranks above this one
    std::uint64_t held_ = 0;        ///< the rank of the level that the side holds, or none
    std::uint32_t first_leaf_ = 0;  ///< of the tree
    std::uint64_t orders_ = 0;
    std::uint64_t taken_ = 0;  ///< anchors
    std::uint64_t used_nodes_ = 0;
  };

  // ---- Indexes: each order is found by its id, and there is nothing else.

  template <class Pool, class Index>
  [[nodiscard]] static bool finds_all(const Pool& pool, const Index& index) noexcept {
    for (SlotIndex slot = pool.anchor_count(); slot < pool.slot_count(); ++slot) {
      if (slot + ahead < pool.slot_count()) fetch_entry(index, pool[slot + ahead].id);
      const auto is_here = [slot](SlotIndex found) { return found == slot; };
      if (pool[slot].generation % 2 == 1 && index.find(pool[slot].id, is_here) != slot) return false;
    }
    return true;
  }

  static void fetch_entry(const DenseIds& index, OrderId id) noexcept { index.fetch(id); }
  static void fetch_entry(const HashedIds& index, OrderId id) noexcept {
    for (const std::uint32_t number : {index.state_->goal, index.state_->in_use}) {
      const HashedIds::Table table = index.table(number);
      __builtin_prefetch(&table.first[HashedIds::key_in(table.size, id).bucket]);
    }
  }

  template <class Pool>
  [[nodiscard]] static bool index_holds(const Pool& /*pool*/, const PlacedIds& /*index*/) noexcept {
    return true;  // the pool is the index
  }
  template <class Pool>
  [[nodiscard]] static bool index_holds(const Pool& pool, const DenseIds& index) noexcept {
    return index.slots_[index.slots_.size() - 1] == OrderPool::none && finds_all(pool, index);
  }
  template <class Pool>
  [[nodiscard]] static bool index_holds(const Pool& pool, const HashedIds& index) noexcept {
    return tables_hold(index, pool.live_count()) && entries(index) == pool.live_count() && finds_all(pool, index);
  }
  /// Whether the tables in use are some, the one that entries move to has room for them, none is left behind, and
  /// the buckets that are always full are.
  [[nodiscard]] static bool tables_hold(const HashedIds& index, std::size_t orders) noexcept {
    const HashedIds::State& state = index.state_;
    if (state.in_use >= index.tables_ || state.goal >= index.tables_) return false;
    if (index.moves() ? orders > index.orders_of(state.goal) : state.moved != 0) return false;
    if (state.moved > index.size_of(state.in_use)) return false;
    for (std::size_t i = 0; i < state.moved; ++i) {
      const auto& bucket = index.table(state.in_use).first[i];
      for (std::size_t entry = 0; entry < bucket.slots.size(); ++entry) {
        if (!bucket.tags.has(entry, HashedIds::Tags::free) && bucket.slots[entry] != 0) return false;
      }
    }
    for (std::size_t i = 0; i < index.buckets_.size(); ++i) {
      const auto& bucket = index.buckets_[i];
      if (!index.is_always_full(i)) continue;
      if (bucket.tags.with(HashedIds::Tags::free) != 0 || !bucket.tags.was_passed()) return false;
      if (detail::any_of(bucket.slots, [](SlotIndex slot) { return slot != 0; })) return false;
    }
    return true;
  }
  [[nodiscard]] static std::size_t entries(const HashedIds& table) noexcept {
    std::size_t count = 0;
    for (std::size_t bucket = 0; bucket < table.buckets_.size(); ++bucket) {
      if (table.is_always_full(bucket)) continue;
      for (std::size_t entry = 0; entry < 6; ++entry) {
        count += std::size_t{!table.buckets_[bucket].tags.has(entry, HashedIds::Tags::free)};
      }
    }
    return count;
  }
};

}  // namespace llmes::inline LLMES_NAMESPACE
