"""What the tests under wine share: a folder of their own, the program in it, its reports held against their schemas."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

EXE = os.environ["DISKPROOF_EXE"]
SCHEMAS = pathlib.Path(os.environ["DISKPROOF_SCHEMAS"])


def job(disks, phases, more=""):
    return f"diskproof: 1\nname: wine\ndisks: {{{disks}}}\n{more}phases:\n" + "".join(f"  - {{{p}}}\n" for p in phases)


class WineCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="diskproof wine ")).resolve()
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = dict(os.environ)

    # Runs it to its end, in self.folder; self.out and self.err are what it printed, byte for byte.
    def diskproof(self, *arguments, code=0, limit=120, exe=EXE):
        done = subprocess.run(
            [os.environ["UNDER_WINE"], exe, *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            timeout=limit,
        )
        self.out, self.err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        self.assertEqual(done.returncode, code, self.out + self.err)

    def write_job(self, text):
        (self.folder / "job.yaml").write_text(text, encoding="utf-8")

    def run_job(self, text, *arguments, code=0):
        self.write_job(text)
        self.diskproof("run", "job.yaml", "--out", "out", *arguments, code=code)
        return self.read_reports()

    # The result, after both reports were found valid by programs that are not ours.
    def read_reports(self, folder="out"):
        result, junit = self.folder / folder / "result.json", self.folder / folder / "junit.xml"
        self.assertNotIn(b"\r", result.read_bytes() + junit.read_bytes())
        import jsonschema  # the system's own

        document = json.loads(result.read_text(encoding="utf-8"))
        jsonschema.validate(document, json.loads((SCHEMAS / "result.schema.json").read_text(encoding="utf-8")))
        subprocess.run(
            ["xmllint", "--noout", "--schema", SCHEMAS / "junit.xsd", junit], check=True, capture_output=True
        )
        return document

    def left(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*.dat*"))

    # How Windows calls a place on this machine: "Z:\tmp\x".
    @staticmethod
    def windows_path(path):
        return "Z:" + str(path).replace("/", "\\")
