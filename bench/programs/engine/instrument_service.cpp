// SPDX-License-Identifier: MIT
#include "bench/programs/engine/instrument_service.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>

#if LLMES_HAS_SIMDJSON
#include <simdjson.h>
#endif

namespace llmes::bench {
namespace {

constexpr std::size_t span = 64;

/// A message on its way, with what an answer repeats.
template <class Message>
struct Slot {
  std::uint64_t message;
  std::uint64_t due;
  Message content;
};

// ---- Forms. Each writes a message of the flow, and reads one; what is no request becomes one that is rejected.

class BinaryForm {
 public:
  using Message = BinaryMessage;

  static void write(Message& to, const InstrumentFlow& flow, std::size_t message) { to = flow.binary[message]; }

  MarketRequest read(const Message& message) {
    return {{{message.id, message.new_id},
             static_cast<Price>(message.price.value()),
             message.quantity,
             static_cast<CommandType>(message.type.value()),
             static_cast<Side>(message.side.value()),
             {}},
            message.instrument};
  }
};

#if LLMES_HAS_SIMDJSON
class JsonForm {
 public:
  using Message = JsonMessage;
  static_assert(JsonMessage::padding >= simdjson::SIMDJSON_PADDING);

  JsonForm() {
    if (parser_.allocate(sizeof(Message::text)) != simdjson::SUCCESS) throw std::bad_alloc();
  }

  static void write(Message& to, const InstrumentFlow& flow, std::size_t message) {
    const std::string_view text = flow.json_of(message);
    to.length = static_cast<std::uint32_t>(text.size());
    std::memcpy(to.text, text.data(), text.size());
  }

  MarketRequest read(const Message& message) {
    simdjson::ondemand::document document;
    std::uint64_t instrument = 0, type = 0, id = 0, new_id = 0, side = 0, quantity = 0;
    std::int64_t price = 0;
    const bool whole = parser_.iterate(message.text, message.length, sizeof(message.text)).get(document) == 0 &&
                       document["instrument"].get(instrument) == 0 && document["type"].get(type) == 0 &&
                       document["id"].get(id) == 0 && document["new_id"].get(new_id) == 0 &&
                       document["side"].get(side) == 0 && document["price"].get(price) == 0 &&
                       document["quantity"].get(quantity) == 0;
    if (!whole) return {{{}, 0, 0, static_cast<CommandType>(255), {}, {}}, 0};
    return {{{id, new_id}, price, quantity, static_cast<CommandType>(type), static_cast<Side>(side), {}},
            static_cast<BookNumber>(instrument)};
  }

 private:
  simdjson::ondemand::parser parser_;
};
#endif

/// From bytes to the answer.
template <class Form>
class Desk {
 public:
  explicit Desk(const InstrumentFlow& flow) : market_(SignalMarket::create(flow.books)) {}

  [[nodiscard]] Signal answer(const Slot<typename Form::Message>& slot) {
    Signal signal = market_.answer(form_.read(slot.content));
    signal.message = slot.message;
    signal.due = slot.due;
    return signal;
  }

 private:
  Form form_;
  SignalMarket market_;
};

template <class Form, class DueOf>
void write_slot(Slot<typename Form::Message>& slot, const InstrumentFlow& flow, std::size_t message,
                const DueOf& due_of) {
  slot.message = message;
  slot.due = due_of(message);
  Form::write(slot.content, flow, message);
}

// ---- Paths (see service.hpp).

template <class Form, WaitStrategy Wait>
class TwoThreads {
  using Message = Slot<typename Form::Message>;

 public:
  static constexpr bool waits_busily = std::is_same_v<Wait, SpinWait>;

  TwoThreads(const InstrumentFlow& flow, const EngineOptions& options)
      : flow_(flow),
        messages_(make_ring<Message>()),
        answers_(make_ring<Signal>()),
        desk_(std::make_unique<Desk<Form>>(flow)) {
    const OnCore server(options.cores ? std::optional(options.cores->server) : std::nullopt);
    thread_ = std::thread([this] { serve(); });
  }
  ~TwoThreads() {
    stop_.store(true, std::memory_order_release);
    messages_.wake();
    answers_.wake();
    thread_.join();
  }

  template <class DueOf>
  std::size_t send(std::size_t first, std::size_t count, const DueOf& due_of) {
    const std::span<Message> room = messages_.claim(count);
    for (std::size_t i = 0; i < room.size(); ++i) write_slot<Form>(room[i], flow_, first + i, due_of);
    if (!room.empty()) messages_.publish(room.size());
    return room.size();
  }

  template <class OnDone>
  bool receive(const OnDone& done) {
    const std::span<const Signal> answers = answers_.readable(span);
    if (answers.empty()) return false;
    for (const Signal& answer : answers) {
      fold_signal(digest_, answer);
      done(answer.message, answer.due);
    }
    answers_.release(answers.size());
    return true;
  }

  [[nodiscard]] Digest& digest() { return digest_; }
  [[nodiscard]] static bool stopped() { return false; }
  [[nodiscard]] static std::string reason() { return {}; }

 private:
  template <class T>
  static Ring<T, Wait> make_ring() {
    auto ring = Ring<T, Wait>::create(16'384);
    if (!ring) throw std::runtime_error("a ring could not be made: too little memory?");
    return *std::move(ring);
  }

  void serve() {
    const auto stopped = [this] { return stop_.load(std::memory_order_acquire); };
    while (true) {
      const std::span<const Message> messages = messages_.wait_readable(span, stopped);
      if (messages.empty()) return;
      const std::span<Signal> room = answers_.wait_claim(messages.size(), stopped);
      if (room.empty()) return;
      for (std::size_t i = 0; i < room.size(); ++i) room[i] = desk_->answer(messages[i]);
      answers_.publish(room.size());
      messages_.release(room.size());
    }
  }

  const InstrumentFlow& flow_;
  Ring<Message, Wait> messages_;
  Ring<Signal, Wait> answers_;
  std::unique_ptr<Desk<Form>> desk_;
  Digest digest_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

template <class Form>
class OneThread {
 public:
  static constexpr bool waits_busily = true;

  explicit OneThread(const InstrumentFlow& flow) : flow_(flow), desk_(flow) {}

  template <class DueOf>
  std::size_t send(std::size_t first, std::size_t count, const DueOf& due_of) {
    for (; count_ < count; ++count_) {
      write_slot<Form>(slot_, flow_, first + count_, due_of);
      answers_[count_] = desk_.answer(slot_);
    }
    return count;
  }

  template <class OnDone>
  bool receive(const OnDone& done) {
    for (const Signal& answer : std::span(answers_).first(count_)) {
      fold_signal(digest_, answer);
      done(answer.message, answer.due);
    }
    return std::exchange(count_, 0) > 0;
  }

  [[nodiscard]] Digest& digest() { return digest_; }
  [[nodiscard]] static bool stopped() { return false; }
  [[nodiscard]] static std::string reason() { return {}; }

 private:
  const InstrumentFlow& flow_;
  Desk<Form> desk_;
  Slot<typename Form::Message> slot_;
  std::array<Signal, span> answers_;
  std::size_t count_ = 0;  ///< answers that are not read
  Digest digest_;
};

template <class Form>
std::unique_ptr<Service> two_threads(const InstrumentFlow& flow, const EngineOptions& options) {
  if (options.wait == "spin") {
    return std::make_unique<ServiceOver<TwoThreads<Form, SpinWait>>>(flow.warm_up, flow, options);
  }
  if (options.wait == "yield") {
    return std::make_unique<ServiceOver<TwoThreads<Form, YieldWait>>>(flow.warm_up, flow, options);
  }
  return std::make_unique<ServiceOver<TwoThreads<Form, BlockWait>>>(flow.warm_up, flow, options);
}

template <class Form>
std::unique_ptr<Service> one_thread(const InstrumentFlow& flow) {
  return std::make_unique<ServiceOver<OneThread<Form>>>(flow.warm_up, flow);
}

}  // namespace

#if LLMES_HAS_SIMDJSON
bool has_json_parser() {
  return true;
}
#else
using JsonForm = BinaryForm;  // never chosen
bool has_json_parser() {
  return false;
}
#endif

std::unique_ptr<Service> make_instrument_service(const InstrumentFlow& flow, MessageForm form,
                                                 const EngineOptions& options) {
  return form == MessageForm::Json ? two_threads<JsonForm>(flow, options) : two_threads<BinaryForm>(flow, options);
}

std::unique_ptr<Service> make_one_thread_instruments(const InstrumentFlow& flow, MessageForm form) {
  return form == MessageForm::Json ? one_thread<JsonForm>(flow) : one_thread<BinaryForm>(flow);
}

}  // namespace llmes::bench
