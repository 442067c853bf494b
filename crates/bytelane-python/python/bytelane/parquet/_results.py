"""Types of the results of `bytelane.parquet`: JSON objects of the command, as dictionaries."""

from __future__ import annotations

from typing import Literal, TypedDict


class CandidateDict(TypedDict):
    """Encoding and compression of a column, with the result for the sample."""

    encoding: str
    compression: str
    bytes: int
    ratio: float
    write_mib_s: float
    read_mib_s: float
    obstacle: str | None
    preview: bool


class AlternativeDict(TypedDict):
    """Alternative for a column: the same encoding with a stronger compression."""

    compression: str
    bytes: int


class ColumnAdviceDict(TypedDict):
    """Advice for a column; nested columns have one for each leaf."""

    path: str
    column_type: str
    rows: int
    nulls: int
    nulls_estimated: bool
    rows_tried: int
    distinct: int | None
    distinct_estimated: bool
    entropy_bits: float | None
    now: str | None
    bytes_now: int
    bytes_plain: int | None
    encoding: str
    compression: str
    bytes_then: int
    page_rows: int | None
    page_bytes: int | None
    keep: bool
    obstacle: str | None
    reason: str | None
    alternative: AlternativeDict | None
    candidates: list[CandidateDict]


class SettingsDict(TypedDict):
    """Settings to paste for one writer, and what it cannot express."""

    writer: str
    text: str
    shortcoming: str | None


class AdviceDict(TypedDict):
    """Output of `bytelane advise --format json`."""

    file: str
    kind: str
    rows: int
    goal: str
    readers: str
    compression: str
    columns: list[ColumnAdviceDict]
    settings: list[SettingsDict]


class ColumnStateDict(TypedDict):
    """Encodings and compression of a column."""

    bytes: int
    encodings: list[str]
    compressions: list[str]


class RewrittenColumnDict(TypedDict):
    """Outcome of a merge or an edit for a column."""

    path: str
    chunks: int
    rewritten: int
    before: ColumnStateDict
    after: ColumnStateDict
    obstacle: str | None


class RewrittenDict(TypedDict):
    """Output of `bytelane rewrite --format json` for a file."""

    input: str
    output: str | None
    bytes_before: int
    bytes_after: int
    verified: bool
    columns: list[RewrittenColumnDict]


class Finding(TypedDict):
    """Fault of a file."""

    severity: Literal["error", "warning"]
    file: str
    row_group: int | None
    column: str | None
    page: int | None
    problem: str


class Checked(TypedDict):
    """Output of `bytelane check --format json` for a file, or the sums for several."""

    bytes: int
    rows: int
    row_groups: int
    pages: int
    values: bool
    summary: str
    findings: list[Finding]


class MergedPages(TypedDict):
    """Numbers of data pages of a column, by operation."""

    copied: int
    cut: int
    mapped: int
    recompressed: int
    encoded: int
    joined: int
    nulls: int


class MergedColumn(TypedDict):
    """Outcome of a merge for a column."""

    path: str
    bytes_before: int
    bytes_after: int
    pages: MergedPages
    compressions: list[str]


class MergedFile(TypedDict):
    """Written file."""

    path: str
    bytes: int
    rows: int
    row_groups: int


class Merged(TypedDict):
    """Output of `bytelane merge --format json`."""

    inputs: int
    bytes_before: int
    bytes_after: int
    rows: int
    deleted_rows: int
    row_groups_before: int
    row_groups_after: int
    verified: bool
    outputs: list[MergedFile]
    columns: list[MergedColumn]
    notes: list[str]


class Edited(TypedDict):
    """Output of `bytelane edit --format json`."""

    bytes_before: int
    bytes_after: int
    rows: int
    deleted_rows: int
    row_groups_before: int
    row_groups_after: int
    verified: bool
    columns: list[MergedColumn]
    notes: list[str]


class Described(TypedDict):
    """Numbers of column chunks, by the metadata that they have."""

    offset_indexes: int
    column_indexes: int
    encoding_stats: int
    nan_counts: int
    bloom_filters: int


class Repaired(TypedDict):
    """Output of `bytelane repair --format json`."""

    bytes_before: int
    bytes_after: int
    chunks: int
    before: Described
    after: Described
    verified: bool
    notes: list[str]


class LostPart(TypedDict):
    """Rows of a damaged page. Some of them may be lost in other columns, too."""

    row_group: int
    first_row: int
    rows: int
    column: str
    problem: str


class LeftOut(TypedDict):
    """Range of bytes of a file without a footer that was left out."""

    start: int
    end: int
    problem: str


class Salvaged(TypedDict):
    """Outcome of `bytelane check --salvage` for a file."""

    bytes_before: int
    bytes_after: int
    rows_before: int
    rows: int
    lost: list[LostPart]
    left_out: list[LeftOut]
    intact_columns: list[str]
    notes: list[str]


class RowPlace(TypedDict):
    """File and number of a row."""

    row: int
    file: str
    row_in_file: int


class DifferentValue(TypedDict):
    """Different value, as text."""

    column: str
    left: str | None
    right: str | None


class DifferentRow(TypedDict):
    """Row that differs, or exists on one side only."""

    left: RowPlace | None
    right: RowPlace | None
    values: list[DifferentValue]


class Difference(TypedDict):
    """Output of `bytelane diff --format json`."""

    same: bool
    columns: list[str]
    types: list[str]
    left_rows: int
    right_rows: int
    more: bool
    rows: list[DifferentRow]
