"""Makes the golden files of rle_hybrid: dictionary indices, and the runs that pyarrow and DuckDB write of them.

    pip install pyarrow==26.0.1 duckdb==2.0.0
    python make.py
"""

import io
import pathlib
import struct
import sys
import tempfile

import duckdb
import pyarrow
import pyarrow.parquet

COUNT = 3000
HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent))

from pages import varint  # noqa: E402


def indices(width):
    """Indices in the order of their first use, so that they are their own dictionary. Runs are short, long and none."""
    state, seen, numbers = width, 0, []
    most = 1 << width

    def random(limit):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (state >> 40) % limit

    while len(numbers) < COUNT:
        longest = (1, 1, 6, 20, 70)[len(numbers) * 5 // COUNT]
        is_new = seen == 0 or seen < most and len(numbers) < COUNT // 2 and random(3) > 0
        number = seen if is_new else random(seen)
        seen = max(seen, number + 1)
        numbers.extend([number] * (1 + random(longest)))
    assert (seen - 1).bit_length() == width, seen
    return numbers[:COUNT]


def runs(file, has_levels):
    """The runs of the indices in the only page of a column, whose width is before them."""
    data = file.getvalue()
    chunk = pyarrow.parquet.ParquetFile(file).metadata.row_group(0).column(0)
    # The header begins with two numbers: the type of the page, and its size (zigzag).
    header = data[chunk.data_page_offset :]
    assert header[0] == header[2] == 0x15, header[:8]
    size = varint(header, 3)[0] // 2
    end = chunk.dictionary_page_offset + chunk.total_compressed_size
    page = data[end - size : end]
    if has_levels:
        page = page[4 + struct.unpack("<I", page[:4])[0] :]
    return page[0], page[1:]


def by_pyarrow(numbers):
    """The runs that pyarrow writes."""
    array = pyarrow.array(numbers, pyarrow.int32())
    table = pyarrow.table({"x": array}, pyarrow.schema([pyarrow.field("x", array.type, nullable=False)]))
    file = io.BytesIO()
    pyarrow.parquet.write_table(table, file, compression="none", use_dictionary=True)
    return runs(file, has_levels=False)


def by_duckdb(numbers):
    """The runs that DuckDB writes."""
    table = pyarrow.table({"x": pyarrow.array(numbers, pyarrow.int32())})
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "x.parquet"
        connection = duckdb.connect()
        connection.register("numbers", table)
        connection.execute(f"copy numbers to '{path}' (format parquet, compression uncompressed)")
        return runs(io.BytesIO(path.read_bytes()), has_levels=True)


for width in (1, 2, 3, 5, 9):
    numbers = indices(width)
    stem = HERE / f"type=u32,width={width}"
    stem.with_suffix(".values").write_bytes(struct.pack(f"<{COUNT}I", *numbers))
    for suffix, write in ((".pyarrow", by_pyarrow), (".duckdb", by_duckdb)):
        found, encoded = write(numbers)
        assert found == width, (suffix, found, width)
        stem.with_suffix(suffix).write_bytes(encoded)
