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
        for task, short, whole in (("exhaustive", "--length=5", "--length=6"),
                                   ("soak", "--operations=10000000", "--operations=100000000"),
                                   ("kills", "--runs=200", "--runs=2000")):
            self.program(self.repository / "build/release/tests" / task, f'echo "{task}: $*"')
            self.assert_ends(self.trust(task, "--short"), f"{task}: {short}")
            self.assert_ends(self.trust(task), f"{task}: {whole}")

    def test_what_a_search_finds_fails(self):
        for task in ("exhaustive", "soak", "kills"):
            self.program(self.repository / "build/release/tests" / task, "echo 'status: expected Success' >&2; exit 1")
            self.assert_fails(self.trust(task), 1, "status: expected Success")

    def test_a_mutant_without_a_reason_fails(self):
        self.program(self.repository / "scripts/analysis/mutate.py", 'echo "mutation: $*"; exit "${MUTANTS:-0}"')
        cores = len(os.sched_getaffinity(0))
        self.assert_ends(self.trust("mutate", "--short"), f"mutation: --jobs={cores} --sample=40")
        self.assert_ends(self.trust("mutate", "text.hpp", "itch/fields.hpp"),
                         f"mutation: --jobs={cores} text.hpp itch/fields.hpp")
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
                     "\nsoak: --operations=10000000\n\nended after 0:0"):
            self.assertIn(part, said)
        self.assertTrue(said.endswith(" minutes with 0\n"), said)
        self.assert_fails(self.trust("soak", "--save=trust"), 1, "already exists")
        self.assertEqual(record.read_text(), said)

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
                         "differential: fine; event hash abc of 200000 operations from each of 12 builds")
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
        self.assertEqual([mutant.key for mutant in mutants.Mutator("x.hpp", text).mutants()],
                         [("x.hpp", "f", "return a - b;", "return a + b;")])

    def test_the_headers_have_mutants_of_their_own(self):
        found = mutants.all_mutants(mutants.known_headers())
        self.assertGreater(len(found), 500)
        self.assertIn("engine/ring.hpp", {mutant.header for mutant in found})
        for mutant in found:
            self.assertNotEqual(mutant.text, (mutants.HEADERS / mutant.header).read_text())

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

    def test_a_run_that_was_stopped_goes_on(self):
        """Verdicts count as long as no header and no test changes; a line that was torn is tried again."""
        text = "int f() {\n  g(x);\n  return a < b;\n}\n"
        first, second = mutants.Mutator("x.hpp", text).mutants()
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            paths = ["include/x.hpp", "tests/x_test.cpp",
                     *[f"scripts/analysis/{name}.py" for name in ("mutants", "mutate")]]
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
                verdicts = mutate.kill_all([first, second], 1, root, {}, kept())
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

    @staticmethod
    def mutants(**counts):
        """So many mutants of each verdict."""
        return {verdict: [mutants.Mutant("x.hpp", 1, "f", f"{verdict}{i};", ";", "", 0, 0, "") for i in range(count)]
                for verdict, count in counts.items()}

    @staticmethod
    def judged(verdicts, listed, whole=True):
        """Whether all is well, and what is said, if there is a reason for these mutants."""
        with contextlib.redirect_stdout(io.StringIO()) as said:
            good = mutate.judge(collections.defaultdict(list, verdicts), {mutant.key: "harmless" for mutant in listed},
                                whole)
        return good, said.getvalue()

    def test_what_is_well(self):
        verdicts = self.mutants(failed=90, refused=2, hung=3, survived=5, equivalent=1, hint=6, uncompiled=4)
        good, said = self.judged(verdicts, verdicts["survived"])
        self.assertTrue(good)
        self.assertEqual(said.splitlines(), [
            "the same code: x.hpp f", "- equivalent0;", "+ ;",
            "mutation: 95 of 100 mutants killed (95.0%), 3 of them because a test did not end and 2 because one did "
            "not compile, 5 survived, 0 of them without a reason in tests/long/mutation/survivors.txt; 1 more give the "
            "same code, 6 only fetch ahead, 4 do not compile"])
        too_many = self.mutants(failed=94, survived=6)
        self.assertFalse(self.judged(too_many, too_many["survived"])[0])
        self.assertFalse(self.judged(self.mutants(failed=99, survived=1), [])[0])

    def test_a_sample_fails_only_by_an_unlisted_survivor(self):
        """Two listed survivors among 38 mutants are bad luck; one that is not listed is a hole in the tests."""
        sample = self.mutants(failed=36, survived=2)
        self.assertTrue(self.judged(sample, sample["survived"], whole=False)[0])
        self.assertFalse(self.judged(sample, sample["survived"], whole=True)[0])
        self.assertFalse(self.judged(sample, sample["survived"][:1], whole=False)[0])

    def test_a_reason_for_what_does_not_survive_is_told(self):
        tried = self.mutants(failed=1, hung=1)
        untried = {"hung": tried["hung"]}
        for whole, verdicts, good in ((True, tried, False), (False, tried, False), (False, untried, True),
                                      (True, untried, False)):
            well, said = self.judged(verdicts, tried["failed"], whole)
            self.assertEqual(well, good)
            self.assertEqual("listed, but it does not survive or is no mutant: x.hpp f" in said, not good)

    def test_every_survivor_of_the_list_is_a_mutant(self):
        keys = {mutant.key for mutant in mutants.all_mutants(mutants.known_headers())}
        self.assertEqual([key for key in mutate.read_survivors() if key not in keys], [])


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
            "coverage: 9 of 10 lines (90.0%) and 11 of 12 branches (91.7%) of include/llmes/"])


if __name__ == "__main__":
    unittest.main()
