/** The same reward under many prices of KL: where would the best policy have been? */

import { Figure } from "../charts/chart.js";
import { reading } from "../charts/numbers.js";
import { h } from "../core/dom.js";
import { DataTable } from "../systems/figures.js";
import { tableText } from "./table.js";

/**
 * @param {any} found What the server found.
 * @param {(beta: number) => void} use Take over a beta.
 * @param {import("./settings.js").Settings} settings
 */
export function sweepView(found, use, settings) {
  const figure = new Figure();
  const table = new DataTable();
  figure.show(found.chart, found.sentence);
  table.show(tableText(found.table));
  const usable = settings.allowed("beta", found.best_beta);
  return h("section", { class: "sweep-shown" }, h("h3", {}, "Sweep of beta"),
    h("p", { class: "says", role: "status" }, found.sentence), figure.element,
    h("div", { class: "row" },
      h("button", { type: "button", disabled: !usable, on: { click: () => use(found.best_beta) } }, `Use beta ${reading(found.best_beta)}`)),
    table.element);
}
