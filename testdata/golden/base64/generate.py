"""Writes the golden files of base64 with Python's own module, one variant and length at a time."""

import base64
from pathlib import Path

HERE = Path(__file__).parent
VARIANTS = {
    "standard": lambda data: base64.b64encode(data),
    "standard_no_pad": lambda data: base64.b64encode(data).rstrip(b"="),
    "url_safe": lambda data: base64.urlsafe_b64encode(data),
    "url_safe_no_pad": lambda data: base64.urlsafe_b64encode(data).rstrip(b"="),
}

for variant, encode in VARIANTS.items():
    for length in [0, 1, 2, 3, 256, 257, 258]:
        # Every byte once, in an order that mixes their bits.
        data = bytes(i * 167 % 256 for i in range(length))
        name = f"{variant}-{length}"
        (HERE / f"{name}.values").write_bytes(data)
        (HERE / f"{name}.bytes").write_bytes(encode(data))
