"""The published MAP-DP beside this library's, which searches further."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from mapdp_studio.core.comparing.comparison import FitError, Results
from mapdp_studio.core.comparing.panels import renumbered, titled_panel
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.models.mapdp import MAPDP
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.teaching.published import by_prior_scale, published_mapdp
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.shared.chart import chart
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import halves
from mapdp_studio.pages.parts.shared.theme import colours
from mapdp_studio.pages.parts.teach.settings import Classroom
from mapdp_studio.pages.parts.teach.stage import Stage


def published(room: Classroom, results: Results, stage: Stage) -> None:
    """Both partitions, and which prior scale each of them rests on."""
    task = room.tasks[JUDGE]
    own = results.get(task)
    if own is None or isinstance(own, FitError):
        return
    if room.settings.likelihood_power < 1.0:
        st.caption("The published algorithm knows no tolerance: set that to 1 to compare.")
        return
    about = room.about, room.settings.concentration
    found = get_result(
        session(),
        "published",
        about,
        "The published algorithm",
        lambda job: results.latest("published runs", about, lambda: _fits(room)),
        results,
    )
    if found is None:
        return
    other, scales = found
    names = "MAP-DP, published", "MAP-DP, as in the panels"
    panels = [
        renumbered(
            titled_panel(room.view, METHODS[JUDGE], model, room.truth, name), room.numbers(model)
        )
        for model, name in zip((other, own), names, strict=True)
    ]
    st.subheader("The published algorithm", anchor=False)
    figure, words = halves()
    with figure:
        chart(
            panels_figure(room.view, panels, 2, letters=stage.letters, **colours()).to_json(),
            "published-chart",
            "; ".join(f"{panel.title} ({panel.remark})" for panel in panels),
            {"displayModeBar": False},
        )
    words.markdown(
        f"It moves single rows only, once, in the order of the table: NMI "
        f"{nmi(room.truth.classes, other.labels_):.2f} beside "
        f"{nmi(room.truth.classes, own.labels_):.2f}, E {other.objective_ - own.objective_:+,.1f} "
        "against the search of the panels, which also merges and splits whole clusters and starts "
        "again."
    )
    words.table(_table(scales), border="horizontal", hide_index=True)
    words.caption(
        "The published algorithm under every prior scale. The run of lowest E is taken, in bold: "
        "it need not be the one nearest to the truth."
    )


def _fits(room: Classroom) -> tuple[MAPDP, pd.DataFrame]:
    data = room.encoded, room.schema
    model = published_mapdp(*data, room.settings.concentration)
    return model, by_prior_scale(*data, model, room.truth.classes)


def _table(scales: pd.DataFrame) -> pd.DataFrame:
    cells = pd.DataFrame(
        {
            "Prior scale": [f"{100 * scale:g} %" for scale in scales["scale"]],
            "K": [f"{k:,}" for k in scales["n_clusters"]],
            "E": [f"{objective:,.1f}" for objective in scales["objective"]],
            "NMI": [f"{agreement:.2f}" for agreement in scales["nmi"]],
        }
    )
    bold = scales["is_chosen"].to_numpy()
    cells.loc[bold] = "**" + cells.loc[bold] + "**"
    return cells
