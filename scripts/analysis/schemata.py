# SPDX-License-Identifier: MIT
"""One text with many mutants of a header, of which a run of a program chooses one: the mutant schemata of R. Untch,
A. Offutt and M. J. Harrold, ISSTA 1993.

A mutant stands in the smallest expression, condition or statement around its mistake, beside the original: `a + b`
becomes `(llmes_mutant(7) ? (a - b) : (a + b))`. Constant evaluation never chooses a mutant, so array sizes and template
arguments keep their values. Of a mistake in a type, a declaration or a constant there is no such choice.
"""

import dataclasses
import re

from mutants import KEYWORDS, Mutator, declares

# The program runs LLMES_MUTANT; without it, it notes in the file LLMES_REACHED which mutants it could have run. It shares
# the file with the children that it forks, and what it writes there outlives any end of it.
SUPPORT = """
#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <type_traits>

namespace llmes_mutants {
inline unsigned char* note() {
  const char* name = std::getenv("LLMES_REACHED");
  if (name == nullptr) return nullptr;
  const int file = ::open(name, O_RDWR);
  void* memory = ::mmap(nullptr, ::lseek(file, 0, SEEK_END), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return static_cast<unsigned char*>(memory);
}
inline unsigned char* const reached = note();
inline int chosen() {
  const char* number = std::getenv("LLMES_MUTANT");
  return number == nullptr ? 0 : std::atoi(number);
}
inline const int active = chosen();
}  // namespace llmes_mutants

constexpr bool llmes_mutant(int number) noexcept {
  if (std::is_constant_evaluated()) return false;
  if (llmes_mutants::reached != nullptr) llmes_mutants::reached[number] = 1;
  return llmes_mutants::active == number;
}
"""

# By kind of span: what begins it, the choice of each mutant, and what stands around the original.
FORMS = {"expression": ("(", "llmes_mutant(%d) ? (%s) : ", "(", "))"),
         "condition": ("", "llmes_mutant(%d) ? static_cast<bool>(%s) : ", "static_cast<bool>(", ")"),
         "statement": ("{ ", "if (llmes_mutant(%d)) { %s } else ", "{ ", " } }")}
HEADS = {"if", "while", "for", "switch", "catch"}
LABELS = {"case", "default", "public", "private", "protected"}
SCOPES = {"class", "struct", "union", "enum", "namespace"}
# What stands in the brackets behind these is not run.
NOT_RUN = {"noexcept", "requires", "decltype", "sizeof", "alignof"}
# An argument of these must be a constant, so a choice stands around the call.
CONSTANT_ARGUMENTS = {"__builtin_prefetch"}
# A pair of braces that begins with one of these, or has a semicolon, holds statements; any other holds values.
BEGINNINGS = HEADS | LABELS | SCOPES | {"do", "inline", "constexpr", "return"}
ASSIGNMENT = re.compile(r"([-+*/%&|^]|<<|>>)?=")


@dataclasses.dataclass
class Span:
    """A part of the text, and the mutants whose mistakes lie in it but in no smaller one, by number.

    The kind is "expression", "condition" or "statement", or None if no choice can stand there.
    """
    start: int
    end: int
    kind: str
    mutants: dict = dataclasses.field(default_factory=dict)


class Places(Mutator):
    """Finds all spans of a header."""

    def spans(self):
        self.pairs = self.brackets()
        self.scopes = set()  # the opening braces of classes and namespaces
        self.all = [Span(0, len(self.text), None)]
        self.visit_statements(0, len(self.tokens), in_function=False)
        return self.all

    def brackets(self):
        """The place of the closing bracket, by that of the opening one. An angle bracket has no space beside it."""
        pairs = {}
        open_ = []
        for place, token in enumerate(self.tokens):
            if token.text in ("(", "[", "{"):
                open_.append(place)
            elif token.text in (")", "]", "}"):
                while self.tokens[open_[-1]].text == "<":
                    open_.pop()
                pairs[open_.pop()] = place
            elif token.text == "<" and not self.is_binary(token) and self.tokens[place - 1].text != "operator":
                open_.append(place)
            elif token.text in (">", ">>") and not self.is_binary(token):
                for _ in token.text:
                    if open_ and self.tokens[open_[-1]].text == "<":
                        pairs[open_.pop()] = place
        return pairs

    def top(self, first, last):
        """The places from `first` on, and before `last`, that are in no bracket which opens there."""
        place = first
        while place < last:
            yield place
            place = self.pairs.get(place, place) + 1

    def words(self, first, last):
        return [self.tokens[place].text for place in self.top(first, last)]

    def add_span(self, first, last, kind):
        if first < last:
            self.all.append(Span(self.tokens[first].start, self.tokens[last - 1].end, kind))

    def close_off(self, opening):
        """Of what is in this pair of brackets, only the spans in it are found, and none around it."""
        self.all.append(Span(self.tokens[opening].end, self.tokens[self.pairs[opening]].start, None))

    def holds_statements(self, opening):
        if self.tokens[opening].text != "{":
            return False
        words = self.words(opening + 1, self.pairs[opening])
        return ";" in words or not BEGINNINGS.isdisjoint(words) or (
            not words and self.tokens[opening - 1].text in (")", "const", "noexcept", "}"))

    def visit_statements(self, place, last, in_function):
        while place < last:
            word = self.tokens[place].text
            if word in HEADS:
                constant = self.tokens[place + 1].text == "constexpr"
                self.visit_head(word, place + 1 + constant, constant)
                place = self.pairs[place + 1 + constant] + 1
            elif word == "{":
                self.close_off(place)
                self.visit_statements(place + 1, self.pairs[place], in_function)
                place = self.pairs[place] + 1
            elif word in LABELS:
                place = next(at for at in range(place, last) if self.tokens[at].text == ":") + 1
            elif word in ("else", "do", "try", ";"):
                place += 1
            else:
                place = self.visit_statement(place, last, in_function)

    def visit_head(self, word, opening, constant):
        closing = self.pairs[opening]
        if constant or word == "catch":
            self.close_off(opening)
        elif word in ("if", "while") and not {"=", ";"}.intersection(self.words(opening + 1, closing)):
            self.visit_brackets(opening + 1, closing)
            self.all.append(Span(self.tokens[opening].end, self.tokens[closing].start, "condition"))
        else:
            self.visit_bracket(opening)

    def visit_statement(self, first, last, in_function):
        """Returns the place behind it: that of its semicolon, or of the body of a function."""
        end = last
        for place in self.top(first, last):
            if self.tokens[place].text == ";":
                end = place
                break
            if self.holds_statements(place):
                if not SCOPES.isdisjoint(self.words(first, place)):
                    self.scopes.add(place)
                end = self.pairs[place] + 1
                if end == last or self.tokens[end].text not in (";", ",", ")", "(", "."):
                    break
        self.visit_list(first, end, ",", whole=False)
        closed = end < last and self.tokens[end].text == ";"
        word = self.tokens[first].text
        text = self.text[self.tokens[first].start:self.tokens[end - 1].end]
        if in_function and closed and (word == "return" or word not in KEYWORDS and not declares(text)):
            self.add_span(first, end + 1, "statement")
        return end + closed

    def visit_bracket(self, opening):
        if self.tokens[opening - 1].text in CONSTANT_ARGUMENTS:
            return
        self.close_off(opening)
        closing = self.pairs[opening]
        if self.holds_statements(opening):
            self.visit_statements(opening + 1, closing, opening not in self.scopes)
        elif self.tokens[opening].text != "<" and self.tokens[opening - 1].text not in NOT_RUN:
            self.visit_list(opening + 1, closing, ",;", whole=True)

    def visit_brackets(self, first, last):
        for place in self.top(first, last):
            if place in self.pairs:
                self.visit_bracket(place)

    def visit_list(self, first, last, separators, whole):
        """`whole`: what is between two separators is an expression, unless it is a declaration."""
        ends = [place for place in self.top(first, last) if self.tokens[place].text in separators]
        for begin, end in zip([first, *[place + 1 for place in ends]], [*ends, last]):
            self.visit_brackets(begin, end)
            words = self.words(begin, end)
            if "constexpr" in words:
                continue
            ranged = ":" in words and "?" not in words  # as in `for (int x : y)`
            for place in self.top(begin, end):
                assigns = ASSIGNMENT.fullmatch(self.tokens[place].text) and self.tokens[place - 1].text != "operator"
                if assigns or (whole and ranged and self.tokens[place].text == ":"):
                    self.add_span(place + 1, end, "expression")
            if whole and not ranged and "=" not in words:
                self.add_span(begin, end, "expression")


class Schema:
    """The text of one header with those of its mutants, by number, that are a choice."""

    def __init__(self, header, original, mutants):
        self.original = original
        self.spans = Places(header, original).spans()
        for number, mutant in mutants.items():
            around = [span for span in self.spans if span.start <= mutant.start and mutant.end <= span.end]
            span = min(around, key=lambda span: (span.end - span.start, span.kind is None))
            if span.kind is not None and "\n#" not in original[span.start:span.end]:
                span.mutants[number] = mutant
        self.spans = sorted([span for span in self.spans if span.mutants], key=lambda span: (span.start, -span.end))

    def numbers(self):
        return [number for span in self.spans for number in span.mutants]

    def text(self):
        """The text, which has each line of the original in its place."""
        self.written = []
        self.length = 0
        self.chosen = []  # where in the text each mutant is: begin, end and number
        left = iter(self.spans)
        self.span = next(left, None)
        self.write_until(len(self.original), 0, left)
        text = "".join(self.written)
        self.lines = [match.start() for match in re.finditer("^", text, re.MULTILINE)]  # where each begins
        return text

    def write(self, text):
        self.written.append(text)
        self.length += len(text)

    def write_until(self, end, at, left):
        """Writes the original from `at` to `end` with the choices in it."""
        while self.span is not None and self.span.end <= end:
            span = self.span
            self.span = next(left, None)
            self.write(self.original[at:span.start])
            self.write_choice(span, left)
            at = span.end
        self.write(self.original[at:end])

    def write_choice(self, span, left):
        before, choice, opening, closing = FORMS[span.kind]
        self.write(before)
        for number, mutant in span.mutants.items():
            begin = self.length
            changed = self.original[span.start:mutant.start] + mutant.replacement + self.original[mutant.end:span.end]
            self.write(choice % (number, Mutator.code(changed) or "true"))  # a loop without a condition has this one
            self.chosen.append((begin, self.length, number))
        self.write(opening)
        self.write_until(span.end, span.start, left)
        self.write(closing)

    def drop_at(self, line, column):
        """Leaves out the mutant to which an error at this place of text() is due, or else all mutants of its line. False
        if there are none."""
        begin, end = [*self.lines, self.length][line - 1:line + 1]
        of_line = [(first, last, number) for first, last, number in self.chosen if begin <= first < end]
        due = [number for first, last, number in of_line if first < begin + column <= last]
        dropped = due or [number for _, _, number in of_line]
        for span in self.spans:
            span.mutants = {number: mutant for number, mutant in span.mutants.items() if number not in dropped}
        self.spans = [span for span in self.spans if span.mutants]
        return bool(dropped)
