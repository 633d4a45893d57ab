// Says in a sentence, below its uploader, why a file did not arrive: Streamlit marks it in red and
// gives the name of its error.
const CUT =
    "The connection was lost before the whole file had arrived: remove it and choose it again.";
const NO_ROOM = "There is no room for this file beside those of others: try again later, or with "
    + "fewer rows.";
const STYLE = `[data-why]::after { content: attr(data-why); color: var(--why); font-size: 0.875rem; }`;

function sentence(text) {
    const status = /status code (\d+)/.exec(text);
    if (status?.[1] === "507") return NO_ROOM;
    return status === null ? CUT
        : `The server did not take this file (answer ${status[1]}): load the page anew and choose it again.`;
}

// What was said by an error's name is said in a sentence; React keeps its nodes.
function said(element) {
    const why = element.dataset.said ?? sentence(element.textContent);
    const nodes = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    nodes.forEach((node, place) => { node.data = place ? "" : why; });
    return why;
}

function mend() {
    for (const uploader of document.querySelectorAll('[data-testid="stFileUploader"]')) {
        const alert = [...uploader.querySelectorAll('[data-testid="stFileChip"] [role="alert"]')]
            .find((one) => one.textContent.includes("AxiosError") || one.dataset.said);
        if (alert === undefined) {
            delete uploader.dataset.why;
        } else if (!alert.dataset.said) {
            uploader.dataset.why = alert.dataset.said = said(alert);
            const icon = alert.parentElement.querySelector("svg");
            uploader.style.setProperty("--why", getComputedStyle(icon).color);
        }
    }
    for (const tip of document.querySelectorAll('[data-testid="stTooltipErrorContent"]')) {
        if (tip.textContent.includes("AxiosError")) said(tip);
    }
}

export default function () {
    const style = document.createElement("style");
    style.textContent = STYLE;
    document.head.append(style);
    const observer = new MutationObserver(mend);
    observer.observe(document.body, { characterData: true, childList: true, subtree: true });
    mend();
    return () => { observer.disconnect(); style.remove(); };
}
