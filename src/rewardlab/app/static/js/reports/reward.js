/** A fitted text-feature reward: a sentence, bars, and all weights as a table. */

import { Figure } from "../charts/chart.js";
import { h } from "../core/dom.js";
import { DataTable } from "../systems/figures.js";

/** @param {any} fitted As the server sends it. @returns {Element} */
export function rewardView(fitted) {
  const { sentence, chart, notes, weights } = fitted;
  const figure = new Figure();
  const table = new DataTable(`All ${weights.length} weights as a table`);
  figure.show(chart, sentence);
  table.show({
    columns: ["Feature", "Logits per standard deviation (95% interval)"],
    numeric: [false, true],
    rows: weights.map(({ label, text, named }) => [label, named ? `${text} *` : text]),
  });
  return h("div", { class: "fitted" },
    h("p", { class: "fitted-sentence" }, sentence),
    figure.element,
    h("p", { class: "small quiet" }, notes.join(" ")),
    table.element,
    weights.some(({ named }) => named)
      && h("p", { class: "small quiet" }, "* in the table: told apart from zero, any by mistake in at most 5% of files."));
}
