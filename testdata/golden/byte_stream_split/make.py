"""Makes the golden files of byte_stream_split: values, and the page that pyarrow writes of them.

    pip install pyarrow==26.0.1 numpy
    python make.py
"""

import io
import pathlib

import numpy
import pyarrow
import pyarrow.parquet

COUNT = 137
HERE = pathlib.Path(__file__).parent


def values(width):
    """Smooth numbers with some noise; bytes of all values for widths that are no numbers."""
    ramp = numpy.arange(COUNT)
    smooth = numpy.sin(ramp / 7) * 100 + (ramp * 2654435761 % 97) / 97
    types = {2: numpy.float16, 4: numpy.float32, 8: numpy.float64}
    if width in types:
        return smooth.astype(types[width])
    return [bytes((i * 31 + k * 17) % 256 for k in range(width)) for i in ramp]


def column(width):
    if width in (2, 4, 8):
        return pyarrow.array(values(width)), values(width).tobytes()
    return pyarrow.array(values(width), pyarrow.binary(width)), b"".join(values(width))


for width in (2, 3, 4, 5, 8, 12, 16, 20):
    array, raw = column(width)
    file = io.BytesIO()
    pyarrow.parquet.write_table(
        pyarrow.table({"x": pyarrow.chunked_array([array])}, pyarrow.schema([pyarrow.field("x", array.type, nullable=False)])),
        file,
        compression="none",
        use_dictionary=False,
        column_encoding={"x": "BYTE_STREAM_SPLIT"},
    )
    # The page's values are the last bytes of the chunk, which ends where the metadata say.
    chunk = pyarrow.parquet.ParquetFile(file).metadata.row_group(0).column(0)
    end = chunk.data_page_offset + chunk.total_compressed_size
    assert "BYTE_STREAM_SPLIT" in chunk.encodings, chunk.encodings
    (HERE / f"width={width}.values").write_bytes(raw)
    (HERE / f"width={width}.bytes").write_bytes(file.getvalue()[end - len(raw) : end])
