/** Texts of anybody as elements: the server's nodes become elements of a few kinds, with text as text. */

import { h } from "../core/dom.js";

/** @typedef {string|[string, any[], Record<string, string>?]} Node See `markdown.py`. */
/** @typedef {{role: string, text: string, nodes?: Node[]|null, note?: string}} Turn */

const LONGEST_ADDRESS = 80;
const SAME = new Set(["p", "ul", "li", "blockquote", "code", "hr", "br", "em", "strong", "s", "thead", "tbody", "tr"]);

/**
 * A text's turns.
 * @param {Turn[]} turns
 * @param {boolean} formatted As Markdown, where it is some.
 * @returns {any[]}
 */
export function turnsOf(turns, formatted) {
  return turns.map(({ role, text, nodes, note }) => h("div", { class: "turn" },
    role && h("p", { class: "role" }, role),
    formatted && note && h("p", { class: "small quiet" }, note),
    !text.trim() ? h("p", { class: "quiet" }, "Nothing is written here.")
    : formatted && nodes ? h("div", { class: "rich" }, ...nodes.map(block))
    : h("p", { class: "written", dir: "auto" }, formatted ? text.replace(/^\s*\n|\s+$/g, "") : text)));
}

/** What stands in a block runs as its first letter does, lists and tables too. @param {Node} node */
function block(node) {
  const made = elementOf(node);
  if (made instanceof HTMLElement && !made.dir) made.dir = "auto";
  return made;
}

/** @param {Turn[]} turns */
export function hasMarkdown(turns) {
  return turns.some(({ nodes }) => Boolean(nodes));
}

/** @param {Node} node */
function elementOf(node) {
  if (typeof node === "string") return node;
  const [tag, children, attributes = {}] = node;
  const inside = children.map(elementOf);
  // Of one level for those who listen, whatever the text says: it stands in a page that has its own.
  if (tag === "h") return h("h3", { class: `level-${attributes.level}` }, ...inside);
  if (tag === "ol") return h("ol", { start: attributes.start }, ...inside);
  if (tag === "pre") return h("pre", { dir: "ltr", tabindex: 0, role: "region", "aria-label": attributes.language ? `Code, ${attributes.language}` : "Code" }, h("code", {}, ...inside));
  if (tag === "k") return h("span", { class: `code-${attributes.kind}` }, ...inside);
  if (tag === "table") return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table" }, h("table", {}, ...inside));
  if (tag === "th" || tag === "td") return h(tag, { class: attributes.align && `to-${attributes.align}` }, ...inside);
  if (tag === "a") return link(inside, attributes);
  if (tag === "img") return h("span", { class: "image" }, "Image, not loaded: ", ...inside, " ", address(attributes.address));
  return SAME.has(tag) ? h(tag, {}, ...inside) : h("span", {}, ...inside);
}

function link(inside, attributes) {
  const shown = h("span", {}, ...inside);
  const followed = attributes.follow
    ? h("a", { href: attributes.address, rel: "noopener noreferrer nofollow", target: "_blank" }, shown)
    : shown;
  return shown.textContent === attributes.address ? followed : h("span", {}, followed, " ", address(attributes.address));
}

/** Where it leads, whatever its text says. */
function address(text) {
  const short = text.length > LONGEST_ADDRESS ? `${text.slice(0, LONGEST_ADDRESS)}…` : text;
  return h("span", { class: "address", dir: "ltr", title: text }, `(${short})`);
}
