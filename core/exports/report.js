// Figures are drawn when they come into view; on paper each is as wide as a page of A4.
const drawings = [...document.querySelectorAll(".picture")];
const options = { responsive: true, displaylogo: false, displayModeBar: false };
const draw = (place) => {
  if (place.drawn) return;
  place.drawn = true;
  const figure = JSON.parse(place.nextElementSibling.textContent);
  Plotly.newPlot(place, figure.data, figure.layout, options);
};
const seen = new IntersectionObserver((entries) => entries.forEach((entry) => {
  if (entry.isIntersecting) draw(entry.target);
}), { rootMargin: "600px" });
drawings.forEach((place) => seen.observe(place));
// The browser takes the page to print as it stands when this returns: nothing may be put off.
window.addEventListener("beforeprint", () => drawings.forEach((place) => {
  place.style.width = "180mm";
  draw(place);
  Plotly.relayout(place, { width: place.clientWidth });
}));
window.addEventListener("afterprint", () => drawings.forEach((place) => {
  place.style.width = "";
  Plotly.relayout(place, { width: null, autosize: true });
}));
