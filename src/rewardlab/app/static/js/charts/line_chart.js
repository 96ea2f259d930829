/** Panels of lines over one horizontal axis, drawn by uPlot. */

import { h, say } from "../core/dom.js";
import { LinePanel } from "./line_panel.js";
import { onTheme } from "./theme.js";

let groups = 0;

/**
 * Draws `LineChart`s into a figure; panels are kept as long as their lines are the same.
 * A chart may fix its axes by `x_range`, and each panel by `y_range`: [low, high].
 */
export class LineChart {
  /** @param {any} figure */
  constructor(figure) {
    this.figure = figure;
    /** @type {LinePanel[]} */
    this.panels = [];
    this.shape = "";
    this.marked = false;
    this.width = 0;
    this.group = `lines-${groups++}`;
    this.xLabel = h("p", { class: "x-label" });
    this.box = h("div", { role: "img", class: "lines" });
    this.figure.replaceChildren(this.box);
    this.resizing = new ResizeObserver((entries) => this.resize(entries[0].contentRect.width));
    this.resizing.observe(this.figure);
    this.endTheme = onTheme(() => this.build());
  }

  /** @param {any} chart @param {string} description */
  draw(chart, description) {
    this.chart = chart;
    this.marked ||= Boolean(chart.mark);
    const shape = shapeOf(chart, this.marked);
    if (shape !== this.shape) {
      this.shape = shape;
      this.build();
    } else {
      this.panels.forEach((panel, k) => panel.update(chart.panels[k], chart));
    }
    this.box.setAttribute("aria-label", description);
    say(this.xLabel, chart.x_label);
  }

  build() {
    if (!this.chart) return;
    for (const panel of this.panels) panel.destroy();
    const { panels } = this.chart;
    this.width = this.figure.clientWidth || this.width || 640;
    this.panels = panels.map((panel, k) => new LinePanel(panel, this.chart, {
      group: this.group, width: this.width, first: k === 0, last: k === panels.length - 1, marked: this.marked,
    }));
    this.box.replaceChildren(...this.panels.map((panel) => panel.element), this.xLabel);
    for (const panel of this.panels) panel.mount();
  }

  resize(width) {
    const whole = Math.floor(width);
    if (!whole || whole === this.width) return;
    this.width = whole;
    for (const panel of this.panels) panel.resize(whole);
  }

  destroy() {
    this.resizing.disconnect();
    this.endTheme();
    for (const panel of this.panels) panel.destroy();
    this.panels = [];
  }
}

/** What must stay the same for panels to be redrawn and not rebuilt. */
function shapeOf(chart, marked) {
  const line = ({ label, tone, stroke, low, x }) => [label, tone, stroke, low !== null, x.length <= 12];
  const panel = ({ y_label, percent, height, lines }) => [y_label, percent, height, lines.map(line)];
  return JSON.stringify([chart.log_x, marked, chart.panels.map(panel)]);
}
