"""Calls all methods of ThriftTest and SecondService over TCP, with Apache Thrift's C++ library on the other side, in
both directions. The program of that side is `services.cpp`."""

import itertools
import os
import re
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
IDL = HERE.parents[1] / "crates/bytelane-thrift-build/tests/idl/thrift_test.thrift"
OURS = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane-interop-services"


def build(directory):
    """Builds the program of Apache's side. Debian's compiler and library do not support uuid."""
    idl = directory / "thrift_test.thrift"
    idl.write_text(re.sub(r"\n  uuid testUuid.*", "", IDL.read_text()))
    subprocess.run(["thrift", "--gen", "cpp:no_skeleton", "-out", directory, idl], check=True)
    program = directory / "services"
    sources = [HERE / "services.cpp", *directory.glob("*.cpp")]
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", directory]
    subprocess.run(["g++", *flags, *sources, "-lthrift", "-o", program], check=True)
    return program


def exchange(server, client, arguments, more=()):
    with subprocess.Popen([server, "serve", *arguments], stdout=subprocess.PIPE) as serving:
        try:
            port = serving.stdout.readline().decode().strip()
            subprocess.run([client, "call", *arguments, port, *more], check=True, timeout=60)
            assert serving.wait(10) == 0, f"the server failed: {server.name} {arguments}"
        finally:
            serving.kill()


def main():
    count = 0
    with tempfile.TemporaryDirectory() as directory:
        theirs = build(Path(directory))
        for arguments in itertools.product(
            ["binary", "compact"], ["framed", "buffered"], ["extended", "second"]
        ):
            exchange(theirs, OURS, arguments, ["--without-uuid"])
            exchange(OURS, theirs, arguments)
            count += 2
    print(f"{count} exchanges with Apache Thrift's library for C++")


if __name__ == "__main__":
    main()
