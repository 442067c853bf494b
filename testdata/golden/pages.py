"""Parts of Parquet pages, for the scripts that make golden files."""


def varint(data, at):
    """A varint, and the offset after it."""
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at
