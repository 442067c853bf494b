"""Process of a library that reads, writes or queries a Parquet file on command, and what that takes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

# glibc would return memory to the system after each read. The allocators of the other libraries keep it.
KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}


class Measured(NamedTuple):
    cpu_seconds: float
    wall_seconds: float
    peak_bytes: float


def medians(measured: list[Measured]) -> Measured:
    return Measured(*map(median, zip(*measured, strict=True)))


class Process:
    """Runs a command on as many cores as it has threads. Each line of its input has a line of output as the answer."""

    def __init__(self, command: Sequence[str | Path], threads: int = 1, *, keeps_memory: bool = False) -> None:
        cores = sorted(os.sched_getaffinity(0), reverse=True)[:threads]
        assert len(cores) == threads, f"{threads} threads need as many cores"
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | (KEEP_MEMORY if keeps_memory else {}),
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
        self.answer()
        self.before = self.memory("VmRSS")
        self.times: list[tuple[float, float]] = []

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        with self.process:
            assert self.process.stdin is not None
            self.process.stdin.close()

    def answer(self) -> str:
        assert self.process.stdout is not None
        answer = self.process.stdout.readline().rstrip("\n")
        if not answer:
            sys.exit(f"{self.process.args!r} stopped: see its message above")
        return answer

    def ask(self, line: str) -> str:
        assert self.process.stdin is not None
        print(line, file=self.process.stdin, flush=True)
        return self.answer()

    def time(self, line: str) -> str:
        """Asks, and notes the CPU time and the elapsed time."""
        # Linux's clock of the CPU time of that process.
        clock = ~self.process.pid << 3 | 2
        start = time.clock_gettime(clock), time.perf_counter()
        answer = self.ask(line)
        self.times.append((time.clock_gettime(clock) - start[0], time.perf_counter() - start[1]))
        return answer

    def memory(self, field: str) -> int:
        """Returns bytes of memory: `VmRSS` is the current amount, `VmHWM` the peak."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        [kibibytes] = [line.split()[1] for line in lines if line.startswith(f"{field}:")]
        return int(kibibytes) << 10

    def peak(self) -> int:
        """Returns the peak memory so far, beyond what the process had at first."""
        return self.memory("VmHWM") - self.before

    def forget_peak(self) -> None:
        """Makes the peak that of the memory from now on."""
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")
        self.before = self.memory("VmRSS")

    def first(self) -> Measured:
        """Returns what the first command took."""
        return Measured(*self.times[0], self.peak())

    def steady(self) -> Measured:
        """Returns what the commands after the first one took: the best times."""
        return Measured(*(min(column) for column in zip(*self.times[1:], strict=True)), self.peak())
