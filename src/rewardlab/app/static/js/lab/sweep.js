/** The same reward under many prices of KL: where would the best policy have been? */

import { Figure } from "../charts/chart.js";
import { reading } from "../charts/numbers.js";
import { h, say } from "../core/dom.js";
import { DataTable } from "../systems/figures.js";
import { tableText } from "./table.js";

export class Sweep {
  /**
   * @param {(beta: number) => void} use Take over a beta.
   * @param {import("./settings.js").Settings} settings
   */
  constructor(use, settings) {
    this.settings = settings;
    this.figure = new Figure();
    this.table = new DataTable();
    this.sentence = h("p", { class: "says", role: "status" });
    this.best = NaN;
    this.using = h("button", { type: "button", on: { click: () => use(this.best) } });
    this.element = h("section", { class: "sweep-shown" }, h("h3", {}, "Sweep of beta"), this.sentence, this.figure.element,
      h("div", { class: "row" }, this.using), this.table.element);
  }

  /** @param {any} found What the server found. */
  show(found) {
    this.best = found.best_beta;
    say(this.sentence, found.sentence);
    this.figure.show(found.chart, found.sentence);
    this.table.show(tableText(found.table));
    say(this.using, `Use beta ${reading(found.best_beta)}`);
    this.using.disabled = !this.settings.allowed("beta", found.best_beta);
  }
}
