"""A store of objects on this computer, that speaks as much of S3 as is asked of it here.

It keeps what it is given in memory, gives ranges, and may cut every so many lines, some of them in
the middle of an answer. Its clients find it by AWS_ENDPOINT_URL.
"""

from __future__ import annotations

import io
import socket
import threading
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import BinaryIO
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.etree import ElementTree
from xml.sax.saxutils import escape

KEY, SECRET = "AKIAEXAMPLE", "not-to-be-told"
WRITTEN = "2026-01-01T00:00:00.000Z"


class Store(ThreadingHTTPServer):
    """The server, and what is in it."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.objects: dict[str, bytes] = {}
        self.pieces: dict[str, dict[int, bytes]] = {}
        #: Every so many requests a line is cut; 0 cuts none. How many were asked and cut.
        self.cuts_every, self.n_asked, self.n_cut = 0, 0, 0
        #: Said instead of an answer, but of what has none.
        self.refuses = ""
        self.lock = threading.Lock()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def is_cut(self) -> bool:
        with self.lock:
            self.n_asked += 1
            is_cut = bool(self.cuts_every) and self.n_asked % self.cuts_every == 0
            self.n_cut += is_cut
            return is_cut

    def handle_error(self, request, client_address) -> None:
        """Lines that clients cut are of no interest."""


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm, wbufsize = True, -1  # a small answer does not wait for more
    server: Store

    def log_message(self, *args) -> None:
        pass

    def handle_expect_100(self) -> bool:
        is_awaited = super().handle_expect_100()
        self.wfile.flush()
        return is_awaited

    def _begin(self) -> tuple[str, dict[str, str]]:
        """Name of the object, as bucket/key, and what is asked of it; nothing of a cut line."""
        url = urlsplit(self.path)
        asked = {k: v[0] for k, v in parse_qs(url.query, keep_blank_values=True).items()}
        self.cut = self.server.is_cut()
        return unquote(url.path).strip("/"), asked

    def _say(self, body: bytes = b"", status: int = 200, **headers: str) -> None:
        if self.server.refuses and self.command != "HEAD":
            status, body = 403, self.server.refuses.encode()
        if self.cut and self.command != "GET":
            self._cut()
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        self.wfile.write(body[: len(body) // 2] if self.cut else body)
        if self.cut:
            self.wfile.flush()
            self._cut()

    def _cut(self) -> None:
        self.close_connection = True
        # A process that was forked holds the line, too, and closing alone would leave it open.
        self.connection.shutdown(socket.SHUT_RDWR)

    def _body(self) -> bytes:
        if self.headers["Transfer-Encoding"] == "chunked":
            data = _unchunked(self.rfile)
        else:
            data = self.rfile.read(int(self.headers["Content-Length"] or 0))
        is_chunked = "aws-chunked" in (self.headers["Content-Encoding"] or "")
        return _unchunked(io.BytesIO(data)) if is_chunked else data

    def do_HEAD(self) -> None:
        self._find()

    def do_GET(self) -> None:
        self._find()

    def _find(self) -> None:
        name, asked = self._begin()
        if "/" not in name:
            self._list(name, asked) if asked else self._say()
            return
        data = self.server.objects.get(name)
        if data is None:
            self._say(b"", HTTPStatus.NOT_FOUND)
            return
        facts = {"ETag": f'"{hash(data)}"', "Last_Modified": "Thu, 01 Jan 2026 00:00:00 GMT"}
        if self.headers["Range"]:
            first, last = self.headers["Range"].removeprefix("bytes=").split("-")
            end = min(int(last or len(data)), len(data) - 1)
            facts["Content_Range"] = f"bytes {first}-{end}/{len(data)}"
            self._say(data[int(first) : end + 1], HTTPStatus.PARTIAL_CONTENT, **facts)
        else:
            self._say(data, **facts, Content_Length=str(len(data)))

    def _list(self, bucket: str, asked: dict[str, str]) -> None:
        prefix, delimiter = asked.get("prefix", ""), asked.get("delimiter", "")
        keys = sorted(
            n.partition("/")[2] for n in self.server.objects if n.startswith(bucket + "/")
        )
        files, folders = [], []
        for key in keys:
            rest = key.removeprefix(prefix)
            if key.startswith(prefix) and delimiter and delimiter in rest:
                folders.append(prefix + rest.partition(delimiter)[0] + delimiter)
            elif key.startswith(prefix):
                files.append(key)
        files = files[: int(asked.get("max-keys", "1000"))]
        said = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>{WRITTEN}</LastModified>"
            f"<Size>{len(self.server.objects[f'{bucket}/{key}'])}</Size></Contents>"
            for key in files
        )
        said += "".join(
            f"<CommonPrefixes><Prefix>{escape(folder)}</Prefix></CommonPrefixes>"
            for folder in dict.fromkeys(folders)
        )
        self._say(
            f"<ListBucketResult><IsTruncated>false</IsTruncated><KeyCount>{len(files)}</KeyCount>"
            f"{said}</ListBucketResult>".encode()
        )

    def do_PUT(self) -> None:
        name, asked = self._begin()
        data = self._body()
        if not self.cut and not self.server.refuses:
            if "partNumber" in asked:
                self.server.pieces[asked["uploadId"]][int(asked["partNumber"])] = data
            else:
                self.server.objects[name] = data
        self._say(ETag=f'"{hash(data)}"')

    def do_POST(self) -> None:
        name, asked = self._begin()
        data = self._body()
        if "uploads" in asked:
            upload = quote(f"{name}-{self.server.n_asked}", safe="")
            self.server.pieces[upload] = {}
            said = f"<UploadId>{escape(upload)}</UploadId>"
            self._say(
                f"<InitiateMultipartUploadResult>{said}</InitiateMultipartUploadResult>".encode()
            )
        elif "uploadId" in asked:
            if not self.cut:
                pieces = self.server.pieces.pop(asked["uploadId"], {})
                self.server.objects[name] = b"".join(pieces[n] for n in sorted(pieces))
            self._say(b"<CompleteMultipartUploadResult></CompleteMultipartUploadResult>")
        else:
            keys = [e.text for e in ElementTree.fromstring(data).iter() if e.tag.endswith("Key")]
            for key in keys:
                self.server.objects.pop(f"{name}/{key}", None)
            self._say(b"<DeleteResult></DeleteResult>")

    def do_DELETE(self) -> None:
        name, _ = self._begin()
        self.server.objects.pop(name, None)
        self._say(status=HTTPStatus.NO_CONTENT)


def _unchunked(file: BinaryIO) -> bytes:
    """What comes in pieces, each after its size, and some facts after the last one."""
    pieces = []
    while size := int(file.readline().split(b";")[0], 16):
        pieces.append(file.read(size))
        file.readline()
    while file.readline().strip():
        pass
    return b"".join(pieces)


@contextmanager
def store(monkeypatch):
    """A store that runs, and keys to it in the environment."""
    server = Store()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    for name, value in {
        "AWS_ENDPOINT_URL": server.address,
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
