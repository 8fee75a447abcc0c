"""Disks as Windows names them: a raw volume that is an image here, a share, and files laid out for real."""

import json
import os
import pathlib
import unittest

from wine_case import WineCase, job

DOS_DEVICES = pathlib.Path(os.environ["WINEPREFIX"]) / "dosdevices"
SIZE = 8 << 20
RAW = "identity: {size: 8MiB}, destroy: true"
WRITE = (
    "name: load, disk: d, size: 4MiB, engine: iocp, layout: none, access: random, operations: write, queue_depth: 4, "
    "threads: 2, operations_count: 512, seed: 3, thresholds: [write.operations == 512]"
)
SYNC = WRITE.replace("iocp", "sync").replace("queue_depth: 4", "queue_depth: 1")
READ = "name: look, disk: d, size: 4MiB, engine: iocp, layout: none, operations: read, operations_count: 64, thresholds: [read.operations == 64]"


class DisksTest(WineCase):
    def setUp(self):
        super().setUp()
        DOS_DEVICES.exists() or self.diskproof("presets")  # makes wine's folder

    # A volume without a file system: wine opens \\.\R: as what r:: leads to.
    def map_volume(self, letter="r"):
        image = self.folder / "disk.img"
        image.write_bytes(b"old data" * (SIZE // 8))
        self.link(f"{letter}::", image)
        return image

    def link(self, name, to):
        link = DOS_DEVICES / name
        link.unlink(missing_ok=True)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(to)
        self.addCleanup(link.unlink)

    def test_a_raw_volume_is_refused_without_both_consents_and_written_with_them(self):
        image = self.map_volume()
        before = image.read_bytes()
        rows = [
            ("identity: {size: 8MiB}", ["--allow-destroy", "d"], "set `destroy: true`"),
            (RAW, [], "add --allow-destroy d"),
            ("identity: {size: 8MiB}", [], "set `destroy: true`"),
            ("destroy: true", ["--allow-destroy", "d"], "add `identity:`"),
            ("identity: {size: 9MiB}, destroy: true", ["--allow-destroy", "d"], "the job asks for 9 MiB"),
            (RAW, ["--allow-destroy", "d=WD-1"], "is for another device"),
        ]
        for keys, words, reason in rows:
            with self.subTest(reason + str(words)):
                result = self.run_job(job(f"d: {{device: '\\\\.\\R:', {keys}}}", [WRITE]), *words, code=4)
                self.assertIn(reason, json.dumps(result, ensure_ascii=False))
                self.assertEqual(image.read_bytes(), before)
        for load in [WRITE, SYNC]:
            result = self.run_job(job(f"d: {{device: '\\\\.\\R:', {RAW}}}", [load, READ]), "--allow-destroy", "d")
            self.assertEqual(result["outcome"], "pass")
            self.assertEqual(result["disks"][0]["device"]["path"], "\\\\.\\R:")
            self.assertEqual(result["disks"][0]["device"]["size"], SIZE)
        after = image.read_bytes()
        self.assertNotEqual(after[: 4 << 20], before[: 4 << 20])
        self.assertEqual(after[4 << 20 :], before[4 << 20 :])
        self.diskproof("cleanup")

    def test_a_raw_volume_is_read_without_consent(self):
        image = self.map_volume()
        before = image.read_bytes()
        result = self.run_job(job("d: {device: '\\\\.\\r:'}", [READ]))
        self.assertEqual(result["outcome"], "pass")
        self.assertEqual(image.read_bytes(), before)

    def test_what_is_no_device_and_what_is_of_the_system_is_refused(self):
        (self.folder / "folder").mkdir()
        (self.folder / "file").write_text("x")
        rows = [
            (self.windows_path(self.folder / "folder"), "is a folder, not a block device", 4),
            (self.windows_path(self.folder / "file"), "is a regular file, not a block device", 4),
            ("\\\\.\\Q:", "does not exist", 4),
            ("\\\\.\\PhysicalDrive77", "does not exist", 4),
            ("\\\\.\\C:", "holds Windows; this machine cannot do without it", 4),
            ("\\\\.\\PhysicalDrive0", "holds Windows; this machine cannot do without it", 4),
        ]
        for device, words, code in rows:
            with self.subTest(device):
                text = job(f"d: {{device: '{device}', {RAW}}}", [WRITE])
                result = self.run_job(text, "--allow-destroy", "d", code=code)
                self.assertIn(words, json.dumps(result).replace("\\\\", "\\"))

    def test_a_job_that_needs_more_than_the_volume_has_does_not_touch_it(self):
        image = self.map_volume()
        before = image.read_bytes()
        text = job(f"d: {{device: '\\\\.\\R:', {RAW}}}", [WRITE.replace("4MiB", "9MiB")])
        self.run_job(text, "--allow-destroy", "d", code=2)
        self.assertEqual(image.read_bytes(), before)

    def test_devices_are_listed_with_what_holds_against_them(self):
        self.map_volume()
        self.diskproof("devices")
        self.assertIn("\\\\.\\PhysicalDrive0", self.out)
        self.assertIn("holds Windows", self.out)
        self.diskproof("devices", "--json")
        devices = {device["path"]: device for device in json.loads(self.out)["devices"]}
        self.assertEqual(devices["\\\\.\\R:"]["size"], SIZE)
        self.assertEqual(devices["\\\\.\\R:"]["refusals"], [])

    def test_a_share_is_known_as_a_network_file_system(self):
        (self.folder / "served").mkdir()
        self.link("unc/nas/bench", self.folder / "served")
        load = WRITE.replace("layout: none, ", "").replace("threads: 2, ", "")
        result = self.run_job(job("d: {directory: '\\\\nas\\bench', fill: true}", [load]))
        self.assertEqual(result["outcome"], "pass")
        self.assertEqual(result["disks"][0]["network"]["kind"], "cifs")
        self.assertEqual(result["disks"][0]["network"]["server"], "nas")
        self.assertEqual(self.left(), [])

    def test_layout_writes_every_block_and_does_not_only_set_the_end(self):
        load = READ.replace("layout: none, ", "")
        self.run_job(job("d: {directory: ., keep: true, fill: true}", [load]))
        (path,) = self.folder.rglob("t0.dat")
        data = path.read_bytes()
        self.assertEqual(len(data), 4 << 20)
        for at in range(0, len(data), 512):
            self.assertNotEqual(data[at : at + 512], bytes(512), at)


if __name__ == "__main__":
    unittest.main()
