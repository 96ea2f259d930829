/** A result's figures, its table and the code behind it. */

import { h, say } from "../core/dom.js";
import { reading } from "../charts/numbers.js";

/** The list of quantities; rows are kept while their names are. */
export class FigureList {
  constructor() {
    this.element = h("dl", { class: "figures" });
    this.names = "";
  }

  show(quantities) {
    const names = quantities.map((one) => one.name).join();
    if (names !== this.names) {
      this.names = names;
      this.element.replaceChildren(...quantities.map((one) =>
        h("div", { "data-quantity": one.name }, h("dt"), h("dd"))));
    }
    quantities.forEach((one, k) => {
      const [label, figure] = this.element.children[k].children;
      say(label, one.label);
      say(figure, one.text);
      figure.classList.toggle("long", one.text.length > 22);
    });
  }
}

/** The table behind the chart. */
export class DataTable {
  constructor() {
    this.body = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "The figures behind the chart" });
    this.element = h("details", { class: "data" }, h("summary", {}, "The figures behind the chart"), this.body);
  }

  show(table) {
    const numeric = table.columns.map((_, k) => table.rows.every((row) => typeof row[k] !== "string"));
    const css = (k) => (numeric[k] ? "n" : null);
    const cell = (value, k) => h(k === 0 && !numeric[0] ? "th" : "td", { class: css(k), scope: k === 0 && !numeric[0] ? "row" : null }, cellText(value));
    this.body.replaceChildren(h("table", {},
      h("thead", {}, h("tr", {}, ...table.columns.map((name, k) => h("th", { scope: "col", class: css(k) }, name)))),
      h("tbody", {}, ...table.rows.map((row) => h("tr", {}, ...row.map(cell))))));
  }
}

function cellText(value) {
  if (value === null) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" ? reading(value) : value;
}

/** "The function behind this": its import path and three lines that reproduce the state. */
export class CodeBlock {
  constructor(path) {
    this.code = h("code");
    const copy = h("button", { type: "button", class: "plain", on: { click: () => navigator.clipboard.writeText(this.code.textContent) } }, "Copy");
    this.element = h("details", { class: "code" }, h("summary", {}, "The function behind this"),
      h("p", { class: "small" }, h("code", {}, path)), h("pre", { tabindex: 0 }, this.code), copy);
  }

  show(code) {
    say(this.code, code);
  }
}
