"""The controls of the Teach page: their keys in the session, and where they can stand."""

from __future__ import annotations

VIEW, SCENARIO, STOP, PROJECTOR = "view", "scenario", "lesson", "projector"
#: Number of the choice that was predicted at a lesson's stop, from 1 on.
PREDICTION = "prediction"
VIEWS = (
    *("Watch", "Draw", "Step", "Strips"),
    *("From K-means", "Restaurant"),
)

#: Sliders of a scenario. Their keys differ from Compare's, which has a table of its own.
N_ROWS, N_0, LAMBDA, K, BIC, SEED = "rows", "count", "penalty", "groups", "choose", "draw"
RESTARTS, TOLERANCE = "starts", "power"
#: Whether the table chooses its model with its groups.
CHOSEN = "chosen"
#: The farthest-first penalty that lambda follows until it is moved.
SUGGESTED = "suggested_penalty"
ROWS = [150, 300, 600, 1000, 2000, 4000, 6000, 10_000]
MOST_SEED = 999_999

#: On Watch: K-means' cells, the row to explain, the published MAP-DP beside this library's,
#: and whether wrongly placed rows are lit.
CELLS, ROW, PUBLISHED, LIT = "cells", "row", "published", "lit"
#: On Step, From K-means and Restaurant.
WALK, SIGMA, GUESTS, DISCOUNT = "walk", "sigma", "guests", "discount"
WIDTHS = [1.0, 0.85, 0.7, 0.6, 0.5, 0.42, 0.35, 0.3, 0.25, 0.2, 0.17, 0.14, 0.12, 0.1, 0.08, 0.07]
N_GUESTS = [100, 300, 1000, 4000]
DISCOUNTS = [0.0, 0.1, 0.25, 0.5, 0.75]
#: Wide enough that the round MAP-DP is not yet DP-means, on every scenario but the far outliers.
START_WIDTH = 0.7

#: On Draw: points and centres as texts; the circle of DP-means and the width that
#: MAP-DP expects, in the board's units; the method shown large; the preset it began with.
DRAWN, CENTRES = "drawn", "drawn_centres"
RADIUS, WIDTH, SHOWN, PRESET = "circle", "width_expected", "shown", "preset"
SHOWABLE = {"mapdp": "MAP-DP", "kmeans": "K-means", "dpmeans": "DP-means"}

#: On Step: another run under the same clock, and whether both run on what was drawn.
BESIDE, ON_DRAWING = "beside", "on_drawing"
ALONE = "nothing beside it"
