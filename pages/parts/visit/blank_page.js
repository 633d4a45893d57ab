// Loads the page anew where it went blank: Streamlit's own script takes everything away when an
// answer of the server does not fit what it has drawn, now and then after a page was loaded anew.
// The visit is found again by the tab's key. Twice within a while, it says so instead.
const FELL = "mapdp_studio_fell", AGAIN = 10_000;
const SENTENCE = "This page could not be drawn. Nothing you have done is lost: load it anew.";

function mend(root) {
    const before = Number(sessionStorage.getItem(FELL) ?? 0);
    sessionStorage.setItem(FELL, Date.now());
    if (Date.now() - before > AGAIN) location.reload();
    else root.append(Object.assign(document.createElement("p"), { textContent: SENTENCE }));
}

// It outlives the page that it stands on, and so is begun once.
export default function () {
    const root = document.getElementById("root");
    if (root === null || root.dataset.watched) return;
    root.dataset.watched = "";
    new MutationObserver(() => root.childElementCount || mend(root))
        .observe(root, { childList: true });
}
