"""What pyproject.toml cannot say: which folders are packages, and where the README's picture lies.

The checkout itself is the package ``mapdp_studio``: those in it are found under that name.

A package index shows pictures by whole addresses only. Whoever publishes knows theirs:

    README_PICTURES=https://raw.example.org/mapdp-studio/v0.2.0/ python -m build
"""

import os
from pathlib import Path

from setuptools import find_packages, setup

readme = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
address = os.environ.get("README_PICTURES", "")
INSIDE = find_packages(include=["core*", "demo_datasets*", "pages*"])

setup(
    packages=["mapdp_studio", *(f"mapdp_studio.{package}" for package in INSIDE)],
    long_description=readme.replace("](.docs/", f"]({address}.docs/"),
    long_description_content_type="text/markdown",
)
