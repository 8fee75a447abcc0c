"""Instructions per I/O of the real worker loop on `null`, counted by callgrind: exact where times are not."""

import pathlib
import re
import shutil
import subprocess

from contenders import Failure
from figures import markdown

FEW, MANY = 200_000, 1_200_000
BATCHES = (16, 1)


def _instructions(build: pathlib.Path, work: pathlib.Path, count: int, batch: int) -> int:
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={work}/callgrind.out"]
    command += [build / "bench/bench_worker_loop", build / "engines/diskproof_engine_null.so", count, batch]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or found is None:
        raise Failure(f"valgrind ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return int(found.group(1))


def table(build: pathlib.Path, work: pathlib.Path) -> str:
    """Start and end cost the same with either count, so the difference is the loop."""
    if shutil.which("valgrind") is None:
        raise Failure("valgrind is not installed")
    lines = []
    for batch in BATCHES:
        per_io = []
        for _ in range(2):
            few, many = (_instructions(build, work, count, batch) for count in (FEW, MANY))
            per_io.append((many - few) / (MANY - FEW))
        lines.append([str(batch), *(f"{value:.1f}" for value in per_io)])
    return markdown(["batch", "instructions per I/O", "again"], lines)
