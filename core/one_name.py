"""One copy of the library in a process, by whichever of its two names it is imported.

The app and a checkout say ``core``, scripts and an installed copy say ``mapdp_studio.core``. As two
copies their classes would differ and the engine would be compiled twice, so the name that comes
second leads to the modules of the first. Only the folders of the library are told so, by the
finders that Python keeps for them (``sys.path_importer_cache``): no import of anything else comes
by here, and where ``mapdp_studio`` is the only name in use nothing is changed.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    SOURCE_SUFFIXES,
    FileFinder,
    ModuleSpec,
    SourceFileLoader,
    SourcelessFileLoader,
)
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

PACKAGE = "mapdp_studio"
_LOADERS = (SourceFileLoader, SOURCE_SUFFIXES), (SourcelessFileLoader, BYTECODE_SUFFIXES)


def one_copy(name: str) -> None:
    """Let the other name of a folder of the library lead to its modules too.

    Called at the end of the folder's ``__init__``; where the other name was there first, this one
    leads to it.

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
    here, loaded = sys.modules[name], sys.modules.get(other)
    if getattr(loaded, "__mapdp_studio__", False):
        if not os.path.samefile(_folder(loaded), _folder(here)):
            raise ImportError(
                f"{other} is loaded already, from {_folder(loaded)}, and {name} would come from"
                f" {_folder(here)}: import from {other} alone."
            )
        sys.modules.pop(__name__ if __name__.startswith(f"{name}.") else "", None)
        _lead(name, other, loaded)
        return
    here.__mapdp_studio__ = True
    if name == short and _is_around(here):
        _lead(other, name, here)
        _package(here)


def _folder(module: ModuleType) -> str:
    return os.path.dirname(module.__file__)


def _lead(second: str, first: str, module: ModuleType) -> None:
    """Let a second name lead to a module and, of a package, to all that is in it."""
    sys.modules[second] = module
    for folder in getattr(module, "__path__", ()):
        sys.path_importer_cache[folder] = _SecondName(second, first, folder)


def _is_around(module: ModuleType) -> bool:
    """Whether the package around a folder is this one, or can be: none of that name is loaded."""
    root = os.path.dirname(_folder(module))
    package = sys.modules.get(PACKAGE)
    if package is not None:
        return os.path.samefile(_folder(package), root)
    return os.path.exists(os.path.join(root, "__init__.py"))


def _package(module: ModuleType) -> None:
    """Load the package around a folder, which in a checkout need not be installed."""
    if PACKAGE in sys.modules:
        return
    root = os.path.dirname(_folder(module))
    file = os.path.join(root, "__init__.py")
    spec = spec_from_file_location(PACKAGE, file, submodule_search_locations=[root])
    sys.modules[PACKAGE] = package = module_from_spec(spec)
    spec.loader.exec_module(package)


class _SecondName(FileFinder):
    """Finds the modules of one folder; under a second name the very same modules."""

    def __init__(self, second: str, first: str, folder: str) -> None:
        super().__init__(folder, *_LOADERS)
        self._second, self._first = second, first
        self._specs: dict[str, ModuleSpec | None] = {}

    def find_spec(self, fullname: str, target: Any = None) -> ModuleSpec | None:
        if not fullname.startswith(f"{self._second}."):
            return super().find_spec(fullname, target)
        found = super().find_spec(self._name(fullname), target)
        if found is None:
            return None
        return ModuleSpec(fullname, self, is_package=found.submodule_search_locations is not None)

    def _name(self, fullname: str) -> str:
        return self._first + fullname.removeprefix(self._second)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(self._name(spec.name))
        self._specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import has just noted its second name in it.
        second = module.__spec__.name
        module.__spec__ = self._specs.pop(second)
        _lead(second, self._name(second), module)
