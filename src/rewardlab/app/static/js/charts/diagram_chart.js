/** Boxes and arrows: a process with a figure at each station, and where it stands now. */

import { h, s } from "../core/dom.js";
import { SMALL, font, textWidth } from "./text.js";
import { onTheme } from "./theme.js";

const NARROW = 480;
const PAD = 13;
const LINE = 18;
const SIDE = 44;
const INSET = 36;
const HEAD = 7;
const LINES = 2;

/** Draws `DiagramChart`s: in rows and columns, or below each other where it is narrow. */
export class DiagramChart {
  /** @param {any} figure */
  constructor(figure) {
    this.figure = figure;
    this.width = 0;
    this.box = h("div", { role: "img", class: "diagram" });
    this.figure.replaceChildren(this.box);
    this.resizing = new ResizeObserver((entries) => this.resize(entries[0].contentRect.width));
    this.resizing.observe(this.figure);
    this.endTheme = onTheme(() => this.build());
  }

  /** @param {any} chart @param {string} description */
  draw(chart, description) {
    this.chart = chart;
    this.box.setAttribute("aria-label", description);
    if (!this.width) this.width = this.figure.clientWidth;
    this.build();
  }

  resize(width) {
    if (!width || Math.round(width) === Math.round(this.width)) return;
    this.width = width;
    this.build();
  }

  build() {
    if (!this.chart || !this.width) return;
    const { stations, arrows } = this.chart;
    const stacked = this.width < NARROW;
    const placed = stacked ? stack(stations, this.width) : grid(stations, this.width);
    const ways = arrows.map((arrow) => (stacked ? sideWay : straightWay)(arrow, placed[arrow.start], placed[arrow.end]));
    const height = Math.max(...placed.map((at) => at.top + at.height)) + 2;
    this.box.replaceChildren(s("svg", { width: this.width, height, viewBox: `0 0 ${this.width} ${height}` },
      ...stations.map((one, k) => station(one, placed[k])), ...ways));
  }

  destroy() {
    this.resizing.disconnect();
    this.endTheme();
  }
}

function grid(stations, width) {
  const columns = 1 + Math.max(...stations.map((one) => one.column));
  const gap = Math.max(64, Math.min(96, width * 0.11));
  const wide = (width - 3 - gap * (columns - 1)) / columns;
  const lines = stations.map((one) => wrapped(one.says, wide - 2 * PAD));
  const high = heightOf(Math.max(LINES, ...lines.map((said) => said.length)));
  return stations.map((one, k) => ({
    left: 1.5 + one.column * (wide + gap), top: 1.5 + one.row * (high + 62), width: wide, height: high, lines: lines[k],
  }));
}

function stack(stations, width) {
  const wide = width - SIDE - 3;
  let top = 1.5;
  return stations.map((one) => {
    const lines = wrapped(one.says, wide - 2 * PAD);
    const at = { left: 1.5, top, width: wide, height: heightOf(Math.max(1, lines.length)), lines };
    top += at.height + 36;
    return at;
  });
}

function heightOf(lines) {
  return 2 * PAD + 14 + LINE * lines;
}

/** Lines of words no wider than the room. */
function wrapped(text, room) {
  const lines = [];
  for (const word of text.split(" ").filter(Boolean)) {
    const joined = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length && textWidth(joined, font(SMALL)) <= room) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
}

function station(one, at) {
  const x = at.left + PAD;
  const y = at.top + PAD + 11;
  return s("g", { class: `station ${cssOf(one.state)} tone-${one.tone}` },
    s("rect", { x: at.left, y: at.top, width: at.width, height: at.height, rx: 8 }),
    s("text", { class: "name", x, y }, one.name),
    ...at.lines.map((line, k) => s("text", { x, y: y + 3 + LINE * (k + 1) }, line)),
    marker(one.state, at.left + at.width - PAD - 10, y - 4.5));
}

/** A tick for what is done and a dot for what is under way: not told by colour alone. */
function marker(state, x, y) {
  if (state === "past") return s("path", { class: "tick", d: `M${x} ${y}l3.5 4l7 -8.5` });
  return state === "now" && s("circle", { cx: x + 5, cy: y, r: 5 });
}

function straightWay(arrow, a, b) {
  const [p, q] = edges(a, b);
  const middle = [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];
  if (Math.abs(p[0] - q[0]) < 1) return way(arrow, [p, q], middle[0] + 10, middle[1] + 4, "start");
  if (Math.abs(p[1] - q[1]) < 1) return way(arrow, [p, q], middle[0], middle[1] - 9, "middle");
  const below = (q[0] - p[0]) * (q[1] - p[1]) < 0; // The side that the line leaves free at its right.
  return way(arrow, [p, q], middle[0] + 12, middle[1] + (below ? 13 : -6), "start");
}

/** Where an arrow leaves one box and reaches the other: sides that face, or near corners. */
function edges(a, b) {
  const [ax, ay, bx, by] = [a.left + a.width / 2, a.top + a.height / 2, b.left + b.width / 2, b.top + b.height / 2];
  const [right, down] = [Math.sign(Math.round(bx - ax)), Math.sign(Math.round(by - ay))];
  const off = right && down ? -22 : 3;
  return [
    [ax + right * (a.width / 2 + off), ay + down * (a.height / 2 + 3)],
    [bx - right * (b.width / 2 + off), by - down * (b.height / 2 + 3)],
  ];
}

/** Straight down to the next box; along the side to any other, ways back outside ways on. */
function sideWay(arrow, a, b) {
  if (arrow.end === arrow.start + 1) {
    const x = a.left + INSET;
    const [from, to] = [a.top + a.height + 3, b.top - 3];
    return way(arrow, [[x, from], [x, to]], x + 10, (from + to) / 2 + 4, "start");
  }
  const on = arrow.end > arrow.start;
  const edge = a.left + a.width;
  const out = edge + (on ? 20 : 34);
  const [from, to] = [a.top + a.height / 2 + 8, b.top + b.height / 2 + (on ? -8 : 8)];
  return way(arrow, [[edge + 3, from], [out, from], [out, to], [edge + 3, to]],
    edge - 2, on ? a.top + a.height + 17 : a.top - 8, "end");
}

function way(arrow, points, x, y, anchor) {
  const [from, tip] = points.slice(-2);
  const long = Math.hypot(tip[0] - from[0], tip[1] - from[1]) || 1;
  const [ux, uy] = [(tip[0] - from[0]) / long, (tip[1] - from[1]) / long];
  const wing = (side) => [tip[0] - HEAD * (ux + side * 0.6 * uy), tip[1] - HEAD * (uy - side * 0.6 * ux)];
  const path = (places) => `M${places.map(([px, py]) => `${px.toFixed(1)} ${py.toFixed(1)}`).join("L")}`;
  return s("g", { class: `way ${cssOf(arrow.state)}` },
    s("path", { d: path(points) + path([wing(1), tip, wing(-1)]) }),
    arrow.label && s("text", { x, y, "text-anchor": anchor }, arrow.label));
}

function cssOf(state) {
  return state.replace(" ", "-");
}
