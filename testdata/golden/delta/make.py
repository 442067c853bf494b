"""Makes the golden files of delta: values, and the page that pyarrow writes of them.

    pip install pyarrow==26.0.1
    python make.py
"""

import io
import pathlib
import struct
import sys

import pyarrow
import pyarrow.parquet

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent))

from pages import varint  # noqa: E402


def page(array):
    """The values of a column with one page, which are the last bytes of its chunk."""
    file = io.BytesIO()
    pyarrow.parquet.write_table(
        pyarrow.table({"x": array}, pyarrow.schema([pyarrow.field("x", array.type, nullable=False)])),
        file,
        compression="none",
        use_dictionary=False,
        column_encoding={"x": "DELTA_BINARY_PACKED"},
    )
    chunk = pyarrow.parquet.ParquetFile(file).metadata.row_group(0).column(0)
    data = file.getvalue()
    # The header begins with two numbers: the type of the page, and its size (zigzag).
    header = data[chunk.data_page_offset :]
    assert header[0] == header[2] == 0x15, header[:8]
    size = varint(header, 3)[0] // 2
    end = chunk.data_page_offset + chunk.total_compressed_size
    return data[end - size : end]


def numbers(bits, count):
    """A walk with steps of all sizes, that wraps around."""
    state, value, walk = 1, 0, []
    for i in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        value += state >> (64 - 1 - (i // 32) % bits)
        walk.append((value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1)))
    return walk


# Blocks have 128 values of 32 bits, or 256 of 64 bits.
for name, bits, letter, kind in [("i32", 32, "i", pyarrow.int32()), ("i64,block_values=256", 64, "q", pyarrow.int64())]:
    for count in (1, 2, 33, 129, 2500):
        walk = numbers(bits, count)
        (HERE / f"type={name}-{count}.values").write_bytes(struct.pack(f"<{count}{letter}", *walk))
        (HERE / f"type={name}-{count}.bytes").write_bytes(page(pyarrow.array(walk, kind)))
