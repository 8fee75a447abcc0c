"""diskproof.exe under wine, by its exit codes, its reports and what it leaves behind. No speed is looked at."""

import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

from wine_case import EXE, WineCase, job

FILE = "d: {file: target.dat, fill: true}"
VIRTUAL = "v: {virtual: {size: 1GiB}}"
NULL = "name: null_load, disk: v, engine: 'null', operations_count: 1000, queue_depth: 8, thresholds: [read.operations == 1000]"
SIM = (
    "name: sim_load, disk: v, engine: {name: sim, service_time: 100us}, operations: {read: 50%, write: 50%}, "
    "operations_count: 200, queue_depth: 4, thresholds: [total.operations == 200]"
)
SYNC = (
    "name: sync_load, disk: d, size: 1MiB, engine: sync, direct: true, access: random, operations: write, "
    "block_size: 4KiB, operations_count: 300, thresholds: [write.operations == 300, write.bytes == 1228800B]"
)
ENDLESS = "name: endless, disk: v, engine: {name: sim, service_time: 1ms}, operations: read, duration: 120s"


class ProgramTest(WineCase):
    def test_a_job_is_checked_planned_and_run_with_exact_counts(self):
        self.write_job(job(f"{FILE}, {VIRTUAL}", [NULL, SIM, SYNC]))
        self.diskproof("check", "job.yaml")
        self.diskproof("plan", "job.yaml")
        self.assertIn("target.dat", self.out)
        self.diskproof("run", "job.yaml", "--out", "out")
        result = self.read_reports()
        self.assertEqual(result["outcome"], "pass")
        phases = {phase["name"]: phase for phase in result["phases"]}
        self.assertEqual(list(phases), ["null_load", "sim_load", "layout/d", "sync_load"])
        for name, operations, size in [
            ("null_load", 1000, 4096000),
            ("sim_load", 200, 819200),
            ("layout/d", 1, 1048576),
            ("sync_load", 300, 1228800),
        ]:
            self.assertEqual(phases[name]["outcome"], "pass", name)
            self.assertEqual(phases[name]["metrics"]["total.operations"], operations, name)
            self.assertEqual(phases[name]["metrics"]["total.bytes"], size, name)
        self.assertIn("Windows", result["host"]["kernel"])
        self.assertEqual(self.left(), [])

    def test_names_beyond_latin_1_with_blanks_reach_the_disk_and_the_reports(self):
        (self.folder / "データ 1").mkdir()
        (self.folder / "job.yaml").write_text("", encoding="utf-8")
        text = job("d: {directory: データ 1, fill: true, keep: true}", [SYNC.replace("disk: d", "disk: d, threads: 2")])
        (self.folder / "ジョブ.yaml").write_text(text, encoding="utf-8")
        self.diskproof("run", "ジョブ.yaml", "--out", "出力")
        result = json.loads((self.folder / "出力" / "result.json").read_text(encoding="utf-8"))
        self.assertIn("データ 1\\diskproof-wine-d\\t0.dat", json.dumps(result, ensure_ascii=False).replace("\\\\", "\\"))
        self.assertIn("データ 1/diskproof-wine-d/t0.dat", self.left())

    def test_a_broken_threshold_and_a_bad_job_have_their_exit_codes(self):
        result = self.run_job(job(VIRTUAL, [SIM.replace("== 200", "== 7")]), code=1)
        self.assertEqual(result["outcome"], "fail")
        self.write_job("diskproof: 1\nname: x\nfases: []\n")
        self.diskproof("check", "job.yaml", code=3)
        self.assertIn("fases: unknown key", self.err)

    def test_a_file_of_somebody_else_is_refused(self):
        (self.folder / "target.dat").write_text("precious")
        self.run_job(job(FILE, [SYNC]), code=4)
        self.assertEqual((self.folder / "target.dat").read_text(), "precious")

    def test_a_lost_child_costs_its_phase_only(self):
        def lost(options):
            return f"name: lost, disk: v, engine: {{name: sim, service_time: 100us, {options}}}, duration: 30s"

        rows = [
            ("exit_at: 5", "exit code 7"),
            ("abort_at: 5", "exit code 3"),
            ("hang_at: 5", "in flight"),
            ("stuck_at: 5", "in flight"),
        ]
        for options, words in rows:
            with self.subTest(options):
                began = time.monotonic()
                result = self.run_job(
                    job(f"{FILE}, {VIRTUAL}", [lost(options), SIM, SYNC], "defaults: {io_timeout: 1s}\n"), code=2
                )
                outcomes = {phase["name"]: phase["outcome"] for phase in result["phases"]}
                self.assertEqual(
                    outcomes, {"lost": "error", "sim_load": "pass", "layout/d": "pass", "sync_load": "pass"}
                )
                self.assertIn(words, result["phases"][0]["reason"])
                self.assertLess(time.monotonic() - began, 30)
                self.assertEqual(self.left(), [])

    def test_interrupt_ends_the_run_with_reports_and_without_files(self):
        runner = self.start_endless()
        runner.send_signal(signal.SIGINT)
        self.assertEqual(runner.wait(30), 130)
        self.assertEqual(self.read_reports()["outcome"], "error")
        self.assertEqual(self.left(), [])
        self.assertEqual(self.children(), [])

    def test_nothing_outlives_a_killed_runner_and_cleanup_finishes_its_undo(self):
        runner = self.start_endless()
        runner.kill()
        runner.wait(30)
        deadline = time.monotonic() + 20
        while self.children() and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(self.children(), [])
        self.assertEqual(self.left(), ["target.dat", "target.dat.diskproof"])
        self.diskproof("cleanup")
        self.assertEqual(self.left(), [])

    def test_engines_are_listed(self):
        self.diskproof("engines")
        for name in ["null", "sim", "sync", "iocp"]:
            self.assertIn(name, self.out)

    # A run in its endless phase, as a process of this test's own.
    def start_endless(self):
        self.write_job(job(f"{FILE}, {VIRTUAL}", [SYNC, ENDLESS]))
        log = self.folder / "events"
        environment = self.environment | {"WINEDEBUG": "-all"}
        for name in ["DISPLAY", "WAYLAND_DISPLAY"]:
            environment.pop(name, None)
        with open(log, "wb") as out, open(self.folder / "errors", "wb") as err:
            runner = subprocess.Popen(
                ["/usr/lib/wine/wine64", EXE, "run", "job.yaml", "--out", "out", "--json"],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )
        self.addCleanup(runner.kill)
        deadline = time.monotonic() + 60
        while '"endless"' not in log.read_text() or not self.children():
            self.assertIsNone(runner.poll(), (self.folder / "errors").read_text())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        time.sleep(0.5)
        return runner

    # The phases' processes of this build, by their command line.
    def children(self):
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if b"--phase-child" in line and pathlib.Path(EXE).name.encode() in line and self.is_here(entry):
                found.append(int(entry.name))
        return found

    def is_here(self, entry):
        try:
            return pathlib.Path(os.readlink(entry / "cwd")) == self.folder
        except OSError:
            return False


if __name__ == "__main__":
    unittest.main()
