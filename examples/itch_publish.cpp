// SPDX-License-Identifier: MIT
//
// A venue of one symbol: a book that matches, whose events go to a file as ITCH 5.0 messages. Any ITCH reader can
// rebuild the book from it, such as itch_depth beside this program.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "llmes/book.hpp"
#include "llmes/ids.hpp"
#include "llmes/itch.hpp"
#include "llmes/market_data.hpp"
#include "print_depth.hpp"
#include "support/program.hpp"

namespace {

using namespace llmes;

constexpr std::string_view usage = R"(usage: itch_publish FILE

Trades for a minute in a book of its own, writes what happens there to FILE in ITCH 5.0, length-prefixed, and prints
the depth of the book at the end.
)";

/// A file of messages, each behind its length. It is written beside its place and takes it once it is whole, so
/// that what was there before stays if anything fails.
class MessageFile {
 public:
  explicit MessageFile(const std::string& path) : path_(path), part_(path + ".part") {
    // A device or a pipe would be replaced.
    std::error_code unknown;
    const std::filesystem::file_status status = std::filesystem::status(path, unknown);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) fail("it is no file");
    file_ = std::fopen(part_.c_str(), "wb");
    if (file_ == nullptr) fail(words_of(errno));
  }
  ~MessageFile() {
    if (file_ != nullptr) std::fclose(file_);
    if (!is_in_place_) std::remove(part_.c_str());
  }
  MessageFile(const MessageFile&) = delete;
  MessageFile& operator=(const MessageFile&) = delete;

  void operator()(itch::MessageBytes message) {
    const itch::Field<std::uint16_t> size = static_cast<std::uint16_t>(message.size());
    write(std::as_bytes(std::span(&size, 1)));
    write(message);
  }

  /// Ends the file.
  void put_in_place() {
    if (std::fclose(std::exchange(file_, nullptr)) != 0 && error_ == 0) error_ = errno;
    if (error_ == 0 && std::rename(part_.c_str(), path_.c_str()) != 0) error_ = errno;
    if (error_ != 0) fail(words_of(error_));
    is_in_place_ = true;
  }

 private:
  void write(std::span<const std::byte> bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size() && error_ == 0) error_ = errno;
  }
  static std::string words_of(int error) { return std::generic_category().message(error); }
  [[noreturn]] void fail(const std::string& why) {
    throw std::runtime_error("cannot write " + path_ + ": " + why);
  }

  std::string path_;
  std::string part_;
  std::FILE* file_ = nullptr;
  int error_ = 0;  // the first one
  bool is_in_place_ = false;
};

/// Random orders that are the same on every machine.
class Traders {
 public:
  Command next() {
    const Side side = below(2) == 0 ? Side::Buy : Side::Sell;
    const auto distance = static_cast<Price>(below(12)) - 2;  // some cross
    const Price price = side == Side::Buy ? 1'000 - distance : 1'001 + distance;
    const Quantity shares = 100 * (1 + below(9));
    const std::uint64_t kind = below(10);
    if (kind < 5 || orders_.empty())
      return Command::add_limit(++last_id_, side, price, shares, TimeInForce::GoodTillCancel);
    const std::size_t i = below(orders_.size());
    const OrderHandle order = orders_[i];
    if (kind == 5) return Command::add_market(++last_id_, side, shares);
    if (kind == 6) return Command::modify(order, price, shares);
    if (kind == 7) return Command::reduce(order, 50);
    orders_.erase(orders_.begin() + static_cast<std::ptrdiff_t>(i));
    return Command::cancel(order);
  }
  void rests(OrderHandle order) { orders_.push_back(order); }

 private:
  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
    return (state_ >> 33) % bound;
  }

  std::uint64_t state_ = 1;
  OrderId last_id_ = 0;
  std::vector<OrderHandle> orders_;
};

int run(const std::string& path) {
  MessageFile file(path);
  CreateStatus status{};
  auto sink = ItchSink<MessageFile&>::create({.capacity = 10'000}, file, status);
  auto book = AnyPriceBook<1024>::create({.capacity = 10'000}, status);
  if (!sink || !book) throw std::runtime_error("too little memory for the book");
  auto venue = Publisher<AnyPriceBook<1024>&, ItchSink<MessageFile&>&>::create(*book, *sink, status);
  if (!venue) throw std::runtime_error("too little memory for the publisher");

  constexpr itch::Timestamp opening = std::chrono::hours(9) + std::chrono::minutes(30);
  constexpr int seconds = 60;
  constexpr int commands_a_second = 50;
  sink->set_time(opening);
  sink->system_event(itch::EventCode::StartOfMarketHours);
  sink->directory(0, "DEMO");
  Traders traders;
  for (int i = 0; i < seconds * commands_a_second; ++i) {
    sink->set_time(opening + std::chrono::milliseconds(i * 1'000 / commands_a_second));
    const Command command = traders.next();
    const Result result = venue->apply(command, DiscardTrades{});
    if (adds(command.type) && result.rests()) traders.rests(result.handle);
  }
  sink->system_event(itch::EventCode::EndOfMarketHours);
  file.put_in_place();

  constexpr Price tick_size = 100;  // ten-thousandths of a dollar, that of the sink
  print_depth("DEMO", book->size(), [&](Side side, std::span<DepthLevel> levels) {
    const std::size_t count = book->depth(side, levels);
    for (DepthLevel& level : levels) level.price *= tick_size;
    return count;
  });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, {"itch_publish", usage, "a file to write to", 1, 1},
                     [](std::span<const std::string> arguments) { return run(arguments[0]); });
}
