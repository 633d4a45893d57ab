// Keeps a random key in the browser's tab, and tells the server: with it what else the tab keeps.
// Told again when a line that was cut is back, for the server may have been started anew meanwhile,
// and the page would go on showing what is not there any more.
const NAME = "mapdp_studio_tab", DECIDED = "mapdp_studio_decided";
const STATE = "data-test-connection-state";
let watch = null, times = 0;

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
    const tell = () => {
        const decided = sessionStorage.getItem(DECIDED) ?? "";
        setStateValue("tab", { key, decided, times });
    };
    if (key !== data.told) tell();

    const app = document.querySelector('[data-testid="stApp"]');
    watch?.disconnect();
    watch = new MutationObserver((changes) => {
        const wasCut = changes.some((change) => change.oldValue !== "CONNECTED");
        if (!wasCut || app.getAttribute(STATE) !== "CONNECTED") return;
        times += 1;
        tell();
    });
    watch.observe(app, { attributeFilter: [STATE], attributeOldValue: true });
    return () => watch.disconnect();
}
