"""Thrift: the types of an IDL as Python classes, which read and write messages in all protocols.

`load` returns a module with a class for each struct, union, exception and enum of an IDL. The protocols are `binary`,
`compact`, `fbthrift_compact`, `json` and `simple_json`.

>>> from pathlib import Path
>>> from bytelane import thrift
>>> _ = Path("shop.thrift").write_text('''
... struct Order { 1: required i64 id, 2: string customer = "unknown", 3: list<double> prices }
... ''')
>>> shop = thrift.load("shop.thrift")
>>> order = shop.Order(id=7, prices=[0.5, 2.25])
>>> message = order.encode("compact")
>>> shop.Order.decode(message, "compact")
Order(id=7, customer='unknown', prices=array([0.5 , 2.25]))
"""

from __future__ import annotations

from .._errors import ThriftError
from .._thrift import FieldMask, Limits, Scanner
from ._load import load
from ._stubs import stub, write_stub
from ._types import DeclaredException, Struct, Union

__all__ = [
    "DeclaredException",
    "FieldMask",
    "Limits",
    "Scanner",
    "Struct",
    "ThriftError",
    "Union",
    "load",
    "stub",
    "write_stub",
]
