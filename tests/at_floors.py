"""Install every dependency at the lowest version that pyproject.toml allows, and run the suite.

python tests/at_floors.py [folder for the environment] [arguments of pytest]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def requirements() -> list[str]:
    """The floors, such as "pandas==2.2.2", and what the tests need beside."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    allowed = [*project["dependencies"], *extras["app"], *extras["scale"]]
    floors = (name.partition(",")[0].replace(">=", "==") for name in allowed)
    return [*floors, *(name for name in extras["test"] if not name.startswith(project["name"]))]


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="floors-"))
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        for asked in (requirements(), ["--no-deps", "-e", str(ROOT)]):
            subprocess.run([python, "-m", "pip", "install", "-q", *asked], check=True)
    return subprocess.run([python, "-m", "pytest", *sys.argv[2:]], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
