// One derivation as a component of the page: the server says which switches are on.
const derivations = new WeakMap();

export default function ({ parentElement, data }) {
    const root = parentElement.querySelector(".board");
    const derivation = derivations.get(root) ?? new Derivation(root);
    derivations.set(root, derivation);
    derivation.take(data);
}
