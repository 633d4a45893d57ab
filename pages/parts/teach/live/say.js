// Said again, a text would be read out again.
function say(node, words) {
    if (node.textContent !== words) node.textContent = words;
}
