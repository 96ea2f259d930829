/** Feature drift: each feature's mean at the start of a run against now. */

import { h, say } from "../core/dom.js";

export class Drift {
  /** @param {{name: string, label: string}[]} features */
  constructor(features) {
    this.names = features.map((feature) => feature.name);
    this.rows = features.map((feature) => {
      const parts = { start: h("i", { class: "start" }), now: h("i", { class: "now" }), value: h("span", { class: "n" }) };
      const element = h("li", {}, h("span", {}, feature.label), parts.value,
        h("span", { class: "drift-track", "aria-hidden": "true" }, parts.now, parts.start));
      return { ...parts, element };
    });
    this.element = h("div", { class: "drift" }, h("h3", {}, "Feature drift"),
      h("p", { class: "small quiet" }, "Mean of each feature over the policy's answers, 0 to 1. The tick is where it started."),
      h("ul", {}, ...this.rows.map((row) => row.element)));
  }

  /** @param {Record<string, number[]>} features @param {number} index */
  show(features, index) {
    this.rows.forEach((row, k) => {
      const values = features[this.names[k]];
      const [first, now] = [values[0], values[index]];
      row.start.style.left = `${100 * first}%`;
      row.now.style.width = `${100 * now}%`;
      say(row.value, `${first.toFixed(2)} → ${now.toFixed(2)}`);
    });
  }
}
