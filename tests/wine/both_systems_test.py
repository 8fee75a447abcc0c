"""One job file on Linux and under wine: results of one shape, equal counts, the same verdict, the same words."""

import json
import os
import pathlib
import re
import subprocess
import unittest

from wine_case import WineCase, job

HERE = pathlib.Path(__file__).resolve().parents[2]
FOUND = [HERE / "build" / name / "bin" / "diskproof" for name in ["release", "dev"]]
LINUX = os.environ.get("DISKPROOF_LINUX") or next((str(path) for path in FOUND if path.exists()), None)

ENGINE = "engine: [iocp, io_uring, sync], seed: 7"
LOADS = [
    f"name: mixed, disk: d, size: 4MiB, {ENGINE}, queue_depth: 8, access: random, operations: {{read: 70%, write: 30%}}, "
    "operations_count: 500, thresholds: [total.operations == 500, write.operations >= 1]",
    f"name: sizes, disk: d, size: 4MiB, {ENGINE}, queue_depth: 4, access: random, operations: write, "
    "block_size: {4KiB: 50%, 64KiB: 50%}, operations_count: 200, fsync: {every: 50, end: true}, "
    "thresholds: [write.operations == 200]",
    f"name: files, disk: many, size: 1MiB, {ENGINE}, threads: 2, operations: read, block_size: 64KiB, bytes: 2MiB, "
    "thresholds: [read.bytes == 2MiB]",
    f"name: too_much, disk: d, size: 4MiB, {ENGINE}, access: {{zipf: 1.2}}, operations: read, operations_count: 100, "
    "thresholds: [read.operations >= 1000]",
]
DISKS = "d: {file: target.dat, fill: true}, many: {directory: ., fill: true}"
KEPT = "d: {file: target.dat, fill: true, keep: true, overwrite: true}, folder: {directory: データ 1, fill: true, keep: true, overwrite: true}"
MORE = "defaults: {direct: false, findings: {on_tmpfs: ignore, depth_not_reached: ignore}}\n"
BAD = [
    "diskproof: 1\nname: x\nfases: []\n",
    "diskproof: 1\nname: データ\ndisks: {d: {file: 4}}\nphases:\n  - {name: a, disk: e, operations: raed}\n",
    job("d: {file: t.dat}", ["name: a, disk: d, engine: sync, size: 4k, queue_depth: 0, duration: 1"]),
]


# What is there only with an engine's own options, with several whole intervals, or with time enough to see a drift.
OF_ENGINE_AND_TIME = re.compile(
    r"engine\.options\.|engine\.passed_over\[\]|\.iops\.(min|max|cv|p1|p5)$|\.clock\.drift|\.findings\[\]"
)


# Every path of keys, with one place for all elements of a list.
def shape(value, path=""):
    if isinstance(value, dict):
        return {path}.union(*(shape(inner, f"{path}.{key}") for key, inner in value.items()))
    if isinstance(value, list):
        return {path}.union(*(shape(inner, path + "[]") for inner in value))
    return {path}


@unittest.skipIf(LINUX is None, f"no Linux build of the program: none of {', '.join(map(str, FOUND))}")
class BothSystemsTest(WineCase):
    def on_linux(self, *arguments, code=0):
        environment = os.environ | {"XDG_STATE_HOME": str(self.folder / "state")}
        done = subprocess.run([LINUX, *arguments], cwd=self.folder, capture_output=True, timeout=120, env=environment)
        self.out, self.err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        self.assertEqual(done.returncode, code, self.out + self.err)

    def results(self, text, code):
        self.write_job(text)
        self.on_linux("run", "job.yaml", "--out", "linux", code=code)
        self.diskproof("run", "job.yaml", "--out", "windows", code=code)
        return [self.read_reports(folder) for folder in ["linux", "windows"]]

    def test_one_job_gives_results_of_one_shape_with_equal_counts_and_the_same_verdict(self):
        linux, windows = self.results(job(DISKS, LOADS, MORE), code=1)
        del linux["host"], windows["host"]
        differ = {path for path in shape(linux) ^ shape(windows) if not OF_ENGINE_AND_TIME.search(path)}
        self.assertEqual(differ, set())
        self.assertEqual((linux["outcome"], linux["exit_code"]), (windows["outcome"], windows["exit_code"]))
        self.assertEqual([p["name"] for p in linux["phases"]], [p["name"] for p in windows["phases"]])
        self.assertEqual({p["engine"] for p in windows["phases"]}, {"iocp"})
        counts = ["operations", "bytes", "errors"]
        for one, other in zip(linux["phases"], windows["phases"]):
            with self.subTest(one["name"]):
                self.assertEqual(one["outcome"], other["outcome"])
                self.assertEqual([t["outcome"] for t in one["thresholds"]], [t["outcome"] for t in other["thresholds"]])
                for name, value in one["metrics"].items():
                    if name.split(".")[-1] in counts:
                        self.assertEqual(value, other["metrics"][name], name)
        mixed = next(p for p in windows["phases"] if p["name"] == "mixed")
        self.assertGreater(mixed["metrics"]["write.operations"], 100)

    # What one system wrote with stamps, the other reads back from the manifest: sound, and with a bit of each changed not.
    def test_what_one_system_wrote_the_other_verifies_byte_for_byte(self):
        systems = {"linux": self.on_linux, "windows": self.diskproof}
        load = f"size: 2MiB, {ENGINE}, verify: write, operations: write, access: random, queue_depth: 4, operations_count: 300"
        writer = job(KEPT, [f"name: one, disk: d, {load}", f"name: many, disk: folder, {load}, threads: 2"], MORE)
        names = {"one": ("d", "target.dat"), "many": ("folder", "diskproof-wine-folder/t1.dat")}
        (self.folder / "データ 1").mkdir()
        for writing, reading in [("linux", "windows"), ("windows", "linux")]:
            out = f"{writing} wrote"
            self.write_job(writer)
            systems[writing]("run", "job.yaml", "--out", out)
            checks = [
                f"name: check_{phase}, disk: {disk}, engine: [iocp, io_uring, sync], verify: {{manifest: '{out}/{phase}.manifest'}}"
                for phase, (disk, _) in names.items()
            ]
            self.write_job(job(KEPT, checks, MORE))
            systems[reading]("run", "job.yaml", "--out", "sound")
            for phase in self.read_reports("sound")["phases"]:
                self.assertGreater(phase["metrics"]["verify.bytes"], 300 << 10)
                self.assertEqual(phase["metrics"]["verify.bytes"], phase["metrics"]["verify.expected"])
            for folder, name in [(self.folder, "target.dat"), (self.folder / "データ 1", names["many"][1])]:
                data = bytearray((folder / name).read_bytes())
                for at in range(77, len(data), 4096):  # not every block was written
                    data[at] ^= 1
                (folder / name).write_bytes(data)
            systems[reading]("run", "job.yaml", "--out", "changed", code=1)
            for phase in self.read_reports("changed")["phases"]:
                self.assertEqual(phase["outcome"], "fail")
                self.assertGreater(phase["metrics"]["verify.corrupt"], 0)

    def test_bad_jobs_are_told_in_the_same_words(self):
        for text in BAD:
            with self.subTest(text):
                self.write_job(text)
                self.on_linux("check", "job.yaml", code=3)
                expected = self.out + self.err
                self.assertIn("job.yaml:", expected)
                self.diskproof("check", "job.yaml", code=3)
                self.assertEqual((self.out + self.err).replace("\r\n", "\n"), expected)

    def test_a_result_of_one_system_is_shown_by_the_other_byte_for_byte(self):
        self.results(job(DISKS, LOADS[:1], MORE), code=0)
        for folder in ["linux", "windows"]:
            self.on_linux("report", f"{folder}/result.json", "--format", "cdm")
            expected = self.out
            self.diskproof("report", f"{folder}/result.json", "--format", "cdm")
            self.assertEqual(self.out.replace("\r\n", "\n"), expected)
            self.assertEqual(json.loads((self.folder / folder / "result.json").read_text())["outcome"], "pass")


if __name__ == "__main__":
    unittest.main()
