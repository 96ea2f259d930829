/** What an annotator judged before, each of which can be judged again. */

import { h } from "../core/dom.js";
import { dialog } from "./dialogs.js";
import { inWords } from "./judging.js";

const WHEN = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/**
 * @param {any[]} judged
 * @param {string} title
 * @param {(one: any) => Promise<void>} change Judge it again.
 */
export function showOwn(judged, title, change) {
  const shown = dialog(title, judged.length
    ? h("ol", { class: "own", reversed: true }, ...judged.map((one) => item(one, async () => {
      shown.close();
      await change(one);
    })))
    : h("p", {}, "Nothing yet."));
}

function item(one, change) {
  return h("li", {},
    h("p", { class: "own-head" }, h("b", {}, inWords(one)), " ",
      h("time", { class: "small quiet", datetime: one.judged_at }, WHEN.format(new Date(one.judged_at)))),
    h("p", { class: "small", dir: "auto" }, one.prompt),
    h("div", { class: "own-sides small quiet" }, side("A", one.left), side("B", one.right)),
    one.reason && h("p", { class: "small", dir: "auto" }, `Your reason: ${one.reason}`),
    h("button", { type: "button", on: { click: change } }, one.outcome === "skip" ? "Judge it now" : "Change it"));
}

function side(letter, text) {
  return h("p", { dir: "auto" }, h("b", {}, `${letter}: `), text);
}
