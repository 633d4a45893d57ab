// Words on the page.
const countOf = (labels) => new Set(labels).size;
const groupsOf = (count) => `${count} group${count === 1 ? "" : "s"}`;

// Said again, a text would be read out again.
function say(node, words) {
    if (node.textContent !== words) node.textContent = words;
}
