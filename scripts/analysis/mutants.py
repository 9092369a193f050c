# SPDX-License-Identifier: MIT
"""Makes mutants of the headers, each with one small mistake, from the tokens of a header."""

import dataclasses
import hashlib
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include" / "llmes"

TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*|^\#[^\n]*)
  | (?P<string>"(?:\\.|[^"\\])*")
  | (?P<number>\d[\w']*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<operator><=>|<<=|>>=|->|::|\+\+|--|&&|\|\||<<|<=|>=|==|!=|[-+*/%&|^]=|.)
""", re.VERBOSE | re.MULTILINE | re.DOTALL)

# Each key is replaced by its value. A binary operator has a space on either side; without spaces the same character
# is part of a type.
BINARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "*": "/", "/": "*",
          "%": "*", "&&": "||", "||": "&&", "&": "|", "|": "&", "^": "&", "<<": ">>", ">>": "<<", "+=": "-=",
          "-=": "+=", "|=": "&=", "&=": "|="}
PREFIX = {"++": "--", "--": "++", "!": "", "~": ""}
NAMES = {"true": "false", "false": "true"}
ENUMERATORS = {"Side": ["Buy", "Sell"],
               "TimeInForce": ["GoodTillCancel", "PostOnly", "ImmediateOrCancel", "FillOrKill"],
               "Status": ["Success", "InvalidCommand", "InvalidQuantity", "PriceOutOfBand", "WouldCross",
                          "NotFillable", "PoolFull", "QuantityOverflow", "UnknownOrder", "DuplicateId", "NoRoomForId",
                          "UnknownBook"]}
# No useful mutant starts inside these: skip everything up to the given end.
SKIPPED = {"static_assert": ";", "using": ";", "friend": ";", "concept": ";", "alignas": ")", "template": None}
# Functions that only fetch ahead, or say when that is worth it, and statements that only call one.
HINTS = re.compile(r"(pre)?fetch|hint|look_ahead|has_cold")
HINT_STATEMENT = re.compile(r"(.* \{ )?(if( constexpr)? \([^;]*\) )?([\w.]+\.)?((pre)?fetch(?!_sub)|look_ahead)\w*"
                            r"\([^;]*\);( \})?")
# A statement that begins with one of these cannot be dropped.
KEYWORDS = {"return", "const", "constexpr", "using", "friend", "static", "static_assert", "template", "public",
            "private", "break", "case", "default", "auto", "struct", "class", "enum", "if", "for", "while", "switch",
            "else", "do", "namespace", "explicit", "concept", "requires", "#pragma"}


@dataclasses.dataclass(frozen=True)
class Mutant:
    header: str
    line: int
    function: str
    before: str  # the lines that differ, joined into one
    after: str
    original: str = dataclasses.field(repr=False)  # the whole header
    start: int  # where `replacement` stands for some of it
    end: int
    replacement: str

    @property
    def text(self):
        """The whole header with the mistake."""
        return self.original[:self.start] + self.replacement + self.original[self.end:]

    @property
    def digest(self):
        """Of the whole header: two mutants of one function may change lines that look the same."""
        return hashlib.sha256(f"{self.header}\n{self.text}".encode()).hexdigest()

    @property
    def is_hint(self):
        return HINTS.match(self.function) is not None or HINT_STATEMENT.fullmatch(self.before) is not None

    def __str__(self):
        return f"{self.header} {self.function}\n- {self.before}\n+ {self.after}"


@dataclasses.dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int


def declares(statement):
    """Whether it begins with a type and a name."""
    return re.match(r"(?:\w+::)*\w+(?:<[^;=]*>)?[&*]* \w+", statement) is not None


class Mutator:
    def __init__(self, header, text):
        self.header = header
        self.text = text
        tokens = [Token(match.lastgroup, match[0], match.start(), match.end()) for match in TOKEN.finditer(text)]
        self.tokens = self.without_skipped([token for token in tokens if token.kind != "space"])
        self.heads = {self.closing(self.tokens, place + 1 + (self.tokens[place + 1].text == "constexpr"))
                      for place, token in enumerate(self.tokens) if token.text in ("if", "while", "for")}
        self.found = {}

    def mutants(self):
        for place in range(len(self.tokens)):
            self.mutate_token(place)
            self.mutate_condition(place)
            self.swap_choice(place)
            self.drop_statement(place)
        return list(self.found.values())

    def without_skipped(self, tokens):
        kept = []
        place = 0
        while place < len(tokens):
            text = tokens[place].text
            if text == "[" and tokens[place + 1].text == "[":
                place = self.closing(tokens, place) + 1
            elif text == "template":
                depth = 0
                while True:
                    place += 1
                    depth += {"<": 1, ">": -1, ">>": -2}.get(tokens[place].text, 0)
                    if depth == 0:
                        break
                place += 1
            elif text in SKIPPED:
                ends = (SKIPPED[text], "{") if text == "friend" else (SKIPPED[text],)  # a friend may have a body
                while tokens[place].text not in ends:
                    if SKIPPED[text] == ";" and tokens[place].text in ("(", "[", "{"):
                        place = self.closing(tokens, place)
                    place += 1
                place += tokens[place].text == SKIPPED[text]
            else:
                kept.append(tokens[place])
                place += 1
        return kept

    @staticmethod
    def closing(tokens, place):
        """The index of the token that closes the bracket at `place`."""
        depth = 0
        for at in range(place, len(tokens)):
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(tokens[at].text, 0)
            if depth == 0:
                return at
        raise ValueError(f"no end of the bracket {tokens[place].text} at {tokens[place].start}")

    def add(self, start, end, replacement):
        """Adds the mutant in which `replacement` stands for text[start:end]."""
        text = self.text[:start] + replacement + self.text[end:]
        first = self.text.rfind("\n", 0, start) + 1
        last = self.text.find("\n", end)
        before = self.code(self.text[first:last])
        after = self.code(text[first:last + len(text) - len(self.text)])
        if before != after:
            line = self.text.count("\n", 0, start) + 1
            self.found.setdefault((start, end, replacement),
                                  Mutant(self.header, line, self.function_at(start), before, after, self.text, start,
                                         end, replacement))

    @staticmethod
    def code(lines):
        return " ".join(re.sub(r"//.*", "", lines).split())

    def function_at(self, position):
        """The name of the function around a position: the last one declared on a line with little indentation."""
        name = ""
        in_free_function = False  # whose body is indented as little as the members of a class
        for line in self.text[:self.text.find("\n", position)].splitlines():
            if re.match(r" {0,2}[A-Za-z\[]", line) and not (in_free_function and line[0] == " "):
                code = re.sub(r"\[\[.*?\]\]|\balignas\(.*?\)|\bnoexcept\b|//.*|\brequires\b.*", "", line)
                declared = re.search(r"(operator\S+|[~\w]+)\(", code)
                name = declared[1] if declared else ""
                in_free_function = declared is not None and line[0] != " " and line[-1] == "{"
        return name

    def is_binary(self, token):
        return self.text[token.start - 1].isspace() and self.text[token.end].isspace()

    def mutate_token(self, place):
        token = self.tokens[place]
        previous = self.tokens[place - 1].text if place else ""
        if token.kind == "number" and not (previous == "=" and self.tokens[place - 2].text == "operator"):
            suffix = re.search(r"[uU]?$", token.text)[0]
            value = int(token.text.rstrip("uU").replace("'", ""), 0)
            self.add(token.start, token.end, f"{value + 1}{suffix}")
            if 0 < value <= 2:
                self.add(token.start, token.end, f"{value - 1}{suffix}")
        elif token.kind == "string":
            self.add(token.start, token.end, '""')
        elif token.text in NAMES:
            self.add(token.start, token.end, NAMES[token.text])
        elif token.text in BINARY and self.is_binary(token):
            self.add(token.start, token.end, BINARY[token.text])
        elif token.text in PREFIX and not self.text[token.end].isspace() and previous not in ("operator", "}"):
            self.add(token.start, token.end, PREFIX[token.text])
        elif previous == "::" and self.tokens[place - 3].text != "case":
            names = ENUMERATORS.get(self.tokens[place - 2].text, [])
            if token.text in names:
                self.add(token.start, token.end, names[(names.index(token.text) + 1) % len(names)])

    def mutate_condition(self, place):
        if self.tokens[place].text not in ("if", "while"):
            return
        opening = place + 1 + (self.tokens[place + 1].text == "constexpr")
        closing = self.closing(self.tokens, opening)
        start, end = self.tokens[opening].end, self.tokens[closing].start
        logic = [token.text for token in self.tokens[opening:closing] if token.text in ("==", "!=", "!", "&&", "||")]
        self.add(start, end, "true")
        self.add(start, end, "false")
        if logic not in (["=="], ["!="], ["!"]):  # mutate_token() has made the opposite of these
            self.add(start, end, f"!({self.text[start:end]})")

    def swap_choice(self, place):
        """`a ? b : c` becomes `a ? c : b`."""
        if self.tokens[place].text != "?":
            return
        depth = nested = 0
        colon = None
        for at in range(place + 1, len(self.tokens)):
            text = self.tokens[at].text
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text, 0)
            if depth == 0 and text == "?" and colon is None:
                nested += 1
            elif depth == 0 and text == ":" and colon is None:
                if nested == 0:
                    colon = at
                nested -= 1
            elif depth < 0 or (depth == 0 and text in (",", ";")):
                if colon is None:
                    return  # a letter, '?'
                yes = self.text[self.tokens[place].end:self.tokens[colon].start].strip()
                no = self.text[self.tokens[colon].end:self.tokens[at].start].strip()
                self.add(self.tokens[place].end, self.tokens[at].start, f" {no} : ({yes})")
                return

    def drop_statement(self, place):
        """Drops the statement that begins at `place`, unless it is a declaration."""
        token = self.tokens[place]
        if place - 1 not in self.heads and self.tokens[place - 1].text not in (";", "{", "}", "else", ":"):
            return
        if token.text in KEYWORDS or (token.kind != "name" and token.text not in ("++", "--", "*", "::")):
            return
        if token.kind != "name" and self.is_binary(token):
            return
        end = place
        while self.tokens[end].text != ";":
            if self.tokens[end].text in ("(", "[", "{"):
                block = self.tokens[end].text == "{"
                end = self.closing(self.tokens, end)
                if block and (end + 1 == len(self.tokens) or self.tokens[end + 1].text != ";"):
                    return  # the body of a function
            elif self.tokens[end].text in (")", "]", "}", ":"):
                return
            end += 1
        statement = self.text[token.start:self.tokens[end].start]
        if declares(statement):
            return
        if not re.search(r"[(=]|\+\+|--", statement) or re.search(r"= (delete|default)$", statement):
            return
        self.add(token.start, self.tokens[end].start, "")


def known_headers():
    """The call guard is active only in programs that ask for it."""
    names = sorted(str(path.relative_to(HEADERS)) for path in HEADERS.rglob("*.hpp"))
    return [name for name in names if name != "detail/call_guard.hpp"]


def all_mutants(headers):
    return [mutant for header in headers for mutant in Mutator(header, (HEADERS / header).read_text()).mutants()]
