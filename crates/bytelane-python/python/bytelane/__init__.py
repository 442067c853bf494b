"""Codecs for bytes, numbers and text, the best Parquet encodings, and Thrift.

Each codec is a module: `alp`, `base64`, `big_endian`, `bit_packing`, `byte_stream_split`, `delta`, `fsst`,
`json_string`, `rle_hybrid`, `stream_vbyte`, `utf8`, `validity`, `varint`. Each uses the best instruction set of
the machine.

Arguments are objects with a buffer: bytes, bytearray, memoryview, mmap, array, NumPy and Arrow arrays. Long `bytes` are
processed without the GIL. All other memory is processed under the GIL, because another thread could write to it.
"""

from __future__ import annotations

import base64 as _standard_base64
import os
import sys
from typing import Any

from . import _native
from ._errors import Error
from ._native import (
    __version__,
    alp,
    backend,
    backends,
    base64,
    big_endian,
    bit_packing,
    byte_stream_split,
    delta,
    fsst,
    json_string,
    rle_hybrid,
    set_backend,
    stream_vbyte,
    utf8,
    validity,
    varint,
)

__all__ = [
    "Error",
    "__version__",
    "alp",
    "backend",
    "backends",
    "base64",
    "big_endian",
    "bit_packing",
    "byte_stream_split",
    "delta",
    "fsst",
    "json_string",
    "parquet",
    "rle_hybrid",
    "set_backend",
    "stream_vbyte",
    "thrift",
    "utf8",
    "validity",
    "varint",
]


def __getattr__(name: str) -> Any:
    """Imports `Shuffle` on first use, because it needs numcodecs, which is optional."""
    if name == "Shuffle":
        from .numcodecs import Shuffle

        return Shuffle
    raise AttributeError(f"module 'bytelane' has no attribute {name!r}")


def _register() -> None:
    """Makes `import bytelane.varint` work: the codecs are submodules of the native module."""
    for name, module in vars(_native).items():
        if isinstance(module, type(sys)):
            module.__name__ = f"bytelane.{name}"
            sys.modules[module.__name__] = module
            for function in vars(module).values():
                if callable(function) and not isinstance(function, type):
                    function.__module__ = module.__name__


def _complete_base64() -> None:
    """Adds the functions of the standard library's `base64` that bytelane has no kernels for."""
    for name in _standard_base64.__all__:
        if not hasattr(base64, name):
            setattr(base64, name, getattr(_standard_base64, name))
            base64.__all__.append(name)


_register()
_complete_base64()

from . import parquet, thrift  # noqa: E402 (parts of the native module, which is registered now)

if _chosen := os.environ.get("BYTELANE_BACKEND"):
    try:
        set_backend(_chosen)
    except ValueError as _error:
        raise ImportError(f"BYTELANE_BACKEND: {_error}") from None
