// Loads the page anew where it went blank or lacks a part. Streamlit's own script takes everything
// away when an answer of the server does not fit what it has drawn, now and then after a page was
// loaded anew; and a part of it that is fetched when it is needed, as charts are, and does not arrive,
// as the line is cut, it never asks for again. The visit is found again by the tab's key. Twice
// within a while, it says so instead.
const FELL = "mapdp_studio_fell", AGAIN = 10_000, BETWEEN_LOOKS = 2_000;
const SENTENCE = "This page could not be drawn. Nothing you have done is lost: load it anew.";

function mend(root) {
    const before = Number(sessionStorage.getItem(FELL) ?? 0);
    sessionStorage.setItem(FELL, Date.now());
    if (Date.now() - before > AGAIN) location.reload();
    else root.append(Object.assign(document.createElement("p"), { textContent: SENTENCE }));
}

// Once the line is back, and what was moved meanwhile has been told and answered.
function mendAtRest(root) {
    const { testConnectionState, testScriptState } =
        document.querySelector('[data-testid="stApp"]')?.dataset ?? {};
    if (testConnectionState === "CONNECTED" && testScriptState === "notRunning") mend(root);
    else setTimeout(mendAtRest, BETWEEN_LOOKS, root);
}

// It outlives the page that it stands on, and so is begun once.
export default function () {
    const root = document.getElementById("root");
    if (root === null || root.dataset.watched) return;
    root.dataset.watched = "";
    new MutationObserver(() => root.childElementCount || mend(root))
        .observe(root, { childList: true });
    const missed = () => setTimeout(mendAtRest, BETWEEN_LOOKS, root);
    window.addEventListener("vite:preloadError", missed, { once: true });
}
