"""What pyproject.toml cannot say: where the README's pictures lie for who reads it elsewhere.

A package index shows pictures by whole addresses only. Whoever publishes knows theirs:

    README_PICTURES=https://raw.example.org/mapdp-studio/v0.2.0/ python -m build
"""

import os
from pathlib import Path

from setuptools import setup

readme = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
address = os.environ.get("README_PICTURES", "")

setup(
    long_description=readme.replace("](.docs/", f"]({address}.docs/"),
    long_description_content_type="text/markdown",
)
