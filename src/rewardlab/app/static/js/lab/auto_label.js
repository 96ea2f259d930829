/** Stage 1: labels by a rater of the laboratory, and a clean start. */

import { h, say } from "../core/dom.js";
import { controlPanel } from "../systems/controls.js";

export class AutoLabel {
  /**
   * @param {any} boot
   * @param {import("./settings.js").Settings} settings
   * @param {(name: string, value: any) => void} onSet
   * @param {{label: () => void, clear: () => void, download: () => void}} acts
   */
  constructor(boot, settings, onSet, acts) {
    this.settings = settings;
    this.panel = controlPanel(boot.labelling, settings.values, onSet);
    this.label = h("button", { type: "button", class: "primary", on: { click: acts.label } });
    this.seed = h("input", { type: "number", id: "set-seed", name: "seed", min: 0, max: 999999999, step: 1, inputmode: "numeric" });
    this.seed.addEventListener("change", () => {
      const value = this.seed.valueAsNumber;
      if (settings.allowed("seed", value)) onSet("seed", value);
      else this.show();
    });
    this.element = h("div", { class: "auto" },
      h("h3", {}, "Or let a rater label"),
      this.panel.element,
      h("div", { class: "row" }, this.label,
        h("button", { type: "button", on: { click: acts.clear } }, "Clear all labels"),
        h("button", { type: "button", class: "plain", on: { click: acts.download } }, "Save labels (JSONL)"),
        h("span", { class: "seed" }, h("label", { for: "set-seed" }, "seed"), this.seed)));
    this.show();
  }

  show() {
    const { values } = this.settings;
    this.panel.set(values);
    this.seed.value = String(values.seed);
    say(this.label, `Label ${values.n} pairs`);
  }
}
