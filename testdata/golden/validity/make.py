"""Makes the golden files of validity: the levels that pyarrow writes, and the arrays that it reads from them.

    pip install pyarrow==26.0.1
    python make.py
"""

import io
import pathlib
import struct
import sys

import pyarrow
import pyarrow.compute
import pyarrow.parquet

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent))

from pages import varint  # noqa: E402
STATE = 7


def random(limit):
    global STATE
    STATE = (STATE * 6364136223846793005 + 1442695040888963407) % (1 << 64)
    return (STATE >> 40) % limit


def levels(page, at, width, count):
    """Levels of a number of bits, after the length of their runs, and the offset after them."""
    end = at + 4 + struct.unpack_from("<I", page, at)[0]
    at, numbers = at + 4, []
    while len(numbers) < count:
        header, at = varint(page, at)
        if header & 1:
            size = (header >> 1) * width
            bits = int.from_bytes(page[at : at + size], "little")
            numbers.extend(bits >> (width * i) & ((1 << width) - 1) for i in range(8 * (header >> 1)))
            at += size
        else:
            numbers.extend([page[at]] * (header >> 1))
            at += 1
    return numbers[:count], end


def written(array):
    """The only page of a column, how many levels it has, and the column as it is read again."""
    file = io.BytesIO()
    table = pyarrow.table({"x": array})
    pyarrow.parquet.write_table(
        table, file, compression="none", use_dictionary=False, column_encoding="PLAIN", data_page_size=1 << 24
    )
    data = file.getvalue()
    chunk = pyarrow.parquet.ParquetFile(file).metadata.row_group(0).column(0)
    # The header begins with two numbers: the type of the page, and its size (zigzag).
    header = data[chunk.data_page_offset :]
    assert header[0] == header[2] == 0x15, header[:8]
    size = varint(header, 3)[0] // 2
    end = chunk.data_page_offset + chunk.total_compressed_size
    again = pyarrow.parquet.read_table(file).column("x").combine_chunks()
    assert again.equals(array)
    return data[end - size : end], chunk.num_values, again


def put(name, contents):
    (HERE / name).write_bytes(contents)


def as_u16(numbers):
    return struct.pack(f"<{len(numbers)}H", *numbers)


def bitmap(array):
    """Its bitmap, of whole bytes, with zeros after the last bit."""
    bits = sum(1 << i for i, is_valid in enumerate(array.is_valid().to_pylist()) if is_valid)
    size = (len(array) + 7) // 8
    found = int.from_bytes(array.buffers()[0][:size], "little") & ((1 << len(array)) - 1)
    assert found == bits and array.offset == 0
    return bits.to_bytes(size, "little")


def values():
    """Floats with nulls: alone, in long runs, and not at all."""
    numbers = []
    for share in (0, 2, 10, 1, 3):
        numbers.extend(i + 0.5 if share == 0 or random(share) else None for i in range(601))
    array = pyarrow.array(numbers, pyarrow.float64())
    page, count, again = written(array)
    definition, end = levels(page, 0, 1, count)
    put("max_level=1.values", as_u16(definition))
    put("max_level=1.bytes", bitmap(again))
    put("values.dense", page[end:])
    put("values.spread", pyarrow.compute.fill_null(again, 0).buffers()[1][: 8 * count])


def lists():
    """Lists of lists, with nulls at each depth."""

    def some(make, most):
        kind = random(6)
        return None if kind == 0 else [make() for _ in range(kind > 1 and 1 + random(most))]

    number = lambda: None if random(5) == 0 else random(1000) / 8
    rows = [some(lambda: some(number, 9), 4) for _ in range(500)]
    array = pyarrow.array(rows, pyarrow.list_(pyarrow.list_(pyarrow.float64())))
    page, count, again = written(array)
    repetition, end = levels(page, 0, 2, count)
    definition, _ = levels(page, end, 3, count)
    put("lists.repetition", as_u16(repetition))
    put("lists.definition", as_u16(definition))
    for depth, array in enumerate((again, again.values)):
        put(f"lists.offsets{depth}", array.offsets.buffers()[1][: 4 * (len(array) + 1)])
        put(f"lists.validity{depth}", bitmap(array))
    put("lists.entries", bitmap(again.values.values))


values()
lists()
