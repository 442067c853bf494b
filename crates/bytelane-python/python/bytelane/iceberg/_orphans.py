"""Files that no snapshot of a table of Apache Iceberg names, as an interrupted run leaves them."""

from __future__ import annotations

import os
import re
from datetime import timedelta

from pyiceberg.table import Table

from .._tables import UNFINISHED, found_below
from ._files import local

_OURS = re.compile(rf"(compacted|edited|sorted|whole)-[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}\.parquet|{UNFINISHED}")
_KINDS = (".parquet", ".avro", ".orc", ".puffin")


def remove_orphans(
    table: Table, *, older_than: timedelta = timedelta(days=3), all: bool = False, dry_run: bool = True
) -> list[str]:
    """Returns the data files in the table's directory that no snapshot names, and removes them without `dry_run`.

    Only files with the names that this module gives are considered, unless `all` includes those of other programs. Files that were
    changed in the last `older_than` stay, because a commit that names them may be under way: this must be longer than any
    program takes between writing a file and its commit. Metadata files are never removed, nor files outside of the directory of data files.
    """
    directory = local(table.properties.get("write.data.path") or f"{table.location().rstrip('/')}/data")
    # The files are listed first: what is committed afterwards is then among the files that are named.
    found = found_below(directory, lambda name: _OURS.fullmatch(name) or (all and name.endswith(_KINDS)), older_than)
    named = _named(table.refresh())
    orphans = [path for path in found if os.path.realpath(path) not in named]
    if not dry_run:
        for path in orphans:
            os.remove(path)
    return orphans


def _named(table: Table) -> set[str]:
    """Returns the data and delete files of all snapshots, with those that these have removed."""
    manifests = {
        manifest.manifest_path: manifest for snapshot in table.snapshots() for manifest in snapshot.manifests(table.io)
    }
    return {
        os.path.realpath(local(entry.data_file.file_path))
        for manifest in manifests.values()
        for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=False)
    }
