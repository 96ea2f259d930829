/** Where the labels of a plane go, so that none covers another or what is drawn. */

import { s } from "../core/dom.js";
import { TINY, font, textWidth } from "./text.js";

const HIGH = 17;
const OFF = 8;

/**
 * Each label beside its shape's end, or elsewhere along a curve where the end is taken.
 * @param {any[]} shapes @param {number[][][][]} runs Stretches of points of each shape, in px.
 * @param {any} view Edges of the plot, in px.
 */
export function placeLabels(shapes, runs, view) {
  const drawn = shapes.flatMap((shape, k) => runs[k].flatMap((run) => spots(shape, run)));
  const taken = [];
  const labelled = shapes.map((shape, k) => ({ shape, run: runs[k][runs[k].length - 1] }))
    .filter(({ shape, run }) => shape.label && run)
    .sort((a, b) => Number(b.shape.points) - Number(a.shape.points));
  return labelled.map(({ shape, run }) => {
    const box = best(textWidth(shape.label, font(TINY, 600)) + 2, anchors(shape, run), taken, drawn, view);
    taken.push(box);
    return s("text", { class: `label tone-${shape.tone}`, x: (box.left + box.right) / 2, y: box.bottom - 4, "text-anchor": "middle" }, shape.label);
  });
}

function anchors(shape, run) {
  if (shape.points) return [run[run.length - 1]];
  const along = spots(shape, run);
  return Array.from({ length: 9 }, (_, k) => along[Math.round(((8 - k) / 8) * (along.length - 1))]);
}

/** Points along a curve, at most some 6 px apart; a dot weighs as several of them. */
function spots(shape, run) {
  if (shape.points || run.length === 1) return run.flatMap((point) => Array(6).fill(point));
  const found = [run[0]];
  for (let k = 1; k < run.length; k += 1) {
    const [[x0, y0], [x1, y1]] = [run[k - 1], run[k]];
    const steps = Math.min(200, Math.ceil(Math.hypot(x1 - x0, y1 - y0) / 6)) || 1;
    for (let i = 1; i <= steps; i += 1) found.push([x0 + ((x1 - x0) * i) / steps, y0 + ((y1 - y0) * i) / steps]);
  }
  return found;
}

function best(width, places, taken, drawn, view) {
  /** @type {any} */
  let found = null;
  let least = Infinity;
  for (const [x, y] of places) {
    for (const box of beside(x, y, width, view)) {
      const cost = 10 * sum(taken, (other) => overlap(box, other)) + 4 * sum(drawn, ([a, b]) => Number(holds(box, a, b)));
      if (cost < least) [least, found] = [cost, box];
    }
  }
  return found;
}

/** Above, right, below and left of a point, each moved into the plot. */
function beside(x, y, width, view) {
  const [middle, level] = [x - width / 2, y - HIGH / 2];
  const corners = [[middle, y - OFF - HIGH], [x + OFF, level], [middle, y + OFF], [x - OFF - width, level],
    [x + OFF, y - OFF - HIGH], [x - OFF - width, y + OFF]];
  return corners.map(([across, down]) => {
    const left = Math.min(Math.max(across, view.left), view.width - width);
    const top = Math.min(Math.max(down, view.top), view.bottom - HIGH);
    return { left, top, right: left + width, bottom: top + HIGH };
  });
}

function overlap(one, other) {
  const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return Math.max(across, 0) * Math.max(down, 0);
}

function holds(box, x, y) {
  return x > box.left && x < box.right && y > box.top && y < box.bottom;
}

function sum(list, of) {
  return list.reduce((total, one) => total + of(one), 0);
}
