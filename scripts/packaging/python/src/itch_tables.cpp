// SPDX-License-Identifier: MIT
#include "itch_tables.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "words.hpp"

namespace llmes::python {

namespace {

constexpr std::size_t locates = 65'536;
constexpr std::size_t pending_max = 4'096;  // messages that are applied at once

std::vector<Column> columns_of(std::initializer_list<std::pair<const char*, ColumnKind>> list) {
  std::vector<Column> columns;
  for (const auto& [name, kind] : list) columns.emplace_back(name, kind);
  return columns;
}

/// All messages begin alike.
const auto& header_of(itch::MessageBytes message) {
  return reinterpret_cast<const itch::OrderDelete*>(message.data())->header;
}
std::int64_t time_of(itch::MessageBytes message) {
  return header_of(message).timestamp.value().count();
}
itch::Locate locate_of(itch::MessageBytes message) {
  return header_of(message).locate;
}
std::string_view word_of(const char& letter) {
  return letter == ' ' ? std::string_view() : std::string_view(&letter, 1);
}
std::int64_t number_of(itch::Price4 price) {
  return static_cast<std::int64_t>(price);
}
std::int64_t number_or_none(itch::Price4 price) {
  return price == itch::Price4{} ? Column::none : number_of(price);
}

}  // namespace

std::map<std::string, std::vector<Column>> itch_columns(std::size_t levels) {
  using enum ColumnKind;
  std::map<std::string, std::vector<Column>> columns = {
      {"symbols", columns_of({{"locate", Number},
                              {"symbol", Category},
                              {"round_lot", Number},
                              {"market_category", Category},
                              {"classification", Category}})},
      {"touch", columns_of({{"time", Duration},
                            {"record", Number},
                            {"symbol", Category},
                            {"bid", Number},
                            {"bid_lots", Number},
                            {"ask", Number},
                            {"ask_lots", Number}})},
      {"trades", columns_of({{"time", Duration},
                             {"record", Number},
                             {"symbol", Category},
                             {"price", Number},
                             {"lots", Number},
                             {"maker", Category},
                             {"kind", Category},
                             {"printed", Category},
                             {"reference", Number},
                             {"match", Number}})},
      {"messages", columns_of({{"time", Duration},
                               {"record", Number},
                               {"symbol", Category},
                               {"type", Category},
                               {"reference", Number},
                               {"new_reference", Number},
                               {"side", Category},
                               {"price", Number},
                               {"lots", Number},
                               {"lots_before", Number}})},
      {"imbalance", columns_of({{"time", Duration},
                                {"record", Number},
                                {"symbol", Category},
                                {"paired", Number},
                                {"imbalance", Number},
                                {"direction", Category},
                                {"far", Number},
                                {"near", Number},
                                {"reference", Number},
                                {"cross", Category}})},
      {"halts", columns_of({{"time", Duration},
                            {"record", Number},
                            {"symbol", Category},
                            {"state", Category},
                            {"reason", Category}})},
  };
  columns["depth"] = depth_columns(Duration, levels);
  return columns;
}

ItchTables::ItchTables(Config config)
    : config_(std::move(config)),
      capacity_(config_.orders),
      names_(locates),
      wanted_(locates, false),
      touches_(locates) {
  const auto columns = itch_columns(config_.levels);
  for (const std::string& name : config_.tables) {
    const auto found = columns.find(name);
    if (found == columns.end()) throw std::invalid_argument("there is no table '" + name + "'");
    tables_[name].columns = found->second;
  }
  if (config_.orders == 0) throw std::invalid_argument("orders: the books need room for one order at least");
  const auto wanted = [this](const char* name) {
    const auto found = tables_.find(name);
    return found == tables_.end() ? nullptr : &found->second;
  };
  touch_ = wanted("touch");
  trades_ = wanted("trades");
  messages_ = wanted("messages");
  depth_ = wanted("depth");
  imbalance_ = wanted("imbalance");
  halts_ = wanted("halts");
  symbols_ = wanted("symbols");
  if (depth_ != nullptr && (config_.levels == 0 || config_.every <= 0))
    throw std::invalid_argument("depth: levels and every must be above 0");
  for (Touch& touch : touches_) touch.numbers = {Column::none, 0, Column::none, 0};
}

const Table& ItchTables::table(const std::string& name) const {
  const auto found = tables_.find(name);
  if (found == tables_.end()) throw std::invalid_argument("the table '" + name + "' was not asked for");
  return found->second;
}

Table ItchTables::take(const std::string& name) {
  return const_cast<Table&>(table(name)).take();
}

std::map<std::string, std::uint64_t> ItchTables::counts() const {
  std::map<std::string, std::uint64_t> counts;
  for (std::size_t type = 0; type < types_.size(); ++type) {
    if (types_[type] != 0) counts[readable(std::string(1, static_cast<char>(type)))] += types_[type];
  }
  return counts;
}

Faults ItchTables::faults() const {
  StatusCounts statuses{};
  FeedCounts feed;
  for (std::size_t i = 0; feed_ && i < FeedFaults::kinds; ++i) {
    const auto fault = static_cast<FeedFault>(i);
    const auto place = [&]() -> std::uint64_t& {
      const auto of = [&](MarketStatus status) -> std::uint64_t& {
        return statuses[static_cast<std::size_t>(status)];
      };
      switch (fault) {
        case FeedFault::UnknownSymbol: return of(MarketStatus::UnknownBook);
        case FeedFault::UnknownReference: return of(MarketStatus::UnknownOrder);
        case FeedFault::DuplicateReference: return of(MarketStatus::DuplicateOrder);
        case FeedFault::ZeroQuantity:
        case FeedFault::OverExecution: return of(MarketStatus::InvalidQuantity);
        case FeedFault::NoRoom: return of(MarketStatus::NoRoom);
        default: return feed.unreadable;
      }
    };
    place() += feed_->faults()[fault] + old_faults_[i];
  }
  return faults_of(statuses, feed);
}

void ItchTables::feed(std::span<const std::byte> bytes) {
  pieces_.feed(bytes, [this](std::span<const std::byte> some) { return read(some); });
}

std::size_t ItchTables::read(std::span<const std::byte> bytes) {
  itch::FrameReader reader(bytes);
  std::array<itch::MessageBytes, 256> messages;
  for (std::span<const itch::MessageBytes> read; !(read = reader.read(messages)).empty();) {
    for (const itch::MessageBytes& message : read) take_message(message);
  }
  apply_pending();
  offset_ += reader.offset();
  if (reader.status() == itch::FramingStatus::Success || reader.status() == itch::FramingStatus::Truncated)
    return reader.offset();
  throw std::runtime_error(std::string(itch::words_of(reader.status())) + ", at byte " + std::to_string(offset_));
}

void ItchTables::finish() {
  // A length of 0 at the end says that the session has ended.
  const std::span<const std::byte> rest = pieces_.rest();
  const bool ends = rest.size() == 2 && rest[0] == std::byte{} && rest[1] == std::byte{};
  if (!rest.empty() && !ends)
    throw std::runtime_error("the file ends within a message, at byte " + std::to_string(offset_));
  if (offset_ == 0 && !ends) throw std::runtime_error("it is empty");
  for (const std::string& symbol : config_.symbols) {
    if (std::ranges::find(names_, symbol) == names_.end()) throw unknown_symbol(symbol);
  }
}

FeedBook ItchTables::make_books(std::size_t symbols) const {
  auto books = FeedBook::create({.symbols = symbols, .capacity = capacity_});
  if (!books) throw std::bad_alloc();
  return *std::move(books);
}

/// Makes books, or larger ones, if the orders that rest and so many more may not find room.
void ItchTables::make_room(std::size_t orders) {
  const std::size_t needed = orders + (feed_ ? feed_->size() : 0);
  if (feed_ && needed <= capacity_) return;  // as nearly always
  capacity_ = needed <= capacity_ ? capacity_ : std::max(2 * capacity_, needed);
  if (!feed_) {
    // A day names its symbols before the first order. A few may follow.
    const bool are_named = largest_locate_ != 0;
    feed_ = make_books(are_named ? std::min(largest_locate_ + 1'024, locates - 1) : locates - 1);
    return;
  }
  FeedBook larger = make_books(feed_->symbol_count());
  for (std::size_t i = 1; i <= feed_->symbol_count(); ++i) {
    const auto locate = static_cast<itch::Locate>(i);
    for (const Side side : {Side::Buy, Side::Sell}) {
      feed_->visit_orders(locate, side, [&](const RestingOrder& order) {
        itch::AddOrder add;
        add.header.locate = locate;
        add.reference = static_cast<itch::Reference>(order.id);
        add.side = side == Side::Buy ? itch::BuySell::Buy : itch::BuySell::Sell;
        add.shares = static_cast<std::uint32_t>(order.quantity);
        add.price = static_cast<itch::Price4>(order.price);
        static_cast<void>(larger.apply(itch::bytes_of(add)));
        return true;
      });
    }
  }
  for (std::size_t i = 0; i < FeedFaults::kinds; ++i) old_faults_[i] += feed_->faults()[static_cast<FeedFault>(i)];
  feed_ = std::move(larger);
}

void ItchTables::take_message(itch::MessageBytes message) {
  const std::uint64_t number = message_count_++;
  if (!message.empty()) ++types_[std::to_integer<unsigned char>(message.front())];
  const std::size_t size = message.empty() ? 0 : itch::message_size(message.front());
  const bool is_right = size != 0 && size == message.size();
  if (is_right) {
    const std::int64_t time = time_of(message);
    if (first_time_ == Column::none) first_time_ = time;
    last_time_ = time;
    if (depth_ != nullptr) sample(time);
  }
  const bool of_order = itch::order_fields(message).action != itch::OrderAction::None;
  if (of_order || !is_right) {
    pending_.push_back(message);
    pending_numbers_.push_back(number);
    if (pending_.size() == pending_max) apply_pending();
    return;
  }
  apply_pending();
  if (feed_) feed_->apply(message);
  add_other(message, number);
}

void ItchTables::apply_pending() {
  if (pending_.empty()) return;
  make_room(pending_.size());
  const bool tells_orders = trades_ != nullptr || messages_ != nullptr;
  std::size_t next = 0;
  const auto number = [&](itch::MessageBytes message) {
    while (pending_[next].data() != message.data()) ++next;
    return pending_numbers_[next];
  };
  if (tells_orders) {
    feed_->apply(pending_, [&](itch::MessageBytes message, const RestingOrder& order) {
      changed(message, number(message), order);
    });
  } else if (touch_ != nullptr) {
    feed_->apply(pending_, [&](itch::MessageBytes message) {
      add_touch(locate_of(message), time_of(message), number(message));
    });
  } else {
    feed_->apply(pending_);
  }
  most_resting_ = std::max(most_resting_, feed_->size());
  pending_.clear();
  pending_numbers_.clear();
}

void ItchTables::changed(itch::MessageBytes message, std::uint64_t number, const RestingOrder& order) {
  const itch::Locate locate = locate_of(message);
  if (!wanted(locate)) return;
  if (messages_ != nullptr) add_message(message, number, order);
  if (trades_ != nullptr) add_trade(message, number, &order);
  if (touch_ != nullptr) add_touch(locate, time_of(message), number);
}

void ItchTables::add_touch(itch::Locate locate, std::int64_t time, std::uint64_t number) {
  if (!wanted(locate)) return;
  Touch now{{Column::none, 0, Column::none, 0}};
  const FeedTouch touch = feed_->touch(locate);
  if (const auto bid = touch.bid()) {
    now.numbers[0] = number_of(*bid);
    now.numbers[1] = static_cast<std::int64_t>(feed_->level(locate, Side::Buy, *bid).quantity);
  }
  if (const auto ask = touch.ask()) {
    now.numbers[2] = number_of(*ask);
    now.numbers[3] = static_cast<std::int64_t>(feed_->level(locate, Side::Sell, *ask).quantity);
  }
  if (now == touches_[static_cast<std::size_t>(locate)]) return;
  touches_[static_cast<std::size_t>(locate)] = now;
  Row row(*touch_);
  row << time << number << name(locate);
  for (const std::int64_t one : now.numbers) row << one;
}

void ItchTables::add_trade(itch::MessageBytes message, std::uint64_t number, const RestingOrder* order) {
  const auto add = [&](const auto& header, std::string_view symbol, std::int64_t price, std::uint64_t lots,
                       std::string_view maker, std::string_view kind, bool printed, std::int64_t reference,
                       itch::MatchNumber match) {
    Row(*trades_) << header.timestamp.value().count() << number << symbol << price << lots << maker << kind
                  << std::string_view(printed ? "yes" : "no") << reference << static_cast<std::uint64_t>(match);
  };
  const auto of_order = [&](const auto& execution, std::int64_t price, bool printed) {
    add(execution.header, name(execution.header.locate), price, execution.shares.value(), word_of(order->side),
        "order", printed, static_cast<std::int64_t>(execution.reference.value()), execution.match);
  };
  struct Handler {
    decltype(add)& add_row;
    decltype(of_order)& add_execution;
    const RestingOrder* order;
    void operator()(const itch::OrderExecuted& m) const { add_execution(m, order->price, true); }
    void operator()(const itch::OrderExecutedWithPrice& m) const {
      add_execution(m, number_of(m.price), m.printable != 'N');
    }
    void operator()(const itch::Trade& m) const {
      add_row(m.header, m.symbol.view(), number_of(m.price), std::uint64_t{m.shares.value()}, "", "hidden", true,
              Column::none, m.match);
    }
    void operator()(const itch::CrossTrade& m) const {
      add_row(m.header, m.symbol.view(), number_of(m.price), m.shares.value(), "", "cross", true, Column::none,
              m.match);
    }
    void operator()(const itch::BrokenTrade& m) const {
      add_row(m.header, "", Column::none, std::uint64_t{0}, "", "broken", false, Column::none, m.match);
    }
  };
  itch::decode(message, Handler{add, of_order, order});
}

void ItchTables::add_message(itch::MessageBytes message, std::uint64_t number, const RestingOrder& order) {
  const itch::OrderFields fields = itch::order_fields(message);
  using enum itch::OrderAction;
  const bool replaces = fields.action == Replace;
  const std::int64_t lots =
      fields.action == Delete ? static_cast<std::int64_t>(order.quantity) : std::int64_t{fields.shares};
  const char type = static_cast<char>(message.front());
  Row(*messages_) << time_of(message) << number << name(fields.locate) << word_of(type)
                  << static_cast<std::uint64_t>(fields.reference)
                  << (replaces ? static_cast<std::int64_t>(fields.new_reference) : Column::none)
                  << word_of(order.side) << (replaces ? number_of(fields.price) : order.price) << lots
                  << (fields.action == Add ? Column::none : static_cast<std::int64_t>(order.quantity));
}

void ItchTables::add_other(itch::MessageBytes message, std::uint64_t number) {
  struct Handler {
    ItchTables& all;
    std::uint64_t number;
    void operator()(const itch::StockDirectory& m) const {
      const auto at = static_cast<std::size_t>(m.header.locate.value());
      all.largest_locate_ = std::max(all.largest_locate_, at);
      all.names_[at] = readable(m.symbol.view());
      all.wanted_[at] = all.config_.symbols.contains(all.names_[at]);
      if (all.symbols_ == nullptr || !all.wanted(m.header.locate)) return;
      Row(*all.symbols_) << static_cast<std::uint64_t>(at) << m.symbol.view() << std::uint64_t{m.round_lot.value()}
                         << word_of(m.market_category.value()) << word_of(m.issue_classification.value());
    }
    void operator()(const itch::Imbalance& m) const {
      if (all.imbalance_ == nullptr || !all.wanted(m.header.locate)) return;
      Row(*all.imbalance_) << m.header.timestamp.value().count() << number << m.symbol.view()
                           << m.paired_shares.value() << m.imbalance_shares.value() << word_of(m.direction.value())
                           << number_or_none(m.far_price) << number_or_none(m.near_price)
                           << number_or_none(m.reference_price) << word_of(m.cross_type.value());
    }
    void operator()(const itch::TradingAction& m) const {
      if (all.halts_ == nullptr || !all.wanted(m.header.locate)) return;
      const auto state = static_cast<char>(m.state.value());
      Row(*all.halts_) << m.header.timestamp.value().count() << number << m.symbol.view() << word_of(state)
                       << m.reason.view();
    }
  };
  itch::decode(message, Handler{*this, number});
  if (trades_ == nullptr) return;
  const bool of_symbol = static_cast<char>(message.front()) != itch::type_of<itch::BrokenTrade>;
  if (of_symbol && !wanted(locate_of(message))) return;
  // Executions are messages about orders, and come with these.
  add_trade(message, number, nullptr);
}

void ItchTables::sample(std::int64_t time) {
  if (next_sample_ == Column::none) next_sample_ = time - time % config_.every + config_.every;
  if (time < next_sample_) return;
  apply_pending();
  std::vector<DepthLevel> bids(config_.levels);
  std::vector<DepthLevel> asks(config_.levels);
  // Nothing changes between two messages, so one sample stands for all that are due.
  const std::int64_t at = time - time % config_.every;
  for (std::size_t i = 1; feed_ && i <= feed_->symbol_count(); ++i) {
    const auto locate = static_cast<itch::Locate>(i);
    if (names_[i].empty() || !wanted(locate)) continue;
    const std::size_t bid_count = feed_->depth(locate, Side::Buy, bids);
    const std::size_t ask_count = feed_->depth(locate, Side::Sell, asks);
    if (bid_count + ask_count == 0) continue;
    Row row(*depth_);
    row << at << name(locate);
    for (std::size_t level = 0; level < config_.levels; ++level) {
      for (const auto& [levels, count] : {std::pair(&bids, bid_count), std::pair(&asks, ask_count)}) {
        row << (level < count ? (*levels)[level].price : Column::none)
            << (level < count ? static_cast<std::int64_t>((*levels)[level].quantity) : std::int64_t{0});
      }
    }
  }
  next_sample_ = at + config_.every;
}

}  // namespace llmes::python
