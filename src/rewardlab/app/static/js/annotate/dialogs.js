/** What opens above the pair: the guidelines, the keys, and what was judged before. */

import { h } from "../core/dom.js";
import { turnsOf } from "./rich.js";

const KEYS = [
  ["A", "A, on the left, is better"],
  ["B", "B, on the right, is better"],
  ["T", "A tie: they are as good"],
  ["X", "Both are bad"],
  ["S", "Skip: leave the pair to others"],
  ["U", "Undo the last judgement"],
  ["1 2 3", "Slightly, clearly or much better, for the next choice"],
  ["R", "Write a reason; Escape leaves the field"],
  ["D", "Mark the words that only one side has"],
  ["M", "As Markdown, or as written"],
  ["W", "Wrap long lines of code"],
  ["H", "What you judged before"],
  ["G", "Guidelines"],
  ["↑ ↓ Home End", "Scroll both texts"],
  ["?", "This list"],
];

/**
 * A dialog that is shown at once, and gone once it is closed.
 * @param {string} title
 * @param {...any} children
 * @returns {any}
 */
export function dialog(title, ...children) {
  const close = h("button", { type: "button", on: { click: () => shown.close() } }, "Close");
  const shown = h("dialog", { "aria-labelledby": "dialog-title", on: { close: () => shown.remove() } },
    h("header", {}, h("h2", { id: "dialog-title", tabindex: -1 }, title), close),
    h("div", { class: "dialog-body", tabindex: 0, role: "region", "aria-label": `${title}: all of it` }, ...children));
  document.body.append(shown);
  shown.showModal();
  return shown;
}

/** @param {any[]} guidelines */
export function showGuidelines(guidelines) {
  dialog("Guidelines", ...turnsOf(guidelines, true));
}

/** @param {any} toggle A control that turns letter keys off. */
export function showKeys(toggle) {
  dialog("Keys", toggle, h("table", { class: "keys-table" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Key"), h("th", { scope: "col" }, "What it does"))),
    h("tbody", {}, ...KEYS.map(([keys, does]) => h("tr", {},
      h("th", { scope: "row" }, ...keys.split(" ").flatMap((key) => [h("kbd", {}, key), " "])), h("td", {}, does))))));
}
