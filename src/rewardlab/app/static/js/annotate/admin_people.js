/** A table of annotators, who stands out, and all checks behind that. */

import { h, say } from "../core/dom.js";

/** Columns: title, its field, and whether that is a figure with an interval. */
const COLUMNS = [
  ["Judgements", "n"],
  ["Agrees with others", "agreement"],
  ["Flips", "flips"],
  ["Left side", "left"],
  ["Ties / both bad / skips", "undecided"],
  ["Known pairs right", "known"],
  ["Repeats the same", "repeats"],
  ["Time", "time"],
  ["Last seen", "seen"],
];
const NOTE = "Judgements count checks and skips too. Below each figure stands its 95% interval; below the median time, the middle half. Flips: the share of somebody's answers that others' votes and known pairs show to be turned round, close pairs allowed for. Errors and another taste look the same: read some before you judge.";
const SIGNS = { "pass": "✓", "warn": "!", "fail": "✕", "cannot say": "?" };

export class People {
  constructor() {
    this.shape = "";
    /** @type {Record<string, any>} Names -> how often they flip; known later than the rest. */
    this.flips = {};
    /** @type {any[]} */
    this.rows = [];
    this.none = h("p", { class: "quiet" }, "Nobody has judged anything yet. Invite somebody with a personal link.");
    this.body = h("tbody");
    this.table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "People in figures" },
      h("table", { class: "people" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Who"),
          ...COLUMNS.map(([title]) => h("th", { scope: "col", class: "n" }, title)))),
        this.body));
    this.note = h("p", { class: "small quiet" }, NOTE);
    this.findings = h("ul", { class: "findings" });
    this.clean = h("details", {}, h("summary", {}, "Other checks"), h("ul", { class: "findings" }));
    this.unsaid = h("details", { hidden: true }, h("summary", {}, "Why it cannot be said how often some flip"), h("ul", { class: "findings" }));
    this.element = h("div", {}, this.none, this.table, this.note, this.findings, this.unsaid, this.clean);
  }

  /** @param {any} state */
  show({ people, findings }) {
    const some = people.rows.length > 0;
    this.none.hidden = some;
    for (const element of [this.table, this.note, this.findings, this.clean]) element.hidden = !some;
    const all = people.rows.length > 1 ? [...people.rows, { ...people.all, name: "All" }] : people.rows;
    const shape = JSON.stringify(all.map((row) => row.name));
    if (shape !== this.shape) this.build(all.map((row) => row.name), people.rows.length);
    this.shape = shape;
    all.forEach((row, k) => this.rows[k].show(row));
    this.rows.forEach((row) => row.showFlips(this.flips[row.name]));
    this.showFindings(findings);
  }

  /** @param {any} fitted What is known once the reward is fitted. */
  showFlips({ flips, no_flips: none }) {
    this.flips = flips;
    this.rows.forEach((row) => row.showFlips(flips[row.name]));
    say(this.note, none ? `${NOTE} Who flips cannot be said: ${none}.` : NOTE);
    const why = Object.entries(flips).filter(([, one]) => one.why);
    this.unsaid.hidden = why.length === 0 || this.table.hidden;
    this.unsaid.lastElementChild.replaceChildren(...why.map(([name, one]) =>
      h("li", { "data-status": "cannot say" }, h("strong", { dir: "auto" }, name), h("span", { class: "small" }, one.why))));
  }

  build(names, n) {
    this.rows = names.map((name, k) => new Row(name, k < n ? "" : "all"));
    this.body.replaceChildren(...this.rows.map((row) => row.element));
  }

  showFindings(findings) {
    const raised = (finding) => finding.status === "warn" || finding.status === "fail";
    this.findings.replaceChildren(...findings.filter(raised).map(item));
    this.findings.hidden = !findings.some(raised) || this.table.hidden;
    this.clean.lastElementChild.replaceChildren(...findings.filter((finding) => !raised(finding)).map(item));
  }
}

class Row {
  constructor(name, kind) {
    this.name = kind ? "" : name;
    this.flags = h("span", { class: "flags" });
    this.cells = COLUMNS.map(() => h("td", { class: "n" }, h("span"), h("span", { class: "interval" })));
    this.element = h("tr", { class: kind || null },
      h("th", { scope: "row" }, h("span", { dir: "auto" }, name), this.flags), ...this.cells);
  }

  show(row) {
    COLUMNS.forEach(([, field], k) => {
      if (field === "flips") return;
      const value = row[field];
      const [text, interval] = this.cells[k].children;
      const figure = value !== null && typeof value === "object";
      say(text, figure ? value.text : value === undefined ? "–" : typeof value === "number" ? value.toLocaleString("en") : value);
      say(interval, figure ? value.interval : "");
    });
    say(this.flags, row.flags.map((flag) => `! ${flag}`).join(" · "));
  }

  /** @param {any} flips */
  showFlips(flips) {
    const [text, interval] = this.cells[FLIPS].children;
    say(text, flips ? flips.text : "–");
    say(interval, flips ? flips.interval : "");
  }
}

const FLIPS = COLUMNS.findIndex(([, field]) => field === "flips");

function item(finding) {
  return h("li", { "data-status": finding.status },
    h("strong", {}, h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[finding.status]), h("span", { class: "unseen" }, `${finding.status}: `), finding.title),
    finding.examples.length > 0 && h("span", { class: "small" }, finding.examples.join("; ")),
    h("span", { class: "small quiet" }, `${finding.meaning} ${finding.status === "pass" ? "" : finding.action}`));
}
