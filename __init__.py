"""MAP-DP Studio: find groups in mixed tables with missing cells; everything public is here.

    from mapdp_studio import MAPDP, infer_schema, read_table

``mapdp_studio.core`` is the library, ``mapdp_studio.demo_datasets`` the examples, and the command
``mapdp-studio`` the app in the browser.
"""

from typing import TYPE_CHECKING, Any

from . import core
from .core.version import __version__

if TYPE_CHECKING:
    from .core import *  # noqa: F403

__all__ = ["__version__"]
__all__ += core.__all__


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(core, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
