"""A page of the web that is read here and there, by ranges of its bytes."""

from __future__ import annotations

import io
from errno import ENOENT
from http import HTTPStatus
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

#: Seconds without a byte after which a line counts as cut.
PATIENCE = 60.0


class RangedFile(io.RawIOBase):
    """A page, as a file; nothing of it is kept.

    Parameters
    ----------
    address : str
        Of https:// or http://, whose server gives ranges.
    """

    def __init__(self, address: str) -> None:
        self.address, self._place = address, 0
        with _asked(address, 0, 1) as answer:
            self.size = int(answer.headers["Content-Range"].rpartition("/")[2])

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def tell(self) -> int:
        """Bytes before the next one."""
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a byte."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self.size}[whence]
        self._place = max(start + offset, 0)
        return self._place

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, or as much of it as there are bytes left."""
        n = min(len(buffer), self.size - self._place)
        if n <= 0:
            return 0
        with _asked(self.address, self._place, n) as answer:
            data = answer.read(n)
        if len(data) < n:
            raise ConnectionError("The line was cut.")
        buffer[:n] = data
        self._place += n
        return n


def facts_of_page(address: str) -> tuple[str | None, ...]:
    """What changes with a page: its size, and what its server says of it."""
    with _asked(address, 0, 1) as answer:
        return tuple(answer.headers[name] for name in ("Content-Range", "ETag", "Last-Modified"))


def _asked(address: str, first: int, n: int) -> Any:
    """The answer that holds some bytes of a page."""
    headers = {"Range": f"bytes={first}-{first + n - 1}", "Accept-Encoding": "identity"}
    try:
        answer = urlopen(Request(address, headers=headers), timeout=PATIENCE)
    except HTTPError as error:
        if error.code == HTTPStatus.NOT_FOUND:
            raise FileNotFoundError(ENOENT, "there is no such page", address) from None
        raise
    if answer.status != HTTPStatus.PARTIAL_CONTENT or not answer.headers["Content-Range"]:
        answer.close()
        raise OSError("HTTP status 200")  # the server gives whole files alone
    return answer
