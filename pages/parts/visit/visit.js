// Keeps a random key in the browser's tab, and tells the server: a reload finds the visit by it.
const NAME = "mapdp_studio_tab";

export default function ({ data, setStateValue }) {
    let key = sessionStorage.getItem(NAME);
    if (!key) {
        const bytes = crypto.getRandomValues(new Uint8Array(16));
        key = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
        sessionStorage.setItem(NAME, key);
    }
    if (key !== data.current) setStateValue("key", key);
}
