"""How rows are marked in a figure of panels, and how far the others step back."""

#: Plotly's ways to drag over a figure; a click on a point counts in the first one alone.
DRAGS = {"zoom": "Click or zoom", "select": "Box", "lasso": "Lasso"}
FAINT = 0.12
