"""Snapshots that pyiceberg 0.12 does not write: with new files of earlier partition specs, and without delete files that no file needs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from pyiceberg.exceptions import CommitFailedException
from pyiceberg.manifest import (
    DataFile,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    ManifestWriterV2,
)
from pyiceberg.table import TableProperties, Transaction
from pyiceberg.table.snapshots import Operation, SnapshotSummaryCollector, Summary, update_snapshot_summaries
from pyiceberg.table.update.snapshot import _OverwriteFiles


class Replacement(_OverwriteFiles):  # type: ignore[misc, unused-ignore]
    """Replaces data files, and drops delete files that no data file needs any more."""

    _added_data_files: list[DataFile]

    def __init__(self, transaction: Transaction, operation: Operation, obsolete: Iterable[DataFile]) -> None:
        super().__init__(operation=Operation.OVERWRITE, transaction=transaction, io=transaction._table.io)
        self._recorded_operation = operation
        self._obsolete = set(obsolete)

    def _validate_concurrency(self) -> None:
        """Leaves it to the caller to look at other commits, and to try again: the library does not look for all delete files."""
        if self._commit_window is not None and not self._commit_window.is_empty():
            raise CommitFailedException("another commit came first; nothing was changed, try again")

    def _manifests(self) -> list[ManifestFile]:
        """Returns a manifest for each partition spec: the library writes all new files to one of the current spec."""
        added: list[DataFile] = self._added_data_files
        by_spec: dict[int, list[DataFile]] = defaultdict(list)
        for file in added:
            by_spec[file.spec_id].append(file)
        self._added_data_files = by_spec.pop(self._transaction.table_metadata.default_spec_id, [])
        try:
            manifests: list[ManifestFile] = super()._manifests()
        finally:
            self._added_data_files = added
        for spec_id, files in by_spec.items():
            with self.new_manifest_writer(self.spec(spec_id)) as writer:
                for file in files:
                    writer.add(
                        ManifestEntry.from_args(
                            status=ManifestEntryStatus.ADDED,
                            snapshot_id=self._snapshot_id,
                            sequence_number=None,
                            file_sequence_number=None,
                            data_file=file,
                        )
                    )
            manifests.append(writer.to_manifest_file())
        return manifests

    def _existing_manifests(self) -> list[ManifestFile]:
        return [self._without_obsolete(manifest) for manifest in super()._existing_manifests()]

    def _without_obsolete(self, manifest: ManifestFile) -> ManifestFile:
        if manifest.content != ManifestContent.DELETES:
            return manifest
        entries = manifest.fetch_manifest_entry(self._io, discard_deleted=True)
        if not any(entry.data_file in self._obsolete for entry in entries):
            return manifest
        output = self.new_manifest_output()
        spec = self.spec(manifest.partition_spec_id)
        with _DeletesWriter(spec, self.schema(), output, self._snapshot_id, self._compression) as writer:
            for entry in entries:
                if entry.data_file in self._obsolete:
                    writer.delete(entry)
                else:
                    writer.existing(entry)
        file: ManifestFile = writer.to_manifest_file()
        return file

    def _summary(self, snapshot_properties: Any = None) -> Summary:
        """Sums up files with their own partition specs, and the delete files."""
        metadata = self._transaction.table_metadata
        limit = metadata.properties.get(
            TableProperties.WRITE_PARTITION_SUMMARY_LIMIT, TableProperties.WRITE_PARTITION_SUMMARY_LIMIT_DEFAULT
        )
        collector = SnapshotSummaryCollector(partition_summary_limit=int(limit))
        for file in self._added_data_files:
            collector.add_file(file, metadata.schema(), self.spec(file.spec_id))
        for file in [*self._deleted_data_files, *self._obsolete]:
            collector.remove_file(file, metadata.schema(), self.spec(file.spec_id))
        parent = metadata.snapshot_by_id(self._parent_snapshot_id) if self._parent_snapshot_id is not None else None
        summary = update_snapshot_summaries(
            summary=Summary(operation=self._operation, **collector.build(), **(snapshot_properties or {})),
            previous_summary=parent.summary if parent else None,
        )
        # The function above does not accept the operation `replace`.
        return Summary(operation=self._recorded_operation, **summary.additional_properties)


class _DeletesWriter(ManifestWriterV2):  # type: ignore[misc, unused-ignore]
    """Writes a manifest of delete files."""

    def content(self) -> ManifestContent:
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return {**super()._meta, "content": "deletes"}
