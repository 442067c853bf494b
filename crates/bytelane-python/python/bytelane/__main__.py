"""The command: `bytelane` and `python -m bytelane`."""

from __future__ import annotations

import signal
import sys

from ._native import command


def main() -> int:
    """Runs the command with the arguments of the process."""
    if sys.argv[1:2] and sys.argv[1] in ("delta", "iceberg"):
        # These need libraries of Python.
        from ._table_command import run

        return run(sys.argv[1:])
    # Ctrl-C ends the command at once, unless the command must remove unfinished files first.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return command(["bytelane", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
