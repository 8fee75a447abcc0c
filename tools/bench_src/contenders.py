"""The three that are compared: how each is called for a row, and what it answers."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
from dataclasses import dataclass

from rows import Row

PATIENCE = 60  # s that one run may take beyond its own duration


class Failure(Exception):
    """A row that can not be measured, and why."""


@dataclass(frozen=True)
class Sample:
    """One run; what was not measured is None. Times in ns."""

    iops: float
    cpu_per_io: float
    p50: float | None
    p99: float | None
    largest_mib: float


class Launcher:
    """Runs commands through bench_launch, one after the other, with one folder for what they leave."""

    def __init__(self, build: pathlib.Path, work: pathlib.Path):
        self.build, self.work = build, work

    def run(self, command: list[str], seconds: float, watch: pathlib.Path | None = None):
        """What the command printed and what the launcher saw."""
        report = self.work / "launch.json"
        full = [self.build / "bench/bench_launch", report, watch or "-", *command]
        with subprocess.Popen(
            list(map(str, full)),
            cwd=self.work,
            env=os.environ | {"XDG_STATE_HOME": str(self.work)},  # nothing of the runs stays
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            try:
                out, err = process.communicate(timeout=seconds + PATIENCE)
            except BaseException as fault:
                os.killpg(process.pid, signal.SIGTERM)
                process.communicate()
                if isinstance(fault, subprocess.TimeoutExpired):
                    raise Failure(f"{pathlib.Path(command[0]).name} did not end") from None
                raise
        if process.returncode != 0:
            last = (err.strip() or out.strip() or "it said nothing").splitlines()[-1]
            raise Failure(f"{pathlib.Path(command[0]).name} ended with {process.returncode}: {last}")
        return out, json.loads(report.read_text())


class Ours:
    """The runner as a user calls it: a job file, the phase in its child process, every measurement on."""

    name = "ours"

    def __init__(self, launcher: Launcher):
        self.launcher = launcher

    def _run(
        self,
        row: Row,
        file: pathlib.Path,
        stop: dict,
        seconds: float,
        watch: pathlib.Path | None = None,
        out: pathlib.Path | None = None,
    ):
        """The measured phase of result.json, and what the launcher saw. Reports go to `out`, else to the work folder."""
        disk = {"virtual": {"size": f"{row.size}B"}} if row.ground == "null" else {"file": str(file), "keep": True}
        if row.ground == "loop":
            disk["fill"] = True
        phase = {"name": "bench", "disk": "disk", "access": "random", "operations": "read", "block_size": "4KiB"}
        phase |= {"engine": row.engine, "queue_depth": row.depth, "direct": row.direct, "seed": 1, **stop}
        if row.ground != "null":
            phase["size"] = f"{row.size}B"
        if row.batch is not None:
            phase["batch"] = row.batch
        return self.run_job(disk, [phase], seconds, watch, out)

    def run_job(
        self,
        disk: dict,
        phases: list[dict],
        seconds: float,
        watch: pathlib.Path | None = None,
        out: pathlib.Path | None = None,
    ):
        """The same for a job of these phases on the disk named "disk"; the one named "bench" is the measured one."""
        work = self.launcher.work
        job, out = work / "bench.yaml", out or work / "out"
        job.write_text(json.dumps({"diskproof": 1, "name": "bench", "disks": {"disk": disk}, "phases": phases}))
        shutil.rmtree(out, ignore_errors=True)
        binary = self.launcher.build / "bin/diskproof"
        _, seen = self.launcher.run([binary, "run", job, "--out", out, "--quiet"], seconds, watch)
        phases = json.loads((out / "result.json").read_text())["phases"]
        return next(phase for phase in phases if phase["name"] == "bench"), seen

    def lay_out(self, row: Row, file: pathlib.Path):
        """Writes the file as the runner does before it reads; later runs find its marker and use it as it is."""
        self._run(row, file, {"operations_count": 1}, 60)

    def measure(self, row: Row, file: pathlib.Path, seconds: float) -> Sample:
        phase, seen = self._run(row, file, {"duration": f"{round(seconds * 1000)}ms"}, seconds)
        metrics = phase["metrics"]
        return Sample(
            metrics["read.iops"],
            metrics["cpu.per_io"],
            metrics["read.latency.p50"],
            metrics["read.latency.p99"],
            seen["largest_kib"] / 1024,
        )

    def first_io(self, row: Row, file: pathlib.Path) -> int | None:
        return self._run(row, file, {"operations_count": 1}, 1, file)[1].get("first_access_ns")

    def overhead(self, row: Row, out: pathlib.Path) -> int:
        """ns that a run of one phase of one second takes beside that second."""
        seen = self._run(row, pathlib.Path("-"), {"duration": "1s"}, 1, out=out)[1]
        return seen["duration_ns"] - 1_000_000_000


class Bare:
    """A loop of our own with nothing around it; counts, measures no latency."""

    name = "bare"

    def __init__(self, launcher: Launcher):
        self.launcher = launcher

    def _run(self, row: Row, file: pathlib.Path, stop: str, seconds: float, watch: pathlib.Path | None = None):
        build = self.launcher.build
        path = build / "engines/diskproof_engine_null.so" if row.ground == "null" else file
        command = [build / "bench/bench_bare_loop", row.bare, f"path={path}", f"size={row.size}", f"depth={row.depth}"]
        command += [f"direct={int(row.direct)}", f"batch={row.bare_batch}", stop]
        out, seen = self.launcher.run(command, seconds, watch)
        return json.loads(out), seen

    def measure(self, row: Row, file: pathlib.Path, seconds: float) -> Sample:
        result, seen = self._run(row, file, f"ns={round(seconds * 1e9)}", seconds)
        return Sample(result["iops"], result["cpu_per_io_ns"], None, None, seen["largest_kib"] / 1024)

    def first_io(self, row: Row, file: pathlib.Path) -> int | None:
        return self._run(row, file, "operations=1", 1, file)[1].get("first_access_ns")


class Fio:
    """fio with the options that suit it best: no block map, no cache drop, one latency measured as we do (from before
    the submit call to the completion), no sampling of bandwidth."""

    name = "fio"
    COMMON = (
        "--name=bench",
        "--rw=randread",
        "--bs=4k",
        "--norandommap",
        "--invalidate=0",
        "--disable_slat=1",
        "--disable_bw_measurement=1",
        "--lat_percentiles=1",
        "--clat_percentiles=0",
        "--percentile_list=50:99",
    )

    def __init__(self, launcher: Launcher):
        self.launcher = launcher
        self.chosen: dict[str, tuple[str, ...]] = {}  # by row

    @staticmethod
    def version() -> str | None:
        if shutil.which("fio") is None:
            return None
        return subprocess.run(["fio", "--version"], check=True, capture_output=True, text=True).stdout.strip()

    def options(self, row: Row) -> tuple[str, ...]:
        return self.chosen.get(row.name, row.fio[0])

    def _run(self, row: Row, file: pathlib.Path, stop: list[str], seconds: float, watch: pathlib.Path | None = None):
        command = ["fio", *self.COMMON, f"--size={row.size}", f"--direct={int(row.direct)}", *self.options(row), *stop]
        if row.ground != "null":
            command.append(f"--filename={file}")
        out, seen = self.launcher.run([*command, "--output-format=json"], seconds, watch)
        return json.loads(out[out.index("{") :])["jobs"][0], seen  # remarks may stand before it

    def choose(self, row: Row, file: pathlib.Path, seconds: float):
        """Keeps the fastest set of options, each tried twice."""
        speeds = []
        for options in row.fio if len(row.fio) > 1 else ():
            self.chosen[row.name] = options
            speeds.append((max(self.measure(row, file, seconds).iops for _ in range(2)), options))
        if speeds:
            self.chosen[row.name] = max(speeds)[1]

    def measure(self, row: Row, file: pathlib.Path, seconds: float) -> Sample:
        job, seen = self._run(row, file, [f"--runtime={round(seconds * 1000)}ms", "--time_based"], seconds)
        read = job["read"]
        cpu = (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] * 1e6 / read["total_ios"]
        p50, p99 = (read["lat_ns"]["percentile"][f"{rank}.000000"] for rank in (50, 99))
        return Sample(read["iops"], cpu, p50, p99, seen["largest_kib"] / 1024)

    def first_io(self, row: Row, file: pathlib.Path) -> int | None:
        return self._run(row, file, ["--number_ios=1"], 1, file)[1].get("first_access_ns")
