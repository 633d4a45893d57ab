// Keeps a random key in the browser's tab, and tells the server.
export default function ({ data, setStateValue }) {
    const name = "mapdp_studio_tab";
    let key = data.taken ? null : sessionStorage.getItem(name);
    if (!key) {
        const bytes = crypto.getRandomValues(new Uint8Array(16));
        key = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
        sessionStorage.setItem(name, key);
    }
    if (key !== data.told) setStateValue("key", key);
}
