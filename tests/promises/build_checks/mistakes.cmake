# SPDX-License-Identifier: MIT
#
# Compiles a program with one mistake at a time, with COMPILER and the headers in INCLUDE, in WORK. Each must fail with
# words that fit, and the program without a mistake must compile.

set(flags -std=c++20 -Wall -Wextra -Werror -I${INCLUDE})

# Precompiled once: the compilers look for this file where they are told to include the one without ".gch".
file(WRITE ${WORK}/precompiled.hpp "#include <llmes/llmes.hpp>\n")
execute_process(COMMAND ${COMPILER} ${flags} -x c++-header ${WORK}/precompiled.hpp -o ${WORK}/precompiled.hpp.gch
                COMMAND_ERROR_IS_FATAL ANY)

set(program [==[
using namespace llmes;
enum Lots { five = 5 };
void use(OrderBook<>& book, OrderHandle handle, Command* commands, Result* results) {
  [[maybe_unused]] constexpr auto now = TimeInForce::ImmediateOrCancel;
  [[maybe_unused]] const DiscardTrades sink;
  (void)book, (void)handle, (void)commands, (void)results;
  @statement@;
}
]==])

# compile(<statement> <words, or nothing if it must compile>)
function(compile statement words)
  file(CONFIGURE OUTPUT ${WORK}/program.cpp CONTENT "${program}" @ONLY)
  execute_process(COMMAND ${COMPILER} ${flags} -include ${WORK}/precompiled.hpp -fsyntax-only ${WORK}/program.cpp
                  RESULT_VARIABLE status ERROR_VARIABLE said)
  if(words STREQUAL "")
    if(NOT status EQUAL 0)
      message(SEND_ERROR "must compile: ${statement}\n${said}")
    endif()
  elseif(status EQUAL 0)
    message(SEND_ERROR "must not compile: ${statement}")
  elseif(NOT said MATCHES "${words}")
    message(SEND_ERROR "does not say '${words}': ${statement}\n${said}")
  endif()
endfunction()

compile("book.add_limit_order(1, Side::Buy, 100, 5, now, sink)" "")
compile("book.add_limit_order(1u, Side::Buy, 100L, short{-5}, now, sink)" "")
set(refused "no matching|convert|no viable conversion")
foreach(mistake 100.75 100.f true 'x' five Side::Buy nullptr)
  compile("book.add_limit_order(1, Side::Buy, ${mistake}, 5, now, sink)" "${refused}")
  compile("book.add_limit_order(1, Side::Buy, 100, ${mistake}, now, sink)" "${refused}")
endforeach()
compile("book.add_limit_order(1.5, Side::Buy, 100, 5, now, sink)" "${refused}")
compile("book.add_limit_order(1, 0, 100, 5, now, sink)" "${refused}")
compile("book.add_limit_order(1, Side::Buy, 100, 5, 0, sink)" "${refused}")
compile("book.add_limit_order(1, Side::Buy, 100, 5, now, 7)" "TradeSink")
compile("book.add_market_order(1, Side::Buy, 5.0, sink)" "${refused}")
compile("book.modify_order(handle, 100.75, 5, sink)" "${refused}")
compile("(void)book.cancel_order(7)" "${refused}")
compile("(void)book.reduce_order(handle, 1.5)" "${refused}")
compile("(void)Command::modify(handle, 100, 5.5)" "${refused}")
compile("(void)OrderBook<>::create({.base_price = 100.5, .capacity = 1})" "narrow|${refused}")
compile("(void)OrderBook<>::create({.capacity = -1})" "narrow|${refused}")
foreach(ignored "cancel_order(handle)" "reduce_order(handle, 1)" "recenter(0)" "apply({commands, 1}, {results, 1}, sink)")
  compile("book.${ignored}" "nodiscard")
endforeach()
compile("OrderBook<> copy = book" "deleted")
compile("OrderBook<100> odd" "[Ss]tatic.assert")
