"""Room for files on their way: what those of all visitors may take before they are read."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

from mapdp_studio.pages.parts.shared.uploads import room

_UPLOADS = "/_stcore/upload_file/"
#: "Insufficient storage": cut_uploads.js has the sentence.
NO_ROOM = 507


class NoRoom(Exception):
    """What comes in is more than there is room for."""


class BoundedUploads:
    """Takes a file while there is room for it beside all tables, files and others on their way."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._on_their_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "PUT" or _UPLOADS not in scope["path"]:
            await self._app(scope, receive, send)
            return
        told = Headers(scope=scope).get("content-length", "0")
        came, has_begun = 0, False

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            size = len(message.get("body", b""))
            came += size
            self._on_their_way += size
            if self._is_over(0):
                raise NoRoom
            return message

        async def noted(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            if self._is_over(int(told) if told.isdecimal() else 0):
                raise NoRoom
            await self._app(scope, counted, noted)
        except NoRoom:
            if not has_begun:
                answer = PlainTextResponse("There is no room for this file now.", NO_ROOM)
                await answer(scope, receive, send)
        finally:
            self._on_their_way -= came

    def _is_over(self, more: int) -> bool:
        return self._on_their_way + more + held() > room().most


def held() -> int:
    """Bytes of the tables that are open and of the files that the server keeps."""
    families = runtime.get_instance().uploaded_file_mgr.get_stats().values()
    return room().held + sum(stat.byte_length for stats in families for stat in stats)
