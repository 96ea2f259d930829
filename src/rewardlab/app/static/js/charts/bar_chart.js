/** Labelled bars from zero, with whiskers; names stand above their bars where it is narrow. */

import { h, say } from "../core/dom.js";
import { minus } from "./numbers.js";
import { finite, niceStep, tickLabels, ticks } from "./scales.js";

/** Draws `BarChart`s into a figure; rows are kept as long as their names are the same. */
export class BarChart {
  /** @param {any} figure */
  constructor(figure) {
    this.figure = figure;
    this.shape = "";
    this.widest = 0;
    /** @type {Row[]} */
    this.rows = [];
    this.grid = h("div", { class: "bars-grid" });
    this.axis = h("div", { class: "bars-axis" });
    this.box = h("div", { class: "bars", role: "img" });
    this.xLabel = h("p", { class: "x-label" });
    this.figure.replaceChildren(h("div", { class: "bars-frame" }, this.box));
  }

  /** @param {any} chart @param {string} description */
  draw(chart, description) {
    const shape = JSON.stringify(chart.bars.map((bar) => [bar.label, bar.group, bar.tone]));
    if (shape !== this.shape) {
      this.shape = shape;
      this.widest = 0;
      this.build(chart.bars);
    }
    const [low, high] = chart.x_range || rangeOf(chart);
    const place = (value) => (100 * (value - low)) / (high - low);
    const texts = textsOf(chart);
    this.widest = Math.max(this.widest, ...texts.map((text) => text.length));
    this.rows.forEach((row, k) => row.show(chart.bars[k], texts[k], place));
    this.box.style.setProperty("--figures", `${this.widest}ch`);
    this.drawGrid(low, high, place, chart.percent);
    this.box.setAttribute("aria-label", description);
    say(this.xLabel, chart.x_label);
  }

  build(bars) {
    let row = 0;
    let group = "";
    const children = [];
    this.rows = bars.map((bar) => {
      if (bar.group !== group) {
        group = bar.group;
        row += 1;
        const head = h("div", { class: "bars-group" }, group);
        head.style.setProperty("--row", String(row));
        children.push(head);
      }
      row += 1;
      const made = new Row(bar, row);
      children.push(...made.elements);
      return made;
    });
    this.box.style.setProperty("--rows", String(row));
    this.box.replaceChildren(this.grid, ...children, this.axis, this.xLabel);
  }

  drawGrid(low, high, place, percent) {
    const at = ticks(low, high, 5);
    const labels = tickLabels(at, percent);
    const lines = at.map((value) => placed(h("i", { class: value === 0 ? "zero" : null }), place(value)));
    this.grid.replaceChildren(...lines);
    this.axis.replaceChildren(...at.map((value, k) => placed(h("span", {}, labels[k]), place(value))));
  }

  destroy() {}
}

class Row {
  constructor(bar, row) {
    this.fill = h("div", { class: `bar tone-${bar.tone}` });
    this.whisker = h("div", { class: "whisker" });
    this.figure = h("div", { class: "bar-figure" });
    this.elements = [h("div", { class: "bar-label" }, bar.label),
      h("div", { class: "bar-track" }, this.fill, this.whisker), this.figure];
    for (const element of this.elements) element.style.setProperty("--row", String(row));
  }

  show(bar, text, place) {
    say(this.figure, text);
    this.fill.hidden = bar.value === null;
    this.whisker.hidden = bar.value === null || bar.low === null || bar.high === null;
    if (bar.value !== null) span(this.fill, place(Math.min(0, bar.value)), place(Math.max(0, bar.value)));
    if (!this.whisker.hidden) span(this.whisker, place(bar.low), place(bar.high));
  }
}

function span(element, left, right) {
  const [from, to] = [Math.max(0, left), Math.min(100, right)];
  element.style.left = `${from}%`;
  element.style.width = `${Math.max(0, to - from)}%`;
}

function placed(element, share) {
  element.style.left = `${share}%`;
  return element;
}

/** From zero to the furthest value, out to a round one so that it seldom changes. */
function rangeOf(chart) {
  const values = finite(chart.bars.flatMap((bar) => [bar.value, bar.low, bar.high]));
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  if (low === high) return [0, 1];
  if (chart.percent && low === 0 && high <= 1 && high > 0.5) return [0, 1];
  const step = niceStep(low, high, 5) / 2;
  return [Math.floor(low / step) * step, Math.ceil(high / step) * step];
}

/** The figures at the right: as given, else three digits of the largest. */
function textsOf(chart) {
  const largest = Math.max(0, ...finite(chart.bars.map((bar) => bar.text ? null : bar.value)).map(Math.abs));
  const decimals = largest >= 1e-4 && largest < 1e6 ? Math.max(0, 2 - Math.floor(Math.log10(largest))) : 2;
  const plain = (value) => value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return chart.bars.map((bar) => {
    if (bar.text) return bar.text;
    if (bar.value === null) return "none";
    if (chart.percent) return `${minus((100 * bar.value).toFixed(1))}%`;
    const small = bar.value !== 0 && !/[1-9]/.test(plain(bar.value));
    return minus(small || Math.abs(bar.value) >= 1e6 ? bar.value.toExponential(2).replace("+", "") : plain(bar.value));
  });
}
