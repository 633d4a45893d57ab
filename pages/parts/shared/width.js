// Tells the server the largest step that the page is at least as wide as.
export default function ({ parentElement, data, setStateValue }) {
    const page = (parentElement.host ?? parentElement)
        .closest('[data-testid="stMainBlockContainer"]');
    if (page === null) return;
    let current = data.current;
    const observer = new ResizeObserver(([{ contentRect: { width } }]) => {
        const step = Math.max(...data.steps.filter((step) => step <= width));
        if (width > 0 && step !== current) setStateValue("step", current = step);
    });
    observer.observe(page);
    return () => observer.disconnect();
}
