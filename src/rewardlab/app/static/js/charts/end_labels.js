/** Names at the ends of lines, for panels whose lines cannot be told apart by colour and dash. */

import { TINY, font, textWidth } from "./text.js";
import { colour } from "./theme.js";

const GAP = 15;
const MOST = 0.34;

/** True if two lines look the same. @param {{tone: string, stroke: string}[]} lines */
export function needsEndLabels(lines) {
  return new Set(lines.map(({ tone, stroke }) => `${tone} ${stroke}`)).size < lines.length;
}

/** Room that the names take at the right, in px. */
export function endRoom(lines, width) {
  const widest = Math.max(...lines.map(({ label }) => textWidth(label, font(TINY))));
  return Math.ceil(Math.min(widest + 18, width * MOST));
}

/** Write each line's name beside its last point, pushed apart where they meet. */
export function drawEndLabels(plot, lines, series) {
  const ratio = devicePixelRatio;
  const ends = lines.map((line, k) => {
    const values = plot.data[series[k]];
    let last = values.length - 1;
    while (last > 0 && (values[last] === null || values[last] === undefined)) last -= 1;
    return { line, at: plot.valToPos(values[last] ?? 0, "y", true), from: plot.valToPos(plot.data[0][last], "x", true) };
  }).sort((a, b) => a.at - b.at);
  const places = spread(ends.map((end) => end.at), GAP * ratio, plot.bbox.top, plot.bbox.top + plot.bbox.height);
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.font = font(TINY * ratio);
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.setLineDash([]);
  ctx.lineWidth = ratio;
  ends.forEach(({ line, at, from }, k) => {
    ctx.fillStyle = ctx.strokeStyle = colour(`--${line.tone}`);
    const left = bbox.left + bbox.width;
    if (Math.abs(places[k] - at) > 2 * ratio) {
      ctx.beginPath();
      ctx.moveTo(Math.min(from, left) + 2 * ratio, at);
      ctx.lineTo(left + 9 * ratio, places[k]);
      ctx.stroke();
    }
    ctx.fillText(line.label, left + 12 * ratio, places[k], ctx.canvas.width - left - 12 * ratio);
  });
  ctx.restore();
}

/**
 * Places as near as they can be to those wanted, at least a gap apart.
 * @param {number[]} wanted Ascending. @param {number} gap @param {number} low @param {number} high
 */
function spread(wanted, gap, low, high) {
  /** @type {[number, number][]} */
  const pools = [];
  wanted.forEach((place, k) => {
    let [mean, size] = [place - k * gap, 1];
    while (pools.length && pools[pools.length - 1][0] > mean) {
      const [before, n] = /** @type {[number, number]} */ (pools.pop());
      [mean, size] = [(mean * size + before * n) / (size + n), size + n];
    }
    pools.push([mean, size]);
  });
  const room = Math.max(low, high - (wanted.length - 1) * gap);
  const firsts = pools.flatMap(([mean, size]) => Array(size).fill(Math.min(Math.max(mean, low), room)));
  return firsts.map((first, k) => first + k * gap);
}
