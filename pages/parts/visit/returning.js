// Keeps a random key in the browser's tab, tells the server, and says when the tab is closed.
const NAME = "mapdp_studio_tab", DECIDED = "mapdp_studio_decided";

// Where the app begins: its address without the page's own, behind whatever prefix a proxy has.
function root(page) {
    const path = location.pathname.replace(/\/+$/, "");
    return page && path.endsWith(`/${page}`) ? path.slice(0, -page.length - 1) : path;
}

export default function ({ data, setStateValue }) {
    if (data.taken) {
        sessionStorage.removeItem(NAME);
        sessionStorage.removeItem(DECIDED);
    }
    let key = sessionStorage.getItem(NAME);
    if (!key) {
        const bytes = crypto.getRandomValues(new Uint8Array(16));
        key = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
        sessionStorage.setItem(NAME, key);
    }
    if (key !== data.told) {
        setStateValue("tab", { key, decided: sessionStorage.getItem(DECIDED) ?? "" });
    }
    const sayGoodbye = () => navigator.sendBeacon(`${root(data.page)}/goodbye`, key);
    window.addEventListener("pagehide", sayGoodbye);
    return () => window.removeEventListener("pagehide", sayGoodbye);
}
