# SPDX-License-Identifier: MIT
"""The layout of include/llmes/: dependencies run one way between its folders, and a folder has one umbrella. And that of
examples/exchange/, which knows neither sockets nor the program, and whose protocols do not know each other."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
INCLUDE = ROOT / "include"

# The other folders whose headers those of a folder may include. Of `engine` there are two more, which need the journal.
MAY_KNOW = {"detail": []}
for folder, others in {"types": ["detail"], "book": ["types"], "ids": ["book"], "sets": ["book"], "itch": ["types"],
                       "dbn": ["types"], "wire": ["types"], "rules": ["ids", "sets"], "venue": ["rules"],
                       "market_data": ["rules", "itch", "dbn"], "simulator": ["venue", "market_data"],
                       "engine/journal": ["types"],
                       "engine": ["engine/journal", "market_data", "venue"]}.items():
    MAY_KNOW[folder] = sorted({*others, *(further for other in others for further in MAY_KNOW[other])})
PORTABLE = [folder for folder in MAY_KNOW if not folder.startswith("engine")]
WITHOUT_UMBRELLA = ["detail", "types"]

HEADERS = {str(path.relative_to(INCLUDE)): path.read_text(encoding="utf-8") for path in sorted(INCLUDE.rglob("*.hpp"))}
INCLUDED = {name: re.findall(r'^#include "(.*)"', text, re.MULTILINE) for name, text in HEADERS.items()}


def folder_of(header):
    """The folder that has a say in what a header may include, or none for what stands beside the folders."""
    inner = header.partition("/")[2].rpartition("/")[0]
    return inner if inner in MAY_KNOW else inner.partition("/")[0]


def reached_from(header):
    """The header with all that it includes, at any depth."""
    reached, new = set(), {header}
    while new:
        reached |= new
        new = {name for old in new for name in INCLUDED[old]} - reached
    return reached


class LayoutTest(unittest.TestCase):
    def test_there_is_what_is_included_and_it_is_ours(self):
        for header, included in INCLUDED.items():
            for name in included:
                self.assertIn(name, HEADERS, f"{header} includes what is not in include/")

    def test_an_umbrella_brings_the_names_of_its_enumerators(self):
        for umbrella in [header for header in HEADERS if header.count("/") == 1]:
            reached = reached_from(umbrella)
            if any(re.search(r"^enum class", HEADERS[header], re.MULTILINE) for header in reached):
                self.assertIn("llmes/detail/enumerator_name.hpp", reached, umbrella)

    def test_dependencies_run_one_way(self):
        for header, included in INCLUDED.items():
            folder = folder_of(header)
            if not folder:
                continue
            self.assertIn(folder, MAY_KNOW, f"{header}: say in this test which folders a new one may know")
            for name in included:
                if name != "llmes/version.hpp":
                    self.assertIn(folder_of(name), [folder, *MAY_KNOW[folder]], f"{header} includes {name}")

    def test_a_folder_has_an_umbrella_of_all_its_headers(self):
        folders = [folder for folder in MAY_KNOW if "/" not in folder and folder not in WITHOUT_UMBRELLA]
        for folder in folders:
            own = {header for header in HEADERS if header.startswith(f"llmes/{folder}/")}
            self.assertEqual(own - reached_from(f"llmes/{folder}.hpp"), set())
        portable = {header for header in HEADERS if folder_of(header) in PORTABLE}
        self.assertEqual(portable - reached_from("llmes/llmes.hpp"), set())
        self.assertEqual({header for header in reached_from("llmes/llmes.hpp") if "engine" in header}, set())

    def test_beside_the_folders_stand_their_umbrellas_alone(self):
        umbrellas = {f"llmes/{folder}.hpp" for folder in MAY_KNOW}
        beside = {header for header in HEADERS if not folder_of(header)}
        self.assertLessEqual(beside, {*umbrellas, "llmes/llmes.hpp", "llmes/version.hpp"})

    def test_the_impacts_that_comments_name_are_there(self):
        """`displace` and `none` are words of Python and of bench_simulator, not of these headers."""
        texts = {name: text for name, text in HEADERS.items() if name.startswith("llmes/simulator/")}
        declared = set(re.findall(r"^(?:class|struct|using) (\w*Impact)\b", "\n".join(texts.values()), re.MULTILINE))
        self.assertLessEqual({"TapeImpact", "DisplaceImpact", "VenueImpact"}, declared)
        for name, text in texts.items():
            comments = re.sub(r"\n\s*//[/!]?<?", " ", text)
            named = re.findall(r"\b[Ii]mpacts? +`(\w+)`|`(\w+Impact)`|`(displace)`", comments)
            self.assertLessEqual({"".join(one) for one in named}, declared, name)

    def test_the_tests_of_a_folder_have_one_of_its_name(self):
        for folder in MAY_KNOW:
            self.assertTrue("/" in folder or list((ROOT / "tests" / folder).glob("*_test.cpp")), folder)


EXAMPLES = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
            for path in sorted((ROOT / "examples").rglob("*.[ch]pp"))}
EXCHANGE = "examples/exchange/"


class ExchangeTest(unittest.TestCase):
    def included(self, path):
        """What a file includes, from the root of the repository; in angle brackets as it stands."""
        text = (ROOT / path).read_text(encoding="utf-8")
        names = re.findall(r'^#include "(.*)"', text, re.MULTILINE)
        beside = {name: str(pathlib.PurePath(path).parent / name) for name in names}
        return [own if (ROOT / own).exists() else name for name, own in beside.items()] + \
            re.findall(r"^#include <(.*)>", text, re.MULTILINE)

    def test_it_knows_no_sockets_and_no_program(self):
        tests = ["tests/examples/exchange_doors_test.cpp", "tests/examples/tiny_protocol.hpp",
                 "tests/examples/tiny_protocol_test.cpp"]
        files = [path for path in EXAMPLES if path.startswith(EXCHANGE)]
        self.assertGreater(len(files), 20)
        for path in files + tests:
            for name in self.included(path):
                self.assertNotRegex(name, r"^examples/(?!exchange/)|asio|socket|netinet|netdb|poll\.h", path)

    def test_it_knows_no_protocol(self):
        folders = {path.name for path in (ROOT / EXCHANGE).iterdir() if path.is_dir()}
        self.assertLessEqual({"ouch", "fix", "snapshot", "soup"}, folders)
        for path in [path for path in EXAMPLES if path.startswith(EXCHANGE)]:
            own = path.removeprefix(EXCHANGE).rpartition("/")[0]
            for name in self.included(path):
                other = name.removeprefix(EXCHANGE).partition("/")[0] if name.startswith(EXCHANGE) else ""
                if other in folders - {own}:
                    self.assertEqual((bool(own), other), (True, "soup"), f"{path} includes {name}")
                if not own:
                    self.assertNotRegex(name, r"^llmes/wire", f"{path} knows a format of clients")

    def test_no_example_uses_parts_of_the_library(self):
        for path, text in EXAMPLES.items():
            self.assertNotRegex(text, r"llmes::detail|llmes/detail/", path)


if __name__ == "__main__":
    unittest.main()
