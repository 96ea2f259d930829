/** Curves and points in a plane of two quantities, as SVG. */

import { h, s, say } from "../core/dom.js";
import { placeLabels } from "./labels.js";
import { finite, padded, tickLabels, ticks } from "./scales.js";
import { dashes } from "./theme.js";

const HEIGHT = 320;
const TALLEST = 460;
const ROOM = { top: 10, right: 14, bottom: 26 };

let clips = 0;

/** Draws `PlaneChart`s into a figure. A chart may fix its axes by `x_range` and `y_range`. */
export class PlaneChart {
  /** @param {any} figure */
  constructor(figure) {
    this.figure = figure;
    this.width = 0;
    this.height = 0;
    this.clip = `plane-${clips++}`;
    this.title = h("span", { class: "panel-title" });
    this.svg = s("svg", { class: "plane", "aria-hidden": "true" });
    this.xLabel = h("p", { class: "x-label" });
    this.box = h("div", { role: "img" }, h("div", { class: "panel-head" }, this.title), this.svg, this.xLabel);
    this.figure.replaceChildren(this.box);
    this.resizing = new ResizeObserver((entries) => {
      const width = Math.floor(entries[0].contentRect.width);
      if (width && width !== this.width) this.paint(width);
    });
    this.resizing.observe(this.figure);
  }

  /** @param {any} chart @param {string} description */
  draw(chart, description) {
    this.chart = chart;
    this.box.setAttribute("aria-label", description);
    say(this.title, chart.y_label);
    say(this.xLabel, chart.x_label);
    this.paint(this.width || this.figure.clientWidth || 640);
  }

  paint(width) {
    if (!this.chart) return;
    this.width = width;
    const { shapes, equal } = this.chart;
    const view = viewOf(this.chart, width, equal);
    this.height = view.height;
    const runs = shapes.map((shape) => runsOf(shape, view));
    const inside = s("g", { "clip-path": `url(#${this.clip})` }, ...shapes.flatMap((shape, k) => ink(shape, runs[k])));
    this.svg.setAttribute("viewBox", `0 0 ${width} ${view.height}`);
    this.svg.setAttribute("height", String(view.height));
    this.svg.replaceChildren(
      s("clipPath", { id: this.clip }, s("rect", { x: view.left, y: ROOM.top, width: view.right - view.left, height: view.bottom - ROOM.top })),
      ...axes(view), inside, ...dots(shapes, runs), ...placeLabels(shapes, runs, view),
    );
  }

  destroy() {
    this.resizing.disconnect();
  }
}

/** Ranges, edges in px, and the maps from values to px. */
function viewOf(chart, width, equal) {
  const both = chart.shapes.flatMap((shape) => shape.x.map((x, k) => [x, shape.y[k]]))
    .filter(([x, y]) => x !== null && y !== null);
  let across = chart.x_range || rangeOf(both.map(([x]) => x));
  let up = chart.y_range || rangeOf(both.map(([, y]) => y));
  const left = 10 + 7 * Math.max(...tickLabels(ticks(up[0], up[1], 7)).map((label) => label.length));
  const right = width - ROOM.right;
  let high = Math.min(HEIGHT, Math.max(220, width * 0.6));
  if (equal) {
    // A unit's length that fits both axes; the one with room to spare shows more of the plane.
    const unit = Math.min((right - left) / (across[1] - across[0]), TALLEST / (up[1] - up[0]));
    high = Math.max((up[1] - up[0]) * unit, 140);
    across = around(across, (right - left) / unit);
    up = around(up, high / unit);
  }
  const bottom = ROOM.top + high;
  return {
    across, up, left, right, top: ROOM.top, bottom, width, height: bottom + ROOM.bottom,
    x: (value) => left + ((value - across[0]) / (across[1] - across[0])) * (right - left),
    y: (value) => bottom - ((value - up[0]) / (up[1] - up[0])) * high,
  };
}

function rangeOf(values) {
  const known = finite(values);
  if (!known.length) return [0, 1];
  return padded(known.reduce((a, b) => Math.min(a, b)), known.reduce((a, b) => Math.max(a, b)), 0.1);
}

function around([low, high], length) {
  const middle = (low + high) / 2;
  return [middle - length / 2, middle + length / 2];
}

/** Stretches of known points, in px. */
function runsOf(shape, view) {
  /** @type {any[][]} */
  const runs = [[]];
  shape.x.forEach((x, k) => {
    const y = shape.y[k];
    if (x === null || y === null) runs.push([]);
    else runs[runs.length - 1].push([view.x(x), view.y(y)]);
  });
  return runs.filter((run) => run.length);
}

function axes(view) {
  const across = ticks(view.across[0], view.across[1], Math.max(2, Math.round((view.right - view.left) / 80)));
  const up = ticks(view.up[0], view.up[1], Math.max(2, Math.round((view.bottom - view.top) / 50)));
  const [below, beside] = [tickLabels(across), tickLabels(up)];
  return [
    ...across.flatMap((value, k) => [
      s("line", { class: "grid", x1: view.x(value), x2: view.x(value), y1: view.top, y2: view.bottom }),
      s("text", { class: "tick", x: view.x(value), y: view.bottom + 17, "text-anchor": "middle" }, below[k]),
    ]),
    ...up.flatMap((value, k) => [
      s("line", { class: "grid", x1: view.left, x2: view.right, y1: view.y(value), y2: view.y(value) }),
      s("text", { class: "tick", x: view.left - 7, y: view.y(value) + 4, "text-anchor": "end" }, beside[k]),
    ]),
    s("line", { class: "foot", x1: view.left, x2: view.right, y1: view.bottom, y2: view.bottom }),
  ];
}

function ink(shape, runs) {
  if (shape.points) return [];
  const dash = dashes(shape.stroke).join(" ") || null;
  return runs.filter((run) => run.length > 1).map((run) => s("path", {
    class: `curve tone-${shape.tone}`, "stroke-dasharray": dash,
    d: `M${run.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`,
  }));
}

/** Points are round where they are the reward's, square where they are the real goal's. */
function dots(shapes, runs) {
  return shapes.flatMap((shape, k) => runs[k].filter((run) => shape.points || run.length === 1)
    .flatMap((run) => run.map(([x, y]) => (shape.tone === "gold"
      ? s("rect", { class: "dot tone-gold", x: x - 4.5, y: y - 4.5, width: 9, height: 9, rx: 1 })
      : s("circle", { class: `dot tone-${shape.tone}`, cx: x, cy: y, r: 4.5 })))));
}
