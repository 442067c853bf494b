"""A proxy in front of a server on this machine, which lets requests fail in chosen ways."""

from __future__ import annotations

import http.client
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Callable

# Headers of one connection, which a proxy does not pass on.
HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}


class FaultProxy:
    """Passes requests on to a port. `fault` is called with the method and the path of each, and returns the name of a
    fault or None: "dropped", "lost", "truncated", "busy" or "slow"."""

    def __init__(self, port: int, fault: Callable[[str, str], str | None]) -> None:
        self.fault = fault
        self.count: dict[str, int] = {}
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except OSError:
                    self.close_connection = True

            def pass_on(self) -> None:
                kind = proxy.fault(self.command, self.path)
                if kind is not None:
                    proxy.count[kind] = proxy.count.get(kind, 0) + 1
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if kind == "dropped":
                    return self.close()
                if kind == "busy":
                    return self.answer(503, [], b"<Error><Code>SlowDown</Code></Error>")
                if kind == "slow":
                    time.sleep(0.3)
                server = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP}
                server.request(self.command, self.path, body, headers)
                answer = server.getresponse()
                content = answer.read()
                server.close()
                if kind == "lost":
                    return self.close()
                self.answer(answer.status, answer.getheaders(), content, kind == "truncated")

            do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = pass_on  # noqa: N815

            def answer(
                self,
                status: int,
                headers: list[tuple[str, str]],
                content: bytes,
                is_cut: bool = False,
            ) -> None:
                self.send_response(status)
                length = str(len(content))
                for name, value in headers:
                    if name.lower() == "content-length":
                        length = value
                    if name.lower() not in HOP:
                        self.send_header(name, value)
                self.send_header("Content-Length", length)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content[: len(content) // 2] if is_cut else content)
                if is_cut:
                    self.close()

            def close(self) -> None:
                self.close_connection = True
                self.connection.close()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port: int = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
