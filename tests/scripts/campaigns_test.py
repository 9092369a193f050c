# SPDX-License-Identifier: MIT
"""What all campaigns refuse before they build or measure anything."""

import unittest

import support

WITHOUT_BOOKS = ("ablation", "any_price", "compare", "engine", "feed", "growth", "rules", "simulator", "wire")


class CampaignsTest(support.ScriptTest):
    def assert_refused(self, name, arguments, status, *parts):
        with self.subTest(name):
            self.assert_fails(self.script(name, "--no-build", *arguments), status, *parts)
            self.assertFalse((self.repository / "server_results").exists())

    def test_bad_arguments(self):
        campaigns = ("bench.sh", *(f"local/{name}.sh" for name in ("evolution", *WITHOUT_BOOKS)))
        for arguments, message in ((["--save"], "--save needs a value"), (["--save=a/b"], "'a/b' is not a name"),
                                   (["--seeds", "0"], "--seeds: '0'"), (["--rounds=many"], "--rounds: 'many'")):
            for name in campaigns:
                self.assert_refused(name, arguments, 2, message, "--help")
        for name in ("", ".", "..", "../elsewhere", "a b", "$HOME"):
            self.assert_refused("bench.sh", ["--save", name], 2, f"'{name}' is not a name")

    def test_books(self):
        for name in WITHOUT_BOOKS:
            self.assert_refused(f"local/{name}.sh", ["--books=core"], 2, "unknown argument '--books=core'", "--help")
        self.assert_refused("local/feed.sh", ["--before=HEAD"], 2, "unknown argument '--before=HEAD'", "--help")
        for name in ("bench.sh", "local/evolution.sh"):
            self.assert_refused(name, ["--books", "core;reference"], 2, "--books: 'core;reference'", "--help")

    def test_what_is_kept_comes_from_a_commit(self):
        self.change_the_tree()
        for name in ("bench.sh", *(f"local/{name}.sh" for name in ("evolution", *WITHOUT_BOOKS))):
            self.assert_refused(name, ["--save=x"], 1, "no commit holds these changes", "changed",
                                "commit or stash them, or leave out --save")


if __name__ == "__main__":
    unittest.main()
