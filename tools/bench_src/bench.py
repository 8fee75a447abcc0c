"""The table of tools/bench: rows measured in interleaved pairs, medians, intervals, ratios, targets."""

import argparse
import contextlib
import pathlib
import re
import signal
import sys
import tempfile
import time

import callgrind
import ground
import machine
import verify_cost
from contenders import Bare, Failure, Fio, Launcher, Ours
from figures import Figure, duration, figure, markdown, plain, rate, ratio
from rows import ROWS, Row

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/performance.md"
QUIET = 0.7  # load average before the first row, at most
OVERHEAD = 50e6  # ns that a run may take beside what it measures
SLOWER = 0.97  # no ratio to fio may lie below this with its whole interval
BUSY = "The machine was busy: only the ratios mean something; met and missed do not count."
HEADER = ["row", "by", "IOPS", "CPU per I/O", "p50", "p99", "first I/O", "peak MiB"]
HEADER += ["IOPS, ours / it", "CPU, ours / it", "targets"]


class Outcome:
    """What was measured for one row, by contender."""

    def __init__(self):
        self.samples: dict[str, list] = {}
        self.first: dict[str, list[int]] = {}

    def figure(self, name: str, field: str) -> Figure | None:
        values = [getattr(sample, field) for sample in self.samples[name]]
        return figure([value for value in values if value is not None])

    def peak(self, name: str) -> Figure:
        return Figure(max(sample.largest_mib for sample in self.samples[name]), None)

    def ratio(self, name: str, field: str = "iops") -> Figure:
        return ratio(*([getattr(sample, field) for sample in self.samples[who]] for who in ("ours", name)))


def note(text: str):
    print(text, file=sys.stderr, flush=True)


class Bench:
    def __init__(self, options, work: pathlib.Path):
        self.options = options
        launcher = Launcher(options.build.resolve(), work)
        self.ours, self.fio = Ours(launcher), Fio(launcher)
        self.contenders = [self.ours, Bare(launcher)]
        if Fio.version() is not None:
            self.contenders.append(self.fio)
        self.folders = {"cache": work, "direct": work}  # by ground
        self.measured: list[Row] = []
        self.deadline = time.monotonic() + options.most if options.most else None

    def _file(self, row: Row) -> pathlib.Path:
        if row.ground == "null":
            return pathlib.Path("-")
        file = self.folders[row.ground] / "bench.dat"
        if not file.exists():
            self.ours.lay_out(row, file)
        return file

    @staticmethod
    def _prepare(row: Row, file: pathlib.Path):
        if row.ground == "cache":
            ground.warm(file)
        elif row.direct:
            ground.cool(file)

    def measure(self, row: Row) -> Outcome:
        outcome = Outcome()
        file = self._file(row)
        if self.fio in self.contenders and not self.options.short:
            self._prepare(row, file)
            self.fio.choose(row, file, self.options.seconds / 2)
        for pair in range(self.options.pairs):
            turn = pair % len(self.contenders)
            for contender in self.contenders[turn:] + self.contenders[:turn]:
                if self.deadline and time.monotonic() > self.deadline:
                    raise Failure("the time for all rows is over")
                self._prepare(row, file)
                sample = contender.measure(row, file, self.options.seconds)
                outcome.samples.setdefault(contender.name, []).append(sample)
                if row.ground in ("cache", "direct"):
                    self._prepare(row, file)
                    seen = contender.first_io(row, file)
                    if seen is not None:
                        outcome.first.setdefault(contender.name, []).append(seen)
        return outcome

    def lines(self, row: Row, outcome: Outcome) -> list[list[str]]:
        lines = []
        for number, contender in enumerate(self.contenders):
            name = contender.name
            figures = [(outcome.figure(name, "iops"), rate)]
            figures += [(outcome.figure(name, field), duration) for field in ("cpu_per_io", "p50", "p99")]
            figures += [(figure(outcome.first.get(name, [])), duration), (outcome.peak(name), plain)]
            cells = [found.text(scale) if found else "-" for found, scale in figures]
            ratios = [outcome.ratio(name, field) for field in ("iops", "cpu_per_io") if name != "ours"]
            cells += [found.text(plain) for found in ratios] or ["", ""]
            verdicts = "; ".join(self.verdicts(row, outcome, name))
            lines.append([row.name if number == 0 else "", name, *cells, verdicts])
        return lines

    @staticmethod
    def verdicts(row: Row, outcome: Outcome, name: str) -> list[str]:
        texts = []
        for bound in row.bounds:
            if bound.over == "cpu" and name == "ours":
                found = outcome.figure("ours", "cpu_per_io")
                texts.append(f"CPU <= {bound.value:g} ns: {found.verdict(bound.value, at_most=True)}")
            elif bound.over == "first" and name == "ours" and outcome.first.get("ours"):
                found = figure(outcome.first["ours"])
                texts.append(f"first I/O <= {bound.value / 1e6:g} ms: {found.verdict(bound.value, at_most=True)}")
            elif bound.over == name:
                texts.append(f"IOPS >= {bound.value:.2f}: {outcome.ratio(name).verdict(bound.value, at_most=False)}")
        if name == "fio":
            interval = outcome.ratio(name).interval
            if interval is not None and interval[1] < SLOWER:
                texts.append(f"interval below {SLOWER}: missed")
        return texts

    def run(self) -> tuple[list[list[str]], list[str]]:
        """The lines of the table, and what to say below it."""
        lines, remarks = [], []
        with contextlib.ExitStack() as mounted:
            for row in [row for row in ROWS if self.options.rows in row.name]:
                note(f"bench: {row.name}")
                try:
                    if row.ground == "loop" and "loop" not in self.folders:
                        work = self.folders["cache"]
                        self.folders["loop"] = mounted.enter_context(ground.loop_folder(work))
                    lines += self.lines(row, self.measure(row))
                    self.measured.append(row)
                except Failure as fault:
                    lines.append([row.name, "-", *[""] * (len(HEADER) - 2)])
                    remarks.append(f"{row.name}: not measured: {fault}")
        if any(row.ground == "null" for row in self.measured):
            remarks.append(self.overhead(next(row for row in self.measured if row.ground == "null")))
        return lines, remarks

    def overhead(self, row: Row) -> str:
        """What a run takes beside what it measures, with its reports in memory."""
        memory = pathlib.Path("/dev/shm")
        with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
            out = pathlib.Path(folder) / "out"
            try:
                found = figure([self.ours.overhead(row, out) for _ in range(self.options.pairs)])
            except Failure as fault:
                return f"overhead of a run: not measured: {fault}"
        verdict = found.verdict(OVERHEAD, at_most=True)
        return (
            f"overhead: a job of one phase of 1 s on null takes {found.text(duration)} beside that second, reports on "
            f"{'tmpfs' if memory.is_dir() else 'disk'} (<= {OVERHEAD / 1e6:g} ms: {verdict})"
        )

    def used_options(self) -> list[str]:
        if self.fio not in self.contenders:
            return ["fio is not installed: its lines and ratios are missing."]
        texts = [f"{Fio.version()} {' '.join(Fio.COMMON)} --size=… --direct=… and:"]
        return texts + [f"{row.name}: {' '.join(self.fio.options(row))}" for row in self.measured]


def measured(options, work: pathlib.Path) -> str:
    before, load_before = machine.cpu_times(), machine.load()
    bench = Bench(options, work)
    lines, remarks = bench.run()
    costs = verify_cost.table(bench.ours, work, options)
    if not bench.measured and not costs:
        raise Failure("no row could be measured: " + ("; ".join(remarks) or "none has such a name"))
    steal = machine.steal_between(before, machine.cpu_times())
    pairs = "1 pair" if options.pairs == 1 else f"{options.pairs} interleaved pairs"
    intervals = " (95 % intervals)" if figure([1.0] * options.pairs).interval else ", too few for intervals"
    return "\n".join(
        [
            f"{machine.describe(work)}; load {load_before:.2f} before and {machine.load():.2f} after, "
            f"{steal:.1%} of the CPU time stolen by other machines.",
            f"{pairs} of {options.seconds:g} s per run; medians{intervals}.",
            *([f"\n**{BUSY}**"] if load_before > QUIET else []),
            *(["", markdown(HEADER, lines), ""] if lines else []),
            *(f"- {text}" for text in remarks),
            *(f"- {text}" for text in bench.used_options() if lines),
            *(["", costs] if costs else []),
        ]
    )


def write_block(name: str, text: str):
    """Puts the text between the marks of that name in docs/performance.md."""
    begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
    page = PAGE.read_text(encoding="utf-8")
    found = re.search(f"{re.escape(begin)}.*?{re.escape(end)}", page, re.DOTALL)
    if found is None:
        raise SystemExit(f"{PAGE.name} has no block named {name}")
    PAGE.write_text(page[: found.start()] + f"{begin}\n{text}\n{end}" + page[found.end() :], encoding="utf-8")


def arguments():
    parser = argparse.ArgumentParser(prog="tools/bench", description=__doc__)
    parser.add_argument("--short", action="store_true", help="one short pair per row, in 60 s at most")
    parser.add_argument("--pairs", type=int, default=7, help="pairs per row (7); below 6 there are no intervals")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of one run (1)")
    parser.add_argument("--rows", default="", metavar="TEXT", help="only rows with this in their name")
    parser.add_argument("--dir", type=pathlib.Path, help="where the files go (the build folder)")
    parser.add_argument("--callgrind", action="store_true", help="instead: instructions per I/O of the worker loop")
    parser.add_argument("--write", action="store_true", help="also put the result into docs/performance.md")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.most = None
    if options.short:
        options.pairs, options.seconds, options.most = 1, 0.3, 50
    if options.pairs < 1 or not 0.1 <= options.seconds <= 60:
        parser.error("--pairs from 1, --seconds from 0.1 to 60")
    return options


def main() -> int:
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    place = options.dir or options.build
    with tempfile.TemporaryDirectory(prefix="bench-", dir=place, ignore_cleanup_errors=True) as folder:
        work = pathlib.Path(folder).resolve()
        try:
            text = callgrind.table(options.build.resolve(), work) if options.callgrind else measured(options, work)
        except Failure as fault:
            note(f"bench: {fault}")
            return 2
        except KeyboardInterrupt:
            return 130
    print(text)
    if options.write:
        write_block("tools/bench --callgrind" if options.callgrind else "tools/bench", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
