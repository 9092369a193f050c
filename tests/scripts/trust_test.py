# SPDX-License-Identifier: MIT
"""trust.sh with stand-ins for the compilers and for what they would build; and the tools behind it on small inputs."""

import collections
import contextlib
import io
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

import support

sys.path.insert(0, str(support.ROOT / "scripts" / "analysis"))
import coverage  # noqa: E402
import mutants  # noqa: E402
import mutate  # noqa: E402
import schemata  # noqa: E402

# A compiler that writes a program that says a hash; another one from HASHES, by the level of optimisation.
COMPILER = '''#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    --version) exec echo "a compiler, version 1" ;;
    -O?) level=${1#-} ;;
    -o) out=$2 ;;
  esac
  shift
done
printf '#!/bin/sh\\necho "differential: $*, event hash %s"\\n' "$(eval echo "\\${HASH_$level:-abc}")" >"$out"
chmod +x "$out"
'''

PROGRAM = '''#!/bin/sh
echo "$0 $*" >>"$STAND_IN_SEEN"
{body}
'''


class TrustTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        self.seen = self.folder / "seen"
        self.seen.touch()
        for compiler in ("g++", "clang++-16", "aarch64-linux-gnu-g++"):
            self.write_program(self.folder / "bin" / compiler, COMPILER)
        self.write_program(self.folder / "bin/qemu-aarch64", '#!/bin/sh\nexec "$@"\n')
        for tool in ("cmake", "llvm-cov-16", "llvm-profdata-16"):
            self.program(self.folder / "bin" / tool)

    def program(self, path, body=""):
        self.write_program(path, PROGRAM.format(body=body))

    def trust(self, *arguments, **environment):
        environment.setdefault("PATH", f"{self.folder / 'bin'}:{os.environ['PATH']}")
        return self.script("local/trust.sh", *arguments, STAND_IN_SEEN=str(self.seen), TMPDIR=str(self.folder),
                           **environment)

    def assert_ends(self, result, line):
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.stdout.splitlines()[-1], line)
        self.assertEqual(list(self.folder.glob("tmp.*")), [])

    def test_help(self):
        result = self.trust("--help")
        self.assertEqual(result.returncode, 0)
        self.assertTrue(result.stdout.startswith("trust.sh [--help] TASK"), result.stdout)

    def test_bad_arguments(self):
        self.assert_fails(self.trust(), 2, "which task: exhaustive, fuzz")
        self.assert_fails(self.trust("prove"), 2, "unknown argument 'prove'", "--help")
        self.assert_fails(self.trust("soak", "fuzz"), 2, "one task, not 'soak' and 'fuzz'")
        self.assert_fails(self.trust("soak", "types.hpp"), 2, "only mutate takes headers, such as 'types.hpp'")

    def test_a_missing_tool_is_named(self):
        programs = [path for path in pathlib.Path("/usr/bin").iterdir() if path.name != "qemu-aarch64"]
        path = str(self.links_to(programs))
        (self.folder / "bin/qemu-aarch64").unlink()
        result = self.trust("differential", PATH=f"{self.folder / 'bin'}:{path}")
        self.assert_fails(result, 1, "there is no qemu-aarch64", "scripts/setup.sh trust")

    def test_programs_get_their_size(self):
        for task, said in (("exhaustive", (("exhaustive", "--length=5", "--length=6"),
                                           ("exhaustive_rules", "--length=4", "--length=5"),
                                           ("exhaustive_venue", "--length=4", "--length=6"))),
                           ("soak", (("soak", "--operations=10000000", "--operations=100000000"),)),
                           ("kills", (("kills", "--runs=200", "--runs=2000"),))):
            for program, _, _ in said:
                self.program(self.repository / "build/release/tests" / program, f'echo "{program}: $*"')
            for arguments, size in ((["--short"], 1), ([], 2)):
                result = self.trust(task, *arguments)
                self.assert_ends(result, f"{said[-1][0]}: {said[-1][size]}")
                for line in said:
                    self.assertIn(f"{line[0]}: {line[size]}\n", result.stdout)

    def test_the_venue_gets_its_kills(self):
        self.program(self.repository / "tests/venue_program/venue_test.py",
                     'echo "$LLMES_KILLS kills of ${VENUE#"$PWD"/} by $*"; echo OK >&2; exit "${LOST:-0}"')
        for arguments, kills in ((["--short"], 100), ([], 1000)):
            result = self.trust("venue-kills", *arguments)
            self.assert_ends(result, "OK")
            self.assertIn(f"{kills} kills of build/release/examples/venue/venue by ManyKills\n", result.stdout)
        self.assertEqual(self.trust("venue-kills", LOST="1").returncode, 1)

    def test_what_a_search_finds_fails(self):
        for task in ("exhaustive", "soak", "kills"):
            self.program(self.repository / "build/release/tests" / task, "echo 'status: expected Success' >&2; exit 1")
            self.assert_fails(self.trust(task), 1, "status: expected Success")

    def test_too_few_killed_mutants_fail(self):
        self.program(self.repository / "scripts/analysis/mutate.py", 'echo "mutation: $*"; exit "${MUTANTS:-0}"')
        cores = len(os.sched_getaffinity(0))
        self.assert_ends(self.trust("mutate", "--short"), f"mutation: --jobs={cores} --sample=40")
        self.assert_ends(self.trust("mutate", "text.hpp", "itch/messages.hpp"),
                         f"mutation: --jobs={cores} text.hpp itch/messages.hpp")
        self.assertEqual(self.trust("mutate", MUTANTS="1").returncode, 1)

    def test_what_is_said_is_kept(self):
        self.program(self.repository / "build/release/tests/soak", 'echo "soak: $*"')
        self.assert_fails(self.trust("soak", "--save"), 2, "--save needs a value")
        self.assert_fails(self.trust("soak", "--save=../x"), 2, "'../x' is not a name")
        record = self.repository / "server_results/trust/soak.txt"
        self.assert_ends(self.trust("soak", "--short", "--save", "trust"),
                         "trust.sh: kept: server_results/trust/soak.txt")
        said = record.read_text()
        for part in ("command: scripts/local/trust.sh soak --short\n", f"commit: {support.COMMIT}\n", "begun: 20",
                     "\na compiler, version 1\n", "\ncores: ",
                     "\nsoak: --operations=10000000\n\nended after "):
            self.assertIn(part, said)
        self.assertTrue(said.endswith(" minutes with 0\n"), said)
        self.assert_fails(self.trust("soak", "--save=trust"), 1, "already exists")
        self.assertEqual(record.read_text(), said)

    def test_a_full_disk_keeps_no_part_of_a_record(self):
        self.program(self.repository / "build/release/tests/soak", 'echo "soak: $*"')
        self.write_program(self.folder / "bin/cp", "#!/bin/sh\necho part >\"$2\"; echo No space left on device >&2; exit 1\n")
        self.assert_fails(self.trust("soak", "--save=trust"), 1, "No space left on device",
                          "server_results/trust/soak.txt is not kept")
        self.assertEqual(list((self.repository / "server_results/trust").iterdir()), [])

    def test_nothing_is_kept_of_a_tree_with_changes(self):
        self.program(self.repository / "build/release/tests/soak", 'echo "soak: $*"')
        self.change_the_tree()
        self.assert_fails(self.trust("soak", "--save=trust"), 1, "--save: no commit holds these changes")
        self.assertFalse((self.repository / "server_results").exists())
        self.assert_ends(self.trust("soak", "--short"), "soak: --operations=10000000")

    def test_what_a_failed_task_said_is_kept(self):
        self.program(self.repository / "build/release/tests/soak", "echo 'soak: lost a slot'; exit 3")
        result = self.trust("soak", "--save=trust")
        self.assertEqual(result.returncode, 3)
        said = (self.repository / "server_results/trust/soak.txt").read_text()
        self.assertRegex(said, r"soak: lost a slot\n\nended after \d+:\d\d minutes with 3\n$")

    def test_a_failed_build_is_shown(self):
        self.program(self.folder / "bin/cmake", "echo the words of cmake; exit 1")
        self.assert_fails(self.trust("soak"), 1, "the words of cmake", "failed: configuring build/release")

    def test_all_builds_have_one_hash(self):
        program = self.repository / "build/release/tests/differential"
        self.program(program, 'echo "differential: fine"')
        self.assert_ends(self.trust("differential", "--short"),
                         "differential: fine; event hash abc of 100000 operations from each of 12 builds")
        self.assert_fails(self.trust("differential", HASH_O2="abd"), 1, "g++ -O2: the event hash is abd",
                          "elsewhere it is abc")
        self.program(program, "exit 1")
        self.assert_fails(self.trust("differential"), 1, "the core is wrong")

    def test_fuzzers_run_from_their_corpus_and_findings_fail(self):
        said = "echo '#9 pulse cov: 5 ft: 9' >&2; echo 'stat::number_of_executed_units: 20' >&2"
        for target in ("fuzz_book", "fuzz_plan"):
            self.program(self.repository / "build/fuzz/tests/fuzz" / target, said)
        result = self.trust("fuzz", "--short")
        self.assert_ends(result, "fuzz: 40 executions of 2 targets, 0 of them found something")
        self.assertIn("fuzz_book: #9 pulse", result.stderr)
        self.assertIn("fuzz_plan: 20 executions, cov: 5 ft: 9\n", result.stdout)
        self.assertIn("-max_total_time=90", self.seen.read_text())
        self.assertIn("tests/fuzz/corpus/fuzz_plan", self.seen.read_text())
        self.program(self.repository / "build/fuzz/tests/fuzz/fuzz_plan", "echo 'wrong: all of it' >&2; exit 77")
        result = self.trust("fuzz", "--short")
        self.assert_fails(result, 1, "wrong: all of it")
        self.assertIn("1 of them found something (inputs: build/fuzz/findings/)", result.stdout)

    def test_coverage_of_a_failing_test_is_none(self):
        self.program(self.repository / "build/coverage/tests/part_test", "echo the words of the test; exit 1")
        self.assert_fails(self.trust("coverage"), 1, "the words of the test", "part_test failed")
        self.program(self.repository / "build/coverage/tests/part_test")
        self.assert_fails(self.trust("coverage"), 1, "left no counts")


class MutateTest(unittest.TestCase):
    def changes(self, text):
        return [(mutant.before, mutant.after) for mutant in mutants.Mutator("x.hpp", text).mutants()]

    def test_each_kind_of_mistake(self):
        self.assertEqual(self.changes("int f() {\n  return a < b;\n}\n"), [("return a < b;", "return a <= b;")])
        self.assertEqual(self.changes("int f() {\n  return x + 5;\n}\n"),
                         [("return x + 5;", "return x - 5;"), ("return x + 5;", "return x + 6;")])
        self.assertEqual(self.changes("int f() {\n  g(x);\n}\n"), [("g(x);", ";")])
        self.assertEqual(self.changes("int f() {\n  return {Status::PoolFull};\n}\n"),
                         [("return {Status::PoolFull};", "return {Status::QuantityOverflow};")])
        self.assertEqual(self.changes("int f() {\n  return a ? b : c;\n}\n"),
                         [("return a ? b : c;", "return a ? c : (b);")])
        self.assertEqual([after for _, after in self.changes("int f() {\n  if (a && b) return x;\n}\n")],
                         ["if (true) return x;", "if (false) return x;", "if (!(a && b)) return x;",
                          "if (a || b) return x;"])

    def test_what_is_no_code_is_left_alone(self):
        for text in ("// a < b\n", "#define X 5\n", "static_assert(N >= 64, \"no\");\n", "using Index = int;\n",
                     "template <int N = 5>\nclass X;\n", "[[nodiscard]] const Order& order() const noexcept;\n",
                     "X(const X&) = delete;\n", "std::array<int, N> x_;\n",
                     "concept C = requires(X x) {\n  x.clear();\n  { x + 1 } -> std::same_as<X>;\n} && N == 5;\n"):
            self.assertEqual(self.changes(text), [], text)

    def test_a_friend_may_have_a_body(self):
        self.assertEqual(self.changes("friend bool f(X a) { return a < b; }\nfriend class Y;\n"),
                         [("friend bool f(X a) { return a < b; }", "friend bool f(X a) { return a <= b; }")])

    def test_a_mutant_is_known_by_its_function_and_text(self):
        text = "class X {\n  int f(int a) {\n    return a - b;  // why\n  }\n};\n"
        self.assertEqual([(mutant.function, mutant.before, mutant.after) for mutant in mutants.Mutator("x.hpp", text).mutants()],
                         [("f", "return a - b;", "return a + b;")])

    def test_the_headers_have_mutants_of_their_own(self):
        found = mutants.all_mutants(mutants.known_headers())
        self.assertGreater(len(found), 500)
        self.assertIn("engine/ring.hpp", {mutant.header for mutant in found})
        for mutant in found:
            self.assertNotEqual(mutant.text, (mutants.HEADERS / mutant.header).read_text())

    def test_the_tests_of_every_program_are_found(self):
        """A name must stand for one file."""
        killer = mutate.Killer
        programs = ["part_test", "promise_test", "allocation_test", "many_ids_test", "id_test",
                    *killer.folders.values()]
        names = {name for program in programs for name in killer.tests_of(killer, program)}
        listed = {*killer.telling, *killer.telling_ids, *killer.id_conformance, *killer.any_price, *killer.sets, *killer.hostile,
                  *killer.indexes}
        for name in names | listed:
            self.assertTrue(mutate.test_source(name).exists(), name)

    def test_who_notices(self):
        """A mutant is what the first program to notice it says; one that none notices is compared with the core."""
        killer = mutate.Killer.__new__(mutate.Killer)
        killer.programs = [mutate.Program(pathlib.Path(name), []) for name in ("books", "telling", "parts")]
        mutant = mutants.Mutator("x.hpp", "int f() {\n  g(x);\n}\n").mutants()[0]
        with tempfile.TemporaryDirectory() as folder:
            killer.folder = pathlib.Path(folder)
            for outcomes, same, verdict in ((["uncompiled"], False, "uncompiled"),
                                            (["passed", "uncompiled"], False, "refused"),
                                            (["failed"], False, "failed"),
                                            (["passed", "passed", "hung"], False, "hung"),
                                            (["passed"] * 3, False, "survived"),
                                            (["passed"] * 3, True, "equivalent")):
                left = iter(outcomes)
                killer.outcome = lambda *_: next(left)
                killer.is_same = lambda *_: same
                self.assertEqual(killer.verdict(mutant), verdict)
                self.assertEqual(list(left), [])

    def test_what_passed_in_one_build_may_be_the_same_code(self):
        """That takes less time to see than what the programs say."""
        killer = mutate.Killer.__new__(mutate.Killer)
        killer.programs = [mutate.Program(pathlib.Path("books"), [])]
        mutant = mutants.Mutator("x.hpp", "int f() {\n  g(x);\n}\n").mutants()[0]
        with tempfile.TemporaryDirectory() as folder:
            killer.folder = pathlib.Path(folder)
            for same, outcomes, verdict in ((True, [], "equivalent"), (False, ["failed"], "failed"),
                                            (False, ["passed"], "survived")):
                left = iter(outcomes)
                killer.outcome = lambda *_: next(left)
                killer.is_same = lambda *_: same
                self.assertEqual(killer.verdict(mutant, passes=True), verdict)
                self.assertEqual(list(left), [])

    def test_who_notices_in_one_build(self):
        """Only programs that reach a mutant run. It is left to a build of its own if none can say enough about it."""
        built, constant = mutants.Mutator("x.hpp", "int f() {\n  g(x);\n  return a < b;\n}\n").mutants()
        hint, = mutants.Mutator("x.hpp", "int prefetch() {\n  g(x);\n}\n").mutants()
        killer = mutate.Killer.__new__(mutate.Killer)
        killer.programs = [mutate.Program(pathlib.Path(name), []) for name in ("books", "telling")]
        build = mutate.OneBuild.__new__(mutate.OneBuild)
        build.killer, build.folder, build.numbers = killer, None, {built: 1, hint: 1}
        for mutant, reached, outcomes, verdict in (
                (built, {"books": b"\0\1", "telling": b"\0\1"}, ["failed"], "failed"),
                (built, {"books": b"\0\0", "telling": b"\0\1"}, ["hung"], "hung"),
                (built, {"books": b"\0\1", "telling": b"\0\1"}, ["passed", "failed"], "failed"),
                (built, {"books": b"\0\1", "telling": b"\0\0"}, ["passed"], "passed"),
                (built, {"books": b"\0\0", "telling": b"\0\0"}, [], None),
                (built, {"books": b"\0\1"}, ["passed"], None),  # the other fails with the unchanged core
                (built, {"books": b"\0\1"}, ["failed"], "failed"),
                (hint, {"books": b"\0\1", "telling": b"\0\0"}, ["passed"], "hint"),
                (constant, {"books": b"\0\1", "telling": b"\0\1"}, [], None)):
            left = iter(outcomes)
            killer.outcome_of_run = lambda *_, LLMES_MUTANT: next(left)
            build.reached = reached
            build.programs = {program.name: program for program in killer.programs if program.name in reached}
            self.assertEqual(build.verdict(mutant), verdict, (mutant, reached, outcomes))
            self.assertEqual(list(left), [])

    def test_a_run_that_was_stopped_goes_on(self):
        """Verdicts count as long as no header and no test changes; a line that was torn is tried again."""
        text = "int f() {\n  g(x);\n  return a < b;\n}\n"
        first, second = mutants.Mutator("x.hpp", text).mutants()
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            paths = ["include/x.hpp", "tests/x_test.cpp",
                     *[f"scripts/analysis/{name}.py" for name in ("mutants", "mutate", "schemata")]]
            for path in paths:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)

            def kept():
                return mutate.Verdicts(root / "kept", root)

            self.assertEqual(kept().known, {})
            kept().keep(first, "failed")
            with kept().path.open("a") as out:
                out.write('\n["torn')
            self.assertEqual(kept().known, {first.digest: "failed"})
            kept().keep(second, "survived")
            with contextlib.redirect_stdout(io.StringIO()) as said:
                verdicts = mutate.kill_all([first, second], 1, root, kept())
            self.assertEqual(verdicts, {"failed": [first], "survived": [second]})
            self.assertIn("survived, at line 3", said.getvalue())
            self.assertIn("2 of 2 mutants met these tests in an earlier run", said.getvalue())
            for path in paths:
                (root / path).write_text(text + "\n")
                self.assertEqual(kept().known, {}, path)
                (root / path).write_text(text)

    def test_what_only_fetches_ahead_is_no_survivor(self):
        killer = mutate.Killer.__new__(mutate.Killer)
        killer.programs = [mutate.Program(pathlib.Path("books"), [])]
        killer.is_same = lambda *_: False
        with tempfile.TemporaryDirectory() as folder:
            killer.folder = pathlib.Path(folder)
            for function, outcome, verdict in (("prefetch_mark", "passed", "hint"), ("fetch", "passed", "hint"),
                                               ("look_ahead", "passed", "hint"), ("look_up", "passed", "survived"),
                                               ("fetch", "failed", "failed")):
                mutant, = mutants.Mutator("x.hpp", f"int {function}() {{\n  g(x);\n}}\n").mutants()
                killer.outcome = lambda *_, answer=outcome: answer
                self.assertEqual(killer.verdict(mutant), verdict, function)

    def test_a_statement_that_only_fetches_ahead_is_a_hint_too(self):
        for statement, is_hint in (("fetch(1);", True), ("pool_.prefetch_level(1);", True),
                                   ("if (cold) look_ahead(1);", True), ("if constexpr (cold) pool_.fetch(1);", True),
                                   ("count_.fetch_sub(1);", False), ("x = fetch(1);", False), ("forget(1);", False),
                                   ("if (cold) return fetch(1);", False), ("if (cold) forget(fetch(1));", False)):
            found = list(mutants.Mutator("x.hpp", f"int f() {{\n  {statement}\n}}\n").mutants())
            self.assertTrue(found, statement)
            self.assertEqual({mutant.is_hint for mutant in found}, {is_hint}, statement)

    @staticmethod
    def mutants(**counts):
        """So many mutants of each verdict."""
        return {verdict: [mutants.Mutant("x.hpp", 1, "f", f"{verdict}{i};", ";", "", 0, 0, "") for i in range(count)]
                for verdict, count in counts.items()}

    @staticmethod
    def judged(verdicts, sampled=False):
        """Whether all is well, and what is said."""
        with contextlib.redirect_stdout(io.StringIO()) as said:
            good = mutate.judge(collections.defaultdict(list, verdicts), sampled)
        return good, said.getvalue()

    def test_what_is_well(self):
        good, said = self.judged(self.mutants(failed=90, refused=2, hung=3, survived=5, equivalent=1, hint=6, uncompiled=4))
        self.assertTrue(good)
        self.assertEqual(said.splitlines(), [
            "the same code: x.hpp f", "- equivalent0;", "+ ;",
            "mutation: 95 of 100 mutants killed (95.0%), 3 of them because a test did not end and 2 because one did "
            "not compile, 5 survived; 1 more give the same code, 6 only fetch ahead, 4 do not compile"])
        self.assertFalse(self.judged(self.mutants(failed=94, survived=6))[0])

    def test_a_sample_is_too_small_for_a_percentage(self):
        """Two survivors among 38 mutants are bad luck."""
        sample = self.mutants(failed=36, survived=2)
        self.assertTrue(self.judged(sample, sampled=True)[0])
        self.assertFalse(self.judged(sample)[0])


# One mutant or more of each kind that can be a choice, and some that cannot.
HEADER_OF_CHOICES = """enum class Side { Buy, Sell };
constexpr int eight() { return 4 * 2; }
inline int twice(int x) { return x * 2; }
template <class T, int N = 5>
struct Bag {
  T items[eight()] = {T{1}, T{2}, T{3}};
  unsigned size : 4 = 3;
  Bag() = default;
  explicit Bag(T first) : items{first + 1}, size(1) {}
  [[nodiscard]] bool has(T item) const noexcept {
    for (unsigned i = 0; i < size; ++i) {
      if (items[i] == item) [[unlikely]]
        return true;
    }
    return false;
  }
  int sum(int begin = 1) const {
    int sum = begin, count = 0;
    for (const T& item : items) {
      if (count < 9 && !has(item) || item > 2) sum += item * item;
      else
        sum -= item % 3;  // a comment
      ++count;
    }
    const auto shifted = [base = sum + 1](int by) { return (base << by) ^
                                                             (base & 6); };
    if (sum > 1000) sum = sum / 2 - 1;
    if constexpr (N == 5) add(sum);
    switch (sum % 3) {
      case 0: return sum;
      case 1: sum |= 64; break;
      default: break;
    }
    if (const int rest = sum % 7; rest > 2) return shifted(rest) - ~sum;
    return side() == Side::Buy ? shifted(1) : has(2) ? sum : -sum;
  }
  static void add(int& sum) { sum += twice(3) - 1; }
  Side side() const { return size > 2 ? Side::Sell : Side::Buy; }
};
"""
WITHOUT_A_CHOICE = [
    *[f"constexpr int eight() {{ return {value}; }}" for value in ("5 * 2", "4 / 2", "4 * 3", "4 * 1")],
    "unsigned size : 5 = 3;",
    *[f"if constexpr ({value}) add(sum);" for value in ("true", "false", "N != 5", "N == 6")],
    "case 1: return sum;", "case 2: sum |= 64; break;", "case 0: sum |= 64; break;",
    *[f"if ({value}) return shifted(rest) - ~sum;" for value in ("true", "false", "!(const int rest = sum % 7; rest > 2)")]]
RUN_OF_CHOICES = """static_assert(eight() == 8);
void run() {
  Bag<int> bag;
  for (int i = 0; i < 5000; i = i * 2 + 1) printf("%d %d %d\\n", bag.sum(i), Bag<int>(i).sum(), bag.has(i));
  printf("%d\\n", bag.sum());
}
"""


@unittest.skipUnless(shutil.which("clang++-16"), "needs clang")
class SchemataTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "support.hpp").write_text(schemata.SUPPORT)

    @staticmethod
    def schema(text):
        found = dict(enumerate(mutants.Mutator("x.hpp", text).mutants(), 1))
        return found, schemata.Schema("x.hpp", text, found)

    def errors(self, name, text):
        """Builds a program; gives what the compiler says."""
        source = self.folder / f"{name}.cpp"
        source.write_text('extern "C" int printf(const char*, ...);\n' + text)
        return support.subprocess.run(
            ["clang++-16", "-std=c++20", "-w", "-Wno-c++11-narrowing", "-include", str(self.folder / "support.hpp"),
             str(source), "-o", str(self.folder / name)], check=False, text=True, stderr=support.subprocess.PIPE).stderr

    def said(self, name, **environment):
        try:
            return support.subprocess.run([str(self.folder / name)], env=environment, check=False, timeout=10,
                                          stdout=support.subprocess.PIPE).stdout
        except support.subprocess.TimeoutExpired:
            return "hung"

    def test_a_choice_is_the_mutant(self):
        """The program says the same with each mutant that it can choose as one that has the text of that mutant."""
        found, schema = self.schema(HEADER_OF_CHOICES)
        self.assertEqual(self.errors("choices", f"{schema.text()}{RUN_OF_CHOICES}int main() {{ run(); }}"), "")
        note = self.folder / "note"
        note.write_bytes(bytes(len(found) + 1))
        unchanged = self.said("choices", LLMES_REACHED=str(note))
        reached = [number for number in found if note.read_bytes()[number]]
        self.assertLessEqual(set(reached), set(schema.numbers()))
        self.assertEqual([found[number].after for number in found if number not in reached], WITHOUT_A_CHOICE)

        texts = {0: HEADER_OF_CHOICES, **{number: found[number].text for number in reached}}
        spaces = [f"namespace in_{number} {{\n{text}{RUN_OF_CHOICES}}}\n" for number, text in texts.items()]
        choice = "".join(f"  if (llmes_mutants::active == {number}) in_{number}::run();\n" for number in texts)
        self.assertEqual(self.errors("texts", f"{''.join(spaces)}int main() {{\n{choice}}}\n"), "")
        self.assertEqual(self.said("texts"), unchanged)
        different = 0
        for number in reached:
            said = self.said("choices", LLMES_MUTANT=str(number))
            self.assertEqual(said, self.said("texts", LLMES_MUTANT=str(number)), found[number])
            different += said != unchanged
        self.assertGreater(different, len(reached) * 0.8)

    def test_what_does_not_compile_is_left_out(self):
        """Of an error in the text of a mutant that one is to blame, of another all in its line."""
        text = "int f(int a) {\n  g(a + 1);\n  return a < 2;\n}\n"
        found, schema = self.schema(text)
        lines = schema.text().splitlines()
        self.assertEqual(lines[0], "int f(int a) {")
        self.assertFalse(schema.drop_at(1, 5))
        due, = [number for number in found if found[number].after == "return a < 3;"]
        self.assertTrue(schema.drop_at(3, lines[2].index(f"llmes_mutant({due})") + 1))
        self.assertEqual(sorted(schema.numbers()), [number for number in found if number != due])
        schema.text()
        self.assertTrue(schema.drop_at(2, 1))
        self.assertEqual([found[number].after for number in schema.numbers()], ["return a <= 2;", "return a < 1;"])


# Two instances of a template: the first ran in line 2 and took one way, the second the other.
PROGRAM_OF_TWO_INSTANCES = '''
#include "llmes/x.hpp"
int main(int argc, char**) { return argc == 9 ? missed(argc) : twice<1>(1) + twice<2>(-1); }
'''
HEADER_OF_TWO_INSTANCES = '''template <int N>
int twice(int x) {
  return x > 0 ? 0 : 0;
}
inline int missed(int x) {
  return x > 5 ? 1 : 2;
}
'''


@unittest.skipUnless(all(map(shutil.which, ("clang++-16", "llvm-cov-16", "llvm-profdata-16"))), "needs LLVM")
class CoverageTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        self.header = self.repository / "include/llmes/x.hpp"
        self.header.parent.mkdir(parents=True)
        self.header.write_text(HEADER_OF_TWO_INSTANCES)

    def program(self, name, source):
        """Builds a program, runs it and gives its path."""
        path = self.folder / name
        path.with_suffix(".cpp").write_text(source)
        run = support.subprocess.run
        run(["clang++-16", "-fprofile-instr-generate", "-fcoverage-mapping", f"-I{self.repository / 'include'}",
             f"{path}.cpp", "-o", str(path)], check=True)
        run([str(path)], env={**os.environ, "LLVM_PROFILE_FILE": f"{path}.profraw"}, check=True)
        return str(path)

    def coverage(self, *programs):
        profile = str(self.folder / "profile")
        support.subprocess.run(["llvm-profdata-16", "merge", "-sparse", "-o", profile,
                                *[f"{program}.profraw" for program in programs]], check=True)
        result = self.script("analysis/coverage.py", profile, *programs)
        self.assertEqual(result.returncode, 1, result.stderr)
        return result.stdout.splitlines()

    def test_instances_count_together_and_what_is_missed_is_named(self):
        self.assertEqual(self.coverage(self.program("x", PROGRAM_OF_TWO_INSTANCES)), [
            "include/llmes/x.hpp:5: never run: inline int missed(int x) {",
            "include/llmes/x.hpp:6: never run: return x > 5 ? 1 : 2;",
            "include/llmes/x.hpp:7: never run: }",
            "include/llmes/x.hpp:6:10: never true: return x > 5 ? 1 : 2;",
            "include/llmes/x.hpp:6:10: never false: return x > 5 ? 1 : 2;",
            "x.hpp: 3 of 6 lines, 2 of 4 branches",
            "coverage: 3 of 6 lines (50.0%) and 2 of 4 branches (50.0%) of include/llmes/"])

    def test_what_one_program_leaves_out_another_may_run(self):
        """Of most functions that a program has left out LLVM says nothing, since the hash of their structure is not
        the one of the profile. But that of this switch has the bit which marks another kind of profile."""
        cases = "".join(f"    case {i}: return {i};\n" for i in range(5))
        self.header.write_text(f"inline int chosen(int x) {{\n  switch (x) {{\n{cases}  }}\n  return 0;\n}}\n")
        without = self.program("x", '#include "llmes/x.hpp"\nint main() {}\n')
        with_it = self.program("y", '#include "llmes/x.hpp"\nint main() { for (int x = 5; x > 0;) x = chosen(x - 1); }\n')
        self.assertEqual(self.coverage(without, with_it), [
            "include/llmes/x.hpp:9: never run: return 0;",
            "include/llmes/x.hpp:2:11: never true: switch (x) {",
            "x.hpp: 9 of 10 lines, 11 of 12 branches",
            "coverage: 9 of 10 lines (90.0%) and 11 of 12 branches (91.7%) of include/llmes/"])


if __name__ == "__main__":
    unittest.main()
