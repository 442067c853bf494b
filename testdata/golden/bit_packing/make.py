"""Makes the golden files of bit_packing: dictionary indices, and the run that pyarrow writes of them.

    pip install pyarrow==26.0.1
    python make.py
"""

import io
import pathlib
import struct
import sys

import pyarrow
import pyarrow.parquet

# The most values of one run: 63 groups of 8.
COUNT = 504
HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent))

from pages import varint  # noqa: E402


def indices(width):
    """Indices of a dictionary in the order of their first use, without eight equal ones in a row."""
    state, seen, numbers = 1, 0, []
    most = min(1 << width, COUNT)
    for i in range(COUNT):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        numbers.append(seen if seen < most and i % 2 == 0 or seen == 0 or most > 256 else (state >> 40) % seen)
        seen = max(seen, numbers[-1] + 1)
    return numbers


def run(width, numbers):
    """The packed bytes of the only run of a page."""
    array = pyarrow.array(numbers, pyarrow.int32())
    file = io.BytesIO()
    pyarrow.parquet.write_table(
        pyarrow.table({"x": array}, pyarrow.schema([pyarrow.field("x", array.type, nullable=False)])),
        file,
        compression="none",
        use_dictionary=True,
    )
    chunk = pyarrow.parquet.ParquetFile(file).metadata.row_group(0).column(0)
    data = file.getvalue()
    # The header begins with two numbers: the type of the page, and its size (zigzag).
    header = data[chunk.data_page_offset :]
    assert header[0] == header[2] == 0x15, header[:8]
    size = varint(header, 3)[0] // 2
    end = chunk.dictionary_page_offset + chunk.total_compressed_size
    page = data[end - size : end]
    assert page[0] == width, page[:4]
    groups, at = varint(page, 1)
    assert groups == COUNT // 8 * 2 + 1, groups
    return page[at : at + COUNT // 8 * width]


for name, letter, width in [("u8", "B", 1), ("u8", "B", 3), ("u8", "B", 7), ("u16", "H", 5), ("u32", "I", 9), ("i64", "q", 6)]:
    numbers = indices(width)
    (HERE / f"type={name},width={width}.values").write_bytes(struct.pack(f"<{COUNT}{letter}", *numbers))
    (HERE / f"type={name},width={width}.bytes").write_bytes(run(width, numbers))
