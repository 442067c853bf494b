"""Compares the speed of `bytelane dataset`, pyarrow and DuckDB in merging a data set of many Parquet files into few.

    dataset.py BYTELANE [--files COUNT] [--bytes SIZE] [--rounds COUNT] [--keep DIRECTORY]

BYTELANE is the command, built with `cargo build --release -p bytelane-cli`. Each program runs on one core, in a process
of its own; the files are those of merge.py and in the system's cache. Prints the best CPU time of all rounds and the
peak memory, as a Markdown table. `bytelane merge` is one call of the library, which compares nothing by default, and
every value with --verify.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

from merge import DUCKDB, PYARROW, Set, command, make, measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bytelane")
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--bytes", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        directory = arguments.keep or Path(temporary) / "in"
        if not directory.exists():
            make(directory, Set("", "", arguments.files, arguments.bytes, dictionaries=True))
        new, output = Path(temporary) / "new", Path(temporary) / "out.parquet"
        plan, merging = Path(temporary) / "plan.json", Path(temporary) / "merging.json"
        planning = [arguments.bytelane, "dataset", "plan", str(directory), "--output"]
        run = [arguments.bytelane, "dataset", "run", "--out", str(new)]
        merge = [arguments.bytelane, "merge", str(directory), str(output)]
        # Whether the new directory of the row before is removed, and the command.
        ways: dict[str, tuple[bool, list[str]]] = {
            "plan": (True, [*planning, str(plan)]),
            "plan without a sample": (True, [*planning, str(merging), "--sample-files", "0"]),
            "run, merged": (True, [*run, str(merging)]),
            "run again": (False, [*run, str(merging)]),
            "run, merged and re-encoded": (True, [*run, str(plan)]),
            "verify": (False, [arguments.bytelane, "dataset", "verify", str(directory), str(new)]),
            "bytelane merge": (True, merge),
            "bytelane merge --verify": (True, [*merge, "--verify"]),
            "pyarrow, dataset": (True, command(PYARROW, directory, output)),
            "DuckDB, COPY": (True, command(DUCKDB, directory, output)),
        }
        count = len(list(directory.iterdir()))
        before = sum(path.stat().st_size for path in directory.iterdir())
        print(f"{count} files, {before / 1e6:.1f} MB\n")
        print("| | CPU time, s | per file, ms | peak, MB |\n|---|--:|--:|--:|")
        for name, (is_new, way) in ways.items():
            runs = []
            for _ in range(arguments.rounds):
                if is_new:
                    shutil.rmtree(new, ignore_errors=True)
                runs.append(measured(way))
            seconds, peak = min(runs)[0], max(run[1] for run in runs)
            print(f"| {name} | {seconds:.2f} | {1000 * seconds / count:.2f} | {peak / 1e6:.0f} |", flush=True)


if __name__ == "__main__":
    main()
