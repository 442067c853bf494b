from collections.abc import Sequence

from . import _dataset as _dataset
from . import _parquet as _parquet
from . import _thrift as _thrift
from . import alp as alp
from . import base64 as base64
from . import big_endian as big_endian
from . import bit_packing as bit_packing
from . import byte_stream_split as byte_stream_split
from . import delta as delta
from . import fsst as fsst
from . import json_string as json_string
from . import rle_hybrid as rle_hybrid
from . import stream_vbyte as stream_vbyte
from . import utf8 as utf8
from . import validity as validity
from . import varint as varint

__all__ = ["__version__", "_dataset", "_parquet", "_thrift", "alp", "backend", "backends", "base64", "big_endian", "bit_packing", "byte_stream_split", "command", "delta", "fsst", "json_string", "rle_hybrid", "set_backend", "stream_vbyte", "utf8", "validity", "varint"]

__version__: str

def backend() -> str: ...
def backends() -> list[str]: ...
def set_backend(name: str) -> None: ...
def command(arguments: Sequence[str]) -> int: ...
