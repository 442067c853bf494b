"""Checks the table of readers with the readers that are too large for every test run.

    probe_readers.py DIRECTORY [NAME..]

The directory holds the output of `reader_files.py`. Without names, all programs that the pinned environment of the
tests lacks are checked. Each must be installed, in any version; interop/README.md explains how. The exit code is 1 if
the table is wrong about one of them, and 2 if one is missing.
"""

import subprocess
import sys
from pathlib import Path

from reader_checks import check
from reader_programs import PROGRAMS

LARGE = ["spark", "parquet-java", "fastparquet", "arrow-go", "parquet-go"]


def probe(directory, name):
    try:
        running, read = PROGRAMS[name]()
    except (ImportError, FileNotFoundError, subprocess.CalledProcessError) as error:
        print(f"{name}: MISSING, {error}")
        return 2
    verdict = check(directory, name, running, read)
    print(f"{name} {running}: {'NOT ' if verdict.disagreements else ''}as the table says", flush=True)
    for line in verdict.disagreements:
        print(f"    {line}")
    for line in verdict.unknown:
        print(f"    not tried, as it does not know {line}")
    return 1 if verdict.disagreements else 0


def main(arguments):
    if not arguments or not (Path(arguments[0]) / "cases.json").is_file():
        sys.exit(__doc__)
    names = arguments[1:] or LARGE
    for name in names:
        if name not in PROGRAMS:
            sys.exit(f"there is no {name!r}; there are {', '.join(PROGRAMS)}")
    sys.exit(max(probe(Path(arguments[0]), name) for name in names))


if __name__ == "__main__":
    main(sys.argv[1:])
