"""Writes Parquet files whose metadata contradicts itself: each lie changes one fact of a true file."""

from __future__ import annotations

import io
import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

sys.path.append(str(Path(__file__).parent.parent / "parquet"))

from footers import BINARY, I32, I64, LIST, decoded, encoded, get, joined, split

# A struct of Thrift: pairs of type and value by field number.
Fields = dict[int, tuple[int, Any]]

ROWS = 24

# Number of the column with lists, and of those with strings.
LISTS = 3
STRINGS = (2, 5)

# Fields of FileMetaData, RowGroup, ColumnChunk, ColumnMetaData, the page headers and the indexes in parquet.thrift.
FILE_ROWS, ROW_GROUPS, ORDERS = 3, 4, 7
COLUMNS, TOTAL_BYTES, GROUP_ROWS, SORTING, GROUP_OFFSET, GROUP_COMPRESSED, ORDINAL = 1, 2, 3, 4, 5, 6, 7
METADATA, OFFSET_INDEX, OFFSET_LENGTH, COLUMN_INDEX, COLUMN_LENGTH = 3, 4, 5, 6, 7
TYPE, ENCODINGS, PATH, CODEC, VALUES, UNCOMPRESSED, COMPRESSED = 1, 2, 3, 4, 5, 6, 7
DATA_OFFSET, DICTIONARY_OFFSET, STATISTICS, ENCODING_STATS, SIZES = 9, 11, 12, 13, 16
MAXIMUM, MINIMUM, NULLS, DISTINCT = 5, 6, 3, 4
PAGE_UNCOMPRESSED, PAGE_COMPRESSED, DATA_V1, DICTIONARY, DATA_V2 = 2, 3, 5, 7, 8
PLACES, BYTE_SIZES = 1, 2
PLACE, PLACE_SIZE, FIRST_ROW = 1, 2, 3
NULL_PAGES, MINIMA, MAXIMA, ORDER, NULL_COUNTS, REPETITIONS, DEFINITIONS = 1, 2, 3, 4, 5, 6, 7


# Facts in the guide on contradictions.
OTHER_SIZES = "other sizes, and the offset and number of a row group"
PAGE_LEVELS = "nulls and rows in a page header that contradict an index"
PAGE_ROWS = "rows of a row group"
DICTIONARY_ENTRIES = "entries of a dictionary"
PLACES_OF_CHUNK = "offsets and size of a column chunk"
ENCODINGS_OF_CHUNK = "encodings of a column chunk, and their counts"

# Damage that only the bytes of a page show.
DAMAGE = "damaged page"


@dataclass
class Page:
    """Header and bytes of a page."""

    header: Fields
    body: bytes

    def data(self) -> Fields:
        """Returns the header of a data page, of either version."""
        fields: Fields = get(self.header, DATA_V1) or get(self.header, DATA_V2)
        return fields


@dataclass
class Chunk:
    """Chunk of a column with its pages and indexes."""

    fields: Fields
    pages: list[Page]
    places: Fields
    bounds: Fields

    @property
    def metadata(self) -> Fields:
        """Metadata of the column."""
        fields: Fields = get(self.fields, METADATA)
        return fields

    def data_pages(self) -> list[Page]:
        """Returns the pages without the dictionary."""
        return [page for page in self.pages if get(page.header, DICTIONARY) is None]


class File:
    """Parts of a file with one row group."""

    def __init__(self, data: bytes) -> None:
        _, self.footer = split(data)
        self.group: Fields = get(self.footer, ROW_GROUPS, 0)
        self.chunks = [self.chunk(data, fields) for fields in get(self.group, COLUMNS)[1]]

    @staticmethod
    def chunk(data: bytes, fields: Fields) -> Chunk:
        """Reads a chunk."""
        metadata = get(fields, METADATA)
        at = get(metadata, DICTIONARY_OFFSET) or get(metadata, DATA_OFFSET)
        end, pages = at + get(metadata, COMPRESSED), []
        while at < end:
            header, start = decoded(data, at)
            at = start + get(header, PAGE_COMPRESSED)
            pages.append(Page(header, data[start:at]))
        places, bounds = (decoded(data, get(fields, field))[0] for field in (OFFSET_INDEX, COLUMN_INDEX))
        return Chunk(fields, pages, places, bounds)

    def lay_out(self) -> bytes:
        """Returns the pages as bytes, and notes their places and sizes."""
        body = b"PAR1"
        for chunk in self.chunks:
            start, sizes, data = len(body), 0, 0
            for page in chunk.pages:
                header = encoded(page.header)
                if page in chunk.data_pages():
                    place = get(chunk.places, PLACES, data)
                    place[PLACE] = (I64, len(body))
                    place[PLACE_SIZE] = (I32, len(header) + len(page.body))
                    if data == 0:
                        chunk.metadata[DATA_OFFSET] = (I64, len(body))
                    data += 1
                else:
                    chunk.metadata[DICTIONARY_OFFSET] = (I64, len(body))
                sizes += len(header) + get(page.header, PAGE_UNCOMPRESSED)
                body += header + page.body
            chunk.metadata[COMPRESSED] = (I64, len(body) - start)
            chunk.metadata[UNCOMPRESSED] = (I64, sizes)
        self.group[TOTAL_BYTES] = (I64, sum(get(chunk.metadata, UNCOMPRESSED) for chunk in self.chunks))
        self.group[GROUP_COMPRESSED] = (I64, sum(get(chunk.metadata, COMPRESSED) for chunk in self.chunks))
        self.group[GROUP_OFFSET] = (I64, 4)
        return body

    def written(self, lies: list[Lie]) -> bytes:
        """Returns the file with these lies."""
        for lie in lies:
            if lie.is_in_pages:
                lie.change(self)
        body = self.lay_out()
        for lie in lies:
            if not lie.is_in_pages:
                lie.change(self)
        for chunk in self.chunks:
            for index, at, size in [
                (chunk.places, OFFSET_INDEX, OFFSET_LENGTH),
                (chunk.bounds, COLUMN_INDEX, COLUMN_LENGTH),
            ]:
                if at in chunk.fields:
                    part = encoded(index)
                    chunk.fields[at], chunk.fields[size] = (I64, len(body)), (I32, len(part))
                    body += part
        return joined(body, self.footer)


@dataclass
class Lie:
    """Change of one fact."""

    # Description of the fact in the guide on contradictions.
    fact: str
    name: str
    # Set if it changes headers of pages, before these are laid out.
    is_in_pages: bool
    change: Callable[[File], None]


def table() -> pa.Table:
    """Returns the rows of all files."""
    numbers = range(ROWS)
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "half": pa.array([None if row // 3 % 3 == 1 else row for row in numbers], pa.int64()),
            "text": [f"t{row % 4}" for row in numbers],
            "list": pa.array([[row * 10 + at for at in range(row % 3)] for row in numbers], pa.list_(pa.int32())),
            "struct": [None if row % 5 == 4 else {"a": row % 7, "b": f"v{row}"} for row in numbers],
            "float": pa.array([row / 4 for row in numbers], pa.float64()),
        }
    )


def files() -> dict[str, bytes]:
    """Returns true files by name, with eight pages per column."""
    written = {}
    for version in ["1.0", "2.0"]:
        for dictionary in [False, True]:
            for codec in ["none", "snappy"]:
                sink = io.BytesIO()
                pq.write_table(
                    table(),
                    sink,
                    data_page_version=version,
                    use_dictionary=dictionary,
                    compression=codec,
                    write_page_index=True,
                    write_batch_size=3,
                    data_page_size=1,
                )
                name = f"version {version}{', dictionary' * dictionary}, {codec}"
                written[name] = sink.getvalue()
    return written


def add(fields: Fields, field: int, by: int) -> None:
    """Adds to a number."""
    kind, value = fields[field]
    fields[field] = (kind, value + by)


def put(fields: Fields, field: int, value: Any, kind: int | None = None) -> None:
    """Replaces a value."""
    fields[field] = (fields[field][0] if kind is None else kind, value)


def of_files() -> Iterator[Lie]:
    """Returns lies about the file and the row group."""

    def lie(fact: str, name: str, change: Callable[[File], None]) -> Lie:
        return Lie(fact, name, False, change)

    for by in (-5, 5, 1 << 40):
        yield lie("rows of the file", f"{by:+} rows of the file", lambda it, by=by: add(it.footer, FILE_ROWS, by))
    for rows in (2, ROWS - 1, ROWS + 1, 1 << 40):
        name = f"{rows} rows of the row group"
        yield lie("rows of a row group", name, lambda it, rows=rows: put(it.group, GROUP_ROWS, rows))
    for field, name in [(TOTAL_BYTES, "bytes"), (GROUP_COMPRESSED, "compressed bytes")]:
        yield lie(OTHER_SIZES, f"another {name} of the row group", lambda it, field=field: add(it.group, field, 3))
    yield lie(
        OTHER_SIZES,
        "another ordinal",
        lambda it: put(it.group, ORDINAL, 9, 4),
    )
    yield lie(
        "sorting columns",
        "rows said to be sorted by a column that is not",
        lambda it: put(it.group, SORTING, (12, [{1: (I32, 2), 2: (2, False), 3: (2, False)}]), LIST),
    )
    yield lie(
        "sorting columns",
        "a sorting column that is not there",
        lambda it: put(it.group, SORTING, (12, [{1: (I32, 99), 2: (2, False), 3: (2, False)}]), LIST),
    )
    yield lie("orders of bounds", "too few orders", lambda it: it.footer[ORDERS][1][1].pop())


def of_pages(column: int) -> Iterator[Lie]:
    """Returns lies in the headers of pages of a column."""

    def lie(fact: str, name: str, change: Callable[[Chunk], None]) -> Lie:
        return Lie(fact, f"{name} of column {column}", True, lambda it: change(it.chunks[column]))

    def in_header(field_1: int, field_2: int | None, by: int) -> Callable[[Chunk], None]:
        def change(chunk: Chunk) -> None:
            header = chunk.data_pages()[1].header
            if get(header, DATA_V1) is not None:
                add(get(header, DATA_V1), field_1, by)
            elif field_2 is not None:
                add(get(header, DATA_V2), field_2, by)

        return change

    # A page of lists with another number of values has as many rows.
    values = PAGE_ROWS if column != LISTS else DAMAGE
    yield lie(values, "more values in a page", in_header(1, 1, 1))
    yield lie(values, "fewer values in a page", in_header(1, 1, -1))

    def in_two(field: int, by: int) -> Callable[[Chunk], None]:
        def change(chunk: Chunk) -> None:
            header = get(chunk.data_pages()[1].header, DATA_V2)
            if header is not None:
                add(header, field, by)

        return change

    for by in (-1, 1):
        yield lie(PAGE_LEVELS, f"{by:+} nulls in a page", in_two(2, by))
        yield lie(PAGE_LEVELS, f"{by:+} rows in a page", in_two(3, by))
        yield lie(DAMAGE, f"{by:+} bytes of levels in a page", in_two(5, by))

    def size(by: int) -> Callable[[Chunk], None]:
        return lambda chunk: add(chunk.data_pages()[1].header, PAGE_UNCOMPRESSED, by)

    yield lie(DAMAGE, "a larger page", size(3))
    yield lie(DAMAGE, "a smaller page", size(-1))

    def dictionary(by: int) -> Callable[[Chunk], None]:
        def change(chunk: Chunk) -> None:
            for page in chunk.pages:
                if get(page.header, DICTIONARY) is not None:
                    add(get(page.header, DICTIONARY), 1, by)

        return change

    yield lie(DICTIONARY_ENTRIES, "more entries", dictionary(1))
    # Some writers store more entries than the header counts.
    yield lie(DAMAGE, "fewer entries", dictionary(-1))


def of_chunks(column: int) -> Iterator[Lie]:
    """Returns lies in the footer about a column."""

    def lie(fact: str, name: str, change: Callable[[Chunk], Any]) -> Lie:
        return Lie(fact, f"{name} of column {column}", False, lambda it: change(it.chunks[column]))

    for by in (-1, 1, 1000):
        name = f"{by:+} values"
        yield lie("values of a column chunk", name, lambda it, by=by: add(it.metadata, VALUES, by))
    for codec in (0, 1, 2, 4, 6, 7):
        name = f"codec {codec}"
        yield lie("codec of a column chunk", name, lambda it, codec=codec: put(it.metadata, CODEC, codec))
    for kind in (0, 1, 2, 4, 6, 7):
        name = f"type {kind}"
        yield lie("type and path of a column chunk", name, lambda it, kind=kind: put(it.metadata, TYPE, kind))
    yield lie(
        "type and path of a column chunk",
        "another path",
        lambda it: put(it.metadata, PATH, (BINARY, [b"other"])),
    )
    for field, what in [(DATA_OFFSET, "first data page"), (DICTIONARY_OFFSET, "dictionary")]:
        for by in (-1, 1, 20, 1 << 40):

            def change(it: Chunk, field: int = field, by: int = by) -> None:
                if field in it.metadata:
                    add(it.metadata, field, by)

            yield lie(PLACES_OF_CHUNK, f"{what} {by:+}", change)
    yield lie(PLACES_OF_CHUNK, "no dictionary", lambda it: it.metadata.pop(DICTIONARY_OFFSET, None))
    for field, fact in [(UNCOMPRESSED, OTHER_SIZES), (COMPRESSED, PLACES_OF_CHUNK)]:
        for by in (-3, 3, 1 << 40):
            name = f"size {field} {by:+}"
            yield lie(fact, name, lambda it, field=field, by=by: add(it.metadata, field, by))
    encodings = ENCODINGS_OF_CHUNK
    yield lie(encodings, "no encodings", lambda it: put(it.metadata, ENCODINGS, (I32, [])))
    yield lie(encodings, "unknown encodings", lambda it: put(it.metadata, ENCODINGS, (I32, [0, 3, 77])))
    yield lie(
        encodings,
        "other counts of encodings",
        lambda it: put(it.metadata, ENCODING_STATS, (12, [{1: (I32, 0), 2: (I32, 0), 3: (I32, 99)}]), LIST),
    )
    yield lie(
        encodings,
        "unknown encodings in counts",
        lambda it: put(it.metadata, ENCODING_STATS, (12, [{1: (I32, 0), 2: (I32, 77), 3: (I32, 8)}]), LIST),
    )

    def statistics(it: Chunk, field: int, value: Any) -> None:
        fields = get(it.metadata, STATISTICS)
        if fields is not None and field in fields:
            put(fields, field, value)

    # Writers do not agree which lists are nulls.
    nulls = "nulls of a column chunk" if column != LISTS else DAMAGE
    for count in (0, 1, ROWS, 1 << 40, -1):
        yield lie(nulls, f"{count} nulls", lambda it, count=count: statistics(it, NULLS, count))
    if column in (0, 1):
        for low, high in [(100, 200), (5, 6), (9, 3)]:

            def bounds(it: Chunk, low: int = low, high: int = high) -> None:
                for field, bound in [(MINIMUM, low), (MAXIMUM, high)]:
                    statistics(it, field, struct.pack("<q", bound))
                for field, bound in [(2, low), (1, high)]:
                    statistics(it, field, struct.pack("<q", bound))

            fact = "bounds of a column chunk" if low > high else "bounds of all pages in the column index"
            yield lie(fact, f"bounds {low} to {high}", bounds)
    # Strings may have any length, but these are above all strings of the file.
    fact = "bounds of all pages in the column index" if column in STRINGS else "bounds of a column chunk"
    for length in (0, 1, 7, 9):
        yield lie(
            fact,
            f"bounds of {length} bytes",
            lambda it, length=length: [statistics(it, field, b"~" * length) for field in (MINIMUM, MAXIMUM)],
        )

    def sizes(it: Chunk, field: int, values: Any, kind: int = LIST) -> None:
        if get(it.metadata, SIZES) is None:
            put(it.metadata, SIZES, {}, 12)
        put(get(it.metadata, SIZES), field, values, kind)

    histograms = "level histograms of a column chunk"
    for levels in ([1], [1] * 7, [0, 0, 0, 0], [999, 999]):
        for field in (2, 3):
            yield lie(
                histograms,
                f"histogram {field} {levels}",
                lambda it, field=field, levels=levels: sizes(it, field, (I64, levels)),
            )
    for count in (-1,) if column in STRINGS else (0, 5, 1 << 40, -1):
        yield lie("bytes of strings of a column chunk", f"{count} bytes of strings", lambda it, count=count: sizes(it, 1, count, I64))
    yield lie(
        "pages of the offset index, their offsets and sizes",
        "the column index in place of the offset index",
        lambda it: put(it.fields, OFFSET_INDEX, get(it.fields, COLUMN_INDEX)),
    )


def of_indexes(column: int) -> Iterator[Lie]:
    """Returns lies in the indexes of a column."""

    def lie(fact: str, name: str, change: Callable[[Chunk], Any]) -> Lie:
        return Lie(fact, f"{name} of column {column}", False, lambda it: change(it.chunks[column]))

    def each_place(name: str, fact: str, change: Callable[[int, Fields], None]) -> Lie:
        def all_places(it: Chunk) -> None:
            for page, place in enumerate(get(it.places, PLACES)[1]):
                change(page, place)

        return lie(fact, name, all_places)

    first, places = "first rows of the offset index", "pages of the offset index, their offsets and sizes"

    def moved(page: int | None, by: int) -> Callable[[int, Fields], None]:
        def change(at: int, place: Fields) -> None:
            if at == page or (page is None and at > 0):
                add(place, FIRST_ROW, by)

        return change

    yield each_place("a lower first row", first, moved(1, -1))
    yield each_place("a higher first row", first, moved(2, 1))
    yield each_place("first rows shifted up", first, moved(None, 1))
    yield each_place("first rows shifted down", first, moved(None, -1))
    yield each_place("a huge first row", first, moved(7, 1 << 40))
    yield each_place("a negative first row", first, moved(0, -1))
    yield lie(places, "a page left out", lambda it: get(it.places, PLACES)[1].pop(1))
    yield lie(places, "a page twice", lambda it: get(it.places, PLACES)[1].insert(1, get(it.places, PLACES, 1)))
    yield lie(places, "no pages", lambda it: get(it.places, PLACES)[1].clear())
    for by in (-1, 1, 1 << 30):
        yield lie(places, f"a page size {by:+}", lambda it, by=by: add(get(it.places, PLACES, 1), PLACE_SIZE, by))
        yield lie(places, f"a page position {by:+}", lambda it, by=by: add(get(it.places, PLACES, 1), PLACE, by))

    def swapped(it: Chunk) -> None:
        pages = get(it.places, PLACES)[1]
        for field in (PLACE, PLACE_SIZE):
            pages[1][field], pages[2][field] = pages[2][field], pages[1][field]

    yield lie(places, "two pages swapped", swapped)
    for count in (1, 30):
        yield lie(
            OTHER_SIZES,
            f"{count} sizes of strings in the offset index",
            lambda it, count=count: put(it.places, BYTE_SIZES, (I64, [7] * count), LIST),
        )

    indexed = "pages of the column index"
    for field, name in [(NULL_PAGES, "null pages"), (MINIMA, "minima"), (MAXIMA, "maxima"), (NULL_COUNTS, "counts")]:

        def fewer(it: Chunk, field: int = field) -> None:
            if field in it.bounds:
                it.bounds[field][1][1].pop()

        def more(it: Chunk, field: int = field) -> None:
            if field in it.bounds:
                it.bounds[field][1][1].append(it.bounds[field][1][1][0])

        yield lie(indexed, f"fewer {name}", fewer)
        yield lie(indexed, f"more {name}", more)

    def null_page(value: bool) -> Callable[[Chunk], None]:
        def change(it: Chunk) -> None:
            pages = get(it.bounds, NULL_PAGES)[1]
            pages[:] = [value] * len(pages)

        return change

    def one_null_page(it: Chunk) -> None:
        get(it.bounds, NULL_PAGES)[1][2] = True

    yield lie("null pages of the column index", "a null page", one_null_page)
    yield lie("null pages of the column index", "only null pages", null_page(True))

    def counts(value: int) -> Callable[[Chunk], None]:
        def change(it: Chunk) -> None:
            found = get(it.bounds, NULL_COUNTS)
            if found is not None:
                found[1][:] = [value] * len(found[1])

        return change

    for value in (0, 1, 1000, -1):
        fact = "null counts of the column index" if column != LISTS else DAMAGE
        yield lie(fact, f"{value} nulls in each page", counts(value))

    if column in (0, 1):

        def pages(low: int, high: int, chosen: list[int]) -> Callable[[Chunk], None]:
            def change(it: Chunk) -> None:
                for page in chosen:
                    get(it.bounds, MINIMA)[1][page] = struct.pack("<q", low)
                    get(it.bounds, MAXIMA)[1][page] = struct.pack("<q", high)

            return change

        yield lie("bounds of all pages in the column index", "other bounds", pages(100, 200, [0, 2, 7]))
        yield lie("bounds of a page in the column index", "a minimum above the maximum", pages(9, 3, [2]))
    for order in (1, 2):
        yield lie(
            "bounds of a page in the column index",
            f"order {order}",
            lambda it, order=order: put(it.bounds, ORDER, order, I32),
        )
    for length in (0, 1, 9):

        def lengths(it: Chunk, length: int = length) -> None:
            for field in (MINIMA, MAXIMA):
                get(it.bounds, field)[1][:] = [b"~" * length] * len(get(it.bounds, field)[1])

        yield lie("bounds of a page in the column index", f"bounds of {length} bytes", lengths)
    for levels in ([], [1], [0] * 24, [999] * 16):
        for field in (REPETITIONS, DEFINITIONS):
            yield lie(
                OTHER_SIZES,
                f"histograms {field} of {len(levels)} levels",
                lambda it, field=field, levels=levels: put(it.bounds, field, (I64, levels), LIST),
            )


def lies() -> list[Lie]:
    """Returns all lies."""
    found = list(of_files())
    for column in range(7):
        for kind in (of_pages, of_chunks, of_indexes):
            found += kind(column)
    return found


def lying(data: bytes, told: list[Lie]) -> bytes:
    """Returns a file with these lies."""
    return File(data).written(told)
