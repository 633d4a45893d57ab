// Keeps a random key in the browser's tab, and tells the server: with it what else the tab keeps.
const NAME = "mapdp_studio_tab", DECIDED = "mapdp_studio_decided";

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
}
