"""Messages of `bytelane.thrift` are exchanged with thriftpy2 and with Apache Thrift's library, in both directions."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bytelane import thrift

IDL = """
enum Color { RED = 1, BLUE = 2 }
struct Item { 1: i32 id, 2: list<string> phones }
struct Package { 1: i32 id, 2: list<Item> items }
struct Values {
  1: bool flag, 2: i8 small, 3: i16 short, 4: i32 number, 5: i64 big, 6: double real, 7: string text, 8: binary data,
  9: list<i32> numbers, 10: list<string> texts, 11: set<i64> unique, 12: map<string, i32> counts, 13: Item item,
  14: list<Item> items, 15: Color color, 16: list<bool> flags, 17: map<i32, list<double>> reals, 18: list<list<i16>> nested,
}
"""


@pytest.fixture(scope="module")
def idl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("idl") / "exchange.thrift"
    path.write_text(IDL)
    return path


@pytest.fixture(scope="module")
def ours(idl: Path) -> Any:
    return thrift.load(idl, arrays=False)


def values(module: Any, rng: random.Random) -> Any:
    """Returns an object of a library with random values. Sets have one element, because their order is not defined."""

    def integers(bits: int) -> list[int]:
        low = rng.randrange(1, bits)
        return [rng.randrange(-(1 << low), 1 << low) for _ in range(rng.choice([0, 1, 14, 15, 40]))]

    def text() -> str:
        return "".join(rng.choice('ab\\"/\n\x07é漢😀') for _ in range(rng.choice([0, 1, 127, 128])))

    def item() -> Any:
        return module.Item(id=rng.randrange(1 << 31), phones=[text() for _ in range(rng.randrange(4))])

    return module.Values(
        flag=rng.random() < 0.5,
        small=rng.randrange(-128, 128),
        short=rng.randrange(-(1 << 15), 1 << 15),
        number=-(1 << 31),
        big=rng.randrange(-(1 << 63), 1 << 63),
        real=rng.choice([0.1, -0.0, 1e300, rng.random()]),
        text=text(),
        data=rng.randbytes(rng.randrange(5)),
        numbers=integers(31),
        texts=[text()],
        unique={rng.randrange(1 << 40)},
        counts={text(): it for it in integers(20)},
        item=item(),
        items=[item() for _ in range(rng.choice([0, 1, 16]))],
        color=rng.choice([1, 2]),
        flags=[rng.random() < 0.5 for _ in range(rng.randrange(20))],
        reals={it: [0.5] * (it % 3) for it in integers(30)},
        nested=[integers(15) for _ in range(3)],
    )


def exchange(ours: Any, theirs: Any, write: Callable[[Any], bytes], read: Callable[[bytes], Any], protocol: Any) -> None:
    for seed in range(50):
        mine, other = (values(it, random.Random(seed)) for it in (ours, theirs))
        message = mine.encode(protocol)
        assert message == write(other), protocol
        assert ours.Values.decode(message, protocol) == mine
        assert write(read(message)) == message, protocol


@pytest.mark.parametrize("name", ["cybin", "binary", "compact"])
def test_messages_of_thriftpy2(ours: Any, idl: Path, name: str) -> None:
    thriftpy2 = pytest.importorskip("thriftpy2")
    from thriftpy2 import protocol as protocols
    from thriftpy2.utils import deserialize, serialize

    theirs = thriftpy2.load(str(idl), module_name="exchange_thrift")
    factory = {
        "cybin": protocols.TCyBinaryProtocolFactory,
        "binary": protocols.TBinaryProtocolFactory,
        "compact": protocols.TCompactProtocolFactory,
    }[name]
    protocol = "compact" if name == "compact" else "binary"
    exchange(
        ours,
        theirs,
        lambda value: serialize(value, factory()),
        lambda message: deserialize(theirs.Values(), message, factory()),
        protocol,
    )


def apache() -> Any:
    """Returns types of Apache Thrift's library, as its compiler generates them with `slots,dynamic`."""
    from thrift.protocol.TBase import TBase
    from thrift.Thrift import TType

    def made(name: str, spec: tuple[Any, ...]) -> Any:
        names = [field[2] for field in spec if field]

        def initialise(self: Any, **fields: Any) -> None:
            for field in names:
                setattr(self, field, fields.get(field))

        members = {"__slots__": names, "thrift_spec": spec, "__init__": initialise, "__hash__": None}
        return type(name, (TBase,), members)

    item = made("Item", (None, (1, TType.I32, "id", None, None), (2, TType.LIST, "phones", (TType.STRING, "UTF8", False), None)))
    inner = [item, item.thrift_spec]
    fields = [
        (TType.BOOL, "flag", None),
        (TType.BYTE, "small", None),
        (TType.I16, "short", None),
        (TType.I32, "number", None),
        (TType.I64, "big", None),
        (TType.DOUBLE, "real", None),
        (TType.STRING, "text", "UTF8"),
        (TType.STRING, "data", "BINARY"),
        (TType.LIST, "numbers", (TType.I32, None, False)),
        (TType.LIST, "texts", (TType.STRING, "UTF8", False)),
        (TType.SET, "unique", (TType.I64, None, False)),
        (TType.MAP, "counts", (TType.STRING, "UTF8", TType.I32, None, False)),
        (TType.STRUCT, "item", inner),
        (TType.LIST, "items", (TType.STRUCT, inner, False)),
        (TType.I32, "color", None),
        (TType.LIST, "flags", (TType.BOOL, None, False)),
        (TType.MAP, "reals", (TType.I32, None, TType.LIST, (TType.DOUBLE, None, False), False)),
        (TType.LIST, "nested", (TType.LIST, (TType.I16, None, False), False)),
    ]
    spec = tuple((number, kind, name, of, None) for number, (kind, name, of) in enumerate(fields, 1))

    class Module:
        Item = item
        Values = made("Values", (None, *spec))

    return Module


@pytest.mark.parametrize("name", ["TBinaryProtocol", "TBinaryProtocolAccelerated", "TCompactProtocol", "TCompactProtocolAccelerated"])
def test_messages_of_apache_thrift(ours: Any, name: str) -> None:
    pytest.importorskip("thrift")
    import importlib

    from thrift.transport.TTransport import TMemoryBuffer

    theirs = apache()
    module = importlib.import_module(f"thrift.protocol.{name.removesuffix('Accelerated')}")
    factory = getattr(module, name)

    def write(value: Any) -> bytes:
        buffer = TMemoryBuffer()
        value.write(factory(buffer))
        return bytes(buffer.getvalue())

    def read(message: bytes) -> Any:
        value = theirs.Values()
        value.read(factory(TMemoryBuffer(message)))
        return value

    exchange(ours, theirs, write, read, "compact" if "Compact" in name else "binary")


# The bytes in the tests of protocols of thriftpy2 and of Apache Thrift's library.
@pytest.mark.parametrize(
    ("ty", "value", "binary", "compact"),
    [
        ("bool", True, "01", None),
        ("i8", 123, "7b", "7b"),
        ("i8", 77, "4d", "4d"),
        ("i16", 12345, "3039", "f2c001"),
        ("i16", 128, "0080", "8002"),
        ("i32", 1234567890, "499602d2", "a48bb09909"),
        ("i64", 1234567890123456789, "112210f47de98115", "aa84ccde8fbd88a222"),
        ("double", 1234567890.1234567890, "41d26580b487e6b7", "b7e687b48065d241"),
        ("string", "hello world!", "0000000c68656c6c6f20776f726c6421", "0c68656c6c6f20776f726c6421"),
        ("string", "你好世界", "0000000ce4bda0e5a5bde4b896e7958c", "0ce4bda0e5a5bde4b896e7958c"),
        ("binary", "你好世界".encode(), "0000000ce4bda0e5a5bde4b896e7958c", "0ce4bda0e5a5bde4b896e7958c"),
        ("list<bool>", [True, False, True], "0200000003010001", "31010201"),
        ("map<string, bool>", {"a": True}, "0b0200000001000000016101", "0181016101"),
        ("map<string, list<bool>>", {"a": [True, False]}, "0b0f00000001000000016102000000020100", "01890161210102"),
        ("list<i16>", [1, 2, 3, 4, 5], "06000000050001000200030004" + "0005", "5402040608" + "0a"),
        ("map<string, i16>", {"a": 2}, "0b06000000010000000161" + "0002", "0184016104"),
    ],
)
def test_known_values(tmp_path: Path, ty: str, value: Any, binary: str, compact: str | None) -> None:
    path = tmp_path / "value.thrift"
    path.write_text(f"struct Value {{ 1: {ty} value }}")
    module: Any = thrift.load(path, arrays=False)
    for protocol, header, expected in (("binary", 3, binary), ("compact", 1, compact)):
        message = module.Value(value).encode(protocol)
        if expected is not None:
            assert message[header:-1].hex() == expected
        assert module.Value.decode(message, protocol).value == value


def test_known_structs(ours: Any) -> None:
    item = ours.Item(123, ["123456", "abcdef"])
    assert item.encode().hex(" ") == (
        "08 00 01 00 00 00 7b 0f 00 02 0b 00 00 00 02 00 00 00 "
        "06 31 32 33 34 35 36 00 00 00 06 61 62 63 64 65 66 00"
    )
    assert item.encode("compact").hex(" ") == "15 f6 01 19 28 06 31 32 33 34 35 36 06 61 62 63 64 65 66 00"
    package = ours.Package(123, [item, ours.Item(456, item.phones)])
    assert package.encode("compact").hex(" ") == (
        "15 f6 01 19 2c 15 f6 01 19 28 06 31 32 33 34 35 36 06 61 62 63 64 65 66 00 "
        "15 90 07 19 28 06 31 32 33 34 35 36 06 61 62 63 64 65 66 00 00"
    )
    for protocol in ("binary", "compact"):
        for value in (item, package, ours.Item()):
            assert type(value).decode(value.encode(protocol), protocol) == value
        huge = ours.Item(12345, ["1234567890"] * 100_000)
        assert ours.Item.decode(huge.encode(protocol), protocol) == huge
        wide = ours.Item(1, ["我" * 326, "你" * 1365])
        assert ours.Item.decode(wide.encode(protocol), protocol) == wide
        # Several structs after each other, the first of which cannot be written.
        with pytest.raises(TypeError):
            ours.Item("wrong type", item.phones).encode(protocol)
        both = item.encode(protocol) + ours.Item(234, ["110", "120"]).encode(protocol)
        first, length = ours.Item.decode_prefix(both, protocol)
        assert first == item and ours.Item.decode(both[length:], protocol).phones == ["110", "120"]
    assert ours.Item().encode() == ours.Item().encode("compact") == b"\0"
    # Fields that are not declared are skipped: bool, double, string, list, map and struct.
    skipped = ours.Values(flag=True, real=0.123425897, text="hello world", numbers=[5, 6, 7], counts={"hello": 3}, item=item)
    for protocol in ("binary", "compact", "json"):
        assert ours.Package.decode(skipped.encode(protocol), protocol) == ours.Package()
    # Other kinds of containers.
    assert ours.Item(1, ("123", "234")).encode() == ours.Item(1, ["123", "234"]).encode()
    assert len(ours.Item(1, {"123", "234"}).encode()) == len(ours.Item(1, ["123", "234"]).encode())


def test_varints_are_bounded(ours: Any) -> None:
    with pytest.raises(thrift.ThriftError) as caught:
        ours.Values.decode(b"\x56" + b"\x80" * 11, "compact")
    assert caught.value.kind == "InvalidVarint" and caught.value.path == ("big",)
    assert ours.Values.decode(b"\x56" + b"\x80" * 9 + b"\x01\0", "compact").big == 1 << 62
