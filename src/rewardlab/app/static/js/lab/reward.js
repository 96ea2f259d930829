/** Stage 2: the weights that the labels teach, and how well they predict labels held back. */

import { minus, reading } from "../charts/numbers.js";
import { h, s, say } from "../core/dom.js";
import { ask } from "./api.js";

const LIMITS = [2, 3, 4, 6, 8, 12, 16, 24, 32, 64];

export class Reward {
  /** @param {any} boot */
  constructor(boot) {
    this.sentence = h("p", { class: "says", role: "status" });
    this.rows = boot.features.map((feature) => new WeightRow(feature));
    this.ends = [h("span"), h("span", {}, "0"), h("span")];
    this.rubricHead = h("th", { scope: "col", hidden: true }, "Hidden rubric");
    this.table = h("table", { class: "weights" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Feature"),
        h("th", { scope: "col", class: "axis" }, h("span", { class: "unseen" }, "Weight as a bar"), h("span", { class: "ends", "aria-hidden": "true" }, ...this.ends)),
        h("th", { scope: "col", class: "n" }, "Weight"), this.rubricHead)),
      h("tbody", {}, ...this.rows.map((row) => row.element)));
    this.accuracy = new Accuracy();
    this.rubricSays = h("p", { class: "says rubric-says", hidden: true });
    this.error = h("p", { class: "error", role: "alert", hidden: true });
    this.reveal = h("button", { type: "button", "aria-pressed": "false", on: { click: () => this.toggle() } }, "Reveal the hidden rubric");
    this.revealed = false;
  }

  elements() {
    return [
      this.sentence,
      this.table,
      h("p", { class: "key small quiet" }, keySample("weight"), " learned ", keySample("line"), " 95% interval ", keySample("ghost"), " before the last action"),
      this.accuracy.element,
      h("div", { class: "row" }, this.reveal),
      this.error,
      this.rubricSays,
    ];
  }

  /** @param {any} state */
  show(state) {
    say(this.sentence, state.sentence);
    const limit = limitOf(state.weights);
    say(this.ends[0], reading(-limit));
    say(this.ends[2], `+${limit}`);
    this.rows.forEach((row, k) => row.show(state.weights[k], limit));
    this.accuracy.show(state.accuracy);
    if (this.revealed && state.revision !== this.compared) this.compare(state.revision);
    this.revision = state.revision;
  }

  async toggle() {
    if (this.revealed) this.hide();
    else await this.compare(this.revision);
  }

  hide() {
    this.revealed = false;
    this.mark();
  }

  /** Ask for the rubric: it is not in the page before. */
  async compare(revision) {
    this.compared = revision;
    try {
      const { sentence, rows } = await ask("rubric", {});
      this.rows.forEach((row, k) => row.showRubric(rows[k]));
      say(this.rubricSays, sentence);
      this.error.hidden = true;
      this.revealed = true;
      this.mark();
    } catch (error) {
      say(this.error, error.message);
      this.error.hidden = false;
    }
  }

  mark() {
    this.reveal.setAttribute("aria-pressed", String(this.revealed));
    say(this.reveal, this.revealed ? "Hide the rubric" : "Reveal the hidden rubric");
    this.rubricSays.hidden = !this.revealed;
    this.rubricHead.hidden = !this.revealed;
    this.table.classList.toggle("revealed", this.revealed);
    for (const row of this.rows) row.rubric.hidden = !this.revealed;
  }
}

/** The end of the axis: the smallest of a few that holds every weight, so that it seldom changes. */
function limitOf(weights) {
  const sizes = weights.flatMap((one) => [one.value, one.before]).filter((v) => v !== null).map(Math.abs);
  const most = Math.max(0, ...sizes);
  return LIMITS.find((limit) => limit >= 1.1 * most) || Math.ceil(1.1 * most);
}

class WeightRow {
  constructor(feature) {
    this.bar = h("i", { class: "weight" });
    this.whisker = h("i", { class: "reach" });
    this.ghost = h("i", { class: "ghost" });
    this.value = h("b");
    this.interval = h("span");
    this.rubric = h("td", { class: "rubric", hidden: true });
    this.element = h("tr", {}, h("th", { scope: "row" }, feature.label, h("span", { class: "about" }, feature.about)),
      h("td", { class: "track" }, h("div", {}, this.bar, this.whisker, this.ghost)),
      h("td", { class: "n" }, this.value, this.interval), this.rubric);
  }

  show(weight, limit) {
    const { value, low, high, before } = weight;
    say(this.value, value === null ? "–" : signed(value));
    say(this.interval, low === null || value === null ? "" : `${rounded(low)} to ${rounded(high)}`);
    this.element.title = weight.text || "";
    span(this.bar, value === null ? null : Math.min(0, value), value === null ? null : Math.max(0, value), limit);
    span(this.whisker, low, high, limit);
    this.whisker.toggleAttribute("data-low-beyond", low !== null && low < -limit);
    this.whisker.toggleAttribute("data-high-beyond", high !== null && high > limit);
    span(this.ghost, before, before, limit);
    this.ghost.hidden = before === null || before === value;
  }

  /** Points of each level, as a small chart in words and columns. */
  showRubric(row) {
    const values = row.levels.map((level) => level.points);
    const said = (level) => (level.points > 0 ? "+" : "") + minus(String(Number(level.points.toFixed(2))));
    const all = row.levels.map((level) => `${level.label} ${said(level)}`).join(", ");
    const best = row.levels[values.indexOf(Math.max(...values))];
    const worst = row.levels[values.indexOf(Math.min(...values))];
    this.rubric.replaceChildren(columns(values, all),
      h("span", {}, `${best.label} ${said(best)}`), h("span", {}, `${worst.label} ${said(worst)}`));
  }
}

const HEIGHT = 26;
const WIDTH = 40;

function columns(points, said) {
  const [low, high] = [Math.min(0, ...points), Math.max(0, ...points)];
  const room = high - low || 1;
  const step = WIDTH / points.length;
  const y = (v) => ((high - v) / room) * HEIGHT;
  return s("svg", { viewBox: `0 -1 ${WIDTH} ${HEIGHT + 2}`, role: "img", "aria-label": said },
    s("line", { x1: 0, x2: WIDTH, y1: y(0), y2: y(0), stroke: "currentColor", "stroke-width": 1 }),
    ...points.map((v, k) => s("rect", { x: k * step + 0.5, width: step - 1, fill: "currentColor",
      y: Math.min(y(0), y(v)), height: Math.max(Math.abs(y(v) - y(0)), 0.75) })));
}

/** Place a mark from one value to another on an axis from -limit to limit. */
function span(element, from, to, limit) {
  element.hidden = from === null || to === null;
  if (element.hidden) return;
  const at = (v) => 50 + 50 * Math.max(-1, Math.min(1, v / limit));
  element.style.left = `${at(from)}%`;
  element.style.width = `${at(to) - at(from)}%`;
}

function signed(value) {
  const said = Number(value.toFixed(2));
  return (said > 0 ? "+" : "") + minus(said.toFixed(2));
}

function rounded(value) {
  return minus(value.toFixed(1));
}

function keySample(kind) {
  return h("i", { class: `sample ${kind}`, "aria-hidden": "true" });
}

/** Held-out accuracy on a track from 0 to 100%, with chance marked. */
class Accuracy {
  constructor() {
    this.text = h("span");
    this.band = h("i", { class: "band" });
    this.dot = h("i", { class: "dot" });
    this.element = h("div", { class: "accuracy" },
      h("p", {}, h("b", {}, "Held-out accuracy "), this.text),
      h("div", { class: "share-track", "aria-hidden": "true" }, h("i", { class: "chance" }), this.band, this.dot),
      h("p", { class: "share-ends", "aria-hidden": "true" }, h("span", {}, "0%"), h("span", {}, "50%, a coin"), h("span", {}, "100%")));
  }

  show(accuracy) {
    say(this.text, accuracy.text);
    this.dot.hidden = accuracy.value === null;
    this.band.hidden = accuracy.low === null;
    if (accuracy.value !== null) this.dot.style.left = `${100 * accuracy.value}%`;
    if (accuracy.low !== null) {
      this.band.style.left = `${100 * accuracy.low}%`;
      this.band.style.width = `${100 * (accuracy.high - accuracy.low)}%`;
    }
  }
}
