"""The machine in words, without anything that names it."""

import os
import pathlib
import re


def _first(path: str, pattern: str) -> str | None:
    found = re.search(pattern, pathlib.Path(path).read_text(), re.MULTILINE)
    return found and found.group(1)


def _filesystem(folder: pathlib.Path) -> str:
    best = ("", "unknown")
    for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
        _, place, kind = line.split()[:3]
        if folder.is_relative_to(place.replace("\\040", " ")) and len(place) >= len(best[0]):
            best = (place, kind)
    return best[1]


def cpu_times() -> list[int]:
    """user nice system idle iowait irq softirq steal, in ticks, of all CPUs."""
    return list(map(int, pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]))


def steal_between(before: list[int], after: list[int]) -> float:
    spent = [late - early for early, late in zip(before, after)]
    return spent[7] / max(sum(spent), 1)


def load() -> float:
    return os.getloadavg()[0]


def describe(folder: pathlib.Path) -> str:
    model = _first("/proc/cpuinfo", r"^model name\s*:\s*(.+)$") or os.uname().machine
    virtual = " virtual machine" if _first("/proc/cpuinfo", r"^flags\s*:.*\b(hypervisor)\b") else ""
    kernel = re.match(r"[0-9.]*[0-9]", os.uname().release)
    memory = int(_first("/proc/meminfo", r"^MemTotal:\s*(\d+)") or 0) / (1 << 20)
    words = [f"{os.cpu_count()} CPUs, {model.strip()}{virtual}", f"{memory:.0f} GiB"]
    words += [f"Linux {kernel.group(0) if kernel else '?'}", f"files on {_filesystem(folder.resolve())}"]
    return ", ".join(words)
