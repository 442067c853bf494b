"""Files of the file systems of pyarrow and fsspec."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from .._protocols import BinaryFile, BinarySink, Path


def resolved(filesystem: object) -> Any:
    """Returns a file system, also one that is given as a URI."""
    if not isinstance(filesystem, str):
        return filesystem
    import pyarrow.fs

    inner, path = pyarrow.fs.FileSystem.from_uri(filesystem)
    return pyarrow.fs.SubTreeFileSystem(path, inner)


def local_path(path: Path, filesystem: Any) -> Path | None:
    """Returns the path on disk of a file in a file system; `None` if it is not on a disk."""
    if filesystem is None:
        is_uri = isinstance(path, str) and path.startswith("file://")
        return unquote(urlsplit(os.fspath(path)).path) if is_uri else path
    name: Any = getattr(filesystem, "type_name", None) or getattr(filesystem, "protocol", ())
    if name == "local" or "file" in name:
        return path
    if name == "subtree":
        return local_path(os.path.join(filesystem.base_path, os.fspath(path)), filesystem.base_fs)
    return None


def opened(source: Any, filesystem: object) -> Any:
    """Returns paths on disk instead of paths in a file system; opens a file that is not on a disk, for reading."""
    filesystem = resolved(filesystem)
    if isinstance(source, str | os.PathLike):
        local = local_path(source, filesystem)
        return _file(os.fspath(source), filesystem) if local is None else local
    if isinstance(source, Sequence) and not isinstance(source, bytes | bytearray | memoryview):
        paths = [local_path(path, filesystem) for path in source]
        if None in paths:
            if len(paths) == 1:
                return _file(os.fspath(source[0]), filesystem)
            raise NotImplementedError(f"several files are read from disks and object stores, not from {filesystem}")
        return paths
    if filesystem is not None:
        raise ValueError("filesystem is only for paths; leave it out if the source is a file or bytes")
    if isinstance(source, bytes | bytearray | memoryview) or hasattr(source, "read"):
        return source
    try:
        return memoryview(source)
    except TypeError:
        return source


def _file(path: str, filesystem: Any) -> BinaryFile:
    if not hasattr(filesystem, "open_input_file"):
        other: BinaryFile = filesystem.open(path, "rb")
        return other
    if filesystem.get_file_info(path).type.name == "Directory":
        raise NotImplementedError(
            f"{path} is a directory; directories are read from disks, and from object stores by their URLs, not from {filesystem}"
        )
    file: BinaryFile = filesystem.open_input_file(path)
    return file


class Sink:
    """Destination of a file, which is closed at the end if it was opened here."""

    def __init__(self, where: Path | BinarySink, filesystem: object) -> None:
        self._file: Any = None
        self._target = where
        files = resolved(filesystem)
        if not isinstance(where, str | os.PathLike):
            if files is not None:
                raise ValueError("filesystem is only for paths; leave it out if the file is open")
            return
        local = local_path(where, files)
        if local is not None:
            self._target = local
        elif hasattr(files, "open_output_stream"):
            self._target = self._file = files.open_output_stream(os.fspath(where), compression=None)
        else:
            self._target = self._file = files.open(os.fspath(where), "wb")

    def __enter__(self) -> Path | BinarySink:
        return self._target

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file if it was opened here."""
        if self._file is not None:
            self._file.close()
