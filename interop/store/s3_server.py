"""An S3 server on this machine for tests, behind a proxy that lets requests fail."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from fault_proxy import FaultProxy

COMMAND = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane"

# Rows of each of the small files.
ROWS = 2000


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def table(first: int) -> pa.Table:
    ids = list(range(first, first + ROWS))
    return pa.table({"id": ids, "name": [f"name {number % 50}" for number in ids]})


class S3Server(unittest.TestCase):
    """Tests with moto behind a proxy, and a bucket for each test."""

    server: subprocess.Popen[bytes]
    port: int
    proxy: FaultProxy
    directory: tempfile.TemporaryDirectory[str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.port = free_port()
        starter = "from moto.server import main; import sys; main(sys.argv[1:])"
        arguments = [sys.executable, "-c", starter, "-H", "127.0.0.1", "-p", str(cls.port)]
        quiet = subprocess.DEVNULL
        cls.server = subprocess.Popen(arguments, stdout=quiet, stderr=quiet)
        for _ in range(300):
            try:
                with socket.create_connection(("127.0.0.1", cls.port)):
                    break
            except OSError:
                time.sleep(0.1)
        cls.proxy = FaultProxy(cls.port, lambda method, path: None)
        cls.directory = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.proxy.close()
        cls.server.kill()
        cls.server.wait()
        cls.directory.cleanup()

    def setUp(self) -> None:
        self.bucket = f"bucket{random.randrange(1 << 40)}"
        self.request("PUT", "")
        self.proxy.fault = lambda method, path: None
        self.proxy.count.clear()

    def request(self, method: str, key: str, data: bytes | None = None) -> bytes:
        """Sends a request to the server, without the proxy."""
        url = f"http://127.0.0.1:{self.port}/{self.bucket}/{key}"
        # Without an account, the server refuses to replace objects. It does not check signatures.
        account = "Credential=key/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
        headers = {
            "Content-Type": "application/octet-stream",
            "Authorization": f"AWS4-HMAC-SHA256 {account}",
            # Requests without a signature may read it.
            "x-amz-acl": "public-read",
        }
        request = urllib.request.Request(url, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            content: bytes = answer.read()
            return content

    def environment(self) -> dict[str, str]:
        return os.environ | {
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.proxy.port}",
        }

    def url(self, key: str) -> str:
        return f"s3://{self.bucket}/{key}"

    def put_table(self, key: str, first: int) -> None:
        sink = pa.BufferOutputStream()
        pq.write_table(table(first), sink)
        self.request("PUT", key, sink.getvalue().to_pybytes())
