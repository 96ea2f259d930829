/** One panel of a line chart: its title, the names of its lines, and the plot. */

import { h } from "../core/dom.js";
import { drawEndLabels, endRoom, needsEndLabels } from "./end_labels.js";
import { legend } from "./legend.js";
import { LABEL_ROOM, drawMark } from "./marks.js";
import { finite, padded, tickLabels, ticks } from "./scales.js";
import { TINY, font } from "./text.js";
import { colour, dashes } from "./theme.js";
import { Tip } from "./tip.js";

const SPARSE = 12;

export class LinePanel {
  /**
   * @param {any} panel @param {any} chart
   * @param {{group: string, width: number, first: boolean, last: boolean, marked: boolean}} place
   */
  constructor(panel, chart, place) {
    this.panel = panel;
    this.chart = chart;
    this.place = place;
    this.width = place.width;
    this.named = needsEndLabels(panel.lines);
    this.canvas = h("div", { class: "canvas" });
    this.element = h("div", { class: "chart-panel" },
      h("div", { class: "panel-head" }, h("span", { class: "panel-title" }, panel.y_label), !this.named && legend(panel.lines)),
      this.canvas);
    this.tip = new Tip(panel.lines, indexes(panel));
  }

  mount() {
    this.measure();
    this.plot = new uPlot(this.options(), this.data(), this.canvas);
    this.plot.over.append(this.tip.element);
  }

  update(panel, chart) {
    this.panel = panel;
    this.chart = chart;
    this.measure();
    this.plot.setData(this.data());
  }

  resize(width) {
    this.width = width;
    if (this.plot) this.plot.setSize({ width, height: this.height() });
  }

  destroy() {
    if (this.plot) this.plot.destroy();
    this.plot = null;
  }

  /** The range of the horizontal axis, the same in all panels. */
  measure() {
    const { x_range: fixed, log_x: log, panels } = this.chart;
    let [low, high, whole] = [Infinity, -Infinity, true];
    for (const { lines } of panels) {
      for (const { x, y } of lines) {
        for (let k = 0; k < x.length; k += 1) {
          if (y[k] === null || x[k] === null || (log && x[k] <= 0)) continue;
          if (x[k] < low) low = x[k];
          if (x[k] > high) high = x[k];
          whole = whole && Number.isInteger(x[k]);
        }
      }
    }
    this.whole = whole;
    this.xRange = fixed || (high > low ? [low, high] : alone(low, log));
  }

  height() {
    const above = this.place.first && this.place.marked ? LABEL_ROOM : 8;
    return Math.round(this.panel.height * 1.1) + above + (this.place.last ? 30 : 10);
  }

  options() {
    const { first, last, marked, group } = this.place;
    const axis = { stroke: colour("--quiet"), ticks: { show: false }, font: font(TINY), gap: 6, filter: (_, at) => at };
    const rows = Math.max(3, Math.round(this.panel.height / 45));
    return {
      width: this.width,
      height: this.height(),
      pxAlign: 0,
      padding: [first && marked ? LABEL_ROOM : 8, () => this.beside(), 0, 0],
      legend: { show: false },
      cursor: { y: false, sync: { key: group, setSeries: false }, drag: { x: false, y: false }, points: { size: 8 } },
      scales: {
        x: { time: false, distr: this.chart.log_x ? 3 : 1, range: () => this.xRange },
        y: { range: (_, low, high) => this.panel.y_range || padded(low, high) },
      },
      axes: [
        { ...axis, grid: { show: false }, size: last ? 28 : 8, splits: (plot) => this.columns(plot),
          values: (_, at) => (last ? tickLabels(at) : at.map(() => "")) },
        { ...axis, grid: { stroke: colour("--grid"), width: 1 }, size: 54,
          splits: (_, __, low, high) => ticks(low, high, rows), values: (_, at) => tickLabels(at, this.panel.percent) },
      ],
      series: [{}, ...this.panel.lines.flatMap(seriesOf)],
      bands: bandsOf(this.panel),
      hooks: {
        drawClear: [(plot) => this.chart.mark && drawMark(plot, this.chart.mark, first)],
        draw: [(plot) => this.finish(plot)],
        setCursor: [(plot) => this.tip.read(plot, first ? this.chart.x_label.split(/[(,;]/)[0].trim() : "", this.panel.percent)],
      },
    };
  }

  /** Room at the right, the same in all panels. */
  beside() {
    const rooms = this.chart.panels.filter(({ lines }) => needsEndLabels(lines)).map(({ lines }) => endRoom(lines, this.width));
    return Math.max(18, ...rooms);
  }

  finish(plot) {
    baseline(plot);
    if (this.named) drawEndLabels(plot, this.panel.lines, indexes(this.panel));
  }

  columns(plot) {
    const wanted = Math.max(2, Math.round(plot.bbox.width / devicePixelRatio / 70));
    return ticks(this.xRange[0], this.xRange[1], wanted, { log: this.chart.log_x, whole: this.whole });
  }

  /** Lines on one common horizontal axis, as uPlot wants them; a null breaks a line. */
  data() {
    const tables = this.panel.lines.map((line) => {
      const columns = line.low === null ? [line.x, line.y] : [line.x, line.y, line.high, line.low];
      if (!this.chart.log_x || line.x[0] > 0) return columns;
      const start = line.x.findIndex((x) => x > 0);
      return columns.map((column) => column.slice(start));
    });
    if (tables.every(([x]) => sameAxis(x, tables[0][0]))) return [tables[0][0], ...tables.flatMap((table) => table.slice(1))];
    return uPlot.join(tables);
  }
}

/** A range around a single place, or around none. */
function alone(low, log) {
  if (log) return low < Infinity ? [low / 1.5, low * 1.5] : [1, 10];
  return padded(low, low);
}

function sameAxis(one, other) {
  return one === other || (one.length === other.length && one.every((value, k) => value === other[k]));
}

/** Where each line's series stands among all, the horizontal axis being the first. */
function indexes(panel) {
  let next = 1;
  return panel.lines.map((line) => {
    const at = next;
    next += line.low === null ? 1 : 3;
    return at;
  });
}

function seriesOf(line) {
  const stroke = colour(`--${line.tone}`);
  const main = { label: line.label, stroke, width: 2.25, cap: line.stroke === "dashed" ? "butt" : "round", dash: dashes(line.stroke),
    points: { show: line.x.length <= SPARSE || finite(line.y).length === 1, size: 6, width: 1.5, fill: line.stroke === "solid" ? stroke : colour("--ground") } };
  if (line.low === null) return [main];
  const edge = { stroke: "transparent", width: 0, points: { show: false } };
  return [main, { ...edge, label: "upper" }, { ...edge, label: "lower" }];
}

function bandsOf(panel) {
  return indexes(panel).flatMap((at, k) => {
    const { low, tone } = panel.lines[k];
    return low === null ? [] : [{ series: [at + 1, at + 2], fill: `${colour(`--${tone}`)}29` }];
  });
}

/** The foot of the plot, a little stronger than the grid. */
function baseline(plot) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = colour("--axis");
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, bbox.top + bbox.height);
  ctx.lineTo(bbox.left + bbox.width, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}
