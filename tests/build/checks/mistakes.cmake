# SPDX-License-Identifier: MIT
#
# Compiles programs with mistakes, with COMPILER and the headers in INCLUDE, in WORK. Each must be refused with words that
# fit, and the program without a mistake must compile.

set(flags -std=c++20 -Wall -Wextra -Werror -I${INCLUDE})

# Precompiled once: the compilers look for this file where they are told to include the one without ".gch". All of
# llmes.hpp takes seconds to load, for each program again.
foreach(header book/order_book itch/decode market_data/publisher market_data/snapshot market_data/feed_book venue/venue
        simulator/simulator)
  string(APPEND includes "#include <llmes/${header}.hpp>\n")
endforeach()
file(WRITE ${WORK}/precompiled.hpp "${includes}")
execute_process(COMMAND ${COMPILER} ${flags} -x c++-header ${WORK}/precompiled.hpp -o ${WORK}/precompiled.hpp.gch
                COMMAND_ERROR_IS_FATAL ANY)

cmake_path(GET COMPILER FILENAME compiler_name)
if(compiler_name MATCHES "clang") # ends after twenty
  set(all_errors -ferror-limit=0)
endif()

set(scope [==[
namespace @name@ {
using namespace llmes;
enum Lots { five = 5 };
void use(OrderBook<>& book, OrderHandle handle, Command* commands, Result* results) {
  [[maybe_unused]] constexpr auto now = TimeInForce::ImmediateOrCancel;
  [[maybe_unused]] const DiscardTrades sink;
  (void)book, (void)handle, (void)commands, (void)results;
#line 1 "@name@"
  @statement@;
}
}
]==])

# compiled(<text>): sets `status`, 0 if it compiles, and what the compiler has `said`.
function(compiled text)
  file(WRITE ${WORK}/program.cpp "${text}")
  execute_process(COMMAND ${COMPILER} ${flags} ${all_errors} -include ${WORK}/precompiled.hpp -fsyntax-only ${WORK}/program.cpp
                  RESULT_VARIABLE status ERROR_VARIABLE said)
  set(status ${status} PARENT_SCOPE)
  set(said "${said}" PARENT_SCOPE)
endfunction()

# scope_of(<name> <statement>): the statement in a function of its own, in `text`.
function(scope_of name statement)
  string(CONFIGURE "${scope}" text @ONLY)
  set(text "${text}" PARENT_SCOPE)
endfunction()

# refuse(<statement> <words>): the statement itself is an error. All of these are compiled at once, in the end.
set(refused_count 0)
function(refuse statement words)
  math(EXPR refused_count "${refused_count} + 1")
  set(statement_${refused_count} "${statement}" PARENT_SCOPE)
  set(words_${refused_count} "${words}" PARENT_SCOPE)
  set(refused_count ${refused_count} PARENT_SCOPE)
endfunction()

# compile(<statement> <words, or nothing if it must compile>): by itself, as its error may be in a header. Those without a
# mistake are compiled at once, in the end.
set_property(GLOBAL PROPERTY without_mistake "")
function(compile statement words)
  if(words STREQUAL "")
    get_property(others GLOBAL PROPERTY without_mistake)
    string(LENGTH "${others}" place)
    scope_of(accepted_${place} "${statement}")
    set_property(GLOBAL APPEND_STRING PROPERTY without_mistake "${text}")
    return()
  endif()
  scope_of(mistake "${statement}")
  compiled("${text}")
  if(status EQUAL 0)
    message(SEND_ERROR "must not compile: ${statement}")
  elseif(NOT said MATCHES "${words}")
    message(SEND_ERROR "does not say '${words}': ${statement}\n${said}")
  endif()
endfunction()

compile("book.add_limit_order(1, Side::Buy, 100, 5, now, sink)" "")
compile("book.add_limit_order(1u, Side::Buy, 100L, short{-5}, now, sink)" "")
set(refused "no matching|convert|no viable conversion")
foreach(mistake 100.75 100.f true 'x' five Side::Buy nullptr)
  refuse("book.add_limit_order(1, Side::Buy, ${mistake}, 5, now, sink)" "${refused}")
  refuse("book.add_limit_order(1, Side::Buy, 100, ${mistake}, now, sink)" "${refused}")
endforeach()
refuse("book.add_limit_order(1.5, Side::Buy, 100, 5, now, sink)" "${refused}")
refuse("book.add_limit_order(1, 0, 100, 5, now, sink)" "${refused}")
refuse("book.add_limit_order(1, Side::Buy, 100, 5, 0, sink)" "${refused}")
refuse("book.add_limit_order(1, Side::Buy, 100, 5, now, 7)" "TradeSink")
refuse("book.add_market_order(1, Side::Buy, 5.0, sink)" "${refused}")
refuse("book.modify_order(handle, 100.75, 5, sink)" "${refused}")
refuse("(void)book.cancel_order(7)" "${refused}")
refuse("(void)book.reduce_order(handle, 1.5)" "${refused}")
refuse("(void)Command::modify(handle, 100, 5.5)" "${refused}")
compile("RiskStage::create({})->apply(book, 1, *commands, 0, sink)" "")
compile("RiskStage::create({})->apply(book, 1, RuledRequest{}, 0, sink)" "stands a Venue")
refuse("(void)OrderBook<>::create({.base_price = 100.5, .capacity = 1})" "narrow|${refused}")
refuse("(void)OrderBook<>::create({.capacity = -1})" "narrow|${refused}")
foreach(ignored "cancel_order(handle)" "reduce_order(handle, 1)" "recenter(0)" "apply({commands, 1}, {results, 1}, sink)")
  refuse("book.${ignored}" "nodiscard")
endforeach()
refuse("OrderBook<> copy = book" "deleted")
refuse("OrderBook<> none" "deleted.*make one with OrderBook<>::create")
compile("OrderBook<100> odd" "[Ss]tatic.assert")

# ---- Who listens: what would not be heard is said, and not passed over in silence.

# listener(<what defines it> <statement> <words, or nothing if it must compile>)
function(listener definition statement words)
  compile("struct Listener ${definition}; ${statement}" "${words}")
endfunction()

set(publish "(void)Publisher<OrderBook<>&, Listener>::create(book, {})")
listener("{ int added(Event) { return 1; } void on_trade(const Trade&) {} }" "${publish}" "")
listener("final { static void replaced(const OrderReplaced&) {} }" "${publish}" "")
listener("{ void best_changed(Side, const DepthLevel&) {} void best_changed(const BestChanged&) {} }" "${publish}" "")
listener("{ void on_added(const OrderAdded&) {} }" "${publish}" "takes no event")
listener("final {}" "${publish}" "takes no event")

# wrong_events(<what defines one member> <words before all members> <statement>)
function(wrong_events member begin statement)
  set(members "")
  set(words "")
  foreach(name added executed reduced deleted replaced hidden_executed crossed level_changed best_changed)
    string(REPLACE "name" "${name}" one "${member}")
    string(APPEND members " ${one}")
    string(APPEND words "`${name}` cannot take.*")
  endforeach()
  listener("${begin}${members} }" "${statement}" "${words}")
endfunction()
wrong_events("void name(const Trade&) {}" "{" "${publish}")
wrong_events("void name(Event&) {}" "{" "${publish}")
wrong_events("void name() {}" "final {" "${publish}")
wrong_events("void name(int) {} void name(int, int) {}" "{" "${publish}")
wrong_events("int name;" "{" "${publish}")
wrong_events("void name(const Event&) {}" "{ private:" "${publish}")
wrong_events("void name(const Event&) {}" "{" 
             "Listener own; const Listener& seen = own; (void)Publisher<OrderBook<>&, const Listener&>::create(book, seen)")

# The names of events with `on_` before them are those of other tools; a sink that has both means its own.
set(members "")
set(words "")
foreach(name added executed reduced deleted replaced hidden_executed crossed level_changed)
  string(APPEND members " void on_${name}(const Event&) {}")
  string(APPEND words "calls the sink.s member `on_${name}`; is it `${name}`.*")
endforeach()
listener("{ void best_changed(const BestChanged&) {}${members} }" "${publish}" "${words}")
listener("{ void added(const OrderAdded&) {} void on_added(int) {} }" "${publish}" "")

set(snapshot "give_snapshot(book, {}, Listener())")
listener("{ void level_changed(const LevelChanged&) {} }" "${snapshot}" "")
listener("{ void executed(const OrderExecuted&) {} }" "${snapshot}" "takes no event of a snapshot")
wrong_events("void name(const Trade&) {}" "{" "${snapshot}")

set(message "(void)itch::decode({}, Listener())")
listener("{ void operator()(const itch::AddOrder&) {} }" "${message}" "")
listener("{ void operator()(itch::AddOrder&) {} }" "${message}" "takes no message")

set(cancels "Listener own; RuledOrderBook<>::create({})->mass_cancel({}, own)")
listener("{ void cancelled(const RestingOrder&) {} }" "${cancels}" "")
listener("{ void cancelled(OrderHandle) {} }" "${cancels}" "`cancelled` cannot take")
set(trades "Listener own; RuledOrderBook<>::create({})->add_market_order(1, Side::Buy, 1, own)")
listener("{ void operator()(const RuledTrade&) {} void prevented(const PreventedMatch&) {} }" "${trades}" "")
listener("{ void operator()(const Trade&) {} void prevented(const Trade&) {} }" "${trades}" "`prevented` cannot take")
listener("final { void operator()(const Trade&) {} int refilled; }" "${trades}" "`refilled` cannot take")
set(auction "Listener own; RuledOrderBook<>::create({})->uncross(1, SelfTrade::Decrement, own)")
listener("{ void operator()(const AuctionTrade&) {} void prevented(const PreventedAuctionTrade&) {} }" "${auction}" "")
listener("{ void operator()(const AuctionTrade&) {} void prevented(const PreventedMatch&) {} }" "${auction}"
         "`prevented` cannot take")
listener("{ void operator()(const Trade&) {} void on_prevented(int) {} void on_refilled(int) {} }" "${trades}"
         "`on_prevented`; is it `prevented`.*`on_refilled`; is it `refilled`")
compile("book.add_market_order(1, Side::Buy, 5, OrderTerms{}, sink)" "no matching")

set(trades_of_feed "Listener own; FeedBook::create({})->apply(std::span<const itch::MessageBytes>{}, own)")
set(any "void operator()(itch::MessageBytes, const RestingOrder&) {}")
listener("{ ${any} void traded(const FeedTrade&) {} }" "${trades_of_feed}" "")
listener("{ ${any} void traded(FeedTrade&) {} }" "${trades_of_feed}" "`traded` cannot take")

# ---- Strategies, which would hear nothing.
set(simulate "CreateStatus status{}; (void)Simulator<Listener>::create({}, {}, status)")
# strategy(<members> <words, or nothing if it must compile>): members of a template cannot stand in a class of a function
function(strategy members words)
  string(REPLACE "void use(" "struct Listener ${members};\nvoid use(" scope "${scope}")
  compile("${simulate}" "${words}")
endfunction()
set(right "void on_fill(auto&, const OwnFill&) {}")
strategy("{ ${right} }" "")
strategy("{ static void on_market(auto&, int) {} int on_fills(int, int); ${right} }" "")
strategy("final { void on_timer(Simulator<Listener>::DeskType&, unsigned long) {} }" "")
strategy("{ void fills(auto&, const OwnFill&) {} }" "has no member that is called")
strategy("{}" "has no member that is called")
strategy("{ void on_market(auto&) {} void on_start() {} void on_trade(auto&, OwnFill) {} void on_answer(auto&, Answer&) {}
            void on_timer(auto&, const char*) {} private: ${right} }"
         "`on_start` cannot take.*`on_market` cannot take.*`on_trade` cannot take.*`on_answer` cannot take.*`on_fill` cannot\
 take.*`on_timer` cannot take")
strategy("{ void on_timer(auto&, int) {} void on_book(auto&, int) {} void on_trades(auto&) {} void on_fills(auto&, OwnFill) {} 
            void on_order_update() {} void onStart() {} }"
         "`onStart`; is it `on_start`.*`on_book`; is it `on_market`.*`on_trades`; is it `on_trade`.*`on_order_update`; is it\
 `on_answer`.*`on_fills`; is it `on_fill`")
compile("CreateStatus status{}; (void)Simulator<NoStrategy>::create({}, {}, status)" "")
compile("(void)Simulator<NoStrategy>::create({}, {})" "")

# ---- Those without a mistake.
get_property(text GLOBAL PROPERTY without_mistake)
compiled("${text}")
if(NOT status EQUAL 0)
  message(SEND_ERROR "must compile:\n${said}")
endif()

# ---- The statements that are errors themselves. What is said of one stands between its name and that of the next.
set(program "")
foreach(number RANGE 1 ${refused_count})
  scope_of(mistake_${number} "${statement_${number}}")
  string(APPEND program "${text}")
endforeach()
compiled("${program}")
foreach(number RANGE 1 ${refused_count})
  string(FIND "${said}" "mistake_${number}:1:" begin)
  if(begin EQUAL -1)
    message(SEND_ERROR "must not compile: ${statement_${number}}")
    continue()
  endif()
  string(SUBSTRING "${said}" ${begin} -1 of_it)
  string(REPLACE "mistake_${number}:1:" "it:" of_it "${of_it}")
  string(REGEX REPLACE "mistake_[0-9]+:1:.*" "" of_it "${of_it}")
  if(NOT of_it MATCHES "^it:[0-9]+: error: .*(${words_${number}})")
    message(SEND_ERROR "does not say '${words_${number}}': ${statement_${number}}\n${of_it}")
  endif()
endforeach()
