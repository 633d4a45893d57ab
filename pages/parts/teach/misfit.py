"""Three groups that no normal model describes, and K against the tolerance for that."""

from __future__ import annotations

import streamlit as st

from core import MAPDP, tolerance_path
from core.models.tolerance import TolerancePath
from core.plots.tolerance import tolerance_figure
from core.session.jobs import Job
from demo_datasets.misfit import NOISES, load_misfit
from pages import Session
from pages.parts.shared.background import in_background
from pages.parts.shared.kit import choose_one
from pages.parts.shared.picture import picture

TRUE_K = 3


def misfit(studio: Session) -> None:
    """Measure and draw K against the tolerance for one of the noises."""
    st.subheader("MAP-DP: K against the tolerance for misfit", anchor=False)
    noise = choose_one("Three groups, 12 standard deviations apart, with", list(NOISES), "misfit")

    def follow(job: Job) -> TolerancePath:
        frame, _ = load_misfit(noise)
        return tolerance_path(MAPDP(random_state=0).fit(frame, callback=job), callback=job)

    path = in_background(studio, "misfit tolerance", noise, "Groups as tolerance rises", follow)
    if path is None:
        return
    said = _in_words(path)
    picture(tolerance_figure(path, 1.0, TRUE_K), "strip-misfit", said, "k-against-tolerance")
    st.caption(said)


def _in_words(path: TolerancePath) -> str:
    """What the strip shows, measured."""
    fitted, counted = int(path.labels[0].max()) + 1, int(path.n_clusters[0])
    said = (
        f"The model is normal and the groups are not: with every deviation counted (1) MAP-DP "
        f"finds {fitted:,} groups, {counted:,} of them of at least 5 rows and 1 % of all."
    )
    if path.plateau is None:
        return f"{said} No groups stay as the tolerance rises."
    (high, low), staying = path.plateau, int(path.n_clusters[path.proposed])
    return (
        f"{said} As the tolerance rises, the same {staying:,} groups stay from {high:.2g} to "
        f"{low:.2g}, shaded; the dotted line is the true K = {TRUE_K}."
    )
