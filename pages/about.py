"""About: what the words mean, how to cite, where data go."""

import streamlit as st

from mapdp_studio.core.teaching.glossary import words
from mapdp_studio.core.wording import CAVEAT
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.shared.kit import halves
from mapdp_studio.pages.parts.visit.visit import HOW_LONG

CITING = (
    "MAP-DP: Raykov YP, Boukouvalas A, Baig F, Little MA. What to do when K-means clustering "
    "fails: a simple yet principled alternative algorithm. PLoS ONE 2016; 11(9): e0162259, "
    "[doi:10.1371/journal.pone.0162259](https://doi.org/10.1371/journal.pone.0162259).\n\n"
    "DP-means: Kulis B, Jordan MI. Revisiting k-means: new algorithms via Bayesian "
    "nonparametrics. ICML 2012.\n\n"
    "Name the program (MAP-DP Studio), the columns and their likelihoods, N\u2080, the number of "
    "restarts and the seed: the report of the Take away page lists them."
)
DATA = (
    f"- A table stays {HOW_LONG} If the server is started anew it is gone: **Save the project** "
    "keeps it in a file of yours. A copy of a tab shares its table.\n"
    "- Nothing is sent anywhere, or written to disk but for an Excel file while it is being made "
    "and, where there is no /dev/shm, an SPSS file, and a file on its way here.\n"
    "- Links hold the sliders, and nothing of the table.\n"
    "- **Forget my data**, under the shield in the top bar, removes everything at once.\n"
    "- Model and settings files hold names, levels and sums, but no rows: treat those of patient "
    "data as you treat summaries of it."
)


session()
st.title("About", anchor=False)
left, right = halves()
with left:
    st.subheader("What the words mean", anchor=False)
    st.markdown("\n\n".join(f"**{word}**  \n{text}" for word, text in words().items()))
with right:
    st.subheader("How to cite", anchor=False)
    st.markdown(CITING)
    st.subheader("Your data", anchor=False)
    st.markdown(DATA)
    st.caption(CAVEAT)
