"""One copy of the library in a process, by whichever of its two names it is imported.

The app and a checkout say ``core``, scripts and an installed copy say ``mapdp_studio.core``. As two
copies their classes would differ and the engine would be compiled twice, so the name that comes
second leads to the modules of the first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from types import ModuleType
from typing import Any

PACKAGE = "mapdp_studio"


def one_copy(name: str) -> None:
    """Let the other name of a folder of the library lead to its modules too.

    Called by the folder's ``__init__``; where the other name was there first, this one leads to it.

    Parameters
    ----------
    name : str
        The folder's ``__name__``, such as "core" or "mapdp_studio.core".

    Raises
    ------
    ImportError
        The other name belongs to another version of the library.
    """
    short = name.removeprefix(f"{PACKAGE}.")
    other = short if name != short else f"{PACKAGE}.{short}"
    folder, loaded = _folder(sys.modules[name]), sys.modules.get(other)
    if getattr(loaded, "__mapdp_studio__", False) and loaded is not sys.modules[name]:
        if not os.path.samefile(_folder(loaded), folder):
            raise ImportError(
                f"{other} is loaded already, from {_folder(loaded)}, and {name} would come from"
                f" {folder}: import from {other} alone."
            )
        sys.modules[name] = loaded
        sys.meta_path.insert(0, _SecondName(name, other, folder))
        return
    sys.modules[name].__mapdp_studio__ = True
    sys.meta_path.insert(0, _SecondName(other, name, folder))


def _folder(module: ModuleType) -> str:
    return os.path.dirname(module.__file__)


class _SecondName(MetaPathFinder, Loader):
    """Finds modules under a second name: the very same modules."""

    def __init__(self, alias: str, name: str, folder: str) -> None:
        self._alias, self._name, self._folder = alias, name, folder
        self._specs: dict[str, ModuleSpec | None] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: Any = None
    ) -> ModuleSpec | None:
        if fullname == PACKAGE and self._alias.startswith(f"{PACKAGE}."):
            return self._package()
        if fullname == self._alias:
            found = PathFinder.find_spec(fullname, path)
            if found is not None and not self._is_this_folder(found):
                return None  # somebody else's package of that name
        elif (
            not fullname.startswith(f"{self._alias}.")
            or sys.modules.get(self._alias) is not sys.modules[self._name]
        ):
            return None
        name = self._name + fullname.removeprefix(self._alias)
        return ModuleSpec(fullname, self, is_package=hasattr(import_module(name), "__path__"))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(self._name + spec.name.removeprefix(self._alias))
        self._specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import has just noted its second name in it.
        module.__spec__ = self._specs.pop(module.__spec__.name)

    def _is_taken(self) -> bool:
        return sys.modules.get(self._alias) is sys.modules[self._name]

    def _is_this_folder(self, spec: ModuleSpec) -> bool:
        folders = spec.submodule_search_locations or ()
        return any(os.path.exists(f) and os.path.samefile(f, self._folder) for f in folders)

    def _package(self) -> ModuleSpec | None:
        """The package around this folder, which in a checkout need not be installed."""
        root = os.path.dirname(self._folder)
        file = os.path.join(root, "__init__.py")
        return spec_from_file_location(PACKAGE, file, submodule_search_locations=[root])
