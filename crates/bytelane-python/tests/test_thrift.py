"""`bytelane.thrift`: types, messages, errors and limits."""

from __future__ import annotations

import copy
import enum
import gc
import pickle
import subprocess
import sys
import uuid
from array import array
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from bytelane import thrift

ALL = ["binary", "compact", "fbthrift_compact", "json", "simple_json"]

IDL = """
include "base.thrift"

enum Color { RED = 1, BLUE = 2, None = 3 }
const list<i32> PRIMES = [2, 3, 5]
const Point ORIGIN = {"x": 0}

struct Point {
  1: required i32 x,
  2: optional i64 y = 7,
  3: list<string> names = ["a"],
}
union Shape { 1: Point point, 2: list<Color> colors, 3: string text }
exception Failed { 1: string message, 2: base.Level level, 3: i32 args }
struct Everything {
  1: bool flag,
  2: i8 small,
  3: i16 short,
  4: i32 number,
  5: i64 big,
  6: double real,
  7: string text,
  8: binary data,
  9: Color color = Color.BLUE,
  10: base.Level level,
  11: list<i8> bytes,
  12: list<i16> shorts,
  13: list<i32> numbers,
  14: list<i64> bigs,
  15: list<double> reals,
  16: list<bool> flags,
  17: list<list<i32>> nested,
  18: set<i64> set,
  19: map<string, list<i32>> lists,
  20: Shape shape,
  21: list<Point> points,
  22: list<Color> colors,
  23: i32 from,
  24: map<i32, binary> parts,
}
struct Keys { 1: set<list<i32>> lists, 2: map<Point, i32> points, 3: set<map<string, set<i8>>> maps, 4: uuid id }
struct Tree { 1: list<Tree> children }
"""
BASE = "enum Level { LOW = 0, HIGH = 10 }\nconst i32 LIMIT = 5\nstruct Empty {}"


def loaded(directory: Path, **options: Any) -> ModuleType:
    (directory / "shop.thrift").write_text(IDL)
    (directory / "base.thrift").write_text(BASE)
    return thrift.load(directory / "shop.thrift", **options)


@pytest.fixture
def shop(tmp_path: Path) -> Any:
    return loaded(tmp_path)


def everything(shop: Any) -> Any:
    return shop.Everything(
        flag=True,
        small=-8,
        short=-16,
        number=1 << 30,
        big=-(1 << 62),
        real=0.1,
        text='"héllo"\n',
        data=b"\x00\xff",
        level=shop.base.Level.HIGH,
        bytes=[-128, 127],
        shorts=[0, 1, 2],
        numbers=np.arange(-5, 5, dtype="int32"),
        bigs=[1 << 40, -1],
        reals=(0.5, 2, float("inf")),
        flags=[True, False],
        nested=[[], [1, 2]],
        set={5},
        lists={"a": [1], "b": []},
        shape=shop.Shape(colors=[shop.Color.RED, 9]),
        points=[shop.Point(1), shop.Point(2, None, [])],
        colors=[2],
        from_=3,
        parts={1: bytearray(b"x")},
    )


@pytest.mark.parametrize("protocol", ALL)
@pytest.mark.parametrize("arrays", [True, False])
def test_every_type_round_trips(tmp_path: Path, protocol: Any, arrays: bool) -> None:
    shop: Any = loaded(tmp_path, arrays=arrays)
    value = everything(shop)
    message = value.encode(protocol)
    read = shop.Everything.decode(message, protocol)
    # A field that is None is not written, and then has its default value.
    value.points[1].y = 7
    value.colors = [shop.Color.BLUE]
    assert read == value
    assert read.encode(protocol) == value.encode(protocol)
    assert type(read.flag) is bool
    assert read.color is shop.Color.BLUE and type(read.color) is shop.Color
    assert read.shape.colors == [1, 9] and type(read.shape.colors[1]) is int
    assert type(read.data) is bytes
    for name, dtype in [("bytes", "int8"), ("shorts", "int16"), ("numbers", "int32"), ("bigs", "int64"), ("reals", "float64")]:
        values = getattr(read, name)
        if arrays:
            assert values.dtype == dtype and values.flags.writeable
            values[0] = 7
        else:
            assert type(values) is list
    assert shop.Everything.decode(bytearray(message), protocol) == shop.Everything.decode(message, protocol)
    first, length = shop.Everything.decode_prefix(message + message, protocol)
    assert (first, length) == (shop.Everything.decode(message, protocol), len(message))


def test_known_bytes(shop: Any) -> None:
    point = shop.Point(x=5, y=None, names=None)
    assert point.encode() == b"\x08\0\1\0\0\0\5\0"
    assert point.encode("compact") == b"\x15\x0a\0"
    assert point.encode("json") == b'{"1":{"i32":5}}'
    assert point.encode("simple_json") == b'{"x":5}'
    assert shop.Point.decode('{"x": 5, "y": -1}', "simple_json") == shop.Point(5, -1)
    doubles = shop.Everything(real=1.0)
    doubles.color = None
    assert doubles.encode("compact") == b"\x67" + bytes(6) + b"\xf0\x3f\0"
    assert doubles.encode("fbthrift_compact") == b"\x67\x3f\xf0" + bytes(6) + b"\0"


def test_modules_have_everything_of_the_idl(shop: Any) -> None:
    assert shop.PRIMES.tolist() == [2, 3, 5] and shop.base.LIMIT == 5
    assert shop.ORIGIN == shop.Point(x=0, y=7, names=["a"])
    assert issubclass(shop.Color, enum.IntEnum) and shop.Color.None_ == 3
    assert issubclass(shop.Failed, Exception) and issubclass(shop.Shape, thrift.Union)
    assert shop.base.Empty() == shop.base.Empty() and shop.base.Empty().encode() == b"\0"
    assert shop.Point.__module__ == "shop" and "shop.thrift" in shop.Point.__doc__


def test_objects(shop: Any) -> None:
    point = shop.Point(1, names=["b"])
    assert repr(point) == "Point(x=1, y=7, names=['b'])"
    assert point == shop.Point(x=1, names=["b"]) != shop.Point(x=2, names=["b"])
    assert copy.deepcopy(point) == point and copy.copy(point) == point
    # Each object has its own default values.
    shop.Point(1).names.append("c")
    shop.Point.decode(b"\x08\0\1\0\0\0\5\0").names.append("c")
    assert shop.Point(1).names == ["a"]
    match point:
        case shop.Point(x, names=[name]):
            assert (x, name) == (1, "b")
    with pytest.raises(AttributeError):
        point.z = 1
    with pytest.raises(TypeError, match="no field z; the fields are x, y, names"):
        shop.Point(z=1)
    with pytest.raises(TypeError, match="two values for the field x"):
        shop.Point(1, x=1)
    with pytest.raises(TypeError, match="4 values for 3 fields"):
        shop.Point(1, 2, 3, 4)

    class Own(shop.Point):  # type: ignore[misc]
        def double(self) -> int:
            return 2 * int(self.x)

    own = Own.decode(point.encode())
    assert type(own) is Own and own.double() == 2 and own.encode() == point.encode()
    array_one, array_two = (shop.Everything(numbers=it) for it in ([1, 2], np.array([1, 2])))
    assert array_one == array_two
    with pytest.raises(TypeError, match="load the IDL first"):
        thrift.Struct()


def test_unions_have_one_field(shop: Any) -> None:
    shape = shop.Shape(text="t")
    assert repr(shape) == "Shape(text='t')" and shape.point is None
    for protocol in ALL:
        assert shop.Shape.decode(shape.encode(protocol), protocol) == shape
    with pytest.raises(TypeError, match="one field"):
        shop.Shape(text="t", colors=[])
    shape.colors = [1]
    with pytest.raises(thrift.ThriftError, match="more than one"):
        shape.encode()
    with pytest.raises(thrift.ThriftError, match="no known field"):
        shop.Shape().encode()
    with pytest.raises(thrift.ThriftError, match="more than one") as caught:
        shop.Shape.decode(b"\x0b\0\3\0\0\0\0\x0f\0\2\x08\0\0\0\0\0")
    assert caught.value.kind == "SecondUnionField"
    # A member of a newer IDL: none of the known ones.
    assert shop.Shape.decode(b"\x08\0\x09\0\0\0\1\0") == shop.Shape()


def test_exceptions_are_raised(shop: Any) -> None:
    with pytest.raises(shop.Failed) as caught:
        raise shop.Failed("no", shop.base.Level.HIGH, args_=3)
    failed = caught.value
    assert str(failed) == "message='no', level=<Level.HIGH: 10>, args_=3"
    for protocol in ALL:
        read = shop.Failed.decode(failed.encode(protocol), protocol)
        assert read == failed and isinstance(read, Exception) and {read, failed}
    assert copy.copy(failed) == failed


def test_keys_and_sets_do_not_change(shop: Any) -> None:
    point = shop.Point(1, names=("a",))
    keys = shop.Keys(
        lists={(1, 2), ()},
        points={point: 4},
        maps={(("k", frozenset({1})),)},
        id=uuid.UUID(int=5),
    )
    read = shop.Keys.decode(keys.encode("compact"), "compact")
    assert read == keys and read.points[shop.Point(1, names=("a",))] == 4
    # The default value of a field within a key is a tuple as well.
    message = b"\x0d\0\2\x0c\x08\0\0\0\1\x08\0\1\0\0\0\1\0\0\0\0\4\0"
    assert shop.Keys.decode(message).points == {point: 4}
    with pytest.raises(thrift.ThriftError, match="does not support the type uuid"):
        keys.encode("fbthrift_compact")
    for protocol in ("json", "simple_json"):
        assert shop.Keys.decode(keys.encode(protocol), protocol) == keys


def test_views_share_the_message(tmp_path: Path) -> None:
    shop: Any = loaded(tmp_path, views=True)
    message = shop.Everything(data=b"abc" * 1000, parts={1: b"x"}).encode()
    read = shop.Everything.decode(message)
    assert isinstance(read.data, memoryview) and read.data.obj is message
    assert read.data == b"abc" * 1000 and read.parts == {1: b"x"}
    assert read.encode() == message
    # JSON has base64, so it cannot be shared.
    read = shop.Everything.decode(read.encode("json"), "json")
    assert isinstance(read.data, memoryview) and read.data == b"abc" * 1000


def test_values_that_cannot_be_written(shop: Any) -> None:
    class Bad:
        def __index__(self) -> int:
            raise ZeroDivisionError

    for field, value, kind, message in [
        ("number", 1 << 31, ValueError, "2147483648 is not in the range of an integer of 32 bits, in number"),
        ("small", "a", TypeError, "expected int, found str, in small"),
        ("numbers", [1, 2.5], TypeError, r"expected int, found float, in numbers\[1\]"),
        ("numbers", np.array([1 << 40]), ValueError, r"in numbers\[0\]"),
        ("numbers", np.array([0.5]), TypeError, r"expected int, found float64, in numbers\[0\]"),
        ("numbers", 5, TypeError, "expected a list, found int, in numbers"),
        ("nested", [[1], "ab"], TypeError, r"expected a list, found str, in nested\[1\]"),
        ("lists", {"a": [None]}, TypeError, r"expected int, found NoneType, in lists\[0\]\[0\]"),
        ("lists", [1], TypeError, r"expected pairs of keys and values, in lists\[0\]"),
        ("flag", "yes", TypeError, "expected bool, found str, in flag"),
        ("text", b"bytes", TypeError, "expected str, found bytes, in text"),
        ("data", "text", TypeError, "expected bytes.*in data"),
        ("real", "1.5", TypeError, "expected float, found str, in real"),
        ("points", [shop.Point(1), {}], TypeError, r"expected Point, found dict, in points\[1\]"),
        ("points", [shop.Point()], ValueError, r"the required field `x` is missing, in points\[0\]"),
        ("text", "\ud800", ValueError, "surrogates"),
        ("number", Bad(), ZeroDivisionError, None),
    ]:
        with pytest.raises(kind, match=message):
            shop.Everything(**{field: value}).encode()
    # Numbers of NumPy, and arrays with gaps or of another type, have elements.
    odd = shop.Everything(number=np.int64(5), real=np.float32(0.5), flag=np.True_, shorts=range(3), bigs=array("q", [1 << 40, -1]), numbers=np.arange(6)[::2], nested=np.ones((2, 2), "int32"))
    read = shop.Everything.decode(odd.encode())
    assert (read.number, read.real, read.flag) == (5, 0.5, True)
    assert read.shorts.tolist() == [0, 1, 2] and read.bigs.tolist() == [1 << 40, -1]
    assert read.numbers.tolist() == [0, 2, 4] and [it.tolist() for it in read.nested] == [[1, 1], [1, 1]]
    tree = shop.Tree()
    tree.children = [tree]
    assert repr(tree) == "Tree(children=[Tree(...)])"
    with pytest.raises(thrift.ThriftError, match="nested deeper"):
        tree.encode()
    with pytest.raises(ValueError, match="protocol is \"xml\"; it must be binary"):
        tree.encode("xml")

    class Shrinking:
        def __init__(self, values: list[Any]) -> None:
            self.values = values

        def __index__(self) -> int:
            self.values.clear()
            return 1

    values: list[Any] = []
    values += [Shrinking(values), 2, 3]
    with pytest.raises(IndexError):
        shop.Everything(numbers=values).encode()

    class Changing:
        def __init__(self, change: Callable[[], object]) -> None:
            self.change = change

        def __index__(self) -> int:
            self.change()
            return 1

    lists: dict[str, list[Any]] = {}
    for change in [lists.clear, lambda: lists.update(c=[1]), lambda: (lists.pop("b"), lists.update(c=[1]), lists.update(d=[2]))]:
        lists.clear()
        lists.update(a=[Changing(change)], b=[1])
        with pytest.raises(RuntimeError, match="the dict changed while it was written"):
            shop.Everything(lists=lists).encode()
    # As many entries as before: whatever is found is written.
    lists.clear()
    lists.update(a=[Changing(lambda: lists.update(c=lists.pop("b")))], b=[1])
    assert len(shop.Everything.decode(shop.Everything(lists=lists).encode()).lists) == 2


def test_malformed_messages(shop: Any) -> None:
    message = everything(shop).encode()
    for length in range(len(message)):
        with pytest.raises(thrift.ThriftError) as caught:
            shop.Everything.decode(message[:length])
        assert caught.value.kind == "UnexpectedEnd" and caught.value.offset is not None
        assert caught.value.offset <= length
    with pytest.raises(thrift.ThriftError) as caught:
        shop.Everything.decode(message + b"x")
    assert (caught.value.kind, caught.value.offset) == ("TrailingBytes", len(message))
    # Field 1 of the second point is missing.
    with pytest.raises(thrift.ThriftError) as caught:
        shop.Everything.decode(b"\x0f\0\x15\x0c\0\0\0\2\x08\0\1\0\0\0\1\0\0\0")
    error = caught.value
    assert (error.kind, error.offset, error.path) == ("MissingField", 17, ("points", 1))
    assert str(error) == "the required field `x` is missing, at byte 17, in points[1]"
    assert pickle.loads(pickle.dumps(error)).path == error.path
    with pytest.raises(thrift.ThriftError, match="UTF-8.*in text"):
        shop.Everything.decode(b"\x0b\0\7\0\0\0\1\xff\0")
    # A field of another type is skipped, unless types are strict.
    other = b"\x0a\0\4" + bytes(7) + b"\5\x0f\0\x0d\x0a\0\0\0\0\x0f\0\x11\x0f\0\0\0\1\x0b\0\0\0\0\0"
    assert shop.Everything.decode(other).number is None
    with pytest.raises(thrift.ThriftError, match="expected the type i32, found i64"):
        shop.Everything.decode(other, strict_types=True)
    with pytest.raises(TypeError, match="expected bytes"):
        shop.Everything.decode(5)


def test_limits_bound_memory(shop: Any) -> None:
    # 100,000 empty structs in a message of 100 kB would take 10 MB, and a list of a billion numbers 4 GB.
    message = b"\x0f\0\1\x0c\0\1\x86\xa0" + bytes(100_001)
    with pytest.raises(thrift.ThriftError, match="more memory than the limit"):
        shop.Tree.decode(message, limits=thrift.Limits(memory=5_000_000))
    assert len(shop.Tree.decode(message).children) == 100_000
    with pytest.raises(thrift.ThriftError, match="ends unexpectedly"):
        shop.Everything.decode(b"\x0f\0\x0d\x08\x40\0\0\0")
    # Default values count as well.
    with pytest.raises(thrift.ThriftError, match="more memory than the limit"):
        shop.Point.decode(b"\x08\0\1\0\0\0\5\0", limits=thrift.Limits(memory=200))
    with pytest.raises(thrift.ThriftError, match="exceeds the limit") as caught:
        shop.Everything.decode(shop.Everything(text="x" * 100).encode(), limits=thrift.Limits(string=99))
    assert caught.value.kind == "StringLimit"
    with pytest.raises(thrift.ThriftError, match="exceed the limit"):
        shop.Everything.decode(shop.Everything(flags=[True] * 9).encode(), limits=thrift.Limits(container=8))
    nested = b"\x0f\0\1\x0c\0\0\0\1" * 255 + b"\0" * 256
    with pytest.raises(thrift.ThriftError, match="nested deeper"):
        shop.Tree.decode(nested)
    tree = shop.Tree.decode(nested, limits=thrift.Limits(depth=512))
    assert tree.encode(limits=thrift.Limits(depth=512)).count(b"\x0c") == 255
    with pytest.raises(ValueError, match="room for 512"):
        thrift.Limits(depth=513)


def test_the_garbage_collector_is_paused_only_while_a_message_is_read(shop: Any) -> None:
    message = shop.Tree([shop.Tree() for _ in range(7000)]).encode()
    seen: list[str] = []

    def collected(phase: str, _: object) -> None:
        seen.append(phase)

    gc.callbacks.append(collected)
    try:
        tree = shop.Tree.decode(message)
        # One collection may begin as soon as the collector runs again; without the pause, there are ten.
        assert len(seen) <= 2 and gc.isenabled()
        with pytest.raises(thrift.ThriftError):
            shop.Tree.decode(message[:-1])
        assert gc.isenabled()
        gc.disable()
        shop.Tree.decode(message)
        assert not gc.isenabled()
    finally:
        gc.enable()
        gc.callbacks.remove(collected)
    # Objects in a circle are collected.
    tree.children.append(tree)
    assert gc.is_tracked(tree)
    del tree
    assert gc.collect() > 0


def test_modules_are_registered_for_pickle(tmp_path: Path) -> None:
    shop: Any = loaded(tmp_path, module_name="registered_shop")
    try:
        value = everything(shop)
        assert pickle.loads(pickle.dumps(value)) == value
        failed = shop.Failed("no", shop.base.Level.LOW)
        assert pickle.loads(pickle.dumps(failed)) == failed
    finally:
        del sys.modules["registered_shop"], sys.modules["registered_shop.base"]


def test_loading(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        thrift.load(tmp_path / "none.thrift")
    path = tmp_path / "wrong.thrift"
    path.write_text("struct A {\n  1: Missing b\n}")
    with pytest.raises(thrift.ThriftError, match=r"wrong.thrift:2:6: unknown type `Missing`") as caught:
        thrift.load(path)
    assert (caught.value.kind, caught.value.offset) == ("Idl", None)
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/other-file.thrift").write_text("struct A { 1: i32 x }")
    path.write_text('include "other-file.thrift"\nstruct decode { 1: i32 encode, 2: i32 __x, 3: i32 encode_ }')
    module: Any = thrift.load(path, include=[tmp_path / "shared"])
    value = module.decode(encode_=1, _x=2, encode__=3)
    assert module.decode.decode(value.encode()) == value
    assert module.other_file.A(x=1).x == 1
    program = "import sys; sys.modules['numpy'] = None\nfrom bytelane import thrift\nthrift.load(sys.argv[1], arrays=False)\nthrift.load(sys.argv[1])"
    run = subprocess.run([sys.executable, "-c", program, tmp_path / "shared/other-file.thrift"], capture_output=True, text=True, check=False)
    assert "install NumPy, or load with arrays=False" in run.stderr and "line 4" in run.stderr


def test_stubs_are_types_of_the_module(tmp_path: Path) -> None:
    api = pytest.importorskip("mypy.api")
    for name, options in {"shop_thrift": {}, "shop_lists": {"arrays": False, "views": True}}.items():
        thrift.write_stub(loaded(tmp_path, **options), tmp_path / f"{name}.pyi")
        given = "".join(f", {option}={value}" for option, value in options.items())
        (tmp_path / f"{name}.py").write_text(
            "from pathlib import Path\nfrom bytelane import thrift\n"
            f"thrift.load(Path(__file__).with_name('shop.thrift'), module_name=__name__{given})\n"
        )
    assert "_NDArray[_np.int32]" in (tmp_path / "shop_thrift.pyi").read_text()
    # It runs, and mypy accepts it, but for the lines that end with a comment.
    program = tmp_path / "program.py"
    program.write_text(
        "import shop_lists, shop_thrift as shop\n"
        "from shop_thrift import Point\n"
        "point = Point(1, names=('a', 'b'))\n"
        "number: int = Point.decode(point.encode('compact'), 'compact').x\n"
        "every = shop.Everything(numbers=[1, 2], level=shop.base.Level.HIGH, shape=shop.Shape(point=point))\n"
        "assert every.shape is not None and every.numbers is not None\n"
        "total = sum(every.numbers)\n"
        "limit: int = shop.base.LIMIT\n"
        "primes: list[int] = shop_lists.PRIMES\n"
        "if number == 7:\n"
        "    Point(x='a')  # arg-type\n"
        "    point.z  # attr-defined\n"
        "    every.encode('xml')  # arg-type\n"
        "    wrong: str = point.x  # assignment\n"
        "    raise shop.Failed('no', 5)\n"
    )
    subprocess.run([sys.executable, program.name], cwd=tmp_path, check=True)
    config = tmp_path / "mypy.ini"
    # Reading the types of NumPy takes ten seconds.
    config.write_text("[mypy]\nstrict = True\n[mypy-numpy.*]\nfollow_imports = skip\n")
    files = map(str, sorted(tmp_path.glob("*.pyi")))
    out, err, _ = api.run(["--config-file", str(config), "--no-incremental", str(program), *files])
    assert not err
    lines = enumerate(program.read_text().splitlines(), 1)
    expected = [(number, line.partition("  # ")[2]) for number, line in lines if "  # " in line]
    errors = [line for line in out.splitlines() if ": error:" in line]
    found = [(int(it.split(":")[1]), it.rpartition("[")[2].rstrip("]")) for it in errors]
    assert found == expected, out


@pytest.mark.parametrize("protocol", ALL)
def test_masks_select_what_is_read_and_written(shop: Any, protocol: Any) -> None:
    value = everything(shop)
    message = value.encode(protocol)
    paths = ["text", "points[*].x", "numbers[0,2]", 'lists{"a"}', "parts{1}", "nested[1]", "set", "shape.colors"]
    mask = thrift.FieldMask(shop.Everything, paths)
    wanted = shop.Everything(
        text=value.text,
        numbers=[-5, -3],
        nested=[[1, 2]],
        set={5},
        lists={"a": [1]},
        shape=value.shape,
        points=[shop.Point(1), shop.Point(2)],
        parts={1: b"x"},
    )
    # Unselected fields have their default values; `encode` writes none of them.
    assert shop.Everything.decode(message, protocol, mask=mask) == wanted
    assert shop.Everything.decode(message, protocol, mask=paths) == wanted
    assert shop.Everything.decode_prefix(message, protocol, mask=mask) == (wanted, len(message))
    assert shop.Everything.decode(value.encode(protocol, mask=mask), protocol) == wanted
    without = thrift.FieldMask.without(shop.Everything, ["numbers", "points[0]", "lists{\"b\"}", "text"])
    rest = shop.Everything.decode(message, protocol, mask=without)
    assert (rest.numbers, rest.text, rest.lists.keys(), len(rest.points)) == (None, None, {"a"}, 1)
    assert shop.Everything.decode(value.encode(protocol, mask=without), protocol) == rest


def test_masks_and_required_fields(shop: Any) -> None:
    mask = thrift.FieldMask(shop.Point, ["names"])
    read = shop.Point.decode(shop.Point(5, 6, ["b"]).encode(), mask=mask)
    assert (read.x, read.y, read.names) == (None, 7, ["b"])
    # Readers would refuse a message without its required field.
    assert shop.Point(5, 6, ["b"]).encode(mask=mask) == shop.Point(5, None, ["b"]).encode()
    assert shop.Point(5).encode(mask=[]) == shop.Point(5).encode()


def test_errors_of_masks(shop: Any) -> None:
    with pytest.raises(ValueError, match="the path `point`: `point` is not a field; the fields are x, y, names"):
        thrift.FieldMask(shop.Point, ["point"])
    mask = thrift.FieldMask(shop.Point, ["x"])
    with pytest.raises(TypeError, match="the mask is for messages of the class Point, not Shape"):
        shop.Shape.decode(b"\0", mask=mask)
    with pytest.raises(TypeError, match="mask must be a FieldMask or a list of paths"):
        shop.Point(1).encode(mask="x")
    with pytest.raises(TypeError, match="load the IDL first"):
        thrift.FieldMask(thrift.Struct, ["x"])
