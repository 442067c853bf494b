"""Server of this machine with the interface of Amazon S3."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def store(port: int) -> Iterator[None]:
    """Runs moto, and creates a bucket."""
    starter = "from moto.server import main; import sys; main(sys.argv[1:])"
    quiet = subprocess.DEVNULL
    arguments = [sys.executable, "-c", starter, "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(arguments, stdout=quiet, stderr=quiet)
    try:
        for _ in range(300):
            try:
                put(port, "")
                break
            except OSError:
                time.sleep(0.1)
        yield
    finally:
        server.kill()
        server.wait()


def put(port: int, key: str, data: bytes | None = None) -> None:
    """Stores an object, or creates the bucket."""
    account = "Credential=key/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
    headers = {
        "Content-Type": "application/octet-stream",
        "Authorization": f"AWS4-HMAC-SHA256 {account}",
    }
    request = urllib.request.Request(f"http://127.0.0.1:{port}/lake/{key}", data, headers, method="PUT")
    urllib.request.urlopen(request, timeout=30).read()
