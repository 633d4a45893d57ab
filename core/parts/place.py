"""Files and folders by their addresses: on this computer, or in a store that all workers reach.

Keys to a store come from the environment of each process alone (AWS_ACCESS_KEY_ID and
AWS_SECRET_ACCESS_KEY, GOOGLE_APPLICATION_CREDENTIALS, or what the machine was given). An address
that holds one is refused by a sentence that does not repeat it, and what a store says of an error
is not passed on but for its code.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit
from urllib.request import url2pathname

import pyarrow as pa
from pyarrow import fs

from ..reading.read_options import TableError
from .ranges import RangedFile, facts_of_page
from .whole_file import written_whole

#: Addresses of stores that are read and written, and of pages, which are read.
STORES, PAGES = ("s3", "gs"), ("https", "http")
#: What may follow the "?" of a store's address: nothing that is a secret.
OPTIONS = {"region", "scheme", "endpoint_override"}
#: Seconds to wait before what a store refused is asked for once more.
WAITS = (0.2, 1.0, 5.0)
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/{1,3}(?!/)")

T = TypeVar("T")


@dataclass(frozen=True)
class Place:
    """A file or folder; workers are told its address and open it themselves."""

    #: A path, or as s3://bucket/folder.
    address: str
    #: Of a store: region, endpoint_override and scheme, as they follow a "?".
    options: str = field(default="", repr=False)

    def __truediv__(self, name: str) -> Place:
        if self.is_local:
            return Place(str(Path(self.address) / name))
        return Place(f"{self.address.rstrip('/')}/{name}", self.options)

    def __str__(self) -> str:
        return self.address

    @property
    def with_options(self) -> str:
        """What ``place_of`` makes the same of."""
        return self.address + (f"?{self.options}" if self.options else "")

    @property
    def name(self) -> str:
        """The last part of the address."""
        return Path(self.address).name

    @property
    def scheme(self) -> str:
        """As "s3"; "" on this computer."""
        return self.address.partition("://")[0] if "://" in self.address else ""

    @property
    def is_local(self) -> bool:
        """Whether it is on this computer."""
        return not self.scheme

    def open(self) -> Any:
        """A file to be read here and there."""
        if self.scheme in PAGES:
            return pa.PythonFile(RangedFile(self.address), mode="r")
        return self._files.open_input_file(self._path)

    def read(self) -> bytes:
        """All of a file."""

        def whole() -> bytes:
            with self.open() as file:
                return file.read()

        return self.patiently(whole)

    def write(self, data: Any) -> None:
        """Write a file, so that it is there whole or not at all."""
        if self.is_local:
            with written_whole(Path(self.address)) as local:
                local.write(data)
            return

        def whole() -> None:
            with self._files.open_output_stream(self._path) as file:
                file.write(data)

        self.patiently(whole)

    def is_file(self) -> bool:
        """Whether there is such a file."""
        if self.scheme in PAGES:
            return True
        found = self.patiently(lambda: self._files.get_file_info(self._path))
        return found.type == fs.FileType.File

    def facts(self) -> tuple[Any, ...]:
        """What changes with a file: its size, and when it was written."""
        if self.scheme in PAGES:
            return self.patiently(lambda: facts_of_page(self.address))
        found = self.patiently(lambda: self._files.get_file_info(self._path))
        return found.size, found.mtime_ns

    def below(self) -> list[Place]:
        """All files in a folder and its folders, in the order of their names; none without it."""
        if self.scheme in PAGES:
            return []
        selector = fs.FileSelector(self._path, allow_not_found=True, recursive=True)
        found = self.patiently(lambda: self._files.get_file_info(selector))
        paths = sorted(Path(one.path) for one in found if one.type == fs.FileType.File)
        return [self / path.relative_to(self._path).as_posix() for path in paths]

    def remove(self) -> None:
        """Remove a folder and all in it, as far as that can be."""
        with suppress(OSError, TableError):
            if self.is_local:
                shutil.rmtree(self.address)
            else:
                self._files.delete_dir(self._path)

    def patiently(self, do: Callable[[], T]) -> T:
        """Do something, again after a while where a store or the line to it failed.

        Raises
        ------
        TableError
            It failed every time.
        """
        for wait in (*WAITS, None):
            try:
                return do()
            except OSError as error:
                if self.is_local or isinstance(error, FileNotFoundError):
                    raise
                if wait is None:
                    raise self.failed(error) from None
                time.sleep(wait)
        raise AssertionError

    def failed(self, error: Exception) -> TableError:
        """What to say where it cannot be read or written: nothing that a store said but a code."""
        code = re.search(r"AWS Error ([A-Z_]+)|HTTP \w+ (\d+)", str(error))
        why = next(filter(None, code.groups())) if code else type(error).__name__
        return TableError(
            f"{self} cannot be read or written ({why}): look at the address, the line, and whether"
            " the keys to it are in the environment of every worker."
        )

    @property
    def _files(self) -> fs.FileSystem:
        if self.is_local:
            return fs.LocalFileSystem()
        # A process that was forked makes a client of its own.
        return _store(self.scheme, urlsplit(self.address).netloc, self.options, os.getpid())

    @property
    def _path(self) -> str:
        return self.address if self.is_local else self.address.partition("://")[2].rstrip("/")


@lru_cache(maxsize=8)
def _store(scheme: str, bucket: str, options: str, process: int) -> fs.FileSystem:
    uri = f"{scheme}://{bucket}" + (f"?{options}" if options else "")
    return fs.FileSystem.from_uri(uri)[0]


def place_of(given: str | Path | Place) -> Place:
    """Where a path or an address leads.

    Raises
    ------
    TableError
        An address of another kind, or with a key in it.
    """
    if isinstance(given, Place):
        return given
    text = str(given)
    found = _ADDRESS.match(text)
    if found is None:
        return Place(text)
    # A path that was made of an address has lost a slash.
    scheme, rest = found[1].lower(), text[found.end() :]
    if scheme == "file":
        return Place(url2pathname("/" + rest.removeprefix("localhost/")))
    if scheme not in STORES + PAGES:
        raise TableError(
            f"Addresses of {scheme}:// are not read: take a path, or one of s3://, gs://, https://"
            " or file://."
        )
    parts = urlsplit(f"{scheme}://{rest}")
    _refuse_keys(scheme, parts.netloc, parts.query)
    return Place(f"{scheme}://{parts.netloc}{parts.path}", parts.query)


def folder_to_write(given: str | Path) -> Place:
    """Where a path or an address leads that can be written to.

    Raises
    ------
    TableError
        It cannot.
    """
    place = place_of(given)
    if place.scheme in PAGES:
        raise TableError(f"{place} cannot be written: name a folder, or one of s3:// or gs://.")
    return place


def _refuse_keys(scheme: str, host: str, query: str) -> None:
    """Refuse an address with a key in it, in words that do not repeat it."""
    asked = {name for name, _ in parse_qsl(query, keep_blank_values=True)}
    host = host.removeprefix("anonymous@") if scheme == "gs" else host
    is_page = scheme in PAGES
    port = re.fullmatch(r"[^:@]*(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?", host)
    if "@" in host or (":" in host and not is_page) or (is_page and not port):
        raise TableError(
            f"The address of {scheme}:// holds a name or a key: leave it out, and give the key in"
            " the environment, as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or"
            " GOOGLE_APPLICATION_CREDENTIALS."
        )
    if is_page and query:
        raise TableError(
            f"The address of {scheme}:// goes on after a '?', where keys are written: name one"
            " without, or load the file first."
        )
    if not is_page and asked - OPTIONS:
        raise TableError(
            f"The address of {scheme}:// may say {', '.join(sorted(OPTIONS))} after its '?', and"
            " nothing else: keys are given in the environment."
        )
