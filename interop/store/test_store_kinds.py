"""URLs of all kinds of stores, on servers of this machine: their options, credentials, certificates and errors."""

from __future__ import annotations

import io
import json
import os
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.parquet as pq

from s3_server import COMMAND, ROWS, S3Server, table

# Variables of stores that the tests do not set.
PREFIXES = ("AWS_", "GOOGLE_", "AZURE_", "AZURITE_", "STORAGE_EMULATOR", "SSL_CERT")


def encoded(rows: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(rows, sink)
    return sink.getvalue()


def run_in(
    test: unittest.TestCase, home: Path, arguments: tuple[str, ...], status: int, variables: dict[str, str]
) -> str:
    """Runs the command for a user with a home directory and no variables of stores but these."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(PREFIXES)}
    done = subprocess.run(
        [COMMAND, *arguments],
        env=own | {"HOME": str(home)} | variables,
        capture_output=True,
        text=True,
        timeout=120,
    )
    test.assertEqual(done.returncode, status, f"{arguments}: {done.stderr}{done.stdout}")
    return " ".join((done.stdout + done.stderr).split())


class BlobServer:
    """Keeps objects in memory, with the requests for ranges, puts and lists of Azure Blob Storage."""

    def __init__(self, certificate: Path | None = None) -> None:
        self.objects: dict[str, bytes] = {}
        self.requests: list[tuple[str, str]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                path, _, query = self.path.partition("?")
                server.requests.append((self.command, path))
                if "comp=list" in query:
                    return self.answer(200, server.listed(path, query))
                content = server.objects.get(path)
                if content is None:
                    return self.answer(404, b"")
                wanted = self.headers.get("Range") or self.headers.get("x-ms-range")
                if wanted is None:
                    return self.answer(200, content)
                first, last = wanted.removeprefix("bytes=").split("-")
                start = int(first) if first else max(0, len(content) - int(last))
                end = min(int(last) + 1, len(content)) if first and last else len(content)
                part = f"bytes {start}-{end - 1}/{len(content)}"
                self.answer(206, content[start:end], {"Content-Range": part})

            do_HEAD = do_GET  # noqa: N815

            def do_PUT(self) -> None:
                path = self.path.partition("?")[0]
                server.requests.append((self.command, path))
                content = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("If-None-Match") == "*" and path in server.objects:
                    return self.answer(409, b"<Error><Code>BlobAlreadyExists</Code></Error>")
                server.objects[path] = content
                self.answer(201, b"")

            def answer(self, status: int, content: bytes, headers: dict[str, str] | None = None) -> None:
                self.send_response(status)
                tag = {"ETag": f'"{hash(server.objects.get(self.path.partition("?")[0]))}"'}
                date = {"Last-Modified": formatdate(1_700_000_000, usegmt=True)}
                for name, value in {**tag, **date, **(headers or {})}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port: int = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def listed(self, path: str, query: str) -> bytes:
        prefix = next((it[7:] for it in query.split("&") if it.startswith("prefix=")), "")
        prefix = prefix.replace("%2F", "/")
        blobs = []
        for key, content in self.objects.items():
            name = key.removeprefix(f"{path}/")
            if key != name and name.startswith(prefix):
                blobs.append(
                    f"<Blob><Name>{escape(name)}</Name><Properties>"
                    f"<Last-Modified>{formatdate(1_700_000_000, usegmt=True)}</Last-Modified>"
                    f"<Content-Length>{len(content)}</Content-Length><Etag>{hash(content)}</Etag>"
                    "<Content-Type>application/octet-stream</Content-Type></Properties></Blob>"
                )
        return f"<EnumerationResults><Blobs>{''.join(blobs)}</Blobs><NextMarker/></EnumerationResults>".encode()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class Kinds(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.home = Path(directory.name)

    def run_command(self, *arguments: str, status: int = 0, **variables: str) -> str:
        return run_in(self, self.home, arguments, status, variables)

    def blobs(self, certificate: Path | None = None) -> BlobServer:
        server = BlobServer(certificate)
        self.addCleanup(server.close)
        return server

    def test_azure_reads_writes_and_lists(self) -> None:
        server = self.blobs()
        root = "/devstoreaccount1/box"
        for number in range(4):
            server.objects[f"{root}/old/{number}.parquet"] = encoded(table(number * ROWS))
        emulator = {
            "AZURE_STORAGE_USE_EMULATOR": "true",
            "AZURITE_BLOB_STORAGE_URL": f"http://127.0.0.1:{server.port}",
        }
        answer = self.run_command("count", "az://box/old", **emulator)
        self.assertIn(str(4 * ROWS), answer)
        self.run_command("rewrite", "az://box/old/1.parquet", "az://box/new.parquet", **emulator)
        written = pq.ParquetFile(pa.BufferReader(server.objects[f"{root}/new.parquet"])).read(use_threads=False)
        self.assertEqual(written, table(ROWS))
        plan = str(self.home / "plan.json")
        self.run_command("dataset", "plan", "az://box/old", "--output", plan, **emulator)
        # Its lists have ETags without quotes, so files seem to change if these count.
        self.assertEqual(len(json.loads(Path(plan).read_text())["units"][0]["sources"]), 4)
        answer = self.run_command("count", "az://box/none.parquet", status=2, **emulator)
        self.assertIn("az://box/none.parquet: there is no such object", answer)
        answer = self.run_command("count", "az://box/a.parquet", status=2)
        self.assertIn("AZURE_STORAGE_ACCOUNT_NAME", answer)

    def test_https_checks_certificates(self) -> None:
        pair = self.home / "pair.pem"
        key, certificate = self.home / "key.pem", self.home / "certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
            + ["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE"]
            + ["-keyout", str(key), "-out", str(certificate)],
            check=True,
            capture_output=True,
        )
        pair.write_bytes(key.read_bytes() + certificate.read_bytes())
        server = self.blobs(pair)
        server.objects["/a b.parquet"] = encoded(table(0))
        server.objects["/a%20b.parquet"] = encoded(table(0))
        url = f"https://localhost:{server.port}/a%20b.parquet"
        answer = self.run_command("count", url, SSL_CERT_FILE=str(certificate))
        self.assertIn(str(ROWS), answer)
        answer = self.run_command("count", url, status=2)
        self.assertIn("certificate", answer)
        self.assertIn("SSL_CERT_FILE", answer)


class Accounts(S3Server):
    """Stores whose settings are in files of the user, or that are emulated, on an S3 server."""

    def run_in(self, home: Path, *arguments: str, status: int = 0, **variables: str) -> str:
        return run_in(self, home, arguments, status, variables)

    def test_profiles_have_keys(self) -> None:
        self.put_table("a.parquet", 0)
        home = Path(self.directory.name) / self.bucket
        (home / ".aws").mkdir(parents=True)
        (home / ".aws" / "credentials").write_text(
            "[default]\naws_access_key_id = id\naws_secret_access_key = secret\n"
        )
        endpoint = f"endpoint_url = http://127.0.0.1:{self.port}\n"
        (home / ".aws" / "config").write_text(
            f"[default]\nregion = us-east-1\n{endpoint}[profile sso]\nsso_session = corp\n{endpoint}"
        )
        url = self.url("a.parquet")
        self.assertIn(str(ROWS), self.run_in(home, "count", url))
        answer = self.run_in(home, "count", url, status=2, AWS_PROFILE="sso")
        self.assertIn("export-credentials --profile sso", answer)
        answer = self.run_in(home, "count", url, status=2, AWS_PROFILE="none")
        self.assertIn("AWS_PROFILE", answer)
        # Variables come before files.
        keys = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
        elsewhere = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}"}
        answer = self.run_in(home, "count", url, AWS_PROFILE="none", **keys, **elsewhere)
        self.assertIn(str(ROWS), answer)

    def test_google_reads_writes_and_lists(self) -> None:
        # The XML interface of Google is that of Amazon, except for the condition of a put.
        for number in range(4):
            self.put_table(f"old/{number}.parquet", number * ROWS)
        home = Path(self.directory.name)
        emulator = {"STORAGE_EMULATOR_HOST": f"127.0.0.1:{self.port}"}
        root = f"gs://{self.bucket}"
        self.assertIn(str(4 * ROWS), self.run_in(home, "count", f"{root}/old", **emulator))
        self.run_in(home, "rewrite", f"{root}/old/1.parquet", f"{root}/new.parquet", **emulator)
        written = pq.ParquetFile(pa.BufferReader(self.request("GET", "new.parquet"))).read(use_threads=False)
        self.assertEqual(written, table(ROWS))
        answer = self.run_in(home, "count", f"{root}/none.parquet", status=2, **emulator)
        self.assertIn("there is no such object", answer)

    def test_a_row_group_takes_few_requests(self) -> None:
        rows, columns = 60_000, 24
        values = {f"c{number:02}": [row * (number + 7) % 99_991 for row in range(rows)] for number in range(columns)}
        sink = io.BytesIO()
        pq.write_table(pa.table(values), sink, row_group_size=rows // 3, use_dictionary=False)
        self.request("PUT", "wide.parquet", sink.getvalue())
        script = f"""
import pyarrow as pa
from bytelane import parquet
url = {self.url("wide.parquet")!r}
rows = pa.table(parquet.read_table(url))
assert rows["c23"].to_pylist() == [row * 30 % 99_991 for row in range({rows})]
"""
        seen: list[str] = []
        self.proxy.fault = lambda method, path: seen.append(method)
        done = subprocess.run(
            [sys.executable, "-c", script], env=self.environment(), capture_output=True, text=True, timeout=60
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        gets = seen.count("GET")
        # The footer, and one or two for each row group of 2 MB: 24 chunks are not requested one by one.
        self.assertLessEqual(gets, 8, seen)
        self.assertGreaterEqual(gets, 4, seen)


if __name__ == "__main__":
    unittest.main()
