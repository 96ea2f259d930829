/** Panels of lines over one horizontal axis, drawn by uPlot. */

import { h } from "../core/dom.js";
import { legend } from "./legend.js";
import { reading, tick } from "./numbers.js";
import { colour, dashes, onTheme } from "./theme.js";

/* global uPlot */

let groups = 0;

/**
 * Draws `LineChart`s into a figure; panels are kept as long as their lines are the same.
 * A chart may fix its axes by `x_range`, and each panel by `y_range`: [low, high].
 */
export class LineChart {
  /** @param {any} figure */
  constructor(figure) {
    this.figure = figure;
    this.panels = [];
    this.shape = "";
    this.group = `lines-${groups++}`;
    this.xLabel = h("p", { class: "x-label", "aria-hidden": "true" });
    this.box = h("div", { role: "img" });
    this.figure.replaceChildren(this.box);
    this.resizing = new ResizeObserver(() => this.resize());
    this.resizing.observe(this.figure);
    onTheme(() => this.rebuild());
  }

  /** @param {any} chart @param {string} description */
  draw(chart, description) {
    this.chart = chart;
    this.description = description;
    const shape = shapeOf(chart);
    if (shape !== this.shape) {
      this.shape = shape;
      this.build();
    } else {
      this.panels.forEach((panel, k) => panel.update(chart.panels[k], chart));
    }
    this.box.setAttribute("aria-label", description);
    this.xLabel.textContent = chart.x_label;
  }

  build() {
    for (const panel of this.panels) panel.destroy();
    this.panels = this.chart.panels.map((panel, k) => new Panel(panel, this.chart, this.group,
      this.figure.clientWidth, k === this.chart.panels.length - 1));
    this.box.replaceChildren(...this.panels.map((panel) => panel.element), this.xLabel);
    for (const panel of this.panels) panel.mount();
  }

  rebuild() {
    if (this.chart && this.figure.isConnected) this.build();
  }

  resize() {
    const width = this.figure.clientWidth;
    if (width) for (const panel of this.panels) panel.resize(width);
  }

  destroy() {
    this.resizing.disconnect();
    for (const panel of this.panels) panel.destroy();
    this.panels = [];
  }
}

/** What must stay the same for a panel to be redrawn and not rebuilt. */
function shapeOf(chart) {
  const lines = (panel) => panel.lines.map((line) => [line.label, line.tone, line.stroke, line.low !== null]);
  return JSON.stringify([chart.log_x, chart.panels.map((panel) => [panel.y_label, panel.percent, panel.height, lines(panel)])]);
}

class Panel {
  constructor(panel, chart, group, width, last) {
    this.last = last;
    this.group = group;
    this.width = width;
    this.panel = panel;
    this.chart = chart;
    this.legend = legend(panel.lines);
    this.canvas = h("div", { class: "canvas" });
    const head = h("h3", { "aria-hidden": "true" }, panel.y_label);
    this.element = h("div", { class: "chart-panel" }, head, this.legend.element, this.canvas);
  }

  mount() {
    this.plot = new uPlot(this.options(), joined(this.panel), this.canvas);
  }

  update(panel, chart) {
    this.panel = panel;
    this.chart = chart;
    this.plot.setData(joined(panel));
  }

  resize(width) {
    if (width === this.width || !this.plot) return;
    this.width = width;
    this.plot.setSize({ width, height: this.height() });
  }

  destroy() {
    if (this.plot) this.plot.destroy();
    this.plot = null;
  }

  height() {
    return Math.round(this.panel.height * 1.05) + (this.last ? 34 : 14);
  }

  options() {
    const quiet = colour("--quiet");
    const grid = { stroke: colour("--grid"), width: 1 };
    const font = `12px ${colour("--sans")}`;
    const axis = { stroke: quiet, grid, ticks: { show: false }, font, gap: 6 };
    return {
      width: this.width || 640,
      height: this.height(),
      pxAlign: 0,
      padding: [8, 14, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: this.group, setSeries: false }, drag: { x: false, y: false }, points: { size: 7 } },
      scales: {
        x: { time: false, distr: this.chart.log_x ? 3 : 1, range: (_, low, high) => this.chart.x_range || [low, high] },
        y: { range: (_, low, high) => this.panel.y_range || padded(low, high) },
      },
      axes: [
        { ...axis, grid: { show: false }, size: this.last ? 30 : 10, values: (_, at) => at.map((v) => (v === null || !this.last ? "" : tick(v))) },
        { ...axis, size: 52, space: 34, values: (_, at) => at.map((v) => tick(v, this.panel.percent)) },
      ],
      series: [{}, ...this.panel.lines.flatMap((line) => seriesOf(line))],
      bands: bandsOf(this.panel),
      hooks: { draw: [(plot) => this.mark(plot)], setCursor: [(plot) => this.read(plot)] },
    };
  }

  /** A dashed line, and a band for its interval, where the chart marks a place. */
  mark(plot) {
    const mark = this.chart.mark;
    if (!mark) return;
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    if (mark.low !== null && mark.high !== null) {
      const [left, right] = [mark.low, mark.high].map((v) => plot.valToPos(v, "x", true));
      ctx.fillStyle = colour("--axis");
      ctx.globalAlpha = 0.15;
      ctx.fillRect(left, bbox.top, Math.max(right - left, 2), bbox.height);
      ctx.globalAlpha = 1;
    }
    if (mark.x !== null) {
      const at = plot.valToPos(mark.x, "x", true);
      ctx.strokeStyle = colour("--quiet");
      ctx.lineWidth = devicePixelRatio;
      ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
      ctx.beginPath();
      ctx.moveTo(at, bbox.top);
      ctx.lineTo(at, bbox.top + bbox.height);
      ctx.stroke();
      this.name(plot, mark.label, at);
    }
    ctx.restore();
  }

  name(plot, label, at) {
    const { ctx, bbox } = plot;
    ctx.font = `${12 * devicePixelRatio}px ${colour("--sans")}`;
    ctx.setLineDash([]);
    ctx.fillStyle = colour("--quiet");
    const width = ctx.measureText(label).width;
    const room = bbox.left + bbox.width - at > width + 8 * devicePixelRatio;
    ctx.textAlign = room ? "left" : "right";
    ctx.textBaseline = "top";
    ctx.fillText(label, at + (room ? 5 : -5) * devicePixelRatio, bbox.top + 2);
  }

  read(plot) {
    const at = plot.cursor.idx;
    let series = 0;
    this.panel.lines.forEach((line, k) => {
      series += 1;
      const value = at === null || at === undefined ? null : plot.data[series][at];
      this.legend.values[k].textContent = value === null || value === undefined ? "" : reading(value, this.panel.percent);
      if (line.low !== null) series += 2;
    });
  }
}

function seriesOf(line) {
  const stroke = colour(`--${line.tone}`);
  const few = line.x.length <= 12;
  const main = { label: line.label, stroke, width: 2.25, dash: dashes(line.stroke), spanGaps: true,
    points: { show: few, size: 6, fill: line.stroke === "solid" ? stroke : colour("--ground") } };
  if (line.low === null) return [main];
  const edge = { stroke: "transparent", width: 0, spanGaps: true, points: { show: false } };
  return [main, { ...edge, label: "upper" }, { ...edge, label: "lower" }];
}

function bandsOf(panel) {
  const bands = [];
  let series = 0;
  for (const line of panel.lines) {
    series += 1;
    if (line.low !== null) {
      bands.push({ series: [series + 1, series + 2], fill: `${colour(`--${line.tone}`)}29` });
      series += 2;
    }
  }
  return bands;
}

/** Lines on one common horizontal axis, as uPlot wants them. */
function joined(panel) {
  const tables = panel.lines.map((line) =>
    line.low === null ? [line.x, line.y] : [line.x, line.y, line.high, line.low]);
  if (tables.length === 1) return tables[0];
  return uPlot.join(tables);
}

function padded(low, high) {
  if (low === null || high === null) return [0, 1];
  if (low === high) return [low - 0.5, high + 0.5];
  const room = 0.06 * (high - low);
  return [low - room, high + room];
}
