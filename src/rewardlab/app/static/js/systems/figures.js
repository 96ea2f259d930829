/** A result's figures, its table and the code behind it. */

import { h, say } from "../core/dom.js";

const LONG = 24;
const MANY = 18;

/** The list of quantities; rows are kept while their names are. A very long one has to be opened. */
export class FigureList {
  constructor() {
    this.list = h("dl", { class: "figures" });
    this.count = h("summary");
    this.folded = h("details", {}, this.count);
    this.element = h("div", {}, this.folded);
    this.names = "";
    /** @type {number[]} Characters that each figure has needed so far. */
    this.widest = [];
  }

  show(quantities) {
    const names = quantities.map((one) => one.name).join();
    if (names !== this.names) {
      this.names = names;
      this.widest = quantities.map(() => 0);
      this.list.replaceChildren(...quantities.map((one) =>
        h("div", { "data-quantity": one.name }, h("dt"), h("dd"))));
      this.folded.hidden = quantities.length <= MANY;
      (this.folded.hidden ? this.element : this.folded).append(this.list);
      say(this.count, `All ${quantities.length} results`);
    }
    quantities.forEach((one, k) => {
      const [label, figure] = this.list.children[k].children;
      say(label, one.label);
      say(figure, one.text);
      if (one.text.length <= this.widest[k]) return;
      this.widest[k] = one.text.length;
      figure.style.minWidth = `${Math.min(one.text.length, LONG)}ch`;
      if (one.text.length > LONG) figure.classList.add("long");
    });
  }
}

/** The table behind the chart; its cells come as text, as the command line prints them. */
export class DataTable {
  /** @param {string} [summary] */
  constructor(summary = "The figures behind the chart") {
    this.body = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": summary });
    this.element = h("details", { class: "data" }, h("summary", {}, summary), this.body);
    this.shape = "";
    /** @type {any[][]} */
    this.cells = [];
  }

  show(table) {
    const shape = JSON.stringify([table.columns, table.numeric, table.rows.length]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.build(table);
    }
    table.rows.forEach((row, i) => row.forEach((text, k) => say(this.cells[i][k], text)));
  }

  build({ columns, numeric, rows }) {
    const css = (k) => (numeric[k] ? "n" : null);
    const named = !numeric[0];
    this.cells = rows.map((row) => row.map((_, k) =>
      h(k === 0 && named ? "th" : "td", { class: css(k), scope: k === 0 && named ? "row" : null })));
    this.body.replaceChildren(h("table", {},
      h("thead", {}, h("tr", {}, ...columns.map((name, k) => h(name ? "th" : "td", { scope: name ? "col" : null, class: css(k) }, name)))),
      h("tbody", {}, ...this.cells.map((row) => h("tr", {}, ...row)))));
  }
}

/** "The function behind this": its import path and three lines that reproduce the state. */
export class CodeBlock {
  constructor(path) {
    this.code = h("code");
    this.pre = h("pre", { tabindex: 0 }, this.code);
    this.copied = h("span", { class: "small quiet", role: "status" });
    const copy = h("button", { type: "button", on: { click: () => this.copy() } }, "Copy");
    this.element = h("details", { class: "code" }, h("summary", {}, "The function behind this"),
      h("p", { class: "small" }, h("code", {}, path), " gives this state by:"), this.pre,
      h("p", { class: "row" }, copy, this.copied));
  }

  show(code) {
    say(this.code, code);
    say(this.copied, "");
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.code.textContent);
      say(this.copied, "Copied.");
    } catch {
      getSelection()?.selectAllChildren(this.code);
      say(this.copied, "Selected; copy it with your keyboard.");
    }
  }
}
