// Keeps in the browser's tab what was decided there, without a cell of the table.
export default function ({ data }) {
    try {
        if (data.decided) sessionStorage.setItem("mapdp_studio_decided", data.decided);
        else sessionStorage.removeItem("mapdp_studio_decided");
    } catch (error) {
        // There is no room: nothing is better than what was decided long ago.
        sessionStorage.removeItem("mapdp_studio_decided");
    }
}
