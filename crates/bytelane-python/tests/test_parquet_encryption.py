"""Tests encrypted files in both directions with pyarrow."""

import base64
import datetime
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest
from bytelane import parquet

FOOTER_KEY = b"0123456789012345"
COLUMN_KEY = b"1234567890123450"
KEYS = {"footer": FOOTER_KEY, "column": COLUMN_KEY}


class Kms(pe.KmsClient):  # type: ignore[misc]
    """Wraps keys by encoding them, so that the metadata of a key contains it."""

    def __init__(self, _: object) -> None:
        super().__init__()

    def wrap_key(self, key_bytes: bytes, master_key_identifier: str) -> str:
        return f"{master_key_identifier}:{base64.b64encode(key_bytes).decode()}"

    def unwrap_key(self, wrapped_key: str, master_key_identifier: str) -> bytes:
        return base64.b64decode(wrapped_key.split(":")[1])


FACTORY = pe.CryptoFactory(Kms)
CONNECTION = pe.KmsConnectionConfig()


def key_of(metadata: bytes) -> bytes | None:
    """Finds the key that `Kms` wrapped."""
    name, key = json.loads(metadata)["wrappedDEK"].split(":")
    return base64.b64decode(key) if name in KEYS else None


def table(rows: int = 5000) -> pa.Table:
    """Makes columns of all kinds, with dictionaries, nulls and lists."""
    rng = random.Random(7)
    return pa.table({
        "id": pa.array(range(rows)),
        "price": pa.array([rng.random() for _ in range(rows)]),
        "name": pa.array([rng.choice(["alpha", "beta", None, "gamma"]) for _ in range(rows)]),
        "day": pa.array([datetime.date(2026, 1, 1) + datetime.timedelta(i % 90) for i in range(rows)]),
        "tags": pa.array([[f"t{j}" for j in range(i % 4)] or None for i in range(rows)]),
        "place": pa.array([{"x": i, "y": None if i % 7 == 0 else str(i)} for i in range(rows)]),
    })  # fmt: skip


SHAPES: list[dict[str, Any]] = [
    {"data_page_version": version, "compression": compression, **others}
    for version, compression, others in list[tuple[str, str, dict[str, Any]]]([
        ("1.0", "snappy", {"row_group_size": 1500, "data_page_size": 512}),
        ("2.0", "zstd", {"row_group_size": 1500, "data_page_size": 512, "write_page_index": True}),
        ("1.0", "none", {"use_dictionary": False, "write_page_index": True, "data_page_size": 100}),
        ("2.0", "snappy", {"write_page_index": True, "write_page_checksum": True}),
    ])
]  # fmt: skip


# A plaintext footer of pyarrow names AES_GCM_V1 for pages in AES_GCM_CTR_V1, and pyarrow cannot read the file itself.
MODES = [("AES_GCM_V1", False), ("AES_GCM_V1", True), ("AES_GCM_CTR_V1", False)]


@pytest.fixture(params=SHAPES)
def shape(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    yield request.param


@pytest.mark.parametrize(("algorithm", "plaintext_footer"), MODES)
def test_files_of_pyarrow_with_one_key(
    tmp_path: Path, shape: dict[str, Any], algorithm: str, plaintext_footer: bool
) -> None:
    path = tmp_path / "a.parquet"
    want = table()
    for key, prefix, is_stored in [(FOOTER_KEY, None, True), (bytes(range(24)), b"p", True), (bytes(range(32)), b"p", False)]:
        how = {"plaintext_footer": plaintext_footer, "encryption_algorithm": algorithm}
        properties = pe.create_encryption_properties(key, aad_prefix=prefix, store_aad_prefix=is_stored, **how)
        pq.write_table(want, path, encryption_properties=properties, **shape)
        decryption: Any = {"footer_key": key}
        if not is_stored:
            decryption["aad_prefix"] = prefix
        assert parquet.read_table(path, decryption=decryption).to_pyarrow() == want
        file = parquet.ParquetFile(path.read_bytes(), decryption=decryption)
        assert pa.concat_tables(
            pa.Table.from_batches([pa.record_batch(it)]) for it in file.iter_batches(700, columns=["tags", "price"])
        ) == want.select(["tags", "price"])
        found = parquet.read_table(path, ["name"], filters="id between 3400 and 3402", decryption=decryption)
        assert found.to_pyarrow() == want.slice(3400, 3).select(["name"])
        with open(path, "rb") as opened:
            assert parquet.read_table(opened, ["day"], decryption=decryption).to_pyarrow() == want.select(["day"])
        with pytest.raises(parquet.ParquetError, match="its key or the AAD prefix is wrong"):
            parquet.read_table(path, decryption={**decryption, "footer_key": b"x" * 16})
        with pytest.raises(parquet.ParquetError, match="AAD prefix"):
            parquet.read_table(path, decryption={**decryption, "aad_prefix": b"other"})
        if not is_stored:
            with pytest.raises(parquet.ParquetError, match="does not store the AAD prefix"):
                parquet.read_table(path, decryption={"footer_key": key})


@pytest.mark.parametrize(("algorithm", "plaintext_footer"), MODES)
def test_files_of_pyarrow_with_keys_of_columns(
    tmp_path: Path, shape: dict[str, Any], algorithm: str, plaintext_footer: bool
) -> None:
    path = tmp_path / "a.parquet"
    configuration = pe.EncryptionConfiguration(
        footer_key="footer",
        column_keys={"column": ["price", "tags.list.element"], "other": ["place.x"]},
        plaintext_footer=plaintext_footer,
        double_wrapping=False,
        encryption_algorithm=algorithm,
    )
    want = table()
    properties = FACTORY.file_encryption_properties(CONNECTION, configuration)
    pq.write_table(want, path, encryption_properties=properties, **shape)
    names = ["id", "price", "name", "day", "tags"]
    assert parquet.read_table(path, names, decryption=key_of).to_pyarrow() == want.select(names)
    keys = {"key_retriever": key_of}
    for column in ["place", "place.x"]:
        with pytest.raises(parquet.ParquetError, match=r"column place\.x.*: the key of the column is missing"):
            parquet.read_table(path, [column], decryption=keys)
    assert parquet.read_table(path, ["place.y"], decryption=keys).num_rows == want.num_rows
    file = parquet.ParquetFile(path, decryption=keys)
    assert file.schema.names == want.column_names and file.num_rows == want.num_rows
    with pytest.raises(parquet.ParquetError, match="decryption gives its keys"):
        parquet.read_table(path)
    if plaintext_footer:
        assert parquet.read_table(path, ["id", "name"], decryption={}).to_pyarrow() == want.select(["id", "name"])


WRITTEN: list[dict[str, Any]] = [
    {"row_group_size": 1500, "max_rows_per_page": 100, "bloom_filter_options": {"name": True}},
    {"data_page_version": "2.0", "compression": "snappy", "write_page_checksum": True},
    {"encoding": "plain", "write_page_index": False, "data_page_size": 1000, "compression": "none"},
]


@pytest.mark.parametrize("options", WRITTEN)
def test_files_for_pyarrow(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "a.parquet"
    want = table()
    for key in [FOOTER_KEY, bytes(range(24)), bytes(range(32))]:
        for plaintext_footer in [False, True]:
            for algorithm in ["AES_GCM_V1", "AES_GCM_CTR_V1"]:
                for prefix, is_stored in [(None, True), (b"p", True), (b"p", False)]:
                    encryption = {
                        "footer_key": key,
                        "aad_prefix": prefix,
                        "store_aad_prefix": is_stored,
                        "algorithm": algorithm,
                        "plaintext_footer": plaintext_footer,
                    }
                    parquet.write_table(want, path, encryption=encryption, **options)
                    properties = pe.create_decryption_properties(key, aad_prefix=None if is_stored else prefix)
                    assert pq.read_table(path, decryption_properties=properties) == want
                    read = pq.read_table(path, decryption_properties=properties, filters=[("id", "==", 3456)])
                    assert read == want.slice(3456, 1)
    with parquet.ParquetWriter(path, want.schema, encryption={"footer_key": FOOTER_KEY}, **options) as writer:
        writer.write_table(want)
    assert parquet.read_table(path, decryption={"footer_key": FOOTER_KEY}).to_pyarrow() == want


def material(name: str, key: bytes) -> bytes:
    """Returns the metadata of a key that pyarrow expects."""
    return json.dumps({
        "keyMaterialType": "PKMT1",
        "internalStorage": True,
        "isFooterKey": name == "footer",
        "kmsInstanceID": "DEFAULT",
        "kmsInstanceURL": "DEFAULT",
        "masterKeyID": name,
        "wrappedDEK": f"{name}:{base64.b64encode(key).decode()}",
        "doubleWrapping": False,
    }).encode()  # fmt: skip


@pytest.mark.parametrize("plaintext_footer", [False, True])
@pytest.mark.parametrize("algorithm", ["AES_GCM_V1", "AES_GCM_CTR_V1"])
def test_files_for_pyarrow_with_keys_of_columns(tmp_path: Path, plaintext_footer: bool, algorithm: str) -> None:
    path = tmp_path / "a.parquet"
    want = table()
    column = (COLUMN_KEY, material("column", COLUMN_KEY))
    encryption = {
        "footer_key": FOOTER_KEY,
        "footer_key_metadata": material("footer", FOOTER_KEY),
        "column_keys": {"price": column, "tags": column, "place.x": column},
        "plain_columns": ["id", "place"],
        "algorithm": algorithm,
        "plaintext_footer": plaintext_footer,
    }
    for options in WRITTEN:
        parquet.write_table(want, path, encryption=encryption, **options)
        properties = FACTORY.file_decryption_properties(CONNECTION)
        assert pq.read_table(path, decryption_properties=properties) == want
        assert parquet.read_table(path, decryption=key_of).to_pyarrow() == want
        if plaintext_footer:
            names = ["id", "place.y"]
            read = parquet.read_table(path, names, decryption={}).to_pyarrow()
            assert read == parquet.read_table(path, names, decryption=key_of).to_pyarrow()
    assert COLUMN_KEY not in path.read_bytes()
    with pytest.raises(parquet.ParquetError, match="no column"):
        parquet.write_table(want, path, encryption={"footer_key": FOOTER_KEY, "plain_columns": ["prize"]})


def sealed(tmp_path: Path, **how: Any) -> bytes:
    """Returns a file that pyarrow encrypts with one key."""
    properties = pe.create_encryption_properties(FOOTER_KEY, **how)
    pq.write_table(table(300), tmp_path / "b.parquet", encryption_properties=properties, data_page_size=100)
    return (tmp_path / "b.parquet").read_bytes()


def test_changed_files_are_refused(tmp_path: Path) -> None:
    rng = random.Random(3)
    decryption: Any = {"footer_key": FOOTER_KEY}
    for plaintext_footer in [False, True]:
        file = sealed(tmp_path, plaintext_footer=plaintext_footer)
        want = table(300)
        for _ in range(300):
            changed = bytearray(file)
            for _ in range(rng.choice([1, 1, 4])):
                changed[rng.randrange(4, len(file))] = rng.choice([0, 1, 127, 128, 255, rng.randrange(256)])
            changed = changed[: rng.choice([len(file), len(file), rng.randrange(len(file))])]
            try:
                read = parquet.read_table(bytes(changed), decryption=decryption).to_pyarrow()
            except (parquet.ParquetError, OSError):
                continue
            # Offset indexes, for example, are not needed.
            assert read == want


def test_other_keys_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(sealed(tmp_path))
    cases: list[tuple[Any, type[Exception], str]] = [
        ({"footer_key": b"short"}, parquet.ParquetError, "16, 24 or 32 bytes"),
        ({"footer_key": "0123456789012345"}, TypeError, "must be bytes"),
        ({"key": FOOTER_KEY}, ValueError, "only footer_key, column_keys"),
        (FOOTER_KEY, TypeError, "dict of keys"),
        ({}, parquet.ParquetError, "the key of the footer is missing"),
    ]
    for decryption, error, match in cases:
        with pytest.raises(error, match=match) as raised:
            parquet.read_table(path, decryption=decryption)
        assert FOOTER_KEY.decode() not in str(raised.value)

    def fails(_: bytes) -> bytes:
        raise LookupError("no such key")

    configuration = pe.EncryptionConfiguration(footer_key="footer", uniform_encryption=True)
    properties = FACTORY.file_encryption_properties(CONNECTION, configuration)
    pq.write_table(table(10), path, encryption_properties=properties)
    with pytest.raises(LookupError, match="no such key"):
        parquet.read_table(path, decryption=fails)
    pq.write_table(table(10), path)
    with pytest.raises(parquet.ParquetError, match="not encrypted"):
        parquet.read_table(path, decryption={"footer_key": FOOTER_KEY})
    assert parquet.read_table(path, decryption={"plain_files": True}).num_rows == 10
    hidden = pe.create_decryption_properties(FOOTER_KEY)
    with pytest.raises(NotImplementedError, match="only pyarrow can read its keys"):
        parquet.read_table(path, decryption_properties=hidden)


def test_several_files(tmp_path: Path) -> None:
    for name in ["a", "b"]:
        (tmp_path / f"{name}.parquet").write_bytes(sealed(tmp_path / ".."))
    read: Callable[..., Any] = parquet.read_table
    decryption = {"footer_key": FOOTER_KEY}
    assert read(tmp_path, decryption=decryption).num_rows == 600
    assert parquet.ParquetDataset(tmp_path, decryption=decryption).read(["id"]).num_rows == 600
    assert parquet.read_schema(tmp_path / "a.parquet", decryption=decryption).names == table(1).column_names
    assert parquet.read_metadata(tmp_path / "a.parquet", decryption=decryption).num_rows == 300
