"""The zip that users get: it needs no DLL beside those of Windows, and works from wherever it is unpacked."""

import os
import pathlib
import re
import subprocess
import unittest
import zipfile

from wine_case import WineCase

SYSTEM = {"advapi32.dll", "bcrypt.dll", "kernel32.dll", "msvcrt.dll", "ole32.dll", "shell32.dll", "user32.dll", "winmm.dll", "ws2_32.dll"}
BUILD = pathlib.Path(os.environ["DISKPROOF_EXE"]).parent.parent


class PackageTest(WineCase):
    def setUp(self):
        super().setUp()
        done = subprocess.run(
            [os.environ["CPACK"], "--config", BUILD / "CPackConfig.cmake", "-B", self.folder / "packages"],
            cwd=BUILD,
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        (package,) = (self.folder / "packages").glob("*.zip")
        self.assertRegex(package.name, r"^diskproof-\d+\.\d+\.\d+-windows-x86_64\.zip$")
        with zipfile.ZipFile(package) as archive:
            archive.extractall(self.folder / "un packed")
        self.top = self.folder / "un packed" / package.stem

    def test_it_holds_what_is_needed_and_runs_from_another_folder(self):
        binaries = [*self.top.rglob("*.exe"), *self.top.rglob("*.dll")]
        names = sorted(path.name for path in binaries)
        for name in ["diskproof.exe", *(f"diskproof_engine_{engine}.dll" for engine in ["iocp", "null", "sim", "sync"])]:
            self.assertIn(name, names)
        for path in binaries:
            with self.subTest(path.name):
                table = subprocess.run(
                    [os.environ["OBJDUMP"], "-p", path], check=True, capture_output=True, text=True
                ).stdout
                imports = {name.lower() for name in re.findall(r"DLL Name: (\S+)", table)}
                self.assertIn("kernel32.dll", imports)
                self.assertLessEqual(imports, SYSTEM)
        for file in ["LICENSE", "share/diskproof/jobs/quickstart.yaml", "share/diskproof/schemas/result.schema.json"]:
            self.assertTrue(any(self.top.rglob(pathlib.PurePath(file).name)), file)
        exe = str(self.top / "bin" / "diskproof.exe")
        self.diskproof("engines", exe=exe)
        for engine in ["iocp", "null", "sim", "sync"]:
            self.assertIn(engine, self.out)
        small = ["size=1MiB", "measure=100ms", "interval=0s", "runs=1", "discard=0"]
        self.diskproof("run", "cdm8-default", *(w for s in small for w in ("--set", s)), "--out", "out", exe=exe)
        self.assertEqual(self.read_reports()["outcome"], "pass")
        self.assertEqual(self.left(), [])


if __name__ == "__main__":
    unittest.main()
