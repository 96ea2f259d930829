/** A fitted text-feature reward: a sentence, bars, and all weights as a table. */

import { Figure } from "../charts/chart.js";
import { h } from "../core/dom.js";

/** @param {any} fitted As the server sends it. @returns {Element} */
export function rewardView(fitted) {
  const figure = new Figure();
  const view = h("div", { class: "fitted" },
    h("p", { class: "fitted-sentence" }, fitted.sentence),
    figure.element,
    h("p", { class: "small quiet" }, fitted.notes.join(" ")),
    h("details", {}, h("summary", {}, `All ${fitted.weights.length} weights as a table`), table(fitted.weights)));
  // Charts measure themselves, so they are drawn once they stand in the page.
  requestAnimationFrame(() => figure.show(fitted.chart, fitted.sentence));
  return view;
}

function table(weights) {
  const head = h("tr", {}, h("th", { scope: "col" }, "Feature"),
    h("th", { scope: "col", class: "n" }, "Logits per standard deviation (95% interval)"));
  const rows = weights.map((weight) => h("tr", {}, h("th", { scope: "row" }, weight.label),
    h("td", { class: "n" }, weight.text, weight.named ? " *" : "")));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "All weights" },
    h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows)),
    h("p", { class: "small quiet" }, "* told apart from zero, any by mistake in at most 5% of files."));
}
