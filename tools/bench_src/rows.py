"""What is measured: one row per way of doing I/O, with the targets that the design sets."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Bound:
    """A target: at least this IOPS ratio ours / `over`; or at most so many ns of our CPU time per I/O (`over` "cpu") or
    until our first I/O ("first")."""

    over: str
    value: float


@dataclass(frozen=True)
class Row:
    name: str
    ground: str  # null, cache, direct or loop
    engine: str
    bare: str  # kind of bench_bare_loop
    depth: int
    fio: tuple[tuple[str, ...], ...]  # sets of options; the fastest is measured
    batch: int | None = None  # None: auto
    bounds: tuple[Bound, ...] = field(default_factory=tuple)

    @property
    def direct(self) -> bool:
        return self.ground in ("direct", "loop")

    @property
    def bare_batch(self) -> int:
        """The same for the bare loop, which has no auto: the size that was best here."""
        return self.batch or (2 if self.direct else self.depth)

    @property
    def size(self) -> int:
        return 4 << 40 if self.ground == "null" else 256 << 20


def _batch(submit: int, *more: str) -> tuple[str, ...]:
    return (
        "--iodepth=32",
        f"--iodepth_batch_submit={submit}",
        "--iodepth_batch_complete_min=1",
        "--iodepth_batch_complete_max=32",
        *more,
    )


_RING = ("--ioengine=io_uring", "--fixedbufs", "--registerfiles")
_AIO = ("--ioengine=libaio",)
RING = tuple(_batch(submit, *_RING) for submit in (16, 32, 1))
AIO = (*(_batch(submit, *_AIO) for submit in (16, 32, 1)), _batch(16, *_AIO, "--userspace_reap"))
SYNC = (("--ioengine=psync", "--iodepth=1"),)
NULL_16 = (_batch(16, "--ioengine=null"),)
NULL_1 = (("--ioengine=null", "--iodepth=32"),)


def _bare(value: float) -> Bound:
    return Bound("bare", value)


def _fio(value: float) -> Bound:
    return Bound("fio", value)


ROWS = (
    Row("null, batch 16", "null", "null", "table", 32, NULL_16, 16, (Bound("cpu", 15),)),
    Row("null, batch 1", "null", "null", "table", 32, NULL_1, 1, (Bound("cpu", 25),)),
    Row("page cache, sync", "cache", "sync", "pread", 1, SYNC, None, (_bare(0.90), _fio(1.10), Bound("first", 50e6))),
    Row("page cache, libaio 32", "cache", "libaio", "aio", 32, AIO, None, (_bare(0.95), _fio(1.05))),
    Row("page cache, io_uring 32", "cache", "io_uring", "ring", 32, RING, None, (_bare(0.95), _fio(1.15))),
    Row("O_DIRECT file, sync", "direct", "sync", "pread", 1, SYNC, None, (_bare(0.95),)),
    Row("O_DIRECT file, libaio 32", "direct", "libaio", "aio", 32, AIO, None, (_bare(0.95),)),
    Row("O_DIRECT file, io_uring 32", "direct", "io_uring", "ring", 32, RING, None, (_bare(0.95),)),
    Row("ext4 on loop, libaio 32", "loop", "libaio", "aio", 32, AIO, None, (_bare(0.95),)),
    Row("ext4 on loop, io_uring 32", "loop", "io_uring", "ring", 32, RING, None, (_bare(0.95),)),
)
