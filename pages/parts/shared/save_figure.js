// Presses a figure's own tool that saves it: the tool cannot be reached with the keyboard.
export default function ({ parentElement, data }) {
    const save = (format) => {
        const plot = document.querySelector(`.st-key-${data.figure} .js-plotly-plot`);
        const tool = plot?.querySelector(".modebar-btn[data-attr], .modebar-btn");
        if (!tool) return;
        plot._context.toImageButtonOptions = { format, filename: data.name, scale: 2 };
        tool.click();
    };
    for (const button of parentElement.querySelectorAll("button")) {
        button.onclick = () => save(button.value);
    }
}
