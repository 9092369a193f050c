# SPDX-License-Identifier: MIT
"""docs.sh: the pages have the head of every header, every call, and the README; and a faulty comment makes it fail."""

import html
import re
import shutil

import support


class DocsTest(support.ScriptTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(support.ROOT / "include", self.repository / "include")
        shutil.copy(support.ROOT / "README.md", self.repository)

    def pages(self):
        result = self.script("packaging/docs.sh", f"--out={self.repository}/pages")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        return {path.name: " ".join(html.unescape(re.sub("<[^>]*>", "", path.read_text())).split())
                for path in (self.repository / "pages/html").glob("*.html")}

    def test_what_is_in_the_pages(self):
        pages = self.pages()
        for path in (self.repository / "include/llmes").rglob("*.hpp"):
            # Of headers with the same name, the page says in which folder each is.
            name = str(path.relative_to(self.repository / "include/llmes")).replace("_", "__").replace(".hpp", "_8hpp.html")
            page = pages.get(name.replace("/", "_2")) or pages[path.name.replace("_", "__").replace(".hpp", "_8hpp.html")]
            first_line = path.read_text().splitlines()[2].removeprefix("// ").replace("`", "")
            self.assertTrue(first_line in page, f"{path.name}: {first_line}")
        described = " ".join(page for name, page in pages.items() if name.startswith("classllmes_1_1"))
        calls = re.findall(r"^\| `(\w+)\(", (support.ROOT / "report/guide/calls.md").read_text(), re.MULTILINE)
        self.assertGreaterEqual(len(calls), 15)
        for call in calls:
            self.assertTrue(f"◆ {call}()" in described, call)
        self.assertTrue("const auto print = [](const Trade& trade) {" in pages["index.html"])
        header = (self.repository / "include/llmes/version.hpp").read_text()
        version = ".".join(re.findall(r"#define LLMES_VERSION_\w+ (\d+)", header))
        self.assertTrue(f"llmes {version}" in pages["index.html"])

    def test_a_faulty_comment(self):
        header = self.repository / "include/llmes/types/types.hpp"
        header.write_text(header.read_text() + "/// @param nothing what is not there\nvoid f(int something);\n")
        self.assert_fails(self.script("packaging/docs.sh", f"--out={self.repository}/pages"), 1,
                          "types.hpp", "argument 'nothing'")

    def test_bad_arguments(self):
        self.assert_fails(self.script("packaging/docs.sh"), 2, "where to? --out=FOLDER", "--help")
        self.assert_fails(self.script("packaging/docs.sh", "--fast"), 2, "unknown argument '--fast'")


if __name__ == "__main__":
    support.unittest.main()
