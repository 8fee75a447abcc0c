"""What the rows stand on: a file in a folder, and the same on an ext4 of its own on a loop device."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import time

from contenders import Failure

IMAGE_SIZE = 1 << 30
_PIECE = 1 << 20


def _call(*command) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failure(f"{command[0]} failed: {(done.stderr or done.stdout).strip()}")
    return done.stdout.strip()


def _undo(*command):
    """Tried for some seconds: the kernel takes down a closed ring, and with it the open file, some time after its process
    has ended. A failure is said and does not hold up the other steps."""
    for wait in (0.1, 0.3, 1, 3, 6, 0):
        try:
            _call(*command)
            return
        except Failure as fault:
            last = fault
        time.sleep(wait)
    print(f"bench: left behind: {last}", file=sys.stderr)


@contextlib.contextmanager
def loop_folder(work: pathlib.Path):
    """A folder on an ext4 file system on a loop device; raises Failure with the reason where that is not possible."""
    if os.geteuid() != 0:
        raise Failure("needs root: a loop device, a file system and a mount")
    for command in ("mkfs.ext4", "losetup", "mount"):
        if shutil.which(command) is None:
            raise Failure(f"{command} is not installed")
    image, folder = work / "loop.img", work / "mnt"
    folder.mkdir()
    with contextlib.ExitStack() as undo:
        with open(image, "wb") as file:
            file.truncate(IMAGE_SIZE)
        undo.callback(image.unlink)
        _call("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", image)
        device = _call("losetup", "--find", "--show", "--direct-io=on", image)
        undo.callback(_undo, "losetup", "--detach", device)
        _call("mount", "-t", "ext4", device, folder)
        undo.callback(_undo, "umount", folder)
        yield folder


def warm(file: pathlib.Path):
    """Reads all of the file, so that it lies in the page cache."""
    with open(file, "rb", buffering=0) as data:
        while data.read(_PIECE):
            pass


def cool(file: pathlib.Path):
    """Takes the file out of the page cache, so that direct reads find none of it there."""
    with open(file, "rb") as data:
        os.fsync(data.fileno())
        os.posix_fadvise(data.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
