"""What stamping and checking cost: the same load with `verify` and without, as interleaved pairs of our own runs."""

import pathlib
from dataclasses import dataclass

from contenders import Failure, Ours
from figures import digits, duration, figure, markdown, plain, rate, ratio

SIZE = 256 << 20
HEADER = ["row", "IOPS without", "IOPS with", "with / without", "CPU per I/O without", "CPU per I/O with"]
HEADER += ["with / without", "per CPU second with"]


@dataclass(frozen=True)
class Cost:
    """A writing row stamps. A reading one checks what a stamped load wrote, beside reading the same file without."""

    name: str
    engine: str
    block: int
    depth: int
    checks: bool = False

    @property
    def direction(self) -> str:
        return "read" if self.checks else "write"


COSTS = (
    Cost("verify: null, writes of 4 KiB", "null", 4 << 10, 32),
    Cost("verify: null, writes of 64 KiB", "null", 64 << 10, 32),
    Cost("verify: page cache, io_uring, writes of 4 KiB", "io_uring", 4 << 10, 32),
    Cost("verify: page cache, io_uring, writes of 64 KiB", "io_uring", 64 << 10, 32),
    Cost("verify: page cache, io_uring, check in reads of 1 MiB", "io_uring", 1 << 20, 8, checks=True),
)


def _load(cost: Cost, name: str, stop: dict, **more) -> dict:
    phase = {"name": name, "access": "random", "operations": "write", "block_size": f"{cost.block}B", "seed": 1}
    return phase | {"engine": cost.engine, "queue_depth": cost.depth, "size": f"{SIZE}B"} | stop | more


class VerifyCost:
    def __init__(self, ours: Ours, folder: pathlib.Path, seconds: float):
        self.ours, self.file, self.seconds = ours, folder / "verify.dat", seconds

    def _sample(self, cost: Cost, verify: bool) -> tuple[float, float]:
        """IOPS, and ns of CPU per I/O."""
        stop = {"duration": f"{round(self.seconds * 1000)}ms"}
        if cost.checks:
            filled = {"operations_count": SIZE // cost.block, "access": "sequential", "verify": "write", "layout": "none"}
            fill = _load(cost, "fill", {}, **filled)
            check = {"name": "bench", "engine": cost.engine, "queue_depth": cost.depth, "verify": {"of": "fill"}}
            read = _load(cost, "bench", {"bytes": f"{SIZE}B"}, operations="read", access="sequential")
            phases = [fill, check] if verify else [read]
        else:
            phases = [_load(cost, "bench", stop, **({"verify": "write"} if verify else {}))]
        # Kept, so that all runs write over one file that was laid out once: how a new one gets its blocks is noise.
        file = {"file": str(self.file), "fill": True, "keep": True}
        disk = {"virtual": {"size": f"{SIZE}B"}} if cost.engine == "null" else file
        for phase in phases:
            phase |= {"disk": "disk", "direct": False}
            if cost.engine == "null":
                phase.pop("size", None)
        metrics = self.ours.run_job(disk, phases, self.seconds)[0]["metrics"]
        return metrics[f"{cost.direction}.iops"], metrics["cpu.per_io"]

    def line(self, cost: Cost, pairs: int) -> list[str]:
        samples: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
        for pair in range(pairs):
            for verify in (False, True) if pair % 2 == 0 else (True, False):
                samples[verify].append(self._sample(cost, verify))
        cells = [cost.name]
        for field, scale in ((0, rate), (1, duration)):
            without, with_it = ([sample[field] for sample in samples[verify]] for verify in (False, True))
            cells += [figure(without).text(scale), figure(with_it).text(scale), ratio(with_it, without).text(plain)]
        per_second = figure([cost.block / cpu for _, cpu in samples[True]])  # bytes per ns are GB per s
        return [*cells, f"{digits(per_second.median)} GB"]


def table(ours: Ours, folder: pathlib.Path, options) -> str:
    """Empty where --rows names none of them."""
    lines, remarks = [], []
    for cost in [cost for cost in COSTS if options.rows in cost.name]:
        try:
            lines.append(VerifyCost(ours, folder, options.seconds).line(cost, options.pairs))
        except Failure as fault:
            remarks.append(f"{cost.name}: not measured: {fault}")
    if not lines:
        return "\n".join(remarks)
    return "\n".join(["With `verify` and without:", "", markdown(HEADER, lines), *(f"- {text}" for text in remarks)])
