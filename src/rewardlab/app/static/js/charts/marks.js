/** A marked place on the horizontal axis: a dotted line through all panels, its label above the first. */

import { TINY, font } from "./text.js";
import { colour } from "./theme.js";

/** Room above the first panel for the label, in px. */
export const LABEL_ROOM = 22;

/**
 * Draw a chart's mark into one of its panels.
 * @param {any} plot The uPlot.
 * @param {{x: number|null, low: number|null, high: number|null, label: string}} mark A missing end of
 *   an interval lies beyond the data; both are missing where there is no interval.
 * @param {boolean} labelled
 */
export function drawMark(plot, mark, labelled) {
  const { ctx, bbox } = plot;
  const { min, max } = plot.scales.x;
  ctx.save();
  if (mark.low !== null || mark.high !== null) {
    const low = Math.max(mark.low ?? min, min);
    const high = Math.min(mark.high ?? max, max);
    if (high >= low) band(plot, low, high);
  }
  if (mark.x !== null && mark.x >= min && mark.x <= max) {
    const at = plot.valToPos(mark.x, "x", true);
    ctx.strokeStyle = colour("--quiet");
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(at, bbox.top - (labelled ? 3 * devicePixelRatio : 0));
    ctx.lineTo(at, bbox.top + bbox.height);
    ctx.stroke();
  }
  if (labelled) label(plot, mark);
  ctx.restore();
}

function band(plot, low, high) {
  const { ctx, bbox } = plot;
  const [left, right] = [low, high].map((value) => plot.valToPos(value, "x", true));
  ctx.fillStyle = colour("--axis");
  ctx.globalAlpha = 0.16;
  ctx.fillRect(left, bbox.top, Math.max(right - left, 2), bbox.height);
  ctx.globalAlpha = 1;
}

function label(plot, mark) {
  const { ctx, bbox } = plot;
  const { min, max } = plot.scales.x;
  ctx.font = font(TINY * devicePixelRatio);
  ctx.setLineDash([]);
  ctx.fillStyle = colour("--text");
  ctx.textAlign = "center";
  ctx.textBaseline = "alphabetic";
  const at = mark.x === null ? bbox.left + bbox.width : plot.valToPos(Math.min(Math.max(mark.x, min), max), "x", true);
  const half = ctx.measureText(mark.label).width / 2 + 2;
  const centre = Math.max(half, Math.min(at, ctx.canvas.width - half));
  ctx.fillText(mark.label, centre, bbox.top - 7 * devicePixelRatio);
}
