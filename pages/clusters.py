"""Clusters: what each group of the chosen result is like, and why each row is in its group."""

from __future__ import annotations

from mapdp_studio.pages import session
from mapdp_studio.pages.parts.groups.columns import group_columns
from mapdp_studio.pages.parts.groups.how_many import group_number, number_view
from mapdp_studio.pages.parts.groups.merges import group_merges
from mapdp_studio.pages.parts.groups.misfit import group_misfit
from mapdp_studio.pages.parts.groups.profiles import group_profiles
from mapdp_studio.pages.parts.groups.rows import group_rows
from mapdp_studio.pages.parts.shared.chosen import choose_result
from mapdp_studio.pages.parts.shared.kit import draw_tabs, heading

studio = session()
row = heading("Clusters", studio)
chosen = choose_result(studio, row)
if chosen is not None:
    group_number(studio, chosen)
    parts = {
        "Profiles": group_profiles,
        "How many?": number_view,
        "Columns": group_columns,
        "Merge and name": group_merges,
        "Rows": group_rows,
    }
    draw_tabs("clusters_tab", parts, studio, chosen)
    group_misfit(studio, chosen)
