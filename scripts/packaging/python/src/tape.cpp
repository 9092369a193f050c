// SPDX-License-Identifier: MIT
#include "tape.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "words.hpp"

namespace llmes::python {

namespace {

/// What a maker of books gives, or an exception.
template <class Made>
Made made(std::optional<Made> made, CreateStatus status) {
  if (made) return *std::move(made);
  if (status == CreateStatus::OutOfMemory) throw std::bad_alloc();
  throw std::invalid_argument("these books cannot be made: " + std::string(to_string(status)));
}
MarketBooks make_books(const MarketConfig& config) {
  CreateStatus status{};
  return made(MarketBooks::create(config, status), status);
}
TapeReport make_report(const MarketConfig& config) {
  CreateStatus status{};
  return made(TapeReport::create(config, status), status);
}

}  // namespace

MarketConfig market_config(const Selection& selection, std::size_t orders) {
  return {.books = std::max<std::size_t>(selection.names.size(), 1),
          .capacity = std::clamp<std::size_t>(selection.additions, 1, std::max<std::size_t>(orders, 1))};
}

Faults faults_of(const StatusCounts& statuses, const FeedCounts& feed) {
  Faults faults;
  const auto say = [&](std::string_view name, std::uint64_t count) {
    if (count != 0) faults[std::string(name)] = count;
  };
  for (std::size_t i = 1; i < statuses.size(); ++i) say(to_string(static_cast<MarketStatus>(i)), statuses[i]);
  say("unreadable", feed.unreadable);
  say("off_tick", feed.off_tick);
  say("times_back", feed.times_back);
  say("suspect", feed.suspect);
  return faults;
}

// ---- RestingCount

std::size_t RestingCount::find(OrderId id) const {
  return orders_.search(Entry{id, 0, 0, Side::Buy}.hash(), [&](const Entry& entry) { return entry.id == id; });
}
void RestingCount::put(const Entry& entry) {
  if (2 * count_ == orders_.size()) {
    ProbingTable<Entry> larger(orders_.size());
    if (!larger.allocated()) throw std::bad_alloc();
    for (std::size_t i = 0; i < orders_.size(); ++i) {
      const Entry& old = orders_[i];
      if (old.used()) larger[larger.search(old.hash(), [](const Entry&) { return false; })] = old;
    }
    orders_ = std::move(larger);
  }
  Entry& place = orders_[find(entry.id)];
  if (place.used()) return;
  place = entry;
  most_ = std::max(most_, ++count_);
}
void RestingCount::take_off(OrderId id, Quantity lots) {
  const std::size_t at = find(id);
  Entry& order = orders_[at];
  if (!order.used() || lots > order.lots) return;
  order.lots -= lots;
  if (order.lots != 0) return;
  order.lots = 1;  // it is used until it is freed
  orders_.free(at);
  --count_;
}
void RestingCount::clear(const MarketEvent& event) {
  const bool one_side = event.type == MarketEventType::ClearSide;
  std::vector<OrderId> left;
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    const Entry& order = orders_[i];
    const bool leaves =
        (event.book == every_book || order.book == event.book) && (!one_side || order.side == event.side);
    if (order.used() && leaves) left.push_back(order.id);
  }
  for (const OrderId id : left) take_off(id, orders_[find(id)].lots);
}
void RestingCount::take(const MarketEvent& event) {
  const bool is_possible = event.quantity != 0 && event.quantity <= lots_max;
  switch (event.type) {
    case MarketEventType::Add:
      if (is_possible) put({event.id, event.quantity, event.book, event.side});
      break;
    case MarketEventType::Cancel: take_off(event.id, orders_[find(event.id)].lots); break;
    case MarketEventType::Reduce:
    case MarketEventType::Execute: take_off(event.id, event.quantity); break;
    case MarketEventType::Modify: {
      if (!is_possible) break;
      Entry& order = orders_[find(event.id)];
      if (order.used()) order.lots = event.quantity;
      if (!order.used()) put({event.id, event.quantity, event.book, event.side});
      break;
    }
    case MarketEventType::Replace: {
      const Entry old = orders_[find(event.id)];
      if (!is_possible || !old.used()) break;
      take_off(event.id, old.lots);
      put({event.new_id, event.quantity, old.book, old.side});
      break;
    }
    case MarketEventType::Clear:
    case MarketEventType::ClearSide: clear(event); break;
    default: break;
  }
}

// ---- Survey

void Survey::feed(std::span<const std::byte> bytes) {
  feed_.feed(bytes, [this](const MarketEvent& event) { take(event); });
}
void Survey::finish() {
  feed_.finish([this](const MarketEvent& event) { take(event); });
  std::vector<std::string> names = tape_names(feed_.reader(), books_.size(), path_);
  for (BookNumber book = 0; book < books_.size(); ++book) books_[book].name = std::move(names[book]);
}
void Survey::take(const MarketEvent& event) {
  if (event.book == every_book) return resting_.take(event);
  if (event.book >= books_.size()) books_.resize(std::size_t{event.book} + 1);
  resting_.take(event);
  Book& book = books_[event.book];
  using enum MarketEventType;
  if (event.type == Add || event.type == Modify || event.type == Replace) ++book.additions;
  if (event.price != 0 && !book.grid.holds(event.price)) book.grid = book.grid.with(event.price);
}

std::vector<std::string> Survey::names() const {
  std::vector<std::string> names;
  for (const Book& book : books_) {
    if (!book.name.empty()) names.push_back(book.name);
  }
  return names;
}
Selection Survey::select(const std::set<std::string>& symbols, Price tick) const {
  const std::vector<std::string> all = names();
  for (const std::string& symbol : symbols) {
    if (std::ranges::find(all, symbol) == all.end()) throw unknown_symbol(symbol);
  }
  Selection selection;
  selection.format = format();
  TickGrid grid = tick == 0 ? TickGrid() : TickGrid().with(tick);
  std::size_t additions = 0;
  for (BookNumber book = 0; book < books_.size(); ++book) {
    const bool is_played = !books_[book].name.empty() && (symbols.empty() || symbols.contains(books_[book].name));
    selection.numbers.push_back(is_played ? static_cast<BookNumber>(selection.names.size())
                                          : Selection::not_played);
    if (!is_played) continue;
    selection.books.push_back(book);
    selection.names.push_back(books_[book].name);
    additions += books_[book].additions;
    if (books_[book].grid.step() != 0) grid = grid.with(books_[book].grid.step());
  }
  selection.step = std::max<Price>(grid.step(), 1);
  selection.additions = additions;
  selection.resting = resting_.most();
  selection.feed = feed_.reader().counts();
  return selection;
}
Table Survey::symbols() const {
  Table table{{{"symbol", ColumnKind::Category}, Column("orders"), Column("price_step")}};
  for (const Book& book : books_) {
    if (book.name.empty()) continue;
    Row(table) << std::string_view(book.name) << book.additions << book.grid.step();
  }
  return table;
}

// ---- Tables

TapeTables::TapeTables(const Survey& survey, const std::set<std::string>& symbols, TapeTableConfig config)
    : selection_(survey.select(symbols)),
      config_(std::move(config)),
      feed_(selection_.step),
      capacity_(market_config(selection_, config_.orders).capacity),
      books_(make_books(market_config(selection_, capacity_))),
      touches_(books_.book_count(), Touch{Column::none, 0, Column::none, 0}) {
  using enum ColumnKind;
  const ColumnKind time = selection_.time_kind();
  std::map<std::string, std::vector<Column>> columns = {
      {"touch",
       {{"time", time},
        Column("record"),
        {"symbol", Category},
        Column("bid"),
        Column("bid_lots"),
        Column("ask"),
        Column("ask_lots")}},
      {"trades",
       {{"time", time},
        Column("record"),
        {"symbol", Category},
        Column("price"),
        Column("lots"),
        {"maker", Category},
        {"kind", Category},
        {"printed", Category},
        Column("reference")}},
      {"messages",
       {{"time", time},
        Column("record"),
        {"symbol", Category},
        {"type", Category},
        Column("reference"),
        Column("new_reference"),
        {"side", Category},
        Column("price"),
        Column("lots"),
        Column("lots_before")}},
      {"depth", depth_columns(time, config_.levels)},
      {"halts", {{"time", time}, Column("record"), {"symbol", Category}, {"state", Category}}},
  };
  for (const std::string& name : config_.tables) {
    const auto found = columns.find(name);
    if (found == columns.end()) throw std::invalid_argument("there is no table '" + name + "'");
    tables_[name].columns = found->second;
  }
  touch_ = wanted("touch");
  trades_ = wanted("trades");
  messages_ = wanted("messages");
  depth_ = wanted("depth");
  halts_ = wanted("halts");
  if (depth_ != nullptr && (config_.levels == 0 || config_.every <= 0))
    throw std::invalid_argument("depth: levels and every must be above 0");
}

Table* TapeTables::wanted(const char* name) {
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : &found->second;
}
const Table& TapeTables::table(const std::string& name) const {
  const auto found = tables_.find(name);
  if (found == tables_.end()) throw std::invalid_argument("the table '" + name + "' was not asked for");
  return found->second;
}
Table TapeTables::take(const std::string& name) {
  return const_cast<Table&>(table(name)).take();
}

void TapeTables::feed(std::span<const std::byte> bytes) {
  feed_.feed(bytes, selection_, player());
}
void TapeTables::finish() {
  feed_.finish(selection_, player());
}

/// Makes larger books if the orders that rest and so many more may not find room.
void TapeTables::make_room(std::size_t orders) {
  const std::size_t needed = books_.set().size() + orders;
  if (needed <= capacity_ || capacity_ >= selection_.additions) return;  // as nearly always
  const MarketConfig config = market_config(selection_, std::max(2 * capacity_, needed));
  MarketBooks larger = make_books(config);
  NoDetails none;
  for (BookNumber book = 0; book < config.books; ++book) {
    for (const Side side : {Side::Buy, Side::Sell}) {
      books_.set().book(book)->visit_orders(side, [&](const RestingOrder& order) {
        static_cast<void>(larger.apply(
            {.id = order.id, .price = order.price, .quantity = order.quantity, .book = book, .side = side}, none));
        return true;
      });
    }
  }
  books_ = std::move(larger);
  capacity_ = config.capacity;
}

void TapeTables::play(const MarketEvent& event) {
  if (depth_ != nullptr) sample(event.time);
  OrderChange change;
  const MarketStatus status = books_.apply(event, change);
  ++statuses_[static_cast<std::size_t>(status)];
  // An order that has rested since before the file is unknown, but the file may say all of its trade.
  const bool is_of_stranger = status == MarketStatus::UnknownOrder && event.book < selection_.names.size() &&
                              (event.type == MarketEventType::Fill || event.priced);
  if (trades_ != nullptr && (status == MarketStatus::Success || is_of_stranger)) add_trade(event, change);
  if (status == MarketStatus::Success) {
    if (messages_ != nullptr) add_message(event, change);
    if (halts_ != nullptr && event.type == MarketEventType::Phase && event.book != every_book) add_halt(event);
  }
  // Between the messages of an event a book is half way.
  if (touch_ != nullptr && event.last && event.book != every_book) add_touch(event);
}

void TapeTables::add_trade(const MarketEvent& event, const OrderChange& change) {
  const bool of_order = event.type == MarketEventType::Execute || event.type == MarketEventType::Fill;
  if (!of_order && event.type != MarketEventType::Trade) return;
  if (of_order && event.cross) return;  // fills of both sides: the print has their lots once
  const Price price = change.rested() && !event.off_price ? change.before.price : event.price;
  const Side maker = change.rested() ? change.before.side : event.side;
  const bool is_cross = event.cross && selection_.format != TapeFormat::Dbn;  // DBN does not always tell
  Row(*trades_) << event.time << event.record << std::string_view(selection_.names[event.book]) << price_of(price)
                << event.quantity << (of_order ? word_of(maker) : std::string_view())
                << std::string_view(of_order   ? "order"
                                    : is_cross ? "cross"
                                               : "other")
                << std::string_view(event.unprinted ? "no" : "yes")
                << (of_order ? static_cast<std::int64_t>(selection_.id_of(event.book, event.id)) : Column::none);
}

void TapeTables::add_message(const MarketEvent& event, const OrderChange& change) {
  if (event.type > MarketEventType::Execute) return;
  const bool replaces = event.type == MarketEventType::Replace;
  const RestingOrder& order = change.rests() && !replaces ? change.after : change.before;
  const Price price = replaces ? event.price : order.price;
  const bool leaves = event.type == MarketEventType::Cancel;
  const auto id = [&](OrderId of) { return static_cast<std::int64_t>(selection_.id_of(event.book, of)); };
  Row(*messages_) << event.time << event.record << std::string_view(selection_.names[event.book])
                  << to_string(event.type) << id(event.id) << (replaces ? id(event.new_id) : Column::none)
                  << word_of(order.side) << price_of(price) << (leaves ? change.before.quantity : event.quantity)
                  << (change.rested() ? static_cast<std::int64_t>(change.before.quantity) : Column::none);
}

void TapeTables::add_halt(const MarketEvent& event) {
  Row(*halts_) << event.time << event.record << std::string_view(selection_.names[event.book])
               << std::string_view(event.phase == MarketPhase::Halted    ? "H"
                                   : event.phase == MarketPhase::Auction ? "Q"
                                                                         : "T");
}

void TapeTables::add_touch(const MarketEvent& event) {
  Touch now{Column::none, 0, Column::none, 0};
  const auto book = books_.set().book(event.book);
  for (const Side side : {Side::Buy, Side::Sell}) {
    const std::optional<Price> best = book->best(side);
    if (!best) continue;
    const std::size_t at = side == Side::Buy ? 0 : 2;
    now[at] = price_of(*best);
    now[at + 1] = static_cast<std::int64_t>(book->level(side, *best).quantity);
  }
  if (now == touches_[event.book]) return;
  touches_[event.book] = now;
  Row row(*touch_);
  row << event.time << event.record << std::string_view(selection_.names[event.book]);
  for (const std::int64_t one : now) row << one;
}

void TapeTables::sample(Nanoseconds time) {
  const auto every = static_cast<Nanoseconds>(config_.every);
  // Nothing changes between two messages, so one sample stands for all that are due.
  const Nanoseconds at = time - time % every;
  if (!next_sample_) next_sample_ = at + every;
  if (time < *next_sample_) return;
  next_sample_ = at + every;
  std::array<std::vector<DepthLevel>, 2> levels;
  for (BookNumber number = 0; number < selection_.names.size(); ++number) {
    const auto book = books_.set().book(number);
    for (const Side side : {Side::Buy, Side::Sell}) {
      std::vector<DepthLevel>& room = levels[static_cast<std::size_t>(side)];
      room.resize(config_.levels);
      room.resize(book->depth(side, room));
    }
    if (levels[0].empty() && levels[1].empty()) continue;
    Row row(*depth_);
    row << at << std::string_view(selection_.names[number]);
    for (std::size_t level = 0; level < config_.levels; ++level) {
      for (const std::vector<DepthLevel>& side : levels) {
        const bool is_there = level < side.size();
        row << (is_there ? price_of(side[level].price) : Column::none)
            << (is_there ? side[level].quantity : Quantity{0});
      }
    }
  }
}

// ---- Check

TapeCheck::TapeCheck(const Survey& survey)
    : selection_(survey.select({})),
      feed_(selection_.step),
      report_(make_report(market_config(selection_, selection_.resting))) {}

void TapeCheck::feed(std::span<const std::byte> bytes) {
  feed_.feed(bytes, selection_, player());
}
void TapeCheck::finish() {
  feed_.finish(selection_, player());
  report_.finish();
}

std::map<std::string, std::uint64_t> TapeCheck::counts() const {
  const FeedCounts& feed = feed_.reader().counts();
  const TapeCounts& tape = report_.counts();
  return {{"records", feed.records},
          {"passed_over", feed_.reader().passed_over()},
          {"unreadable", feed.unreadable},
          {"times_back", feed.times_back},
          {"suspect", feed.suspect},
          {"moments", tape.events},
          {"crossed", tape.crossed},
          {"locked", tape.locked},
          {"fills", tape.fills},
          {"fills_first", tape.at_head + tape.at_head_gone},
          {"fills_passed_better", tape.passed_better},
          {"cross_fills", tape.cross_fills},
          {"aggressor_fills", feed_.reader().aggressor_fills()}};
}
std::map<std::string, std::uint64_t> TapeCheck::types() const {
  std::map<std::string, std::uint64_t> types;
  const auto& by_type = report_.counts().by_type;
  for (std::size_t i = 0; i < by_type.size(); ++i) {
    if (by_type[i] != 0) types[std::string(to_string(static_cast<MarketEventType>(i)))] = by_type[i];
  }
  return types;
}

}  // namespace llmes::python
