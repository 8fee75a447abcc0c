"""What a Windows user types: quickstart, presets, paths as Windows writes them, mistakes; and what the screen says."""

import os
import unittest

from wine_case import WineCase, job

IOCP = "name: load, disk: d, size: 1MiB, engine: iocp, queue_depth: 8, access: random, operations: {read: 50%, write: 50%}, operations_count: 200, thresholds: [total.operations == 200]"


class UserTest(WineCase):
    def only_windows_line_ends(self, text):
        self.assertNotIn("\n", text.replace("\r\n", ""))
        self.assertIn("\r\n", text)

    def test_quickstart_passes_with_iocp(self):
        share = os.path.dirname(os.environ["DISKPROOF_SCHEMAS"])
        quickstart = self.windows_path(os.path.join(share, "jobs", "quickstart.yaml"))
        self.diskproof("run", quickstart, "--smoke", "--out", "quick out")
        result = self.read_reports("quick out")
        self.assertEqual(result["outcome"], "pass")
        self.assertEqual({phase["engine"] for phase in result["phases"]}, {"iocp"})
        self.only_windows_line_ends(self.out)
        self.assertEqual(self.left(), [])

    def test_cdm8_default_runs_on_a_path_of_windows_and_is_shown_as_its_users_know_it(self):
        (self.folder / "t").mkdir()
        path = self.windows_path(self.folder / "t")
        small = ["size=4MiB", "measure=200ms", "interval=0s", "runs=1", "discard=0"]
        sets = [word for setting in [f"path={path}", *small] for word in ("--set", setting)]
        self.diskproof("run", "cdm8-default", *sets, "--out", "out")
        result = self.read_reports()
        self.assertEqual(result["outcome"], "pass")
        self.assertIn("diskproof-cdm8-default.dat", str(result["plan"]))
        self.assertEqual({phase["engine"] for phase in result["phases"]}, {"iocp"})
        self.diskproof("report", "out\\result.json", "--format", "cdm")
        self.only_windows_line_ends(self.out)
        for row in ["SEQ1MiB(Q=8,T=1)", "RND4KiB(Q=32,T=1)"]:
            self.assertIn(row, self.out.replace(" ", ""))
        self.assertEqual(self.left(), [])

    def test_a_drive_letter_a_blank_and_backslashes_in_a_job(self):
        target = self.windows_path(self.folder / "a b" / "t.dat")
        (self.folder / "a b").mkdir()
        result = self.run_job(job(f"d: {{file: '{target}', fill: true}}", [IOCP]))
        self.assertEqual(result["outcome"], "pass")
        self.assertEqual(self.left(), [])

    def test_paths_of_three_hundred_characters(self):
        deep = self.folder.joinpath(*["a folder with a long name " + "x" * 60] * 4)
        deep.mkdir(parents=True)
        self.assertGreater(len(str(deep)), 300)
        for disk in [f"d: {{directory: '{self.windows_path(deep)}', fill: true}}", f"d: {{file: '{self.windows_path(deep / 't.dat')}', fill: true}}"]:
            for engine in ["iocp", "sync"]:
                with self.subTest(disk=disk[:14], engine=engine):
                    load = IOCP if engine == "iocp" else IOCP.replace("iocp", "sync").replace("queue_depth: 8", "queue_depth: 1")
                    self.write_job(job(disk, [load]))
                    self.diskproof("run", "job.yaml", "--out", self.windows_path(deep / engine / disk[4:8]))
                    self.assertEqual(self.left(), [])

    def test_words_beyond_latin_1_come_back_on_the_screen(self):
        self.diskproof("run", "ありません.yaml", code=3)
        self.assertIn("ありません.yaml", self.err)
        self.diskproof("run", "job.yaml", "--label", "場所=東京", code=3)  # there is no job.yaml
        self.write_job(job("v: {virtual: {size: 1GiB}}", ["name: load, disk: v, engine: 'null', operations_count: 10, thresholds: [read.operations == 10]"]))
        self.diskproof("run", "job.yaml", "--out", "out", "--label", "場所=東京")
        self.assertEqual(self.read_reports()["labels"], {"場所": "東京"})

    def test_mistakes_have_their_exit_codes_and_say_where(self):
        rows = [
            ("fases: []\n", 3, "job.yaml:"),
            (job("d: {file: t.dat}", [IOCP.replace("iocp", "io_uring")]), 2, "io_uring"),
            (job("d: {file: t.dat}", [IOCP.replace("iocp", "iocq")]), 2, "did you mean iocp"),
            (job("d: {file: t.dat}", [IOCP.replace("engine: iocp", "engine: {name: iocp, skip: true}")]), 3, "skip"),
            (job("d: {file: t.dat}", [IOCP.replace("iocp", "sync")]), 3, "threads"),
            (job("d: {file: 'Q:\\none\\t.dat'}", [IOCP]), 2, "there is no folder Q:"),
        ]
        for text, code, words in rows:
            with self.subTest(words):
                self.write_job(text)
                self.diskproof("run", "job.yaml", "--out", "out", code=code)
                self.assertIn(words, self.out + self.err)
                self.assertEqual(self.left(), [])

    def test_engines_says_what_this_system_has(self):
        self.diskproof("engines", "iocp")
        for words in ["completion ports", "skip_on_success", "trim"]:
            self.assertIn(words, self.out)
        self.diskproof("presets")
        self.assertIn("cdm8-default", self.out)


if __name__ == "__main__":
    unittest.main()
