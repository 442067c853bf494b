"""Compares how fast a file is read from a disk and from a server of this machine: `store.py FILE [--threads COUNT]`.

FILE is a Parquet file, which is in the system's cache. The server is a process of its own that answers requests for
ranges, at once or after a delay, which stands for the distance to a store. Needs the packages bytelane and pyarrow.
Prints the wall-clock time and the number of requests of the best of three rounds, as a Markdown table.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

import pyarrow as pa
from bytelane import parquet


def serve(path: Path, delay: Synchronized[float], count: Synchronized[int], port: Synchronized[int]) -> None:
    """Answers requests for ranges of a file until the process is killed."""
    content = memoryview(path.read_bytes())

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            with count.get_lock():
                count.value += 1
            time.sleep(delay.value)
            first, last = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").split("-")
            start = int(first) if first else max(0, len(content) - int(last))
            end = min(int(last) + 1, len(content)) if first and last else len(content)
            self.send_response(206)
            self.send_header("ETag", '"1"')
            self.send_header("Last-Modified", "Tue, 14 Nov 2023 22:13:20 GMT")
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(content)}")
            self.send_header("Content-Length", str(end - start))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content[start:end])

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    port.value = server.server_address[1]
    server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    delay = multiprocessing.Value("d", 0.0)
    count, port = multiprocessing.Value("i", 0), multiprocessing.Value("i", 0)
    server = multiprocessing.Process(target=serve, args=(arguments.file, delay, count, port), daemon=True)
    server.start()
    while not port.value:
        time.sleep(0.05)
    url = f"http://127.0.0.1:{port.value}/{arguments.file.name}"
    size = arguments.file.stat().st_size
    names = pa.table(parquet.read_table(arguments.file)).column_names
    print(f"{size / 1e6:.0f} MB, {len(names)} columns\n")
    print("| | all columns, s | MB/s | requests | three columns, s | requests |\n|---|--:|--:|--:|--:|--:|")
    some = [names[0], names[len(names) // 2], names[-1]]
    for name, source, seconds in [
        ("disk", str(arguments.file), 0.0),
        ("server", url, 0.0),
        ("server, 20 ms later", url, 0.02),
    ]:
        cells = []
        for columns in (None, some):
            rounds = []
            for _ in range(3):
                delay.value, count.value = seconds, 0
                start = time.perf_counter()
                parquet.read_table(source, columns=columns, threads=arguments.threads)
                rounds.append((time.perf_counter() - start, count.value))
            best, requests = min(rounds)
            cells.append((best, requests))
        (whole, requests), (part, requests_of_part) = cells
        speed = size / 1e6 / whole
        print(f"| {name} | {whole:.3f} | {speed:.0f} | {requests} | {part:.3f} | {requests_of_part} |", flush=True)
    server.kill()


if __name__ == "__main__":
    main()
