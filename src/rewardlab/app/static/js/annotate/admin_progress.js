/** How far a project is, how fast, and how well people agree. */

import { Figure } from "../charts/chart.js";
import { h, say } from "../core/dom.js";
import { DataTable } from "../systems/figures.js";

export class Progress {
  constructor() {
    this.bar = h("progress", { max: 1, "aria-label": "Judgements made, of those wanted" });
    this.when = h("p", { class: "when" });
    this.aside = h("p", { class: "small quiet aside" });
    this.figure = new Figure();
    this.table = new DataTable("Judgements over time as a table");
    this.element = h("div", {}, this.bar, this.when, this.aside, this.figure.element, this.table.element);
  }

  /** @param {any} state */
  show({ progress, throughput }) {
    this.bar.value = progress.share;
    say(this.when, progress.when);
    say(this.aside, progress.aside);
    this.figure.element.hidden = this.table.element.hidden = throughput.table.rows.length < 2;
    if (this.figure.element.hidden) return;
    this.figure.show(throughput.chart, throughput.sentence);
    this.table.show(throughput.table);
  }
}

export class Agreement {
  constructor() {
    this.ceiling = h("p", { class: "ceiling" });
    this.facts = h("dl", { class: "facts" });
    this.element = h("div", {}, this.ceiling, this.facts);
  }

  /** @param {any} state */
  show({ n, ceiling, facts }) {
    say(this.ceiling, ceiling);
    this.facts.hidden = n === 0;
    if (this.facts.children.length !== facts.length) {
      this.facts.replaceChildren(...facts.map(() => h("div", {},
        h("dt", {}, h("span"), h("span", { class: "small quiet" })),
        h("dd", {}, h("strong"), h("span", { class: "small quiet" })))));
    }
    facts.forEach((fact, k) => {
      const [[label, about], [text, interval]] = [...this.facts.children[k].children].map((cell) => cell.children);
      say(label, fact.label);
      say(about, fact.about);
      say(text, fact.text);
      say(interval, fact.interval);
    });
  }
}
