"""The app's frame: its pages, with their titles, icons and addresses."""

import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_INSTALLED = find_spec("mapdp_studio")
if _INSTALLED is None or Path(_INSTALLED.origin).resolve().parent != _HERE:
    raise SystemExit(
        "MAP-DP Studio is not installed from this folder: run python -m pip install -e"
        f' ".[app]" in {_HERE}.'
    )

# A file of our own: Streamlit fetches emoji and Material page icons from the internet.
ICON = Path(__file__).parent / ".streamlit" / "icon.svg"


def have_a_home() -> None:
    """Let the root be the home of an account that has none: Streamlit looks for settings there."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = os.sep


def keep_uploads_in_memory() -> None:
    """Let an upload on its way lie in memory, where the computer has a folder that does."""
    memory = Path("/dev/shm")
    if "TMPDIR" not in os.environ and memory.is_dir() and os.access(memory, os.W_OK):
        tempfile.tempdir = str(memory)


if not __package__ and __name__ != "__main__":
    # `streamlit run app.py` imports this file for the server, and runs it for every page.
    keep_uploads_in_memory()
    import streamlit as st

    from mapdp_studio.pages.parts.visit.serving import AROUND, answer, lifespan

    app = st.App(__file__, lifespan=lifespan, on_script_error=answer, **AROUND)


def main() -> None:
    """What the console script ``mapdp-studio`` calls: the app, or a command without it."""
    from mapdp_studio.core.command.main import run

    sys.exit(run(sys.argv[1:], serve))


def serve(options: list[str], opened: Path | None) -> None:
    """Serve the app, with a table or a project where one is named."""
    from mapdp_studio.core.optional import require

    require("streamlit", "The app is not installed with the library: it needs")
    from click import ClickException
    from streamlit.web import cli

    have_a_home()
    script = str(Path(__file__).resolve())
    sys.argv = ["streamlit", "run", script, *options, *(["--", str(opened)] if opened else [])]
    try:
        cli.main(standalone_mode=False)
    except ClickException as error:  # which it would print below half a page of usage
        raise ValueError(error.format_message()) from None


def show() -> None:
    """Draw the frame and the page that was asked for."""
    import streamlit as st

    from mapdp_studio.pages import frame, session
    from mapdp_studio.pages.parts.data.source import open_once
    from mapdp_studio.pages.parts.shared.chart import preload
    from mapdp_studio.pages.parts.shared.compute import engine_notice
    from mapdp_studio.pages.parts.shared.kit import BEFORE, PAGE
    from mapdp_studio.pages.parts.visit.visit import bar_place, find_visit, session_bar

    st.set_page_config(page_icon=str(ICON), layout="wide")
    st.logo(str(ICON), size="large")
    sections = {
        "": [
            st.Page("pages/start.py", title="Start", icon=":material/home:", default=True),
            st.Page("pages/teach.py", title="Teach", icon=":material/school:"),
            st.Page("pages/data.py", title="Data", icon=":material/table_chart:"),
            st.Page("pages/compare.py", title="Compare", icon=":material/scatter_plot:"),
            st.Page("pages/clusters.py", title="Clusters", icon=":material/bubble_chart:"),
            st.Page("pages/clinical.py", title="Clinical", icon=":material/clinical_notes:"),
            st.Page("pages/take_away.py", title="Take away", icon=":material/download:"),
        ],
        "More": [
            st.Page("pages/stability.py", title="Stability", icon=":material/verified:"),
            st.Page("pages/views.py", title="Views", icon=":material/view_column:"),
            st.Page("pages/snapshots.py", title="Snapshots", icon=":material/photo_camera:"),
            st.Page("pages/missing.py", title="Missing values", icon=":material/grid_off:"),
            st.Page("pages/new_rows.py", title="New rows", icon=":material/playlist_add:"),
            st.Page("pages/about.py", title="About", icon=":material/info:"),
        ],
    }
    page = st.navigation(sections, position="top")
    bar = bar_place()
    find_visit()
    if len(sys.argv) > 1 and open_once(sys.argv[1]):
        st.switch_page("pages/data.py")
    st.session_state.update({BEFORE: st.session_state.get(PAGE), PAGE: page.url_path})
    body = st.container()
    engine_notice()
    with frame(), body:
        page.run()
    session_bar(session(), bar)
    preload()


if __name__ == "__main__":
    show()
